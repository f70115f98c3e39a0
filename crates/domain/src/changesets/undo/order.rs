//! The order of the steps of an undo: the reverse order of the effects, except where a record refers to another one.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value as Json;

use super::Step;
use crate::effects::AnyRecord;

/// Arranges steps that are in the reverse order of the effects: a record comes back before what refers to it, and is deleted after what
/// referred to it.
pub(super) fn arrange(steps: Vec<Step>) -> Vec<Step> {
    let (mut restored, mut deleted) = (HashMap::new(), HashMap::new());
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Restore(record) => restored.extend(names(record).map(|name| (name, at))),
            Step::Delete(record) => deleted.extend(names(record).map(|name| (name, at))),
            Step::Update { .. } => {}
        }
    }
    let mut edges = Edges { after: vec![Vec::new(); steps.len()], waits: vec![0; steps.len()] };
    for (at, step) in steps.iter().enumerate() {
        let image = step.record().image();
        match step {
            Step::Restore(_) => edges.refer(&restored, image.values(), |parent| (parent, at)),
            Step::Update { set, .. } => {
                edges.refer(&restored, set.values(), |parent| (parent, at));
                edges.refer(&deleted, image.values(), |parent| (at, parent));
            }
            Step::Delete(_) => edges.refer(&deleted, image.values(), |parent| (at, parent)),
        }
    }
    edges.sorted(steps)
}

/// The ids by which others refer to a record. Others refer to a member by the user.
fn names(record: &AnyRecord) -> impl Iterator<Item = String> {
    let user = match record {
        AnyRecord::Member(member) => Some(member.user_id.to_string()),
        _ => None,
    };
    std::iter::once(record.id()).chain(user)
}

struct Edges {
    /// The steps that come after each one.
    after: Vec<Vec<usize>>,
    /// How many steps each one waits for.
    waits: Vec<usize>,
}

impl Edges {
    /// Adds an edge for each value that refers to another step's record.
    fn refer<'a>(
        &mut self,
        records: &HashMap<String, usize>,
        values: impl Iterator<Item = &'a Json>,
        edge: impl Fn(usize) -> (usize, usize),
    ) {
        let found = values.filter_map(|value| records.get(value.as_str()?));
        for parent in found.copied().collect::<HashSet<_>>() {
            let (first, second) = edge(parent);
            if first != second
                && let (Some(after), Some(waits)) = (self.after.get_mut(first), self.waits.get_mut(second))
            {
                after.push(second);
                *waits += 1;
            }
        }
    }

    /// The steps so that each comes after those that it waits for, and otherwise in the order as they are.
    fn sorted(mut self, steps: Vec<Step>) -> Vec<Step> {
        let mut left: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
        let mut ready: BTreeSet<usize> =
            (0..left.len()).filter(|at| self.waits.get(*at) == Some(&0)).collect();
        let mut sorted = Vec::with_capacity(left.len());
        while let Some(at) = ready.pop_first() {
            sorted.extend(left.get_mut(at).and_then(Option::take));
            for next in self.after.get(at).cloned().unwrap_or_default() {
                if let Some(waits) = self.waits.get_mut(next) {
                    *waits -= 1;
                    if *waits == 0 {
                        ready.insert(next);
                    }
                }
            }
        }
        // Records never refer to each other in a circle; no step may be lost if they did.
        sorted.extend(left.into_iter().flatten());
        sorted
    }
}
