//! Imports of leagues: seasons, divisions, teams, venues and games in one change.

use std::collections::BTreeSet;

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::{Effect, Kind};
use fieldhouse_imports::BadRow;
use fieldhouse_imports::league::{self, Counts, Existing, Options, Schedule, Wanted};
use fieldhouse_store::{OrgWrite, Tx, divisions, games, seasons, teams, venues};

use crate::{Command, Error, WriteContext};

/// Imports a league file.
#[derive(Debug)]
pub struct League {
    /// The options, for what the file does not contain.
    pub options: Options,
    /// The parsed file.
    pub schedule: Schedule,
    /// Whether bad rows are skipped. Otherwise one of them rejects the whole file.
    pub skip_bad: bool,
}

/// The result of an import.
#[derive(Debug)]
pub enum Imported {
    /// It was stored: the numbers of created, changed and unchanged records, and the skipped rows.
    Done(Counts, Vec<BadRow>),
    /// Nothing was stored, because of these rows.
    Refused(Vec<BadRow>),
}

impl Command for League {
    const OPERATION: Operation = Operation::LeagueImport;
    type Output = Imported;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Imported, Error> {
        let wanted = league::wanted(&self.schedule.fixtures);
        let existing = existing(tx, cx.organization()?, &wanted).await?;
        let plan = league::plan(cx.moment, &self.options, self.schedule.clone(), existing);
        if !plan.bad.is_empty() && !self.skip_bad {
            return Ok(Imported::Refused(plan.bad));
        }
        cx.because("import");
        let applied = cx.apply(tx, &plan.effects).await?;
        Ok(Imported::Done(with_touched_seasons(plan.counts, &applied), plan.bad))
    }
}

/// Counts seasons that gained a division as changed, even if the file changes nothing else about them.
fn with_touched_seasons(counts: Counts, applied: &[Effect]) -> Counts {
    let is_season = |effect: &&Effect| effect.record().is_some_and(|record| record.kind() == Kind::Season);
    let changed = applied.iter().filter(is_season).filter(|effect| effect.verb() == "updated").count() as u64;
    let touched = changed.saturating_sub(counts.seasons_updated);
    Counts {
        seasons_updated: counts.seasons_updated + touched,
        seasons_unchanged: counts.seasons_unchanged.saturating_sub(touched),
        ..counts
    }
}

/// The existing records that the file may refer to.
async fn existing<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, wanted: &Wanted) -> Result<Existing, Error> {
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
        existing.seasons.extend(seasons::read(tx, proof, season).await?.map(|listed| listed.season));
        existing.divisions.extend(divisions::of_season(tx, proof, season).await?);
        existing.teams.extend(teams::of_season(tx, proof, season).await?);
        existing.games.extend(games::of_season(tx, proof, season).await?);
    }
    Ok(existing)
}
