//! The statements of a request, as PostgreSQL logs them, so that they can be run by hand and are written down once: in the store.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::http;
use crate::postgres::Postgres;
use crate::requests::{Request, Requests};

/// What starts each line of the log, and is nowhere else in it.
const MARK: &str = "@bench ";
/// How many requests of a workload are captured.
const SAMPLE: usize = 200;
/// How often a request is captured at least, so that statements of the server's own work are noticed. Few requests are captured twice, which
/// shows what differs when the same request writes again: a record, or that children were seen.
const AGAIN: usize = 9;
/// How often one of few requests is sent until two runs of it have the same statements. Beside the others, the server did other work.
const RUNS: u64 = 6;
/// How often it is tried. On a busy machine, connections may not log statements yet, or other work may be logged beside each request.
const TRIES: u64 = 4;
/// How long the log must not have grown until a request is over. Fieldhouse sends the end of a read transaction without waiting for it.
const TRAILING: Duration = Duration::from_millis(10);
/// How often to wait for that, and for the end of a transaction that was begun.
const WAITS: u32 = 50;
/// How long until the server has read its settings.
const RELOADED: Duration = Duration::from_millis(300);
/// What begins a transaction that posts to the ledger in the background, and is no part of a request.
const BACKGROUND: &str = "READ COMMITTED";

/// A statement that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// The SQL.
    pub(crate) sql: String,
    /// The parameters as text; none if it was sent without being prepared.
    pub(crate) parameters: Option<Vec<Option<String>>>,
}

/// The statements of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Captured {
    /// The statements, in order.
    pub(crate) statements: Vec<Statement>,
    /// Parameters that another request has otherwise: ids and digests.
    pub(crate) varying: Vec<String>,
    /// The number in the names that the request wrote, if it wrote any.
    pub(crate) number: Option<String>,
}

/// A server whose log can be read.
pub(crate) struct Log<'a> {
    /// The server.
    pub(crate) postgres: &'a Postgres,
    /// Its log.
    pub(crate) file: PathBuf,
}

impl Log<'_> {
    /// Sends some requests to Fieldhouse one after another, and returns their statements.
    pub(crate) async fn capture(&self, url: &str, requests: &Requests, first: u64) -> Result<Vec<Captured>> {
        let mut chosen: Vec<&Request> = requests.sample(SAMPLE).map(|(_, request)| request).collect();
        if chosen.len() < AGAIN {
            chosen = chosen.into_iter().cycle().take(AGAIN).collect();
        }
        // Before a request that is captured, the use of its key is noted, and connections are opened.
        for (number, request) in (first..).zip(&chosen) {
            http::send(url, &request.numbered(number))?;
        }
        let on = format!("ALTER SYSTEM SET log_line_prefix = '{MARK}%p '");
        self.set(&[on, "ALTER SYSTEM SET log_statement = 'all'".to_owned()]).await?;
        let captured = self.capture_often(url, &chosen, first + SAMPLE as u64).await;
        self.set(&["ALTER SYSTEM RESET ALL".to_owned()]).await?;
        captured
    }

    /// Captures requests until their statements are known.
    async fn capture_often(&self, url: &str, requests: &[&Request], first: u64) -> Result<Vec<Captured>> {
        let apart = RUNS * SAMPLE as u64;
        for attempt in 0..TRIES {
            let captured = self.capture_each(url, requests, first + attempt * apart)?;
            if !captured.is_empty() {
                return Ok(captured);
            }
            tokio::time::sleep(RELOADED).await;
        }
        let last =
            Reading::from_end(&self.file)?.of_one(url, &requests[0].numbered(first + TRIES * apart))?;
        bail!(
            "no two runs of a request had the same statements in PostgreSQL's log; now it has {:?}",
            texts(&last)
        )
    }

    fn capture_each(&self, url: &str, requests: &[&Request], first: u64) -> Result<Vec<Captured>> {
        let mut all = Vec::new();
        let mut reading = Reading::from_end(&self.file)?;
        for (number, request) in (first..).step_by(usize::try_from(RUNS)?).zip(requests) {
            if requests.len() > AGAIN {
                let statements = reading.of_one(url, &request.numbered(number))?;
                all.push(Captured { statements, varying: Vec::new(), number: None });
            } else {
                all.extend(reading.of_two(url, request, number)?);
            }
        }
        Ok(most_common(all))
    }

    async fn set(&self, statements: &[String]) -> Result<()> {
        self.postgres.run(statements).await?;
        self.postgres.run(&["SELECT pg_reload_conf()".to_owned()]).await?;
        tokio::time::sleep(RELOADED).await;
        Ok(())
    }
}

/// The parameters of the first request that the other one has otherwise.
fn differing(one: &[Statement], other: &[Statement]) -> Vec<String> {
    let mut varying = Vec::new();
    for (one, other) in one.iter().zip(other) {
        let pair = one.parameters.iter().flatten().zip(other.parameters.iter().flatten());
        for (own, others) in pair {
            if let Some(own) = own.as_ref().filter(|own| others.as_ref() != Some(own))
                && !varying.contains(own)
            {
                varying.push(own.clone());
            }
        }
    }
    varying
}

/// The requests whose statements are those of most. Others were logged beside work of the server's own.
fn most_common(all: Vec<Captured>) -> Vec<Captured> {
    let mut counts: HashMap<Vec<String>, usize> = HashMap::new();
    for one in all.iter().filter(|one| !one.statements.is_empty()) {
        *counts.entry(texts(&one.statements)).or_default() += 1;
    }
    let Some((usual, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return Vec::new() };
    all.into_iter().filter(|one| texts(&one.statements) == usual).collect()
}

fn texts(statements: &[Statement]) -> Vec<String> {
    statements.iter().map(|statement| statement.sql.clone()).collect()
}

/// A place in the log, and which connections are in a background transaction there.
struct Reading<'a> {
    file: &'a Path,
    at: u64,
    background: HashSet<String>,
}

impl<'a> Reading<'a> {
    fn from_end(file: &'a Path) -> Result<Self> {
        Ok(Self { file, at: fs::metadata(file)?.len(), background: HashSet::new() })
    }

    /// Sends a request until two runs of it have the same statements, and returns those of the first with what differs.
    fn of_two(&mut self, url: &str, request: &Request, first: u64) -> Result<Option<Captured>> {
        let mut known: Vec<(u64, Vec<Statement>)> = Vec::new();
        for number in first..first + RUNS {
            let other = self.of_one(url, &request.numbered(number))?;
            let same = known.iter().position(|(_, one)| !one.is_empty() && texts(one) == texts(&other));
            let Some(at) = same else {
                known.push((number, other));
                continue;
            };
            let (number, statements) = known.swap_remove(at);
            let varying = differing(&statements, &other);
            let number = (!request.body.is_empty()).then(|| format!("{number:010}"));
            return Ok(Some(Captured { statements, varying, number }));
        }
        Ok(None)
    }

    /// Sends a request, and returns the statements that are logged until its transactions have ended and nothing follows.
    fn of_one(&mut self, url: &str, request: &Request) -> Result<Vec<Statement>> {
        let before = self.next()?;
        statements(&before, &mut self.background);
        let response = http::send(url, request)?;
        ensure!(response.status < 300, "a request to capture had status {}", response.status);
        let mut text = String::new();
        for _ in 0..WAITS {
            thread::sleep(TRAILING);
            let more = self.next()?;
            text.push_str(&more);
            if more.is_empty() && have_ended(&statements(&text, &mut self.background.clone())) {
                break;
            }
        }
        Ok(statements(&text, &mut self.background))
    }

    /// What was logged since the last time.
    fn next(&mut self) -> Result<String> {
        let mut file =
            File::open(self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = Vec::new();
        self.at += file.read_to_end(&mut bytes)? as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The statements in a part of the log, without those of background transactions.
fn statements(log: &str, background: &mut HashSet<String>) -> Vec<Statement> {
    let mut found: Vec<(&str, Statement)> = Vec::new();
    for record in log.split(MARK).skip(1) {
        let Some((process, message)) = record.split_once(' ') else { continue };
        let Some((level, message)) = message.split_once(":  ") else { continue };
        let Some((kind, text)) = message.split_once(": ") else { continue };
        let is_prepared = kind.starts_with("execute ");
        if level == "DETAIL" && kind.eq_ignore_ascii_case("parameters") && !background.contains(process) {
            if let Some((_, last)) = found.iter_mut().rev().find(|(known, _)| *known == process) {
                last.parameters = Some(parameters_of(text));
            }
        } else if level == "LOG" && (is_prepared || kind == "statement") {
            // A later line of a statement starts with a tab.
            let sql = text.trim_end().replace("\n\t", "\n");
            if sql.contains(BACKGROUND) {
                background.insert(process.to_owned());
            } else if !background.contains(process) {
                found.push((process, Statement { sql, parameters: is_prepared.then(Vec::new) }));
            } else if sql == "COMMIT" || sql == "ROLLBACK" {
                background.remove(process);
            }
        }
    }
    found.into_iter().map(|(_, one)| one).collect()
}

/// Whether there are statements, and each transaction that they begin has ended.
fn have_ended(statements: &[Statement]) -> bool {
    let count = |is: fn(&str) -> bool| statements.iter().filter(|one| is(&one.sql)).count();
    let begun = count(|sql| sql.starts_with("BEGIN"));
    !statements.is_empty() && begun <= count(|sql| sql == "COMMIT" || sql == "ROLLBACK")
}

/// The values in `$1 = 'a', $2 = NULL`.
fn parameters_of(mut text: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    while let Some((_, rest)) = text.split_once(" = ") {
        let Some(quoted) = rest.strip_prefix('\'') else {
            values.push(None);
            text = rest;
            continue;
        };
        let mut value = String::new();
        let mut letters = quoted.char_indices().peekable();
        let mut end = quoted.len();
        while let Some((at, letter)) = letters.next() {
            if letter == '\'' && letters.next_if(|(_, next)| *next == '\'').is_none() {
                end = at + 1;
                break;
            }
            value.push(letter);
        }
        values.push(Some(value));
        text = quoted.get(end..).unwrap_or_default();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_their_parameters_and_background_ones_are_left_out() {
        let log = "@bench 7 LOG:  execute s1: SELECT a\n\tFROM b WHERE c = $1 AND d = $2 AND e = $3\n\
            @bench 7 DETAIL:  parameters: $1 = 'it''s = 1', $2 = NULL, $3 = '4'\n\
            @bench 8 LOG:  statement: BEGIN ISOLATION LEVEL READ COMMITTED\n\
            @bench 8 LOG:  execute s2: SELECT 1\n\
            @bench 9 LOG:  execute s2: SELECT 1\n\
            @bench 9 LOG:  statement: COMMIT\n\
            @bench 7 LOG:  statement: COMMIT\n";
        let mut background = HashSet::from(["9".to_owned()]);
        let found = statements(log, &mut background);
        let values = vec![Some("it's = 1".to_owned()), None, Some("4".to_owned())];
        let sql = "SELECT a\nFROM b WHERE c = $1 AND d = $2 AND e = $3".to_owned();
        let commit = Statement { sql: "COMMIT".to_owned(), parameters: None };
        assert_eq!(found, [Statement { sql, parameters: Some(values) }, commit]);
        assert_eq!(background, HashSet::from(["8".to_owned()]));
    }

    #[test]
    fn a_request_has_ended_with_its_transaction() {
        let of = |all: &[&str]| {
            let one = |sql: &&str| Statement { sql: (*sql).to_owned(), parameters: None };
            have_ended(&all.iter().map(one).collect::<Vec<_>>())
        };
        assert!(!of(&[]));
        assert!(of(&["SELECT 1"]));
        assert!(!of(&["SELECT 1", "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT 2"]));
        assert!(of(&["SELECT 1", "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT 2", "COMMIT"]));
    }

    #[test]
    fn parameters_that_differ_vary() {
        let of = |id: &str| {
            let parameters = Some(vec![Some("same".to_owned()), Some(id.to_owned()), None]);
            vec![Statement { sql: String::new(), parameters }]
        };
        assert_eq!(differing(&of("a"), &of("b")), ["a"]);
    }
}
