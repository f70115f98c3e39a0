//! Ending sessions. `auth.rs` has sign-in and refresh.

use fieldhouse_api::Operation;
use fieldhouse_domain::ids::{Id, SessionId};
use fieldhouse_domain::sessions::{self as rules, Session};
use fieldhouse_store::Tx;
use fieldhouse_store::records;
use uuid::Uuid;

use crate::{Command, Error, WriteContext};

/// Ends the session of the request. Returns the number of ended sessions.
#[derive(Debug)]
pub struct SignOut(pub SessionId);

impl Command for SignOut {
    const OPERATION: Operation = Operation::AuthLogout;
    type Output = u32;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<u32, Error> {
        let found: Option<Session> = records::read(tx, cx.organization()?, self.0).await?;
        let ended = found.and_then(|session| rules::end(cx.moment, session));
        cx.apply(tx, ended.as_slice()).await?;
        Ok(u32::from(ended.is_some()))
    }
}

/// Ends one of the user's sessions.
#[derive(Debug)]
pub struct Revoke(pub SessionId);

impl Command for Revoke {
    const OPERATION: Operation = Operation::SessionRevoke;
    type Output = SessionId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<SessionId, Error> {
        let session: Session = cx.target(tx, self.0).await?;
        cx.apply(tx, rules::end(cx.moment, session).as_slice()).await?;
        Ok(self.0)
    }
}
