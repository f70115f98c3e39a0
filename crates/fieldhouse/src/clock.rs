//! The only place where the command-line tool reads the clock.

use jiff::Timestamp;

/// The time now.
#[expect(clippy::disallowed_methods, reason = "time is an argument, and this is where it comes from")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
