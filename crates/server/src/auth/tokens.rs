//! Tokens: access tokens (JWTs signed with Ed25519), refresh tokens and guests' tokens (opaque, authenticated by the key ring).

use std::sync::Arc;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_api::auth::{JsonWebKey, JsonWebKeySet};
use fieldhouse_domain::ids::{Id, OrganizationId, SessionId, UserId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::sessions::ACCESS_TOKEN_LIFE;
use jiff::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::key_ring::{KeyRing, Purpose};

/// The maximum length of a token that is verified.
const LONGEST: usize = 8 * 1024;
/// The maximum number of verified tokens in the cache.
const REMEMBERED: usize = 10_000;

/// The claims of an access token (RFC 9068).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    iss: String,
    aud: String,
    sub: UserId,
    org: OrganizationId,
    sid: SessionId,
    iat: i64,
    exp: i64,
    auth_time: i64,
    jti: Uuid,
}

impl Claims {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.org
    }

    /// The session.
    pub fn session(&self) -> SessionId {
        self.sid
    }

    /// When the token expires.
    pub fn expires_at(&self) -> Timestamp {
        Timestamp::from_second(self.exp).unwrap_or(Timestamp::MIN)
    }

    fn unless_expired(self: Arc<Self>, now: Timestamp) -> Result<Arc<Self>, Denial> {
        if self.expires_at() > now { Ok(self) } else { Err(Denial::SessionEnded) }
    }
}

/// Who an access token is issued to.
pub struct Subject {
    /// The user.
    pub user: UserId,
    /// The organization.
    pub organization: OrganizationId,
    /// The session.
    pub session: SessionId,
    /// When the user proved their identity.
    pub authenticated_at: Timestamp,
}

struct SigningKey {
    id: String,
    encoding: EncodingKey,
    decoding: DecodingKey,
    public: String,
    /// The header that every token of this key starts with. A token with any other header is refused, so that its claims about algorithms
    /// and keys are never used.
    prefix: String,
}

/// Issues and verifies access tokens.
pub struct AccessTokens {
    issuer: String,
    keys: Vec<SigningKey>,
    verified: Cache<[u8; 32], Arc<Claims>>,
}

impl AccessTokens {
    /// Uses the signing keys of a ring, for an issuer.
    pub fn new(ring: &KeyRing, issuer: &str) -> Result<Self, String> {
        let keys = ring
            .all(Purpose::AccessToken)
            .map(|(id, seed)| signing_key(id, seed))
            .collect::<Result<_, _>>()?;
        Ok(Self { issuer: issuer.to_owned(), keys, verified: Cache::new(REMEMBERED) })
    }

    /// Signs an access token. Returns the token and its lifetime in seconds.
    pub fn issue(&self, subject: &Subject, now: Timestamp, id: Uuid) -> Result<(String, i64), String> {
        let key = self.keys.first().ok_or("the key ring holds no signing key")?;
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: self.issuer.clone(),
            sub: subject.user,
            org: subject.organization,
            sid: subject.session,
            iat: now.as_second(),
            exp: now.as_second() + ACCESS_TOKEN_LIFE.as_secs(),
            auth_time: subject.authenticated_at.as_second(),
            jti: id,
        };
        let token = jsonwebtoken::encode(&header(&key.id), &claims, &key.encoding)
            .map_err(|error| error.to_string())?;
        Ok((token, ACCESS_TOKEN_LIFE.as_secs()))
    }

    /// Verifies a token and returns its claims. An expired token is reported as such, because it can be refreshed. Verified tokens are
    /// cached until they expire; the session is checked in the store every time.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Arc<Claims>, Denial> {
        if token.len() > LONGEST {
            return Err(Denial::Unknown);
        }
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        if let Some(claims) = self.verified.get(&digest) {
            return claims.unless_expired(now);
        }
        let claims = Arc::new(self.verify_uncached(token)?).unless_expired(now)?;
        self.verified.insert(digest, claims.clone());
        Ok(claims)
    }

    /// Verifies a token without the cache. Its expiry is checked by the caller, because the library would use the system's clock.
    fn verify_uncached(&self, token: &str) -> Result<Claims, Denial> {
        let key = self.keys.iter().find(|key| token.starts_with(&key.prefix)).ok_or(Denial::Unknown)?;
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.validate_exp = false;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let decoded = jsonwebtoken::decode::<Claims>(token, &key.decoding, &validation);
        decoded.map(|decoded| decoded.claims).map_err(|_| Denial::Unknown)
    }

    /// The public keys, with which others can verify the tokens.
    pub fn public_keys(&self) -> JsonWebKeySet {
        let key = |key: &SigningKey| JsonWebKey {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            alg: "EdDSA".to_owned(),
            use_: "sig".to_owned(),
            kid: key.id.clone(),
            x: key.public.clone(),
        };
        JsonWebKeySet { keys: self.keys.iter().map(key).collect() }
    }
}

fn header(key: &str) -> Header {
    let mut header = Header::new(Algorithm::EdDSA);
    header.typ = Some("at+jwt".to_owned());
    header.kid = Some(key.to_owned());
    header
}

fn signing_key(id: &str, seed: &[u8; 32]) -> Result<SigningKey, String> {
    let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|error| error.to_string())?;
    let pkcs8 = pair.to_pkcs8v1().map_err(|error| error.to_string())?;
    let public = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
    let decoding = DecodingKey::from_ed_components(&public).map_err(|error| error.to_string())?;
    let encoding = EncodingKey::from_ed_der(pkcs8.as_ref());
    let sample = jsonwebtoken::encode(&header(id), &serde_json::json!({}), &encoding)
        .map_err(|error| error.to_string())?;
    let prefix = sample.split_inclusive('.').next().unwrap_or_default().to_owned();
    Ok(SigningKey { id: id.to_owned(), encoding, decoding, public, prefix })
}

/// The content of a refresh token: the session and the generation of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshToken {
    /// The organization.
    pub organization: OrganizationId,
    /// The session.
    pub session: SessionId,
    /// Its number in the family.
    pub generation: i64,
    nonce: [u8; 16],
}

const REFRESH_PREFIX: &str = "fhr_";
const GUEST_PREFIX: &str = "fhg_";

impl RefreshToken {
    /// Creates a token; `nonce` makes it unique.
    pub fn new(organization: OrganizationId, session: SessionId, generation: i64, nonce: [u8; 16]) -> Self {
        Self { organization, session, generation, nonce }
    }

    /// The encoded token.
    pub fn write(&self, ring: &KeyRing) -> String {
        let body = self.body();
        let mac = ring.mac(Purpose::Token, &body);
        format!("{REFRESH_PREFIX}{}", URL_SAFE_NO_PAD.encode([&body[..], &mac[..]].concat()))
    }

    /// Parses a token that this server created. Returns `None` for anything else.
    pub fn read(text: &str, ring: &KeyRing) -> Option<Self> {
        let bytes = authenticated(text.strip_prefix(REFRESH_PREFIX)?, 56, ring)?;
        let part = |from: usize| -> Option<[u8; 16]> { bytes.get(from..from + 16)?.try_into().ok() };
        Some(Self {
            organization: OrganizationId::from_uuid(Uuid::from_bytes(part(0)?)),
            session: SessionId::from_uuid(Uuid::from_bytes(part(16)?)),
            generation: i64::from_be_bytes(bytes.get(32..40)?.try_into().ok()?),
            nonce: part(40)?,
        })
    }

    fn body(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(56);
        body.extend_from_slice(self.organization.uuid().as_bytes());
        body.extend_from_slice(self.session.uuid().as_bytes());
        body.extend_from_slice(&self.generation.to_be_bytes());
        body.extend_from_slice(&self.nonce);
        body
    }
}

/// A guest's token, and what is stored instead of it.
pub struct GuestToken {
    /// The token.
    pub text: String,
    /// Its digest.
    pub digest: GuestDigest,
}

/// The digest of a guest's token. It begins with the time of the token, so that new guests are stored beside each other.
pub type GuestDigest = [u8; 32];

/// The bytes of the time in a guest's token, milliseconds, and all bytes before its MAC.
const TIME: usize = 6;
const GUEST_BODY: usize = TIME + 20;
/// The same of tokens that have no time, which were created before there was one.
const GUEST_BODY_WITHOUT_TIME: usize = 24;

impl GuestToken {
    /// Creates a token from the time and random bits.
    pub fn new(now: Timestamp, random: [u8; GUEST_BODY - TIME], ring: &KeyRing) -> Self {
        let time = now.as_millisecond().to_be_bytes();
        let body = [&time[time.len() - TIME..], &random[..]].concat();
        let mac = ring.mac(Purpose::Token, &body);
        let text = format!("{GUEST_PREFIX}{}", URL_SAFE_NO_PAD.encode([&body[..], &mac[..]].concat()));
        let digest = digest_after_time(&body, &text);
        Self { text, digest }
    }
}

/// The digest of a guest's token that this server created. Returns `None` for anything else.
pub fn guest_digest(text: &str, ring: &KeyRing) -> Option<GuestDigest> {
    let encoded = text.strip_prefix(GUEST_PREFIX)?;
    match authenticated(encoded, GUEST_BODY, ring) {
        Some(body) => Some(digest_after_time(&body, text)),
        None => authenticated(encoded, GUEST_BODY_WITHOUT_TIME, ring).map(|_| digest(text)),
    }
}

fn digest_after_time(body: &[u8], text: &str) -> GuestDigest {
    let mut digest = digest(text);
    digest[..TIME].copy_from_slice(&body[..TIME]);
    digest
}

/// The digest of an opaque token, which is stored instead of the token.
pub fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// The body of an opaque token, if any secret of the ring authenticates it.
fn authenticated(text: &str, length: usize, ring: &KeyRing) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| bytes.len() == length + 32)?;
    let (body, mac) = bytes.split_at(length);
    let right = ring.macs(Purpose::Token, body).any(|(_, expected)| bool::from(expected.ct_eq(mac)));
    right.then(|| body.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn ring() -> KeyRing {
        let folder = tempfile::tempdir().expect("a folder");
        KeyRing::open(folder.path(), &Clock::system()).expect("a key ring")
    }

    #[test]
    fn digests_of_guests_tokens_are_in_the_order_of_their_times() {
        let ring = ring();
        let at = |second: i64, random: u8| {
            let now = Timestamp::from_second(second).expect("a time");
            GuestToken::new(now, [random; 20], &ring)
        };
        let tokens = [at(1_000, 9), at(1_001, 1), at(1_256, 5), at(200_000_000, 2)];
        assert!(tokens.is_sorted_by(|one, next| one.digest < next.digest));
        assert_ne!(at(1_000, 9).digest, at(1_000, 8).digest);
        for token in tokens {
            assert_eq!(guest_digest(&token.text, &ring), Some(token.digest));
        }
    }

    #[test]
    fn a_guests_token_without_a_time_is_valid() {
        let ring = ring();
        let random = [7; 24];
        let body = [&random[..], &ring.mac(Purpose::Token, &random)[..]].concat();
        let text = format!("{GUEST_PREFIX}{}", URL_SAFE_NO_PAD.encode(&body));
        assert_eq!(guest_digest(&text, &ring), Some(digest(&text)));
        let other = format!("{GUEST_PREFIX}{}", URL_SAFE_NO_PAD.encode(&body[1..]));
        assert_eq!(guest_digest(&other, &ring), None);
    }
}
