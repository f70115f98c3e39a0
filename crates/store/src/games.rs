//! Games in the store.

use std::collections::HashMap;

use constcat::concat;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::games::shown::{self, Json, Names};
use fieldhouse_domain::games::{Game, GameSort, GameStatus, LONGEST, occupies};
use fieldhouse_domain::ids::{ChildId, DivisionId, GameId, Id, OrganizationId, SeasonId, TeamId, VenueId};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::rendered::Rendered;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::venues::Venue;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::engine::{Engine, Reader, Store, Tx, first};
use crate::error::Result;
use crate::ledger::reading::{self, CHANGES, positioned};
use crate::ledger::{Changed, Listing, Point};
use crate::places::Stay;
use crate::query::{Query, queries};
use crate::records;
use crate::rendered::{BATCH, Outdated};
use crate::row::{Row, record};
use crate::value::{Value, id, values};
use crate::visits::having;

/// The columns of a game, and what it shows of its teams and venue: their names.
const COLUMNS: &str = concat!(Game::COLUMNS, NAMES);
const NAMES: &str = ", g.home_name, g.away_name, g.venue_name";
/// The columns of a game as JSON.
const RENDERED: &str = concat!("g.id, g.starts_at, g.time_tbd, g.version, g.shown", NAMES);

/// Games after the position $2, $3 that start before $4, and match the filters $5 to $9. `$and` narrows them by an index. The position is
/// the only other bound, because SQLite uses one of several: a page that began at another would read all games before its own.
macro_rules! page {
    ($and:expr) => {
        page!($and, ">", "<", "g.starts_at, g.id")
    };
    ($and:expr, reversed) => {
        page!($and, "<", ">=", "g.starts_at DESC, g.id DESC")
    };
    ($and:expr, $after:literal, $until:literal, $order:literal) => {
        positioned!(
            RENDERED,
            concat!(
                "games g WHERE g.org_id = $1",
                $and,
                " AND (g.starts_at, g.id) ",
                $after,
                " ($2, $3) AND g.starts_at ",
                $until,
                " $4 AND (CAST($5 AS UUID) IS NULL OR g.season_id = $5)
                AND (CAST($6 AS UUID) IS NULL OR g.division_id = $6) AND (CAST($7 AS UUID) IS NULL OR g.venue_id = $7)
                AND (CAST($8 AS TEXT) IS NULL OR g.status = $8) AND (CAST($9 AS TEXT) IS NULL OR g.round = $9)
                ORDER BY ",
                $order,
                " LIMIT $10"
            )
        )
    };
}

/// The condition that a game is one of a team, at home or away, within a time: two ranges of indexes.
macro_rules! of_team {
    ($team:literal, $within:literal) => {
        concat!(
            " AND g.id IN (SELECT id FROM games WHERE org_id = $1 AND home_team_id = ",
            $team,
            " AND ",
            $within,
            "
            UNION SELECT id FROM games WHERE org_id = $1 AND away_team_id = ",
            $team,
            " AND ",
            $within,
            ")"
        )
    };
}

/// Games after the position $2, $3 that are upcoming at $4: those without a time are on all of their day. They start before $5 and have the
/// status $6. `$and` narrows them by an index.
macro_rules! upcoming {
    ($and:expr) => {
        concat!(
            "SELECT ",
            RENDERED,
            " FROM games g WHERE g.org_id = $1",
            $and,
            " AND (g.starts_at, g.id) > ($2, $3) AND (g.starts_at >= $4 OR g.time_tbd) AND g.starts_at < $5
            AND (CAST($6 AS TEXT) IS NULL OR g.status = $6) ORDER BY g.starts_at, g.id LIMIT $7"
        )
    };
}

/// How many games are read together to compare their times with the rules of time zones.
const READ_TOGETHER: u32 = 500;

queries! {
    UPCOMING "games.upcoming" upcoming!("");
    UPCOMING_OF_SEASON "games.upcoming_of_season" upcoming!(" AND g.season_id = $8");
    UPCOMING_OF_TEAM "games.upcoming_of_team" upcoming!(concat!(of_team!("$8", "starts_at >= $2 AND starts_at < $5"),
        " AND (CAST($9 AS UUID) IS NULL OR g.season_id = $9)"));
    NEXT_START "games.next_start" "SELECT starts_at FROM games WHERE org_id = $1 AND starts_at >= $2 ORDER BY starts_at LIMIT 1";
    READ "games.read" concat!("SELECT ", COLUMNS, " FROM games g WHERE g.org_id = $1 AND g.id = $2");
    READ_RENDERED "games.read_rendered" concat!("SELECT ", RENDERED, " FROM games g WHERE g.org_id = $1 AND g.id = $2");
    OUTDATED "games.outdated" concat!("SELECT ", Game::COLUMNS, " FROM games g WHERE g.org_id = $1 AND g.id > $2
        AND substr(g.shown, 1, 1) <> $3 ORDER BY g.id LIMIT $4");
    WITH_OUTDATED "games.with_outdated" having!("games r WHERE r.org_id = h.org_id AND substr(r.shown, 1, 1) <> $3");
    RENDER "games.render" "UPDATE games SET shown = $3 WHERE org_id = $1 AND id = $2";
    VERSIONS "games.versions" "SELECT id, version FROM games WHERE org_id = $1 AND season_id = $2";
    LIST "games.list" page!("");
    LIST_REVERSED "games.list_reversed" page!("", reversed);
    LIST_OF_SEASON "games.list_of_season" page!(" AND g.season_id = $5");
    LIST_OF_SEASON_REVERSED "games.list_of_season_reversed" page!(" AND g.season_id = $5", reversed);
    LIST_OF_DIVISION "games.list_of_division" page!(" AND g.division_id = $6");
    LIST_OF_DIVISION_REVERSED "games.list_of_division_reversed" page!(" AND g.division_id = $6", reversed);
    LIST_OF_VENUE "games.list_of_venue" page!(" AND g.venue_id = $7");
    LIST_OF_VENUE_REVERSED "games.list_of_venue_reversed" page!(" AND g.venue_id = $7", reversed);
    LIST_OF_TEAM "games.list_of_team" page!(of_team!("$11", "starts_at >= $2 AND starts_at < $4"));
    LIST_OF_TEAM_REVERSED "games.list_of_team_reversed" page!(of_team!("$11", "starts_at <= $2 AND starts_at >= $4"), reversed);
    CHANGED "games.changed_with_names" concat!("WITH page AS (", CHANGES, ") SELECT page.seq, page.position, page.id, page.verb, page.at, ",
        COLUMNS, " FROM page LEFT JOIN games g ON g.org_id = $1 AND g.id = page.id");
    NEARBY "games.nearby" @read_once concat!("SELECT ", Game::COLUMNS, " FROM games g WHERE g.org_id = $1 AND g.ends_at > $2 AND g.id IN (
        SELECT id FROM games WHERE org_id = $1 AND venue_id = $5 AND starts_at > $3 AND starts_at < $4
        UNION SELECT id FROM games WHERE org_id = $1 AND home_team_id IN ($6, $7) AND starts_at > $3 AND starts_at < $4
        UNION SELECT id FROM games WHERE org_id = $1 AND away_team_id IN ($6, $7) AND starts_at > $3 AND starts_at < $4)");
    FROM "games.from" concat!("SELECT ", Game::COLUMNS, " FROM games g WHERE g.org_id = $1 AND (g.starts_at, g.id) > ($2, $3)
        ORDER BY g.starts_at, g.id LIMIT $4");
    WITH_LATER "games.with_later" having!("games r WHERE r.org_id = h.org_id AND r.starts_at > $3");
    SHOW_NAMES "games.show_names" "UPDATE games SET home_name = (SELECT t.name FROM teams t WHERE t.org_id = $1 AND t.id = home_team_id),
        away_name = (SELECT t.name FROM teams t WHERE t.org_id = $1 AND t.id = away_team_id),
        venue_name = (SELECT v.name FROM venues v WHERE v.org_id = $1 AND v.id = venue_id) WHERE org_id = $1 AND id = $2";
    SHOW_HOME "games.show_home" "UPDATE games SET home_name = $3 WHERE org_id = $1 AND home_team_id = $2";
    SHOW_AWAY "games.show_away" "UPDATE games SET away_name = $3 WHERE org_id = $1 AND away_team_id = $2";
    SHOW_VENUE "games.show_venue" "UPDATE games SET venue_name = $3 WHERE org_id = $1 AND venue_id = $2";
    OF_SEASON "games.of_season" concat!("SELECT ", Game::COLUMNS, " FROM games g WHERE g.org_id = $1 AND g.season_id = $2");
}

/// A game with the names of its teams and venue.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The game.
    pub game: Game,
    /// The names.
    pub names: Names<String>,
}

impl Listed {
    fn read(row: &mut Row<'_>) -> Result<Self> {
        let game = row.record()?;
        Self::of(game, row)
    }

    /// A game with its names, which are the next columns.
    fn of(game: Game, row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { game, names: Names { home: row.next()?, away: row.next()?, venue: row.next()? } })
    }
}

impl From<Listed> for shown::Game {
    fn from(Listed { game, names }: Listed) -> Self {
        Self::new(game, names)
    }
}

/// A game as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The id.
    pub id: GameId,
    /// When it starts.
    pub starts_at: Timestamp,
    /// Whether only the day is known.
    pub time_tbd: bool,
    /// The version.
    pub version: i64,
    json: Json,
}

impl Line {
    /// Reads a line. Its JSON is empty if another version of Fieldhouse has written the game.
    fn read(row: &mut Row<'_>) -> Result<Self> {
        let (id, starts_at, time_tbd, version) = (row.next()?, row.next()?, row.next()?, row.next()?);
        let shown = row.text()?;
        let names =
            Names { home: row.optional_text()?, away: row.optional_text()?, venue: row.optional_text()? };
        let json = Json::new(&shown, version, &names).unwrap_or_default();
        Ok(Self { id, starts_at, time_tbd, version, json })
    }

    /// Its position in lists by start.
    pub fn point(&self) -> (Timestamp, Uuid) {
        (self.starts_at, self.id.uuid())
    }

    /// The home and the away team.
    pub fn teams(&self) -> [Option<TeamId>; 2] {
        self.json.teams()
    }

    /// The first instant at which it is not among the upcoming games, at the earliest.
    pub fn leaves(&self) -> Timestamp {
        let later = if self.time_tbd { LONGEST_DAY } else { SignedDuration::ZERO };
        self.starts_at.saturating_add(later).unwrap_or(Timestamp::MAX)
    }

    /// The line with the caller's children who are in one of its teams.
    #[must_use]
    pub fn with_children(mut self, children: &[ChildId]) -> Self {
        self.json.add_children(children);
        self
    }
}

impl From<Listed> for Line {
    fn from(Listed { game, names }: Listed) -> Self {
        let stored = shown::stored(&game, &game.image_text());
        let json = Json::new(&stored, game.version, &names).unwrap_or_default();
        let Game { id, starts_at, time_tbd, version, .. } = game;
        Self { id, starts_at, time_tbd, version, json }
    }
}

impl Rendered for Line {
    type Shown = shown::Game;

    fn json(&self) -> &str {
        self.json.as_str()
    }
}

/// Filters of upcoming games.
#[derive(Clone, Debug, Default)]
pub struct Upcoming {
    /// The earliest start. A game without a time counts until its day is over.
    pub from: Timestamp,
    /// The start must be before this.
    pub to: Timestamp,
    /// Only games of this team.
    pub team: Option<TeamId>,
    /// Only games of these teams, each within the time in which someone belongs to it.
    pub stays: Option<Vec<Stay>>,
    /// Only games of this season.
    pub season: Option<SeasonId>,
    /// Only games with this status.
    pub status: Option<GameStatus>,
}

/// The maximum length of a day: how long before `from` the day of a game without a time may have started.
const LONGEST_DAY: SignedDuration = SignedDuration::from_hours(25);

/// The first start of a game at or after a time.
pub async fn next_start<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    from: Timestamp,
) -> Result<Option<Timestamp>> {
    first(reader, NEXT_START, values![id(proof.organization()), from], |row| row.next()).await
}

/// Upcoming games, soonest first, after a position.
pub async fn upcoming<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Upcoming,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Line>> {
    let Some(stays) = &wanted.stays else {
        return within(reader, proof, wanted, (Timestamp::MIN, Timestamp::MAX), after, limit).await;
    };
    let mut found = Vec::new();
    for stay in stays.iter().filter(|stay| wanted.team.is_none_or(|team| team == stay.team)) {
        let of_team = Upcoming { team: Some(stay.team), ..wanted.clone() };
        found.extend(within(reader, proof, &of_team, (stay.from, stay.until), after, limit).await?);
    }
    found.sort_by_key(Line::point);
    found.dedup_by_key(|line| line.id);
    found.truncate(limit as usize);
    Ok(found)
}

/// Upcoming games that start within a time, without regard to the stays that are wanted.
async fn within<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Upcoming,
    (first, end): (Timestamp, Timestamp),
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Line>> {
    let org = id(proof.organization());
    let day = wanted.from.saturating_sub(LONGEST_DAY).unwrap_or(Timestamp::MIN).max(first);
    let start = (day, Uuid::nil());
    let (at, last) = after.unwrap_or(start).max(start);
    let status = wanted.status.map(GameStatus::name);
    let (from, to) = (wanted.from.max(first), wanted.to.min(end));
    let found = match (wanted.team, wanted.season) {
        (None, None) => {
            reader.rows(UPCOMING, values![org, at, last, from, to, status, limit], Line::read).await?
        }
        (None, Some(season)) => {
            let values = values![org, at, last, from, to, status, limit, season.uuid()];
            reader.rows(UPCOMING_OF_SEASON, values, Line::read).await?
        }
        (Some(team), season) => {
            let season = season.map(Id::uuid);
            let values = values![org, at, last, from, to, status, limit, team.uuid(), season];
            reader.rows(UPCOMING_OF_TEAM, values, Line::read).await?
        }
    };
    rendered(reader, proof, found).await
}

/// Filters and order of games.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only games that start at this time or later.
    pub from: Option<Timestamp>,
    /// Only games that start before this time.
    pub to: Option<Timestamp>,
    /// Only games of this season.
    pub season: Option<SeasonId>,
    /// Only games of this division.
    pub division: Option<DivisionId>,
    /// Only games of this team.
    pub team: Option<TeamId>,
    /// Only games at this venue.
    pub venue: Option<VenueId>,
    /// Only games with this status.
    pub status: Option<GameStatus>,
    /// Only games of this round.
    pub round: Option<String>,
    /// The order; by start if there is none.
    pub sort: Option<GameSort>,
}

impl Filter {
    /// The query with the index that leaves the fewest games, in both orders.
    fn queries(&self) -> [&'static Query; 2] {
        match self {
            Self { team: Some(_), .. } => [LIST_OF_TEAM, LIST_OF_TEAM_REVERSED],
            Self { venue: Some(_), .. } => [LIST_OF_VENUE, LIST_OF_VENUE_REVERSED],
            Self { division: Some(_), .. } => [LIST_OF_DIVISION, LIST_OF_DIVISION_REVERSED],
            Self { season: Some(_), .. } => [LIST_OF_SEASON, LIST_OF_SEASON_REVERSED],
            _ => [LIST, LIST_REVERSED],
        }
    }
}

/// Games by start, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    filter: &Filter,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Listing<Line>> {
    let [forwards, backwards] = filter.queries();
    let (from, to) = (filter.from.unwrap_or(Timestamp::MIN), filter.to.unwrap_or(Timestamp::MAX));
    // No game has the nil id: those after it are all that start then or later, and those before it all that start earlier.
    let (first, end) = ((from, Uuid::nil()), (to, Uuid::nil()));
    let (query, (at, last), until) = match filter.sort {
        Some(GameSort::StartsAtReversed) => (backwards, after.unwrap_or(end).min(end), from),
        Some(GameSort::StartsAt) | None => (forwards, after.unwrap_or(first).max(first), to),
    };
    let (season, division) = (filter.season.map(Id::uuid), filter.division.map(Id::uuid));
    let (venue, status) = (filter.venue.map(Id::uuid), filter.status.map(GameStatus::name));
    let org = id(proof.organization());
    let round = filter.round.as_ref();
    let mut values = values![org, at, last, until, season, division, venue, status, round, limit].to_vec();
    values.extend(filter.team.map(|team| Value::from(team.uuid())));
    let mut records = Vec::new();
    let found = reading::listed(reader, query, proof.organization(), &values, |row| {
        records.push(Line::read(row)?);
        Ok(())
    });
    let position = found.await?;
    Ok(Listing { position, records: rendered(reader, proof, records).await? })
}

/// Games changed after a point in the ledger, each once, in the order of their latest entries, and deleted ones. Fewer than `limit` are
/// returned only if no more follow.
pub async fn changed<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    after: Point,
    limit: u32,
) -> Result<Vec<Changed<Listed>>> {
    let mut found = HashMap::new();
    let of = (proof.organization(), Kind::Game);
    let mut changes: Vec<Changed<Listed>> = reading::changes(reader, CHANGED, of, after, limit, |row| {
        let Some(game) = row.optional_record::<Game>()? else { return Ok(false) };
        found.insert(game.id.uuid(), Listed::of(game, row)?);
        Ok(true)
    })
    .await?;
    for change in &mut changes {
        change.record = found.remove(&change.id);
    }
    Ok(changes)
}

/// The other games that may share the time of a game and its venue or a team: those that end after its start and start before its end.
pub async fn nearby<R: Reader>(reader: &mut R, proof: &impl Proof<R>, game: &Game) -> Result<Vec<Game>> {
    match around(proof.organization(), game) {
        Some(values) => reader.rows(NEARBY, &values, record).await,
        None => Ok(Vec::new()),
    }
}

/// Reads the games near each of these before [`nearby`] asks for them.
pub async fn read_nearby_ahead<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    games: impl Iterator<Item = &Game>,
) -> Result<()> {
    let all: Vec<_> = games.filter_map(|game| around(proof.organization(), game)).collect();
    tx.read_ahead(NEARBY, &all).await
}

/// Reads the divisions, teams and venues of games before commands ask for them one by one, if that saves round trips.
pub async fn read_places_ahead<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, games: &[Uuid]) -> Result<()> {
    if tx.engine() == Engine::Sqlite {
        return Ok(());
    }
    let org = proof.organization();
    let (mut divisions, mut teams, mut venues) = (Vec::new(), Vec::new(), Vec::new());
    for game in games {
        let Some(game) = records::read_one::<Game>(tx, org, values![id(org), *game]).await? else { continue };
        divisions.push(game.division_id.uuid());
        teams.extend([game.home_team_id, game.away_team_id].into_iter().flatten().map(TeamId::uuid));
        venues.extend(game.venue_id.map(VenueId::uuid));
    }
    records::read_ahead::<Division>(tx, proof, &divisions).await?;
    records::read_ahead::<Team>(tx, proof, &teams).await?;
    records::read_ahead::<Venue>(tx, proof, &venues).await
}

/// The parameters of [`NEARBY`]. `None` if the game takes up no time.
fn around(organization: OrganizationId, game: &Game) -> Option<Vec<Value<'static>>> {
    let (start, end) = occupies(game)?;
    let earliest = start.saturating_sub(LONGEST).unwrap_or(Timestamp::MIN);
    let (venue, home, away) = (game.venue_id, game.home_team_id, game.away_team_id);
    let (venue, home, away) = (venue.map(Id::uuid), home.map(Id::uuid), away.map(Id::uuid));
    Some(values![id(organization), start, earliest, end, venue, home, away].to_vec())
}

/// Games by start, after a position, for a job that visits all of them.
pub async fn from<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    (at, last): (Timestamp, Uuid),
    limit: u32,
) -> Result<Vec<Game>> {
    reader.rows(FROM, values![id(proof.organization()), at, last, limit], record).await
}

impl Store {
    /// The organizations with games that start after a time.
    pub async fn organizations_with_games(&self, after: Timestamp) -> Result<Vec<OrganizationId>> {
        self.organizations_having(WITH_LATER, after).await
    }

    /// The position, from a position on, that the first game follows whose UTC times are not what its local start means by the rules of its time
    /// zone now. `None` if there is no such game.
    pub async fn before_game_to_move(
        &self,
        organization: OrganizationId,
        mut after: (Timestamp, Uuid),
    ) -> Result<Option<(Timestamp, Uuid)>> {
        loop {
            let values = values![id(organization), after.0, after.1, READ_TOGETHER];
            let found: Vec<Game> = (&mut &*self).rows(FROM, values, record).await?;
            for game in &found {
                if game.by_rules_now().is_some() {
                    return Ok(Some(after));
                }
                after = (game.starts_at, game.id.uuid());
            }
            if found.len() < READ_TOGETHER as usize {
                return Ok(None);
            }
            tokio::task::yield_now().await;
        }
    }
}

/// One game.
pub async fn read<R: Reader>(reader: &mut R, proof: &impl Proof<R>, game: GameId) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(game)], Listed::read).await
}

/// One game as JSON.
pub async fn line<R: Reader>(reader: &mut R, proof: &impl Proof<R>, game: GameId) -> Result<Option<Line>> {
    match first(reader, READ_RENDERED, values![id(proof.organization()), id(game)], Line::read).await? {
        Some(line) if line.json().is_empty() => Ok(read(reader, proof, game).await?.map(Line::from)),
        found => Ok(found),
    }
}

/// The lines, each with its JSON. A game that was deleted meanwhile is left out.
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

impl Store {
    /// Renders again what another version of Fieldhouse has written of an organization's games, and returns how many there were.
    pub async fn render_games(&self, organization: OrganizationId) -> Result<usize> {
        self.render_again::<Game>(organization).await
    }
}

impl Outdated for Game {
    const TRANSACTION: &'static str = "games.render";
    const SHAPE: char = shown::SHAPE;
    const ORGANIZATIONS: &'static Query = WITH_OUTDATED;

    fn id(&self) -> Uuid {
        self.id.uuid()
    }

    async fn find(reader: &mut impl Reader, organization: OrganizationId, after: Uuid) -> Result<Vec<Self>> {
        let shape = Self::SHAPE.to_string();
        reader.rows(OUTDATED, values![id(organization), after, shape.as_str(), BATCH], record).await
    }

    async fn render(tx: &mut Tx<'_>, organization: OrganizationId, found: &[Self]) -> Result<()> {
        let row = |game: &Self| {
            let stored = shown::stored(game, &game.image_text());
            vec![id(organization), id(game.id), stored.into()]
        };
        tx.run_each(RENDER, &found.iter().map(row).collect::<Vec<_>>()).await
    }
}

/// Writes what games show of their teams and venues, after effects on any of them.
pub(crate) async fn show_names(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    effects: &[Effect],
) -> Result<()> {
    let places = |game: &Game| {
        [game.home_team_id.map(Id::uuid), game.away_team_id.map(Id::uuid), game.venue_id.map(Id::uuid)]
    };
    let org = id(organization);
    let mut moved = Vec::new();
    for effect in effects {
        match (&effect.before, &effect.after) {
            (before, Some(AnyRecord::Game(game))) => {
                let before =
                    if let Some(AnyRecord::Game(before)) = before { places(before) } else { [None; 3] };
                if places(game) != before {
                    moved.push(values![org.clone(), id(game.id)].to_vec());
                }
            }
            (Some(AnyRecord::Team(before)), Some(AnyRecord::Team(team))) if before.name != team.name => {
                let values = values![org.clone(), id(team.id), team.name.as_str()];
                tx.run(SHOW_HOME, values).await?;
                tx.run(SHOW_AWAY, values).await?;
            }
            (Some(AnyRecord::Venue(before)), Some(AnyRecord::Venue(venue))) if before.name != venue.name => {
                tx.run(SHOW_VENUE, values![org.clone(), id(venue.id), venue.name.as_str()]).await?;
            }
            _ => {}
        }
    }
    tx.run_each(SHOW_NAMES, &moved).await
}

/// All games of a season.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Game>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}

/// The ids and versions of all games of a season.
pub async fn versions<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<(GameId, i64)>> {
    let pair = |row: &mut Row<'_>| Ok((row.next()?, row.next()?));
    reader.rows(VERSIONS, values![id(proof.organization()), id(season)], pair).await
}
