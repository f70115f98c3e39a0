//! Rosters: children in teams.

use axum::http::header;
use fieldhouse_api::request::Parameters;
use fieldhouse_api::rosters::{Roster, RosterChild, RosterEntry, RosterMeta};
use fieldhouse_api::{Data, Op, op};
use fieldhouse_commands::rosters as commands;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::policy;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::teams::Team;
use fieldhouse_store::access::children;
use fieldhouse_store::records;
use fieldhouse_store::rosters::{self, Listed};
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(super) fn view(Listed { entry, display_name }: Listed) -> RosterEntry {
    RosterEntry {
        id: entry.id,
        team_id: entry.team_id,
        child: RosterChild { id: entry.child_id, display_name },
        jersey_number: entry.jersey_number,
        position: entry.position.map(|position| position.to_string()),
        starts_on: entry.starts_on,
        ends_on: entry.ends_on,
        created_at: entry.created_at,
        updated_at: entry.updated_at,
        version: entry.version,
    }
}

/// Responds with one entry.
fn one<O: Op<Answer = Data<RosterEntry>>>(listed: Listed) -> Result<Answered<O>, Failure> {
    let (id, version) = (listed.entry.id, listed.entry.version);
    let answered = Answered::json(&Data { data: view(listed) })?.version(version);
    Ok(if O::ROW.status() == 201 { answered.created(id) } else { answered })
}

/// A roster has names of children, and so have the responses to its changes.
pub(crate) async fn list(call: Call<op::RosterList>) -> Result<Answered<op::RosterList>, Failure> {
    let (query, team) = (&call.query.page, *call.path()?);
    let part = call.part::<Uuid>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let (store, scope) = (&mut call.store(), call.scope()?);
    scope.refuse_narrow(Verb::Read)?;
    let known: Option<Team> = records::read(store, scope, team).await?;
    known.ok_or_else(Failure::not_found)?;
    let on = call.query.on.unwrap_or_else(|| scope.today(call.now()));
    let found = call.read_children(call.children::<children::Roster>()?, async move |source, lines| {
        let found = rosters::list(source, lines, (team, on), part.after, part.reach()).await?;
        let shown = part.shown(found.as_deref().unwrap_or_default());
        let seen = shown.map(|it| (it.data.entry.child_id, it.capacity)).collect();
        Ok((found, seen))
    });
    let mut found = found.await?.ok_or_else(Failure::lost_cursor)?;
    let page = call.page_info(&part, &mut found, |it| it.data.entry.id.uuid())?;
    let count = if policy::counts_children(scope.role()) {
        Some(rosters::count(store, scope, team, on).await?)
    } else {
        None
    };
    let link = call.next_link(&page);
    let data = found.into_iter().map(|it| view(it.data)).collect();
    let answered = Answered::json(&Roster { data, meta: RosterMeta { on, count }, page })?;
    Ok(match link {
        Some(link) => answered.header(header::LINK, link),
        None => answered,
    })
}

pub(crate) async fn add(call: Call<op::RosterAdd>) -> Result<Answered<op::RosterAdd>, Failure> {
    call.scope()?.refuse_narrow(Verb::Read)?;
    let command = commands::Add { team: *call.path()?, new: call.body.clone() };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn change(call: Call<op::RosterChange>) -> Result<Answered<op::RosterChange>, Failure> {
    call.scope()?.refuse_narrow(Verb::Read)?;
    let Parameters(place) = *call.path()?;
    let command = commands::Change { place, change: call.body.clone() };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn remove(call: Call<op::RosterRemove>) -> Result<Answered<op::RosterRemove>, Failure> {
    let Parameters((team, entry)) = *call.path()?;
    call.run(commands::Remove(team, entry), |_, id| Answered::deleted(id)).await
}
