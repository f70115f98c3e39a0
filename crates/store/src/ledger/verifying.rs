//! Verifying the ledger: every digest and every link is computed again from the stored data.

use std::collections::HashMap;

use fieldhouse_domain::ids::{EntryId, Id, OrganizationId};
use uuid::Uuid;

use super::chain::{self, Link};
use super::entries::{CLEARED, ERASED, Salt, Written, WrittenEffect};
use super::heads;
use crate::access::{Operator, OrgScope};
use crate::engine::Reader;
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

queries! {
    STORED "ledger.stored" "WITH page AS (SELECT seq FROM ledger_entries WHERE org_id = $1 AND seq > $2 ORDER BY seq LIMIT $3)
        SELECT e.seq, e.posted_at, e.reason_digest, e.chain, e.id, e.at, e.user_id, e.key_id, e.on_behalf_of, e.operation, e.request_id,
            e.changeset_id, e.reason, e.reason_salt, f.position, f.kind, f.record_id, f.verb, f.version, f.clears_to, f.changed, f.before,
            f.after, f.salt, f.digest
        FROM page JOIN ledger_entries e ON e.org_id = $1 AND e.seq = page.seq
        LEFT JOIN ledger_effects f ON f.org_id = $1 AND f.seq = e.seq";
    CLEARINGS "ledger.clearings" "SELECT kind, record_id, verb, clears_to FROM ledger_effects
        WHERE org_id = $1 AND seq > $2 AND clears_to IS NOT NULL";
}

/// The number of entries that are read together.
const PAGE: u32 = 200;

/// The result of verifying a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was altered, except for images that an entry says were cleared.
    Intact {
        /// The number of entries.
        entries: i64,
        /// The number of effects without images.
        cleared: u64,
    },
    /// An entry was altered.
    Altered {
        /// Its number.
        seq: i64,
        /// Its id, if there is such an entry.
        id: Option<EntryId>,
        /// What is wrong.
        what: &'static str,
    },
}

/// Verifies the ledger of the organization of a scope, without entries that wait to be posted.
pub async fn verify(reader: &mut impl Reader, scope: &OrgScope) -> Result<Verdict> {
    verify_all(reader, scope.organization()).await
}

/// Verifies the ledger of any organization, for the operator.
pub async fn verify_for_operator(
    reader: &mut impl Reader,
    _: &Operator,
    organization: OrganizationId,
) -> Result<Verdict> {
    verify_all(reader, organization).await
}

async fn verify_all(reader: &mut impl Reader, organization: OrganizationId) -> Result<Verdict> {
    let head = heads::read(reader, organization).await?;
    let mut clearings = Clearings::read(reader, organization).await?;
    let (mut seq, mut previous, mut cleared) = (0, chain::genesis(organization), 0);
    while seq < head.seq {
        let page = stored(reader, organization, seq).await?;
        let is_empty = page.is_empty();
        for entry in page {
            if entry.seq > head.seq {
                break;
            }
            seq += 1;
            if entry.seq != seq {
                return Ok(Verdict::Altered { seq, id: None, what: "is missing" });
            }
            let mut wrong = entry.wrong(&clearings);
            if wrong == Some(CLEARED_WITHOUT_ENTRY) {
                // It may have been cleared since.
                clearings = Clearings::read(reader, organization).await?;
                wrong = entry.wrong(&clearings);
            }
            let wrong = wrong.or_else(|| entry.unlinked(&previous, organization));
            if let Some(what) = wrong {
                return Ok(Verdict::Altered { seq, id: Some(EntryId::from_uuid(entry.written.id)), what });
            }
            cleared += entry.cleared();
            previous = entry.chain;
        }
        if is_empty {
            return Ok(Verdict::Altered { seq: seq + 1, id: None, what: "is missing" });
        }
    }
    if previous == head.chain {
        Ok(Verdict::Intact { entries: seq, cleared })
    } else {
        Ok(Verdict::Altered { seq, id: None, what: "is not the entry that the ledger ends with" })
    }
}

const CLEARED_WITHOUT_ENTRY: &str = "lacks images or a reason that no entry says were cleared";

/// The clearings that entries report.
#[derive(Default)]
struct Clearings {
    /// The entry up to which the images of a record were erased.
    erased: HashMap<(String, Uuid), i64>,
    /// The entry up to which the retention cleared images.
    retained: i64,
}

impl Clearings {
    async fn read(reader: &mut impl Reader, organization: OrganizationId) -> Result<Self> {
        let mut clearings = Self::default();
        let values = values![id(organization), 0_i64];
        let read = reader.rows(CLEARINGS, values, |row| {
            let (kind, record): (String, Uuid) = (row.next()?, row.next()?);
            let (verb, to): (String, i64) = (row.next()?, row.next()?);
            if verb == ERASED {
                let erased = clearings.erased.entry((kind, record)).or_default();
                *erased = to.max(*erased);
            } else if verb == CLEARED {
                clearings.retained = to.max(clearings.retained);
            }
            Ok(())
        });
        read.await?;
        Ok(clearings)
    }

    fn erased(&self, effect: &WrittenEffect) -> Option<i64> {
        self.erased.get(&(effect.kind.clone(), effect.record_id)).copied()
    }
}

/// A stored entry.
struct Stored {
    seq: i64,
    posted_at: i64,
    reason_digest: Option<Link>,
    chain: Link,
    written: Written,
    /// The position of each effect in the entry, and its digest.
    digests: Vec<(i64, Link)>,
}

impl Stored {
    /// What is wrong with the entry's images and reason.
    fn wrong(&self, clearings: &Clearings) -> Option<&'static str> {
        let effects = || self.written.effects.iter().zip(&self.digests);
        for (place, (effect, (position, digest))) in (0..).zip(effects()) {
            if *position != place {
                return Some("lacks an effect");
            }
            let images = (effect.before.as_deref(), effect.after.as_deref());
            match effect.salt {
                Some(salt) if chain::images(&salt, images.0, images.1) != *digest => {
                    return Some("has an image that was altered");
                }
                Some(_) => {}
                None if images != (None, None) => return Some("has an image that was altered"),
                None => {
                    let erased = clearings.erased(effect).is_some_and(|to| self.seq <= to);
                    if !erased && self.seq > clearings.retained {
                        return Some(CLEARED_WITHOUT_ENTRY);
                    }
                }
            }
        }
        match (&self.written.reason, self.written.reason_salt, self.reason_digest) {
            (None, None, None) => None,
            (Some(reason), Some(salt), Some(digest)) if chain::reason(&salt, reason) == digest => None,
            (None, None, Some(_)) => {
                let erased =
                    |effect: &WrittenEffect| clearings.erased(effect).is_some_and(|to| self.seq < to);
                (!self.written.effects.iter().any(erased)).then_some(CLEARED_WITHOUT_ENTRY)
            }
            _ => Some("has a reason that was altered"),
        }
    }

    /// What is wrong with the link to the previous entry.
    fn unlinked(&self, previous: &Link, organization: OrganizationId) -> Option<&'static str> {
        let effects = self.written.effects.iter().zip(self.digests.iter().map(|(_, digest)| digest));
        let place = (self.seq, self.posted_at);
        let link =
            chain::link(previous, organization, place, &self.written, self.reason_digest.as_ref(), effects);
        (link != self.chain).then_some("was altered")
    }

    fn cleared(&self) -> u64 {
        self.written.effects.iter().filter(|effect| effect.salt.is_none()).count() as u64
    }
}

async fn stored(reader: &mut impl Reader, organization: OrganizationId, after: i64) -> Result<Vec<Stored>> {
    let mut entries: Vec<Stored> = Vec::new();
    let values = values![id(organization), after, PAGE];
    let read = reader.rows(STORED, values, |row| {
        let entry = entry(row)?;
        let effect = effect(row)?;
        let at = entries.iter().rposition(|other| other.seq == entry.seq).unwrap_or_else(|| {
            entries.push(entry);
            entries.len() - 1
        });
        if let Some((position, effect, digest)) = effect {
            let before = entries[at].digests.partition_point(|(other, _)| *other < position);
            entries[at].digests.insert(before, (position, digest));
            entries[at].written.effects.insert(before, effect);
        }
        Ok(())
    });
    read.await?;
    entries.sort_by_key(|entry| entry.seq);
    Ok(entries)
}

fn entry(row: &mut Row<'_>) -> Result<Stored> {
    let (seq, posted_at, reason_digest, chain) = (row.next()?, row.next()?, row.next()?, row.next()?);
    let written = Written {
        id: row.next()?,
        at: row.next()?,
        user_id: row.next()?,
        key_id: row.next()?,
        on_behalf_of: row.next()?,
        operation: row.next()?,
        request_id: row.next()?,
        changeset_id: row.next()?,
        reason: row.next()?,
        reason_salt: row.next()?,
        effects: Vec::new(),
    };
    Ok(Stored { seq, posted_at, reason_digest, chain, written, digests: Vec::new() })
}

fn effect(row: &mut Row<'_>) -> Result<Option<(i64, WrittenEffect, Link)>> {
    let Some(position) = row.next::<Option<i64>>()? else { return Ok(None) };
    let effect = WrittenEffect {
        kind: row.next()?,
        record_id: row.next()?,
        verb: row.next()?,
        version: row.next()?,
        clears_to: row.next()?,
        changed: row.next()?,
        before: row.next()?,
        after: row.next()?,
        salt: row.next::<Option<Salt>>()?,
    };
    Ok(Some((position, effect, row.next()?)))
}
