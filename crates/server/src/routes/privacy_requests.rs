//! Requests of families about children's data.

use fieldhouse_api::privacy_requests::{PrivacyDecision, PrivacyRequest};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::privacy_requests as commands;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::privacy_requests as rules;
use fieldhouse_store::privacy_requests;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::erasures;
use crate::failure::Failure;

fn view(request: &rules::PrivacyRequest) -> PrivacyRequest {
    PrivacyRequest {
        id: request.id,
        child_id: request.child_id,
        kind: request.kind,
        details: request.details.as_ref().map(ToString::to_string),
        requested_by: request.requested_by,
        due_at: request.due_at,
        state: request.state,
        decided_by: request.decided_by,
        decided_at: request.decided_at,
        decided_alone: request.decided_alone,
        reason: request.reason.as_ref().map(ToString::to_string),
        created_at: request.created_at,
        updated_at: request.updated_at,
        version: request.version,
    }
}

/// Responds with one request.
fn one<O: Op<Answer = Data<PrivacyRequest>>>(
    request: &rules::PrivacyRequest,
) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(request) })?.version(request.version);
    Ok(if O::ROW.status() == 201 { answered.created(request.id) } else { answered })
}

pub(crate) async fn list(
    call: Call<op::PrivacyRequestList>,
) -> Result<Answered<op::PrivacyRequestList>, Failure> {
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let store = &mut call.store();
    let mut found = privacy_requests::list(store, call.scope()?, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |it| (it.created_at, it.id.uuid()))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn create(
    call: Call<op::PrivacyRequestCreate>,
) -> Result<Answered<op::PrivacyRequestCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, request| one(&request)).await
}

pub(crate) async fn decide(
    call: Call<op::PrivacyRequestDecide>,
) -> Result<Answered<op::PrivacyRequestDecide>, Failure> {
    let (app, organization) = (call.app.clone(), call.scope()?.organization());
    let command = commands::Decide { id: *call.path()?, new: call.body.clone() };
    let may_erase = command.new.decision == PrivacyDecision::Granted;
    if may_erase {
        erasures::prepare(&app, organization).await?;
    }
    let answered = call.run(command, |_, request| one(&request)).await?;
    if may_erase {
        erasures::settle(&app, organization).await?;
    }
    Ok(answered)
}
