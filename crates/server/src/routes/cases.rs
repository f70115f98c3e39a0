//! Safeguarding cases.

use fieldhouse_api::cases::SafeguardingCase;
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::cases as commands;
use fieldhouse_domain::children::cases as rules;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::cases;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

fn view(case: &rules::SafeguardingCase, now: Timestamp) -> SafeguardingCase {
    SafeguardingCase {
        id: case.id,
        title: case.title.to_string(),
        child_ids: case.child_ids.clone(),
        lead_ids: case.lead_ids.clone(),
        state: case.state_at(now),
        opened_by: case.opened_by,
        opened_at: case.opened_at,
        confirmed_by: case.confirmed_by,
        confirmed_at: case.confirmed_at,
        confirmed_alone: case.confirmed_alone,
        ends_at: case.ends_at,
        closed_by: case.closed_by,
        closed_at: case.closed_at,
        note: case.note.as_ref().map(ToString::to_string),
        created_at: case.created_at,
        updated_at: case.updated_at,
        version: case.version,
    }
}

/// Responds with one case.
fn one<O: Op<Answer = Data<SafeguardingCase>>>(
    case: &rules::SafeguardingCase,
    now: Timestamp,
) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(case, now) })?.version(case.version);
    Ok(if O::ROW.status() == 201 { answered.created(case.id) } else { answered })
}

fn not_on_duty() -> Failure {
    Denial::NotOnDuty(DutyKind::SafeguardingLead).into()
}

pub(crate) async fn list(
    call: Call<op::SafeguardingCaseList>,
) -> Result<Answered<op::SafeguardingCaseList>, Failure> {
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let (store, scope, now) = (&mut call.store(), call.scope()?, call.now());
    let found = cases::list(store, scope, now, part.after, part.reach()).await?;
    let mut found = found.ok_or_else(not_on_duty)?;
    let page = call.page_info(&part, &mut found, |it| (it.created_at, it.id.uuid()))?;
    call.page(Page { data: found.iter().map(|it| view(it, now)).collect(), deleted: None, page })
}

pub(crate) async fn read(
    call: Call<op::SafeguardingCaseRead>,
) -> Result<Answered<op::SafeguardingCaseRead>, Failure> {
    let (scope, now) = (call.scope()?, call.now());
    let found = cases::read(&mut call.store(), scope, now, *call.path()?).await?;
    one(&found.ok_or_else(not_on_duty)?.ok_or_else(Failure::not_found)?, now)
}

pub(crate) async fn open(
    call: Call<op::SafeguardingCaseOpen>,
) -> Result<Answered<op::SafeguardingCaseOpen>, Failure> {
    let command = commands::Open(call.body.clone());
    call.run(command, |call, case| one(&case, call.now())).await
}

pub(crate) async fn confirm(
    call: Call<op::SafeguardingCaseConfirm>,
) -> Result<Answered<op::SafeguardingCaseConfirm>, Failure> {
    let command = commands::Confirm(*call.path()?);
    call.run(command, |call, case| one(&case, call.now())).await
}

pub(crate) async fn close(
    call: Call<op::SafeguardingCaseClose>,
) -> Result<Answered<op::SafeguardingCaseClose>, Failure> {
    let command = commands::Close { id: *call.path()?, close: call.body.clone() };
    call.run(command, |call, case| one(&case, call.now())).await
}
