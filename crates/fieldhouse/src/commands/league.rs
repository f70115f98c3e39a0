//! `fieldhouse import league`: sends a league file to the server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::Error;
use fieldhouse_client::api::Code;
use fieldhouse_client::api::imports::{BadRow, LeagueFormat, LeagueImport, LeagueReport};
use fieldhouse_domain::sports::LeagueSport;
use fieldhouse_domain::time::TimeZoneName;
use indicatif::ProgressBar;

use crate::arguments::{one_of, read_file, value};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Column, Width, note, note_list, or_dash};

/// A league file.
#[derive(Args)]
pub(crate) struct Options {
    /// The file; - for standard input
    file: PathBuf,
    /// The product that exported the file
    #[arg(long, value_parser = one_of!(LeagueFormat))]
    format: LeagueFormat,
    /// The sport, which the file does not include
    #[arg(long)]
    sport: LeagueSport,
    /// The IANA time zone of the file's times, such as Australia/Melbourne
    #[arg(long, value_name = "ZONE", value_parser = value::<TimeZoneName>)]
    time_zone: TimeZoneName,
    /// Check and count everything, but store nothing
    #[arg(long)]
    dry_run: bool,
    /// Skip invalid rows; by default one invalid row rejects the whole file
    #[arg(long)]
    skip_bad: bool,
}

/// How invalid rows are listed.
pub(super) const BAD_ROWS: &[Column<BadRow>] = &[
    ("LINE", Width::Whole, |it| it.line.to_string()),
    ("COLUMN", Width::Whole, |it| or_dash(it.column.as_ref())),
    ("REASON", Width::Whole, |it| it.reason.clone()),
];

/// Sends the file and reports the result.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let Options { file, format, sport, time_zone, dry_run, skip_bad } = options;
    let client = context.signed_in()?;
    let import = LeagueImport {
        format,
        sport,
        time_zone,
        content: read(&file)?,
        dry_run: dry_run.then_some(true),
        skip_bad: skip_bad.then_some(true),
    };
    let spinner = spinner(&file);
    let outcome = client.imports().league(&import).await;
    spinner.finish_and_clear();
    match outcome {
        Ok(report) => show(context, &report),
        Err(error) => Err(explain(context, &error).into()),
    }
}

fn explain(context: &Context, error: &Error) -> Failure {
    let failure = Failure::from(error);
    if matches!(error, Error::BodyTooLarge { .. }) || error.code() == Some(Code::BodyTooLarge) {
        return failure.next("split the file and import the parts");
    }
    let rows = refused_rows(error);
    if rows.is_empty() {
        return failure;
    }
    // JSON contains them in `bad_rows`.
    if !context.output.is_json() {
        note_list(&rows, BAD_ROWS);
    }
    failure
        .saying("nothing was imported, because the file has invalid rows")
        .next("correct these rows, or skip them with --skip-bad")
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = read_file(file).with_context(|| format!("{} cannot be read", file.display()))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(format!("{} is not UTF-8", file.display())).next("save it as CSV UTF-8").into()
    })
}

/// A spinner while the server works, only on a terminal.
fn spinner(file: &Path) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(format!("Importing {}", file.display()));
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

fn show(context: &Context, report: &LeagueReport) -> anyhow::Result<()> {
    if !report.bad_rows.is_empty() {
        note_list(&report.bad_rows, BAD_ROWS);
    }
    if report.dry_run {
        note("Dry run: nothing was stored.");
    }
    Ok(context.output.counts(&report.counts)?)
}

/// The bad rows because of which the server refused the file.
fn refused_rows(error: &Error) -> Vec<BadRow> {
    let rows = error.problem().and_then(|problem| problem.more.get("bad_rows")).cloned();
    rows.and_then(|rows| serde_json::from_value(rows).ok()).unwrap_or_default()
}
