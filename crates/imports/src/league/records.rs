//! The records of one kind that exist, found by key, those that a file adds, and what becomes of both.

use std::collections::HashMap;
use std::hash::Hash;

use crate::tally::Tally;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{AnyRecord, Effect};

pub(super) struct Found<K, R> {
    entries: Vec<Entry<R>>,
    by_key: HashMap<K, usize>,
}

struct Entry<R> {
    before: Option<R>,
    after: R,
    /// Whether the file speaks of it: what it does not speak of is neither changed nor counted.
    named: bool,
}

impl<K: Eq + Hash, R: Clone> Found<K, R> {
    /// The records that exist.
    pub(super) fn new(existing: Vec<R>, key: impl Fn(&R) -> K) -> Self {
        let mut found = Self { entries: Vec::new(), by_key: HashMap::new() };
        for record in existing {
            found.adopt(key(&record), record);
        }
        found
    }

    /// Enters a record that exists. Of two with one key the first is found.
    pub(super) fn adopt(&mut self, key: K, record: R) {
        self.by_key.entry(key).or_insert(self.entries.len());
        self.entries.push(Entry { before: Some(record.clone()), after: record, named: false });
    }

    /// The record of a key.
    pub(super) fn find(&self, key: &K) -> Option<&R> {
        self.by_key.get(key).map(|place| &self.entries[*place].after)
    }

    /// The record of a key, made where there is none, as the file wants it.
    pub(super) fn name(&mut self, key: K, make: impl FnOnce() -> R) -> &mut R {
        let place = *self.by_key.entry(key).or_insert(self.entries.len());
        if place == self.entries.len() {
            self.entries.push(Entry { before: None, after: make(), named: false });
        }
        let entry = &mut self.entries[place];
        entry.named = true;
        &mut entry.after
    }

    /// Looks over each record that the file speaks of, as it was and as it is to be.
    pub(super) fn review(&mut self, look: impl Fn(Option<&R>, &mut R)) {
        for entry in self.entries.iter_mut().filter(|entry| entry.named) {
            look(entry.before.as_ref(), &mut entry.after);
        }
    }

    /// The effects of what the file wants, and their number.
    pub(super) fn settle(self, moment: &Moment) -> (Vec<Effect>, Tally)
    where
        R: Into<AnyRecord>,
    {
        let named = self.entries.into_iter().filter(|entry| entry.named);
        settle(moment, named.map(|entry| (entry.before, entry.after)))
    }
}

/// The effects that lead from records as they were to what they are to be, and their number.
pub(super) fn settle<R: Into<AnyRecord>>(
    moment: &Moment,
    changes: impl Iterator<Item = (Option<R>, R)>,
) -> (Vec<Effect>, Tally) {
    let mut tally = Tally::default();
    let effects = changes
        .filter_map(|(before, after)| {
            let Some(before) = before else {
                tally.created += 1;
                return Some(Effect::create(after));
            };
            let effect = Effect::update(moment, before, after);
            if effect.is_some() {
                tally.updated += 1;
            } else {
                tally.unchanged += 1;
            }
            effect
        })
        .collect();
    (effects, tally)
}
