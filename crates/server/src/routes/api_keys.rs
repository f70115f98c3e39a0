//! API keys.

use fieldhouse_api::api_keys::{ApiKey, IssuedApiKey};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::api_keys as commands;
use fieldhouse_domain::api_keys::{KeyText, Minted};
use fieldhouse_domain::ids::{ApiKeyId, Id};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::app::App;
use crate::call::{Bounds, Call};
use crate::failure::Failure;
use crate::key_ring::Purpose;

pub(crate) async fn create(call: Call<op::ApiKeyCreate>) -> Result<Answered<op::ApiKeyCreate>, Failure> {
    let minted = mint(&call.app)?;
    let key = minted.text.reveal().to_owned();
    let command = commands::Issue { wanted: call.body.clone(), minted };
    call.run(command, move |call, issued| {
        let record = ApiKey::new(call.scope()?.organization(), &issued, call.now());
        let data = IssuedApiKey { key: key.clone(), record };
        Ok(Answered::json(&Data { data })?.version(issued.version).created(issued.id).secret())
    })
    .await
}

/// Creates a key with its digest under the current pepper.
pub(crate) fn mint(app: &App) -> Result<Minted, Failure> {
    let text = KeyText::new(u64::from_be_bytes(app.clock.random()), app.clock.random());
    let mut macs = app.key_ring.macs(Purpose::ApiKeyPepper, text.reveal().as_bytes());
    let (pepper_id, digest) =
        macs.next().ok_or_else(|| Failure::internal("the key ring contains no pepper"))?;
    let pepper_id = pepper_id.to_owned();
    drop(macs);
    Ok(Minted { text, digest, pepper_id })
}

pub(crate) async fn list(call: Call<op::ApiKeyList>) -> Result<Answered<op::ApiKeyList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let scope = call.scope()?;
    let mut found =
        fieldhouse_store::api_keys::list(&mut call.store(), scope, part.after, part.reach()).await?;
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
    let key = found.filter(|held| !held.is_protected).ok_or_else(Failure::not_found)?.key;
    let data = ApiKey::new(scope.organization(), &key, call.now());
    Ok(Answered::json(&Data { data })?.version(key.version))
}

pub(crate) async fn revoke(call: Call<op::ApiKeyRevoke>) -> Result<Answered<op::ApiKeyRevoke>, Failure> {
    let command = commands::Revoke(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}
