//! `fieldhouse api`: any operation of the API, by its method and path.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::Page;
use fieldhouse_client::{Error, Method, RawResponse, Request};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::arguments::{header, pair, read_file};
use crate::context::Context;
use crate::failure::Failure;
use crate::json::indented;
use crate::listing::joined;
use crate::output::{self, note};

/// The status of the response to If-None-Match if nothing has changed. It is not an error.
const NOT_MODIFIED: u16 = 304;

/// Any operation.
#[derive(Args)]
pub(crate) struct Options {
    /// GET, POST, PATCH, PUT or DELETE
    #[arg(value_parser = method)]
    method: Method,
    /// The path, such as /api/v1/seasons
    path: String,
    /// A field of the query (GET and DELETE) or of the JSON body (other methods), where true, false, null and numbers keep their type; can be
    /// repeated
    #[arg(short = 'f', long = "field", value_name = "NAME=VALUE", value_parser = pair)]
    fields: Vec<(String, String)>,
    /// A field whose value is a string, even if it looks like a number
    #[arg(short = 'F', long = "text-field", value_name = "NAME=TEXT", value_parser = pair)]
    texts: Vec<(String, String)>,
    /// A file with the JSON body; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fields", "texts"])]
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
    if options.paginate && options.method != Method::GET {
        return Err(Failure::usage("--paginate works only with GET").into());
    }
    if options.input.is_some() && options.in_query() {
        let what = format!("{} requests have no body: use --field for query parameters", options.method);
        return Err(Failure::usage(what).into());
    }
    let client = context.client()?;
    if options.paginate {
        let request = client.request::<Page<Value>>(options.method.clone(), &options.path);
        let list = joined(options.fill(request)?.pages()).await;
        return Ok(output::json(&list.map_err(no_list)?)?);
    }
    let request = client.request::<Value>(options.method.clone(), &options.path);
    let answer = options.fill(request)?.send_raw().await?;
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

impl Options {
    fn in_query(&self) -> bool {
        self.method == Method::GET || self.method == Method::DELETE
    }

    fn fill<T>(&self, mut request: Request<T>) -> anyhow::Result<Request<T>> {
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(file) = &self.input {
            return Ok(request.body(&body(file)?));
        }
        let fields = || self.fields.iter().chain(&self.texts);
        if self.in_query() {
            return Ok(request.query(&fields().collect::<Vec<_>>()));
        }
        if fields().next().is_none() {
            return Ok(request);
        }
        let recognised = self.fields.iter().map(|(name, text)| (name.clone(), recognise(text)));
        let texts = self.texts.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str())));
        Ok(request.body(&recognised.chain(texts).collect::<Map<_, _>>()))
    }
}

fn method(text: &str) -> Result<Method, &'static str> {
    let known = [Method::GET, Method::POST, Method::PATCH, Method::PUT, Method::DELETE];
    let named = known.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(text));
    named.ok_or("use one of GET, POST, PATCH, PUT, DELETE")
}

/// The value of a string: a number, true, false or null, or the string itself.
fn recognise(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Null | Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::from(text),
    }
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

/// Prints the body: indented on a terminal, unchanged otherwise.
fn print_body(context: &Context, answer: &RawResponse) -> anyhow::Result<()> {
    let mut stdout = io::stdout();
    let pretty = stdout.is_terminal() || context.output.is_json();
    match answer.json::<Box<RawValue>>() {
        Ok(json) if pretty => output::line(&indented(json.get()))?,
        _ => {
            stdout.write_all(&answer.body)?;
            if !answer.body.ends_with(b"\n") {
                writeln!(stdout)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_get_their_json_type() {
        for (text, value) in [
            ("true", json!(true)),
            ("null", Value::Null),
            ("7", json!(7)),
            ("-1.5", json!(-1.5)),
            ("007", json!("007")),
            ("yes", json!("yes")),
            ("", json!("")),
            ("[1]", json!("[1]")),
            ("\"x\"", json!("\"x\"")),
        ] {
            assert_eq!(recognise(text), value, "{text}");
        }
    }
}
