//! Seasons in the store, each with what it shows of itself and of its divisions.

use std::collections::BTreeSet;

use constcat::concat;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{Id as _, OrganizationId, SeasonId};
use fieldhouse_domain::record::{Record as _, Shared};
use fieldhouse_domain::rendered::Rendered;
use fieldhouse_domain::seasons::shown::{self, SeasonDivision};
use fieldhouse_domain::seasons::{Season, SeasonStatus};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use jiff::civil::Date;
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::ledger::reading::{CHANGES, changes, listed, positioned};
use crate::ledger::{Changed, Listing, Point};
use crate::query::{Query, queries};
use crate::rendered::{BATCH, Outdated};
use crate::row::Row;
use crate::search::name_matches;
use crate::value::{Value, id, values};
use crate::visits::having;
use crate::{divisions, duties, games, registrations, rosters, staff, teams};

/// The columns of a season, and what it shows of its divisions.
const COLUMNS: &str = concat!(Season::COLUMNS, ", s.divisions");

/// The condition that another version of Fieldhouse has rendered a season or its divisions. $3: the number of this one's shape.
const IS_OUTDATED: &str =
    "(substr(shown, 1, 1) <> $3 OR (divisions <> '[]' AND substr(divisions, 1, 1) <> $3))";

/// The columns of a season as JSON.
const RENDERED: &str = "s.id, s.listed_on, s.version, s.shown, s.divisions";

/// Seasons of the organization $1 that match the filters $4 to $7, after the position $2, $3.
macro_rules! page {
    ($and:expr) => {
        positioned!(
            RENDERED,
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
    CHANGED "seasons.changed_with_divisions" concat!("WITH page AS (", CHANGES, ") SELECT page.seq, page.position, page.id, page.verb, page.at, ",
        COLUMNS, " FROM page LEFT JOIN seasons s ON s.org_id = $1 AND s.id = page.id");
    READ "seasons.read" concat!("SELECT ", COLUMNS, " FROM seasons s WHERE s.org_id = $1 AND s.id = $2");
    READ_RENDERED "seasons.read_rendered" concat!("SELECT ", RENDERED, " FROM seasons s WHERE s.org_id = $1 AND s.id = $2");
    SHOW_DIVISIONS "seasons.show_divisions" "UPDATE seasons SET divisions = $3 WHERE org_id = $1 AND id = $2 AND divisions <> $3";
    OUTDATED "seasons.outdated" concat!("SELECT ", COLUMNS, " FROM seasons s WHERE s.org_id = $1 AND s.id > $2 AND ", IS_OUTDATED,
        " ORDER BY s.id LIMIT $4");
    WITH_OUTDATED "seasons.with_outdated" having!("seasons r WHERE r.org_id = h.org_id AND ", IS_OUTDATED);
    RENDER "seasons.render" "UPDATE seasons SET shown = $3, divisions = $4 WHERE org_id = $1 AND id = $2";
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
    pub divisions: Vec<SeasonDivision>,
}

/// A row of a season. Its divisions are `None` if another version of Fieldhouse has written them in a shape of its own.
struct Stored {
    season: Season,
    divisions: Option<Vec<SeasonDivision>>,
}

impl Stored {
    fn read(row: &mut Row<'_>) -> Result<Self> {
        let season = row.record()?;
        Self::of(season, row)
    }

    /// A season of which the next column has the divisions.
    fn of(season: Season, row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { season, divisions: shown::divisions(&row.text()?) })
    }

    /// With its divisions, which are read from their table if the row does not show them.
    async fn listed(self, reader: &mut impl Reader, organization: OrganizationId) -> Result<Listed> {
        let Self { season, divisions } = self;
        let divisions = match divisions {
            Some(divisions) => divisions,
            None => divisions::shown(reader, organization, season.id).await?,
        };
        Ok(Listed { season, divisions })
    }
}

impl From<Listed> for shown::Season {
    fn from(Listed { season, divisions }: Listed) -> Self {
        Self::new(season, divisions)
    }
}

/// A season as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The id.
    pub id: SeasonId,
    /// The date that seasons are listed by.
    pub listed_on: Date,
    /// The version.
    pub version: i64,
    json: String,
}

impl Line {
    /// Reads a line. Its JSON is empty if another version of Fieldhouse has written the season or its divisions.
    fn read(row: &mut Row<'_>) -> Result<Self> {
        let (id, listed_on, version) = (row.next()?, row.next()?, row.next()?);
        let json = shown::whole(&row.text()?, &row.text()?).unwrap_or_default();
        Ok(Self { id, listed_on, version, json })
    }
}

impl From<Listed> for Line {
    fn from(Listed { season, divisions }: Listed) -> Self {
        let json = shown::json(&season.image_text(), &divisions);
        Self { id: season.id, listed_on: season.listed_on(), version: season.version, json }
    }
}

/// A new season, which has no divisions.
impl From<Shared<Season>> for Line {
    fn from(season: Shared<Season>) -> Self {
        let json = shown::json(&season.stored_image(), &[]);
        Self { id: season.id, listed_on: season.listed_on(), version: season.version, json }
    }
}

impl Rendered for Line {
    type Shown = shown::Season;

    fn json(&self) -> &str {
        &self.json
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

/// Seasons as JSON, latest first, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    filter: &Filter,
    after: Option<(Date, Uuid)>,
    limit: u32,
) -> Result<Listing<Line>> {
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
    let mut lines = Vec::new();
    let found = listed(reader, query, organization, &values, |row| {
        lines.push(Line::read(row)?);
        Ok(())
    });
    let position = found.await?;
    Ok(Listing { position, records: rendered(reader, proof, lines).await? })
}

/// The lines, each with its JSON. A season that was deleted meanwhile is left out.
async fn rendered<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    mut lines: Vec<Line>,
) -> Result<Vec<Line>> {
    for line in lines.iter_mut().filter(|line| line.json().is_empty()) {
        if let Some(found) = read(reader, proof, line.id).await? {
            *line = found.into();
        }
    }
    lines.retain(|line| !line.json().is_empty());
    Ok(lines)
}

/// One season as JSON.
pub async fn line<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Option<Line>> {
    let values = values![id(proof.organization()), id(season)];
    match first(reader, READ_RENDERED, values, Line::read).await? {
        Some(line) if line.json.is_empty() => Ok(read(reader, proof, season).await?.map(Line::from)),
        found => Ok(found),
    }
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
        found.push(Stored::of(season, row)?);
        Ok(true)
    })
    .await?;
    for change in &mut changes {
        if let Some(at) = found.iter().position(|stored: &Stored| stored.season.id.uuid() == change.id) {
            let listed = found.swap_remove(at).listed(reader, proof.organization());
            change.record = Some(listed.await?);
        }
    }
    Ok(changes)
}

/// One season.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Option<Listed>> {
    let organization = proof.organization();
    let stored = first(reader, READ, values![id(organization), id(season)], Stored::read).await?;
    match stored {
        Some(stored) => Ok(Some(stored.listed(reader, organization).await?)),
        None => Ok(None),
    }
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
        let divisions = divisions::shown(tx, proof.organization(), season).await?;
        let stored = shown::stored_divisions(&divisions);
        let values = values![id(proof.organization()), id(season), stored.as_str()];
        tx.run(SHOW_DIVISIONS, values).await?;
    }
    Ok(())
}

impl Store {
    /// Renders again what another version of Fieldhouse has written of an organization's seasons, and returns how many there were.
    pub async fn render_seasons(&self, organization: OrganizationId) -> Result<usize> {
        self.render_again::<Listed>(organization).await
    }
}

impl Outdated for Listed {
    const TRANSACTION: &'static str = "seasons.render";
    const SHAPE: char = shown::SHAPE;
    const ORGANIZATIONS: &'static Query = WITH_OUTDATED;

    fn id(&self) -> Uuid {
        self.season.id.uuid()
    }

    async fn find(reader: &mut impl Reader, organization: OrganizationId, after: Uuid) -> Result<Vec<Self>> {
        let shape = Self::SHAPE.to_string();
        let values = values![id(organization), after, shape.as_str(), BATCH];
        let mut found = Vec::new();
        for stored in reader.rows(OUTDATED, values, Stored::read).await? {
            found.push(stored.listed(reader, organization).await?);
        }
        Ok(found)
    }

    async fn render(tx: &mut Tx<'_>, organization: OrganizationId, found: &[Self]) -> Result<()> {
        let row = |Self { season, divisions }: &Self| {
            let [season_shown, divisions_shown] =
                [shown::stored(&season.image_text()), shown::stored_divisions(divisions)];
            vec![id(organization), id(season.id), season_shown.into(), divisions_shown.into()]
        };
        tx.run_each(RENDER, &found.iter().map(row).collect::<Vec<_>>()).await
    }
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
