//! The embedded identity provider on the wire: sign-in, sessions, and the metadata by which others find its keys.

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
    /// The id or slug of the organization; needed only by who belongs to several.
    pub organization: Option<String>,
}

/// Goes on with a session.
#[derive(Clone, Body)]
pub struct Refresh {
    /// The refresh token, which is good once.
    pub refresh_token: String,
}

/// Changes the caller's password and ends his other sessions.
#[derive(Clone, Body)]
pub struct PasswordChange {
    /// The password now.
    pub current_password: String,
    /// The new one: at least 12 characters.
    pub new_password: String,
}

/// A session's tokens.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct Tokens {
    /// A JWT for the header `Authorization: Bearer`.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: String,
    /// How many seconds the access token is good.
    pub expires_in: i64,
    /// Gets the next tokens, once.
    pub refresh_token: String,
    /// When the session ends at the latest.
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
    /// How it was signed in: `password`.
    pub method: String,
    /// When.
    pub created_at: Timestamp,
    /// When it was last refreshed.
    pub last_used_at: Timestamp,
    /// When it ends at the latest.
    pub expires_at: Timestamp,
    /// What the client called itself.
    pub user_agent: Option<String>,
    /// Where it signed in from.
    #[schema(value_type = Option<String>)]
    pub ip: Option<IpAddr>,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// A session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedOut {
    /// How many sessions ended.
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
    /// The id that a token's header names.
    pub kid: String,
    /// The key, base64url.
    pub x: String,
}

/// What an OpenID Connect client needs to know (OpenID Connect Discovery 1.0), as far as the embedded provider goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenIdConfiguration {
    /// The issuer, as it stands in tokens.
    pub issuer: String,
    /// Where its keys are.
    pub jwks_uri: String,
    /// Where tokens are got.
    pub token_endpoint: String,
    /// The kinds of answer that its authorization endpoint would give: none, for it has none.
    pub response_types_supported: Vec<String>,
    /// `public`.
    pub subject_types_supported: Vec<String>,
    /// How tokens are signed.
    pub id_token_signing_alg_values_supported: Vec<String>,
    /// How sessions are got.
    pub grant_types_supported: Vec<String>,
}

/// Where a client of this API gets its tokens (RFC 9728).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProtectedResource {
    /// This API.
    pub resource: String,
    /// Who issues its tokens.
    pub authorization_servers: Vec<String>,
    /// Where those keys are.
    pub jwks_uri: String,
    /// Where a token goes.
    pub bearer_methods_supported: Vec<String>,
    /// Its documentation.
    pub resource_documentation: String,
}
