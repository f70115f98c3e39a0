//! API keys.

use fieldhouse_api::api_keys::{ApiKey, IssuedApiKey};
use fieldhouse_api::{Data, Deleted, Op, Page, op};
use fieldhouse_domain::api_keys::{self, KeyText, Minted};
use fieldhouse_domain::ids::{ApiKeyId, Id};
use fieldhouse_store::OrgScope;
use fieldhouse_store::api_keys::Whose;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::app::App;
use crate::call::{Bounds, Call};
use crate::failure::Failure;
use crate::key_ring::Purpose;

pub(crate) async fn create(call: Call<op::ApiKeyCreate>) -> Result<Answered<op::ApiKeyCreate>, Failure> {
    let wanted = call.body.clone();
    let minted = mint(&call.app)?;
    call.write((wanted, minted), |tx, acting, call, (wanted, minted)| {
        Box::pin(async move {
            let scope = call.scope()?;
            let active =
                fieldhouse_store::api_keys::active(tx, &acting.proof, scope.user(), call.now()).await?;
            let role = acting.proof.role();
            let issued =
                api_keys::issue(acting.moment, scope.user(), role, wanted.clone(), minted, active.len())?;
            let (key, effect) = issued;
            acting.apply(tx, &[effect]).await?;
            let record = ApiKey::new(scope.organization(), &key, call.now());
            let data = IssuedApiKey { key: minted.text.reveal().to_owned(), record };
            Ok(Answered::json(&Data { data })?.version(key.version).made(key.id).secret())
        })
    })
    .await
}

/// A new key with its digest under the current pepper.
pub(crate) fn mint(app: &App) -> Result<Minted, Failure> {
    let text = KeyText::new(u64::from_be_bytes(app.clock.random()), app.clock.random());
    let mut macs = app.key_ring.macs(Purpose::ApiKeyPepper, text.reveal().as_bytes());
    let (pepper_id, digest) = macs.next().ok_or_else(|| Failure::internal("the key ring holds no pepper"))?;
    let pepper_id = pepper_id.to_owned();
    drop(macs);
    Ok(Minted { text, digest, pepper_id })
}

/// Whose keys the caller may see: an admin everybody's, others their own.
fn whose(scope: &OrgScope) -> Whose {
    if fieldhouse_domain::policy::sees_all_keys(scope.role()) { Whose::Everybodys } else { Whose::Own }
}

pub(crate) async fn list(call: Call<op::ApiKeyList>) -> Result<Answered<op::ApiKeyList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let scope = call.scope()?;
    let mut found =
        fieldhouse_store::api_keys::list(&mut call.store(), scope, whose(scope), part.after, part.reach())
            .await?;
    let page = call.page_info(&part, &mut found, |key| (key.created_at, key.id.uuid()))?;
    let data = found.iter().map(|key| ApiKey::new(scope.organization(), key, call.now())).collect();
    call.page(Page { data, deleted: None, page })
}

pub(crate) async fn current(call: Call<op::ApiKeyCurrent>) -> Result<Answered<op::ApiKeyCurrent>, Failure> {
    let key = call.scope()?.key().ok_or_else(Failure::not_found)?;
    one(&call, key).await
}

pub(crate) async fn read(call: Call<op::ApiKeyRead>) -> Result<Answered<op::ApiKeyRead>, Failure> {
    one(&call, *call.path()?).await
}

async fn one<O: Op<Answer = Data<ApiKey>>>(call: &Call<O>, id: ApiKeyId) -> Result<Answered<O>, Failure> {
    let scope = call.scope()?;
    let found = fieldhouse_store::api_keys::read(&mut call.store(), scope, id).await?;
    let key = found.filter(|key| reaches(scope, key)).ok_or_else(Failure::not_found)?;
    let data = ApiKey::new(scope.organization(), &key, call.now());
    Ok(Answered::json(&Data { data })?.version(key.version))
}

/// Whether the caller may see and revoke a key: a key itself only, a person his own, an admin everybody's.
fn reaches(scope: &OrgScope, key: &api_keys::ApiKey) -> bool {
    match scope.key() {
        Some(own) => own == key.id,
        None => key.user_id == scope.user() || whose(scope) == Whose::Everybodys,
    }
}

pub(crate) async fn revoke(call: Call<op::ApiKeyRevoke>) -> Result<Answered<op::ApiKeyRevoke>, Failure> {
    call.write((), |tx, acting, call, ()| {
        Box::pin(async move {
            let scope = call.scope()?;
            let found = fieldhouse_store::api_keys::read(tx, scope, *call.path()?).await?;
            let key = found.filter(|key| reaches(scope, key)).ok_or_else(Failure::not_found)?;
            call.precondition(key.version)?;
            let id = key.id.to_string();
            let effect = api_keys::revoke(acting.moment, key);
            acting.apply(tx, effect.as_slice()).await?;
            Answered::json(&Data { data: Deleted { id, deleted: true } })
        })
    })
    .await
}
