//! Games in the store.

use fieldhouse_domain::games::{Game, GameStatus, LastChange, Side};
use fieldhouse_domain::ids::{GameId, Id, OrganizationId, SeasonId, TeamId};
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

macro_rules! columns {
    () => {
        "g.id, g.season_id, g.division_id, g.round, g.kind, g.status, g.starts_at, g.time_tbd, g.ends_at, g.time_zone, g.venue_id,
            g.field, g.home_team_id, g.home_score, g.away_team_id, g.away_score, g.last_change, g.external_id, g.created_at,
            g.updated_at, g.version"
    };
}

/// Games with the names of their teams and venue.
macro_rules! named {
    ($where:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            ", h.name, a.name, v.name
            FROM games g LEFT JOIN teams h ON h.org_id = g.org_id AND h.id = g.home_team_id
                LEFT JOIN teams a ON a.org_id = g.org_id AND a.id = g.away_team_id
                LEFT JOIN venues v ON v.org_id = g.org_id AND v.id = g.venue_id
            WHERE g.org_id = $1",
            $where
        )
    };
}

queries! {
    UPCOMING "games.upcoming" named!(" AND g.starts_at >= $2 AND (g.starts_at >= $3 OR g.time_tbd) AND g.starts_at < $4
        AND (g.starts_at, g.id) > ($5, $6) AND (CAST($7 AS TEXT) IS NULL OR g.status = $7)
        ORDER BY g.starts_at, g.id LIMIT $8");
    UPCOMING_OF_SEASON "games.upcoming_of_season" named!(" AND g.season_id = $9 AND g.starts_at >= $2
        AND (g.starts_at >= $3 OR g.time_tbd) AND g.starts_at < $4
        AND (g.starts_at, g.id) > ($5, $6) AND (CAST($7 AS TEXT) IS NULL OR g.status = $7)
        ORDER BY g.starts_at, g.id LIMIT $8");
    UPCOMING_OF_TEAM "games.upcoming_of_team" named!(" AND g.id IN (
            SELECT id FROM games WHERE org_id = $1 AND home_team_id = $9 AND starts_at >= $2 AND starts_at < $4
            UNION SELECT id FROM games WHERE org_id = $1 AND away_team_id = $9 AND starts_at >= $2 AND starts_at < $4)
        AND (g.starts_at >= $3 OR g.time_tbd)
        AND (g.starts_at, g.id) > ($5, $6) AND (CAST($7 AS TEXT) IS NULL OR g.status = $7)
        ORDER BY g.starts_at, g.id LIMIT $8");
    READ "games.read" named!(" AND g.id = $2");
    OF_SEASON "games.of_season" concat!("SELECT ", columns!(), " FROM games g WHERE g.org_id = $1 AND g.season_id = $2");
    INSERT "games.insert" "INSERT INTO games (org_id, id, season_id, division_id, round, kind, status, starts_at, time_tbd, ends_at,
            time_zone, venue_id, field, home_team_id, home_score, away_team_id, away_score, last_change, external_id, created_at,
            updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)";
    UPDATE "games.update" "UPDATE games SET division_id = $3, round = $4, kind = $5, status = $6, starts_at = $7, time_tbd = $8,
            ends_at = $9, time_zone = $10, venue_id = $11, field = $12, home_team_id = $13, home_score = $14, away_team_id = $15,
            away_score = $16, last_change = $17, external_id = $18, updated_at = $19, version = $20
        WHERE org_id = $1 AND id = $2 AND version = $20 - 1";
}

/// A game with the names that people know its teams and venue by.
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

/// Which games are wanted.
#[derive(Clone, Debug)]
pub struct Upcoming {
    /// The earliest start. A game of which only the day is known counts until its day is over.
    pub from: Timestamp,
    /// Starts before this.
    pub to: Timestamp,
    /// Only games of this team.
    pub team: Option<TeamId>,
    /// Only games of this season.
    pub season: Option<SeasonId>,
    /// Only games that stand here.
    pub status: Option<GameStatus>,
}

/// How long before `from` the day may have begun of a game of which only the day is known.
const LONGEST_DAY: SignedDuration = SignedDuration::from_hours(25);

/// Games to come, soonest first, from a point in that order.
pub async fn upcoming(
    reader: &mut impl Reader,
    scope: &OrgScope,
    wanted: &Upcoming,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let org = id(scope.organization());
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
        // A team belongs to one season, so this keeps all or none.
        found.retain(|listed| listed.game.season_id == season);
    }
    Ok(found)
}

/// One game.
pub async fn read(reader: &mut impl Reader, scope: &OrgScope, game: GameId) -> Result<Option<Listed>> {
    first(reader, READ, values![id(scope.organization()), id(game)], listed).await
}

/// All games of a season.
pub async fn of_season<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, season: SeasonId) -> Result<Vec<Game>> {
    tx.rows(OF_SEASON, values![id(proof.organization()), id(season)], game).await
}

fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { game: game(row)?, home_name: row.next()?, away_name: row.next()?, venue_name: row.next()? })
}

fn game(row: &mut Row<'_>) -> Result<Game> {
    Ok(Game {
        id: row.id()?,
        season_id: row.id()?,
        division_id: row.id()?,
        round: row.next::<Option<String>>()?.map(Name::stored),
        kind: row.parsed()?,
        status: row.parsed()?,
        starts_at: row.next()?,
        time_tbd: row.next()?,
        ends_at: row.next()?,
        time_zone: TimeZoneName::stored(row.next()?),
        venue_id: row.optional_id()?,
        field: row.next::<Option<String>>()?.map(Name::stored),
        home: side(row)?,
        away: side(row)?,
        last_change: row.through(|json: Option<String>| json.as_deref().map(last_change).transpose())?,
        external_id: row.next::<Option<String>>()?.map(ExternalId::stored),
        created_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    })
}

fn side(row: &mut Row<'_>) -> Result<Option<Side>> {
    let (team, score) = (row.optional_id()?, row.next()?);
    Ok(team.map(|team_id| Side { team_id, score }))
}

fn last_change(json: &str) -> std::result::Result<LastChange, String> {
    let json: Json = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let at = json["at"].as_i64().ok_or("at is no number")?;
    let fields = json["fields"].as_array().ok_or("fields is no list")?;
    Ok(LastChange {
        at: Timestamp::from_microsecond(at).map_err(|error| error.to_string())?,
        fields: fields.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        reason: json["reason"].as_str().map(str::to_owned),
    })
}

pub(crate) async fn write(tx: &mut Tx<'_>, org: OrganizationId, new: bool, game: &Game) -> Result<u64> {
    let change = game.last_change.as_ref().map(|change| {
        json!({"at": change.at.as_microsecond(), "fields": change.fields, "reason": change.reason})
            .to_string()
    });
    let (org, game_id, division) = (org.uuid(), game.id.uuid(), game.division_id.uuid());
    let (round, field) = (game.round.as_ref().map(Name::as_str), game.field.as_ref().map(Name::as_str));
    let (kind, status, zone) = (game.kind.name(), game.status.name(), game.time_zone.as_str());
    let (starts, tbd, ends) = (game.starts_at, game.time_tbd, game.ends_at);
    let venue = game.venue_id.map(Id::uuid);
    let (home, home_score) =
        (game.home.map(|side| side.team_id.uuid()), game.home.and_then(|side| side.score));
    let (away, away_score) =
        (game.away.map(|side| side.team_id.uuid()), game.away.and_then(|side| side.score));
    let external = game.external_id.as_ref().map(ExternalId::as_str);
    let (touched, version) = (game.updated_at, game.version);
    if new {
        let (season, made) = (game.season_id.uuid(), game.created_at);
        let values = values![
            org, game_id, season, division, round, kind, status, starts, tbd, ends, zone, venue, field, home,
            home_score, away, away_score, change, external, made, touched, version,
        ];
        return tx.run(INSERT, values).await;
    }
    let values = values![
        org, game_id, division, round, kind, status, starts, tbd, ends, zone, venue, field, home, home_score,
        away, away_score, change, external, touched, version,
    ];
    tx.run(UPDATE, values).await
}
