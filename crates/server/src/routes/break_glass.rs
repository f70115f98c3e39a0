//! Break-glass grants.

use fieldhouse_api::break_glass::{BreakGlassGrant, BreakGlassReview};
use fieldhouse_api::relations::RelatedUser;
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::break_glass as commands;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_store::break_glass::{self, Listed};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn view(Listed { grant, name }: &Listed) -> BreakGlassGrant {
    let review = |(at, outcome)| BreakGlassReview {
        by: grant.reviewed_by,
        at,
        outcome,
        note: grant.note.as_ref().map(ToString::to_string),
    };
    BreakGlassGrant {
        id: grant.id,
        child_id: grant.child_id,
        user: RelatedUser { id: grant.user_id, name: name.clone() },
        reason_code: grant.reason_code,
        reason: grant.reason.to_string(),
        starts_at: grant.starts_at,
        ends_at: grant.ends_at,
        ended_at: grant.ended_at,
        told_at: grant.told_at,
        review: grant.reviewed_at.zip(grant.outcome).map(review),
        created_at: grant.created_at,
        updated_at: grant.updated_at,
        version: grant.version,
    }
}

/// Responds with one grant.
fn one<O: Op<Answer = Data<BreakGlassGrant>>>(listed: &Listed) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(listed) })?.version(listed.grant.version);
    Ok(if O::ROW.status() == 201 { answered.created(listed.grant.id) } else { answered })
}

pub(crate) async fn list(
    call: Call<op::BreakGlassGrantList>,
) -> Result<Answered<op::BreakGlassGrantList>, Failure> {
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let (store, scope) = (&mut call.store(), call.scope()?);
    let mut found = break_glass::list(store, scope, call.now(), part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |it| (it.grant.created_at, it.grant.id.uuid()))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn create(
    call: Call<op::BreakGlassGrantCreate>,
) -> Result<Answered<op::BreakGlassGrantCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, listed| one(&listed)).await
}

pub(crate) async fn end(
    call: Call<op::BreakGlassGrantEnd>,
) -> Result<Answered<op::BreakGlassGrantEnd>, Failure> {
    let command = commands::End(*call.path()?);
    call.run(command, |_, listed| one(&listed)).await
}

pub(crate) async fn review(
    call: Call<op::BreakGlassGrantReview>,
) -> Result<Answered<op::BreakGlassGrantReview>, Failure> {
    let command = commands::Review { id: *call.path()?, review: call.body.clone() };
    call.run(command, |_, listed| one(&listed)).await
}
