//! Invitations, and accepting them.

use fieldhouse_api::invitations::{AcceptedInvitation, Invitation, InvitationPreview, Inviter};
use fieldhouse_api::organization::OrganizationRef;
use fieldhouse_api::{Code, Data, Op, Page, op};
use fieldhouse_commands::invitations::{self as commands, Accept, Accepted, Invitee};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::passwords::check_password;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::refusal::Check;
use fieldhouse_domain::sessions::Client;
use fieldhouse_domain::text::{Email, InvalidValue, Name};
use fieldhouse_domain::users::User;
use fieldhouse_store::invitations::Listed;
use fieldhouse_store::{records, users};
use jiff::Timestamp;
use secrecy::SecretString;
use uuid::Uuid;

use super::auth;
use crate::answer::Answered;
use crate::auth::attempts::Attempt;
use crate::auth::links::{self, Linked};
use crate::call::{Bounds, Call, Invited};
use crate::failure::Failure;

fn view(listed: &Listed, now: Timestamp) -> Invitation {
    let Listed { invitation, inviter } = listed;
    Invitation {
        id: invitation.id,
        kind: invitation.kind,
        email: invitation.email.to_string(),
        role: invitation.role,
        invited_by: Inviter { id: invitation.invited_by, name: inviter.clone() },
        status: invitation.status(now),
        sent_at: invitation.sent_at,
        expires_at: invitation.expires_at,
        accepted_at: invitation.accepted_at,
        member_id: invitation.member_id,
        created_at: invitation.created_at,
        updated_at: invitation.updated_at,
        version: invitation.version,
    }
}

/// Responds with one invitation.
fn one<O: Op<Answer = Data<Invitation>>>(call: &Call<O>, listed: &Listed) -> Result<Answered<O>, Failure> {
    Ok(Answered::json(&Data { data: view(listed, call.now()) })?.version(listed.invitation.version))
}

pub(crate) async fn list(call: Call<op::InvitationList>) -> Result<Answered<op::InvitationList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let (scope, now) = (call.scope()?, call.now());
    let mut store = call.store();
    let found =
        fieldhouse_store::invitations::list(&mut store, scope, query.status, now, part.after, part.reach());
    let mut found = found.await?;
    let page = call
        .page_info(&part, &mut found, |listed| (listed.invitation.created_at, listed.invitation.id.uuid()))?;
    call.page(Page { data: found.iter().map(|listed| view(listed, now)).collect(), deleted: None, page })
}

pub(crate) async fn read(call: Call<op::InvitationRead>) -> Result<Answered<op::InvitationRead>, Failure> {
    let found = fieldhouse_store::invitations::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    one(&call, &found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(
    call: Call<op::InvitationCreate>,
) -> Result<Answered<op::InvitationCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |call, listed| Ok(one(call, &listed)?.created(listed.invitation.id))).await
}

pub(crate) async fn resend(
    call: Call<op::InvitationResend>,
) -> Result<Answered<op::InvitationResend>, Failure> {
    let command = commands::Resend(*call.path()?);
    call.run(command, |call, listed| one(call, &listed)).await
}

pub(crate) async fn revoke(
    call: Call<op::InvitationRevoke>,
) -> Result<Answered<op::InvitationRevoke>, Failure> {
    let command = commands::Revoke(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn preview(
    call: Call<op::InvitationPreview>,
) -> Result<Answered<op::InvitationPreview>, Failure> {
    let linked = links::invitation(&call.app, &call.body.token, call.now()).await?;
    let Linked { organization: id, inviting, email, role, inviter, expires_at, .. } = linked;
    let user = users::by_email(&mut call.store(), &email).await?;
    let data = InvitationPreview {
        kind: linked.invitation.kind(),
        organization: OrganizationRef { id, name: inviting.name, slug: inviting.slug },
        role,
        email: email.to_string(),
        invited_by: inviter,
        has_account: user.is_some_and(|user| user.password_hash.is_some()),
        expires_at,
    };
    Answered::json(&Data { data })
}

pub(crate) async fn accept(
    call: Call<op::InvitationAccept>,
) -> Result<Answered<op::InvitationAccept>, Failure> {
    let linked = links::invitation(&call.app, &call.body.token, call.now()).await?;
    let Linked { invitation, version, organization, inviting, email, .. } = linked;
    if inviting.is_suspended {
        return Err(Denial::OrganizationSuspended.into());
    }
    let invitee = match call.member() {
        Some(_) => signed_in(&call, &email).await?,
        None => with_password(&call, &email, &inviting.name).await?,
    };
    let acting = Invited { organization, invitation, version, user: invitee.after.id };
    let client = Client { user_agent: call.context.user_agent(), ip: call.context.address };
    let mint = auth::mint(&call.app, organization);
    let command = Accept { invitation, invitee, client, mint };
    let here = OrganizationRef { id: organization, name: inviting.name, slug: inviting.slug };
    call.run_invited(acting, command, move |call, accepted| {
        let Accepted { member, relation: relation_id, signed_in } = accepted;
        let tokens = signed_in.map(|signed_in| auth::tokens(call, signed_in, here.clone())).transpose()?;
        let id = member.member.id;
        let data = AcceptedInvitation { member: super::members::view(&member), relation_id, tokens };
        Ok(Answered::json(&Data { data })?.created(id).secret())
    })
    .await
}

/// The user of the request's session, whose address must be the invited one.
async fn signed_in(call: &Call<op::InvitationAccept>, invited: &Email) -> Result<Invitee, Failure> {
    let mut check = Check::default();
    for (pointer, is_sent) in
        [("/name", call.body.name.is_some()), ("/password", call.body.password.is_some())]
    {
        if is_sent {
            let fix = "Leave it out, or send the request without a credential.";
            check.refuse(pointer, "not_needed", "is not needed with a session", fix);
        }
    }
    check.finish(Some(()))?;
    let scope = call.scope()?;
    let found: Option<User> = records::read(&mut call.store(), scope, scope.user()).await?;
    let user = found.filter(|user| user.email.folded() == invited.folded()).ok_or(Denial::WrongAccount)?;
    Ok(Invitee { before: Some(user.clone()), after: user, is_signed_in: true })
}

/// The user with the invited address, whose password is verified, or a new one.
async fn with_password(
    call: &Call<op::InvitationAccept>,
    invited: &Email,
    club: &str,
) -> Result<Invitee, Failure> {
    let user = users::by_email(&mut call.store(), invited).await?;
    if user.as_ref().is_some_and(|user| user.suspended_at.is_some()) {
        return Err(Denial::LinkExpired.into());
    }
    let Some(user) = user else {
        let (name, password) = required(call.body.name.as_ref(), true, call.body.password.as_ref())?;
        let names = [club, name.as_ref().map_or("", Name::as_str)];
        let hash = hashed(call, invited, &names, password).await?;
        let name = name.unwrap_or_else(|| Name::stored(invited.to_string()));
        let user = User::new(&call.app.clock.moment(), invited.clone(), name, Some(hash));
        return Ok(Invitee { before: None, after: user, is_signed_in: false });
    };
    let (_, password) = required(None, false, call.body.password.as_ref())?;
    if user.password_hash.is_none() {
        let password_hash = Some(hashed(call, invited, &[club, user.name.as_str()], password).await?);
        let after = User { password_hash, password_changed_at: Some(call.now()), ..user.clone() };
        return Ok(Invitee { before: Some(user), after, is_signed_in: false });
    }
    let turn = call.app.passwords.turn()?;
    let attempt = Attempt::begin(call, &user.email).await?;
    if !turn.verify(SecretString::from(password), user.password_hash.clone()).await? {
        let detail = "This address has an account, and the password is not that of the account. \
                      Request a password reset if it is forgotten.";
        return Err(attempt.failed(call, Failure::new(Code::InvalidCredentials, detail)).await);
    }
    attempt.succeed(call).await?;
    Ok(Invitee { before: Some(user.clone()), after: user, is_signed_in: false })
}

/// The name, if it is needed, and the password; both problems are reported together.
fn required(
    name: Option<&Name>,
    needs_name: bool,
    password: Option<&String>,
) -> Result<(Option<Name>, String), Refusal> {
    let mut check = Check::default();
    if needs_name && name.is_none() {
        check.refuse("/name", "required", "is required for a new account", "Send the person's name.");
    }
    if password.is_none() {
        check.refuse("/password", "required", "is required without a session", "Send a password.");
    }
    check.finish(password.map(|password| (name.cloned(), password.clone())))
}

async fn hashed(
    call: &Call<op::InvitationAccept>,
    email: &Email,
    names: &[&str],
    password: String,
) -> Result<String, Failure> {
    check_password(&password, email, names)
        .map_err(|wrong: InvalidValue| Refusal::field("/password", wrong))?;
    let turn = call.app.passwords.turn()?;
    turn.hash(SecretString::from(password), call.app.clock.random()).await
}
