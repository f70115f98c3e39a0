//! Imports of leagues.

use fieldhouse_api::imports::{BadRow, LeagueFormat, LeagueReport};
use fieldhouse_api::{Code, Data, op};
use fieldhouse_commands::imports::{Imported, League};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::text::InvalidValue;
use fieldhouse_imports::league::{Options, Schedule};
use fieldhouse_imports::playhq;
use serde_json::json;

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

/// The maximum number of bad rows in a response.
const NAMED: usize = 1000;

pub(crate) async fn league(call: Call<op::LeagueImport>) -> Result<Answered<op::LeagueImport>, Failure> {
    let (options, schedule) = (options(&call), schedule(&call)?);
    let skip_bad = call.body.skip_bad.unwrap_or(false);
    let dry_run = call.body.dry_run.unwrap_or(false);
    call.validated_only(dry_run)
        .run(League { options, schedule, skip_bad }, move |_, imported| match imported {
            Imported::Refused(bad) => Err(refused(&bad)),
            Imported::Done(counts, mut bad_rows) => {
                bad_rows.truncate(NAMED);
                Answered::json(&Data { data: LeagueReport { dry_run, counts, bad_rows } })
            }
        })
        .await
}

fn options(call: &Call<op::LeagueImport>) -> Options {
    Options { sport: call.body.sport.0.clone(), time_zone: call.body.time_zone.clone() }
}

fn schedule(call: &Call<op::LeagueImport>) -> Result<Schedule, Failure> {
    let bytes = call.body.content.as_bytes();
    let read = match call.body.format {
        LeagueFormat::Playhq => playhq::read(bytes),
    };
    read.map_err(|bad| {
        let wrong = InvalidValue::new(
            "bad_file",
            format!("cannot be imported: {bad}"),
            "Send the file as it was exported.",
        );
        Refusal::field("/content", wrong).into()
    })
}

fn refused(bad: &[BadRow]) -> Failure {
    let count = bad.len();
    let named: Vec<_> = bad.iter().take(NAMED).collect();
    let detail = format!(
        "Nothing was imported, because the file has invalid rows: {count}. Correct them, or set skip_bad to true."
    );
    Failure::new(Code::ValidationFailed, detail).with("bad_rows", json!(named)).with("bad_row_count", count)
}
