//! Saved college programs of a child. The rules of lists are those of all lists: they read an entry as a [`Favorite`] of the child.

use jiff::Timestamp;

use super::{CustomProgram, Favorite, Fit, ListOwner, Notes, Stage, Tags};
use crate::effects::{AnyRecord, Effect};
use crate::ids::{ChildId, FavoriteId, ProgramId, UserId};
use crate::record::{Record, Shared};

/// A college program that a child's family has saved.
#[derive(Clone, PartialEq, Record)]
#[record(
    table = "child_favorites", alias = "f",
    derived(custom_folded = self.custom.as_ref().map(CustomProgram::folded))
)]
pub struct ChildFavorite {
    /// The id.
    #[field(server)]
    pub id: FavoriteId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// Who saved it.
    #[field(server)]
    pub saved_by: UserId,
    /// The saved program, if it is in the catalogue.
    #[field(server)]
    pub program_id: Option<ProgramId>,
    /// The saved program, if it is not in the catalogue.
    #[field(server, personal)]
    pub custom: Option<CustomProgram>,
    /// How far the child is in recruiting.
    #[field(server)]
    pub stage: Stage,
    /// How likely the child is to get a place.
    #[field(server)]
    pub fit: Fit,
    /// How much the child wants it, 1 to 5.
    #[field(server)]
    pub interest: Option<i64>,
    /// Its position on the list, from 1.
    #[field(server)]
    pub rank: i64,
    /// Notes.
    #[field(server, sealed)]
    pub notes: Option<Notes>,
    /// Tags.
    #[field(server, sealed)]
    pub tags: Tags,
    /// When it was saved.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// A record with what entries of all lists have in common.
macro_rules! entry {
    ($record:ident { $($own:ident),+ } of $from:expr) => {{
        let from = $from;
        $record {
            $($own,)+
            id: from.id,
            program_id: from.program_id,
            custom: from.custom,
            stage: from.stage,
            fit: from.fit,
            interest: from.interest,
            rank: from.rank,
            notes: from.notes,
            tags: from.tags,
            created_at: from.created_at,
            updated_at: from.updated_at,
            version: from.version,
        }
    }};
}

impl ChildFavorite {
    /// An entry of a child's list, as it is stored.
    pub fn of(child_id: ChildId, saved_by: UserId, entry: Favorite) -> Self {
        entry!(ChildFavorite { child_id, saved_by } of entry)
    }

    /// The entry of the child's list, as the rules of lists and responses read it.
    pub fn entry(self) -> Favorite {
        let owner_id = ListOwner::Child(self.child_id).into();
        entry!(Favorite { owner_id } of self)
    }

    /// An effect of the rules of lists on a child's list. `saver` says who saved the entry with an id.
    pub fn effect(child: ChildId, effect: Effect, saver: impl Fn(FavoriteId) -> UserId) -> Effect {
        let stored = |record| match record {
            AnyRecord::Favorite(entry) => Self::of(child, saver(entry.id), Shared::into_record(entry)).into(),
            other => other,
        };
        Effect { before: effect.before.map(stored), after: effect.after.map(stored) }
    }
}
