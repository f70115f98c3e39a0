//! How long to wait after failed sign-in attempts. Failures are counted for an account and a source (a subscriber's network), so that no
//! outsider can lock an account. A second count, of the account from all sources, slows only sources that have never signed in to it.

use jiff::{SignedDuration, Timestamp};

/// How long a failure counts.
pub const COUNTED: SignedDuration = SignedDuration::from_hours(24);
/// How long a source from which someone signed in stays known.
pub const KNOWN: SignedDuration = SignedDuration::from_hours(180 * 24);
/// The number of failures from a source without a wait.
const FREE: i64 = 3;
/// The maximum wait.
const LONGEST: SignedDuration = SignedDuration::from_mins(15);
/// The number of failures of an account from all sources after which unknown sources wait after each failure.
const OF_ACCOUNT: i64 = 100;

/// The attempts on an account, as one source sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Failures from this source since the last sign-in.
    pub failures: i64,
    /// The last of them.
    pub last_failed_at: Option<Timestamp>,
    /// Failures of the account from all sources within [`COUNTED`].
    pub of_account: i64,
    /// When someone last signed in to the account from this source.
    pub last_signed_in_at: Option<Timestamp>,
}

impl Attempts {
    /// When the next attempt is permitted. `None` if it is permitted now.
    pub fn wait_until(&self, now: Timestamp) -> Option<Timestamp> {
        let last = self.last_failed_at?;
        let ends = last.saturating_add(self.wait()).unwrap_or(Timestamp::MAX);
        (now.duration_since(last) < COUNTED && ends > now).then_some(ends)
    }

    /// The wait after the last failure: none for the first, then 1 second, and twice as long each time.
    fn wait(&self) -> SignedDuration {
        if self.last_signed_in_at.is_none() && self.of_account >= OF_ACCOUNT {
            return LONGEST;
        }
        let Ok(over) = u32::try_from(self.failures - FREE) else { return SignedDuration::ZERO };
        SignedDuration::from_secs(2_i64.saturating_pow(over)).min(LONGEST)
    }

    /// Whether a sign-in has something to record: failures to clear, or a source that is new or was last used more than a day ago.
    pub fn is_worth_noting(&self, now: Timestamp) -> bool {
        let is_fresh = self.last_signed_in_at.is_some_and(|last| now.duration_since(last) < COUNTED);
        self.failures > 0 || !is_fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_772_366_400 + second).expect("a time")
    }

    fn failed(failures: i64) -> Attempts {
        Attempts { failures, last_failed_at: Some(at(0)), of_account: failures, last_signed_in_at: None }
    }

    #[test]
    fn the_wait_doubles_after_three_failures_up_to_fifteen_minutes() {
        let seconds = |failures: i64| {
            failed(failures).wait_until(at(0)).map_or(0, |ends| ends.duration_since(at(0)).as_secs())
        };
        assert_eq!([1, 2, 3, 4, 5, 12, 13, 99].map(seconds), [0, 0, 1, 2, 4, 512, 900, 900]);
        assert_eq!(failed(3).wait_until(at(1)), None, "the wait is over");
        assert_eq!(failed(99).wait_until(at(COUNTED.as_secs())), None, "an old failure does not count");
        assert_eq!(Attempts::default().wait_until(at(0)), None);
    }

    #[test]
    fn failures_from_elsewhere_slow_only_unknown_sources_that_have_failed() {
        let attacked = Attempts { of_account: 10_000, ..Attempts::default() };
        assert_eq!(attacked.wait_until(at(0)), None, "the right password works at once, from anywhere");
        let once = Attempts { of_account: 10_000, ..failed(1) };
        assert_eq!(once.wait_until(at(1)), Some(at(900)));
        let known = Attempts { last_signed_in_at: Some(at(-60)), ..once };
        assert_eq!(known.wait_until(at(0)), None);
        assert_eq!(Attempts { of_account: 99, ..once }.wait_until(at(0)), None);
    }

    #[test]
    fn a_sign_in_is_recorded_if_it_changes_something() {
        let known = Attempts { last_signed_in_at: Some(at(0)), ..Attempts::default() };
        assert!(!known.is_worth_noting(at(60)));
        assert!(known.is_worth_noting(at(COUNTED.as_secs())));
        assert!(Attempts { failures: 1, ..known }.is_worth_noting(at(60)));
        assert!(Attempts::default().is_worth_noting(at(0)));
    }
}
