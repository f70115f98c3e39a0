//! The load: one run of wrk, and what it prints.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::output;

/// Sends POST requests, each with a number of its own in the body.
const POST: &str = r#"
local body, tag
local count = 0
function init(arguments) body, tag = arguments[1], arguments[2] end
function request()
  count = count + 1
  return wrk.format("POST", nil, nil, (body:gsub("%%s", tag .. count)))
end
"#;

/// What one run showed.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    requests: f64,
    requests_a_second: f64,
    processor_microseconds: f64,
    p50: f64,
    p99: f64,
}

impl Figures {
    /// With the processor time that the server used, in microseconds.
    pub(super) fn with_processor_time(self, used: f64) -> Self {
        Self { processor_microseconds: used / self.requests, ..self }
    }
}

/// Runs wrk with 32 connections. `body` is that of a POST, with the start of the number that takes the place of `%s`.
pub(super) fn load(
    url: &str,
    headers: &[String],
    body: Option<(&str, String)>,
    seconds: u32,
) -> Result<Figures> {
    let script = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("wrk");
    command
        .args(["--threads", "1", "--connections", "32", "--latency"])
        .arg(format!("--duration={seconds}s"));
    for header in headers {
        command.args(["--header", header]);
    }
    if body.is_some() {
        fs::write(&script, POST)?;
        command.arg("--script").arg(script.path());
    }
    command.arg(url);
    if let Some((body, tag)) = body {
        command.args(["--", body, &tag]);
    }
    let printed = output(&mut command)?;
    ensure!(!printed.contains("Non-2xx"), "not every response was a success:\n{printed}");
    Ok(Figures {
        requests: number_before(&printed, " requests in ")?,
        requests_a_second: number_after(&printed, "Requests/sec:")?,
        processor_microseconds: 0.0,
        p50: milliseconds(&printed, "50%")?,
        p99: milliseconds(&printed, "99%")?,
    })
}

fn number_after(text: &str, label: &str) -> Result<f64> {
    let after = text.split(label).nth(1).and_then(|after| after.split_whitespace().next());
    Ok(after.with_context(|| format!("wrk printed no {label}"))?.parse()?)
}

fn number_before(text: &str, label: &str) -> Result<f64> {
    let before = text.split(label).next().and_then(|before| before.split_whitespace().last());
    Ok(before.with_context(|| format!("wrk printed no {label}"))?.parse()?)
}

fn milliseconds(text: &str, label: &str) -> Result<f64> {
    let lines = text.lines().map(str::trim_start);
    let time = lines.filter_map(|line| line.strip_prefix(label)).map(str::trim).next();
    let time = time.with_context(|| format!("wrk printed no {label}"))?;
    let scale = |unit: &str, by: f64| {
        time.strip_suffix(unit).and_then(|number| number.parse::<f64>().ok()).map(|it| it * by)
    };
    scale("us", 0.001)
        .or_else(|| scale("ms", 1.0))
        .or_else(|| scale("s", 1000.0))
        .context("wrk printed no time")
}

/// Prints the medians of each workload's rounds. The ratio is to the first workload, which is plain axum.
pub(super) fn report(measured: &[(String, Vec<Figures>)]) {
    let median = |figures: &[Figures], figure: fn(&Figures) -> f64| {
        let mut all: Vec<f64> = figures.iter().map(figure).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    let width = measured.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    println!(
        "{:width$} {:>10} {:>7} {:>9} {:>9} {:>9}",
        "", "requests/s", "ratio", "CPU µs", "p50 ms", "p99 ms"
    );
    let limit = measured.first().map(|(_, figures)| median(figures, |figures| figures.requests_a_second));
    for (name, figures) in measured {
        let rate = median(figures, |figures| figures.requests_a_second);
        println!(
            "{name:width$} {rate:>10.0} {:>7.3} {:>9.1} {:>9.2} {:>9.2}",
            rate / limit.unwrap_or(f64::NAN),
            median(figures, |figures| figures.processor_microseconds),
            median(figures, |figures| figures.p50),
            median(figures, |figures| figures.p99),
        );
    }
}
