//! Seasons in the store, each with what it shows of its divisions.

use std::collections::BTreeSet;

use constcat::concat;
use fieldhouse_domain::divisions::{Division, DivisionGender};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{DivisionId, Id as _, SeasonId};
use fieldhouse_domain::record::{Cell, CellKind, Column};
use fieldhouse_domain::seasons::{Season, SeasonStatus};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use jiff::civil::Date;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::ledger::reading::{CHANGES, changes, listed, positioned};
use crate::ledger::{Changed, Listing, Point};
use crate::query::queries;
use crate::row::Row;
use crate::search::name_matches;
use crate::value::{Value, id, values};
use crate::{divisions, duties, games, registrations, rosters, staff, teams};

/// The columns of a season, and what it shows of its divisions.
const COLUMNS: &str = concat!(Season::COLUMNS, ", s.divisions");

/// Seasons of the organization $1 that match the filters $4 to $7, after the position $2, $3.
macro_rules! page {
    ($and:expr) => {
        positioned!(
            COLUMNS,
            concat!(
                "seasons s WHERE org_id = $1 AND (listed_on, id) < ($2, $3)
                    AND (CAST($4 AS TEXT) IS NULL OR status = $4) AND (CAST($5 AS TEXT) IS NULL OR sport = $5)
                    AND listed_on <= $6 AND COALESCE(ends_on, listed_on) >= $7",
                $and,
                " ORDER BY listed_on DESC, id DESC LIMIT $8"
            )
        )
    };
}

queries! {
    LIST "seasons.list" page!("");
    SEARCH "seasons.search" page!(name_matches!("9" "10" "11" "12" "13" "14"));
    CHANGED "seasons.changed" concat!("WITH page AS (", CHANGES, ") SELECT page.seq, page.position, page.id, page.verb, page.at, ",
        COLUMNS, " FROM page LEFT JOIN seasons s ON s.org_id = $1 AND s.id = page.id");
    READ "seasons.read" concat!("SELECT ", COLUMNS, " FROM seasons s WHERE s.org_id = $1 AND s.id = $2");
    SHOW_DIVISIONS "seasons.show_divisions" "UPDATE seasons SET divisions = $3 WHERE org_id = $1 AND id = $2 AND divisions <> $3";
    BY_NAME "seasons.by_name" "SELECT id FROM seasons WHERE org_id = $1 AND name_folded = $2";
    NAMES "seasons.names" "SELECT id, name FROM seasons WHERE org_id = $1 ORDER BY id DESC LIMIT 2000";
    BY_EXTERNAL_ID "seasons.by_external_id" "SELECT id FROM seasons WHERE org_id = $1 AND external_id = $2";
}

/// A date after all valid dates.
const AFTER_ALL_DAYS: &str = "9999-12-32";

/// A season with its divisions, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The season.
    pub season: Season,
    /// Its divisions.
    pub divisions: Vec<ListedDivision>,
}

/// A division of a season in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedDivision {
    /// The id.
    pub id: DivisionId,
    /// Its name.
    pub name: Name,
    /// Its age group.
    pub age_group: Option<Name>,
    /// Its gender.
    pub gender: Option<DivisionGender>,
}

/// The divisions of a season, as its column has them: a list of id, name, age group and gender each.
struct Divisions(Vec<ListedDivision>);

impl Column for Divisions {
    const KIND: CellKind = CellKind::Text;

    fn cell(&self) -> Cell<'_> {
        let all = self.0.iter().map(|ListedDivision { id, name, age_group, gender }| {
            json!([id.uuid().simple(), name.as_str(), age_group.as_ref().map(Name::as_str), gender])
        });
        Cell::Text(Json::Array(all.collect()).to_string().into())
    }

    fn from_cell(cell: Cell<'_>) -> std::result::Result<Self, String> {
        type Shown = (Uuid, String, Option<String>, Option<DivisionGender>);
        let shown: Vec<Shown> = serde_json::from_str(cell.text()?).map_err(|error| error.to_string())?;
        let division = |(id, name, age_group, gender): Shown| ListedDivision {
            id: DivisionId::from_uuid(id),
            name: Name::stored(name),
            age_group: age_group.map(Name::stored),
            gender,
        };
        Ok(Self(shown.into_iter().map(division).collect()))
    }
}

impl Listed {
    fn read(row: &mut Row<'_>) -> Result<Self> {
        let season = row.record()?;
        Ok(Self { season, divisions: row.next::<Divisions>()?.0 })
    }

    /// The date that seasons are listed by.
    pub fn listed_on(&self) -> Date {
        self.season.listed_on()
    }
}

/// Filters of seasons.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only seasons with this status.
    pub status: Option<SeasonStatus>,
    /// Only seasons of this sport.
    pub sport: Option<Sport>,
    /// Only seasons with at least one day in this year.
    pub year: Option<i16>,
    /// Only seasons whose folded name contains words that start with these.
    pub words: Vec<String>,
}

/// Seasons, latest first, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    filter: &Filter,
    after: Option<(Date, Uuid)>,
    limit: u32,
) -> Result<Listing<Listed>> {
    let organization = proof.organization();
    let org = id(organization);
    let day = after.map_or_else(|| AFTER_ALL_DAYS.to_owned(), |(day, _)| day.to_string());
    let last = after.map_or(Uuid::max(), |(_, last)| last);
    let status = filter.status.map(SeasonStatus::name);
    let sport = filter.sport.as_ref().map(Sport::as_str);
    let (from, to) = match filter.year {
        Some(year) => (format!("{year:04}-01-01"), format!("{year:04}-12-31")),
        None => (String::new(), AFTER_ALL_DAYS.to_owned()),
    };
    let mut values = values![org, day, last, status, sport, to, from, limit].to_vec();
    let query = if filter.words.is_empty() {
        LIST
    } else {
        values.extend(crate::search::patterns(&filter.words).map(Value::from));
        SEARCH
    };
    let mut records = Vec::new();
    let read = listed(reader, query, organization, &values, |row| {
        records.push(Listed::read(row)?);
        Ok(())
    });
    Ok(Listing { position: read.await?, records })
}

/// Seasons changed after a point in the ledger, each once, in the order of their latest entries, and deleted ones. Fewer than `limit` are
/// returned only if no more follow.
pub async fn changed<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    after: Point,
    limit: u32,
) -> Result<Vec<Changed<Listed>>> {
    let mut found = Vec::new();
    let of = (proof.organization(), Kind::Season);
    let mut changes: Vec<Changed<Listed>> = changes(reader, CHANGED, of, after, limit, |row| {
        let Some(season) = row.optional_record()? else { return Ok(false) };
        found.push(Listed { season, divisions: row.next::<Divisions>()?.0 });
        Ok(true)
    })
    .await?;
    for change in &mut changes {
        let at = found.iter().position(|listed| listed.season.id.uuid() == change.id);
        change.record = at.map(|at| found.swap_remove(at));
    }
    Ok(changes)
}

/// One season.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(season)], Listed::read).await
}

/// Writes what seasons show of their divisions, after effects on divisions.
pub(crate) async fn show_divisions<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    effects: &[Effect],
) -> Result<()> {
    let written = effects.iter().flat_map(|effect| [&effect.before, &effect.after]).flatten();
    let seasons: BTreeSet<SeasonId> = written
        .filter_map(|record| match record {
            AnyRecord::Division(division) => Some(division.season_id),
            _ => None,
        })
        .collect();
    for season in seasons {
        let divisions = divisions::of_season(tx, proof, season).await?;
        let shown = divisions.into_iter().map(|Division { id, name, age_group, gender, .. }| {
            ListedDivision { id, name, age_group, gender }
        });
        let values = values![id(proof.organization()), id(season), id(Divisions(shown.collect()))];
        tx.run(SHOW_DIVISIONS, values).await?;
    }
    Ok(())
}

/// The season with a folded name.
pub async fn by_name<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    folded: &str,
) -> Result<Option<SeasonId>> {
    first(reader, BY_NAME, values![id(proof.organization()), folded], |row| row.next()).await
}

/// The names of the 2,000 latest seasons.
pub async fn names<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<Vec<(SeasonId, Name)>> {
    let pair = |row: &mut Row<'_>| Ok((row.next()?, row.next()?));
    reader.rows(NAMES, values![id(proof.organization())], pair).await
}

/// The season with an external id.
pub async fn by_external_id<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    external_id: &ExternalId,
) -> Result<Option<SeasonId>> {
    first(reader, BY_EXTERNAL_ID, values![id(proof.organization()), external_id.as_str()], |row| row.next())
        .await
}

/// The divisions, teams, games, staff, duties, registrations and roster entries of a season.
pub async fn contents<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<AnyRecord>> {
    let mut records: Vec<AnyRecord> = Vec::new();
    records.extend(divisions::of_season(reader, proof, season).await?.into_iter().map(AnyRecord::from));
    records.extend(teams::of_season(reader, proof, season).await?.into_iter().map(AnyRecord::from));
    records.extend(games::of_season(reader, proof, season).await?.into_iter().map(AnyRecord::from));
    records.extend(staff::of_season(reader, proof, season).await?.into_iter().map(AnyRecord::from));
    records.extend(duties::of_season(reader, proof, season).await?.into_iter().map(AnyRecord::from));
    let registered = registrations::of_season(reader, proof.organization(), season).await?;
    records.extend(registered.into_iter().map(AnyRecord::from));
    records.extend(rosters::of_season(reader, proof, season).await?.into_iter().map(AnyRecord::from));
    Ok(records)
}
