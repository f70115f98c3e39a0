//! The one place where time and randomness come from.

use fieldhouse_domain::Moment;
use jiff::Timestamp;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Tells the time and draws random bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// The time now.
    #[expect(clippy::disallowed_methods, reason = "the clock is where time comes from")]
    pub fn now(self) -> Timestamp {
        Timestamp::now()
    }

    /// A moment now, in which a command can run.
    pub fn moment(self) -> Moment {
        self.moment_at(self.now())
    }

    /// A moment at a time that was read before.
    pub fn moment_at(self, now: Timestamp) -> Moment {
        Moment::new(now, u128::from_be_bytes(self.random()))
    }

    /// Random bytes, fit for secrets.
    #[expect(clippy::disallowed_methods, reason = "the clock is where randomness comes from")]
    pub fn random<const N: usize>(self) -> [u8; N] {
        let mut bytes = [0; N];
        rand::rng().fill_bytes(&mut bytes);
        bytes
    }

    /// Random letters and digits, fit for a password: about 5.9 bits each.
    pub fn password(self, letters: usize) -> String {
        use rand::distr::{Alphanumeric, SampleString};
        Alphanumeric.sample_string(&mut StdRng::from_seed(self.random()), letters)
    }
}
