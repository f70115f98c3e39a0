//! Imports of whole leagues.

use std::collections::BTreeSet;

use fieldhouse_api::imports::{BadRow, LeagueFormat, LeagueReport};
use fieldhouse_api::{Code, Data, op};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::text::NotText;
use fieldhouse_imports::league::{self, Existing, Options, Schedule, Wanted};
use fieldhouse_imports::playhq;
use fieldhouse_store::{OrgScope, OrgWrite, Tx, divisions, games, seasons, teams, venues};
use serde_json::json;

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

/// How many bad rows an answer names.
const NAMED: usize = 1000;

pub(crate) async fn league(call: Call<op::LeagueImport>) -> Result<Answered<op::LeagueImport>, Failure> {
    let options = options(&call);
    let schedule = schedule(&call)?;
    let wanted = league::wanted(&schedule.fixtures);
    call.write((options, schedule, wanted), |tx, acting, call, (options, schedule, wanted)| {
        Box::pin(async move {
            let existing = existing(tx, call.scope()?, &acting.proof, wanted).await?;
            let plan = league::plan(acting.moment, options, schedule.clone(), existing);
            let skip_bad = call.body.skip_bad.unwrap_or(false);
            let bad_rows: Vec<BadRow> = plan.bad.iter().take(NAMED).cloned().collect();
            if !plan.bad.is_empty() && !skip_bad {
                return Err(refused(&bad_rows, plan.bad.len()));
            }
            let dry_run = call.body.dry_run.unwrap_or(false);
            if !dry_run {
                acting.apply(tx, &plan.effects).await?;
            }
            Answered::json(&Data { data: LeagueReport { dry_run, counts: plan.counts, bad_rows } })
        })
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
        let wrong = NotText::new(
            "bad_file",
            format!("cannot be imported: {bad}"),
            "send the file as it was exported",
        );
        Refusal::field("/content", wrong).into()
    })
}

/// What the organization has of what an import is about.
async fn existing<'tx>(
    tx: &mut Tx<'tx>,
    scope: &OrgScope,
    proof: &OrgWrite<'tx>,
    wanted: &Wanted,
) -> Result<Existing, Failure> {
    let mut ids = BTreeSet::new();
    for external_id in &wanted.season_external_ids {
        ids.extend(seasons::by_external_id(tx, proof, external_id).await?);
    }
    for folded in &wanted.season_names {
        ids.extend(seasons::by_name(tx, proof, folded).await?);
    }
    let mut existing = Existing::default();
    for name in &wanted.venue_names {
        existing.venues.extend(venues::by_name(tx, proof, name).await?);
    }
    for season in ids {
        existing.seasons.extend(seasons::read(tx, scope, season).await?.map(|listed| listed.season));
        existing.divisions.extend(divisions::of_season(tx, proof, season).await?);
        existing.teams.extend(teams::of_season(tx, proof, season).await?);
        existing.games.extend(games::of_season(tx, proof, season).await?);
    }
    Ok(existing)
}

fn refused(bad_rows: &[BadRow], count: usize) -> Failure {
    let detail = format!(
        "{count} rows cannot be taken, so nothing was imported. Mend them, or send skip_bad to leave them out."
    );
    Failure::new(Code::ValidationFailed, detail)
        .with("bad_rows", json!(bad_rows))
        .with("bad_row_count", count)
}
