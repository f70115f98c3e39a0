//! What a change leaves behind: its audit event, the outbox rows of its effects, the tombstones of what went.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{AuditEventId, Id, OrganizationId};
use fieldhouse_domain::record::list_cell;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::apply::Change;
use crate::engine::{Reader, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

queries! {
    APPEND "audit.append" "INSERT INTO audit_events
            (org_id, id, at, user_id, key_id, operation, object_kind, object_id, fields, request_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    OUTBOX "audit.outbox" "INSERT INTO outbox (org_id, id, at, kind, record_id, verb, version) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    TOMBSTONE "audit.tombstone" "INSERT INTO tombstones (org_id, kind, deleted_at, id) VALUES ($1, $2, $3, $4)";
    TOMBSTONES "audit.tombstones" "SELECT id, deleted_at FROM tombstones
        WHERE org_id = $1 AND kind = $2 AND (deleted_at, id) > ($3, $4) ORDER BY deleted_at, id LIMIT $5";
    COUNT "audit.count" "SELECT COUNT(*) FROM audit_events WHERE org_id = $1 AND at >= $2";
}

pub(crate) async fn append<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    change: Change<'_>,
    effects: &[Effect],
) -> Result<()> {
    let Some((effect, record)) = effects.iter().find_map(|effect| Some((effect, effect.record()?))) else {
        return Ok(());
    };
    let event: AuditEventId = change.moment.id();
    let actor = proof.actor();
    let fields = list_cell(&effect.fields());
    let values = values![
        id(proof.organization()),
        id(event),
        change.moment.now(),
        actor.user.map(Id::uuid),
        actor.key.map(Id::uuid),
        change.operation,
        record.kind().name(),
        record.uuid(),
        fields,
        change.request_id,
    ];
    tx.run(APPEND, values).await.map(drop)
}

pub(crate) async fn leave_trace(
    tx: &mut Tx<'_>,
    org: OrganizationId,
    change: Change<'_>,
    effect: &Effect,
) -> Result<()> {
    let Some(record) = effect.record() else { return Ok(()) };
    let now = change.moment.now();
    let event: AuditEventId = change.moment.id();
    let values = values![
        id(org),
        id(event),
        now,
        record.kind().name(),
        record.uuid(),
        effect.verb(),
        effect.after.as_ref().map_or(0, AnyRecord::version),
    ];
    tx.run(OUTBOX, values).await?;
    if effect.after.is_none() {
        tx.run(TOMBSTONE, values![id(org), record.kind().name(), now, record.uuid()]).await?;
    }
    Ok(())
}

/// Records of a kind that went after a point in the order of time and id, the earliest first.
pub async fn tombstones<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    kind: &str,
    after: (Timestamp, Uuid),
    limit: u32,
) -> Result<Vec<(Uuid, Timestamp)>> {
    let values = values![id(proof.organization()), kind, after.0, after.1, limit];
    reader.rows(TOMBSTONES, values, |row| Ok((row.next()?, row.next()?))).await
}

/// How many events the audit log has had since a time.
pub async fn count(reader: &mut impl Reader, organization: OrganizationId, since: Timestamp) -> Result<i64> {
    let counts = reader.rows(COUNT, values![id(organization), since], |row| row.next()).await?;
    Ok(counts.first().copied().unwrap_or_default())
}
