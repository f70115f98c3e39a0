//! Verifying the ledger: every digest and every link is computed again from the stored data.

use std::collections::HashMap;

use fieldhouse_domain::ids::{EntryId, Id, OrganizationId};
use uuid::Uuid;

use super::chain::{self, Link};
use super::entries::{CLEARED, ERASED, Salt, Written, WrittenEffect};
use super::heads::{self, Head};
use crate::access::{Operator, OrgScope};
use crate::engine::Store;
use crate::engine::stream::Part;
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::sealing::SealedText;
use crate::value::{id, values};

queries! {
    STORED "ledger.stored" "SELECT e.seq, e.posted_at, e.reason_digest, e.chain, e.id, e.at, e.user_id, e.key_id, e.on_behalf_of,
            e.operation, e.request_id, e.changeset_id, e.reason, e.reason_salt, f.position, f.kind, f.record_id, f.verb, f.version,
            f.clears_to, f.changed, f.before, f.after, f.salt, f.child_id, f.digest
        FROM ledger_entries e LEFT JOIN ledger_effects f ON f.org_id = e.org_id AND f.seq = e.seq
        WHERE e.org_id = $1 ORDER BY e.seq, f.position";
    CLEARINGS "ledger.clearings" "SELECT kind, record_id, verb, clears_to FROM ledger_effects
        WHERE org_id = $1 AND seq > $2 AND clears_to IS NOT NULL";
}

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

/// Verifies the ledger of the organization of a scope in one snapshot, without entries that wait to be posted.
pub async fn verify(store: &Store, scope: &OrgScope) -> Result<Verdict> {
    verify_all(store, scope.organization()).await
}

/// Verifies the ledger of any organization, for the operator.
pub async fn verify_for_operator(
    store: &Store,
    _: &Operator,
    organization: OrganizationId,
) -> Result<Verdict> {
    verify_all(store, organization).await
}

/// What is read, in this order.
enum Found {
    Head(Head),
    Clearing(Clearing),
    /// An entry, and one of its effects: an entry comes as often as it has effects.
    Entry(Box<(Stored, Option<Placed>)>),
}

async fn verify_all(store: &Store, organization: OrganizationId) -> Result<Verdict> {
    let clearing = |row: &mut Row<'_>| Ok(Found::Clearing(clearing(row)?));
    let stored = |row: &mut Row<'_>| Ok(Found::Entry(Box::new((entry(row)?, effect(row)?))));
    let parts = vec![
        heads::part(organization, Found::Head),
        Part::new(CLEARINGS, values![id(organization), 0_i64].to_vec(), clearing),
        Part::new(STORED, values![id(organization)].to_vec(), stored),
    ];
    let mut rows = store.stream("ledger.verify", parts)?;
    let (mut head, mut clearings) = (None, Clearings::default());
    let mut chain = Chain { organization, seq: 0, previous: chain::genesis(organization), cleared: 0 };
    let mut open: Option<Stored> = None;
    while let Some(found) = rows.next().await? {
        match found {
            Found::Head(found) => head = Some(found),
            Found::Clearing(clearing) => clearings.add(clearing),
            Found::Entry(found) => {
                let (entry, effect) = *found;
                if open.as_ref().is_some_and(|open| open.seq != entry.seq)
                    && let Some(done) = open.take()
                    && let Some(verdict) = chain.altered(&done, &clearings)
                {
                    return Ok(verdict);
                }
                open.get_or_insert(entry).extend(effect);
            }
        }
    }
    if let Some(verdict) = open.and_then(|last| chain.altered(&last, &clearings)) {
        return Ok(verdict);
    }
    Ok(chain.end(&heads::found(organization, head)?))
}

/// The entries that were verified.
struct Chain {
    organization: OrganizationId,
    seq: i64,
    previous: Link,
    cleared: u64,
}

impl Chain {
    /// What is wrong with the next entry.
    fn altered(&mut self, entry: &Stored, clearings: &Clearings) -> Option<Verdict> {
        self.seq += 1;
        let seq = self.seq;
        if entry.seq != seq {
            return Some(Verdict::Altered { seq, id: None, what: "is missing" });
        }
        let wrong = entry.wrong(clearings).or_else(|| entry.unlinked(&self.previous, self.organization));
        if let Some(what) = wrong {
            return Some(Verdict::Altered { seq, id: Some(EntryId::from_uuid(entry.written.id)), what });
        }
        self.cleared += entry.cleared();
        self.previous = entry.chain;
        None
    }

    fn end(self, head: &Head) -> Verdict {
        if self.seq < head.seq {
            return Verdict::Altered { seq: self.seq + 1, id: None, what: "is missing" };
        }
        if (self.seq, self.previous) != (head.seq, head.chain) {
            let what = "is not the entry that the ledger ends with";
            return Verdict::Altered { seq: self.seq, id: None, what };
        }
        Verdict::Intact { entries: self.seq, cleared: self.cleared }
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

/// What an effect says was cleared: kind, record, verb, up to which entry.
type Clearing = (String, Uuid, String, i64);

fn clearing(row: &mut Row<'_>) -> Result<Clearing> {
    Ok((row.next()?, row.next()?, row.next()?, row.next()?))
}

impl Clearings {
    fn add(&mut self, (kind, record, verb, to): Clearing) {
        if verb == ERASED {
            let erased = self.erased.entry((kind, record)).or_default();
            *erased = to.max(*erased);
        } else if verb == CLEARED {
            self.retained = to.max(self.retained);
        }
    }

    fn erased(&self, effect: &WrittenEffect) -> Option<i64> {
        self.erased.get(&(effect.kind.to_string(), effect.record_id)).copied()
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
    fn extend(&mut self, effect: Option<Placed>) {
        if let Some((position, effect, digest)) = effect {
            self.digests.push((position, digest));
            self.written.effects.push(effect);
        }
    }

    /// What is wrong with the entry's images and reason.
    fn wrong(&self, clearings: &Clearings) -> Option<&'static str> {
        let effects = || self.written.effects.iter().zip(&self.digests);
        for (place, (effect, (position, digest))) in (0..).zip(effects()) {
            if *position != place {
                return Some("lacks an effect");
            }
            let images = (effect.before.as_deref(), effect.after.as_deref());
            if images_of_another_child(effect) {
                return Some("names another child than its images");
            }
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

/// Whether images are not sealed for the child whom the effect names. The chain does not include its id.
fn images_of_another_child(effect: &WrittenEffect) -> bool {
    let sealed_for = |image: &str| SealedText::parse(image).map(|sealed| sealed.child.uuid());
    [&effect.before, &effect.after].into_iter().flatten().any(|image| sealed_for(image) != effect.child_id)
}

/// An effect, where it is in its entry, and its digest.
type Placed = (i64, WrittenEffect, Link);

fn entry(row: &mut Row<'_>) -> Result<Stored> {
    let (seq, posted_at, reason_digest, chain) = (row.next()?, row.next()?, row.next()?, row.next()?);
    let written = Written {
        id: row.next()?,
        at: row.next()?,
        user_id: row.next()?,
        key_id: row.next()?,
        on_behalf_of: row.next()?,
        operation: row.next::<String>()?.into(),
        request_id: row.next()?,
        changeset_id: row.next()?,
        reason: row.next()?,
        reason_salt: row.next()?,
        effects: Vec::new(),
    };
    Ok(Stored { seq, posted_at, reason_digest, chain, written, digests: Vec::new() })
}

fn effect(row: &mut Row<'_>) -> Result<Option<Placed>> {
    let Some(position) = row.next::<Option<i64>>()? else { return Ok(None) };
    let effect = WrittenEffect {
        kind: row.next::<String>()?.into(),
        record_id: row.next()?,
        verb: row.next::<String>()?.into(),
        version: row.next()?,
        clears_to: row.next()?,
        changed: row.next()?,
        before: row.next()?,
        after: row.next()?,
        salt: row.next::<Option<Salt>>()?,
        child_id: row.next()?,
    };
    Ok(Some((position, effect, row.next()?)))
}
