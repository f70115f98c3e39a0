//! Teams.

use fieldhouse_api::op;
use fieldhouse_commands::teams as commands;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::teams::Team;
use fieldhouse_store::teams::Filter;
use fieldhouse_store::{games, records, teams};
use jiff::Timestamp;
use uuid::Uuid;

use super::games::Mine;
use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(crate) async fn list(call: Call<op::TeamList>) -> Result<Answered<op::TeamList>, Failure> {
    let query = &call.query;
    let filters = [
        ("season_id", query.season_id.is_some()),
        ("division_id", query.division_id.is_some()),
        ("sort", query.sort.is_some()),
    ];
    if let Some(since) = call.since(&query.records, &filters)? {
        return call.changed(since, &query.records, |team: Team| team).await;
    }
    let part = call.synced_part::<(String, Uuid)>(&query.records).await?;
    let filter = Filter {
        season: query.season_id,
        division: query.division_id,
        words: call.words(query.records.q.as_deref())?,
        sort: query.sort,
    };
    let after = part.after.as_ref().map(|after| &after.point);
    let found = teams::list(&mut call.store(), call.scope()?, &filter, after, part.reach()).await?;
    call.synced_page(&part, found, |team| (team.name.folded(), team.id.uuid()), |team| team)
}

pub(crate) async fn read(call: Call<op::TeamRead>) -> Result<Answered<op::TeamRead>, Failure> {
    let found: Option<Team> = records::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    Answered::record(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(call: Call<op::TeamCreate>) -> Result<Answered<op::TeamCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, team| Answered::record(team)).await
}

pub(crate) async fn change(call: Call<op::TeamChange>) -> Result<Answered<op::TeamChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body.clone() };
    call.run(command, |_, team| Answered::record(team)).await
}

pub(crate) async fn delete(call: Call<op::TeamDelete>) -> Result<Answered<op::TeamDelete>, Failure> {
    let command = commands::Delete(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn history(call: Call<op::TeamHistory>) -> Result<Answered<op::TeamHistory>, Failure> {
    super::audit::history(call, Kind::Team).await
}

pub(crate) async fn schedule(call: Call<op::TeamSchedule>) -> Result<Answered<op::TeamSchedule>, Failure> {
    let (query, team) = (&call.query, *call.path()?);
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let (store, scope) = (&mut call.store(), call.scope()?);
    let known: Option<Team> = records::read(store, scope, team).await?;
    known.ok_or_else(Failure::not_found)?;
    let (from, to, status) = (query.from, query.to, query.status);
    let filter = games::Filter { team: Some(team), from, to, status, ..games::Filter::default() };
    let found = games::list(store, scope, &filter, part.after, part.reach()).await?.records;
    let mine = Mine::read(&call).await?;
    Ok(mine.mark(call.lines(&part, mine.with_children(found), games::Line::point)?))
}
