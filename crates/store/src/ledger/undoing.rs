//! Reading what is to be undone, in the transaction that plans the undo.

use constcat::concat;
use fieldhouse_domain::changesets::CHANGEABLE;
use fieldhouse_domain::changesets::undo::{Images, Lost, Touch};
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{ApiKeyId, EntryId, Id, UserId};
use fieldhouse_domain::record::ImageError;
use jiff::Timestamp;
use uuid::Uuid;

use super::entries::{CLEARED, ERASED};
use super::heads;
use super::opening::{Shown, open_some};
use super::reading::{Entry, EntryEffect, gather, read_entries};
use crate::access::OrgWrite;
use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::query::queries;
use crate::value::{id, values};

/// The maximum number of effects that one undo reads.
pub const MOST_UNDONE: usize = 2_000;

/// Effects in the order in which they were made, at most one more than an undo reads.
macro_rules! undone {
    ($page:expr) => {
        read_entries!($page, " ORDER BY e.seq, f.position LIMIT 2001")
    };
}

queries! {
    /// Searches entries after the number $3: an id has the time at which its change was made, and an entry is posted later.
    ENTRY "ledger.undone_entry" undone!("SELECT seq FROM ledger_entries WHERE org_id = $1 AND seq > $3 AND id = $2");
    CHANGESET "ledger.undone_changeset" undone!("SELECT seq FROM ledger_entries WHERE org_id = $1 AND changeset_id = $2");
    KEY "ledger.undone_key" undone!("SELECT seq FROM ledger_entries WHERE org_id = $1 AND seq > $3 AND at >= $4 AND key_id = $2
        ORDER BY seq LIMIT 2001");
}

/// What is to be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// One entry.
    Entry(EntryId),
    /// An executed changeset.
    Changeset(Uuid),
    /// Everything that was done with an API key since a time.
    Key {
        /// The key.
        key: ApiKeyId,
        /// The time.
        since: Timestamp,
    },
}

/// What was read.
#[derive(Debug)]
pub enum Reading {
    /// The entries, oldest first; none if there is nothing to undo. What was opened of children's data belongs in the access log.
    Entries(Vec<UndoneEntry>, Shown),
    /// There are more than [`MOST_UNDONE`] effects.
    TooMany,
}

/// An entry that is to be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoneEntry {
    /// Its number.
    pub seq: i64,
    /// Its id.
    pub id: EntryId,
    /// When the change was made.
    pub at: Timestamp,
    /// Who made it. `None` for the operator and the server.
    pub user_id: Option<UserId>,
    /// The operation.
    pub operation: String,
    /// The changeset that it executed.
    pub changeset_id: Option<Uuid>,
    /// What happened to records, in the order in which it happened.
    pub effects: Vec<UndoneEffect>,
}

/// An effect that is to be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoneEffect {
    /// The kind of record. A membership of which the ledger shows that its user changed counts as the user.
    pub kind: Kind,
    /// The record's UUID.
    pub id: Uuid,
    /// What is known of the record before and after.
    pub content: Content,
}

/// What is known of a record before and after an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// It is open to the caller, or lost for everyone.
    Open(Images),
    /// No relation of the caller opens it.
    Closed,
    /// The ledger never has it: no undo writes such records.
    Unstored,
}

impl UndoneEntry {
    /// The kinds of its effects.
    pub fn kinds(&self) -> Vec<Kind> {
        self.effects.iter().map(|effect| effect.kind).collect()
    }

    /// Whether something in it is closed to the caller.
    pub fn is_closed(&self) -> bool {
        self.effects.iter().any(|effect| effect.content == Content::Closed)
    }

    /// The effects that an undo can write, as far as they are open.
    pub fn touches(&self) -> impl Iterator<Item = Touch> {
        self.effects.iter().filter(|effect| CHANGEABLE.contains(&effect.kind)).filter_map(|effect| {
            let Content::Open(images) = &effect.content else { return None };
            Some(Touch { kind: effect.kind, id: effect.id, images: images.clone() })
        })
    }
}

/// Reads what is to be undone. Images of children's records are opened as far as an undo writes such records and a relation of the acting user
/// opens them now. On PostgreSQL, post the waiting entries before the transaction: see [`super::latest`].
pub async fn entries_of<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, what: Undone) -> Result<Reading> {
    let (organization, org) = (proof.organization(), id(proof.organization()));
    let found = match what {
        Undone::Entry(entry) => match made_at(entry.uuid()) {
            Some(made) => {
                let before = heads::posted_before(tx, organization, made).await?;
                gather(tx, ENTRY, values![org, id(entry), before]).await?
            }
            None => Vec::new(),
        },
        Undone::Changeset(changeset) => gather(tx, CHANGESET, values![org, changeset]).await?,
        Undone::Key { key, since } => {
            let before = heads::posted_before(tx, organization, since).await?;
            gather(tx, KEY, values![org, id(key), before, since]).await?
        }
    };
    let mut found: Vec<Entry> = found;
    if found.iter().map(|entry| entry.effects.len()).sum::<usize>() > MOST_UNDONE {
        return Ok(Reading::TooMany);
    }
    found.reverse();
    let scope = proof.images()?;
    let shown = open_some(tx, &scope, &mut found, |kind| CHANGEABLE.contains(&kind)).await?;
    let entries = found.into_iter().map(undone).collect::<Result<_>>()?;
    Ok(Reading::Entries(entries, shown))
}

/// The time in the id of an entry, in whole milliseconds.
fn made_at(entry: Uuid) -> Option<Timestamp> {
    let (seconds, nanoseconds) = entry.get_timestamp()?.to_unix();
    Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanoseconds).ok()?).ok()
}

fn undone(entry: Entry) -> Result<UndoneEntry> {
    let Entry { seq, id, at, user_id, operation, changeset_id, effects, .. } = entry;
    let effects = effects.into_iter().map(|effect| undone_effect(seq, effect)).collect::<Result<_>>()?;
    Ok(UndoneEntry { seq, id, at, user_id, operation, changeset_id, effects })
}

fn undone_effect(seq: i64, effect: EntryEffect) -> Result<UndoneEffect> {
    let (kind, id) = (effect.kind, effect.record_id);
    let lost = |lost| Content::Open(Images::Lost(lost));
    let is_cleared = effect.cleared || [ERASED, CLEARED].contains(&effect.verb.as_str());
    let (has_before, has_after) = (effect.before.is_some(), effect.after.is_some());
    let wanted = match effect.verb.as_str() {
        "created" => (false, true),
        "deleted" => (true, false),
        _ => (true, true),
    };
    if is_cleared {
        return Ok(UndoneEffect { kind, id, content: lost(Lost::Erased) });
    }
    if effect.sealed {
        return Ok(UndoneEffect { kind, id, content: Content::Closed });
    }
    if (has_before, has_after) != wanted {
        // The images of a child's records are left out once its key is destroyed, those of credentials always.
        let content = if effect.child.is_some() { lost(Lost::Erased) } else { Content::Unstored };
        let kind = if kind == Kind::Member { Kind::User } else { kind };
        return Ok(UndoneEffect { kind, id, content });
    }
    if !CHANGEABLE.contains(&kind) {
        return Ok(UndoneEffect { kind, id, content: Content::Unstored });
    }
    let read = |image: Option<String>| -> Result<std::result::Result<Option<Box<AnyRecord>>, ImageError>> {
        let Some(image) = image else { return Ok(Ok(None)) };
        let fields = serde_json::from_str(&image).map_err(|error| unreadable(seq, &error))?;
        Ok(AnyRecord::of_image(kind, &fields).map(|record| Some(Box::new(record))))
    };
    let content = match (read(effect.before)?, read(effect.after)?) {
        (Ok(before), Ok(after)) => Content::Open(Images::Known { before, after }),
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(entry = seq, %error, "an image in the ledger cannot be used for an undo");
            lost(Lost::Unreadable)
        }
    };
    Ok(UndoneEffect { kind, id, content })
}

/// An image that is no JSON object. The error has no value, which may be a child's.
fn unreadable(seq: i64, error: &serde_json::Error) -> Error {
    Error::Corrupt {
        query: "ledger.effects",
        column: "before or after".to_owned(),
        row: seq.to_string(),
        reason: format!("{:?} at column {}", error.classify(), error.column()),
    }
}
