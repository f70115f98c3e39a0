//! Sign-in and sessions: the built-in identity provider.

use fieldhouse_api::auth::{PasswordResetRequested, Session, SignedOut, Tokens};
use fieldhouse_api::organization::OrganizationRef;
use fieldhouse_api::{Code, Data, Op, Page, op};
use fieldhouse_commands::auth::{self, MintToken, Outcome, SignedIn};
use fieldhouse_commands::sessions::{Revoke, SignOut};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::ids::{Id, OrganizationId};
use fieldhouse_domain::mail::RESET_LIFE;
use fieldhouse_domain::passwords::check_password;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::sessions::Client;
use fieldhouse_domain::text::InvalidValue;
use fieldhouse_domain::users::User;
use fieldhouse_store::users::Membership;
use fieldhouse_store::{records, sessions, users};
use jiff::Timestamp;
use secrecy::SecretString;
use uuid::Uuid;

use crate::answer::Answered;
use crate::app::App;
use crate::auth::attempts::Attempt;
use crate::auth::links;
use crate::auth::passwords::Turn;
use crate::auth::tokens::{self, RefreshToken, Subject};
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(crate) async fn login(call: Call<op::AuthLogin>) -> Result<Answered<op::AuthLogin>, Failure> {
    let email = call.body.email.clone();
    let turn = call.app.passwords.turn()?;
    let attempt = Attempt::begin(&call, &email).await?;
    let user = users::by_email(&mut call.store(), &email).await?;
    let expected = user.as_ref().and_then(|user| user.password_hash.clone());
    let password = SecretString::from(call.body.password.clone());
    let right = turn.verify(password, expected).await?;
    let Some(user) = user.filter(|user| right && user.suspended_at.is_none()) else {
        let detail = "The e-mail address or the password is wrong.";
        return Err(attempt.failed(&call, Failure::new(Code::InvalidCredentials, detail)).await);
    };
    attempt.succeed(&call).await?;
    let memberships = users::memberships(&mut call.store(), user.id).await?;
    if memberships.is_empty() {
        return Err(without_organization(&users::suspended_in(&mut call.store(), user.id).await?));
    }
    let membership = choose(memberships, call.body.organization.as_deref())?;
    open(call, user, membership).await
}

/// The password is right, but there is nowhere to sign in to. `suspended` are the organizations where the user is suspended.
fn without_organization(suspended: &[String]) -> Failure {
    let detail = if suspended.is_empty() {
        "You no longer belong to an organization. Ask an admin of your organization to invite you again."
            .to_owned()
    } else {
        let names = suspended.join(", ");
        format!(
            "Your membership is suspended ({names}). Ask an admin of the organization to lift the suspension."
        )
    };
    Failure::new(Code::OperationForbidden, detail)
}

/// The organization to sign in to: the requested one, or the only one.
fn choose(memberships: Vec<Membership>, named: Option<&str>) -> Result<Membership, Failure> {
    let fits = |membership: &Membership| {
        named.is_none_or(|named| membership.slug == named || membership.organization.to_string() == named)
    };
    let slugs: Vec<String> = memberships.iter().map(|membership| membership.slug.clone()).collect();
    let mut fitting: Vec<Membership> = memberships.into_iter().filter(fits).collect();
    if let (Some(membership), true) = (fitting.pop(), fitting.is_empty()) {
        return Ok(membership);
    }
    let message = if named.is_some() {
        "must be one of your organizations"
    } else {
        "is required because you belong to several organizations"
    };
    let wrong = InvalidValue::new("choose_one", message, format!("Send one of: {}.", slugs.join(", ")));
    Err(Failure::from(Refusal::field("/organization", wrong)).with("organizations", slugs))
}

async fn open(
    call: Call<op::AuthLogin>,
    user: User,
    here: Membership,
) -> Result<Answered<op::AuthLogin>, Failure> {
    if here.is_suspended {
        return Err(Denial::OrganizationSuspended.into());
    }
    let client = Client { user_agent: call.context.user_agent(), ip: call.context.address };
    let (user_id, organization_id) = (user.id, here.organization);
    let command = auth::SignIn { user, client, mint: mint(&call.app, organization_id) };
    call.run_as(user_id, organization_id, command, move |call, signed_in| {
        answer(call, signed_in, organization(&here))
    })
    .await
}

/// Creates refresh tokens for sessions in an organization.
pub(super) fn mint(app: &App, organization: OrganizationId) -> MintToken {
    let (app, nonce) = (app.clone(), app.clock.random());
    Box::new(move |session, generation| {
        let token = RefreshToken::new(organization, session, generation, nonce).write(&app.key_ring);
        let digest = tokens::digest(&token);
        (token, digest)
    })
}

fn organization(membership: &Membership) -> OrganizationRef {
    OrganizationRef {
        id: membership.organization,
        name: membership.name.clone(),
        slug: membership.slug.clone(),
    }
}

/// Responds with a session's tokens.
fn answer<O: Op<Answer = Data<Tokens>>>(
    call: &Call<O>,
    signed_in: SignedIn,
    organization: OrganizationRef,
) -> Result<Answered<O>, Failure> {
    let data = tokens(call, signed_in, organization)?;
    let id = data.session_id;
    Ok(Answered::json(&Data { data })?.created(id).secret())
}

/// The tokens of a session.
pub(super) fn tokens<O: Op>(
    call: &Call<O>,
    SignedIn { session, refresh_token, role }: SignedIn,
    organization: OrganizationRef,
) -> Result<Tokens, Failure> {
    let subject = Subject {
        user: session.user_id,
        organization: organization.id,
        session: session.id,
        authenticated_at: session.created_at,
    };
    let id = Uuid::from_bytes(call.app.clock.random());
    let (access_token, expires_in) =
        call.app.tokens.issue(&subject, call.now(), id).map_err(Failure::internal)?;
    Ok(Tokens {
        access_token,
        token_type: "Bearer".to_owned(),
        expires_in,
        refresh_token,
        session_expires_at: session.expires_at,
        session_id: session.id,
        organization,
        role,
    })
}

pub(crate) async fn refresh(call: Call<op::AuthRefresh>) -> Result<Answered<op::AuthRefresh>, Failure> {
    let token = RefreshToken::read(&call.body.refresh_token, &call.app.key_ring).ok_or(Denial::Unknown)?;
    let found = sessions::user_of(&mut call.store(), token.organization, token.session).await?;
    let user = found.ok_or(Denial::Unknown)?;
    let memberships = users::memberships(&mut call.store(), user).await?;
    let here = memberships.iter().find(|here| here.organization == token.organization);
    let here = here.ok_or(Denial::Unknown)?;
    if here.is_suspended {
        return Err(Denial::OrganizationSuspended.into());
    }
    let here = organization(here);
    let sent = tokens::digest(&call.body.refresh_token);
    let command = auth::Refresh { session: token.session, sent, mint: mint(&call.app, token.organization) };
    call.run_as(user, token.organization, command, move |call, outcome| match outcome {
        Outcome::Continued(signed_in) => answer(call, *signed_in, here.clone()),
        Outcome::Reused => Err(Failure::from(Denial::SessionEnded).with("reused", true)),
        Outcome::Ended => Err(Denial::SessionEnded.into()),
    })
    .await
}

pub(crate) async fn logout(call: Call<op::AuthLogout>) -> Result<Answered<op::AuthLogout>, Failure> {
    let command = SignOut(call.scope()?.session().ok_or(Denial::SessionRequired)?);
    call.run(command, |_, sessions_ended| Answered::json(&Data { data: SignedOut { sessions_ended } })).await
}

pub(crate) async fn password(call: Call<op::AuthPassword>) -> Result<Answered<op::AuthPassword>, Failure> {
    let scope = call.scope()?;
    let found: Option<User> = records::read(&mut call.store(), scope, scope.user()).await?;
    let user = found.ok_or_else(Failure::not_found)?;
    let turn = call.app.passwords.turn()?;
    verify_own(&call, &turn, &user, &call.body.current_password).await?;
    refuse_easy(&call, &user, &call.body.new_password).await?;
    let wanted = SecretString::from(call.body.new_password.clone());
    let hash = turn.hash(wanted, call.app.clock.random()).await?;
    let session = call.scope()?.session();
    let command = auth::ChangePassword { verified: user.password_hash, hash, session };
    call.run(command, move |_, ended| {
        let sessions_ended = ended.ok_or_else(wrong_own)?;
        Answered::json(&Data { data: SignedOut { sessions_ended } })
    })
    .await
}

/// Checks the new password of a user against the rules, and their own name and those of their clubs.
async fn refuse_easy<O: Op>(call: &Call<O>, user: &User, password: &str) -> Result<(), Failure> {
    let memberships = users::memberships(&mut call.store(), user.id).await?;
    let clubs = memberships.iter().map(|membership| &*membership.name);
    let names: Vec<&str> = clubs.chain([user.name.as_str()]).collect();
    Ok(check_password(password, &user.email, &names)
        .map_err(|wrong| Refusal::field("/new_password", wrong))?)
}

/// Verifies the password of the signed-in user. Their attempts are counted for their session, so that no one else can use them up.
pub(super) async fn verify_own<O: Op>(
    call: &Call<O>,
    turn: &Turn,
    user: &User,
    password: &str,
) -> Result<(), Failure> {
    let attempt = Attempt::begin_own(call, user).await?;
    if !turn.verify(SecretString::from(password), user.password_hash.clone()).await? {
        return Err(attempt.failed(call, wrong_own()).await);
    }
    attempt.succeed(call).await
}

fn wrong_own() -> Failure {
    let fix = "Send your current password.";
    Failure::parameter(Code::InvalidCredentials, "/current_password", "is wrong", fix)
}

pub(crate) async fn request_reset(
    call: Call<op::PasswordResetRequest>,
) -> Result<Answered<op::PasswordResetRequest>, Failure> {
    call.store().request_reset(&call.body.email, &call.app.clock.moment(), RESET_LIFE).await?;
    Answered::json(&Data { data: PasswordResetRequested { requested: true } })
}

pub(crate) async fn complete_reset(
    call: Call<op::PasswordResetComplete>,
) -> Result<Answered<op::PasswordResetComplete>, Failure> {
    let (mail, user) = links::password_reset(&call.app, &call.body.token, call.now()).await?;
    refuse_easy(&call, &user, &call.body.new_password).await?;
    let turn = call.app.passwords.turn()?;
    let hash = turn.hash(SecretString::from(&*call.body.new_password), call.app.clock.random()).await?;
    let id = user.id;
    let command = auth::ResetPassword { mail, user, hash };
    call.run_by_link(id, command, |_, sessions_ended| {
        Answered::json(&Data { data: SignedOut { sessions_ended } })
    })
    .await
}

pub(crate) async fn sessions(call: Call<op::SessionList>) -> Result<Answered<op::SessionList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let scope = call.scope()?;
    let mut store = call.store();
    let mut found =
        fieldhouse_store::sessions::list(&mut store, scope, call.now(), part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |session| (session.created_at, session.id.uuid()))?;
    let data = found.into_iter().map(|session| Session {
        id: session.id,
        method: session.method,
        created_at: session.created_at,
        last_used_at: session.last_used_at,
        expires_at: session.expires_at,
        user_agent: session.user_agent,
        ip: session.ip,
        current: scope.session() == Some(session.id),
    });
    call.page(Page { data: data.collect(), deleted: None, page })
}

pub(crate) async fn revoke_session(
    call: Call<op::SessionRevoke>,
) -> Result<Answered<op::SessionRevoke>, Failure> {
    let command = Revoke(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}
