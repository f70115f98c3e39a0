//! Captured statements from tokio-postgres by hand: what a program would reach that has no server, no checks and no mapping.
//!
//! It runs in a process of its own (`fieldhouse-bench by-hand FILE`) with prepared statements on one connection for each client. The
//! statements of a request are sent together, without waiting for each other's results. A transaction that collided is run again.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bytes::BytesMut;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Statement as Prepared};

use crate::capture::{Captured, Statement};
use crate::figures::{Figures, Spread};
use crate::identities::mixed;
use crate::load::Shape;
use crate::servers::processor_time;
use crate::{postgres, tools};

/// The settings of Fieldhouse's connections that matter to plans.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan";

/// What is run.
#[derive(Serialize, Deserialize)]
struct Plan {
    url: String,
    seconds: u32,
    connections: u32,
    /// The number that replaces the one in names, and where others start.
    first: u64,
    requests: Vec<Captured>,
}

/// Runs captured requests in a process of its own.
pub(crate) fn measure(folder: &Path, url: &str, requests: &[Captured], shape: Shape) -> Result<Figures> {
    let file = folder.join("by-hand.json");
    let Shape { seconds, connections, first, .. } = shape;
    let plan = Plan { url: url.to_owned(), seconds, connections, first, requests: requests.to_vec() };
    fs::write(&file, serde_json::to_vec(&plan)?)?;
    let printed = tools::output(Command::new(std::env::current_exe()?).arg("by-hand").arg(&file))?;
    serde_json::from_str(printed.trim()).context("the statements by hand gave no figures")
}

/// Runs the requests of a file, and prints the figures.
pub(crate) async fn run(file: &Path) -> Result<()> {
    let Plan { url, seconds, connections, first, requests } = serde_json::from_slice(&fs::read(file)?)?;
    let mut hands = Vec::new();
    for _ in 0..connections {
        hands.push(Hand::open(&url, &requests).await?);
    }
    let started = Instant::now();
    let before = processor_time("self")?;
    let end = started + Duration::from_secs(u64::from(seconds));
    let mut tasks = Vec::new();
    for (number, hand) in (0_u64..).zip(hands) {
        let requests = requests.clone();
        tasks.push(tokio::spawn(async move { hand.work(&requests, first + number * 100_000, end).await }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let count = f64::from(u32::try_from(times.len())?);
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    let figures = Figures {
        rate: count / started.elapsed().as_secs_f64(),
        processor: (processor_time("self")? - before) / count,
        p50: Spread::of(times.iter().copied()).median,
        p99: at(99),
        memory: 0.0,
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

/// A connection with its prepared statements.
struct Hand {
    client: Client,
    prepared: HashMap<String, Prepared>,
}

impl Hand {
    async fn open(url: &str, requests: &[Captured]) -> Result<Self> {
        let client = postgres::connect(url).await?;
        client.batch_execute(SETTINGS).await?;
        let mut prepared = HashMap::new();
        for statement in requests.iter().flat_map(|request| &request.statements) {
            if statement.parameters.is_some() && !prepared.contains_key(&statement.sql) {
                prepared.insert(statement.sql.clone(), client.prepare(&statement.sql).await?);
            }
        }
        Ok(Self { client, prepared })
    }

    /// Runs requests until `end`. Returns how long each took, in microseconds.
    async fn work(self, requests: &[Captured], first: u64, end: Instant) -> Result<Vec<f64>> {
        let mut times = Vec::new();
        let mut number = first;
        while Instant::now() < end {
            let started = Instant::now();
            loop {
                number += 1;
                let chosen = mixed(number) % requests.len() as u64;
                let request = &requests[usize::try_from(chosen)?];
                if self.run(&changed(request, number)).await? {
                    break;
                }
            }
            times.push(started.elapsed().as_secs_f64() * 1e6);
        }
        Ok(times)
    }

    /// Runs the statements of a request. Returns whether they succeeded; otherwise the transaction collided with another.
    async fn run(&self, statements: &[Statement]) -> Result<bool> {
        let results = join_all(statements.iter().map(|statement| self.send(statement))).await;
        let Some(error) = results.into_iter().find_map(Result::err) else { return Ok(true) };
        self.client.batch_execute("ROLLBACK").await?;
        match error.code().map(|code| code.code()) {
            Some("40001" | "40P01" | "25P02") => Ok(false),
            _ => Err(error.into()),
        }
    }

    async fn send(&self, statement: &Statement) -> Result<(), tokio_postgres::Error> {
        let Some(parameters) = &statement.parameters else {
            return self.client.batch_execute(&statement.sql).await;
        };
        let values: Vec<Text<'_>> = parameters.iter().map(|value| Text(value.as_deref())).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        match self.prepared.get(&statement.sql) {
            Some(prepared) => self.client.query(prepared, &values).await.map(drop),
            None => self.client.query(&statement.sql, &values).await.map(drop),
        }
    }
}

/// The statements of a request with ids, digests and names that no other run of them has.
fn changed(request: &Captured, number: u64) -> Vec<Statement> {
    let Captured { statements, varying, number: written } = request;
    if varying.is_empty() {
        return statements.clone();
    }
    let change = |value: &String| {
        let value = match varying.iter().position(|known| known == value) {
            Some(at) => other(value, number << 8 | at as u64),
            None => value.clone(),
        };
        written.as_ref().map_or(value.clone(), |written| value.replace(written, &format!("{number:010}")))
    };
    let change_all =
        |values: &Vec<Option<String>>| values.iter().map(|value| value.as_ref().map(change)).collect();
    let changed = |statement: &Statement| Statement {
        sql: statement.sql.clone(),
        parameters: statement.parameters.as_ref().map(change_all),
    };
    statements.iter().map(changed).collect()
}

/// Another value of the same form: a UUID or bytes. Anything else, such as a time, stays.
fn other(value: &str, seed: u64) -> String {
    let hex = |digits: usize| -> String {
        let parts = (0..digits.div_ceil(16)).map(|part| format!("{:016x}", mixed(seed << 4 | part as u64)));
        parts.collect::<String>().chars().take(digits).collect()
    };
    if let Some(digits) = value.strip_prefix("\\x") {
        return format!("\\x{}", hex(digits.len()));
    }
    if uuid::Uuid::parse_str(value).is_ok() && value.len() == 36 {
        return format!("{}{}", &value[..24], hex(12));
    }
    value.to_owned()
}

/// A value in PostgreSQL's text format, for a parameter of any type.
#[derive(Debug)]
struct Text<'a>(Option<&'a str>);

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_digests_and_names_change_and_the_rest_stays() {
        let id = "0199a000-0000-7000-8000-000000000001";
        let values = [id, "\\xabcd", "Bench 0000000001", "1772366400000000", "the organization"];
        let parameters = Some(values.map(|value| Some(value.to_owned())).to_vec());
        let request = Captured {
            statements: vec![Statement { sql: "INSERT".to_owned(), parameters }],
            varying: values[..4].iter().map(|value| (*value).to_owned()).collect(),
            number: Some("0000000001".to_owned()),
        };
        let of = |number| {
            let changed = changed(&request, number).remove(0).parameters.unwrap_or_default();
            changed.into_iter().flatten().collect::<Vec<_>>()
        };
        let [one, two] = [of(42), of(43)];
        assert!(one[0] != id && one[0] != two[0] && uuid::Uuid::parse_str(&one[0]).is_ok());
        assert!(one[1] != two[1] && one[1].len() == 6);
        assert_eq!(one[2..], ["Bench 0000000042", "1772366400000000", "the organization"]);
    }
}
