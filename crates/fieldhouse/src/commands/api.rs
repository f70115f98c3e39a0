//! `fieldhouse api`: any operation of the API, by its method and path.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::Page;
use fieldhouse_client::{Error, Method, RawResponse, Request};
use serde_json::Value;
use serde_json::value::RawValue;

use super::api_fields::Fields;
use crate::arguments::{header, read_file};
use crate::context::Context;
use crate::failure::Failure;
use crate::json::indented;
use crate::listing::joined;
use crate::output::{self, note};

/// The status of the response to If-None-Match if nothing has changed. It is not an error.
const NOT_MODIFIED: u16 = 304;

/// Any operation.
#[derive(Args)]
#[command(override_usage = "fieldhouse api [OPTIONS] [METHOD] <PATH>")]
pub(crate) struct Options {
    /// GET, POST, PATCH, PUT or DELETE; may be omitted [default: GET, or POST with fields or --input]
    #[arg(value_name = "METHOD")]
    first: String,
    /// The path, such as /api/v1/seasons
    #[arg(value_name = "PATH")]
    second: Option<String>,
    /// The method, instead of writing it before the path
    #[arg(short = 'X', long, value_name = "METHOD", value_parser = method)]
    method: Option<Method>,
    #[command(flatten)]
    fields: Fields,
    /// A file with the JSON body; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["texts", "typed"])]
    input: Option<PathBuf>,
    /// A header; can be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    headers: Vec<(String, String)>,
    /// Follow all pages of a list and print them as one: records in `data`, and with `updated_since` deleted ones in `deleted`
    #[arg(long, conflicts_with_all = ["input", "include"])]
    paginate: bool,
    /// Print the status and the headers too
    #[arg(short, long)]
    include: bool,
}

/// Calls the operation and prints the body of the response.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let (method, path) = options.call()?;
    if options.paginate && method != Method::GET {
        return Err(Failure::usage("--paginate works only with GET").into());
    }
    if options.input.is_some() && in_query(&method) {
        let what = format!("{method} requests have no body: use -f for query parameters");
        return Err(Failure::usage(what).into());
    }
    if context.output.is_csv() {
        let failure = Failure::usage("the response of any operation is not a table, so there is no CSV");
        return Err(failure.next("use --jq, as in --jq '.data[] | [.id, .name] | @csv'").into());
    }
    let client = context.client()?;
    if options.paginate {
        let request = client.request::<Page<Value>>(method.clone(), path);
        let list = joined(options.fill(request, &method)?.pages()).await;
        return Ok(context.output.json(&list.map_err(no_list)?)?);
    }
    let request = client.request::<Value>(method.clone(), path);
    let answer = options.fill(request, &method)?.send_raw().await?;
    if options.include {
        print_head(&answer)?;
    }
    if answer.status == NOT_MODIFIED {
        note("Not modified.");
        return Ok(());
    }
    print_body(context, &answer.success()?)
}

fn no_list(error: Error) -> anyhow::Error {
    match error {
        Error::Decode(_) => Failure::new("the response is not a list").next("omit --paginate").into(),
        error => error.into(),
    }
}

/// Whether a method has its fields in the query.
fn in_query(method: &Method) -> bool {
    *method == Method::GET || *method == Method::DELETE
}

impl Options {
    /// The method and the path.
    fn call(&self) -> Result<(Method, &str), Failure> {
        match (&self.second, &self.method) {
            (None, Some(method)) => Ok((method.clone(), &self.first)),
            (None, None) => {
                let reads = self.input.is_none() && (self.fields.is_empty() || self.paginate);
                Ok((if reads { Method::GET } else { Method::POST }, &self.first))
            }
            (Some(path), None) => {
                let wrong = |fix| Failure::usage(format!("{} is not a method", self.first)).next(fix);
                Ok((method(&self.first).map_err(wrong)?, path))
            }
            (Some(_), Some(_)) => Err(Failure::usage("the method is given twice").next("omit --method")),
        }
    }

    fn fill<T>(&self, mut request: Request<T>, method: &Method) -> anyhow::Result<Request<T>> {
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(file) = &self.input {
            return Ok(request.body(&body(file)?));
        }
        if in_query(method) {
            return Ok(request.query(&self.fields.query()?));
        }
        if self.fields.is_empty() { Ok(request) } else { Ok(request.body(&self.fields.body()?)) }
    }
}

fn method(text: &str) -> Result<Method, &'static str> {
    let known = [Method::GET, Method::POST, Method::PATCH, Method::PUT, Method::DELETE];
    let named = known.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(text));
    named.ok_or("use one of GET, POST, PATCH, PUT, DELETE")
}

fn body(file: &Path) -> anyhow::Result<Box<RawValue>> {
    let name = file.display();
    let bytes = read_file(file).with_context(|| format!("{name} cannot be read"))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Failure::new(format!("{name} is not JSON: see {place}")).into()
    })
}

fn print_head(answer: &RawResponse) -> io::Result<()> {
    let mut head = format!("{}\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&output::clean(&format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))));
        head.push('\n');
    }
    output::line(&head)
}

/// Prints the body: through --jq, indented on a terminal, unchanged otherwise.
fn print_body(context: &Context, answer: &RawResponse) -> anyhow::Result<()> {
    if let Some(jq) = context.output.jq() {
        return Ok(context.output.evaluated(jq, &answer.body)?);
    }
    let mut stdout = io::stdout();
    match answer.json::<Box<RawValue>>() {
        Ok(json) if stdout.is_terminal() || context.output.is_json() => output::line(&indented(json.get()))?,
        _ => {
            stdout.write_all(&answer.body)?;
            if !answer.body.ends_with(b"\n") {
                writeln!(stdout)?;
            }
        }
    }
    Ok(())
}
