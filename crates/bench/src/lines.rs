//! The lines of the table: each workload with its ratio, and whether the goal is met.

use crate::figures::{BY_HAND, FIELDHOUSE, LIMIT, Measured, Spread, find};
use crate::options::Engine;
use crate::workload::{Against, Goal, Workload};
use crate::workloads;

/// A line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The database.
    pub(crate) engine: Engine,
    /// What was measured.
    pub(crate) title: String,
    /// Responses a second.
    pub(crate) rate: Spread,
    /// The ratio that the goal is about, if what it is to was measured.
    pub(crate) ratio: Option<Spread>,
    /// What the ratio is to.
    pub(crate) basis: &'static str,
    /// Processor microseconds of a response.
    pub(crate) processor: f64,
    /// The median latency in microseconds.
    pub(crate) p50: f64,
    /// The 99th percentile of the latency in microseconds.
    pub(crate) p99: f64,
    /// Resident memory in megabytes.
    pub(crate) memory: f64,
    /// The goal, of Fieldhouse only.
    pub(crate) goal: Option<Goal>,
}

impl Line {
    /// Whether the goal is met.
    pub(crate) fn verdict(&self) -> &'static str {
        let (Some(ratio), Some(goal)) = (self.ratio, self.goal) else { return "" };
        match ratio.median {
            median if median >= goal.target => "target met",
            median if median >= goal.floor => "above floor",
            _ => "BELOW FLOOR",
        }
    }
}

/// The lines of what was measured, in its order.
pub(crate) fn lines(all: &[Measured]) -> Vec<Line> {
    all.iter().filter_map(|measured| line(measured, all)).collect()
}

fn line(measured: &Measured, all: &[Measured]) -> Option<Line> {
    let workload = workloads::named(&measured.workload)?;
    let is_own = measured.subject == FIELDHOUSE;
    let (other, basis) = if is_own { basis(workload, measured.engine) } else { (workload.limit, LIMIT) };
    let subject = match basis {
        LIMIT | BY_HAND => basis,
        _ => FIELDHOUSE,
    };
    let to = find(all, measured.engine, other, subject);
    let goal = match measured.engine {
        Engine::Sqlite => Some(workload.goal),
        Engine::Postgres => workload.postgres,
    };
    let title = match measured.subject.as_str() {
        FIELDHOUSE => workload.title.to_owned(),
        LIMIT => format!("  limit of {}", measured.workload),
        subject => format!("  {subject}: {}", measured.workload),
    };
    Some(Line {
        engine: measured.engine,
        title,
        rate: measured.spread(|run| run.rate),
        ratio: to.filter(|to| !std::ptr::eq(*to, measured)).map(|to| measured.ratio(to)),
        basis,
        processor: measured.spread(|run| run.processor).median,
        p50: measured.spread(|run| run.p50).median,
        p99: measured.spread(|run| run.p99).median,
        memory: measured.spread(|run| run.memory).median,
        goal: goal.filter(|_| is_own),
    })
}

/// What the ratio of a workload is to: the name of the workload and of the subject.
fn basis(workload: &Workload, engine: Engine) -> (&'static str, &'static str) {
    match (workload.against, engine) {
        (Against::Workload(other), _) => (other, other),
        (Against::Limit, Engine::Sqlite) => (workload.limit, LIMIT),
        (Against::Limit, Engine::Postgres) => (workload.name, BY_HAND),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::tests::measured;

    #[test]
    fn a_ratio_is_to_the_limit_of_the_same_bytes_or_to_another_workload() {
        let all = [
            measured("list", LIMIT, &[100.0]),
            measured("list-cached", FIELDHOUSE, &[70.0]),
            measured("list-one", FIELDHOUSE, &[40.0]),
            measured("list-small", FIELDHOUSE, &[30.0]),
        ];
        let lines = lines(&all);
        let ratios: Vec<_> = lines.iter().map(|line| line.ratio.map(|ratio| ratio.median)).collect();
        assert_eq!(ratios, [None, Some(0.7), Some(0.4), Some(0.75)]);
        let verdicts: Vec<_> = lines.iter().map(Line::verdict).collect();
        assert_eq!(verdicts, ["", "above floor", "target met", "BELOW FLOOR"]);
    }
}
