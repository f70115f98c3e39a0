//! Adds the changes of a savepoint to those of the transaction around it.

use super::{Collected, Draft, Unrecorded};

impl Unrecorded {
    /// Adds later changes. The first change of an organization still names its entry.
    pub(crate) fn absorb(&mut self, later: Self) {
        self.written += later.written;
        self.decided += later.decided;
        self.journaled.extend(later.journaled);
        for draft in later.drafts {
            match self.drafts.iter_mut().find(|own| own.organization == draft.organization) {
                Some(own) => own.absorb(draft),
                None => self.drafts.push(draft),
            }
        }
    }
}

impl Draft {
    fn absorb(&mut self, later: Self) {
        for effect in later.effects {
            self.collected(effect.kind, effect.record_id).absorb(effect);
        }
    }
}

impl Collected {
    fn absorb(&mut self, later: Self) {
        // With neither, the record was only erased, or created and deleted again: its state does not change.
        if later.before.is_some() || later.after.is_some() {
            if self.before.is_none() && self.after.is_none() {
                self.before = later.before;
            }
            self.after = later.after;
        }
        self.images |= later.images;
        self.touched_for.extend(later.touched_for);
        self.erased |= later.erased;
        self.erased_of = later.erased_of.or(self.erased_of);
    }
}
