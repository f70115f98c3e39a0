//! Planning an undo: what has to be done to the records of today so that some changes never happened.
//!
//! It is decided field by field. A field that still has our value is set back, one that someone has changed since is a conflict, and fields
//! that were not touched keep later edits. [`gather`] makes one [`Done`] of all effects on a record, [`plan`] decides.

mod conflicts;
mod gather;
mod order;

use jiff::SignedDuration;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::CHANGEABLE;
use crate::effects::AnyRecord;
use crate::kinds::Kind;

pub use conflicts::{Conflict, ConflictKind, Resolution, Resolutions, Resolved};
pub use gather::{Images, Touch, gather};

/// How long a change can be undone.
pub const UNDO_LIFE: SignedDuration = SignedDuration::from_hours(90 * 24);

/// The kinds, each once, because of which an entry with effects on all `kinds` cannot be undone. Sessions and API keys that ended with a
/// membership do not count: they stay ended. Nor does the changeset that the entry executed.
pub fn foreign(kinds: &[Kind]) -> Vec<Kind> {
    let with_member = kinds.contains(&Kind::Member);
    let mut foreign: Vec<Kind> = Vec::new();
    for kind in kinds {
        let follows = with_member && matches!(kind, Kind::Session | Kind::ApiKey);
        let counts = !CHANGEABLE.contains(kind) && !follows && kind.name() != "changeset";
        if counts && !foreign.contains(kind) {
            foreign.push(*kind);
        }
    }
    foreign
}

/// What some effects did to one record in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The kind of record.
    pub kind: Kind,
    /// The record's UUID.
    pub id: Uuid,
    /// The record as it would be without the effects: before them, with what others changed between them. `None` if they created it.
    pub before: Option<AnyRecord>,
    /// The record after them. `None` if they deleted it.
    pub after: Option<AnyRecord>,
    /// The fields that they set.
    pub fields: Vec<&'static str>,
    /// The fields that they set and others changed between them, unless they set them again.
    pub crossed: Vec<Crossed>,
    /// Whether others changed the record between them.
    pub edited: bool,
    /// Why there are no images.
    pub lost: Option<Lost>,
}

/// A field that others changed between two effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossed {
    /// The field.
    pub field: &'static str,
    /// The value that the effects had set before.
    pub ours: Json,
    /// The value that others set.
    pub theirs: Json,
}

/// Why there are no images of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// They were erased.
    Erased,
    /// They are older than a required field of the record.
    Unreadable,
}

/// One step of an undo.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Deletes a record that was created. This is the record as it is now.
    Delete(AnyRecord),
    /// Changes a record.
    Update {
        /// The record as it is now.
        record: AnyRecord,
        /// The body of change.
        set: Map<String, Json>,
    },
    /// Brings a deleted record back. This is the record as it was, at the version before its deletion.
    Restore(AnyRecord),
}

impl Step {
    /// The record: as it is now, or as it was.
    pub fn record(&self) -> &AnyRecord {
        match self {
            Self::Delete(record) | Self::Restore(record) | Self::Update { record, .. } => record,
        }
    }
}

/// An undo as it is planned. It may be executed only without conflicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planned {
    /// The steps, in the order in which they have to be executed.
    pub steps: Vec<Step>,
    /// The conflicts that no resolution resolves.
    pub conflicts: Vec<Conflict>,
    /// Whether a step overwrites or deletes what others did, because a resolution says so.
    pub overrides: bool,
}

/// Plans the undo of what was done, in the order in which it was done. `current` finds a record as it is now.
pub fn plan(
    done: &[Done],
    current: impl Fn(Kind, Uuid) -> Option<AnyRecord>,
    resolutions: &Resolutions,
) -> Planned {
    let mut planned = Planned::default();
    for done in done.iter().rev() {
        let mut planning = Planning { done, resolutions, planned: Planned::default(), skips: false };
        let step = planning.step(current(done.kind, done.id));
        if planning.skips {
            continue;
        }
        planned.conflicts.extend(planning.planned.conflicts);
        planned.overrides |= planning.planned.overrides;
        planned.steps.extend(step);
    }
    planned.steps = order::arrange(planned.steps);
    planned
}

/// The planning of one record.
struct Planning<'a> {
    done: &'a Done,
    resolutions: &'a Resolutions,
    planned: Planned,
    /// Whether a resolution leaves the record out.
    skips: bool,
}

impl Planning<'_> {
    fn step(&mut self, current: Option<AnyRecord>) -> Option<Step> {
        // What is refused only when a step runs is resolved for the whole record.
        self.skips = self.resolutions.of(self.done, None) == Some(Resolution::Skip);
        match self.done.lost {
            Some(Lost::Erased) => {
                self.decide(ConflictKind::ContentErased, None);
                return None;
            }
            Some(Lost::Unreadable) => {
                self.decide(ConflictKind::Invariant, None);
                return None;
            }
            None => {}
        }
        match (&self.done.before, &self.done.after, current) {
            (None, Some(after), Some(now)) => self.delete(after, now),
            (Some(before), None, None) => self.restore(before),
            (Some(before), None, Some(now)) => self.recreated(before, now),
            (Some(_), Some(_), None) => {
                self.decide(ConflictKind::DeletedAfter, None);
                None
            }
            (Some(before), Some(after), Some(now)) => self.update(before, after, now),
            (None, _, None) | (None, None, Some(_)) => None,
        }
    }

    /// Deletes a record that was created, unless someone has changed it since.
    fn delete(&mut self, after: &AnyRecord, now: AnyRecord) -> Option<Step> {
        let is_changed = self.done.edited || !differences(after, &now).is_empty();
        let keeps = is_changed && !self.decide(ConflictKind::EditedAfterCreate, None);
        (!keeps).then_some(Step::Delete(now))
    }

    /// Brings a deleted record back, with the fields as they were set back.
    fn restore(&mut self, before: &AnyRecord) -> Option<Step> {
        let mut record = before.clone();
        for Crossed { field, ours, theirs } in self.done.crossed.iter().filter(|it| !is_derived(it.field)) {
            let before = before.get(field).unwrap_or_default();
            let values = Values { field, before, ours: ours.clone(), theirs: theirs.clone() };
            if !self.decide(ConflictKind::FieldChanged, Some(values)) {
                record.set(field, theirs).ok()?;
            }
        }
        Some(Step::Restore(record))
    }

    /// A deleted record whose id exists again.
    fn recreated(&mut self, before: &AnyRecord, now: AnyRecord) -> Option<Step> {
        let fields: Vec<_> =
            differences(before, &now).into_iter().filter(|field| !is_confirmation(before, field)).collect();
        if fields.is_empty() || !self.decide(ConflictKind::Recreated, None) {
            return None;
        }
        let mut set = Map::new();
        for field in fields {
            if !put(&mut set, before, field) {
                self.invariant(before, &now, field);
            }
        }
        updated(now, set)
    }

    fn update(&mut self, before: &AnyRecord, after: &AnyRecord, now: AnyRecord) -> Option<Step> {
        let mut set = Map::new();
        let mut is_confirmed = false;
        for field in self.done.fields.iter().copied().filter(|field| !is_derived(field)) {
            let value = |record: &AnyRecord| record.get(field).unwrap_or_default();
            if is_back(field, &value(before), &value(&now)) {
                continue;
            }
            if !is_settable(before.kind(), field) {
                // The fields of a confirmation change together.
                if !is_confirmation(before, field) || !std::mem::replace(&mut is_confirmed, true) {
                    self.invariant(before, &now, field);
                }
                continue;
            }
            let crossed = self.done.crossed.iter().find(|crossed| crossed.field == field);
            let is_ours = crossed.is_none() && value(&now) == value(after);
            if !is_ours {
                let (ours, theirs) = match crossed {
                    Some(crossed) => (crossed.ours.clone(), crossed.theirs.clone()),
                    None => (value(after), value(&now)),
                };
                let values = Values { field, before: value(before), ours, theirs };
                if !self.decide(ConflictKind::FieldChanged, Some(values)) {
                    continue;
                }
            }
            put(&mut set, before, field);
        }
        updated(now, set)
    }

    /// A field that no body of change has.
    fn invariant(&mut self, before: &AnyRecord, now: &AnyRecord, field: &'static str) {
        let value = |record: Option<&AnyRecord>| record.and_then(|it| it.get(field)).unwrap_or_default();
        let ours = value(self.done.after.as_ref());
        let values = Values { field, before: value(Some(before)), ours, theirs: value(Some(now)) };
        self.decide(ConflictKind::Invariant, Some(values));
    }

    /// Whether a resolution overrides a conflict. Without a resolution that is possible, the conflict is reported.
    fn decide(&mut self, kind: ConflictKind, values: Option<Values>) -> bool {
        let field = values.as_ref().map(|values| values.field);
        let resolution = self.resolutions.of(self.done, field);
        match resolution.filter(|resolution| kind.permits(*resolution)) {
            Some(Resolution::Skip) => self.skips = true,
            Some(Resolution::KeepCurrent) => {}
            Some(Resolution::RestoreAnyway) => {
                self.planned.overrides = true;
                return true;
            }
            None => self.planned.conflicts.push(conflicts::of(self.done, kind, values)),
        }
        false
    }
}

/// A field in conflict, with its values before the effects, after them, and now.
struct Values {
    field: &'static str,
    before: Json,
    ours: Json,
    theirs: Json,
}

fn updated(record: AnyRecord, set: Map<String, Json>) -> Option<Step> {
    (!set.is_empty()).then_some(Step::Update { record, set })
}

/// The fields that differ, without those that follow from others.
fn differences(one: &AnyRecord, other: &AnyRecord) -> Vec<&'static str> {
    one.changed(other).into_iter().filter(|field| !is_derived(field)).collect()
}

/// Whether a field follows from others, or from who makes a change and when.
fn is_derived(field: &str) -> bool {
    const DERIVED: [&str; 8] = [
        "last_change",
        "local_start",
        "role_given_by",
        "role_given_at",
        "created_at",
        "joined_at",
        "updated_at",
        "version",
    ];
    DERIVED.contains(&field)
}

/// Whether a field of a staff entry says who proposed or confirmed it: only people do.
fn is_confirmation(record: &AnyRecord, field: &str) -> bool {
    const FIELDS: [&str; 6] =
        ["state", "proposed_by", "proposed_at", "confirmed_by", "confirmed_at", "confirmed_alone"];
    record.kind() == Kind::Staff && FIELDS.contains(&field)
}

/// Whether a field has its value again. Of a suspension, only the server says since when.
fn is_back(field: &str, before: &Json, now: &Json) -> bool {
    if field == "suspended_at" { before.is_null() == now.is_null() } else { before == now }
}

/// Whether a body of change has a field.
fn is_settable(kind: Kind, field: &str) -> bool {
    let by_hand: &[&str] = match kind {
        Kind::RosterEntry => &["jersey_number", "position", "starts_on", "ends_on"],
        Kind::Member => &["role", "suspended_at"],
        _ => kind.changeable(),
    };
    by_hand.contains(&field)
}

/// Puts a field into a body of change as it was. Returns whether a body of change has it.
fn put(set: &mut Map<String, Json>, before: &AnyRecord, field: &'static str) -> bool {
    let Some(value) = before.get(field).filter(|_| is_settable(before.kind(), field)) else { return false };
    if field == "suspended_at" {
        set.insert("suspended".to_owned(), Json::Bool(!value.is_null()));
    } else {
        set.insert(field.to_owned(), value);
    }
    true
}

#[cfg(test)]
pub(super) mod tests;
