//! Imports of leagues: seasons, divisions, teams, venues and games in one change.
//!
//! A file is compared with a snapshot before the transaction, because that takes long for a large file and needs no lock. The transaction
//! checks that the records that the plan rests on still have the same versions, and only writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use fieldhouse_api::Operation;
use fieldhouse_domain::changesets::outcome::{Pin, digest};
use fieldhouse_domain::changesets::risk::Risk;
use fieldhouse_domain::changesets::{MAX_EFFECTS, Refused};
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ChangesetId, Id as _, OrganizationId, SeasonId};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_imports::formats::{self, LeagueFormat, Read, Reading};
use fieldhouse_imports::league::{self, Existing, Options, Plan, Schedule, Wanted};
use fieldhouse_imports::{BadFile, BadRow};
use fieldhouse_store::changesets::{self, Origin};
use fieldhouse_store::{OrgWrite, Proof, Reader, Tx, divisions, games, seasons, teams, venues};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::changesets::approvers_suffice;
use crate::hold::{fits_simulation, refuse_long};
use crate::{Command, Error, WriteContext};

/// How many existing records an import may change without a changeset, where enough others can approve one.
const DIRECT_CHANGES: usize = 50;

/// How many rows a file has at most that is proposed: each simulation and the execution compare all of them with the records, while SQLite's
/// only writer waits.
const MAX_ROWS: usize = 5_000;

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
    /// The plan. `None` if it is made in the transaction, as for the operator, who has no snapshot, and for a changeset.
    pub planned: Option<Planned>,
    /// Whether nothing is stored: only whether it has to be a changeset is found out.
    pub dry_run: bool,
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
    /// Nothing was stored, because it was a dry run.
    Checked {
        /// The plan.
        plan: Arc<Plan>,
        /// Why it has to be a changeset, if it has to.
        refusal: Option<Refused>,
    },
}

impl Command for League {
    const OPERATION: Operation = Operation::LeagueImport;
    type Output = Imported;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Imported, Error> {
        let wanted = league::wanted(&self.file.schedule.fixtures);
        let proof = cx.organization()?;
        let plan = if let Some(planned) = &self.planned {
            if !self.dry_run && versions(tx, proof, &wanted).await? != planned.versions {
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
        if cx.is_in_changeset() {
            self.file.refuse_large(&plan)?;
        } else {
            let refusal = required(tx, cx, &plan).await?;
            if self.dry_run {
                return Ok(Imported::Checked { plan, refusal });
            }
            if let Some(refusal) = refusal {
                return Err(Refusal::from(refusal).into());
            }
            cx.because("import");
        }
        cx.apply(tx, &plan.effects).await?;
        Ok(Imported::Done(plan))
    }
}

/// Why an import has to be a changeset: it changes many records, a changeset can hold it, and enough others can approve it.
async fn required<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    plan: &Plan,
) -> Result<Option<Refused>, Error> {
    if !changes_many(plan) || cx.user().is_err() || !approvers_suffice(tx, cx, Risk::R2).await? {
        return Ok(None);
    }
    let why = format!("it changes {} existing records, and others have to approve that", changed(plan));
    let template = json!({"query": {"as_changeset": "true"}});
    Ok(Some(Refused::Required { why, template }))
}

/// How many existing records a plan changes.
fn changed(plan: &Plan) -> usize {
    plan.effects.iter().filter(|effect| effect.before.is_some()).count()
}

/// Whether a plan changes so many existing records that it has to be a changeset, and a changeset can hold it.
pub fn changes_many(plan: &Plan) -> bool {
    changed(plan) > DIRECT_CHANGES && plan.effects.len() <= MAX_EFFECTS && fits_simulation(&plan.effects)
}

/// How a file is read, and what else is decided about it.
#[derive(Clone, Debug)]
pub struct FileOptions {
    /// How it is read.
    pub reading: Reading,
    /// The sport of new seasons. By default, that of the format.
    pub sport: Option<Sport>,
    /// Whether bad rows are skipped.
    pub skip_bad: bool,
}

/// Why a file cannot be read.
#[derive(Clone, Debug)]
pub enum Unreadable {
    /// It is no file of a format that is known.
    File(BadFile),
    /// Neither the caller nor its format names a sport.
    NoSport,
}

impl FileOptions {
    /// Reads a file.
    pub fn read(&self, content: &str) -> Result<(Read, LeagueFile), Unreadable> {
        let mut found = formats::read(content.as_bytes(), &self.reading).map_err(Unreadable::File)?;
        let sport = self.sport.clone().or_else(|| found.sport.clone()).ok_or(Unreadable::NoSport)?;
        let options = Options { sport, time_zone: found.time_zone.clone() };
        let schedule = std::mem::take(&mut found.schedule);
        Ok((found, LeagueFile { options, schedule, skip_bad: self.skip_bad }))
    }

    /// The same options for a file whose format has been recognized.
    #[must_use]
    pub fn of_format(self, format: LeagueFormat) -> Self {
        Self { reading: Reading { format, ..self.reading }, ..self }
    }

    /// The operation of a changeset that imports a file: what the file is, and how it is read.
    pub(crate) fn described(&self, name: Option<&Name>, content: &str) -> Json {
        let mut described = json!(self.reading);
        let mut file = json!({"bytes": content.len(), "sha256": digest(content)});
        if let Some(name) = name {
            file["name"] = json!(name);
        }
        if let Json::Object(described) = &mut described {
            described.insert("op".to_owned(), json!("import"));
            described.insert("file".to_owned(), file);
            described.insert("sport".to_owned(), json!(self.sport));
            described.insert("skip_bad".to_owned(), json!(self.skip_bad));
            described.retain(|_, value| !value.is_null());
        }
        described
    }

    fn of_described(described: &Json) -> Option<Self> {
        let field = |name: &str| described.get(name).cloned().unwrap_or_default();
        Some(Self {
            reading: serde_json::from_value(described.clone()).ok()?,
            sport: serde_json::from_value(field("sport")).ok()?,
            skip_bad: field("skip_bad").as_bool()?,
        })
    }
}

/// The operation of a changeset that imports a file, as it is shown. `None` if it cannot be read.
pub(crate) fn shown(origin: &Origin) -> Option<Json> {
    serde_json::from_str(origin.file_options.as_deref()?).ok()
}

/// Reads the file that is stored with a changeset.
pub(crate) async fn stored(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    changeset: ChangesetId,
) -> Result<LeagueFile, Error> {
    let described = shown(&changesets::origin(tx, organization, changeset).await?);
    let options = described.as_ref().and_then(FileOptions::of_described);
    let options = options.ok_or_else(|| {
        fieldhouse_store::Error::Internal(format!("the options of the file of {changeset} cannot be read"))
    })?;
    let content = changesets::file(tx, organization, changeset).await?;
    let unreadable = |_| Refusal::State("its file can no longer be read. Propose it again".to_owned());
    Ok(options.read(&content).map_err(unreadable)?.1)
}

/// What the plan of a file rests on: the existing records that it names, and which games their seasons have.
pub(crate) async fn pins<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    file: &LeagueFile,
) -> Result<Vec<Pin>, Error> {
    let found = without_games(tx, proof, &league::wanted(&file.schedule.fixtures)).await?;
    for (kind, versions) in [
        (Kind::Season, versions_of(&found.seasons, |it| (it.id.uuid(), it.version))),
        (Kind::Division, versions_of(&found.divisions, |it| (it.id.uuid(), it.version))),
        (Kind::Team, versions_of(&found.teams, |it| (it.id.uuid(), it.version))),
        (Kind::Venue, versions_of(&found.venues, |it| (it.id.uuid(), it.version))),
    ] {
        for (id, version) in versions {
            tx.note_read((kind, id), Some(version));
        }
    }
    let mut pins = Vec::new();
    for season in &found.seasons {
        let mut games = games::versions(tx, proof, season.id).await?;
        games.sort_unstable();
        let all: Vec<String> = games.iter().map(|(id, version)| format!("{id}@{version}")).collect();
        pins.push(Pin {
            of: "games_of_season".to_owned(),
            id: season.id.to_string(),
            seen: (!games.is_empty()).then(|| digest(&all.join(" "))),
        });
    }
    Ok(pins)
}

fn versions_of<T>(records: &[T], version: impl Fn(&T) -> (Uuid, i64)) -> Versions {
    records.iter().map(version).collect()
}

impl LeagueFile {
    /// Refuses a file that has too many rows to be planned in a transaction, and a plan with more effects than a changeset can have.
    pub fn refuse_large(&self, plan: &Plan) -> Result<(), Refusal> {
        let rows = self.schedule.fixtures.len().saturating_add(plan.bad.len());
        for (count, max, what) in [(rows, MAX_ROWS, "rows"), (plan.effects.len(), MAX_EFFECTS, "effects")] {
            if count > max {
                let advice = "Divide the file, for example by division or round";
                let large = format!("it has {count} {what}; {max} are the maximum. {advice}");
                return Err(Refused::TooLarge(large).into());
            }
        }
        Ok(())
    }

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
    let mut versions = versions_of(&existing.games, |it| (it.id.uuid(), it.version));
    versions.extend(versions_of(&existing.seasons, |it| (it.id.uuid(), it.version)));
    versions.extend(versions_of(&existing.divisions, |it| (it.id.uuid(), it.version)));
    versions.extend(versions_of(&existing.teams, |it| (it.id.uuid(), it.version)));
    versions.extend(versions_of(&existing.venues, |it| (it.id.uuid(), it.version)));
    versions.sort_unstable();
    versions
}
