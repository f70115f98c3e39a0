//! Sessions in the store.

use constcat::concat;
use fieldhouse_domain::ids::{OrganizationId, SessionId, UserId};
use fieldhouse_domain::sessions::Session;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    LIST "sessions.list" concat!("SELECT ", Session::COLUMNS, " FROM sessions s
        WHERE s.org_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3 AND (s.created_at, s.id) < ($4, $5)
        ORDER BY s.created_at DESC, s.id DESC LIMIT $6");
    USER "sessions.user" "SELECT user_id FROM sessions WHERE org_id = $1 AND id = $2";
    OPEN "sessions.open" concat!("SELECT ", Session::COLUMNS, " FROM sessions s
        WHERE s.org_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL ORDER BY s.created_at, s.id");
}

/// The open sessions of the acting user, newest first, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Session>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let values = values![id(proof.organization()), id(proof.owner()), now, at, last, limit];
    reader.rows(LIST, values, record).await
}

/// The sessions of the acting user that were not ended.
pub async fn open<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<Vec<Session>> {
    reader.rows(OPEN, values![id(proof.organization()), id(proof.owner())], record).await
}

/// The sessions of a member that were not ended, which a change of the membership ends.
pub(crate) async fn open_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Vec<Session>> {
    tx.rows(OPEN, values![id(organization), id(user)], record).await
}

/// The user of a session, for a refresh token. There is no proof yet, so this returns only the id.
pub async fn user_of(
    reader: &mut impl Reader,
    organization: OrganizationId,
    session: SessionId,
) -> Result<Option<UserId>> {
    first(reader, USER, values![id(organization), id(session)], |row| row.next()).await
}
