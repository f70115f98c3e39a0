//! What is measured of a server: reads of one page, and durable writes, each of a new record.

use std::process::Command;

use anyhow::{Context, Result};

use super::load::{Figures, load};
use super::program::Program;
use crate::process::output;

const SEASONS: &str = "/api/v1/seasons?limit=20";

/// The writes: name, path, body with a place for a number that no other request has, and whether a key is sent. Without one, each save
/// creates a guest with a list of their own.
const WRITES: [(&str, &str, &str, bool); 3] = [
    (
        "POST /colleges/favorites, each a new guest",
        "/api/v1/colleges/favorites",
        r#"{"custom":{"college_name":"College %s","sport":"softball"}}"#,
        false,
    ),
    (
        "POST /seasons, one organization",
        "/api/v1/seasons",
        r#"{"name":"Bench %s","sport":"basketball","time_zone":"UTC"}"#,
        true,
    ),
    ("POST /venues, one organization", "/api/v1/venues", r#"{"name":"Bench %s","time_zone":"UTC"}"#, true),
];

/// One kind of request to one server.
pub(super) struct Workload<'a> {
    pub(super) name: String,
    program: &'a Program,
    path: &'static str,
    headers: Vec<String>,
    /// The body of a POST.
    body: Option<&'static str>,
}

impl<'a> Workload<'a> {
    /// Plain axum with the bytes of the page.
    pub(super) fn limit(program: &'a Program) -> Self {
        let name = "limit: the same bytes from plain axum".to_owned();
        Self { name, program, path: "/", headers: Vec::new(), body: None }
    }

    /// All of a server's. A program that does not have an operation yet is measured without it.
    pub(super) fn all(label: &str, program: &'a Program) -> Result<Vec<Self>> {
        let key = key(program);
        let condition = format!("If-None-Match: {}", entity_tag(program)?);
        let read = |name: &str, headers| Self {
            name: format!("{label}{name}"),
            program,
            path: SEASONS,
            headers,
            body: None,
        };
        let mut all = vec![
            read("GET /seasons, API key", vec![key.clone()]),
            read("GET /seasons, API key, If-None-Match (304)", vec![key.clone(), condition]),
        ];
        for (name, path, body, with_key) in WRITES {
            if !exists(program, path)? {
                continue;
            }
            let mut headers = vec!["content-type: application/json".to_owned()];
            headers.extend(with_key.then(|| key.clone()));
            all.push(Self { name: format!("{label}{name}"), program, path, headers, body: Some(body) });
        }
        Ok(all)
    }

    /// Whether it only reads.
    pub(super) fn reads(&self) -> bool {
        self.body.is_none()
    }

    /// Runs it once.
    pub(super) fn measure(&self, seconds: u32, round: usize) -> Result<Figures> {
        let before = self.program.processor_time()?;
        let url = format!("{}{}", self.program.url, self.path);
        let body = self.body.map(|body| (body, format!("{round}-")));
        let loaded = load(&url, &self.headers, body, seconds).with_context(|| self.name.clone())?;
        Ok(loaded.with_processor_time(self.program.processor_time()? - before))
    }
}

fn key(program: &Program) -> String {
    format!("x-api-key: {}", program.key)
}

/// The page that is read.
pub(super) fn first_page(program: &Program) -> Result<String> {
    let url = format!("{}{SEASONS}", program.url);
    output(Command::new("curl").args(["--silent", "--fail", "--show-error", "--header", &key(program), &url]))
}

fn entity_tag(program: &Program) -> Result<String> {
    let head = headers(program, SEASONS)?;
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("etag:")).context("no ETag")?;
    Ok(line.split_once(':').map(|(_, tag)| tag.trim().to_owned()).unwrap_or_default())
}

fn exists(program: &Program, path: &str) -> Result<bool> {
    Ok(!headers(program, path)?.starts_with("HTTP/1.1 404"))
}

fn headers(program: &Program, path: &str) -> Result<String> {
    let arguments = ["--silent", "--dump-header", "-", "--output", "/dev/null", "--header"];
    output(Command::new("curl").args(arguments).args([key(program), format!("{}{path}", program.url)]))
}
