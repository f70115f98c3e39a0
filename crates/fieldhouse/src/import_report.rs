//! The report of an import, as tables: how the file was read, what changes, and what a person should look at.

use std::io;

use fieldhouse_client::api::imports::{BadRow, LeagueReport, Match, MatchHow, SkippedRow, Suggestion};
use serde::Serialize;

use crate::output::{Column, Output, Width, note, note_list, or_dash};

/// The numbers of one kind of record.
#[derive(Serialize)]
struct Row {
    kind: &'static str,
    new: u64,
    changed: u64,
    unchanged: u64,
}

/// How invalid rows are listed.
pub(crate) const BAD_ROWS: &[Column<BadRow>] = &[
    ("LINE", Width::Whole, |it| it.line.to_string()),
    ("COLUMN", Width::Whole, |it| or_dash(it.column.as_ref())),
    ("REASON", Width::Whole, |it| it.reason.clone()),
];
const COUNTS: &[Column<Row>] = &[
    ("", Width::Whole, |it| it.kind.to_owned()),
    ("NEW", Width::Whole, |it| it.new.to_string()),
    ("CHANGED", Width::Whole, |it| it.changed.to_string()),
    ("UNCHANGED", Width::Whole, |it| it.unchanged.to_string()),
];
const MATCHES: &[Column<Match>] = &[
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("IN THE FILE", Width::Least(16), |it| it.file_value.clone()),
    ("IS", Width::Least(16), |it| it.name.clone().unwrap_or_else(|| "new".to_owned())),
    ("FOUND BY", Width::Whole, |it| found_by(it.how).to_owned()),
];
const SUGGESTIONS: &[Column<Suggestion>] = &[
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("IN THE FILE", Width::Least(16), |it| it.file_value.clone()),
    ("LOOKS LIKE", Width::Least(16), |it| it.name.clone()),
    ("REASON", Width::Whole, |it| it.reason.clone()),
];
const SKIPPED: &[Column<SkippedRow>] = &[
    ("LINE", Width::Whole, |it| it.line.to_string()),
    ("NOT IMPORTED BECAUSE IT", Width::Whole, |it| it.reason.clone()),
];

fn found_by(how: MatchHow) -> &'static str {
    match how {
        MatchHow::ExternalId => "id",
        MatchHow::Name => "name",
        MatchHow::Created => "-",
        MatchHow::Teams => "teams",
        MatchHow::TimeAndPlace => "time and place",
    }
}

/// Shows a report. JSON is the whole report.
pub(crate) fn changes(output: &Output, report: &LeagueReport) -> io::Result<()> {
    if output.is_json() {
        return output.json(report);
    }
    note(&how_it_was_read(report));
    report.notes.iter().for_each(|text| note(text));
    let matches = worth_showing(report);
    if !matches.is_empty() {
        output.list(&matches, MATCHES)?;
        note("");
    }
    if !report.suggestions.is_empty() {
        note("These names look like another spelling. They are imported as new records:");
        output.list(&report.suggestions, SUGGESTIONS)?;
        note("If one is not new, rename it in the file or rename the record, and import again.");
        note("");
    }
    if !report.skipped_rows.is_empty() {
        note_list(&report.skipped_rows, SKIPPED);
        note("");
    }
    if !report.bad_rows.is_empty() {
        note_list(&report.bad_rows, BAD_ROWS);
        note("");
    }
    output.list(&rows(report), COUNTS)?;
    let counts = &report.counts;
    let (rows, bad, skipped, byes) = (counts.rows, counts.bad_rows, counts.skipped_rows, counts.byes);
    note(&format!(
        "Rows: {rows}, of which {bad} are bad and {skipped} skipped. Byes among the games: {byes}."
    ));
    Ok(())
}

/// The question before an import.
pub(crate) fn question(plan: &LeagueReport) -> String {
    let [new, changed] = totals(plan);
    format!("Import {new} new and {changed} changed records?")
}

/// What was imported, in one line.
pub(crate) fn outcome(report: &LeagueReport) -> String {
    let [new, changed] = totals(report);
    format!("Imported {new} new and {changed} changed records.")
}

/// Whether the file has nothing that is not stored already.
pub(crate) fn is_stored_already(report: &LeagueReport) -> bool {
    totals(report) == [0, 0]
}

/// The numbers of new and changed records.
fn totals(report: &LeagueReport) -> [u64; 2] {
    let rows = rows(report);
    [rows.iter().map(|row| row.new).sum(), rows.iter().map(|row| row.changed).sum()]
}

fn how_it_was_read(report: &LeagueReport) -> String {
    let table = match (report.delimiter, report.date_order) {
        (Some(delimiter), Some(order)) => format!(", delimiter {delimiter}, dates {order}"),
        _ => String::new(),
    };
    let (title, format, zone) = (&report.recognised_as, report.format, &report.time_zone);
    format!("Read as {title} ({format}){table}, times in {zone}.")
}

/// Matches that are not obvious: another spelling, a game with another time or other teams, and new records beside existing ones.
fn worth_showing(report: &LeagueReport) -> Vec<Match> {
    let known = |one: &Match| {
        report.matches.iter().any(|other| other.kind == one.kind && other.how != MatchHow::Created)
    };
    let shown = |one: &&Match| match one.how {
        MatchHow::Created => known(one),
        _ => one.name.as_ref() != Some(&one.file_value),
    };
    report.matches.iter().filter(shown).cloned().collect()
}

fn rows(report: &LeagueReport) -> [Row; 5] {
    let it = &report.counts;
    let row = |kind, [new, changed, unchanged]: [u64; 3]| Row { kind, new, changed, unchanged };
    [
        row("seasons", [it.seasons_created, it.seasons_updated, it.seasons_unchanged]),
        row("divisions", [it.divisions_created, it.divisions_updated, it.divisions_unchanged]),
        row("teams", [it.teams_created, it.teams_updated, it.teams_unchanged]),
        row("venues", [it.venues_created, it.venues_updated, it.venues_unchanged]),
        row("games", [it.games_created, it.games_updated, it.games_unchanged]),
    ]
}
