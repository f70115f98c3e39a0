//! Random histories: what we did, what others did, and what is left after the undo.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Key = (Kind, Uuid);

/// The records of a club.
#[derive(Clone, Debug, Default, PartialEq)]
struct World(BTreeMap<u128, AnyRecord>);

/// What happens to a record.
#[derive(Clone, Debug)]
enum Act {
    CreateOrDelete,
    Set(usize, u8),
}

fn acts(only_sets: bool) -> impl Strategy<Value = (u128, Act)> {
    let set = (0..3_usize, 0..3_u8).prop_map(|(field, value)| Act::Set(field, value));
    let act =
        if only_sets { set.boxed() } else { prop_oneof![1 => Just(Act::CreateOrDelete), 3 => set].boxed() };
    (0..4_u128, act)
}

/// A record that does not exist yet: one of two venues or two members.
fn fresh(which: u128) -> AnyRecord {
    if which < 2 {
        Venue { id: Id::from_uuid(Uuid::from_u128(which)), ..venue("0") }.into()
    } else {
        let member = Member::new(&moment(5), user(which), Role::Member);
        Member { id: Id::from_uuid(Uuid::from_u128(which)), ..member }.into()
    }
}

impl World {
    fn full() -> Self {
        Self((0..4).map(|which| (which, fresh(which))).collect())
    }

    fn find(&self, kind: Kind, id: Uuid) -> Option<AnyRecord> {
        self.0.get(&id.as_u128()).filter(|record| record.kind() == kind).cloned()
    }

    fn put(&mut self, which: u128, after: Option<AnyRecord>) -> Touch {
        let before = self.0.remove(&which);
        self.0.extend(after.clone().map(|after| (which, after)));
        touch(before, after)
    }

    /// Changes the record. `None` if nothing differs.
    fn act(&mut self, which: u128, act: &Act) -> Option<Touch> {
        let before = self.0.get(&which).cloned();
        let after = match (act, before) {
            (Act::CreateOrDelete, Some(_)) => None,
            (Act::CreateOrDelete, None) => Some(fresh(which)),
            (Act::Set(..), None) => return None,
            (Act::Set(field, value), Some(before)) => {
                let (field, value) = value_of(&before, *field, *value);
                if before.get(field) == Some(value.clone()) {
                    return None;
                }
                let mut after = before.clone();
                after.set(field, &value).expect("a value");
                after.set_version(before.version() + 1, before.updated_at());
                Some(after)
            }
        };
        Some(self.put(which, after))
    }

    fn run_step(&mut self, step: &Step) -> Touch {
        let which = step.record().uuid().as_u128();
        let after = match step {
            Step::Delete(_) => None,
            Step::Restore(record) => {
                assert!(!self.0.contains_key(&which), "{} exists", record.id());
                let mut back = record.clone();
                back.set_version(record.version() + 2, record.updated_at());
                Some(back)
            }
            Step::Update { record, set } => {
                let mut after = record.clone();
                for (field, value) in set {
                    let done = match field.as_str() {
                        "suspended" if value == false => after.set("suspended_at", &Json::Null),
                        "suspended" => after.set("suspended_at", &json!(moment(1).now())),
                        field => after.set(field, value),
                    };
                    done.expect("a value");
                }
                after.set_version(record.version() + 1, record.updated_at());
                Some(after)
            }
        };
        self.put(which, after)
    }

    /// Plans an undo, executes it as far as it is planned, and returns what it did.
    fn undo(&mut self, touches: &[Touch], resolutions: &Resolutions) -> (Planned, Vec<Touch>) {
        let planned = plan(&gather(touches.iter().cloned()), |kind, id| self.find(kind, id), resolutions);
        let done = planned.steps.iter().map(|step| self.run_step(step)).collect();
        (planned, done)
    }

    /// The records without their versions.
    fn contents(&self) -> BTreeMap<Key, Map<String, Json>> {
        let content = |record: &AnyRecord| {
            let mut image = record.image();
            image.retain(|field, _| !["version", "updated_at"].contains(&field.as_str()));
            ((record.kind(), record.uuid()), image)
        };
        self.0.values().map(content).collect()
    }
}

/// A field of a record, and a value for it.
fn value_of(record: &AnyRecord, field: usize, value: u8) -> (&'static str, Json) {
    let number = usize::from(value);
    match (record.kind(), field) {
        (Kind::Venue, 0) => ("name", json!(value.to_string())),
        (Kind::Venue, 1) => ("latitude", if value == 0 { Json::Null } else { json!(f64::from(value)) }),
        (Kind::Venue, _) => ("fields", json!(vec!["A"; number])),
        (_, 0) => ("role", json!(["member", "coach", "manager"][number])),
        (_, _) => ("suspended_at", if value == 0 { Json::Null } else { json!(moment(1).now()) }),
    }
}

fn history(world: &mut World, acts: &[(u128, Act)]) -> Vec<Touch> {
    acts.iter().filter_map(|(which, act)| world.act(*which, act)).collect()
}

proptest! {
    #[test]
    fn if_no_one_changed_anything_an_undo_is_exact_and_so_is_its_undo(
        earlier in proptest::collection::vec(acts(false), 0..8),
        ours in proptest::collection::vec(acts(false), 1..12),
    ) {
        let mut world = World::full();
        history(&mut world, &earlier);
        let before = world.contents();
        let touches = history(&mut world, &ours);
        let after = world.contents();
        let (planned, undone) = world.undo(&touches, &Resolutions::default());
        prop_assert_eq!(planned.conflicts, []);
        prop_assert_eq!(world.contents(), before);
        let (planned, _) = world.undo(&undone, &Resolutions::default());
        prop_assert_eq!(planned.conflicts, []);
        prop_assert_eq!(world.contents(), after);
        // What is undone already leaves nothing to do.
        let (planned, _) = world.undo(&undone, &Resolutions::default());
        prop_assert_eq!(planned, Planned::default());
    }

    #[test]
    fn what_others_did_later_is_never_lost(
        ours in proptest::collection::vec(acts(false), 1..8),
        theirs in proptest::collection::vec(acts(false), 1..8),
    ) {
        let mut world = World::full();
        let before = world.clone();
        let touches = history(&mut world, &ours);
        let after = world.clone();
        history(&mut world, &theirs);
        let now = world.clone();
        let (planned, _) = world.undo(&touches, &Resolutions::default());
        for which in 0..4 {
            let [before, after, now, left] =
                [&before, &after, &now, &world].map(|world| world.0.get(&which));
            let told = |field: Option<&str>| planned.conflicts.iter().any(|conflict| {
                conflict.record == fresh(which).id() && conflict.field.as_deref() == field
            });
            let created = before.is_none() && touches.iter().any(|touch| touch.id.as_u128() == which);
            match (after, now) {
                (Some(after), Some(now)) => {
                    let changed = differences(after, now);
                    if created && !changed.is_empty() {
                        prop_assert!(told(None) && left == Some(now), "edited after it was created");
                    }
                    for field in changed {
                        let ours = before.is_some_and(|before| before.get(field) != after.get(field));
                        let back = before.is_some_and(|before| before.get(field) == now.get(field));
                        prop_assert_eq!(left.and_then(|left| left.get(field)), now.get(field), "{}", field);
                        // A field that we set and set back again is in conflict too.
                        prop_assert!(told(Some(field)) || !ours || back, "{}", field);
                        prop_assert!(!told(Some(field)) || !back, "{}", field);
                    }
                }
                (Some(_), None) => prop_assert!(left.is_none(), "it was deleted"),
                (None, Some(now)) => {
                    let differs = before.is_some_and(|before| !differences(before, now).is_empty());
                    prop_assert_eq!(left, Some(now));
                    prop_assert_eq!(told(None), differs, "it exists again");
                }
                (None, None) => prop_assert_eq!(left.is_some(), before.is_some()),
            }
        }
    }

    #[test]
    fn without_a_conflict_only_what_others_did_is_left(
        acts in proptest::collection::vec((any::<bool>(), acts(true)), 1..16),
    ) {
        let (mut world, mut expected) = (World::full(), World::full());
        let mut ours = Vec::new();
        let mut set_by_us = BTreeMap::new();
        for (is_ours, (which, act)) in &acts {
            let Act::Set(field, value) = act else { continue };
            let (field, value) = value_of(&world.0[which], *field, *value);
            if !is_ours && set_by_us.get(&(which, field)) == Some(&value) {
                // A value that they set again looks like ours.
                continue;
            }
            let touched = world.act(*which, act);
            if *is_ours {
                set_by_us.extend(touched.is_some().then_some(((which, field), value)));
                ours.extend(touched);
            } else if touched.is_some() {
                expected.act(*which, act);
            }
        }
        let now = world.clone();
        let (planned, _) = world.undo(&ours, &Resolutions::default());
        for which in 0..4 {
            let [expected, now, left] = [&expected, &now, &world].map(|world| &world.0[&which]);
            for field in left.kind().fields().iter().filter(|field| !is_derived(field)) {
                let is_open = planned.conflicts.iter().any(|conflict| {
                    conflict.record == left.id() && conflict.field.as_deref() == Some(*field)
                });
                let wanted = if is_open { now } else { expected };
                prop_assert_eq!(left.get(field), wanted.get(field), "{}", field);
            }
        }
        // Every conflict can be resolved in each way.
        for resolution in Resolution::ALL {
            let mut resolutions = Resolutions::default();
            for Conflict { record, field, .. } in planned.conflicts.clone() {
                resolutions.resolve(Resolved { record, field, resolution: *resolution });
            }
            let mut world = now.clone();
            let (planned_again, _) = world.undo(&ours, &resolutions);
            prop_assert_eq!(planned_again.conflicts, []);
            for conflict in &planned.conflicts {
                let field = conflict.field.as_deref().expect("a field");
                let id = Kind::of_written_id(&conflict.record).expect("an id").1.as_u128();
                let wanted = match resolution {
                    Resolution::RestoreAnyway => conflict.before.clone(),
                    Resolution::KeepCurrent | Resolution::Skip => now.0[&id].get(field),
                };
                prop_assert_eq!(world.0[&id].get(field), wanted, "{} {}", resolution, field);
            }
        }
    }
}
