//! Games.

use fieldhouse_api::games::{Game, GamePatch};
use fieldhouse_api::request::RecordListQuery;
use fieldhouse_api::{Code, Data, Op, op};
use fieldhouse_commands::games as commands;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::games::{SPAN_MAX, UPCOMING_DEFAULT, UPCOMING_MAX};
use fieldhouse_domain::ids::{ChildId, GameId, Id, TeamId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::games::{self, Filter, Line, Listed, Upcoming};
use fieldhouse_store::places::{self, Stay};
use fieldhouse_store::staff;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call, Part};
use crate::failure::Failure;

/// The caller's own children, and when they belong to teams.
pub(super) struct Mine(Vec<(ChildId, Stay)>);

impl Mine {
    /// Reads them. A key without the scope for children's data gets none.
    pub(super) async fn read<O: Op>(call: &Call<O>) -> Result<Self, Failure> {
        let (scope, lines) = (call.scope()?, call.children::<Roster>()?);
        if !scope.ties().relations || !scope.reads_children() {
            return Ok(Self(Vec::new()));
        }
        Ok(Self(places::of_family(&mut call.store(), &lines, scope.time_zone()).await?))
    }

    /// The children who are in one of two teams at a time.
    fn within(&self, teams: [Option<TeamId>; 2], at: Timestamp) -> Vec<ChildId> {
        let plays = |stay: &Stay| teams.contains(&Some(stay.team)) && stay.includes(at);
        let mut children: Vec<ChildId> =
            self.0.iter().filter(|(_, stay)| plays(stay)).map(|(child, _)| *child).collect();
        children.sort_unstable();
        children.dedup();
        children
    }

    /// Games in a response, with the children who are in one of their teams.
    pub(super) fn with_children(&self, lines: Vec<Line>) -> Vec<Line> {
        if self.0.is_empty() {
            return lines;
        }
        lines.into_iter().map(|line| self.of_line(line)).collect()
    }

    /// The same for one game.
    fn of_line(&self, line: Line) -> Line {
        let children = self.within(line.teams(), line.starts_at);
        line.with_children(&children)
    }

    /// The same for a game that changed.
    fn changed(&self, listed: Listed) -> Game {
        let game = Game::from(listed);
        Game { my_children: self.within([game.home_team_id, game.away_team_id], game.starts_at), ..game }
    }

    /// Marks a response as about children, if the caller has any in a team.
    pub(super) fn mark<O: Op>(&self, answered: Answered<O>) -> Answered<O> {
        answered.about_children(!self.0.is_empty())
    }
}

/// The teams of the games that are asked for, with the times in which the child or the caller belongs to them. `None` for those of all.
async fn stays(call: &Call<op::GamesUpcoming>, mine: &Mine) -> Result<Option<Vec<Stay>>, Failure> {
    let (query, scope) = (&call.query, call.scope()?);
    let is_mine = query.mine.unwrap_or_default();
    let Some(child) = query.child_id else {
        if !is_mine {
            return Ok(None);
        }
        let staff = staff::teams(&mut call.store(), scope, call.now()).await?;
        let of_children = mine.0.iter().map(|(_, stay)| *stay);
        return Ok(Some(of_children.chain(staff.into_iter().map(Stay::always)).collect()));
    };
    if is_mine {
        let fix = "Send either `child_id` or `mine`.";
        return Err(Failure::parameter(
            Code::InvalidParameter,
            "child_id",
            "cannot be combined with `mine`",
            fix,
        ));
    }
    scope.refuse_narrow(Verb::Read)?;
    let zone = scope.time_zone().clone();
    let found = call.read_children(call.children::<Roster>()?, async move |source, lines| {
        let found = places::of_child(source, lines, &zone, child).await?;
        let seen = found.iter().map(|(capacity, _)| (child, *capacity)).collect();
        Ok((found, seen))
    });
    let (_, stays) = found.await?.ok_or(Denial::ChildHidden)?;
    Ok(Some(stays))
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
    let mine = Mine::read(&call).await?;
    let stays = stays(&call, &mine).await?;
    let is_kept = stays.is_none() && call.is_kept();
    let (team, season, status) = (query.team_id, query.season_id, query.status);
    let wanted = Upcoming { from, to, team, stays, season, status };
    let scope = call.scope()?;
    let found = games::upcoming(&mut call.store(), scope, &wanted, part.after, part.reach()).await?;
    let until = if is_kept { Some(current_until(&call, &part, &found, to).await?) } else { None };
    let mut answered = call.lines(&part, mine.with_children(found), Line::point)?;
    if let Some(until) = until {
        answered = answered.current_until(until);
    }
    Ok(if query.child_id.is_some() { answered.about_children(true) } else { mine.mark(answered) })
}

/// When time alone changes a list of upcoming games: the first game begins, another one comes near enough, or `to` is over.
async fn current_until(
    call: &Call<op::GamesUpcoming>,
    part: &Part<(Timestamp, Uuid)>,
    found: &[Line],
    to: Timestamp,
) -> Result<Timestamp, Failure> {
    let query = &call.query;
    if query.from.is_some() {
        return Ok(Timestamp::MAX);
    }
    let first = found.iter().map(Line::leaves).min().unwrap_or(Timestamp::MAX);
    let end = if query.to.is_some() {
        to
    } else if found.len() < part.reach() as usize {
        let next = games::next_start(&mut call.store(), call.scope()?, to).await?;
        let near = next.and_then(|start| start.saturating_sub(UPCOMING_DEFAULT).ok());
        near.unwrap_or(Timestamp::MAX)
    } else {
        Timestamp::MAX
    };
    Ok(first.min(end))
}

/// Responds with one game.
fn one<O: Op<Answer = Data<Game>>>(listed: Listed) -> Result<Answered<O>, Failure> {
    let (id, version) = (listed.game.id, listed.game.version);
    let answered = Answered::json(&Data { data: Game::from(listed) })?.version(version);
    Ok(if O::ROW.status() == 201 { answered.created(id) } else { answered })
}

pub(crate) async fn list(call: Call<op::GameList>) -> Result<Answered<op::GameList>, Failure> {
    let query = &call.query;
    let filters = [
        ("from", query.from.is_some()),
        ("to", query.to.is_some()),
        ("season_id", query.season_id.is_some()),
        ("division_id", query.division_id.is_some()),
        ("team_id", query.team_id.is_some()),
        ("venue_id", query.venue_id.is_some()),
        ("status", query.status.is_some()),
        ("round", query.round.is_some()),
        ("sort", query.sort.is_some()),
    ];
    let records = RecordListQuery {
        q: None,
        since: query.since.clone(),
        updated_since: query.updated_since,
        format: query.format,
        limit: query.limit,
        cursor: query.cursor.clone(),
    };
    let mine = Mine::read(&call).await?;
    if let Some(since) = call.since(&records, &filters)? {
        let mut reading = call.changes(since, &records).await?;
        let (after, reach) = (reading.after, reading.reach());
        let changes = games::changed(&mut reading.following, call.scope()?, after, reach).await?;
        let id = |id| GameId::from_uuid(id).to_string();
        let page = reading.page(&call, changes, |listed| mine.changed(listed), id).await?;
        return Ok(mine.mark(call.page(page)?));
    }
    let part = call.synced_part::<(Timestamp, Uuid)>(&records).await?;
    let (from, to) = range(query.from, query.to)?;
    let filter = Filter {
        from,
        to,
        season: query.season_id,
        division: query.division_id,
        team: query.team_id,
        venue: query.venue_id,
        status: query.status,
        round: query.round.as_ref().map(ToString::to_string),
        sort: query.sort,
    };
    let after = part.after.map(|after| after.point);
    let mut found = games::list(&mut call.store(), call.scope()?, &filter, after, part.reach()).await?;
    found.records = mine.with_children(found.records);
    let answered = call.synced_lines(&part, found, Line::point)?;
    Ok(mine.mark(answered).current_until(Timestamp::MAX))
}

/// The requested range: of at most 366 days if it has a start or an end.
fn range(
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> Result<(Option<Timestamp>, Option<Timestamp>), Failure> {
    match (from, to) {
        (None, None) => Ok((None, None)),
        (Some(from), None) => Ok((Some(from), from.saturating_add(SPAN_MAX).ok())),
        (None, Some(to)) => Ok((to.saturating_sub(SPAN_MAX).ok(), Some(to))),
        (Some(from), Some(to)) if to < from || to.duration_since(from) > SPAN_MAX => {
            let fix = "Send a time after `from`, at most 366 days later.";
            Err(Failure::parameter(Code::InvalidParameter, "to", "is out of range", fix))
        }
        both => Ok(both),
    }
}

pub(crate) async fn read(call: Call<op::GameRead>) -> Result<Answered<op::GameRead>, Failure> {
    let found = games::line(&mut call.store(), call.scope()?, *call.path()?).await?;
    let (line, mine) = (found.ok_or_else(Failure::not_found)?, Mine::read(&call).await?);
    let version = line.version;
    let answered = Answered::rendered(&mine.of_line(line)).version(version);
    Ok(mine.mark(answered).current_until(Timestamp::MAX))
}

pub(crate) async fn create(call: Call<op::GameCreate>) -> Result<Answered<op::GameCreate>, Failure> {
    let allow_overlap = call.query.own.allow_overlap.unwrap_or_default();
    let command = commands::Create { new: call.body.clone(), allow_overlap };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn change(call: Call<op::GameChange>) -> Result<Answered<op::GameChange>, Failure> {
    let GamePatch { change, reason } = call.body.clone();
    let allow_overlap = call.query.own.allow_overlap.unwrap_or_default();
    let command = commands::Change { id: *call.path()?, change, reason, allow_overlap };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn delete(call: Call<op::GameDelete>) -> Result<Answered<op::GameDelete>, Failure> {
    let command = commands::Delete(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn history(call: Call<op::GameHistory>) -> Result<Answered<op::GameHistory>, Failure> {
    super::audit::history(call, Kind::Game).await
}

pub(crate) async fn enter_result(call: Call<op::GameResult>) -> Result<Answered<op::GameResult>, Failure> {
    let command = commands::EnterResult { id: *call.path()?, result: call.body.clone() };
    call.run(command, |_, listed| one(listed)).await
}
