//! Effects: what a command does to records, each with the record before and after. The store applies them.

pub use crate::kinds::{AnyRecord, Kind};

use crate::Moment;

impl AnyRecord {
    /// Becomes the next version of a record. The clocks of servers differ, so only the order of the ledger says which change came first.
    fn follow(&mut self, before: &Self, moment: &Moment) {
        self.set_version(before.version() + 1, moment.now());
    }
}

/// What happens to one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The record before; `None` if it is created.
    pub before: Option<AnyRecord>,
    /// The record after; `None` if it is deleted.
    pub after: Option<AnyRecord>,
}

impl Effect {
    /// Creates a record.
    pub fn create(after: impl Into<AnyRecord>) -> Self {
        Self { before: None, after: Some(after.into()) }
    }

    /// Changes a record: its version goes up by one and it gets the time of the moment. Returns `None` if no field differs.
    pub fn update<R: Into<AnyRecord>>(moment: &Moment, before: R, after: R) -> Option<Self> {
        let (before, mut after) = (before.into(), after.into());
        if before.changed(&after).is_empty() {
            return None;
        }
        after.follow(&before, moment);
        Some(Self { before: Some(before), after: Some(after) })
    }

    /// Gives a record a new version without changing a field, because something that is read together with it changes.
    pub fn touch(moment: &Moment, before: impl Into<AnyRecord>) -> Self {
        let before = before.into();
        let mut after = before.clone();
        after.follow(&before, moment);
        Self { before: Some(before), after: Some(after) }
    }

    /// Deletes a record.
    pub fn delete(before: impl Into<AnyRecord>) -> Self {
        Self { before: Some(before.into()), after: None }
    }

    /// The record afterwards; for a deletion, the record before.
    pub fn record(&self) -> Option<&AnyRecord> {
        self.after.as_ref().or(self.before.as_ref())
    }

    /// What happens: `created`, `updated` or `deleted`.
    pub fn verb(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "created",
            (_, None) => "deleted",
            _ => "updated",
        }
    }

    /// The position in which it is written: deletions from children to parents, then updates and creations from parents to children,
    /// because a change may refer to a new record. Within a kind updates come first, because a new record may take a name that became free.
    pub fn place(&self) -> (u8, i8, u8) {
        let depth = self.record().map_or(0, |record| record.kind().depth());
        match (&self.before, &self.after) {
            (_, None) => (0, -depth, 0),
            (Some(_), _) => (1, depth, 0),
            (None, _) => (1, depth, 1),
        }
    }

    /// The names of the changed fields; empty for a deletion.
    pub fn fields(&self) -> Vec<&'static str> {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => after.changed(before),
            _ => Vec::new(),
        }
    }
}
