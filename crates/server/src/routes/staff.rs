//! Staff of teams.

use fieldhouse_api::request::Parameters;
use fieldhouse_api::staff::{Staff, StaffUser};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::staff as commands;
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::teams::Team;
use fieldhouse_store::records;
use fieldhouse_store::staff::{self, Listed};
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn view(Listed { staff, name }: &Listed, today: Date) -> Staff {
    Staff {
        id: staff.id,
        team_id: staff.team_id,
        user: StaffUser { id: staff.user_id, name: name.clone() },
        kind: staff.kind,
        state: staff.state_on(today),
        starts_on: staff.starts_on,
        ends_on: staff.ends_on,
        proposed_by: staff.proposed_by,
        proposed_at: staff.proposed_at,
        confirmed_by: staff.confirmed_by,
        confirmed_at: staff.confirmed_at,
        confirmed_alone: staff.confirmed_alone,
        created_at: staff.created_at,
        updated_at: staff.updated_at,
        version: staff.version,
    }
}

/// The date at the organization.
async fn today<O: Op>(call: &Call<O>) -> Result<Date, Failure> {
    let scope = call.scope()?;
    let organization: Option<Organization> =
        records::read(&mut call.store(), scope, scope.organization()).await?;
    Ok(organization.ok_or_else(Failure::not_found)?.time_zone.date(call.now()))
}

/// Responds with one entry.
fn one<O: Op<Answer = Data<Staff>>>(listed: &Listed, today: Date) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(listed, today) })?.version(listed.staff.version);
    Ok(if O::ROW.status() == 201 { answered.created(listed.staff.id) } else { answered })
}

pub(crate) async fn list(call: Call<op::StaffList>) -> Result<Answered<op::StaffList>, Failure> {
    let (query, team) = (&call.query, *call.path()?);
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let (store, scope) = (&mut call.store(), call.scope()?);
    let known: Option<Team> = records::read(store, scope, team).await?;
    known.ok_or_else(Failure::not_found)?;
    let mut found = staff::list(store, scope, team, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |it| (it.staff.created_at, it.staff.id.uuid()))?;
    let today = today(&call).await?;
    call.page(Page { data: found.iter().map(|it| view(it, today)).collect(), deleted: None, page })
}

pub(crate) async fn add(call: Call<op::StaffAdd>) -> Result<Answered<op::StaffAdd>, Failure> {
    let command = commands::Add { team: *call.path()?, new: call.body.clone() };
    let today = today(&call).await?;
    call.run(command, move |_, listed| one(&listed, today)).await
}

pub(crate) async fn change(call: Call<op::StaffChange>) -> Result<Answered<op::StaffChange>, Failure> {
    let Parameters(place) = *call.path()?;
    let command = commands::Change { place, change: call.body.clone() };
    let today = today(&call).await?;
    call.run(command, move |_, listed| one(&listed, today)).await
}

pub(crate) async fn remove(call: Call<op::StaffRemove>) -> Result<Answered<op::StaffRemove>, Failure> {
    let Parameters((team, staff)) = *call.path()?;
    call.run(commands::Remove(team, staff), |_, id| Answered::deleted(id)).await
}

pub(crate) async fn confirm(call: Call<op::StaffConfirm>) -> Result<Answered<op::StaffConfirm>, Failure> {
    let Parameters((team, staff)) = *call.path()?;
    let today = today(&call).await?;
    call.run(commands::Confirm(team, staff), move |_, listed| one(&listed, today)).await
}
