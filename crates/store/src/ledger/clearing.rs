//! Clearing images: the erasure of one record, and the retention of all records.
//!
//! Both are entries that name what they clear. The digests stay, so that the chain can still be verified. Cleared text stays in files,
//! write-ahead logs and backups until they are overwritten.

use std::borrow::Cow;

use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ChildId, EntryId, Id, OrganizationId};
use jiff::Timestamp;
use uuid::Uuid;

use super::entries::{CLEARED, Written, WrittenEffect, fresh_salt};
use super::{heads, posting};
use crate::access::OrgWrite;
use crate::apply::Change;
use crate::engine::{Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};
use crate::visits::having;

queries! {
    ERASE "ledger.erase" "UPDATE ledger_effects SET before = NULL, after = NULL, salt = NULL
        WHERE org_id = $1 AND kind = $2 AND record_id = $3 AND seq <= $4 AND clears_to IS NULL AND salt IS NOT NULL";
    ERASE_REASONS "ledger.erase_reasons" "UPDATE ledger_entries SET reason = NULL, reason_salt = NULL
        WHERE org_id = $1 AND seq < $4 AND reason IS NOT NULL AND seq IN (SELECT seq FROM ledger_effects
            WHERE org_id = $1 AND kind = $2 AND record_id = $3 AND seq < $4)";
    LAST "ledger.last_retention" "SELECT clears_to FROM ledger_effects WHERE org_id = $1 AND kind = $2 AND record_id = $3 AND verb = $4
        ORDER BY seq DESC LIMIT 1";
    RETAIN "ledger.retain" "UPDATE ledger_effects SET before = NULL, after = NULL, salt = NULL
        WHERE org_id = $1 AND seq > $2 AND seq <= $3 AND clears_to IS NULL AND salt IS NOT NULL";
    /// The entry after those whose images were cleared last was posted before $3.
    WITH_IMAGES "ledger.with_images" having!("ledger_entries r WHERE r.org_id = h.org_id AND r.posted_at < $3 AND r.seq = 1
        + COALESCE((SELECT clears_to FROM ledger_effects e WHERE e.org_id = h.org_id AND e.kind = 'organization' AND e.record_id = h.org_id
            AND e.verb = 'cleared' ORDER BY e.seq DESC LIMIT 1), 0)");
}

/// The operation of entries that clear old images.
pub(crate) const RETENTION: &str = "ledger.retention";

impl<'tx> Tx<'tx> {
    /// Clears all images of a record in the ledger, including those of this transaction, and the reasons of the entries that changed it.
    /// `child` is the child whom the record is about, whose key seals the reason of this entry.
    pub fn erase(
        &mut self,
        proof: &OrgWrite<'tx>,
        change: Change<'_>,
        record: (Kind, Uuid),
        child: Option<ChildId>,
    ) {
        self.unrecorded.erase(proof.organization(), proof.actor(), change, record, child);
    }
}

/// Clears the images of a record that a new entry erases.
pub(super) async fn clear(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    seq: i64,
    (kind, record): (Cow<'static, str>, Uuid),
) -> Result<()> {
    let values = values![id(organization), &*kind, record, seq];
    tx.run(ERASE, values).await?;
    tx.run(ERASE_REASONS, values).await.map(drop)
}

impl Store {
    /// Clears the images of all entries posted before a time, and returns the number of effects. Entries and the names of changed fields
    /// stay.
    pub async fn clear_images(&self, before: Timestamp, moment: &Moment) -> Result<u64> {
        let mut cleared = 0;
        for organization in self.organizations_having(WITH_IMAGES, before).await? {
            let moment = moment.again();
            let entry: EntryId = moment.id();
            let at = moment.now();
            let body = async move |tx: &mut Tx<'_>| retain(tx, organization, before, (entry, at)).await;
            cleared += match self.postgres() {
                Some(postgres) => postgres.post("ledger.retain", body).await?,
                None => self.write("ledger.retain", body).await?,
            };
        }
        Ok(cleared)
    }
}

async fn retain(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    before: Timestamp,
    (entry, at): (EntryId, Timestamp),
) -> Result<u64> {
    let head = heads::lock(tx, organization).await?;
    let old = heads::posted_before(tx, organization, before).await?;
    let values = values![id(organization), Kind::Organization.name(), organization.uuid(), CLEARED];
    let last = first(tx, LAST, values, |row| row.next::<i64>()).await?.unwrap_or(0);
    if old <= last {
        return Ok(0);
    }
    let cleared = tx.run(RETAIN, values![id(organization), last, old]).await?;
    if cleared == 0 {
        return Ok(0);
    }
    let effect = WrittenEffect {
        kind: Kind::Organization.name().into(),
        record_id: organization.uuid(),
        verb: CLEARED.into(),
        version: 0,
        clears_to: Some(old),
        changed: "[]".to_owned(),
        before: None,
        after: None,
        salt: Some(fresh_salt()),
        child_id: None,
    };
    let entry = Written {
        id: entry.uuid(),
        at: at.as_microsecond(),
        user_id: None,
        key_id: None,
        on_behalf_of: None,
        operation: RETENTION.into(),
        request_id: String::new(),
        changeset_id: None,
        reason: None,
        reason_salt: None,
        effects: vec![effect],
    };
    posting::append_now(tx, organization, head, entry).await?;
    Ok(cleared)
}
