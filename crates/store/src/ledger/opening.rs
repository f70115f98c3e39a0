//! Opening what the ledger says about a child: images of its records, and reasons. It stays sealed for every other reader.

use fieldhouse_domain::ids::{ChildId, OrganizationId};

use super::reading::{Entry, EntryEffect};
use crate::engine::Reader;
use crate::error::{Error, Result};
use crate::sealing::{ChildKey, Place, SealError, SealedText, keys};

/// Opens the images of a child's records in entries, and the reasons that are sealed with its key. Nothing opens if the key was destroyed.
/// The caller must have found out that the person may read all of them.
pub async fn open_images(
    reader: &mut impl Reader,
    organization: OrganizationId,
    child: ChildId,
    entries: &mut [Entry],
) -> Result<()> {
    let is_about = |effect: &EntryEffect| effect.child == Some(child);
    if !entries.iter().any(|entry| entry.effects.iter().any(is_about)) {
        return Ok(());
    }
    let Some(key) = keys::read(reader, (organization, child)).await? else { return Ok(()) };
    for entry in entries.iter_mut().filter(|entry| entry.effects.iter().any(is_about)) {
        for effect in entry.effects.iter_mut().filter(|effect| is_about(effect)) {
            open(&key, effect).map_err(|error| unopened(entry.seq, error))?;
        }
        if let Some(sealed) = entry.sealed_reason.as_ref().filter(|sealed| sealed.child == child) {
            let opened = sealed.open(&key, Place::Reason(entry.id));
            entry.reason = Some(opened.map_err(|error| unopened(entry.seq, error))?);
        }
    }
    Ok(())
}

fn open(key: &ChildKey, effect: &mut EntryEffect) -> std::result::Result<(), SealError> {
    let place = Place::Image(effect.kind, effect.record_id);
    let open =
        |sealed: &Option<SealedText>| sealed.as_ref().map(|sealed| sealed.open(key, place)).transpose();
    let [before, after] = &effect.closed;
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
