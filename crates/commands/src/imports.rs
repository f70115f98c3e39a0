//! Imports of leagues: seasons, divisions, teams, venues and games in one change.
//!
//! A file is compared with a snapshot before the transaction, because that takes long for a large file and needs no lock. The transaction
//! checks that the records that the plan rests on still have the same versions, and only writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use fieldhouse_api::Operation;
use fieldhouse_domain::ids::{Id as _, SeasonId};
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_imports::BadRow;
use fieldhouse_imports::league::{self, Existing, Options, Plan, Schedule, Wanted};
use fieldhouse_store::{Proof, Reader, Tx, divisions, games, seasons, teams, venues};
use uuid::Uuid;

use crate::hold::refuse_long;
use crate::{Command, Error, WriteContext};

/// A parsed file, and what it does not contain.
#[derive(Debug)]
pub struct LeagueFile {
    /// The options.
    pub options: Options,
    /// Its content.
    pub schedule: Schedule,
    /// Whether bad rows are skipped. Otherwise one of them rejects the whole file.
    pub skip_bad: bool,
}

/// Imports a league file.
#[derive(Debug)]
pub struct League {
    /// The file.
    pub file: Arc<LeagueFile>,
    /// The plan. `None` if it is made in the transaction, as for the operator, who has no snapshot.
    pub planned: Option<Planned>,
}

/// A plan, and what it rests on.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The changes.
    pub plan: Arc<Plan>,
    versions: Versions,
}

/// The ids and versions of records, in order.
type Versions = Vec<(Uuid, i64)>;

/// The result of an import.
#[derive(Debug)]
pub enum Imported {
    /// The plan was carried out.
    Done(Arc<Plan>),
    /// Nothing was stored, because of these rows.
    Refused(Vec<BadRow>),
}

impl Command for League {
    const OPERATION: Operation = Operation::LeagueImport;
    type Output = Imported;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Imported, Error> {
        let wanted = league::wanted(&self.file.schedule.fixtures);
        let proof = cx.organization()?;
        let plan = if let Some(planned) = &self.planned {
            if versions(tx, proof, &wanted).await? != planned.versions {
                return Err(Error::Stale);
            }
            planned.plan.clone()
        } else {
            let existing = existing(tx, proof, &wanted).await?;
            Arc::new(self.file.plan(cx.moment, existing))
        };
        if !plan.bad.is_empty() && !self.file.skip_bad {
            return Ok(Imported::Refused(plan.bad.clone()));
        }
        cx.because("import");
        cx.apply(tx, &plan.effects).await?;
        Ok(Imported::Done(plan))
    }
}

impl LeagueFile {
    /// Compares it with existing records.
    pub fn planned(&self, moment: &Moment, existing: Existing) -> Result<Planned, Refusal> {
        let versions = existing_versions(&existing);
        let plan = self.plan(moment, existing);
        let advice = "Split the file, for example by season, and import the parts";
        refuse_long(&plan.effects, "this import", advice)?;
        Ok(Planned { plan: Arc::new(plan), versions })
    }

    fn plan(&self, moment: &Moment, existing: Existing) -> Plan {
        league::plan(moment, &self.options, self.schedule.clone(), existing)
    }
}

/// What an organization has of a file. Read it in a read-only transaction, so that it is one snapshot.
pub async fn snapshot<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    file: &LeagueFile,
) -> Result<Existing, Error> {
    let mut found = existing(reader, proof, &league::wanted(&file.schedule.fixtures)).await?;
    found.other_seasons = seasons::names(reader, proof).await?;
    found.other_venues = venues::names(reader, proof).await?;
    Ok(found)
}

/// The existing records that the file may refer to.
async fn existing<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Wanted,
) -> Result<Existing, Error> {
    let mut existing = without_games(reader, proof, wanted).await?;
    for season in &existing.seasons {
        existing.games.extend(games::of_season(reader, proof, season.id).await?);
    }
    Ok(existing)
}

/// What [`existing_versions`] of the current records is, without reading all columns of the games.
async fn versions<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Wanted,
) -> Result<Versions, Error> {
    let now = without_games(reader, proof, wanted).await?;
    let mut versions = existing_versions(&now);
    for season in &now.seasons {
        let of_games = games::versions(reader, proof, season.id).await?;
        versions.extend(of_games.into_iter().map(|(id, version)| (id.uuid(), version)));
    }
    versions.sort_unstable();
    Ok(versions)
}

async fn without_games<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Wanted,
) -> Result<Existing, Error> {
    let mut existing = Existing::default();
    for name in &wanted.venue_names {
        existing.venues.extend(venues::by_name(reader, proof, name).await?);
    }
    for season in wanted_seasons(reader, proof, wanted).await? {
        existing.seasons.extend(seasons::read(reader, proof, season).await?.map(|listed| listed.season));
        existing.divisions.extend(divisions::of_season(reader, proof, season).await?);
        existing.teams.extend(teams::of_season(reader, proof, season).await?);
    }
    Ok(existing)
}

async fn wanted_seasons<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Wanted,
) -> Result<BTreeSet<SeasonId>, Error> {
    let mut ids = BTreeSet::new();
    for external_id in &wanted.season_external_ids {
        ids.extend(seasons::by_external_id(reader, proof, external_id).await?);
    }
    for folded in &wanted.season_names {
        ids.extend(seasons::by_name(reader, proof, folded).await?);
    }
    Ok(ids)
}

fn existing_versions(existing: &Existing) -> Versions {
    let mut versions: Versions = Vec::with_capacity(existing.games.len());
    versions.extend(existing.seasons.iter().map(|season| (season.id.uuid(), season.version)));
    versions.extend(existing.divisions.iter().map(|division| (division.id.uuid(), division.version)));
    versions.extend(existing.teams.iter().map(|team| (team.id.uuid(), team.version)));
    versions.extend(existing.venues.iter().map(|venue| (venue.id.uuid(), venue.version)));
    versions.extend(existing.games.iter().map(|game| (game.id.uuid(), game.version)));
    versions.sort_unstable();
    versions
}
