//! Sessions in the store.

use fieldhouse_domain::ids::{Id, OrganizationId, SessionId, UserId};
use fieldhouse_domain::sessions::Session;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

queries! {
    LIST "sessions.list" "SELECT id, user_id, method, generation, token_digest, previous_digest, rotated_at, retried, user_agent, ip,
            created_at, last_used_at, expires_at, revoked_at, updated_at, version
        FROM sessions
        WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > $3 AND (created_at, id) < ($4, $5)
        ORDER BY created_at DESC, id DESC LIMIT $6";
    READ "sessions.read" "SELECT id, user_id, method, generation, token_digest, previous_digest, rotated_at, retried, user_agent, ip,
            created_at, last_used_at, expires_at, revoked_at, updated_at, version
        FROM sessions WHERE org_id = $1 AND id = $2";
    OPEN "sessions.open" "SELECT id, user_id, method, generation, token_digest, previous_digest, rotated_at, retried, user_agent, ip,
            created_at, last_used_at, expires_at, revoked_at, updated_at, version
        FROM sessions WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL ORDER BY created_at, id";
    INSERT "sessions.insert" "INSERT INTO sessions (org_id, id, user_id, method, generation, token_digest, previous_digest, rotated_at,
            retried, user_agent, ip, created_at, last_used_at, expires_at, revoked_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    UPDATE "sessions.update" "UPDATE sessions SET generation = $3, token_digest = $4, previous_digest = $5, rotated_at = $6,
            retried = $7, last_used_at = $8, revoked_at = $9, updated_at = $10, version = $11
        WHERE org_id = $1 AND id = $2 AND version = $11 - 1";
}

fn session(row: &mut Row<'_>) -> Result<Session> {
    Ok(Session {
        id: row.id()?,
        user_id: row.id()?,
        method: row.next()?,
        generation: row.next()?,
        token_digest: row.next()?,
        previous_digest: row.next()?,
        rotated_at: row.next()?,
        retried: row.next()?,
        user_agent: row.next()?,
        ip: row.next()?,
        created_at: row.next()?,
        last_used_at: row.next()?,
        expires_at: row.next()?,
        revoked_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    })
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
    reader
        .rows(LIST, values![id(scope.organization()), id(scope.user()), now, at, last, limit], session)
        .await
}

/// One session of an organization, whosever it is: the caller must check that.
pub async fn read(
    reader: &mut impl Reader,
    organization: OrganizationId,
    session_id: SessionId,
) -> Result<Option<Session>> {
    first(reader, READ, values![id(organization), id(session_id)], session).await
}

/// A user's sessions in the organization that were not ended.
pub async fn open<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, user: UserId) -> Result<Vec<Session>> {
    tx.rows(OPEN, values![id(proof.organization()), id(user)], session).await
}

pub(crate) async fn write(tx: &mut Tx<'_>, org: OrganizationId, new: bool, session: &Session) -> Result<u64> {
    let previous = session.previous_digest.as_ref();
    if new {
        let values = values![
            id(org),
            id(session.id),
            session.user_id.uuid(),
            &session.method,
            session.generation,
            &session.token_digest,
            previous,
            session.rotated_at,
            session.retried,
            session.user_agent.as_ref(),
            session.ip,
            session.created_at,
            session.last_used_at,
            session.expires_at,
            session.revoked_at,
            session.updated_at,
            session.version,
        ];
        return tx.run(INSERT, values).await;
    }
    let values = values![
        id(org),
        id(session.id),
        session.generation,
        &session.token_digest,
        previous,
        session.rotated_at,
        session.retried,
        session.last_used_at,
        session.revoked_at,
        session.updated_at,
        session.version,
    ];
    tx.run(UPDATE, values).await
}
