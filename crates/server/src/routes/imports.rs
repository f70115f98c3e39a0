//! Imports of whole leagues.

use fieldhouse_api::imports::{BadRow, LeagueFormat, LeagueReport};
use fieldhouse_api::{Code, Data, op};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::imports::league::{self, Options, Schedule};
use fieldhouse_domain::imports::playhq;
use fieldhouse_domain::refusal::Check;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::NotText;
use fieldhouse_domain::time::TimeZoneName;
use serde_json::json;

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

/// How many bad rows an answer names.
const NAMED: usize = 1000;

pub(crate) async fn league(call: Call<op::LeagueImport>) -> Result<Answered<op::LeagueImport>, Failure> {
    let options = options(&call)?;
    let schedule = schedule(&call)?;
    let wanted = league::wanted(&schedule.fixtures);
    call.write((options, schedule, wanted), |tx, acting, call, (options, schedule, wanted)| {
        Box::pin(async move {
            let existing =
                fieldhouse_store::leagues::existing(tx, call.scope()?, &acting.proof, wanted).await?;
            let plan = league::plan(acting.moment, options, schedule.clone(), existing);
            let skip_bad = call.content().skip_bad.unwrap_or(false);
            let bad_rows: Vec<BadRow> = plan.bad.iter().take(NAMED).cloned().collect();
            if !plan.bad.is_empty() && !skip_bad {
                return Err(refused(&bad_rows, plan.bad.len()));
            }
            let dry_run = call.content().dry_run.unwrap_or(false);
            if !dry_run {
                acting.apply(tx, &plan.effects).await?;
            }
            Answered::json(&Data { data: LeagueReport { dry_run, counts: plan.counts, bad_rows } })
        })
    })
    .await
}

fn options(call: &Call<op::LeagueImport>) -> Result<Options, Failure> {
    let mut check = Check::default();
    let sport = check.field("/sport", Sport::of_league(&call.content().sport));
    let time_zone = check.field("/time_zone", TimeZoneName::parse(&call.content().time_zone));
    Ok(check.finish(sport.zip(time_zone).map(|(sport, time_zone)| Options { sport, time_zone }))?)
}

fn schedule(call: &Call<op::LeagueImport>) -> Result<Schedule, Failure> {
    let bytes = call.content().content.as_bytes();
    let read = match call.content().format {
        LeagueFormat::Playhq => playhq::read(bytes),
    };
    read.map_err(|bad| {
        let wrong = NotText::new(
            "bad_file",
            format!("cannot be imported: {bad}"),
            "send the file as it was exported",
        );
        Refusal::field("/content", wrong).into()
    })
}

fn refused(bad_rows: &[BadRow], count: usize) -> Failure {
    let detail = format!(
        "{count} rows cannot be taken, so nothing was imported. Mend them, or send skip_bad to leave them out."
    );
    Failure::new(Code::ValidationFailed, detail)
        .with("bad_rows", json!(bad_rows))
        .with("bad_row_count", count)
}
