//! The caller's own profile.

use fieldhouse_api::organization::OrganizationRef;
use fieldhouse_api::profile::{Auth, AuthMethod, Membership, Profile};
use fieldhouse_api::{Data, op};
use fieldhouse_domain::policy::Presented;
use fieldhouse_store::OrgScope;

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

fn auth(scope: &OrgScope) -> Auth {
    let (method, scopes) = match scope.presented() {
        Presented::Session { .. } => (AuthMethod::Session, Vec::new()),
        Presented::ApiKey { scopes, .. } => {
            (AuthMethod::ApiKey, scopes.iter().map(ToString::to_string).collect())
        }
    };
    Auth { method, key_id: scope.key(), session_id: scope.session(), scopes, expires_at: scope.expires_at() }
}

pub(crate) async fn me(call: Call<op::ProfileMe>) -> Result<Answered<op::ProfileMe>, Failure> {
    let scope = call.scope()?;
    let mut store = call.store();
    let user = fieldhouse_store::users::current(&mut store, scope).await?.ok_or_else(Failure::not_found)?;
    let memberships: Vec<Membership> = fieldhouse_store::users::memberships(&mut store, user.id)
        .await?
        .into_iter()
        // A key stands for its owner in one organization, and tells nothing of the others.
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
    let organization =
        here.map(|membership| membership.organization.clone()).ok_or_else(Failure::not_found)?;
    let data = Profile {
        id: user.id,
        email: user.email.as_str().to_owned(),
        name: user.name.to_string(),
        locale: user.locale,
        time_zone: user.time_zone.as_ref().map(ToString::to_string),
        organization,
        role: scope.role(),
        memberships,
        children: Vec::new(),
        teams: Vec::new(),
        auth: auth(scope),
        created_at: user.created_at,
        updated_at: user.updated_at,
        version: user.version,
    };
    Ok(Answered::json(&Data { data })?.version(user.version))
}
