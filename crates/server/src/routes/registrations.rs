//! Registrations of children for seasons.

use fieldhouse_api::registrations::Registration;
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::registrations as commands;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::seasons::Season;
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::records;
use fieldhouse_store::registrations::{self, Listed};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(super) fn view(Listed { registration, display_name }: Listed) -> Registration {
    Registration {
        id: registration.id,
        child_id: registration.child_id,
        display_name,
        season_id: registration.season_id,
        division_id: registration.division_id,
        status: registration.status,
        applied_by: registration.applied_by,
        decided_by: registration.decided_by,
        decided_at: registration.decided_at,
        created_at: registration.created_at,
        updated_at: registration.updated_at,
        version: registration.version,
    }
}

/// Responds with one registration.
fn one<O: Op<Answer = Data<Registration>>>(listed: Listed) -> Result<Answered<O>, Failure> {
    let (id, version) = (listed.registration.id, listed.registration.version);
    let answered = Answered::json(&Data { data: view(listed) })?.version(version);
    Ok(if O::ROW.status() == 201 { answered.created(id) } else { answered })
}

pub(crate) async fn list(
    call: Call<op::RegistrationList>,
) -> Result<Answered<op::RegistrationList>, Failure> {
    let (query, season) = (&call.query, *call.path()?);
    let (limit, cursor) = (query.page.limit, query.page.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let known: Option<Season> = records::read(&mut call.store(), call.scope()?, season).await?;
    known.ok_or_else(Failure::not_found)?;
    let of = (season, query.status);
    let found = call.read_children(call.children::<Roster>()?, async move |source, scope| {
        let found = registrations::list(source, scope, of, part.after, part.reach()).await?;
        let seen = part.shown(&found).map(|it| (it.data.registration.child_id, it.capacity)).collect();
        Ok((found, seen))
    });
    let mut found = found.await?;
    let at = |listed: &Listed| (listed.registration.created_at, listed.registration.id.uuid());
    let page = call.page_info(&part, &mut found, |it| at(&it.data))?;
    call.page(Page { data: found.into_iter().map(|it| view(it.data)).collect(), deleted: None, page })
}

pub(crate) async fn add(call: Call<op::RegistrationAdd>) -> Result<Answered<op::RegistrationAdd>, Failure> {
    let command = commands::Add { child: *call.path()?, new: call.body.clone() };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn change(
    call: Call<op::RegistrationChange>,
) -> Result<Answered<op::RegistrationChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn withdraw(
    call: Call<op::RegistrationWithdraw>,
) -> Result<Answered<op::RegistrationWithdraw>, Failure> {
    let command = commands::Withdraw(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}
