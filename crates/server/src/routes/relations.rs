//! Relations of people to children.

use fieldhouse_api::relations::{RelatedUser, Relation};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::relations as commands;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::relations::{self, Listed, Position};
use jiff::Timestamp;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(super) fn view(Listed { relation, name }: &Listed, now: Timestamp) -> Relation {
    Relation {
        id: relation.id,
        child_id: relation.child_id,
        user: RelatedUser { id: relation.user_id, name: name.clone() },
        kind: relation.kind,
        state: relation.state_at(now),
        starts_at: relation.starts_at,
        expires_at: relation.expires_at,
        reason: relation.reason.as_ref().map(ToString::to_string),
        proposed_by: relation.proposed_by,
        proposed_at: relation.proposed_at,
        confirmed_by: relation.confirmed_by,
        confirmed_at: relation.confirmed_at,
        confirmed_alone: relation.confirmed_alone,
        accepted_at: relation.accepted_at,
        revoked_by: relation.revoked_by,
        revoked_at: relation.revoked_at,
        created_at: relation.created_at,
        updated_at: relation.updated_at,
        version: relation.version,
    }
}

fn position(listed: &Listed) -> Position {
    (listed.relation.created_at, listed.relation.id.uuid())
}

/// Responds with one relation.
fn one<O: Op<Answer = Data<Relation>>>(listed: &Listed, now: Timestamp) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(listed, now) })?.version(listed.relation.version);
    Ok(if O::ROW.status() == 201 { answered.created(listed.relation.id) } else { answered })
}

pub(crate) async fn list(call: Call<op::RelationList>) -> Result<Answered<op::RelationList>, Failure> {
    let part = call.part::<Position>(call.query.limit, call.query.cursor.as_deref(), Bounds::USUAL)?;
    let (scope, now) = (call.scope()?, call.now());
    let mut found = relations::list(&mut call.store(), scope, now, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, position)?;
    call.page(Page { data: found.iter().map(|it| view(it, now)).collect(), deleted: None, page })
}

pub(crate) async fn of_child(
    call: Call<op::ChildRelationList>,
) -> Result<Answered<op::ChildRelationList>, Failure> {
    let (scope, child) = (call.children::<Records>()?, *call.path()?);
    let part = call.part::<Position>(call.query.limit, call.query.cursor.as_deref(), Bounds::USUAL)?;
    let store = &mut call.store();
    let found = relations::of_child_listed(store, &scope, child, part.after, part.reach()).await?;
    let Some(mut found) = found else { return Err(scope.denial(&mut call.store(), child).await?.into()) };
    let page = call.page_info(&part, &mut found, position)?;
    let now = call.now();
    call.page(Page { data: found.iter().map(|it| view(it, now)).collect(), deleted: None, page })
}

pub(crate) async fn add(call: Call<op::ChildRelationAdd>) -> Result<Answered<op::ChildRelationAdd>, Failure> {
    let command = commands::Add { child: *call.path()?, new: call.body.clone() };
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn confirm(
    call: Call<op::RelationConfirm>,
) -> Result<Answered<op::RelationConfirm>, Failure> {
    let command = commands::Confirm(*call.path()?);
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn accept(call: Call<op::RelationAccept>) -> Result<Answered<op::RelationAccept>, Failure> {
    let command = commands::Accept(*call.path()?);
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn revoke(call: Call<op::RelationRevoke>) -> Result<Answered<op::RelationRevoke>, Failure> {
    let command = commands::Revoke(*call.path()?);
    call.run(command, |call, listed| one(&listed, call.now())).await
}
