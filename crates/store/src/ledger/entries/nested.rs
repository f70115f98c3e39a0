//! What a savepoint collected, added to what was collected around it.

use super::{Collected, Draft, Unrecorded};

impl Unrecorded {
    /// Adds what was collected later, as if it had been collected here: the first change of an organization still names its entry.
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
        // Without a record before and after, it was only erased, or made and deleted again: then it is as it was.
        if later.before.is_some() || later.after.is_some() {
            if self.before.is_none() && self.after.is_none() {
                self.before = later.before;
            }
            self.after = later.after;
        }
        self.images |= later.images;
        self.touched_for.extend(later.touched_for);
        self.erased |= later.erased;
    }
}
