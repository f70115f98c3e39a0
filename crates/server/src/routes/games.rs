//! Games.

use fieldhouse_api::games::{Game, GameVenue, Side};
use fieldhouse_api::{Code, Data, Page, op};
use fieldhouse_domain::games::{self, UPCOMING_DEFAULT, UPCOMING_MAX};
use fieldhouse_domain::ids::Id;
use fieldhouse_store::games::{Listed, Upcoming};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn side(side: Option<games::Side>, name: Option<&String>) -> Option<Side> {
    side.map(|side| Side {
        team_id: side.team_id,
        name: name.cloned().unwrap_or_default(),
        score: side.score,
    })
}

fn view(listed: &Listed) -> Game {
    let game = &listed.game;
    Game {
        id: game.id,
        season_id: game.season_id,
        division_id: game.division_id,
        round: game.round.as_ref().map(ToString::to_string),
        kind: game.kind,
        status: game.status,
        starts_at: game.starts_at,
        ends_at: game.ends_at,
        time_zone: game.time_zone.to_string(),
        local_start: game.time_zone.local(game.starts_at),
        time_tbd: game.time_tbd,
        venue: game.venue_id.map(|id| GameVenue {
            id,
            name: listed.venue_name.clone().unwrap_or_default(),
            field: game.field.as_ref().map(ToString::to_string),
        }),
        home: side(game.home(), listed.home_name.as_ref()),
        away: side(game.away(), listed.away_name.as_ref()),
        my_children: Vec::new(),
        last_change: game.last_change.clone(),
        external_id: game.external_id.as_ref().map(ToString::to_string),
        created_at: game.created_at,
        updated_at: game.updated_at,
        version: game.version,
    }
}

pub(crate) async fn upcoming(call: Call<op::GamesUpcoming>) -> Result<Answered<op::GamesUpcoming>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let from = query.from.unwrap_or_else(|| call.now());
    let to = query.to.unwrap_or_else(|| from.saturating_add(UPCOMING_DEFAULT).unwrap_or(Timestamp::MAX));
    if to < from || to.duration_since(from) > UPCOMING_MAX {
        let fix = "Send a time after `from`, at most 180 days later.";
        return Err(Failure::parameter(Code::InvalidParameter, "to", "is out of range", fix));
    }
    let wanted = Upcoming { from, to, team: query.team_id, season: query.season_id, status: query.status };
    let scope = call.scope()?;
    let mut found =
        fieldhouse_store::games::upcoming(&mut call.store(), scope, &wanted, part.after, part.reach())
            .await?;
    let page = call.page_info(&part, &mut found, |listed| (listed.game.starts_at, listed.game.id.uuid()))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn read(call: Call<op::GameRead>) -> Result<Answered<op::GameRead>, Failure> {
    let found = fieldhouse_store::games::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    let listed = found.ok_or_else(Failure::not_found)?;
    Ok(Answered::json(&Data { data: view(&listed) })?.version(listed.game.version))
}
