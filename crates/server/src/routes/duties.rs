//! Duties of members.

use fieldhouse_api::duties::{Duty, DutyHolder, OwnDuty};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::duties as commands;
use fieldhouse_domain::duties as rules;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::Id;
use fieldhouse_store::duties::{self, Filter, Listed};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn view(Listed { duty, name }: &Listed, now: Timestamp) -> Duty {
    Duty {
        id: duty.id,
        user: DutyHolder { id: duty.user_id, name: name.clone() },
        kind: duty.kind,
        team_ids: duty.team_ids.clone(),
        season_id: duty.season_id,
        state: duty.state_at(now),
        starts_at: duty.starts_at,
        ends_at: duty.ends_at,
        reason: duty.reason.to_string(),
        proposed_by: duty.proposed_by,
        proposed_at: duty.proposed_at,
        confirmed_by: duty.confirmed_by,
        confirmed_at: duty.confirmed_at,
        confirmed_alone: duty.confirmed_alone,
        accepted_at: duty.accepted_at,
        revoked_by: duty.revoked_by,
        revoked_at: duty.revoked_at,
        created_at: duty.created_at,
        updated_at: duty.updated_at,
        version: duty.version,
    }
}

/// A duty as its holder sees it in their profile.
pub(super) fn own(duty: rules::Duty, now: Timestamp) -> OwnDuty {
    OwnDuty {
        id: duty.id,
        kind: duty.kind,
        state: duty.state_at(now),
        team_ids: duty.team_ids,
        season_id: duty.season_id,
        starts_at: duty.starts_at,
        ends_at: duty.ends_at,
    }
}

/// Responds with one duty.
fn one<O: Op<Answer = Data<Duty>>>(listed: &Listed, now: Timestamp) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(listed, now) })?.version(listed.duty.version);
    Ok(if O::ROW.status() == 201 { answered.created(listed.duty.id) } else { answered })
}

pub(crate) async fn list(call: Call<op::DutyList>) -> Result<Answered<op::DutyList>, Failure> {
    let query = &call.query;
    let (limit, cursor) = (query.page.limit, query.page.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let filter = Filter { user: query.user_id, kind: query.kind, state: query.state };
    let (store, scope, now) = (&mut call.store(), call.scope()?, call.now());
    let mut found = duties::list(store, scope, &filter, now, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |it| (it.duty.created_at, it.duty.id.uuid()))?;
    call.page(Page { data: found.iter().map(|it| view(it, now)).collect(), deleted: None, page })
}

pub(crate) async fn read(call: Call<op::DutyRead>) -> Result<Answered<op::DutyRead>, Failure> {
    let found = duties::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    one(&found.ok_or_else(Failure::not_found)?, call.now())
}

pub(crate) async fn add(call: Call<op::DutyAdd>) -> Result<Answered<op::DutyAdd>, Failure> {
    let command = commands::Add(call.body.clone());
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn confirm(call: Call<op::DutyConfirm>) -> Result<Answered<op::DutyConfirm>, Failure> {
    let command = commands::Confirm(*call.path()?);
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn accept(call: Call<op::DutyAccept>) -> Result<Answered<op::DutyAccept>, Failure> {
    let command = commands::Accept(*call.path()?);
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn revoke(call: Call<op::DutyRevoke>) -> Result<Answered<op::DutyRevoke>, Failure> {
    let command = commands::Revoke(*call.path()?);
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn history(call: Call<op::DutyHistory>) -> Result<Answered<op::DutyHistory>, Failure> {
    super::audit::history(call, Kind::Duty).await
}
