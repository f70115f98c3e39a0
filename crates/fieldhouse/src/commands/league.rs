//! `fieldhouse import league`: shows what a league file changes, and imports it. `fieldhouse import formats` lists what can be imported.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::Code;
use fieldhouse_client::api::imports::{
    BadRow, DateOrder, Delimiter, ImportFormat, LeagueFormat, LeagueImport, LeagueReport,
};
use fieldhouse_client::{Client, Error};
use fieldhouse_domain::sports::LeagueSport;
use fieldhouse_domain::text::{Name, Reason};
use fieldhouse_domain::time::TimeZoneName;

use super::changesets::show_proposed;
use crate::arguments::{one_of, read_file, value};
use crate::confirm;
use crate::context::Context;
use crate::failure::Failure;
use crate::import_report::{self, BAD_ROWS};
use crate::output::{Column, Width, note, note_list, or_dash};
use crate::progress;

/// A league file.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Options {
    /// The file; - for standard input
    file: PathBuf,
    /// The format of the file; by default, it is recognized
    #[arg(long, value_parser = one_of!(LeagueFormat), default_value = "auto")]
    format: LeagueFormat,
    /// The sport of new seasons
    #[arg(long)]
    sport: Option<LeagueSport>,
    /// The IANA time zone of the file's times, such as Australia/Melbourne; by default, the file's or the organization's
    #[arg(long, value_name = "ZONE", value_parser = value::<TimeZoneName>)]
    time_zone: Option<TimeZoneName>,
    /// The name of the season, if the file does not name it
    #[arg(long, value_name = "NAME", value_parser = value::<Name>)]
    season: Option<Name>,
    /// The name of the division, if the file does not name it
    #[arg(long, value_name = "NAME", value_parser = value::<Name>)]
    division: Option<Name>,
    /// The character between columns; by default, it is detected
    #[arg(long, value_parser = one_of!(Delimiter))]
    delimiter: Option<Delimiter>,
    /// The order of day, month and year; by default, it is detected
    #[arg(long, value_parser = one_of!(DateOrder))]
    date_order: Option<DateOrder>,
    /// Show what would change, but store nothing
    #[arg(long)]
    dry_run: bool,
    /// Skip invalid rows; by default one invalid row rejects the whole file
    #[arg(long)]
    skip_bad: bool,
    /// Import without asking; on a terminal, you are asked after seeing what changes
    #[arg(long)]
    yes: bool,
    /// Propose the import as a changeset, which others approve, and simulate it
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    as_changeset: bool,
    /// The title of the changeset [default: \"Import of\" and the name of the file]
    #[arg(long, requires = "as_changeset", value_parser = value::<Name>)]
    title: Option<Name>,
    /// Why, for the reviewers of the changeset
    #[arg(long, requires = "as_changeset", value_parser = value::<Reason>)]
    reason: Option<Reason>,
}

/// How an import that changes many records is done.
const PROPOSE_IT: &str = "propose it: add --as-changeset";

const FORMATS: &[Column<ImportFormat>] = &[
    ("FORMAT", Width::Whole, |it| it.format.to_string()),
    ("FILE", Width::Least(20), |it| it.title.clone()),
    ("DATES", Width::Whole, |it| or_dash(it.date_order)),
    ("NEEDS", Width::Whole, |it| needs(it)),
];

/// Shows what the file changes, and imports it.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let import = LeagueImport {
        format: Some(options.format).filter(|format| *format != LeagueFormat::Auto),
        sport: options.sport,
        time_zone: options.time_zone,
        season: options.season,
        division: options.division,
        delimiter: options.delimiter,
        date_order: options.date_order,
        content: read(&options.file)?,
        dry_run: None,
        skip_bad: options.skip_bad.then_some(true),
        file_name: file_name(&options.file).filter(|_| options.as_changeset),
        title: options.title,
        reason: options.reason,
    };
    if options.as_changeset {
        let call = client.imports().league(&import).as_changeset();
        let proposed = waiting(context, &options.file, call).await?;
        return show_proposed(context, &proposed);
    }
    let tried = LeagueImport { dry_run: Some(true), ..import.clone() };
    if options.dry_run {
        let report = send(context, &client, &options.file, &tried).await?;
        return show(context, &report);
    }
    if options.yes || !confirm::has_terminal() {
        let report = send(context, &client, &options.file, &import).await?;
        return show(context, &report);
    }
    let plan = send(context, &client, &options.file, &tried).await?;
    if import_report::is_stored_already(&plan) {
        import_report::changes(&context.output, &plan)?;
        note("Nothing was imported, because everything in the file is stored already.");
        return Ok(());
    }
    if !context.output.is_json() {
        import_report::changes(&context.output, &plan)?;
    }
    if plan.changeset_required {
        let what = "nothing was imported, because it changes many records, and others have to approve that";
        return Err(Failure::new(what).next(PROPOSE_IT).into());
    }
    confirm::agree(&import_report::question(&plan))?;
    let report = send(context, &client, &options.file, &import).await?;
    Ok(context.output.sentence(&report, &import_report::outcome(&report))?)
}

/// Lists the formats.
pub(crate) async fn formats(context: &Context) -> anyhow::Result<()> {
    let listed = context.client()?.imports().formats().await?;
    Ok(context.output.list(&listed.formats, FORMATS)?)
}

/// The options that a format needs because its files do not say it.
fn needs(format: &ImportFormat) -> String {
    let missing = [(format.sport.is_none(), "--sport"), (!format.names_season, "--season")];
    let needed: Vec<&str> = missing.iter().filter(|(is_missing, _)| *is_missing).map(|(_, it)| *it).collect();
    or_dash(Some(needed.join(" ")).filter(|needed| !needed.is_empty()))
}

async fn send(
    context: &Context,
    client: &Client,
    file: &Path,
    import: &LeagueImport,
) -> anyhow::Result<LeagueReport> {
    waiting(context, file, client.imports().league(import).into_future()).await
}

/// Waits for the server, which reads the file.
async fn waiting<T>(
    context: &Context,
    file: &Path,
    answer: impl Future<Output = Result<T, Error>>,
) -> anyhow::Result<T> {
    let spinner = progress::spinner(progress::MESSAGE, format!("Reading {}", file.display()));
    let outcome = answer.await;
    spinner.finish_and_clear();
    outcome.map_err(|error| explain(context, &error).into())
}

/// The name of a file, as far as the server shows it.
fn file_name(file: &Path) -> Option<Name> {
    let name = file.file_name()?.to_string_lossy().into_owned();
    Name::parse(&name).ok().filter(|_| name != "-")
}

fn explain(context: &Context, error: &Error) -> Failure {
    let failure = Failure::from(error);
    match error.code() {
        Some(Code::BodyTooLarge) => return failure.next("split the file and import the parts"),
        Some(Code::SimulationTooLarge) => return failure.next("divide the file, and propose its parts"),
        Some(Code::ChangesetRequired) => return failure.next(PROPOSE_IT),
        Some(Code::LimitReached) => return failure.next("split the file by season and import the parts"),
        _ if matches!(error, Error::BodyTooLarge { .. }) => {
            return failure.next("split the file and import the parts");
        }
        _ => {}
    }
    let rows = refused_rows(error);
    let is_recognized = error.problem().is_some_and(|problem| problem.more.contains_key("recognised_as"));
    if is_recognized {
        return failure.next("`fieldhouse import formats` lists what can be imported");
    }
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
    match fieldhouse_imports::utf8(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(bad) => {
            let what = format!("{} cannot be imported: {bad}", file.display());
            Err(Failure::new(what).next("in Excel: Save As, then CSV UTF-8").into())
        }
    }
}

fn show(context: &Context, report: &LeagueReport) -> anyhow::Result<()> {
    import_report::changes(&context.output, report)?;
    if report.dry_run {
        note("Dry run: nothing was stored.");
        if report.changeset_required {
            note(
                "It changes many records, and others have to approve that. To propose it, add --as-changeset.",
            );
        }
    }
    Ok(())
}

/// The bad rows because of which the server refused the file.
fn refused_rows(error: &Error) -> Vec<BadRow> {
    let rows = error.problem().and_then(|problem| problem.more.get("bad_rows")).cloned();
    rows.and_then(|rows| serde_json::from_value(rows).ok()).unwrap_or_default()
}
