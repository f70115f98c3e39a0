//! The only source of time and randomness.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fieldhouse_domain::Moment;
use jiff::{SignedDuration, Timestamp};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Returns the time and random bits. Cheap to clone: all clones of a held clock have the same time and one random sequence.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Held(Arc<Mutex<Held>>),
}

#[derive(Debug)]
struct Held {
    now: Timestamp,
    random: StdRng,
}

impl Clock {
    /// The system's clock, and randomness for secrets.
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stops until [`Clock::advance`] moves it, with random bits from a seed: the same calls give the same times and bits. Its
    /// bits can be predicted, so it must not be used by a server that others can reach.
    pub fn held(now: Timestamp, seed: u64) -> Self {
        let held = Held { now, random: StdRng::seed_from_u64(seed) };
        Self(Source::Held(Arc::new(Mutex::new(held))))
    }

    /// Moves a held clock forward, for all its clones.
    ///
    /// # Panics
    /// On the system's clock, which cannot be moved.
    pub fn advance(&self, by: SignedDuration) {
        match &self.0 {
            Source::System => panic!("the system's clock cannot be moved"),
            Source::Held(held) => {
                let mut held = lock(held);
                held.now = held.now.saturating_add(by).unwrap_or(Timestamp::MAX);
            }
        }
    }

    /// The current time.
    #[expect(clippy::disallowed_methods, reason = "the clock is where time comes from")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => Timestamp::now(),
            Source::Held(held) => lock(held).now,
        }
    }

    /// A moment for running a command now.
    pub fn moment(&self) -> Moment {
        self.moment_at(self.now())
    }

    /// A moment at a time that was read before.
    pub fn moment_at(&self, now: Timestamp) -> Moment {
        Moment::new(now, u128::from_be_bytes(self.random()))
    }

    /// Random bytes. Those of the system's clock are suitable for secrets.
    #[expect(clippy::disallowed_methods, reason = "the clock is where randomness comes from")]
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match &self.0 {
            Source::System => rand::rng().fill_bytes(&mut bytes),
            Source::Held(held) => lock(held).random.fill_bytes(&mut bytes),
        }
        bytes
    }

    /// Random letters and digits for a password: about 5.9 bits each.
    pub fn password(&self, letters: usize) -> String {
        use rand::distr::{Alphanumeric, SampleString};
        Alphanumeric.sample_string(&mut StdRng::from_seed(self.random()), letters)
    }
}

/// Ignores poisoning: a thread that panicked cannot have left a time or a generator half written.
fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Timestamp {
        Timestamp::from_second(1_700_000_000).expect("a time")
    }

    #[test]
    fn clones_of_a_held_clock_move_together() {
        let clock = Clock::held(start(), 1);
        let other = clock.clone();
        assert_eq!((clock.now(), other.now()), (start(), start()));
        clock.advance(SignedDuration::from_mins(10));
        assert_eq!(other.now(), start() + SignedDuration::from_mins(10));
        assert_ne!(clock.random::<16>(), other.random::<16>());
    }

    #[test]
    fn a_seed_determines_the_bits() {
        let drawn = |seed| {
            let clock = Clock::held(start(), seed);
            (clock.random::<32>(), clock.password(20), clock.moment().id::<fieldhouse_domain::ids::GameId>())
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1).0, drawn(2).0);
        assert_ne!(drawn(1).1, drawn(2).1);
        assert_ne!(drawn(1).2, drawn(2).2);
    }

    #[test]
    fn the_system_clock_runs_and_never_repeats_its_bits() {
        let clock = Clock::system();
        let first = clock.now();
        assert!(clock.now() >= first && first > start());
        assert_ne!(clock.random::<32>(), clock.random::<32>());
    }
}
