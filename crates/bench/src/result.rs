//! The result of a run: what was measured, and on which machine, as a file that a later run compares with.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use fieldhouse_server::Clock;
use serde::{Deserialize, Serialize};

use crate::figures::Measured;
use crate::tools;

/// A figure that is not a rate, such as the size of the binary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fact {
    /// What it is.
    pub(crate) name: String,
    /// The value.
    pub(crate) value: f64,
    /// The unit.
    pub(crate) unit: String,
    /// What it should be at most.
    pub(crate) target: Option<f64>,
}

impl Fact {
    /// A figure in a unit, and what it should be at most.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &str, target: Option<f64>) -> Self {
        Self { name: name.into(), value, unit: unit.to_owned(), target }
    }

    /// Whether the target is met.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.target {
            Some(target) if self.value <= target => "target met",
            Some(_) => "TARGET MISSED",
            None => "",
        }
    }
}

/// The machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    processor: String,
    processors: usize,
    memory_megabytes: u64,
    kernel: String,
}

/// The result of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The machine.
    pub(crate) machine: Machine,
    commit: String,
    date: String,
    seconds: u32,
    /// What was measured.
    pub(crate) measured: Vec<Measured>,
    /// The other figures.
    pub(crate) facts: Vec<Fact>,
}

impl Outcome {
    /// The result of a run on this machine of the program of a commit, with the seconds that each workload ran in a round.
    pub(crate) fn now(commit: String, seconds: u32, measured: Vec<Measured>, facts: Vec<Fact>) -> Self {
        let date = Clock::system().now().to_string();
        Self { machine: Machine::this(), commit, date, seconds, measured, facts }
    }

    /// Reads a file.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_slice(&text)
            .with_context(|| format!("{} is no result of a benchmark", file.display()))
    }

    /// What was measured, when and where, in one line.
    pub(crate) fn about(&self) -> String {
        let Machine { processor, processors, memory_megabytes, kernel } = &self.machine;
        let (commit, date) = (&self.commit, &self.date);
        format!("{commit}, {date}, {processors} x {processor}, {memory_megabytes} MB, Linux {kernel}")
    }
}

/// The commit of the files as they are now, which is read before anything is measured.
pub(crate) fn commit() -> String {
    let commit = tools::output(Command::new("git").args(["describe", "--always", "--dirty"]));
    commit.map(|text| text.trim().to_owned()).unwrap_or_default()
}

impl Machine {
    /// This machine, as far as Linux describes it.
    fn this() -> Self {
        let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let (cpu, memory) = (file("/proc/cpuinfo"), file("/proc/meminfo"));
        // Each process of PostgreSQL has a session of its own, so this setting decides how long they wait for each other.
        let autogroup = file("/proc/sys/kernel/sched_autogroup_enabled");
        let mut kernel = file("/proc/sys/kernel/osrelease").trim().to_owned();
        if !autogroup.is_empty() {
            kernel = format!("{kernel} with sched_autogroup_enabled={}", autogroup.trim());
        }
        let kilobytes =
            field(&memory, "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        Self {
            processor: field(&cpu, "model name").unwrap_or_default().to_owned(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_megabytes: kilobytes.unwrap_or_default() / 1024,
            kernel,
        }
    }
}

/// The value of the first line with a name before a colon.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = text.lines().find(|line| line.starts_with(name))?.split_once(':')?;
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_machine_are_read() {
        let text = "processor\t: 0\nmodel name\t: A processor\nMemTotal:       1024 kB\n";
        assert_eq!(field(text, "model name"), Some("A processor"));
        assert_eq!(field(text, "MemTotal"), Some("1024 kB"));
        assert_eq!(field(text, "flags"), None);
    }
}
