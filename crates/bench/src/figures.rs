//! Figures: what one run measured, and the median and spread of several.

use serde::{Deserialize, Serialize};

use crate::options::Engine;

/// What one run measured of a server.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// Responses a second.
    pub(crate) rate: f64,
    /// Processor time of the server's process for each response, in microseconds; 0 if it is not known.
    pub(crate) processor: f64,
    /// The median latency in microseconds.
    pub(crate) p50: f64,
    /// The 99th percentile of the latency in microseconds.
    pub(crate) p99: f64,
    /// Resident memory of the server's process afterwards, in megabytes; 0 if it is not known.
    pub(crate) memory: f64,
}

/// The runs of one kind of request against one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The database.
    pub(crate) engine: Engine,
    /// The workload's name.
    pub(crate) workload: String,
    /// What was measured: [`FIELDHOUSE`], [`LIMIT`], [`BY_HAND`] or a peer.
    pub(crate) subject: String,
    /// One run of each round.
    pub(crate) rounds: Vec<Figures>,
}

/// Fieldhouse.
pub(crate) const FIELDHOUSE: &str = "fieldhouse";
/// The limit.
pub(crate) const LIMIT: &str = "limit";
/// The same statements by hand.
pub(crate) const BY_HAND: &str = "by hand";

/// The median, the minimum and the maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// The median.
    pub(crate) median: f64,
    /// The minimum.
    pub(crate) min: f64,
    /// The maximum.
    pub(crate) max: f64,
}

impl Spread {
    /// Of some values; `NaN` if there is none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |at: usize| values.get(at).copied().unwrap_or(f64::NAN);
        let middle = values.len() / 2;
        let median = if values.len().is_multiple_of(2) {
            f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
        } else {
            at(middle)
        };
        Self { median, min: at(0), max: at(values.len().wrapping_sub(1)) }
    }
}

impl Measured {
    /// The spread of a figure over the rounds.
    pub(crate) fn spread(&self, figure: fn(&Figures) -> f64) -> Spread {
        Spread::of(self.rounds.iter().map(figure))
    }

    /// The spread of the ratio to others, round by round.
    pub(crate) fn ratio(&self, to: &Self) -> Spread {
        Spread::of(self.rounds.iter().zip(&to.rounds).map(|(own, other)| own.rate / other.rate))
    }
}

/// The runs of a workload against a subject.
pub(crate) fn find<'a>(
    all: &'a [Measured],
    engine: Engine,
    workload: &str,
    subject: &str,
) -> Option<&'a Measured> {
    all.iter().find(|one| one.engine == engine && one.workload == workload && one.subject == subject)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Runs with these rates.
    pub(crate) fn measured(workload: &str, subject: &str, rates: &[f64]) -> Measured {
        let run =
            |rate: &f64| Figures { rate: *rate, processor: 1e6 / rate, p50: 1.0, p99: 2.0, memory: 3.0 };
        let rounds = rates.iter().map(run).collect();
        Measured {
            engine: Engine::Sqlite,
            workload: workload.to_owned(),
            subject: subject.to_owned(),
            rounds,
        }
    }

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_middle_ones() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Spread { median: 2.0, min: 1.0, max: 3.0 });
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), Spread { median: 2.5, min: 1.0, max: 4.0 });
        assert_eq!(Spread::of([7.0]), Spread { median: 7.0, min: 7.0, max: 7.0 });
        assert!(Spread::of([]).median.is_nan());
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        let own = measured("list", FIELDHOUSE, &[50.0, 10.0, 100.0]);
        let limit = measured("list", LIMIT, &[100.0, 20.0, 100.0]);
        assert_eq!(own.ratio(&limit), Spread { median: 0.5, min: 0.5, max: 1.0 });
    }
}
