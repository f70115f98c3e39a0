//! How long each operation takes on the demo's data: over HTTP, one request after another, in sessions of the demo's accounts.
//!
//! `cargo xtask bench operations` runs it with the ready files of one server on each engine. Every round creates its own records, and
//! removes most of them again.

mod accounts;
mod steps;

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use fieldhouse_api::Operation;
use fieldhouse_api::rows::IfMatch;
use fieldhouse_client::{Client, RawResponse};
use serde_json::Value;
use steps::{DEMO, ROUND, Step};

/// How often each operation runs.
const ROUNDS: usize = 60;
/// Rounds that are not counted.
const WARM_UP: usize = 3;

type Anyhow<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn main() -> Anyhow<()> {
    let mut measured = Vec::new();
    let mut engines = Vec::new();
    for argument in std::env::args().skip(1) {
        let (engine, ready) = argument.split_once('=').ok_or("ENGINE=READY_FILE is expected")?;
        measured.push(measure(&serde_json::from_slice(&std::fs::read(ready)?)?).await?);
        engines.push(engine.to_owned());
    }
    println!("Medians of {ROUNDS} runs, in milliseconds\n{}", line("", engines.into_iter()));
    for operation in Operation::ROUTES {
        let times = measured
            .iter()
            .map(|times| times.get(operation.id()).map_or("-".to_owned(), |times| median(times)));
        println!("{}", line(operation.id(), times));
    }
    Ok(())
}

fn line(name: &str, cells: impl Iterator<Item = String>) -> String {
    cells.fold(format!("{name:<34}"), |line, cell| format!("{line}{cell:>14}"))
}

fn median(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort();
    format!("{:.2}", times[times.len() / 2].as_secs_f64() * 1000.0)
}

async fn measure(ready: &Value) -> Anyhow<BTreeMap<&'static str, Vec<Duration>>> {
    let mut run = Run::default();
    for (role, (client, email, password)) in accounts::sign_in(ready).await? {
        run.known.extend([(format!("{role}_email"), email), (format!("{role}_password"), password)]);
        run.clients.insert(role, client);
    }
    for step in DEMO {
        run.step(step, false).await?;
    }
    for round in 0..WARM_UP + ROUNDS {
        run.known.insert("n".to_owned(), round.to_string());
        for step in ROUND {
            run.step(step, round >= WARM_UP).await?;
        }
    }
    Ok(run.times)
}

#[derive(Default)]
struct Run {
    clients: HashMap<String, Client>,
    /// What earlier steps found, by its name in the table.
    known: HashMap<String, String>,
    times: BTreeMap<&'static str, Vec<Duration>>,
}

impl Run {
    async fn step(&mut self, step: &Step, counted: bool) -> Anyhow<()> {
        let Step { by, operation, at, body, finds } = step;
        let row = operation.row().ok_or("an operation without HTTP")?;
        let at = self.filled(at);
        let (parameters, query) = at.split_once('?').unwrap_or((&at, ""));
        let mut path = row.path.to_owned();
        for parameter in parameters.split_whitespace() {
            let (start, end) = path.find('{').zip(path.find('}')).ok_or("no parameter in the path")?;
            path.replace_range(start..=end, parameter);
        }
        if !query.is_empty() {
            path = format!("{path}?{query}");
        }
        let mut request = self.clients[*by].request::<Value>(row.method.name().parse()?, &path);
        if !body.is_empty() {
            request = request.body(&serde_json::from_str::<Value>(&self.filled(body))?);
        }
        if row.if_match == IfMatch::Required {
            request = request.header("if-match", "*");
        }
        let started = Instant::now();
        let response = request.send_raw().await?;
        let elapsed = started.elapsed();
        if !response.status.is_success() {
            return Err(format!("{} {path}: {}", operation.id(), text(&response)).into());
        }
        if counted {
            self.times.entry(operation.id()).or_default().push(elapsed);
        }
        for (name, pointer) in *finds {
            let json: Value = response.json()?;
            let found =
                json.pointer(pointer).and_then(Value::as_str).ok_or_else(|| format!("no {pointer}"))?;
            self.known.insert((*name).to_owned(), found.to_owned());
        }
        Ok(())
    }

    /// A string with what is known in place of its names, as in `<season>`.
    fn filled(&self, text: &str) -> String {
        self.known
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("<{name}>"), value))
    }
}

fn text(response: &RawResponse) -> String {
    format!("{} {}", response.status, String::from_utf8_lossy(&response.body))
}
