//! Sign-in and sessions: the embedded identity provider.

use fieldhouse_api::auth::{Session, SignedOut, Tokens};
use fieldhouse_api::organization::OrganizationRef;
use fieldhouse_api::{Code, Data, Deleted, Op, Page, op};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sessions::{self, Client, Refreshed};
use fieldhouse_domain::text::NotText;
use fieldhouse_domain::users::{User, check_password};
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::users;
use fieldhouse_store::users::Membership;
use jiff::Timestamp;
use secrecy::SecretString;
use uuid::Uuid;

use crate::answer::Answered;
use crate::auth::attempts::Attempt;
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
        return Err(Failure::new(Code::InvalidCredentials, detail));
    };
    attempt.succeed(&call).await?;
    let memberships = users::memberships(&mut call.store(), user.id).await?;
    let membership = choose(memberships, call.body.organization.as_deref())?;
    open(call, user, membership).await
}

/// The organization to sign in to: the one that is named, else the only one.
fn choose(memberships: Vec<Membership>, named: Option<&str>) -> Result<Membership, Failure> {
    let fits = |membership: &Membership| {
        named.is_none_or(|named| membership.slug == named || membership.organization.to_string() == named)
    };
    let slugs: Vec<String> = memberships.iter().map(|membership| membership.slug.clone()).collect();
    let mut fitting: Vec<Membership> = memberships.into_iter().filter(fits).collect();
    match (fitting.pop(), fitting.is_empty()) {
        (Some(membership), true) => Ok(membership),
        (None, _) if slugs.is_empty() => {
            Err(Failure::new(Code::InvalidCredentials, "You belong to no organization here any more."))
        }
        (None, _) | (Some(_), false) => {
            let message =
                if named.is_some() { "is none of yours" } else { "is needed: you belong to several" };
            let wrong = NotText::new("choose_one", message, format!("name one of {}", slugs.join(", ")));
            Err(Failure::from(Refusal::field("/organization", wrong)).with("organizations", slugs))
        }
    }
}

async fn open(
    call: Call<op::AuthLogin>,
    user: User,
    here: Membership,
) -> Result<Answered<op::AuthLogin>, Failure> {
    let nonce = call.app.clock.random();
    call.transact((user, here, nonce), |tx, moment, call, (user, here, nonce)| {
        Box::pin(async move {
            // The password was verified before this transaction: one that was changed since opens nothing.
            let current = users::read(tx, user.id).await?.ok_or(Denial::Unknown)?;
            if current.password_hash != user.password_hash {
                return Err(Denial::Unknown.into());
            }
            let proof = tx.permit_sign_in(user.id, here.organization).await?.ok_or(Denial::Unknown)?;
            let client = Client { user_agent: call.context.user_agent(), ip: call.context.address };
            let session = sessions::Session::open(moment, user.id, "password", client);
            let token = RefreshToken::new(here.organization, session.id, session.generation, *nonce);
            let token = token.write(&call.app.key_ring);
            let session = session.with_token(tokens::digest(&token));
            let effect = Effect::create(AnyRecord::Session(session.clone()));
            call.apply(tx, moment, &proof, &[effect]).await?;
            answer(call, &session, token, organization(here), proof.role())
        })
    })
    .await
}

fn organization(membership: &Membership) -> OrganizationRef {
    OrganizationRef {
        id: membership.organization,
        name: membership.name.clone(),
        slug: membership.slug.clone(),
    }
}

/// Answers with a session's tokens.
fn answer<O: Op<Answer = Data<Tokens>>>(
    call: &Call<O>,
    session: &sessions::Session,
    refresh_token: String,
    organization: OrganizationRef,
    role: Role,
) -> Result<Answered<O>, Failure> {
    let subject = Subject {
        user: session.user_id,
        organization: organization.id,
        session: session.id,
        authenticated_at: session.created_at,
    };
    let id = Uuid::from_bytes(call.app.clock.random());
    let (access_token, expires_in) =
        call.app.tokens.issue(&subject, call.now(), id).map_err(Failure::internal)?;
    let data = Tokens {
        access_token,
        token_type: "Bearer".to_owned(),
        expires_in,
        refresh_token,
        session_expires_at: session.expires_at,
        session_id: session.id,
        organization,
        role,
    };
    Ok(Answered::json(&Data { data })?.made(session.id).secret())
}

pub(crate) async fn refresh(call: Call<op::AuthRefresh>) -> Result<Answered<op::AuthRefresh>, Failure> {
    let text = call.body.refresh_token.clone();
    let token = RefreshToken::read(&text, &call.app.key_ring).ok_or(Denial::Unknown)?;
    let shown = tokens::digest(&text);
    let nonce = call.app.clock.random();
    // The transaction of a refused refresh is rolled back. So the session of a reused token is ended in a second one, below.
    let store = call.app.store.clone();
    let (now, clock, request_id) = (call.now(), call.app.clock.clone(), call.context.id.clone());
    let answered = call
        .transact((token, shown, nonce), |tx, moment, call, (token, shown, nonce)| {
            Box::pin(async move {
                let found = fieldhouse_store::sessions::read(tx, token.organization, token.session).await?;
                let session = found.ok_or(Denial::Unknown)?;
                let user = session.user_id;
                let Some(proof) = tx.permit_sign_in(user, token.organization).await? else {
                    return Err(Denial::Unknown.into());
                };
                let generation = sessions::next_generation(&session, shown);
                let next = RefreshToken::new(token.organization, session.id, generation, *nonce)
                    .write(&call.app.key_ring);
                match sessions::refresh(moment, session, shown, tokens::digest(&next)) {
                    Refreshed::GoesOn(effect) => {
                        call.apply(tx, moment, &proof, std::slice::from_ref(&effect)).await?;
                        let Some(AnyRecord::Session(session)) = effect.after else {
                            return Err(Failure::internal("a refreshed session is a session"));
                        };
                        let memberships = users::memberships(tx, user).await?;
                        let here = memberships.iter().find(|here| here.organization == token.organization);
                        let here = here.map(organization).ok_or(Denial::Unknown)?;
                        answer(call, &session, next, here, proof.role())
                    }
                    Refreshed::Reused(_) => Err(Failure::from(Denial::SessionEnded).with("reused", true)),
                    Refreshed::Ended => Err(Denial::SessionEnded.into()),
                }
            })
        })
        .await;
    if answered.as_ref().is_err_and(|failure| failure.code() == Code::TokenExpired) {
        end_family(&store, token, shown, clock.moment_at(now), request_id).await?;
    }
    answered
}

/// Ends the session of a refresh token that was used before: somebody else holds it.
async fn end_family(
    store: &fieldhouse_store::Store,
    token: RefreshToken,
    shown: sessions::TokenDigest,
    moment: Moment,
    request_id: String,
) -> Result<(), Failure> {
    store
        .write("auth.refresh_reused", async move |tx| {
            let Some(session) =
                fieldhouse_store::sessions::read(tx, token.organization, token.session).await?
            else {
                return Ok(());
            };
            let Some(proof) = tx.permit_sign_in(session.user_id, token.organization).await? else {
                return Ok(());
            };
            let moment = moment.again();
            if let Refreshed::Reused(effect) = sessions::refresh(&moment, session, &shown, shown) {
                let change = fieldhouse_store::Change {
                    moment: &moment,
                    operation: "auth.refresh_reused",
                    request_id: &request_id,
                    reason: None,
                };
                tx.apply(&proof, change, &[*effect]).await?;
            }
            Ok::<_, Failure>(())
        })
        .await
}

pub(crate) async fn logout(call: Call<op::AuthLogout>) -> Result<Answered<op::AuthLogout>, Failure> {
    call.write((), |tx, acting, call, ()| {
        Box::pin(async move {
            let scope = call.scope()?;
            let id = scope.session().ok_or(Denial::SessionRequired)?;
            let found = fieldhouse_store::sessions::read(tx, scope.organization(), id).await?;
            let effect = found.and_then(|session| sessions::end(acting.moment, session));
            acting.apply(tx, effect.as_slice()).await?;
            Answered::json(&Data { data: SignedOut { sessions_ended: u32::from(effect.is_some()) } })
        })
    })
    .await
}

pub(crate) async fn password(call: Call<op::AuthPassword>) -> Result<Answered<op::AuthPassword>, Failure> {
    let user = users::current(&mut call.store(), call.scope()?).await?.ok_or_else(Failure::not_found)?;
    let turn = call.app.passwords.turn()?;
    let attempt = Attempt::begin(&call, &user.email).await?;
    let current = SecretString::from(call.body.current_password.clone());
    let wrong = || {
        let fix = "send the password that you sign in with now";
        Failure::parameter(Code::InvalidCredentials, "/current_password", "is wrong", fix)
    };
    if !turn.verify(current, user.password_hash.clone()).await? {
        return Err(wrong());
    }
    attempt.succeed(&call).await?;
    check_password(&call.body.new_password, &user.email)
        .map_err(|wrong| Refusal::field("/new_password", wrong))?;
    let wanted = SecretString::from(call.body.new_password.clone());
    let hash = turn.hash(wanted, call.app.clock.random()).await?;
    call.write((hash, user.password_hash, wrong), |tx, acting, call, (hash, verified, wrong)| {
        Box::pin(async move {
            let scope = call.scope()?;
            let before = users::read(tx, scope.user()).await?.ok_or_else(Failure::not_found)?;
            if before.password_hash != *verified {
                return Err(wrong());
            }
            let after = User {
                password_hash: Some(hash.clone()),
                password_changed_at: Some(call.now()),
                ..before.clone()
            };
            let update = Effect::update(acting.moment, AnyRecord::User(before), AnyRecord::User(after));
            acting.apply(tx, update.as_slice()).await?;
            // A password opens all organizations of its owner, so that a new one ends his sessions in all of them.
            let mut sessions_ended = 0;
            for here in users::memberships(tx, scope.user()).await? {
                let proof = tx.permit_sign_in(scope.user(), here.organization).await?;
                let Some(proof) = proof else { continue };
                let open = fieldhouse_store::sessions::open(tx, &proof, scope.user()).await?;
                let others = open.into_iter().filter(|session| Some(session.id) != scope.session());
                let ended = others.filter_map(|session| sessions::end(acting.moment, session));
                let ended: Vec<_> = ended.collect();
                call.apply(tx, acting.moment, &proof, &ended).await?;
                sessions_ended += u32::try_from(ended.len()).unwrap_or(u32::MAX);
            }
            Answered::json(&Data { data: SignedOut { sessions_ended } })
        })
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
    call.write((), |tx, acting, call, ()| {
        Box::pin(async move {
            let scope = call.scope()?;
            let found = fieldhouse_store::sessions::read(tx, scope.organization(), *call.path()?).await?;
            let session =
                found.filter(|session| session.user_id == scope.user()).ok_or_else(Failure::not_found)?;
            call.precondition(session.version)?;
            let id = session.id.to_string();
            let effect = sessions::end(acting.moment, session);
            acting.apply(tx, effect.as_slice()).await?;
            Answered::json(&Data { data: Deleted { id, deleted: true } })
        })
    })
    .await
}
