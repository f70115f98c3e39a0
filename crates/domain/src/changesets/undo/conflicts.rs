//! Conflicts of an undo, and what people decide about them.

use crate::children::classes::of_image;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Done, Lost, Step, Values};
use crate::Refusal;
use crate::kinds::Kind;
use crate::record::enumeration;

enumeration! {
    /// Why something cannot simply be undone.
    ConflictKind {
        /// Someone has changed the field since.
        FieldChanged "field_changed",
        /// The record was deleted since.
        DeletedAfter "deleted_after",
        /// Someone has changed a record since it was created.
        EditedAfterCreate "edited_after_create",
        /// Other records refer to a record that would be deleted.
        HasDependents "has_dependents",
        /// A deleted record exists again, with other values.
        Recreated "recreated",
        /// Another record has the name or id by now.
        UniqueTaken "unique_taken",
        /// The record that it belongs to does not exist.
        ParentMissing "parent_missing",
        /// A rule does not permit the values as they were.
        Invariant "invariant",
        /// The values as they were have been erased.
        ContentErased "content_erased",
    }
}

enumeration! {
    /// What is done about a conflict.
    Resolution {
        /// The value or the record stays as it is now.
        KeepCurrent "keep_current",
        /// It becomes what it was, in spite of what others did.
        RestoreAnyway "restore_anyway",
        /// The record is left out of the undo as a whole.
        Skip "skip",
    }
}

impl ConflictKind {
    /// Whether a resolution is possible. What does not exist any more can only be left out; what a rule or another record prevents cannot
    /// be restored either.
    pub const fn permits(self, resolution: Resolution) -> bool {
        match self {
            Self::FieldChanged | Self::EditedAfterCreate | Self::Recreated => true,
            Self::ContentErased | Self::ParentMissing => matches!(resolution, Resolution::Skip),
            // Undo the deletion first: it has the record as it was then.
            Self::DeletedAfter | Self::HasDependents | Self::UniqueTaken | Self::Invariant => {
                !matches!(resolution, Resolution::RestoreAnyway)
            }
        }
    }

    const fn why(self) -> &'static str {
        match self {
            Self::FieldChanged => "someone has changed this field since",
            Self::DeletedAfter => "the record was deleted since; undo its deletion first",
            Self::EditedAfterCreate => "someone has changed the record since it was created",
            Self::HasDependents => "other records refer to it",
            Self::Recreated => "the record exists again, with other values",
            Self::UniqueTaken => "another record has this name or id by now",
            Self::ParentMissing => "the record that it belongs to does not exist",
            Self::Invariant => "a rule does not permit the values as they were",
            Self::ContentErased => "the values as they were have been erased",
        }
    }
}

/// Why something cannot simply be undone. The record and the field are what a [`Resolved`] names.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// The kind of conflict.
    pub kind: ConflictKind,
    /// The kind of record.
    pub resource: Kind,
    /// The record's id, as it is written on the wire.
    pub record: String,
    /// The field, if it is about one.
    pub field: Option<String>,
    /// Its value before the change that is undone.
    pub before: Option<Json>,
    /// Its value after the change.
    pub ours: Option<Json>,
    /// The value that someone else set.
    pub theirs: Option<Json>,
    /// What is wrong, in words.
    pub why: String,
}

/// Without values: they may be a child's.
impl std::fmt::Debug for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.kind, self.record, self.field.as_deref().unwrap_or_default())
    }
}

/// The conflict about a record.
pub(super) fn of(done: &Done, kind: ConflictKind, values: Option<Values>) -> Conflict {
    let why = match (kind, done.kind, done.lost) {
        (ConflictKind::Invariant, _, Some(Lost::Unreadable)) => {
            "the values as they were come from an older version of the server"
        }
        (ConflictKind::Invariant, Kind::Staff, None) if values.is_some() => {
            "only people confirm staff, so that its state cannot be set back; remove the entry instead, or add a new one"
        }
        _ => kind.why(),
    };
    let conflict = Conflict {
        kind,
        resource: done.kind,
        record: done.kind.written_id(done.id),
        field: None,
        before: None,
        ours: None,
        theirs: None,
        why: why.to_owned(),
    };
    match values {
        None => conflict,
        // A conflict is shown to everyone who sees the changeset, without a relation to the child.
        Some(Values { field, .. }) if of_image(done.kind).is_some() => {
            Conflict { field: Some(field.to_owned()), ..conflict }
        }
        Some(Values { field, before, ours, theirs }) => Conflict {
            field: Some(field.to_owned()),
            before: Some(before),
            ours: Some(ours),
            theirs: Some(theirs),
            ..conflict
        },
    }
}

impl Conflict {
    /// The conflict of a step that was refused when it ran.
    pub fn refused(step: &Step, refusal: &Refusal) -> Self {
        let kind = match refusal {
            Refusal::InUse(_) | Refusal::HasContents(_) => ConflictKind::HasDependents,
            Refusal::Duplicate(_) => ConflictKind::UniqueTaken,
            Refusal::NotFound => ConflictKind::ParentMissing,
            Refusal::Invalid(errors)
                if errors.iter().any(|error| error.pointer == "/child_id" && error.code == "not_found") =>
            {
                // The same for a child that was erased and one that is not open.
                ConflictKind::ContentErased
            }
            Refusal::Invalid(errors) if errors.iter().any(|error| error.code == "not_found") => {
                ConflictKind::ParentMissing
            }
            _ => ConflictKind::Invariant,
        };
        let why = match (kind, refusal) {
            _ if of_image(step.record().kind()).is_some() => kind.why().to_owned(),
            (ConflictKind::Invariant, Refusal::Invalid(errors)) => {
                let told = |error: &crate::FieldError| {
                    format!("{} {}", error.pointer.trim_start_matches('/'), error.message)
                };
                errors.iter().map(told).collect::<Vec<_>>().join("; ")
            }
            (ConflictKind::Invariant | ConflictKind::HasDependents, refusal) => refusal.to_string(),
            _ => kind.why().to_owned(),
        };
        Self { why, ..Self::taken(step) }.with(kind)
    }

    /// The conflict of a step whose name, or another unique field, another record has.
    pub fn taken(step: &Step) -> Self {
        let record = step.record();
        Self {
            kind: ConflictKind::UniqueTaken,
            resource: record.kind(),
            record: record.id(),
            field: None,
            before: None,
            ours: None,
            theirs: None,
            why: ConflictKind::UniqueTaken.why().to_owned(),
        }
    }

    fn with(self, kind: ConflictKind) -> Self {
        Self { kind, ..self }
    }
}

/// What someone has decided about a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The record's id, as it is written on the wire.
    pub record: String,
    /// The field. Without one, it is for all conflicts of the record that have no decision of their own.
    pub field: Option<String>,
    /// The decision.
    pub resolution: Resolution,
}

/// What was decided about conflicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolutions(Vec<Resolved>);

impl Resolutions {
    /// Decides about a conflict. It replaces what was decided about it before.
    pub fn resolve(&mut self, resolved: Resolved) {
        self.0.retain(|other| (&other.record, &other.field) != (&resolved.record, &resolved.field));
        self.0.push(resolved);
    }

    /// What was decided, in the order of the decisions.
    pub fn all(&self) -> &[Resolved] {
        &self.0
    }

    /// What was decided about a field of a record, or about the record.
    pub(super) fn of(&self, done: &Done, field: Option<&str>) -> Option<Resolution> {
        let id = done.kind.written_id(done.id);
        let of = |field: Option<&str>| {
            let found =
                self.0.iter().find(|resolved| resolved.record == id && resolved.field.as_deref() == field);
            found.map(|resolved| resolved.resolution)
        };
        of(field).or_else(|| of(None))
    }
}
