//! The built-in identity provider in requests and responses: sign-in, sessions, and the metadata with its keys.

use std::net::IpAddr;

use fieldhouse_domain::ids::SessionId;
use fieldhouse_domain::record::Body;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::organization::OrganizationRef;

/// Signs in.
#[derive(Clone, Body)]
pub struct Login {
    /// The e-mail address.
    pub email: Email,
    /// The password.
    pub password: String,
    /// The id or slug of the organization. Required if the user belongs to several.
    pub organization: Option<String>,
}

/// Continues a session.
#[derive(Clone, Body)]
pub struct Refresh {
    /// The refresh token. It can be used once.
    pub refresh_token: String,
}

/// Changes the caller's password and ends their other sessions.
#[derive(Clone, Body)]
pub struct PasswordChange {
    /// The current password.
    pub current_password: String,
    /// The new password: at least 12 characters.
    pub new_password: String,
}

/// The address of an account whose password is forgotten.
#[derive(Clone, Body)]
pub struct PasswordResetRequest {
    /// The e-mail address.
    pub email: Email,
}

/// The query of a page that a link opens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct LinkQuery {
    /// The token in the link.
    pub token: Option<String>,
}

/// Sets a new password with the link of a password reset.
#[derive(Clone, Body)]
pub struct PasswordResetCompletion {
    /// The token in the link.
    pub token: String,
    /// The new password: at least 12 characters.
    pub new_password: String,
}

/// The result of requesting a password reset: the same for every address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordResetRequested {
    /// Always true. If an account has the address, a link is mailed to it.
    pub requested: bool,
}

/// A session's tokens.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct Tokens {
    /// A JWT for the header `Authorization: Bearer`.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: String,
    /// The number of seconds until the access token expires.
    pub expires_in: i64,
    /// The refresh token. It can be used once.
    pub refresh_token: String,
    /// When the session expires, however often it is refreshed.
    pub session_expires_at: Timestamp,
    /// The session.
    pub session_id: SessionId,
    /// The organization that it is for.
    pub organization: OrganizationRef,
    /// The user's role in it now.
    pub role: Role,
}

/// A signed-in session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// The id.
    pub id: SessionId,
    /// How the user signed in: `password`.
    pub method: String,
    /// When the user signed in.
    pub created_at: Timestamp,
    /// When it was last refreshed.
    pub last_used_at: Timestamp,
    /// When it expires, however often it is refreshed.
    pub expires_at: Timestamp,
    /// The `User-Agent` of the client.
    pub user_agent: Option<String>,
    /// The address that the user signed in from.
    #[schema(value_type = Option<String>)]
    pub ip: Option<IpAddr>,
    /// Whether it is the session of this request.
    pub current: bool,
}

/// The result of signing out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedOut {
    /// The number of ended sessions.
    pub sessions_ended: u32,
}

/// The keys that verify access tokens (RFC 7517).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JsonWebKeySet {
    /// The keys.
    pub keys: Vec<JsonWebKey>,
}

/// An Ed25519 public key (RFC 8037).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JsonWebKey {
    /// Always `OKP`.
    pub kty: String,
    /// Always `Ed25519`.
    pub crv: String,
    /// Always `EdDSA`.
    pub alg: String,
    /// Always `sig`.
    #[serde(rename = "use")]
    pub use_: String,
    /// The id of the key, which is in the header of tokens.
    pub kid: String,
    /// The key, base64url.
    pub x: String,
}

/// The configuration for OpenID Connect clients (OpenID Connect Discovery 1.0), as far as the built-in provider implements it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenIdConfiguration {
    /// The issuer, as in tokens.
    pub issuer: String,
    /// The URL of its keys.
    pub jwks_uri: String,
    /// The URL to get tokens from.
    pub token_endpoint: String,
    /// The response types of its authorization endpoint: none, because it has no such endpoint.
    pub response_types_supported: Vec<String>,
    /// `public`.
    pub subject_types_supported: Vec<String>,
    /// The algorithms that sign tokens.
    pub id_token_signing_alg_values_supported: Vec<String>,
    /// The supported ways to get a session.
    pub grant_types_supported: Vec<String>,
}

/// Where a client of this API gets its tokens (RFC 9728).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProtectedResource {
    /// The URL of this API.
    pub resource: String,
    /// The issuers of its tokens.
    pub authorization_servers: Vec<String>,
    /// The URL of the issuer's keys.
    pub jwks_uri: String,
    /// Where to send a token in a request.
    pub bearer_methods_supported: Vec<String>,
    /// The URL of its documentation.
    pub resource_documentation: String,
}
