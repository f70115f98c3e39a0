//! Where a server spends its time: `perf record` on its process, folded into one line for each stack.
//!
//! The files can be read by `flamegraph.pl`, inferno and speedscope.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::{field, tools};

/// Samples a second.
const FREQUENCY: &str = "399";

/// A running recording.
pub(crate) struct Recorder {
    perf: Child,
    data: PathBuf,
    folded: PathBuf,
}

impl Recorder {
    /// Records a process for some seconds.
    pub(crate) fn start(process: u32, name: &str, seconds: u32) -> Result<Self> {
        tools::require("perf", "linux-perf")?;
        let root = field::root()?;
        let (data, folded) = (root.join(format!("{name}.perf")), root.join(format!("{name}.folded")));
        let perf = Command::new("perf")
            .args(["record", "--quiet", "--freq", FREQUENCY, "--call-graph", "dwarf,16384"])
            .args(["--pid", &process.to_string(), "--output"])
            .arg(&data)
            .args(["--", "sleep", &seconds.to_string()])
            .stdin(Stdio::null())
            .spawn()
            .context("cannot start perf")?;
        Ok(Self { perf, data, folded })
    }

    /// Waits for the end, and writes the folded stacks.
    pub(crate) fn finish(mut self) -> Result<()> {
        let status = self.perf.wait()?;
        ensure!(
            status.success(),
            "perf ended with {status}; it needs kernel.perf_event_paranoid <= 1 or root"
        );
        let mut script = Command::new("perf");
        let script =
            script.args(["script", "--no-inline", "--fields", "comm,ip,sym", "--input"]).arg(&self.data);
        fs::write(&self.folded, fold(&tools::output(script)?))?;
        fs::remove_file(&self.data)?;
        Ok(())
    }
}

/// Counts equal stacks of `perf script`: `program;outermost;...;innermost count`, one a line.
fn fold(script: &str) -> String {
    let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
    for sample in script.split("\n\n") {
        let mut lines = sample.lines().filter(|line| !line.trim().is_empty());
        let Some(program) = lines.next() else { continue };
        let mut frames: Vec<&str> = lines.map(symbol).collect();
        frames.push(program.trim());
        frames.reverse();
        *stacks.entry(frames.join(";")).or_default() += 1;
    }
    let lines = stacks.iter().map(|(stack, count)| format!("{stack} {count}"));
    lines.chain([String::new()]).collect::<Vec<_>>().join("\n")
}

/// The symbol of a frame, whose line has an address first.
fn symbol(line: &str) -> &str {
    line.trim().split_once(' ').map_or("[unknown]", |(_, symbol)| symbol.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_counted_from_the_outermost_frame() {
        let one = "tokio-rt \n\t  7f1 read::<u8>\n\t  7f0 main\n\n";
        let script = format!("{one}{one}tokio-rt \n\t  7f0 main\n");
        assert_eq!(fold(&script), "tokio-rt;main 1\ntokio-rt;main;read::<u8> 2\n");
        assert_eq!(fold(""), "");
    }
}
