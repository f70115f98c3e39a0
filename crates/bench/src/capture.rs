//! The statements of a request, as PostgreSQL logs them, so that they can be run by hand and are written down once: in the store.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::http;
use crate::postgres::Postgres;
use crate::requests::{COUNTER, Request, Requests};

/// What starts each line of the log, and is nowhere else in it.
const MARK: &str = "@bench ";
/// How many requests of a workload are captured.
const SAMPLE: usize = 200;
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
        let chosen: Vec<&Request> = requests.sample(SAMPLE).map(|(_, request)| request).collect();
        // Before a request that is captured, the use of its key is noted, and connections are opened.
        for (number, request) in (first..).zip(&chosen) {
            http::send(url, &request.numbered(number))?;
        }
        let on = format!("ALTER SYSTEM SET log_line_prefix = '{MARK}%p '");
        self.set(&[on, "ALTER SYSTEM SET log_statement = 'all'".to_owned()]).await?;
        let captured = self.capture_each(url, &chosen, first + SAMPLE as u64);
        self.set(&["ALTER SYSTEM RESET ALL".to_owned()]).await?;
        captured
    }

    fn capture_each(&self, url: &str, requests: &[&Request], first: u64) -> Result<Vec<Captured>> {
        let mut all = Vec::new();
        for (number, request) in (first..).step_by(2).zip(requests) {
            let statements = self.of_one(url, &request.numbered(number))?;
            if request.body.is_empty() {
                all.push(Captured { statements, varying: Vec::new(), number: None });
                continue;
            }
            let other = self.of_one(url, &request.numbered(number + 1))?;
            let number = request.body.contains(COUNTER).then(|| format!("{number:010}"));
            let varying = differing(&statements, &other);
            all.push(Captured { statements, varying, number });
        }
        ensure!(
            all.iter().all(|one| !one.statements.is_empty()),
            "PostgreSQL's log has no statement of a request"
        );
        Ok(all)
    }

    fn of_one(&self, url: &str, request: &Request) -> Result<Vec<Statement>> {
        let before = fs::metadata(&self.file)?.len();
        let response = http::send(url, request)?;
        ensure!(response.status < 300, "a request to capture had status {}", response.status);
        let text = fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let new = text.get(usize::try_from(before)?..).unwrap_or_default();
        Ok(statements(&String::from_utf8_lossy(new)))
    }

    async fn set(&self, statements: &[String]) -> Result<()> {
        self.postgres.run(statements).await?;
        self.postgres.run(&["SELECT pg_reload_conf()".to_owned()]).await?;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
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

/// The statements in a part of the log, without those of background transactions.
fn statements(log: &str) -> Vec<Statement> {
    let mut found: Vec<(&str, Statement)> = Vec::new();
    for record in log.split(MARK).skip(1) {
        let Some((process, message)) = record.split_once(' ') else { continue };
        if let Some(parameters) = message.strip_prefix("DETAIL:  Parameters: ") {
            if let Some((_, last)) = found.iter_mut().rev().find(|(known, _)| *known == process) {
                last.parameters = Some(parameters_of(parameters));
            }
            continue;
        }
        let Some(message) = message.strip_prefix("LOG:  ") else { continue };
        let Some((kind, sql)) = message.split_once(": ") else { continue };
        let is_prepared = kind.starts_with("execute ");
        if is_prepared || kind == "statement" {
            // A later line of a statement starts with a tab.
            let sql = sql.trim_end().replace("\n\t", "\n");
            found.push((process, Statement { sql, parameters: is_prepared.then(Vec::new) }));
        }
    }
    let background: Vec<&str> =
        found.iter().filter(|(_, one)| one.sql.contains(BACKGROUND)).map(|(process, _)| *process).collect();
    let is_part = |process: &str| !background.contains(&process);
    found.into_iter().filter(|(process, _)| is_part(process)).map(|(_, one)| one).collect()
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
            @bench 7 DETAIL:  Parameters: $1 = 'it''s = 1', $2 = NULL, $3 = '4'\n\
            @bench 8 LOG:  statement: BEGIN ISOLATION LEVEL READ COMMITTED\n\
            @bench 8 LOG:  execute s2: SELECT 1\n\
            @bench 7 LOG:  statement: COMMIT\n";
        let found = statements(log);
        let values = vec![Some("it's = 1".to_owned()), None, Some("4".to_owned())];
        let sql = "SELECT a\nFROM b WHERE c = $1 AND d = $2 AND e = $3".to_owned();
        let commit = Statement { sql: "COMMIT".to_owned(), parameters: None };
        assert_eq!(found, [Statement { sql, parameters: Some(values) }, commit]);
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
