//! When a request is retried, and after how long. The decision is pure: randomness is an argument, and a date is compared with the
//! response's own `Date`.

use std::time::Duration;

use http::header::{DATE, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::errors::Error;
use crate::responses::RawResponse;

/// The wait before the first retry, before it is randomly shortened. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// How often and how long a client retries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retries {
    /// The maximum number of retries.
    pub(crate) most: u32,
    /// The maximum wait. If the server asks for a longer one, its response is returned at once.
    pub(crate) longest_wait: Duration,
}

/// Why an attempt failed, if a retry may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setback {
    /// No connection was made, so nothing was sent.
    NotSent,
    /// The connection was closed: the request may have been carried out.
    Disconnected,
    /// The server is busy. It may say how long to wait.
    Busy(Option<Duration>),
}

impl Setback {
    /// Classifies an outcome. A time-out is not retried: another wait of the same length would not help.
    pub(crate) fn of(outcome: &Result<RawResponse, Error>) -> Option<Self> {
        match outcome {
            Err(error) if error.is_unreachable() => Some(Self::NotSent),
            Err(Error::Transport(source)) if !source.is_timeout() => Some(Self::Disconnected),
            Ok(answer) if is_retryable(answer) => Some(Self::Busy(retry_after(&answer.headers))),
            _ => None,
        }
    }
}

/// For some limits 429 is permanent (`too_many_open`): their problem is not retryable.
fn is_retryable(answer: &RawResponse) -> bool {
    let busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&answer.status);
    busy && answer.problem().is_none_or(|problem| problem.retryable)
}

/// How long the server asks to wait (RFC 9110, section 10.2.3): seconds, or a date, which is compared with the response's own `Date`, so
/// that no clock has to be right.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let wait = date(text)?.duration_since(date(headers.get(DATE)?.to_str().ok()?)?);
    Some(Duration::try_from(wait).unwrap_or_default())
}

fn date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

impl Retries {
    /// The wait before the next attempt, or `None` if there should be none. `tried` is the number of retries so far; `repeatable` says that
    /// a second execution has no further effect; `chance` is any number.
    pub(crate) fn wait(
        self,
        tried: u32,
        repeatable: bool,
        setback: Setback,
        chance: u64,
    ) -> Option<Duration> {
        if tried >= self.most || !(repeatable || setback == Setback::NotSent) {
            return None;
        }
        match setback {
            Setback::Busy(Some(asked)) => (asked <= self.longest_wait).then_some(asked),
            _ => Some(self.back_off(tried, chance)),
        }
    }

    /// Between half of the doubled wait and all of it, so that clients that failed together do not retry together.
    fn back_off(self, tried: u32, chance: u64) -> Duration {
        let whole = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(tried)).min(self.longest_wait);
        let half = u64::try_from(whole.as_millis() / 2).unwrap_or(u64::MAX);
        whole.saturating_sub(Duration::from_millis(chance % (half + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRIES: Retries = Retries { most: 3, longest_wait: Duration::from_secs(30) };

    fn headers(pairs: &[(http::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), http::HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_safe_requests_are_retried_up_to_the_maximum() {
        for setback in [Setback::Disconnected, Setback::Busy(None)] {
            assert_eq!(RETRIES.wait(0, false, setback, 0), None, "{setback:?}");
            assert!(RETRIES.wait(2, true, setback, 0).is_some(), "{setback:?}");
            assert_eq!(RETRIES.wait(3, true, setback, 0), None, "{setback:?}");
        }
        assert!(RETRIES.wait(0, false, Setback::NotSent, 0).is_some(), "nothing was sent");
    }

    #[test]
    fn waits_double_and_are_shortened_by_half_at_most() {
        let wait = |tried, chance| {
            RETRIES.wait(tried, true, Setback::Disconnected, chance).expect("a wait").as_millis()
        };
        assert_eq!([wait(0, 0), wait(1, 0), wait(2, 0)], [200, 400, 800]);
        assert!((0..1000).all(|chance| (100..=200).contains(&wait(0, chance))));
        let patient = Retries { most: u32::MAX, ..RETRIES };
        let longest = patient.wait(40, true, Setback::Disconnected, 0);
        assert_eq!(longest, Some(RETRIES.longest_wait));
    }

    #[test]
    fn the_servers_wait_is_used_up_to_the_maximum() {
        let wait = |seconds| RETRIES.wait(0, true, Setback::Busy(Some(Duration::from_secs(seconds))), 7);
        assert_eq!(wait(7), Some(Duration::from_secs(7)));
        assert_eq!(wait(31), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = (DATE, "Sun, 06 Nov 1994 08:49:37 GMT");
        let later = (RETRY_AFTER, "Sun, 06 Nov 1994 08:49:42 GMT");
        assert_eq!(retry_after(&headers(&[(RETRY_AFTER, "2")])), Some(Duration::from_secs(2)));
        assert_eq!(retry_after(&headers(&[now.clone(), later.clone()])), Some(Duration::from_secs(5)));
        assert_eq!(retry_after(&headers(&[(DATE, later.1), (RETRY_AFTER, now.1)])), Some(Duration::ZERO));
        assert_eq!(retry_after(&headers(&[later])), None, "measured from nothing");
        assert_eq!(retry_after(&headers(&[now, (RETRY_AFTER, "soon")])), None);
    }
}
