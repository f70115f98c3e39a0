//! Raw credentials of requests: `x-api-key` or `Authorization: Bearer`, never both.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, header};
use fieldhouse_api::Code;
use fieldhouse_domain::api_keys::KeyText;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::RawCredential;
use jiff::Timestamp;

use crate::auth::tokens::{AccessTokens, Claims};
use crate::failure::Failure;
use crate::key_ring::{KeyRing, Purpose};

/// The header of an API key.
pub const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// The header of a guest's token.
pub const GUEST_TOKEN: HeaderName = HeaderName::from_static("x-guest-token");

/// A well-formed credential of a request. A token has a valid signature.
pub enum Sent {
    /// An API key, with its digest under the newest pepper.
    ApiKey(KeyText, [u8; 32]),
    /// A session's access token.
    Session(Arc<Claims>),
}

impl Sent {
    /// What the store looks up.
    pub fn raw(&self, ring: &KeyRing) -> RawCredential {
        match self {
            Self::ApiKey(key, _) => {
                let digests = ring.macs(Purpose::ApiKeyPepper, key.reveal().as_bytes());
                let digests = digests.map(|(id, digest)| (id.to_owned(), digest)).collect();
                RawCredential::ApiKey { public_id: key.public_id().to_owned(), digests }
            }
            Self::Session(claims) => RawCredential::Session {
                organization: claims.organization(),
                id: claims.session(),
                expires_at: claims.expires_at(),
            },
        }
    }
}

/// Reads the credential of a request, if it has one. Malformed credentials and invalid signatures are refused here, without a database
/// query.
pub fn read(
    headers: &HeaderMap,
    ring: &KeyRing,
    tokens: &AccessTokens,
    now: Timestamp,
) -> Result<Option<Sent>, Failure> {
    let mut keys = headers.get_all(API_KEY).iter();
    let mut bearers = headers.get_all(header::AUTHORIZATION).iter();
    match (keys.next(), bearers.next()) {
        (None, None) => Ok(None),
        (Some(key), None) if keys.next().is_none() => {
            api_key(key.to_str().unwrap_or_default(), ring).map(Some)
        }
        (None, Some(bearer)) if bearers.next().is_none() => {
            access_token(bearer.to_str().unwrap_or_default(), tokens, now).map(Some)
        }
        _ => Err(Failure::of(Code::AmbiguousCredentials)),
    }
}

fn api_key(text: &str, ring: &KeyRing) -> Result<Sent, Failure> {
    let key = KeyText::parse(text).ok_or(Denial::Unknown)?;
    let digest = ring.mac(Purpose::ApiKeyPepper, key.reveal().as_bytes());
    Ok(Sent::ApiKey(key, digest))
}

fn access_token(text: &str, tokens: &AccessTokens, now: Timestamp) -> Result<Sent, Failure> {
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Denial::Unknown.into());
    }
    Ok(Sent::Session(tokens.verify(token.trim(), now)?))
}
