//! Opening what the ledger says about children: images of their records, and reasons. It stays sealed for every other reader.

use std::collections::{BTreeMap, BTreeSet};

use constcat::concat;
use fieldhouse_domain::children::classes::{self, Capacity, DataClass};
use fieldhouse_domain::ids::{ChildId, OrganizationId};
use fieldhouse_domain::kinds::Kind;

use super::reading::{Entry, EntryEffect, gather, read_entries};
use crate::access::ImageScope;
use crate::access::children::{ChildScope, Records};
use crate::engine::{ReadTx, Reader};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::sealing::{ChildKey, Place, SealError, SealedText, keys};
use crate::value::{id, values};

/// The kinds whose images a relation can open.
macro_rules! about {
    () => {
        "('child', 'child_identity', 'child_contact', 'child_emergency', 'child_medical', 'child_performance', 'relation', \
         'consent', 'registration', 'roster_entry')"
    };
}

queries! {
    HISTORY_OF_CHILD "ledger.history_of_child" read_entries!(concat!("SELECT DISTINCT seq FROM ledger_effects
        WHERE org_id = $1 AND child_id = $2 AND seq < $3 AND kind IN ", about!(), " ORDER BY seq DESC LIMIT $4"),
        concat!(" AND f.child_id = $2 AND f.kind IN ", about!()));
}

/// What was opened, for the access log: each class with the children, each with the capacity that opened it.
#[derive(Debug, Default)]
#[must_use = "it belongs in the access log"]
pub struct Shown(pub Vec<(DataClass, Vec<(ChildId, Capacity)>)>);

/// The changes of a child's records, newest first, with closed images. `None` if its records are not open to the caller.
pub async fn history_of_child(
    tx: &ReadTx<'_>,
    scope: &ChildScope<Records>,
    child: ChildId,
    before: Option<i64>,
    limit: u32,
) -> Result<Option<Vec<Entry>>> {
    if !scope.opens(tx, child).await? {
        return Ok(None);
    }
    let mut reader = tx;
    let values = values![id(scope.organization()), id(child), before.unwrap_or(i64::MAX), limit];
    gather(&mut reader, HISTORY_OF_CHILD, values).await.map(Some)
}

/// Opens those images of children's records that are open to the caller. A reason opens where all that its entry shows of its child does.
/// Nothing opens of a child whose key was destroyed.
pub async fn open_images(tx: &ReadTx<'_>, scope: &ImageScope, entries: &mut [Entry]) -> Result<Shown> {
    let mut reader = tx;
    open_some(&mut reader, scope, entries, |_| true).await
}

/// The same, only of some kinds of record.
pub(super) async fn open_some(
    reader: &mut impl Reader,
    scope: &ImageScope,
    entries: &mut [Entry],
    is_wanted: impl Fn(Kind) -> bool,
) -> Result<Shown> {
    let effects = entries.iter().flat_map(|entry| &entry.effects);
    let sealed = effects.filter(|effect| effect.sealed && is_wanted(effect.kind));
    let wanted: BTreeSet<_> = sealed.filter_map(class_of).collect();
    let open = scope.open(reader, &wanted).await?;
    let held = keys_of(reader, scope.organization(), &open).await?;
    let mut shown = BTreeMap::<DataClass, BTreeMap<ChildId, Capacity>>::new();
    for entry in entries {
        let seq = entry.seq;
        for effect in entry.effects.iter_mut().filter(|effect| effect.sealed && is_wanted(effect.kind)) {
            let Some((of, capacity)) = class_of(effect).and_then(|of| Some((of, *open.get(&of)?))) else {
                continue;
            };
            let Some(key) = held.get(&of.1) else { continue };
            unseal(key, effect).map_err(|error| unopened(seq, error))?;
            shown.entry(of.0).or_default().insert(of.1, capacity);
        }
        let is_closed =
            |child| entry.effects.iter().any(|effect| effect.child == Some(child) && effect.sealed);
        let reason = entry.sealed_reason.as_ref().filter(|reason| !is_closed(reason.child));
        if let Some((reason, key)) = reason.and_then(|reason| Some((reason, held.get(&reason.child)?))) {
            let opened = reason.open(key, Place::Reason(entry.id)).map_err(|error| unopened(seq, error))?;
            entry.reason = Some(opened);
        }
    }
    let shown = shown.into_iter().map(|(class, children)| (class, children.into_iter().collect()));
    Ok(Shown(shown.collect()))
}

fn class_of(effect: &EntryEffect) -> Option<(DataClass, ChildId)> {
    Some((classes::of_image(effect.kind)?, effect.child?))
}

/// The keys of the children of whom something is open.
async fn keys_of(
    reader: &mut impl Reader,
    organization: OrganizationId,
    open: &BTreeMap<(DataClass, ChildId), Capacity>,
) -> Result<BTreeMap<ChildId, ChildKey>> {
    let children: BTreeSet<ChildId> = open.keys().map(|(_, child)| *child).collect();
    let mut held = BTreeMap::new();
    for child in children {
        held.extend(keys::read(reader, (organization, child)).await?.map(|key| (child, key)));
    }
    Ok(held)
}

fn unseal(key: &ChildKey, effect: &mut EntryEffect) -> std::result::Result<(), SealError> {
    let place = Place::Image(effect.kind, effect.record_id);
    let [before, after] = &effect.closed;
    let open =
        |sealed: &Option<SealedText>| sealed.as_ref().map(|sealed| sealed.open(key, place)).transpose();
    (effect.before, effect.after) = (open(before)?, open(after)?);
    effect.sealed = false;
    Ok(())
}

fn unopened(seq: i64, error: SealError) -> Error {
    Error::Corrupt {
        query: "ledger.effects",
        column: "before, after or reason".to_owned(),
        row: seq.to_string(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_in_the_sql_are_those_whose_images_a_relation_opens() {
        let opened = Kind::ALL.iter().filter(|kind| classes::of_image(**kind).is_some());
        let names: Vec<String> = opened.map(|kind| format!("'{kind}'")).collect();
        assert_eq!(about!(), format!("({})", names.join(", ")));
    }
}
