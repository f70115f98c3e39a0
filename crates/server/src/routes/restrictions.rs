//! Restrictions on children's data.

use fieldhouse_api::relations::RelatedUser;
use fieldhouse_api::restrictions::Restriction;
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::restrictions as commands;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::restrictions::{self, Found, Listed};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn view(Listed { restriction, name }: &Listed) -> Restriction {
    let user = |id| RelatedUser { id, name: name.clone().unwrap_or_default() };
    Restriction {
        id: restriction.id,
        child_id: restriction.child_id,
        user: restriction.user_id.map(user),
        classes: restriction.classes.clone(),
        kind: restriction.kind,
        reason: restriction.reason.to_string(),
        document_ref: restriction.document_ref.as_ref().map(ToString::to_string),
        starts_at: restriction.starts_at,
        entered_by: restriction.entered_by,
        lifted_at: restriction.lifted_at,
        lifted_by: restriction.lifted_by,
        created_at: restriction.created_at,
        updated_at: restriction.updated_at,
        version: restriction.version,
    }
}

/// Responds with one restriction.
fn one<O: Op<Answer = Data<Restriction>>>(listed: &Listed) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(listed) })?.version(listed.restriction.version);
    Ok(if O::ROW.status() == 201 { answered.created(listed.restriction.id) } else { answered })
}

pub(crate) async fn list(call: Call<op::RestrictionList>) -> Result<Answered<op::RestrictionList>, Failure> {
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let (store, scope, now) = (&mut call.store(), call.scope()?, call.now());
    let found = restrictions::list(store, scope, *call.path()?, now, part.after, part.reach()).await?;
    let mut found = match found {
        Found::NotOnDuty => return Err(Denial::NotOnDuty(DutyKind::SafeguardingLead).into()),
        Found::NoChild => return Err(Failure::not_found()),
        Found::Restrictions(found) => found,
    };
    let position = |it: &Listed| (it.restriction.created_at, it.restriction.id.uuid());
    let page = call.page_info(&part, &mut found, position)?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn enter(
    call: Call<op::RestrictionEnter>,
) -> Result<Answered<op::RestrictionEnter>, Failure> {
    let command = commands::Enter { child: *call.path()?, new: call.body.clone() };
    call.run(command, |_, listed| one(&listed)).await
}

pub(crate) async fn lift(call: Call<op::RestrictionLift>) -> Result<Answered<op::RestrictionLift>, Failure> {
    let command = commands::Lift(*call.path()?);
    call.run(command, |_, listed| one(&listed)).await
}
