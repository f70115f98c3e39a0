//! Imports of leagues.

use std::sync::Arc;

use fieldhouse_api::imports::{
    BadRow, ImportFormat, ImportFormats, LeagueAnswer, LeagueFormat, LeagueReport,
};
use fieldhouse_api::{Code, Data, op};
use fieldhouse_commands::changesets::Import;
use fieldhouse_commands::imports::{
    FileOptions, Imported, League, LeagueFile, Planned, Unreadable, changes_many, snapshot,
};
use fieldhouse_domain::text::{InvalidValue, Name};
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_imports::BadFile;
use fieldhouse_imports::formats::{FORMATS, Format, Read, Reading};
use fieldhouse_imports::league::Plan;
use fieldhouse_store::organizations;
use serde_json::json;

use crate::answer::Answered;
use crate::background;
use crate::call::Call;
use crate::failure::Failure;
use crate::routes::changesets::{too_long, whole};

/// The maximum number of entries in each list of a report.
const NAMED: usize = 1000;

type LeagueCall = Arc<Call<op::LeagueImport>>;

/// How a file was read, without its content.
type Found = Arc<Read>;

pub(crate) async fn league(call: Call<op::LeagueImport>) -> Result<Answered<op::LeagueImport>, Failure> {
    let dry_run = call.body.dry_run.unwrap_or(false);
    let call = Arc::new(call.validated_only(dry_run));
    let (found, file, options) = read(&call).await?;
    if call.proposes() && !dry_run {
        return propose(call, &found, file, options).await;
    }
    if dry_run {
        let moment = call.app.clock.moment();
        let plan = planned(call.clone(), file.clone(), moment).await?.plan;
        if call.proposes() || !changes_many(&plan) {
            return answer(true, false, &found, &plan);
        }
    }
    let plan = move |call, moment| {
        let file = file.clone();
        async move {
            let planned = planned(call, file.clone(), moment).await?;
            Ok(League { file, planned: Some(planned), dry_run })
        }
    };
    call.run_planned(plan, move |_, imported| match imported {
        Imported::Refused(bad) => Err(refused(&bad)),
        Imported::Done(plan) => answer(false, false, &found, &plan),
        Imported::Checked { plan, refusal } => answer(true, refusal.is_some(), &found, &plan),
    })
    .await
}

/// Proposes the import as a changeset, and simulates it. What a changeset cannot hold is refused before the transaction.
async fn propose(
    call: Arc<Call<op::LeagueImport>>,
    found: &Read,
    file: Arc<LeagueFile>,
    options: FileOptions,
) -> Result<Answered<op::LeagueImport>, Failure> {
    let body = &call.body;
    if body.content.contains('\0') {
        let fix = "Send the file as it was exported, in one of the formats that can be imported.";
        let wrong = InvalidValue::new("bad_file", "has a character that no file may have, NUL", fix);
        return Err(Refusal::field("/content", wrong).into());
    }
    let title = body.title.clone().unwrap_or_else(|| {
        let file = body.file_name.as_ref().map_or_else(|| title(found), Name::as_str);
        Name::stored(format!("Import of {}", file.chars().take(80).collect::<String>()))
    });
    let import = Import {
        title,
        reason: body.reason.clone(),
        content: body.content.as_str().into(),
        file_name: body.file_name.clone(),
        options: options.of_format(found.format),
        salt: call.app.clock.random(),
    };
    let plan = move |call, moment| {
        let (file, import) = (file.clone(), import.clone());
        async move {
            file.refuse_large(&planned(call, file.clone(), moment).await?.plan)?;
            Ok(import)
        }
    };
    let ran = call.run_planned(plan, |_, shown| {
        let id = shown.changeset.id;
        let changeset = Box::new(Data { data: whole(shown) });
        Ok(Answered::json(&LeagueAnswer::Proposed(changeset))?.status(201).created(id))
    });
    too_long(ran.await)
}

fn answer(
    dry_run: bool,
    changeset_required: bool,
    found: &Read,
    plan: &Plan,
) -> Result<Answered<op::LeagueImport>, Failure> {
    let report = LeagueReport { changeset_required, ..report(dry_run, found, plan) };
    Answered::json(&LeagueAnswer::Report(Box::new(Data { data: report })))
}

pub(crate) async fn formats(call: Call<op::ImportFormats>) -> Result<Answered<op::ImportFormats>, Failure> {
    drop(call);
    let formats = FORMATS.into_iter().map(shown).collect();
    Answered::json(&Data { data: ImportFormats { formats } })
}

fn shown(format: &Format) -> ImportFormat {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    ImportFormat {
        format: format.name,
        title: format.title.to_owned(),
        columns: owned(format.required),
        optional_columns: owned(format.optional),
        date_order: format.date.map(|(_, order)| order),
        sport: format.sport.map(str::to_owned),
        names_season: format.names_season,
        names_division: format.names_division,
        rules: owned(format.rules),
    }
}

/// Reads the file.
async fn read(call: &LeagueCall) -> Result<(Found, Arc<LeagueFile>, FileOptions), Failure> {
    let body = &call.body;
    let organization = organizations::read(&mut call.store(), call.scope()?).await?;
    let reading = Reading {
        format: body.format.unwrap_or(LeagueFormat::Auto),
        delimiter: body.delimiter,
        date_order: body.date_order,
        season: body.season.clone(),
        division: body.division.clone(),
        time_zone: body.time_zone.clone(),
        home_zone: organization.ok_or_else(Failure::not_found)?.time_zone,
    };
    let sport = body.sport.clone().map(|sport| sport.0);
    let options = FileOptions { reading, sport, skip_bad: body.skip_bad.unwrap_or(false) };
    let (of_file, how) = (call.clone(), options.clone());
    let (found, file) =
        background::run(move || how.read(&of_file.body.content)).await?.map_err(unreadable)?;
    Ok((Arc::new(found), Arc::new(file), options))
}

/// Compares the file with the current records.
async fn planned(call: LeagueCall, file: Arc<LeagueFile>, moment: Moment) -> Result<Planned, Failure> {
    let (reader, of_reader) = (call.clone(), file.clone());
    let store = call.store();
    let existing = store.read("imports.snapshot", async move |tx| {
        Ok::<_, Failure>(snapshot(tx, reader.scope()?, &of_reader).await?)
    });
    let existing = existing.await?;
    let skip_bad = file.skip_bad;
    let planned = background::run(move || file.planned(&moment, existing)).await??;
    match planned.plan.bad.as_slice() {
        bad if !bad.is_empty() && !skip_bad => Err(refused(bad)),
        _ => Ok(planned),
    }
}

fn unreadable(unreadable: Unreadable) -> Failure {
    let bad = match unreadable {
        Unreadable::File(bad) => bad,
        Unreadable::NoSport => {
            let fix = "Send the sport, such as basketball.";
            let wrong = InvalidValue::new("required", "is missing, and the file does not name it", fix);
            return Refusal::field("/sport", wrong).into();
        }
    };
    let recognised_as = bad.recognised_as();
    let (pointer, wrong) = match bad {
        BadFile::NoSeason => {
            let fix = "Send the name of the season, such as Winter 2026.";
            ("/season", InvalidValue::new("required", "is missing, and the file does not name it", fix))
        }
        bad => {
            let fix = "Send the file as it was exported, in one of the formats that can be imported.";
            ("/content", InvalidValue::new("bad_file", format!("cannot be imported: {bad}"), fix))
        }
    };
    let failure = Failure::from(Refusal::field(pointer, wrong));
    match recognised_as {
        Some(product) => failure.with("recognised_as", product),
        None => failure,
    }
}

pub(super) fn refused(bad: &[BadRow]) -> Failure {
    let count = bad.len();
    let named: Vec<_> = bad.iter().take(NAMED).collect();
    let detail = format!(
        "Nothing was imported, because the file has invalid rows: {count}. Correct them, or set skip_bad to true."
    );
    Failure::new(Code::ValidationFailed, detail).with("bad_rows", json!(named)).with("bad_row_count", count)
}

/// What the product calls a file.
fn title(found: &Read) -> &'static str {
    FORMATS.into_iter().find(|format| format.name == found.format).map_or("", |format| format.title)
}

fn report(dry_run: bool, found: &Read, plan: &Plan) -> LeagueReport {
    LeagueReport {
        dry_run,
        changeset_required: false,
        format: found.format,
        recognised_as: title(found).to_owned(),
        delimiter: found.delimiter,
        date_order: found.date_order,
        time_zone: found.time_zone.to_string(),
        notes: found.notes.clone(),
        counts: plan.counts,
        matches: some(&plan.matches),
        suggestions: some(&plan.suggestions),
        bad_rows: some(&plan.bad),
        skipped_rows: some(&plan.skipped),
    }
}

pub(super) fn some<T: Clone>(all: &[T]) -> Vec<T> {
    all.iter().take(NAMED).cloned().collect()
}
