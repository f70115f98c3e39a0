//! Records of one kind by key: the existing ones, and those of a file.

use std::collections::HashMap;
use std::hash::Hash;

use super::report::{MatchHow, Mention};
use crate::tally::Tally;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::text::Name;

pub(super) struct Found<K, R> {
    entries: Vec<Entry<R>>,
    by_key: HashMap<K, usize>,
}

struct Entry<R> {
    before: Option<R>,
    after: R,
    /// The name in the file, and how it was found. Records that the file does not mention are neither changed nor counted.
    said: Option<(String, MatchHow)>,
}

impl<K: Eq + Hash, R: Clone> Found<K, R> {
    /// The existing records.
    pub(super) fn new(existing: Vec<R>, key: impl Fn(&R) -> K) -> Self {
        let mut found = Self { entries: Vec::new(), by_key: HashMap::new() };
        for record in existing {
            found.adopt(key(&record), record);
        }
        found
    }

    /// Adds an existing record. Of two with the same key the first is used.
    pub(super) fn adopt(&mut self, key: K, record: R) {
        self.by_key.entry(key).or_insert(self.entries.len());
        self.entries.push(Entry { before: Some(record.clone()), after: record, said: None });
    }

    /// The record with a key.
    pub(super) fn find(&self, key: &K) -> Option<&R> {
        self.by_key.get(key).map(|index| &self.entries[*index].after)
    }

    /// The record with a key, which the file calls `said`; created if it is missing.
    pub(super) fn name(&mut self, key: K, said: (&Name, MatchHow), make: impl FnOnce() -> R) -> &mut R {
        let index = *self.by_key.entry(key).or_insert(self.entries.len());
        if index == self.entries.len() {
            self.entries.push(Entry { before: None, after: make(), said: None });
        }
        let entry = &mut self.entries[index];
        entry.said.get_or_insert_with(|| (said.0.to_string(), said.1));
        &mut entry.after
    }

    /// Visits each record that the file mentions, before and after.
    pub(super) fn review(&mut self, look: impl Fn(Option<&R>, &mut R)) {
        for entry in self.entries.iter_mut().filter(|entry| entry.said.is_some()) {
            look(entry.before.as_ref(), &mut entry.after);
        }
    }

    /// The names of the file with their records.
    pub(super) fn mentions(&self) -> impl Iterator<Item = Mention<'_, R>> {
        self.entries.iter().filter_map(|entry| {
            let (said, how) = entry.said.as_ref()?;
            Some(Mention { said, how: *how, before: entry.before.as_ref() })
        })
    }

    /// All records, existing and new.
    pub(super) fn all(&self) -> impl Iterator<Item = &R> {
        self.entries.iter().map(|entry| &entry.after)
    }

    /// The existing records.
    pub(super) fn known(&self) -> impl Iterator<Item = &R> {
        self.entries.iter().filter_map(|entry| entry.before.as_ref())
    }

    /// The records that the file creates.
    pub(super) fn created(&self) -> impl Iterator<Item = &R> {
        self.entries.iter().filter(|entry| entry.before.is_none()).map(|entry| &entry.after)
    }

    /// The effects and their number.
    pub(super) fn effects(self, moment: &Moment) -> (Vec<Effect>, Tally)
    where
        R: Into<AnyRecord>,
    {
        let named = self.entries.into_iter().filter(|entry| entry.said.is_some());
        effects(moment, named.map(|entry| (entry.before, entry.after)))
    }
}

/// The effects of changing records, and their number.
pub(super) fn effects<R: Into<AnyRecord>>(
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
