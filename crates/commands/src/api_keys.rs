//! API keys.

use fieldhouse_api::Operation;
use fieldhouse_domain::api_keys::{self as rules, ApiKey, IssueApiKey, Minted};
use fieldhouse_domain::ids::{ApiKeyId, Id};
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
        let key = rules::issue(cx.moment, cx.user()?, cx.role()?, wanted, &self.minted, active)?;
        cx.create(tx, key).await
    }
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
        let key: ApiKey = cx.target(tx, self.0).await?;
        cx.apply(tx, rules::revoke(cx.moment, key).as_slice()).await?;
        Ok(self.0)
    }
}
