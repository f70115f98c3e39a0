//! Consents about children.

use fieldhouse_api::consents::Consent;
use fieldhouse_api::request::Parameters;
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::consents as commands;
use fieldhouse_domain::children::consents as rules;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::consents;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(super) fn view(consent: &rules::Consent, now: Timestamp) -> Consent {
    Consent {
        id: consent.id,
        child_id: consent.child_id,
        purpose: consent.purpose,
        status: consent.status_at(now),
        method: consent.method,
        notice_version: consent.notice_version.to_string(),
        granted_by: consent.granted_by,
        granted_at: consent.granted_at,
        expires_at: consent.expires_at,
        withdrawn_by: consent.withdrawn_by,
        withdrawn_at: consent.withdrawn_at,
        created_at: consent.created_at,
        updated_at: consent.updated_at,
        version: consent.version,
    }
}

/// Responds with one consent.
fn one<O: Op<Answer = Data<Consent>>>(
    consent: &rules::Consent,
    now: Timestamp,
) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(consent, now) })?.version(consent.version);
    Ok(if O::ROW.status() == 201 { answered.created(consent.id) } else { answered })
}

pub(crate) async fn list(call: Call<op::ConsentList>) -> Result<Answered<op::ConsentList>, Failure> {
    let (scope, child, now) = (call.children::<Records>()?, *call.path()?, call.now());
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let found = consents::list(&mut call.store(), &scope, child, part.after, part.reach()).await?;
    let Some(mut found) = found else { return Err(scope.denial(&mut call.store(), child).await?.into()) };
    let page = call.page_info(&part, &mut found, |it| (it.created_at, it.id.uuid()))?;
    call.page(Page { data: found.iter().map(|it| view(it, now)).collect(), deleted: None, page })
}

pub(crate) async fn grant(call: Call<op::ConsentGrant>) -> Result<Answered<op::ConsentGrant>, Failure> {
    let command = commands::Grant { child: *call.path()?, new: call.body.clone() };
    call.run(command, |call, consent| one(&consent, call.now())).await
}

pub(crate) async fn withdraw(
    call: Call<op::ConsentWithdraw>,
) -> Result<Answered<op::ConsentWithdraw>, Failure> {
    let Parameters(place) = *call.path()?;
    let command = commands::Withdraw(place);
    call.run(command, |call, consent| one(&consent, call.now())).await
}
