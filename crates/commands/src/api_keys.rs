//! API keys.

use fieldhouse_api::Operation;
use fieldhouse_api::rows::is_usable_by_keys;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::api_keys::{self as rules, ApiKey, IssueApiKey, Minted};
use fieldhouse_domain::ids::{ApiKeyId, Id};
use fieldhouse_domain::refusal::Check;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_store::{Tx, api_keys};
use uuid::Uuid;

use crate::{Command, Error, WriteContext};

/// Creates a key for the caller.
pub struct Issue {
    /// The fields of the key.
    pub wanted: IssueApiKey,
    /// The raw key with its digest.
    pub minted: Minted,
}

impl Command for Issue {
    const OPERATION: Operation = Operation::ApiKeyCreate;
    type Output = ApiKey;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<ApiKey, Error> {
        let active = api_keys::active(tx, cx.organization()?, cx.moment.now()).await?.len();
        let wanted = self.wanted.clone();
        refuse_useless(&wanted.key.scopes)?;
        let key = rules::issue(cx.moment, cx.user()?, cx.role()?, wanted, &self.minted, active)?;
        cx.create(tx, key).await
    }
}

/// Checks that each scope gives a key something to do.
fn refuse_useless(scopes: &[Scope]) -> Result<(), Refusal> {
    let mut check = Check::default();
    for (at, scope) in scopes.iter().enumerate().filter(|(_, scope)| !is_usable_by_keys(**scope)) {
        let message = format!("permits nothing: no key can call an operation that requires {scope}");
        check.refuse(&format!("/scopes/{at}"), "useless_scope", message, "Leave it out.");
    }
    check.finish(Some(()))
}

/// Revokes a key.
#[derive(Debug)]
pub struct Revoke(pub ApiKeyId);

impl Command for Revoke {
    const OPERATION: Operation = Operation::ApiKeyRevoke;
    type Output = ApiKeyId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<ApiKeyId, Error> {
        let held = api_keys::read(tx, cx.organization()?, self.0).await?.ok_or_else(Error::not_found)?;
        rules::refuse_protected(held.is_protected)?;
        let key = cx.check(held.key)?;
        cx.apply(tx, rules::revoke(cx.moment, key).as_slice()).await?;
        Ok(self.0)
    }
}
