//! A ledger: the records of one kind that exist, found by key, those that a file adds, and what becomes of both.

use std::collections::HashMap;
use std::hash::Hash;

use crate::tally::Tally;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{AnyRecord, Effect};

pub(super) struct Ledger<K, R> {
    entries: Vec<Entry<R>>,
    by_key: HashMap<K, usize>,
}

struct Entry<R> {
    before: Option<R>,
    after: R,
    /// Whether the file speaks of it: what it does not speak of is neither changed nor counted.
    named: bool,
}

impl<K: Eq + Hash, R: Clone> Ledger<K, R> {
    /// A ledger of what exists.
    pub(super) fn new(existing: Vec<R>, key: impl Fn(&R) -> K) -> Self {
        let mut ledger = Self { entries: Vec::new(), by_key: HashMap::new() };
        for record in existing {
            ledger.adopt(key(&record), record);
        }
        ledger
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

    /// What the file adds.
    pub(super) fn created(&self) -> impl Iterator<Item = &R> {
        self.entries.iter().filter(|entry| entry.named && entry.before.is_none()).map(|entry| &entry.after)
    }

    /// The effects of what the file wants, and their number.
    pub(super) fn settle(self, moment: &Moment, record: fn(R) -> AnyRecord) -> (Vec<Effect>, Tally) {
        self.settle_with(moment, record, |_| false)
    }

    /// The same, where some records are read together with others, which have changed.
    pub(super) fn settle_with(
        self,
        moment: &Moment,
        record: fn(R) -> AnyRecord,
        touched: impl Fn(&R) -> bool,
    ) -> (Vec<Effect>, Tally) {
        let named = self.entries.into_iter().filter(|entry| entry.named);
        settle(moment, named.map(|entry| (entry.before, entry.after)), record, touched)
    }
}

/// The effects that lead from records as they were to what they are to be, and their number. What is `touched` changes in any case.
pub(super) fn settle<R: Clone>(
    moment: &Moment,
    changes: impl Iterator<Item = (Option<R>, R)>,
    record: fn(R) -> AnyRecord,
    touched: impl Fn(&R) -> bool,
) -> (Vec<Effect>, Tally) {
    let mut tally = Tally::default();
    let effects = changes
        .filter_map(|(before, after)| match before {
            None => {
                tally.created += 1;
                Some(Effect::create(record(after)))
            }
            Some(before) => {
                let touched = touched(&before).then(|| record(before.clone()));
                let effect = Effect::update(moment, record(before), record(after))
                    .or_else(|| touched.map(|before| Effect::touch(moment, before)));
                if effect.is_some() {
                    tally.updated += 1;
                } else {
                    tally.unchanged += 1;
                }
                effect
            }
        })
        .collect();
    (effects, tally)
}
