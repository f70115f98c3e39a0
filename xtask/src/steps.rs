//! Steps: the named and timed parts of a command, and the table of their times.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

/// The completed steps. `Display` prints the table of their times.
#[derive(Default)]
pub(crate) struct Steps {
    finished: Vec<Step>,
}

struct Step {
    name: &'static str,
    took: Duration,
    passed: bool,
}

impl Steps {
    /// Runs one step. If it fails, `advice` says what to do next.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        advice: &'static str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        println!("\n== {name}");
        let begun = Instant::now();
        let outcome = work();
        self.finished.push(Step { name, took: begun.elapsed(), passed: outcome.is_ok() });
        outcome.map_err(|error| anyhow!("{name} failed: {error:#}\n\n{advice}"))
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.finished.iter().map(|step| step.name.len()).max().unwrap_or(0);
        for Step { name, took, passed } in &self.finished {
            let verdict = if *passed { "" } else { "  FAILED" };
            writeln!(f, "{name:width$}  {:7.1} s{verdict}", took.as_secs_f64())?;
        }
        let total: Duration = self.finished.iter().map(|step| step.took).sum();
        write!(f, "{:width$}  {:7.1} s", "", total.as_secs_f64())
    }
}
