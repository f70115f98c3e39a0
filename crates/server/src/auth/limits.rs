//! Rate limits: each key, user, organization and anonymous address has a bucket that refills continuously (GCRA). Sign-in, refresh and
//! guest creation have separate buckets by address, so that none can use up the others.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, UserId};
use fieldhouse_store::Caller;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
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
    /// The bytes of responses that are kept in memory.
    pub cache_bytes: u64,
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
            cache_bytes: 64 << 20,
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
}

const MINUTE: Window = Window { seconds: 60, name: "minute" };
const HOUR: Window = Window { seconds: 3600, name: "hour" };

type Buckets<K> = RateLimiter<K, DashMapStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// The buckets of all callers.
pub struct Limits {
    options: LimitOptions,
    keys: Buckets<ApiKeyId>,
    users: Buckets<UserId>,
    organizations: Buckets<OrganizationId>,
    addresses: Buckets<Option<IpAddr>>,
    sign_ins: Buckets<Option<IpAddr>>,
    refreshes: Buckets<Option<IpAddr>>,
    guests: Buckets<Option<IpAddr>>,
    clock: DefaultClock,
}

/// The rate limit status of a caller: the bucket with the least left.
#[derive(Clone, Copy, Debug)]
pub struct RateLimitStatus {
    name: &'static str,
    limit: u32,
    remaining: u32,
    window: Window,
}

fn buckets<K: std::hash::Hash + Eq + Clone>(a_minute: NonZeroU32) -> Buckets<K> {
    RateLimiter::dashmap(Quota::per_minute(a_minute)).with_middleware()
}

impl Limits {
    /// Creates full buckets.
    pub fn new(options: LimitOptions) -> Self {
        Self {
            options,
            keys: buckets(options.key),
            users: buckets(options.user),
            organizations: buckets(options.organization),
            addresses: buckets(options.address),
            sign_ins: buckets(options.sign_in),
            refreshes: buckets(options.refresh),
            guests: RateLimiter::dashmap(Quota::per_hour(options.guests)).with_middleware(),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request with a valid credential: first in the smallest bucket, so that requests refused for a key do not count for its user
    /// and organization.
    pub fn count(&self, caller: &Caller) -> Result<RateLimitStatus, Failure> {
        let key = caller
            .key()
            .map(|(key, _)| self.take(&self.keys, &key, "key", (self.options.key, MINUTE)))
            .transpose()?;
        let user = self.take(&self.users, &caller.user(), "user", (self.options.user, MINUTE))?;
        let (id, max) = (caller.organization(), self.options.organization);
        let organization = self.take(&self.organizations, &id, "organization", (max, MINUTE))?;
        let rate_limit = organization.with_less_left(user);
        Ok(key.map_or(rate_limit, |key| rate_limit.with_less_left(key)))
    }

    /// Counts a request without a credential. Returns `None` if it is not counted.
    pub fn count_anonymous(
        &self,
        address: Option<IpAddr>,
        counted_as: AnonymousUse,
    ) -> Result<Option<RateLimitStatus>, Failure> {
        let (buckets, name, limit) = match counted_as {
            AnonymousUse::Probe => return Ok(None),
            AnonymousUse::SignIn => (&self.sign_ins, "sign-in", (self.options.sign_in, MINUTE)),
            AnonymousUse::Refresh => (&self.refreshes, "refresh", (self.options.refresh, MINUTE)),
            AnonymousUse::GuestCreation => (&self.guests, "guest-creation", (self.options.guests, HOUR)),
            AnonymousUse::Other => (&self.addresses, "address", (self.options.address, MINUTE)),
        };
        self.take(buckets, &address.map(network), name, limit).map(Some)
    }

    /// Removes full buckets, which are the same as none.
    pub fn remove_full_buckets(&self) {
        self.keys.retain_recent();
        self.users.retain_recent();
        self.organizations.retain_recent();
        for buckets in [&self.addresses, &self.sign_ins, &self.refreshes, &self.guests] {
            buckets.retain_recent();
        }
    }

    fn take<K: std::hash::Hash + Eq + Clone>(
        &self,
        buckets: &Buckets<K>,
        whose: &K,
        name: &'static str,
        (limit, window): (NonZeroU32, Window),
    ) -> Result<RateLimitStatus, Failure> {
        let status = |remaining| RateLimitStatus { name, limit: limit.get(), remaining, window };
        match buckets.check_key(whose) {
            Ok(state) => Ok(status(state.remaining_burst_capacity())),
            Err(not_until) => {
                let wait = not_until.wait_time_from(self.clock.now()).as_secs() + 1;
                let detail = format!(
                    "The limit of {limit} requests per {} for this {name} is used up. Wait {}.",
                    window.name,
                    seconds(wait)
                );
                let failure =
                    Failure::new(Code::RateLimited, detail).header(header::RETRY_AFTER, wait.to_string());
                Err(status(0)
                    .headers()
                    .into_iter()
                    .fold(failure, |failure, (name, value)| failure.header(name, value)))
            }
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

impl RateLimitStatus {
    fn with_less_left(self, other: Self) -> Self {
        let part = |rate_limit: Self| f64::from(rate_limit.remaining) / f64::from(rate_limit.limit);
        if part(other) < part(self) { other } else { self }
    }

    /// The rate limit headers: those of the IETF draft, version 10, and the older ones.
    fn headers(self) -> [(HeaderName, HeaderValue); 5] {
        let Self { name, limit, remaining, window: Window { seconds, .. } } = self;
        let refill = u64::from(limit - remaining.min(limit)) * u64::from(seconds) / u64::from(limit.max(1));
        let value = |text: String| HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("0"));
        [
            (HeaderName::from_static("ratelimit-policy"), value(format!("\"{name}\";q={limit};w={seconds}"))),
            (HeaderName::from_static("ratelimit"), value(format!("\"{name}\";r={remaining};t={refill}"))),
            (HeaderName::from_static("x-ratelimit-limit"), value(limit.to_string())),
            (HeaderName::from_static("x-ratelimit-remaining"), value(remaining.to_string())),
            (HeaderName::from_static("x-ratelimit-reset"), value(refill.to_string())),
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
}
