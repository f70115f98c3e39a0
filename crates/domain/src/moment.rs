//! The moment at which a command runs: its time, and the source of new ids.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use uuid::Uuid;

use crate::ids::Id;

/// The time at which a command runs and the source of its new ids. The same moment gives the same ids, so that a transaction that is run
/// again, or a simulation, repeats itself exactly.
#[derive(Debug)]
pub struct Moment {
    now: Timestamp,
    /// The time in its ids.
    dated: Timestamp,
    seed: u128,
    made: AtomicU64,
}

/// Random bits of a UUIDv7 (RFC 9562): 12 in `rand_a`, 62 in `rand_b`.
const RANDOM_BITS: u32 = 74;

impl Moment {
    /// Creates a moment at `now`, truncated to microseconds, whose ids come from 128 random bits.
    pub fn new(now: Timestamp, random: u128) -> Self {
        let now = whole_microseconds(now);
        // Leave the top bit free, so that counting up from the seed never wraps.
        Self { now, dated: now, seed: random & ((1 << (RANDOM_BITS - 1)) - 1), made: AtomicU64::new(0) }
    }

    /// The time at which the command runs, in whole microseconds.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A new id: a UUIDv7 of this moment. Ids of one moment ascend in the order of their creation (RFC 9562, section 6.2, method 2).
    pub fn id<I: Id>(&self) -> I {
        let random = self.seed + u128::from(self.made.fetch_add(1, Ordering::Relaxed));
        let millis = u128::try_from(self.dated.as_millisecond()).unwrap_or(0) & 0xffff_ffff_ffff;
        let (a, b) = (random >> 62 & 0xfff, random & ((1 << 62) - 1));
        I::from_uuid(Uuid::from_u128(millis << 80 | 0x7 << 76 | a << 64 | 0b10 << 62 | b))
    }

    /// A moment at `now` whose ids are dated at an earlier time, so that a simulation shows the ids that the execution creates.
    pub fn fixed(now: Timestamp, dated: Timestamp, random: u128) -> Self {
        Self { dated: whole_microseconds(dated), ..Self::new(now, random) }
    }

    /// The random bits of this moment at another time.
    pub fn at(self, now: Timestamp) -> Self {
        let now = whole_microseconds(now);
        Self { now, dated: now, ..self }
    }

    /// The same moment with the ids that it has created so far. Running the same command with it again creates the same ids.
    pub fn again(&self) -> Self {
        let made = AtomicU64::new(self.made.load(Ordering::Relaxed));
        Self { now: self.now, dated: self.dated, seed: self.seed, made }
    }
}

/// Truncates a time to microseconds, the stored precision.
pub fn whole_microseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GameId;

    #[test]
    fn ids_are_version_7_ascend_and_repeat() {
        let moment = Moment::new(Timestamp::from_second(1_700_000_000).expect("a time"), u128::MAX);
        let again = moment.again();
        let ids: Vec<GameId> = (0..1000).map(|_| moment.id()).collect();
        assert!(ids.is_sorted() && ids[0] != ids[999]);
        assert_eq!(ids[0].uuid().get_version_num(), 7);
        assert_eq!(ids[0].uuid().get_variant(), uuid::Variant::RFC4122);
        let repeated: Vec<GameId> = (0..1000).map(|_| again.id()).collect();
        assert_eq!(repeated, ids);
        assert_eq!(
            moment.again().id::<GameId>(),
            moment.id(),
            "ids that were created before are not repeated"
        );
    }
}
