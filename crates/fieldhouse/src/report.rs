//! Prints how a command failed: as text for people, or as JSON if JSON was asked for.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Arg;
use fieldhouse_client::api::problems::FieldProblem;
use serde_json::{Map, Value, json};

use crate::applies::Typed;
use crate::failure::Failure;
use crate::output::note;

/// Fields, and the options with other names that set them.
const OTHER_NAMES: &[(&str, &str)] = &[("q", "query"), ("organization", "org"), ("content", "file")];

/// Prints the failure and returns the exit code.
pub(crate) fn report(error: anyhow::Error, typed: &Typed<'_>, as_json: bool) -> ExitCode {
    if is_broken_pipe(&error) {
        // The reader of the output has stopped: `fieldhouse seasons list | head`.
        return ExitCode::SUCCESS;
    }
    let failure = Failure::of(error);
    let exit = ExitCode::from(failure.kind.exit());
    if as_json {
        print_json(&document(failure));
    } else {
        print_text(failure, typed);
    }
    exit
}

/// Reports arguments that cannot be parsed. Help and the version are no errors.
pub(crate) fn report_usage(error: &clap::Error, as_json: bool) -> ExitCode {
    if as_json && error.use_stderr() {
        let text = error.render().to_string();
        let what = text.split("\n\n").next().unwrap_or_default();
        let what = what.strip_prefix("error: ").unwrap_or(what).trim().replace("\n ", "");
        print_json(&document(Failure::usage(what)));
    } else {
        // A closed terminal has no reader.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Whether arguments that cannot be parsed ask for JSON.
pub(crate) fn asks_for_json(arguments: impl Iterator<Item = String>) -> bool {
    let arguments: Vec<String> = arguments.collect();
    let spelled = |argument: &String| {
        let name = argument.split('=').next().unwrap_or_default();
        matches!(name, "--json" | "--jq")
            || matches!(argument.as_str(), "--output=json" | "-ojson" | "-o=json")
    };
    let apart = |pair: &[String]| matches!(pair[0].as_str(), "--output" | "-o") && pair[1] == "json";
    arguments.iter().any(spelled) || arguments.windows(2).any(apart)
}

fn print_text(failure: Failure, typed: &Typed<'_>) {
    let mut fields = failure.fields.iter().map(|field| wrong(field, typed));
    let what = Some(failure.what).filter(|what| !what.is_empty()).or_else(|| fields.next());
    note(&format!("error: {}", what.unwrap_or_default()));
    for field in fields {
        note(&format!("  {field}"));
    }
    if let Some(next) = &failure.next {
        note(&format!("hint: {next}"));
    }
    if let Some(id) = &failure.request_id {
        note(&format!("request id: {id}"));
    }
}

/// The server's problem document, or one with the same members for a failure of this program; `hint` says what to do at a command line.
fn document(failure: Failure) -> Value {
    let problem = failure.problem.map(|problem| json!(problem));
    let mut document = match problem {
        Some(Value::Object(members)) => members,
        _ => Map::from_iter([("code".to_owned(), json!(failure.kind.code()))]),
    };
    if !failure.what.is_empty() {
        document.insert("detail".to_owned(), json!(failure.what));
    }
    let more = [("hint", failure.next), ("request_id", failure.request_id)];
    document.extend(more.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text?)))));
    Value::Object(document)
}

fn print_json(document: &Value) {
    // If standard error is closed, there is no reader.
    let _ = writeln!(io::stderr(), "{document:#}");
}

/// An invalid field, with its name on the command line.
fn wrong(field: &FieldProblem, typed: &Typed<'_>) -> String {
    // "must be one of: a, b" is not followed by "Send one of: a, b."
    let wanted = field.message.strip_prefix("must be ");
    let repeats = |fix: &&String| wanted.is_some_and(|wanted| fix.trim_end_matches('.').ends_with(wanted));
    let fix = field.fix.as_ref().filter(|fix| !repeats(fix));
    let fix = fix.map_or_else(|| ".".to_owned(), |fix| format!(". {fix}"));
    format!("{} {}{fix}", option_name(&field.pointer, typed), field.message)
}

/// The option for a field of the API, or what was typed for it, or else the field's own name. Most options have the fields' names.
fn option_name(pointer: &str, typed: &Typed<'_>) -> String {
    let is_of = |argument: &&Arg, field: &str| {
        let id = argument.get_id().as_str();
        id == field || field.strip_suffix("_id") == Some(id) || OTHER_NAMES.contains(&(field, id))
    };
    let name = |argument: &Arg| {
        argument.get_long().map(|long| format!("--{long}")).or_else(|| typed.value(argument))
    };
    let option =
        |field: &str| typed.command.get_arguments().find(|argument| is_of(argument, field)).and_then(name);
    // The options of `fieldhouse api` are not fields.
    let option = pointer.rsplit('/').find_map(option).filter(|_| typed.command.get_name() != "api");
    option.unwrap_or_else(|| pointer.trim_start_matches('/').to_owned())
}

/// Whether standard output was closed. A closed connection to the server is nested inside the client's error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
