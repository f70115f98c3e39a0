//! Rate limits: each key, user, organization and anonymous address has a bucket that refills continuously (GCRA). Sign-in, refresh and
//! guest creation have separate buckets by address, so that none can use up the others.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use bytes::Bytes;
use dashmap::DashMap;
use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, UserId};
use fieldhouse_store::Caller;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::ShrinkableKeyedStateStore;
use governor::state::{InMemoryState, NotKeyed, StateStore};
use governor::{Quota, RateLimiter};

use crate::failure::Failure;

/// The limits, in requests a minute unless they say something else.
#[derive(Clone, Copy, Debug)]
pub struct LimitOptions {
    /// An API key.
    pub key: NonZeroU32,
    /// A user, with all their sessions and keys.
    pub user: NonZeroU32,
    /// An organization, with all its users.
    pub organization: NonZeroU32,
    /// An address without a credential, for everything except the following.
    pub address: NonZeroU32,
    /// Sign-ins from an address.
    pub sign_in: NonZeroU32,
    /// Session refreshes from an address.
    pub refresh: NonZeroU32,
    /// Guests created from an address, in an hour.
    pub guests: NonZeroU32,
    /// The bytes of responses that are kept in memory; 0 for none.
    pub cache_bytes: u64,
    /// Whether verified callers are kept in memory. Tests compare with a server that keeps none.
    pub keeps_callers: bool,
}

impl Default for LimitOptions {
    fn default() -> Self {
        let some = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        Self {
            key: some(1200),
            user: some(2400),
            organization: some(30_000),
            address: some(600),
            sign_in: some(120),
            refresh: some(600),
            guests: some(20),
            cache_bytes: 48 << 20,
            keeps_callers: true,
        }
    }
}

/// What a request without a credential counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnonymousUse {
    /// A probe, which is not counted: it must not be refused because of other requests.
    Probe,
    /// A sign-in, or another request that checks, sets or mails a credential.
    SignIn,
    /// A session's refresh.
    Refresh,
    /// A guest's first save, which creates the guest.
    GuestCreation,
    /// Everything else.
    Other,
}

impl AnonymousUse {
    /// What a request without a credential counts as.
    pub fn of(operation: Operation, has_guest_token: bool) -> Self {
        match operation {
            Operation::Health | Operation::Ready => Self::Probe,
            Operation::AuthLogin
            | Operation::PasswordResetRequest
            | Operation::PasswordResetComplete
            | Operation::InvitationAccept
            | Operation::InvitationPageSubmit
            | Operation::PasswordResetPageSubmit
            | Operation::ForgotPasswordPageSubmit => Self::SignIn,
            Operation::AuthRefresh => Self::Refresh,
            Operation::FavoriteSave if !has_guest_token => Self::GuestCreation,
            _ => Self::Other,
        }
    }
}

/// The time in which a whole limit becomes available again.
#[derive(Clone, Copy, Debug)]
struct Window {
    seconds: u32,
    name: &'static str,
    quota: fn(NonZeroU32) -> Quota,
}

const MINUTE: Window = Window { seconds: 60, name: "minute", quota: Quota::per_minute };
const HOUR: Window = Window { seconds: 3600, name: "hour", quota: Quota::per_hour };

/// The bucket of one caller. Its holder need not look it up again.
#[derive(Clone, Default)]
struct Bucket(Arc<InMemoryState>);

impl PartialEq for Bucket {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Bucket {}

impl Hash for Bucket {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// The buckets of one kind by whom they belong to.
struct ByOwner<K: Eq + Hash>(Arc<DashMap<K, Bucket>>);

/// The limiter gets buckets that were looked up before.
impl<K: Eq + Hash> StateStore for ByOwner<K> {
    type Key = Bucket;

    fn measure_and_replace<T, F, E>(&self, bucket: &Bucket, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        bucket.0.measure_and_replace(&NotKeyed::NonKey, measure)
    }
}

impl<K: Eq + Hash> ShrinkableKeyedStateStore<Bucket> for ByOwner<K> {
    /// Keeps buckets that are held elsewhere, because a second one of the same owner would double the limit.
    fn retain_recent(&self, full: Nanos) {
        self.0.retain(|_, bucket| {
            let state = bucket.0.measure_and_replace(&NotKeyed::NonKey, Err::<((), Nanos), _>);
            Arc::strong_count(&bucket.0) > 1 || state.is_err_and(|state| state > Some(full))
        });
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

type Limiter<K> = RateLimiter<Bucket, ByOwner<K>, DefaultClock, StateInformationMiddleware>;

/// The buckets of one kind of caller.
struct Buckets<K: Eq + Hash> {
    by_owner: Arc<DashMap<K, Bucket>>,
    limiter: Limiter<K>,
    policy: Arc<Policy>,
}

/// The buckets that count the requests of a caller with a valid credential.
#[derive(Clone)]
pub struct CallerBuckets {
    key: Option<Bucket>,
    user: Bucket,
    organization: Bucket,
}

/// What is the same for all buckets of a kind.
#[derive(Debug)]
struct Policy {
    name: &'static str,
    limit: NonZeroU32,
    window: Window,
    /// The headers that depend on nothing else, and the start of the one that does.
    header: HeaderValue,
    max_header: HeaderValue,
    status_start: String,
}

/// The buckets of all callers.
pub struct Limits {
    keys: Buckets<ApiKeyId>,
    users: Buckets<UserId>,
    organizations: Buckets<OrganizationId>,
    addresses: Buckets<Option<IpAddr>>,
    sign_ins: Buckets<Option<IpAddr>>,
    refreshes: Buckets<Option<IpAddr>>,
    guests: Buckets<Option<IpAddr>>,
}

/// The rate limit status of a caller: the bucket with the least left.
#[derive(Clone, Debug)]
pub struct RateLimitStatus {
    policy: Arc<Policy>,
    remaining: u32,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    fn new(name: &'static str, limit: NonZeroU32, window: Window) -> Self {
        let header = format!("\"{name}\";q={limit};w={}", window.seconds);
        let header = HeaderValue::try_from(header).unwrap_or(HeaderValue::from_static(""));
        let (max_header, status_start) = (HeaderValue::from(limit.get()), format!("\"{name}\";r="));
        let policy = Policy { name, limit, window, header, max_header, status_start };
        let by_owner = Arc::<DashMap<K, Bucket>>::default();
        let store = ByOwner(by_owner.clone());
        let limiter = RateLimiter::new((window.quota)(limit), store, DefaultClock::default());
        Self { by_owner, limiter, policy: Arc::new(policy) }
    }

    /// The bucket of an owner.
    fn of(&self, owner: &K) -> Bucket {
        if let Some(bucket) = self.by_owner.get(owner) {
            return bucket.clone();
        }
        self.by_owner.entry(owner.clone()).or_default().clone()
    }

    /// Takes one from a bucket.
    fn take(&self, bucket: &Bucket) -> Result<RateLimitStatus, Failure> {
        let status = |remaining| RateLimitStatus { policy: self.policy.clone(), remaining };
        match self.limiter.check_key(bucket) {
            Ok(state) => Ok(status(state.remaining_burst_capacity())),
            Err(not_until) => {
                let wait = not_until.wait_time_from(self.limiter.clock().now()).as_secs() + 1;
                let Policy { name, limit, window, .. } = &*self.policy;
                let detail = format!(
                    "The limit of {limit} requests per {} for this {name} is used up. Wait {}.",
                    window.name,
                    seconds(wait)
                );
                let failure =
                    Failure::new(Code::RateLimited, detail).header(header::RETRY_AFTER, wait.to_string());
                let headers = status(0).headers().into_iter();
                Err(headers.fold(failure, |failure, (name, value)| failure.header(name, value)))
            }
        }
    }
}

impl Limits {
    /// Creates full buckets.
    pub fn new(options: LimitOptions) -> Self {
        Self {
            keys: Buckets::new("key", options.key, MINUTE),
            users: Buckets::new("user", options.user, MINUTE),
            organizations: Buckets::new("organization", options.organization, MINUTE),
            addresses: Buckets::new("address", options.address, MINUTE),
            sign_ins: Buckets::new("sign-in", options.sign_in, MINUTE),
            refreshes: Buckets::new("refresh", options.refresh, MINUTE),
            guests: Buckets::new("guest-creation", options.guests, HOUR),
        }
    }

    /// The buckets of a caller.
    pub fn of(&self, caller: &Caller) -> CallerBuckets {
        CallerBuckets {
            key: caller.key().map(|(key, _)| self.keys.of(&key)),
            user: self.users.of(&caller.user()),
            organization: self.organizations.of(&caller.organization()),
        }
    }

    /// Counts a request with a valid credential: first in the smallest bucket, so that requests refused for a key do not count for its user
    /// and organization.
    pub fn count(&self, caller: &CallerBuckets) -> Result<RateLimitStatus, Failure> {
        let key = caller.key.as_ref().map(|key| self.keys.take(key)).transpose()?;
        let user = self.users.take(&caller.user)?;
        let rate_limit = self.organizations.take(&caller.organization)?.with_less_left(user);
        Ok(match key {
            Some(key) => rate_limit.with_less_left(key),
            None => rate_limit,
        })
    }

    /// Counts a request without a credential. Returns `None` if it is not counted.
    pub fn count_anonymous(
        &self,
        address: Option<IpAddr>,
        counted_as: AnonymousUse,
    ) -> Result<Option<RateLimitStatus>, Failure> {
        let buckets = match counted_as {
            AnonymousUse::Probe => return Ok(None),
            AnonymousUse::SignIn => &self.sign_ins,
            AnonymousUse::Refresh => &self.refreshes,
            AnonymousUse::GuestCreation => &self.guests,
            AnonymousUse::Other => &self.addresses,
        };
        buckets.take(&buckets.of(&address.map(network))).map(Some)
    }

    /// Removes full buckets, which are the same as none.
    pub fn remove_full_buckets(&self) {
        self.keys.limiter.retain_recent();
        self.users.limiter.retain_recent();
        self.organizations.limiter.retain_recent();
        for buckets in [&self.addresses, &self.sign_ins, &self.refreshes, &self.guests] {
            buckets.limiter.retain_recent();
        }
    }
}

/// A number of seconds, in words.
pub(crate) fn seconds<N: Copy + fmt::Display + PartialEq + From<u8>>(count: N) -> String {
    if count == N::from(1) { "1 second".to_owned() } else { format!("{count} seconds") }
}

/// The network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177), because subscribers choose the rest.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATUS: HeaderName = HeaderName::from_static("ratelimit");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

impl RateLimitStatus {
    fn with_less_left(self, other: Self) -> Self {
        let part = |status: &Self| f64::from(status.remaining) / f64::from(status.policy.limit.get());
        if part(&other) < part(&self) { other } else { self }
    }

    /// The rate limit headers: those of the IETF draft, version 10, and the older ones.
    fn headers(self) -> [(HeaderName, HeaderValue); 5] {
        let Self { policy, remaining } = self;
        let limit = u64::from(policy.limit.get());
        let refill = (limit - u64::from(remaining).min(limit)) * u64::from(policy.window.seconds) / limit;
        // One buffer has all three: the numbers are parts of the status.
        let (mut one, mut other) = (itoa::Buffer::new(), itoa::Buffer::new());
        let (remaining, refill) = (one.format(remaining), other.format(refill));
        let status = Bytes::from([&policy.status_start, remaining, ";t=", refill].concat());
        let start = policy.status_start.len();
        let value =
            |bytes: Bytes| HeaderValue::from_maybe_shared(bytes).unwrap_or(HeaderValue::from_static(""));
        let remaining = value(status.slice(start..start + remaining.len()));
        let refill = value(status.slice(status.len() - refill.len()..));
        let status = value(status);
        [
            (POLICY, policy.header.clone()),
            (STATUS, status),
            (LIMIT, policy.max_header.clone()),
            (REMAINING, remaining),
            (RESET, refill),
        ]
    }

    /// Adds the headers to a response.
    pub fn add_to(self, headers: &mut HeaderMap) {
        for (name, value) in self.headers() {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_share_a_bucket() {
        let one = NonZeroU32::MIN;
        let limits = Limits::new(LimitOptions { address: one, ..LimitOptions::default() });
        let allows =
            |address: &str| limits.count_anonymous(address.parse().ok(), AnonymousUse::Other).is_ok();
        assert!(allows("2001:db8:1:2:3:4:5:6") && !allows("2001:db8:1:2:ffff::1"));
        assert!(allows("2001:db8:1:3:3:4:5:6") && allows("192.0.2.1") && allows("192.0.2.2"));
    }

    #[test]
    fn a_bucket_is_removed_once_it_is_full_and_held_by_no_one() {
        let hour = NonZeroU32::new(1).expect("a limit");
        let buckets: Buckets<u8> = Buckets::new("test", hour, HOUR);
        let (held, used) = (buckets.of(&1), buckets.of(&2));
        drop(buckets.of(&3));
        assert!(buckets.take(&held).is_ok() && buckets.take(&used).is_ok());
        drop(used);
        buckets.limiter.retain_recent();
        let mut kept: Vec<u8> = buckets.by_owner.iter().map(|entry| *entry.key()).collect();
        kept.sort_unstable();
        assert_eq!(kept, [1, 2], "a used bucket is not full, and a held one stays");
        assert!(buckets.take(&buckets.of(&1)).is_err(), "it is the same bucket");
        let fast: Buckets<u8> = Buckets::new("test", NonZeroU32::MAX, MINUTE);
        let held = fast.of(&1);
        assert!(fast.take(&held).is_ok() && fast.take(&fast.of(&2)).is_ok());
        std::thread::sleep(std::time::Duration::from_millis(1));
        fast.limiter.retain_recent();
        assert_eq!(fast.by_owner.len(), 1, "full again, but one is held");
        assert!(fast.of(&1) == held);
    }
}
