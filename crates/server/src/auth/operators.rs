//! The operator's credential: a token signed by the key ring, so that everyone who can read the data folder can create one. It is valid for a
//! minute, once, in one process of the server, and only from the server's own machine.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::header;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_api::Code;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::access::Operator;
use jiff::Timestamp;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::app::App;
use crate::auth::credentials::API_KEY;
use crate::call::Context;
use crate::failure::Failure;
use crate::key_ring::{KeyRing, Purpose};

/// How long a token is valid, in seconds.
const LIFE: i64 = 60;
const PREFIX: &str = "fho_";
/// The lengths of the token's id, of the process and of the expiry.
const BODY: usize = 16 + 16 + 8;

/// A token for one process of the server. `id` makes it unique.
pub fn token(ring: &KeyRing, process: Uuid, now: Timestamp, id: Uuid) -> String {
    let expires_at = now.as_second() + LIFE;
    let body = [id.as_bytes().as_slice(), process.as_bytes(), &expires_at.to_be_bytes()].concat();
    let mac = ring.mac(Purpose::Operator, &body);
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode([&body[..], &mac[..]].concat()))
}

/// The tokens that were used and have not expired.
#[derive(Debug, Default)]
pub struct UsedTokens(Mutex<HashMap<Uuid, i64>>);

impl UsedTokens {
    /// Records the use of a token. Returns whether it is the first.
    fn first_use(&self, id: Uuid, expires_at: i64, now: i64) -> bool {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, expires_at| *expires_at > now);
        used.insert(id, expires_at).is_none()
    }
}

/// Whether a request comes from the server's own machine. Only the address of the connection counts, never a header.
pub(crate) fn is_local(context: &Context) -> bool {
    context.address.is_some_and(|address| address.is_loopback())
}

/// Verifies the operator's token of a request.
pub(crate) fn admit(app: &App, context: &Context) -> Result<Operator, Failure> {
    let mut tokens = context.headers.get_all(header::AUTHORIZATION).iter();
    let token = match (tokens.next(), tokens.next(), context.headers.contains_key(API_KEY)) {
        (Some(token), None, false) => token.to_str().unwrap_or_default(),
        (None, None, true) => return Err(Denial::Unknown.into()),
        (None, None, false) => return Err(Denial::Unauthenticated.into()),
        _ => return Err(Failure::of(Code::AmbiguousCredentials)),
    };
    if is_valid(app, token, context.now) { Ok(act(app)) } else { Err(Denial::Unknown.into()) }
}

#[expect(clippy::disallowed_methods, reason = "the token proves that the caller can read the data folder")]
fn act(app: &App) -> Operator {
    app.store.operator()
}

fn is_valid(app: &App, authorization: &str, now: Timestamp) -> bool {
    let Some((scheme, token)) = authorization.split_once(' ') else { return false };
    let bytes = token.trim().strip_prefix(PREFIX).and_then(|token| URL_SAFE_NO_PAD.decode(token).ok());
    let Some(bytes) = bytes.filter(|bytes| bytes.len() == BODY + 32) else { return false };
    let (body, mac) = bytes.split_at(BODY);
    let mut expected = app.key_ring.macs(Purpose::Operator, body);
    let is_signed = expected.any(|(_, expected)| bool::from(expected.ct_eq(mac)));
    let (Ok(id), Ok(process)) = (Uuid::from_slice(&body[..16]), Uuid::from_slice(&body[16..32])) else {
        return false;
    };
    let expires_at = body[32..].try_into().map_or(i64::MIN, i64::from_be_bytes);
    let now = now.as_second();
    scheme.eq_ignore_ascii_case("bearer")
        && is_signed
        && process == app.process
        && (now + 1..=now + LIFE).contains(&expires_at)
        && app.operator_tokens.first_use(id, expires_at, now)
}
