//! Standings: read from the records of a season, and computed for each request.

use std::collections::HashMap;

use fieldhouse_api::standings::{ForfeitRule, Ruleset, Standings, StandingsRow, StandingsTeam};
use fieldhouse_api::{Code, Data, op};
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::{DivisionId, TeamId};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::standings::{self, Entrant, Row};
use fieldhouse_domain::teams::Team;
use fieldhouse_store::{games, records, teams};

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

pub(crate) async fn read(call: Call<op::StandingsRead>) -> Result<Answered<op::StandingsRead>, Failure> {
    let (store, scope, id) = (&mut call.store(), call.scope()?, *call.path()?);
    let season: Option<Season> = records::read(store, scope, id).await?;
    let season = season.ok_or_else(Failure::not_found)?;
    let division_id = call.query.division_id;
    if let Some(division_id) = division_id {
        let division: Option<Division> = records::read(store, scope, division_id).await?;
        if division.is_none_or(|division| division.season_id != id) {
            let fix = "Send the id of a division of this season.";
            let message = "is not a division of this season";
            return Err(Failure::parameter(Code::InvalidParameter, "division_id", message, fix));
        }
    }
    let mut games = games::of_season(store, scope, id).await?;
    games.retain(|game| division_id.is_none_or(|division| game.division_id == division));
    let teams = entrants(teams::of_season(store, scope, id).await?, &games, division_id);
    let changes = teams.iter().map(|team| team.updated_at).chain(games.iter().map(|game| game.updated_at));
    let as_of = changes.fold(season.updated_at, Ord::max);
    let names: HashMap<TeamId, String> = teams.iter().map(|team| (team.id, team.name.to_string())).collect();
    let entrants: Vec<Entrant> =
        teams.iter().map(|team| Entrant { id: team.id, name: team.name.folded() }).collect();
    let table = standings::table(&entrants, &games, season.scoring, &season.tiebreakers);
    let scoring = season.scoring;
    let data = Standings {
        season_id: id,
        division_id,
        as_of,
        ruleset: Ruleset {
            win: scoring.win,
            draw: scoring.draw,
            loss: scoring.loss,
            forfeit: ForfeitRule::EnteredScore,
            tiebreakers: season.tiebreakers,
        },
        rows: table.rows.iter().map(|row| view(row, &names)).collect(),
        excluded_games: table.excluded_games,
    };
    Answered::json(&Data { data })
}

/// The teams of a table: those of the division, and those that have played in it and belong to another one now.
fn entrants(mut teams: Vec<Team>, games: &[Game], division: Option<DivisionId>) -> Vec<Team> {
    let plays = |team: &Team| {
        games.iter().any(|game| [game.home_team_id, game.away_team_id].contains(&Some(team.id)))
    };
    teams.retain(|team| division.is_none_or(|division| team.division_id == division || plays(team)));
    teams
}

fn view(row: &Row, names: &HashMap<TeamId, String>) -> StandingsRow {
    let tally = row.tally;
    StandingsRow {
        rank: row.rank,
        team: StandingsTeam { id: row.team, name: names.get(&row.team).cloned().unwrap_or_default() },
        played: tally.played,
        won: tally.won,
        drawn: tally.drawn,
        lost: tally.lost,
        scored: tally.scored,
        conceded: tally.conceded,
        difference: tally.difference(),
        points: tally.points,
        decided_by: row.decided_by,
    }
}
