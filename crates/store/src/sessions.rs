//! Sessions in the store.

use constcat::concat;
use fieldhouse_domain::ids::{OrganizationId, SessionId, UserId};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::sessions::Session;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    LIST "sessions.list" concat!("SELECT ", Session::COLUMNS, " FROM sessions s
        WHERE s.org_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3 AND (s.created_at, s.id) < ($4, $5)
        ORDER BY s.created_at DESC, s.id DESC LIMIT $6");
    READ "sessions.read" Session::TABLE.read;
    OPEN "sessions.open" concat!("SELECT ", Session::COLUMNS, " FROM sessions s
        WHERE s.org_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL ORDER BY s.created_at, s.id");
}

/// The caller's sessions that have not ended, the newest first, from a point in that order.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Session>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    reader.rows(LIST, values![id(scope.organization()), id(scope.user()), now, at, last, limit], record).await
}

/// One session of an organization, whosever it is: the caller must check that.
pub async fn read(
    reader: &mut impl Reader,
    organization: OrganizationId,
    session_id: SessionId,
) -> Result<Option<Session>> {
    first(reader, READ, values![id(organization), id(session_id)], record).await
}

/// A user's sessions in the organization that were not ended.
pub async fn open<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, user: UserId) -> Result<Vec<Session>> {
    tx.rows(OPEN, values![id(proof.organization()), id(user)], record).await
}
