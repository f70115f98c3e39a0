//! Invitations to be a child's guardian. Accepting one is in `invitations.rs`.

use fieldhouse_api::guardian_invitations::GuardianInvitation;
use fieldhouse_api::invitations::Inviter;
use fieldhouse_api::request::Parameters;
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::guardian_invitations as commands;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_store::access::children::Contact;
use fieldhouse_store::guardian_invitations::{self, Listed};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(super) fn view(Listed { invitation, inviter }: &Listed, now: Timestamp) -> GuardianInvitation {
    GuardianInvitation {
        id: invitation.id,
        child_id: invitation.child_id,
        email: invitation.email.to_string(),
        invited_by: Inviter { id: invitation.invited_by, name: inviter.clone() },
        status: invitation.status(now),
        sent_at: invitation.sent_at,
        expires_at: invitation.expires_at,
        accepted_at: invitation.accepted_at,
        relation_id: invitation.relation_id,
        created_at: invitation.created_at,
        updated_at: invitation.updated_at,
        version: invitation.version,
    }
}

/// Responds with one invitation.
fn one<O: Op<Answer = Data<GuardianInvitation>>>(
    listed: &Listed,
    now: Timestamp,
) -> Result<Answered<O>, Failure> {
    let answered = Answered::json(&Data { data: view(listed, now) })?.version(listed.invitation.version);
    Ok(if O::ROW.status() == 201 { answered.created(listed.invitation.id) } else { answered })
}

pub(crate) async fn list(
    call: Call<op::GuardianInvitationList>,
) -> Result<Answered<op::GuardianInvitationList>, Failure> {
    let (scope, child, now) = (call.children::<Contact>()?, *call.path()?, call.now());
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let store = &mut call.store();
    let found = guardian_invitations::list(store, &scope, child, part.after, part.reach()).await?;
    let Some(mut found) = found else { return Err(scope.denial(&mut call.store(), child).await?.into()) };
    let position = |it: &Listed| (it.invitation.created_at, it.invitation.id.uuid());
    let page = call.page_info(&part, &mut found, position)?;
    call.page(Page { data: found.iter().map(|it| view(it, now)).collect(), deleted: None, page })
}

pub(crate) async fn create(
    call: Call<op::GuardianInvitationCreate>,
) -> Result<Answered<op::GuardianInvitationCreate>, Failure> {
    let command = commands::Create { child: *call.path()?, new: call.body.clone() };
    call.run(command, |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn resend(
    call: Call<op::GuardianInvitationResend>,
) -> Result<Answered<op::GuardianInvitationResend>, Failure> {
    let Parameters(place) = *call.path()?;
    call.run(commands::Resend(place), |call, listed| one(&listed, call.now())).await
}

pub(crate) async fn revoke(
    call: Call<op::GuardianInvitationRevoke>,
) -> Result<Answered<op::GuardianInvitationRevoke>, Failure> {
    let Parameters(place) = *call.path()?;
    call.run(commands::Revoke(place), |_, id| Answered::deleted(id)).await
}
