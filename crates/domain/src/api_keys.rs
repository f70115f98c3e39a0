//! API keys: their format, their record and their life cycle.
//!
//! A key is `fhk_`, a public id (10 base62 digits), a secret (43, 256 random bits) and a CRC-32 of the preceding characters (6). A
//! double-click selects all of it, a typo is refused without a database query, and secret scanners can match it.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::Moment;
use crate::Refusal;
use crate::effects::Effect;
use crate::ids::{ApiKeyId, UserId};
use crate::moment::whole_microseconds;
use crate::record::{Body, Record, enumeration};
use crate::roles::Role;
use crate::scopes::Scope;
use crate::text::Name;

/// The prefix of every key.
pub const PREFIX: &str = "fhk_";
/// The default lifetime of a key.
pub const DEFAULT_LIFE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// The maximum lifetime of a key.
pub const MAX_LIFE: SignedDuration = SignedDuration::from_hours(366 * 24);
/// The maximum number of active keys of a user in one organization.
pub const MAX_ACTIVE: usize = 100;

const PUBLIC: usize = 10;
const SECRET: usize = 43;
const CHECKSUM: usize = 6;

/// The raw text of a well-formed key. It is not `Debug`, so that it does not reach a log.
pub struct KeyText(String);

impl KeyText {
    /// Creates a key from 64 and 256 random bits.
    pub fn new(public: u64, secret: [u8; 32]) -> Self {
        let public = base62(&public.to_be_bytes(), 11);
        let mut text = format!("{PREFIX}{}{}", &public[public.len() - PUBLIC..], base62(&secret, SECRET));
        let sum = checksum(&text);
        text.extend(sum.map(char::from));
        Self(text)
    }

    /// Parses a key: checks its prefix, length, alphabet and checksum. Returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        if digits.len() != PUBLIC + SECRET + CHECKSUM || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        let (body, sum) = text.split_at(text.len() - CHECKSUM);
        (checksum(body) == sum.as_bytes()).then(|| Self(text.to_owned()))
    }

    /// The whole key.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The public id, by which the record is found.
    pub fn public_id(&self) -> &str {
        &self.0[PREFIX.len()..PREFIX.len() + PUBLIC]
    }

    /// The last four characters, which help people to tell keys apart.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

/// CRC-32 in base 62, which has at most six digits. Every request with a key computes it.
fn checksum(text: &str) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [ALPHABET[0]; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % 62];
        rest /= 62;
    }
    digits
}

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Writes a big-endian number in base 62 (0-9, A-Z, a-z) with at least `digits` digits.
fn base62(number: &[u8], digits: usize) -> String {
    let mut number = number.to_vec();
    let mut text = Vec::with_capacity(digits);
    while number.iter().any(|byte| *byte != 0) || text.len() < digits {
        let mut rest = 0;
        for byte in &mut number {
            let value = rest * 256 + usize::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            rest = value % 62;
        }
        text.push(char::from(ALPHABET[rest]));
    }
    text.iter().rev().collect()
}

enumeration! {
    /// What a key is for.
    ApiKeyKind {
        /// Scripts of its owner.
        Personal "personal",
        /// An agent. It can read, and can write only through changesets.
        Agent "agent",
    }
}

enumeration! {
    /// The status of a key.
    ApiKeyStatus {
        /// It can be used.
        Active "active",
        /// It has expired.
        Expired "expired",
        /// It was revoked.
        Revoked "revoked",
    }
}

/// An API key's record. The key itself is shown once and not stored.
#[derive(Clone, PartialEq, Record)]
#[record(table = "api_keys", alias = "k")]
pub struct ApiKey {
    /// The id.
    #[field(server)]
    pub id: ApiKeyId,
    /// The user who owns the key.
    #[field(server)]
    pub user_id: UserId,
    /// The name that its owner gave it.
    #[field(create_only)]
    pub name: Name,
    /// What it is for: `personal`, or `agent` for an agent, which can write only through changesets.
    #[field(create_only, default = ApiKeyKind::Personal)]
    pub kind: ApiKeyKind,
    /// The public id of the key.
    #[field(server)]
    pub public_id: String,
    /// Its last four characters.
    #[field(server)]
    pub last4: String,
    /// HMAC-SHA-256 of the key under the pepper.
    #[field(server, secret)]
    pub digest: [u8; 32],
    /// The pepper's id in the key ring.
    #[field(server)]
    pub pepper_id: String,
    /// The role that its owner had when it was issued.
    #[field(server)]
    pub role: Role,
    /// The scopes it is limited to, as `resource:read` or `resource:write`. If empty, it may do everything that its role permits; to create
    /// such a key, leave the field out.
    #[field(create_only, default = Vec::new(), min = 1, max = 50)]
    pub scopes: Vec<Scope>,
    /// The addresses it may be used from. If empty, any address; to create such a key, leave the field out.
    #[field(create_only, default = Vec::new(), min = 1, max = 50)]
    pub allowed_ips: Vec<IpAddr>,
    /// When it was issued.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it expires.
    #[field(server)]
    pub expires_at: Timestamp,
    /// When it was last used; updated at most once a minute.
    #[field(server, bookkeeping)]
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    #[field(server)]
    pub revoked_at: Option<Timestamp>,
    /// When the record last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

impl ApiKey {
    /// The status at `now`.
    pub fn status(&self, now: Timestamp) -> ApiKeyStatus {
        match self.revoked_at {
            Some(_) => ApiKeyStatus::Revoked,
            None if self.expires_at <= now => ApiKeyStatus::Expired,
            None => ApiKeyStatus::Active,
        }
    }
}

/// The fields of a new API key.
#[derive(Clone, Debug, PartialEq, Body)]
#[body(title = "ApiKeyCreate")]
pub struct IssueApiKey {
    /// The key's own fields.
    #[body(flatten)]
    pub key: NewApiKey,
    /// When it expires: by default in 90 days, at most in 366.
    pub expires_at: Option<Timestamp>,
}

/// A new key with its digest under the current pepper.
pub struct Minted {
    /// The raw key.
    pub text: KeyText,
    /// HMAC-SHA-256 of the text.
    pub digest: [u8; 32],
    /// The pepper's id in the key ring.
    pub pepper_id: String,
}

/// Issues a key to a user whose role is `role` now. `active` is the number of their active keys.
pub fn issue(
    moment: &Moment,
    user_id: UserId,
    role: Role,
    wanted: IssueApiKey,
    minted: &Minted,
    active: usize,
) -> Result<ApiKey, Refusal> {
    let now = moment.now();
    if active >= MAX_ACTIVE {
        return Err(Refusal::LimitReached(format!(
            "a user has at most {MAX_ACTIVE} active keys: revoke one first"
        )));
    }
    let latest = now.saturating_add(MAX_LIFE).unwrap_or(Timestamp::MAX);
    let default = || now.saturating_add(DEFAULT_LIFE).unwrap_or(latest);
    let expires_at = wanted.expires_at.map_or_else(default, whole_microseconds);
    let mut check = crate::refusal::Check::default();
    if expires_at <= now || expires_at > latest {
        check.refuse(
            "/expires_at",
            "out_of_range",
            "is not within the next 366 days",
            "Send a time within the next 366 days.",
        );
    }
    check.finish(Some(()))?;
    let NewApiKey { name, kind, mut scopes, allowed_ips } = wanted.key;
    scopes.sort_unstable_by_key(|scope| (scope.resource.name(), scope.verb));
    scopes.dedup();
    Ok(ApiKey {
        id: moment.id(),
        user_id,
        name,
        kind,
        public_id: minted.text.public_id().to_owned(),
        last4: minted.text.last4().to_owned(),
        digest: minted.digest,
        pepper_id: minted.pepper_id.clone(),
        role,
        scopes,
        allowed_ips,
        created_at: now,
        expires_at,
        last_used_at: None,
        revoked_at: None,
        updated_at: now,
        version: 1,
    })
}

/// Checks that a key may be revoked. `is_protected` says whether its owner has a higher role than the caller.
pub fn refuse_protected(is_protected: bool) -> Result<(), Refusal> {
    if is_protected {
        return Err(Refusal::Forbidden("the owner of this key has a higher role than you".to_owned()));
    }
    Ok(())
}

/// Revokes a key. Returns `None` if it has been revoked before.
pub fn revoke(moment: &Moment, key: ApiKey) -> Option<Effect> {
    let after = ApiKey { revoked_at: key.revoked_at.or(Some(moment.now())), ..key.clone() };
    Effect::update(moment, key, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Shared;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_key_parses_and_a_changed_character_is_refused(public: u64, secret: [u8; 32], at in 4usize..63) {
            let text = KeyText::new(public, secret).reveal().to_owned();
            prop_assert_eq!(text.len(), 63);
            prop_assert!(KeyText::parse(&text).is_some());
            let mut wrong = text.clone().into_bytes();
            wrong[at] = if wrong[at] == b'x' { b'y' } else { b'x' };
            prop_assert!(KeyText::parse(&String::from_utf8(wrong).expect("ascii")).is_none());
        }
    }

    #[test]
    fn base62_pads_and_keeps_every_bit() {
        assert_eq!(base62(&[0, 0], 4), "0000");
        assert_eq!(base62(&[255; 32], 43).len(), 43);
        assert_eq!(base62(&62u32.to_be_bytes(), 1), "10");
    }

    fn moment() -> Moment {
        Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), 7)
    }

    /// Issues a key with scopes, which expires after some seconds, to a user who has `active` ones.
    fn issued(scopes: &[&str], seconds: Option<i64>, active: usize) -> Result<ApiKey, Refusal> {
        let text = KeyText::new(1, [2; 32]);
        let minted = Minted { text, digest: [3; 32], pepper_id: "pepper-1".to_owned() };
        let scopes = scopes.iter().map(|scope| Scope::parse(scope).expect("a scope")).collect();
        let key = NewApiKey { scopes, ..NewApiKey::new(Name::parse("CI").expect("a name")) };
        let expires_at = seconds.map(|seconds| moment().now() + SignedDuration::from_secs(seconds));
        let wanted = IssueApiKey { key, expires_at };
        issue(&moment(), moment().id(), Role::Coach, wanted, &minted, active)
    }

    #[test]
    fn a_key_lives_90_days_by_default_and_at_most_366() {
        let life = |seconds| issued(&[], seconds, 0).map(|key| key.expires_at.duration_since(key.created_at));
        assert_eq!(life(None), Ok(DEFAULT_LIFE));
        assert_eq!(life(Some(MAX_LIFE.as_secs())), Ok(MAX_LIFE));
        assert_eq!(life(Some(1)), Ok(SignedDuration::from_secs(1)));
        for seconds in [MAX_LIFE.as_secs() + 1, 0, -1] {
            let Err(Refusal::Invalid(errors)) = life(Some(seconds)) else { panic!("{seconds}") };
            assert_eq!((errors[0].pointer.as_str(), errors[0].code), ("/expires_at", "out_of_range"));
        }
    }

    #[test]
    fn a_user_has_at_most_100_active_keys() {
        assert!(issued(&[], None, MAX_ACTIVE - 1).is_ok());
        assert!(matches!(issued(&[], None, MAX_ACTIVE), Err(Refusal::LimitReached(_))));
    }

    #[test]
    fn a_new_key_has_its_owners_role_and_each_scope_once() {
        let key = issued(&["venues:write", "games:read", "venues:write", "venues:read"], None, 0);
        let key = key.expect("a key");
        let scopes: Vec<_> = key.scopes.iter().map(ToString::to_string).collect();
        assert_eq!(scopes, ["games:read", "venues:read", "venues:write"]);
        assert_eq!((key.role, key.kind, key.revoked_at), (Role::Coach, ApiKeyKind::Personal, None));
        let text = KeyText::new(1, [2; 32]);
        assert_eq!((key.public_id.as_str(), key.last4.as_str()), (text.public_id(), text.last4()));
    }

    #[test]
    fn a_revoked_key_stays_revoked_and_a_key_has_expired_at_its_last_moment() {
        let key = issued(&[], Some(60), 0).expect("a key");
        let at = |seconds| moment().now() + SignedDuration::from_secs(seconds);
        assert_eq!([key.status(at(59)), key.status(at(60))], [ApiKeyStatus::Active, ApiKeyStatus::Expired]);
        let effect = revoke(&moment(), key).expect("it was active");
        let Some(crate::effects::AnyRecord::ApiKey(revoked)) = effect.after else { panic!("a key") };
        assert_eq!((revoked.revoked_at, revoked.version), (Some(moment().now()), 2));
        assert_eq!(revoked.status(at(60)), ApiKeyStatus::Revoked, "also after it would have expired");
        assert_eq!(revoke(&moment(), Shared::into_record(revoked)), None);
    }
}
