//! Games in the store.

use constcat::concat;
use fieldhouse_domain::games::{Game, GameStatus};
use fieldhouse_domain::ids::{GameId, Id, SeasonId, TeamId};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{id, values};

/// Games with the names of their teams and venue.
const NAMED: &str = concat!(
    "SELECT ",
    Game::COLUMNS,
    ", h.name, a.name, v.name
    FROM games g LEFT JOIN teams h ON h.org_id = g.org_id AND h.id = g.home_team_id
        LEFT JOIN teams a ON a.org_id = g.org_id AND a.id = g.away_team_id
        LEFT JOIN venues v ON v.org_id = g.org_id AND v.id = g.venue_id
    WHERE g.org_id = $1"
);

queries! {
    UPCOMING "games.upcoming" concat!(NAMED, " AND g.starts_at >= $2 AND (g.starts_at >= $3 OR g.time_tbd) AND g.starts_at < $4
        AND (g.starts_at, g.id) > ($5, $6) AND (CAST($7 AS TEXT) IS NULL OR g.status = $7)
        ORDER BY g.starts_at, g.id LIMIT $8");
    UPCOMING_OF_SEASON "games.upcoming_of_season" concat!(NAMED, " AND g.season_id = $9 AND g.starts_at >= $2
        AND (g.starts_at >= $3 OR g.time_tbd) AND g.starts_at < $4
        AND (g.starts_at, g.id) > ($5, $6) AND (CAST($7 AS TEXT) IS NULL OR g.status = $7)
        ORDER BY g.starts_at, g.id LIMIT $8");
    UPCOMING_OF_TEAM "games.upcoming_of_team" concat!(NAMED, " AND g.id IN (
            SELECT id FROM games WHERE org_id = $1 AND home_team_id = $9 AND starts_at >= $2 AND starts_at < $4
            UNION SELECT id FROM games WHERE org_id = $1 AND away_team_id = $9 AND starts_at >= $2 AND starts_at < $4)
        AND (g.starts_at >= $3 OR g.time_tbd)
        AND (g.starts_at, g.id) > ($5, $6) AND (CAST($7 AS TEXT) IS NULL OR g.status = $7)
        ORDER BY g.starts_at, g.id LIMIT $8");
    READ "games.read" concat!(NAMED, " AND g.id = $2");
    VERSIONS "games.versions" "SELECT id, version FROM games WHERE org_id = $1 AND season_id = $2";
    OF_SEASON "games.of_season" concat!("SELECT ", Game::COLUMNS, " FROM games g WHERE g.org_id = $1 AND g.season_id = $2");
}

/// A game with the names of its teams and venue.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The game.
    pub game: Game,
    /// The home team's name.
    pub home_name: Option<String>,
    /// The away team's name.
    pub away_name: Option<String>,
    /// The venue's name.
    pub venue_name: Option<String>,
}

/// Filters of upcoming games.
#[derive(Clone, Debug)]
pub struct Upcoming {
    /// The earliest start. A game without a time counts until its day is over.
    pub from: Timestamp,
    /// The start must be before this.
    pub to: Timestamp,
    /// Only games of this team.
    pub team: Option<TeamId>,
    /// Only games of this season.
    pub season: Option<SeasonId>,
    /// Only games with this status.
    pub status: Option<GameStatus>,
}

/// The maximum length of a day: how long before `from` the day of a game without a time may have started.
const LONGEST_DAY: SignedDuration = SignedDuration::from_hours(25);

/// Upcoming games, soonest first, after a position.
pub async fn upcoming<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    wanted: &Upcoming,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let org = id(proof.organization());
    let day = wanted.from.saturating_sub(LONGEST_DAY).unwrap_or(Timestamp::MIN);
    let (at, last) = after.unwrap_or((Timestamp::MIN, Uuid::nil()));
    let status = wanted.status.map(GameStatus::name);
    let (from, to) = (wanted.from, wanted.to);
    let mut found = match (wanted.team, wanted.season) {
        (None, None) => {
            reader.rows(UPCOMING, values![org, day, from, to, at, last, status, limit], listed).await?
        }
        (None, Some(season)) => {
            let values = values![org, day, from, to, at, last, status, limit, season.uuid()];
            reader.rows(UPCOMING_OF_SEASON, values, listed).await?
        }
        (Some(team), _) => {
            let values = values![org, day, from, to, at, last, status, limit, team.uuid()];
            reader.rows(UPCOMING_OF_TEAM, values, listed).await?
        }
    };
    if let (Some(_), Some(season)) = (wanted.team, wanted.season) {
        // A team belongs to one season, so this filters either all games or none.
        found.retain(|listed| listed.game.season_id == season);
    }
    Ok(found)
}

/// One game.
pub async fn read<R: Reader>(reader: &mut R, proof: &impl Proof<R>, game: GameId) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(game)], listed).await
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

fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed {
        game: row.record()?,
        home_name: row.next()?,
        away_name: row.next()?,
        venue_name: row.next()?,
    })
}
