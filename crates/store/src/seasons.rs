//! Seasons in the store, read together with their divisions.

use std::cmp::Reverse;

use constcat::concat;
use fieldhouse_domain::divisions::DivisionGender;
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{DivisionId, Id as _, SeasonId};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::seasons::{Season, SeasonStatus};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use jiff::civil::Date;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::ledger::reading::{CHANGES, changes, listed, positioned};
use crate::ledger::{Changed, Listing, Point};
use crate::query::queries;
use crate::row::Row;
use crate::search::name_matches;
use crate::value::{Value, id, values};
use crate::{divisions, duties, games, registrations, rosters, staff, teams};

/// The columns of a season and of one of its divisions. An index has all of the division's.
const COLUMNS: &str = concat!(Season::COLUMNS, ", d.id, d.name_folded, d.name, d.age_group, d.gender");

/// Adds the divisions of each season, one a row, unordered. [`Gathering`] sorts them, because a sort in the database would have to carry
/// all their columns.
const WITH_DIVISIONS: &str = " LEFT JOIN divisions d ON d.org_id = $1 AND d.season_id = s.id";

/// Seasons of the organization $1 that match the filters $4 to $7, after the position $2, $3.
macro_rules! page {
    ($and:expr) => {
        positioned!(
            COLUMNS,
            concat!(
                "(SELECT * FROM seasons WHERE org_id = $1 AND (listed_on, id) < ($2, $3)
                    AND (CAST($4 AS TEXT) IS NULL OR status = $4) AND (CAST($5 AS TEXT) IS NULL OR sport = $5)
                    AND listed_on <= $6 AND COALESCE(ends_on, listed_on) >= $7",
                $and,
                " ORDER BY listed_on DESC, id DESC LIMIT $8) s",
                WITH_DIVISIONS
            )
        )
    };
}

queries! {
    LIST "seasons.list" page!("");
    SEARCH "seasons.search" page!(name_matches!("9" "10" "11" "12" "13" "14"));
    CHANGED "seasons.changed" concat!("WITH page AS (", CHANGES, ") SELECT page.seq, page.position, page.id, page.verb, page.at, ",
        COLUMNS, " FROM page LEFT JOIN seasons s ON s.org_id = $1 AND s.id = page.id", WITH_DIVISIONS);
    READ "seasons.read" concat!("SELECT ", COLUMNS, " FROM seasons s", WITH_DIVISIONS, " WHERE s.org_id = $1 AND s.id = $2");
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

impl Listed {
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
    let mut found = Gathering::default();
    let mut values = values![org, day, last, status, sport, to, from, limit].to_vec();
    let query = if filter.words.is_empty() {
        LIST
    } else {
        values.extend(crate::search::patterns(&filter.words).map(Value::from));
        SEARCH
    };
    let position = listed(reader, query, organization, &values, |row| found.take(row).map(drop)).await?;
    let records = found.by(|listed| Reverse((listed.listed_on(), listed.season.id)));
    Ok(Listing { position, records })
}

/// Seasons changed after a point in the ledger, each once, in the order of their latest entries, and deleted ones. Fewer than `limit` are
/// returned only if no more follow.
pub async fn changed<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    after: Point,
    limit: u32,
) -> Result<Vec<Changed<Listed>>> {
    let mut found = Gathering::default();
    let of = (proof.organization(), Kind::Season);
    let mut changes: Vec<Changed<Listed>> =
        changes(reader, CHANGED, of, after, limit, |row| found.take(row)).await?;
    let mut listed = found.by(|listed| listed.season.id);
    for change in &mut changes {
        let at = listed.iter().position(|listed| listed.season.id.uuid() == change.id);
        change.record = at.map(|at| listed.swap_remove(at));
    }
    Ok(changes)
}

/// One season.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Option<Listed>> {
    let mut found = Gathering::default();
    reader.rows(READ, values![id(proof.organization()), id(season)], |row| found.take(row)).await?;
    Ok(found.by(|listed| listed.season.id).pop())
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

/// Combines rows with one season and one division each.
#[derive(Default)]
struct Gathering(Vec<(Season, Vec<(String, ListedDivision)>)>);

impl Gathering {
    /// Adds a row's division to its season. Returns whether there is a season.
    fn take(&mut self, row: &mut Row<'_>) -> Result<bool> {
        let Some(season_id) = row.next::<Option<SeasonId>>()? else { return Ok(false) };
        row.back();
        let at = if let Some(at) = self.0.iter().rposition(|(season, _)| season.id == season_id) {
            row.skip(Season::FIELDS.len());
            at
        } else {
            self.0.push((row.record()?, Vec::new()));
            self.0.len() - 1
        };
        if let Some(id) = row.next()? {
            let folded = row.next()?;
            let (name, age_group, gender) = (row.next()?, row.next()?, row.next()?);
            self.0[at].1.push((folded, ListedDivision { id, name, age_group, gender }));
        }
        Ok(true)
    }

    /// All seasons in order, each with its divisions by name.
    fn by<K: Ord>(self, order: impl Fn(&Listed) -> K) -> Vec<Listed> {
        let listed = self.0.into_iter().map(|(season, mut divisions)| {
            divisions.sort_by(|(one, _), (other, _)| one.cmp(other));
            Listed { season, divisions: divisions.into_iter().map(|(_, division)| division).collect() }
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_by_cached_key(order);
        listed
    }
}
