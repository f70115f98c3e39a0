//! The caller's own profile.

use fieldhouse_api::organization::OrganizationRef;
use fieldhouse_api::profile::{
    Auth, AuthMethod, ChildRelation, EmailChangeRequested, EmailConfirmed, Membership, Profile,
};
use fieldhouse_api::{Data, Op, op};
use fieldhouse_commands::profile as commands;
use fieldhouse_domain::ids::{Id, UserId};
use fieldhouse_domain::mail::MailKind;
use fieldhouse_domain::policy::{Denial, VerifiedCredential};
use fieldhouse_domain::users::{EmailSide, User};
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::children::{self, Own};
use fieldhouse_store::{OrgScope, ReadTx, access, duties, records, staff, users};
use jiff::Timestamp;
use tokio::try_join;

use super::auth::verify_own;
use crate::answer::Answered;
use crate::auth::links;
use crate::call::Call;
use crate::failure::Failure;

fn auth(scope: &OrgScope) -> Auth {
    let (method, scopes) = match scope.credential() {
        VerifiedCredential::Session { .. } => (AuthMethod::Session, Vec::new()),
        VerifiedCredential::ApiKey { scopes, .. } => {
            (AuthMethod::ApiKey, scopes.iter().map(ToString::to_string).collect())
        }
    };
    Auth { method, key_id: scope.key(), session_id: scope.session(), scopes, expires_at: scope.expires_at() }
}

/// The caller, from one snapshot.
async fn found(tx: &ReadTx<'_>, scope: &OrgScope, now: Timestamp) -> Result<commands::Profile, Failure> {
    let (mut first, mut second, mut third, mut fourth, mut fifth, mut sixth) = (tx, tx, tx, tx, tx, tx);
    let roster = scope.children::<Roster>(now)?;
    let ties = scope.ties();
    let ((), user, memberships, teams, duties, children) = try_join!(
        scope.confirm(&mut sixth),
        records::read(&mut first, scope, scope.user()),
        users::memberships(&mut second, scope.user()),
        unless_none(ties.staff, staff::teams(&mut third, scope, now)),
        unless_none(ties.duties, duties::own(&mut fourth, scope, now)),
        unless_none(ties.relations, children::family(&mut fifth, &roster)),
    )?;
    if !memberships.iter().any(|membership| membership.organization == scope.organization()) {
        // They have been removed or suspended since the credential was checked, and are refused as the next request is.
        access::identify_again(&mut first, scope, now).await??;
    }
    Ok(commands::Profile { user: user.ok_or(Denial::Unknown)?, memberships, children, teams, duties })
}

/// Reads something only if the user ever had any.
async fn unless_none<T, E>(had: bool, read: impl Future<Output = Result<Vec<T>, E>>) -> Result<Vec<T>, E> {
    if had { read.await } else { Ok(Vec::new()) }
}

pub(crate) async fn me(call: Call<op::ProfileMe>) -> Result<Answered<op::ProfileMe>, Failure> {
    let store = call.app.store.clone();
    store
        .read_at_once(op::ProfileMe::OPERATION.id(), async move |tx| {
            profile(tx, call.scope()?, call.now()).await
        })
        .await
}

async fn profile(
    tx: &ReadTx<'_>,
    scope: &OrgScope,
    now: Timestamp,
) -> Result<Answered<op::ProfileMe>, Failure> {
    view(scope, found(tx, scope, now).await?, now)
}

fn child(Own { id, display_name, kind, since }: Own) -> ChildRelation {
    ChildRelation { child_id: id, display_name, relation: kind, since }
}

/// Responds with the caller's profile.
fn view<O: Op<Answer = Data<Profile>>>(
    scope: &OrgScope,
    commands::Profile { user, memberships, children, teams, duties }: commands::Profile,
    now: Timestamp,
) -> Result<Answered<O>, Failure> {
    let memberships: Vec<Membership> = memberships
        .into_iter()
        // A key acts for its owner in one organization, and does not show the others.
        .filter(|membership| scope.key().is_none() || membership.organization == scope.organization())
        .map(|membership| Membership {
            id: membership.id,
            organization: OrganizationRef {
                id: membership.organization,
                name: membership.name,
                slug: membership.slug,
            },
            role: membership.role,
        })
        .collect();
    let here = memberships.iter().find(|membership| membership.organization.id == scope.organization());
    let Some(organization) = here.map(|membership| membership.organization.clone()) else {
        return Err(Denial::Unknown.into());
    };
    let children = if scope.reads_children() { children } else { Vec::new() };
    let data = Profile {
        id: user.id,
        email: user.email.as_str().to_owned(),
        name: user.name.to_string(),
        locale: user.locale,
        time_zone: user.time_zone.as_ref().map(ToString::to_string),
        organization,
        role: scope.role(),
        memberships,
        children: children.into_iter().map(child).collect(),
        teams,
        duties: duties.into_iter().map(|duty| super::duties::own(duty, now)).collect(),
        auth: auth(scope),
        created_at: user.created_at,
        updated_at: user.updated_at,
        version: user.version,
    };
    Ok(Answered::json(&Data { data })?.version(user.version))
}

pub(crate) async fn change(call: Call<op::ProfileChange>) -> Result<Answered<op::ProfileChange>, Failure> {
    let command = commands::Change(call.body.clone());
    call.run(command, |call, profile| view(call.scope()?, profile, call.now())).await
}

pub(crate) async fn request_email(
    call: Call<op::ProfileEmail>,
) -> Result<Answered<op::ProfileEmail>, Failure> {
    let scope = call.scope()?;
    let found: Option<User> = records::read(&mut call.store(), scope, scope.user()).await?;
    let user = found.ok_or_else(Failure::not_found)?;
    let turn = call.app.passwords.turn()?;
    verify_own(&call, &turn, &user, &call.body.current_password).await?;
    drop(turn);
    let command = commands::RequestEmail { email: call.body.email.clone(), verified: user.password_hash };
    call.run(command, |_, expires_at| Answered::json(&Data { data: EmailChangeRequested { expires_at } }))
        .await
}

pub(crate) async fn confirm_email(
    call: Call<op::ProfileEmailConfirm>,
) -> Result<Answered<op::ProfileEmailConfirm>, Failure> {
    let mail = links::email_change(&call.app, &call.body.token).await?;
    let user = UserId::from_uuid(mail.record.unwrap_or_default());
    let side = if mail.kind == MailKind::EmailChangeNew { EmailSide::New } else { EmailSide::Current };
    let command = commands::ConfirmEmail { user, side, requested_at: mail.created_at };
    call.run_by_link(user, command, |_, (user, changed)| {
        Answered::json(&Data { data: EmailConfirmed { email: user.email.to_string(), changed } })
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::Body;
    use axum::extract::Request;
    use fieldhouse_api::envelope::JSON;
    use fieldhouse_api::{Code, Op};
    use fieldhouse_domain::mail::NOTIFY_HOLD;
    use fieldhouse_domain::organizations::Slug;
    use fieldhouse_domain::roles::Role;
    use fieldhouse_domain::text::{Email, Name};
    use fieldhouse_domain::time::TimeZoneName;
    use fieldhouse_testing::databases::{Database, both};
    use secrecy::SecretString;
    use serde_json::{Value, json};
    use tower::ServiceExt;

    use super::*;
    use crate::app::App;
    use crate::auth::guard;
    use crate::auth::limits::LimitOptions;
    use crate::call::{Arrived, Context, RequestId};
    use crate::operator::{Founding, Person, found};
    use crate::router::Api;
    use crate::{Clock, KeyRing};

    const PASSWORD: &str = "a long enough password";

    async fn club(database: &Database) -> App {
        let folder = tempfile::tempdir().expect("a folder");
        let ring = KeyRing::open(folder.path(), &Clock::system()).expect("a key ring");
        let store = Arc::new(database.open().await);
        let app =
            App::new(store, ring, "http://localhost", LimitOptions::default(), Clock::system(), NOTIFY_HOLD)
                .expect("an app");
        let name = Name::parse("Riverside Club").expect("a name");
        let time_zone = TimeZoneName::parse("UTC").expect("a zone");
        let people = [Role::Owner, Role::Viewer].map(|role| Person {
            email: Email::parse(&format!("{role}@riverside.example")).expect("an address"),
            name: name.clone(),
            role,
            password: SecretString::from(PASSWORD),
        });
        let slug = Slug::of(&name).expect("a short name");
        let founding = Founding { name, slug, country: None, time_zone };
        found(&app.store, &app.passwords, &app.clock, founding, people.into()).await.expect("a club");
        app
    }

    fn request(method: &str, path: &str, token: &str, body: &Value) -> Request {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json");
        let request = request.header("authorization", format!("Bearer {token}"));
        request
            .body(Body::from(if body.is_null() { String::new() } else { body.to_string() }))
            .expect("a request")
    }

    async fn send(router: &Api, request: Request) -> Value {
        let response = router.clone().oneshot(request).await.expect("a response");
        let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    async fn sign_in(router: &Api, role: Role) -> String {
        let login = json!({"email": format!("{role}@riverside.example"), "password": PASSWORD});
        let mut request = request("POST", "/api/v1/auth/login", "", &login);
        request.headers_mut().remove("authorization");
        let tokens = send(router, request).await;
        let token = tokens["data"]["access_token"].as_str();
        token.unwrap_or_else(|| panic!("no token: {tokens}")).to_owned()
    }

    async fn arrival(app: &App, token: &str) -> Call<op::ProfileMe> {
        let (mut parts, body) = request("GET", "/api/v1/profile/me", token, &Value::Null).into_parts();
        let context = Context::of(&mut parts, app, RequestId::new([7; 16]));
        let row = const { &op::ProfileMe::ROW };
        let (_, admitted) = guard::admit(app, row, &context, false).await;
        let admitted = admitted.expect("the credential is valid");
        let arrived = Arrived::of(app, (row, JSON), context, admitted, (parts, body)).await;
        arrived.and_then(Arrived::read).expect("it is read")
    }

    #[tokio::test]
    async fn a_member_suspended_during_a_request_gets_the_same_denial_as_later() {
        for database in both() {
            let app = club(&database).await;
            let router = crate::router::router(app.clone()).expect("a router");
            let (owner, viewer) = (sign_in(&router, Role::Owner).await, sign_in(&router, Role::Viewer).await);
            assert!(me(arrival(&app, &viewer).await).await.is_ok());

            let checked = arrival(&app, &viewer).await;
            let members = send(&router, request("GET", "/api/v1/members", &owner, &Value::Null)).await;
            let member =
                members["data"].as_array().expect("members").iter().find(|it| it["role"] == "viewer");
            let path =
                format!("/api/v1/members/{}", member.expect("a viewer")["id"].as_str().expect("an id"));
            let suspended = send(&router, request("PATCH", &path, &owner, &json!({"suspended": true}))).await;
            assert!(suspended["data"]["suspended_at"].is_string(), "{suspended}");

            let refused = me(checked).await.map(|_| ()).expect_err("a failure");
            assert_eq!(refused.code(), Code::TokenExpired, "a suspension ends the sessions");
            let next = send(&router, request("GET", "/api/v1/profile/me", &viewer, &Value::Null)).await;
            assert_eq!(next["code"], refused.code().name(), "as the next request");
        }
    }
}
