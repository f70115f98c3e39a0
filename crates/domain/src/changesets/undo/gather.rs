//! Several effects on a record as one: what they did to it in the end.

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

use super::{Crossed, Done, Lost, differences};
use crate::effects::AnyRecord;
use crate::kinds::Kind;

/// An effect on a record, as the ledger has stored it.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// The kind of record.
    pub kind: Kind,
    /// The record's UUID.
    pub id: Uuid,
    /// The record before and after.
    pub images: Images,
}

/// The record before and after an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Images {
    /// They are known.
    Known {
        /// The record before. `None` if it was created.
        before: Option<Box<AnyRecord>>,
        /// The record after. `None` if it was deleted.
        after: Option<Box<AnyRecord>>,
    },
    /// They are not.
    Lost(Lost),
}

/// What some effects, oldest first, did to each record in the end, in the order in which they first touched it. Records that they both created
/// and deleted are left out.
pub fn gather(touches: impl IntoIterator<Item = Touch>) -> Vec<Done> {
    let mut gathered: Vec<Gathering> = Vec::new();
    let mut places = HashMap::new();
    for Touch { kind, id, images } in touches {
        let place = *places.entry((kind, id)).or_insert_with(|| {
            gathered.push(Gathering::new(kind, id));
            gathered.len() - 1
        });
        let Some(gathering) = gathered.get_mut(place) else { continue };
        match images {
            Images::Known { before, after } => gathering.add(before.as_deref(), after.map(|it| *it)),
            Images::Lost(lost) => gathering.done.lost = Some(lost),
        }
    }
    let done = gathered.into_iter().map(Gathering::finish);
    done.filter(|done| done.before.is_some() || done.after.is_some() || done.lost.is_some()).collect()
}

struct Gathering {
    done: Done,
    is_first: bool,
    /// The last value of each field that the effects set.
    ours: BTreeMap<&'static str, Json>,
}

impl Gathering {
    fn new(kind: Kind, id: Uuid) -> Self {
        let done = Done {
            kind,
            id,
            before: None,
            after: None,
            fields: Vec::new(),
            crossed: Vec::new(),
            edited: false,
            lost: None,
        };
        Self { done, is_first: true, ours: BTreeMap::new() }
    }

    fn add(&mut self, before: Option<&AnyRecord>, after: Option<AnyRecord>) {
        if std::mem::replace(&mut self.is_first, false) {
            self.done.before = before.cloned();
        } else {
            self.note_others(before);
        }
        // What was deleted and came back is compared with what it was at first.
        let compared = before.or(self.done.before.as_ref()).cloned();
        if let (Some(before), Some(after)) = (&compared, &after) {
            for field in after.changed(before) {
                if let Some(at) = self.done.crossed.iter().position(|crossed| crossed.field == field) {
                    // Without the effects it would be what others set.
                    let theirs = self.done.crossed.swap_remove(at).theirs;
                    self.set_base(field, &theirs);
                }
                self.ours.insert(field, after.get(field).unwrap_or_default());
            }
        }
        if let (Some(last), None, Some(base)) = (before, &after, &mut self.done.before) {
            base.set_version(last.version(), last.updated_at());
        }
        self.done.after = after;
    }

    /// Notes what others did between the last effect and this one.
    fn note_others(&mut self, before: Option<&AnyRecord>) {
        let (Some(last), Some(before)) = (&self.done.after, before) else {
            self.done.edited |= self.done.after.is_some() != before.is_some();
            return;
        };
        self.done.edited |= !differences(last, before).is_empty();
        for field in before.changed(last) {
            let theirs = before.get(field).unwrap_or_default();
            let is_back =
                self.done.before.as_ref().and_then(|base| base.get(field)).as_ref() == Some(&theirs);
            match self.ours.get(field).cloned() {
                Some(ours) => {
                    self.done.crossed.retain(|crossed| crossed.field != field);
                    if is_back {
                        self.ours.remove(field);
                    } else {
                        self.done.crossed.push(Crossed { field, ours, theirs });
                    }
                }
                None => self.set_base(field, &theirs),
            }
        }
    }

    /// Sets a field of the record as it would be without the effects, to a value of a record of the same kind.
    fn set_base(&mut self, field: &'static str, value: &Json) {
        let set = self.done.before.as_mut().map(|base| base.set(field, value));
        debug_assert!(set.is_none_or(|set| set.is_ok()), "{field} of a {}", self.done.kind);
    }

    fn finish(mut self) -> Done {
        let fields = self.done.kind.fields().iter().copied();
        self.done.fields = fields.filter(|field| self.ours.contains_key(field)).collect();
        self.done
    }
}
