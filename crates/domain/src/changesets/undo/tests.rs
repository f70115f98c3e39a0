//! Tests of what an undo does, and of what it leaves to people.

mod histories;
pub(in crate::changesets) mod images;

use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::ids::{Id, UserId};
use crate::members::Member;
use crate::roles::Role;
use crate::second_person::Actor;
use crate::staff::{self, NewStaff, Staff, StaffKind, StaffState};
use crate::teams::Team;
use crate::text::Name;
use crate::time::TimeZoneName;
use crate::venues::{NewVenue, Venue};
use crate::{Moment, Refusal};

fn moment(seed: u128) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), seed << 20)
}

fn name(text: &str) -> Name {
    Name::stored(text.to_owned())
}

fn venue(text: &str) -> Venue {
    Venue::create(&moment(1), NewVenue::new(name(text), TimeZoneName::utc()))
}

fn team(seed: u128, division: &crate::divisions::Division) -> Team {
    let new = crate::teams::NewTeam::new(division.season_id, division.id, name("Eagles"));
    Team::create(&moment(seed), new)
}

fn division(seed: u128) -> crate::divisions::Division {
    let new = crate::divisions::NewDivision::new(moment(seed + 50).id(), name("U12"));
    crate::divisions::Division::create(&moment(seed), new)
}

fn entry_of_staff() -> Staff {
    let actor = Actor { user: Some(user(7)), role: Role::Owner, role_given_by: None };
    let new = NewStaff { user_id: user(8), kind: StaffKind::Coach, starts_on: None, ends_on: None };
    staff::propose(&moment(3), actor, moment(4).id(), &new).expect("an entry")
}

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn touch(before: Option<AnyRecord>, after: Option<AnyRecord>) -> Touch {
    let record = after.as_ref().or(before.as_ref()).expect("a record");
    let (kind, id) = (record.kind(), record.uuid());
    let images = Images::Known { before: before.map(Box::new), after: after.map(Box::new) };
    Touch { kind, id, images }
}

fn done(before: Option<AnyRecord>, after: Option<AnyRecord>) -> Vec<Done> {
    gather([touch(before, after)])
}

#[expect(clippy::unnecessary_wraps, reason = "effects have images that may be missing")]
fn some(record: &(impl Clone + Into<AnyRecord>)) -> Option<AnyRecord> {
    Some(record.clone().into())
}

/// The plan if the only record is as it is now.
fn planned(done: &[Done], now: Option<&AnyRecord>, resolutions: &Resolutions) -> Planned {
    plan(done, |kind, id| now.filter(|now| (now.kind(), now.uuid()) == (kind, id)).cloned(), resolutions)
}

fn resolved(record: &AnyRecord, field: Option<&str>, resolution: Resolution) -> Resolutions {
    let mut resolutions = Resolutions::default();
    resolutions.resolve(Resolved { record: record.id(), field: field.map(str::to_owned), resolution });
    resolutions
}

fn told(planned: &Planned) -> Vec<(&'static str, Option<&str>)> {
    let told = planned.conflicts.iter().map(|conflict| (conflict.kind.name(), conflict.field.as_deref()));
    told.collect()
}

fn set(fields: &Json) -> Map<String, Json> {
    fields.as_object().expect("an object").clone()
}

#[test]
fn a_field_is_set_back_while_it_has_our_value() {
    let before = venue("Oval");
    let after = Venue { name: name("Park"), fields: vec![name("1")], ..before.clone() };
    let done = done(some(&before), some(&after));
    assert_eq!(done[0].fields, ["name", "fields"]);
    let other = Venue { latitude: Some(1.0), ..after.clone() };
    let plan = planned(&done, some(&other).as_ref(), &Resolutions::default());
    let step = Step::Update { record: other.into(), set: set(&json!({ "name": "Oval", "fields": [] })) };
    assert_eq!((plan.steps, plan.conflicts.len()), (vec![step], 0), "another field keeps its later value");

    let back = Venue { name: name("Oval"), ..after.clone() };
    let plan = planned(&done, some(&back).as_ref(), &Resolutions::default());
    let step = Step::Update { record: back.into(), set: set(&json!({ "fields": [] })) };
    assert_eq!((plan.steps, plan.conflicts.len()), (vec![step], 0));
    let plan = planned(&done, some(&before).as_ref(), &Resolutions::default());
    assert_eq!(plan, Planned::default());
}

#[test]
fn a_field_that_someone_has_changed_since_is_left_to_people() {
    let before = venue("Oval");
    let after = Venue { name: name("Park"), latitude: Some(1.0), ..before.clone() };
    let now: AnyRecord = Venue { name: name("Arena"), ..after.clone() }.into();
    let done = done(some(&before), some(&after));
    let plan = |resolutions: &Resolutions| planned(&done, Some(&now), resolutions);
    let open = plan(&Resolutions::default());
    assert_eq!(told(&open), [("field_changed", Some("name"))]);
    let Conflict { before, ours, theirs, record, .. } = &open.conflicts[0];
    let values = [before, ours, theirs].map(|value| value.clone().unwrap_or_default());
    assert_eq!((values, record), ([json!("Oval"), json!("Park"), json!("Arena")], &now.id()));

    let expect = |resolution, field, fields: &Json, overrides| {
        let plan = plan(&resolved(&now, field, resolution));
        let step = Step::Update { record: now.clone(), set: set(fields) };
        assert_eq!(plan, Planned { steps: vec![step], conflicts: Vec::new(), overrides });
    };
    for field in [None, Some("name")] {
        expect(Resolution::KeepCurrent, field, &json!({ "latitude": null }), false);
        let all = json!({ "name": "Oval", "latitude": null });
        expect(Resolution::RestoreAnyway, field, &all, true);
        assert_eq!(plan(&resolved(&now, field, Resolution::Skip)), Planned::default());
    }
    let elsewhere = resolved(&now, Some("latitude"), Resolution::KeepCurrent);
    assert_eq!(told(&plan(&elsewhere)), [("field_changed", Some("name"))]);
}

#[test]
fn a_created_record_is_deleted_unless_someone_has_changed_it() {
    let (made, renamed) = (venue("Oval"), Venue { name: name("Park"), ..venue("Oval") });
    let done = done(None, some(&made));
    let plan = |now: Option<&AnyRecord>, resolutions: &Resolutions| planned(&done, now, resolutions);
    assert_eq!(plan(None, &Resolutions::default()), Planned::default(), "gone already");
    let touched = Venue { version: 5, ..made.clone() };
    let plan_now = plan(some(&touched).as_ref(), &Resolutions::default());
    assert_eq!(plan_now.steps, [Step::Delete(touched.into())]);
    let now = some(&renamed);
    assert_eq!(told(&plan(now.as_ref(), &Resolutions::default())), [("edited_after_create", None)]);
    let record: AnyRecord = renamed.into();
    for (resolution, deletes) in
        [(Resolution::KeepCurrent, false), (Resolution::Skip, false), (Resolution::RestoreAnyway, true)]
    {
        let plan = plan(now.as_ref(), &resolved(&record, None, resolution));
        assert_eq!((plan.steps.len() == 1, plan.overrides), (deletes, deletes), "{resolution}");
        assert_eq!(plan.conflicts.len(), 0);
    }
}

#[test]
fn a_deleted_record_comes_back_unless_it_exists_again() {
    let before = Venue { version: 3, ..venue("Oval") };
    let done = done(some(&before), None);
    let plan = |now: Option<&AnyRecord>, resolutions: &Resolutions| planned(&done, now, resolutions);
    let record: AnyRecord = before.clone().into();
    assert_eq!(plan(None, &Resolutions::default()).steps, [Step::Restore(record.clone())]);
    assert_eq!(plan(None, &resolved(&record, None, Resolution::Skip)), Planned::default());
    let same = Venue { version: 5, ..before.clone() };
    assert_eq!(plan(some(&same).as_ref(), &Resolutions::default()), Planned::default());
    let other = Venue { name: name("Park"), ..same };
    let now = some(&other);
    assert_eq!(told(&plan(now.as_ref(), &Resolutions::default())), [("recreated", None)]);
    let anyway = plan(now.as_ref(), &resolved(&record, None, Resolution::RestoreAnyway));
    assert_eq!(anyway.steps, [Step::Update { record: other.into(), set: set(&json!({ "name": "Oval" })) }]);
    assert_eq!(plan(now.as_ref(), &resolved(&record, None, Resolution::KeepCurrent)), Planned::default());
}

#[test]
fn what_cannot_be_restored_is_never_restored_anyway() {
    let (before, after) = (venue("Oval"), Venue { name: name("Park"), ..venue("Oval") });
    let record: AnyRecord = before.clone().into();
    let of_gone = done(some(&before), some(&after));
    let lost = |lost| gather([Touch { kind: Kind::Venue, id: record.uuid(), images: Images::Lost(lost) }]);
    for (done, kind) in [
        (of_gone, "deleted_after"),
        (lost(Lost::Erased), "content_erased"),
        (lost(Lost::Unreadable), "invariant"),
    ] {
        assert_eq!(told(&planned(&done, None, &Resolutions::default())), [(kind, None)]);
        let anyway = planned(&done, None, &resolved(&record, None, Resolution::RestoreAnyway));
        assert_eq!((told(&anyway), anyway.steps.len()), (vec![(kind, None)], 0));
        assert_eq!(planned(&done, None, &resolved(&record, None, Resolution::Skip)), Planned::default());
        let kept = planned(&done, None, &resolved(&record, None, Resolution::KeepCurrent));
        assert_eq!(kept.conflicts.is_empty(), kind != "content_erased", "{kind}");
    }
}

#[test]
fn a_confirmation_is_never_set_back() {
    let proposed = entry_of_staff();
    let confirmed = Staff {
        state: StaffState::Confirmed,
        confirmed_by: Some(user(9)),
        confirmed_at: Some(moment(0).now()),
        ..proposed.clone()
    };
    let record: AnyRecord = confirmed.clone().into();
    let of_confirmation = done(some(&proposed), some(&confirmed));
    let open = planned(&of_confirmation, Some(&record), &Resolutions::default());
    assert_eq!((told(&open), open.steps.len()), (vec![("invariant", Some("state"))], 0));
    assert!(open.conflicts[0].why.contains("remove the entry instead"), "{}", open.conflicts[0].why);
    let kept = planned(&of_confirmation, Some(&record), &resolved(&record, None, Resolution::KeepCurrent));
    assert_eq!(kept, Planned::default());

    // A removed entry comes back without its confirmation, and then is as it was.
    let removed = done(some(&confirmed), None);
    let back: AnyRecord = proposed.into();
    assert_eq!(planned(&removed, Some(&back), &Resolutions::default()), Planned::default());
}

#[test]
fn fields_that_follow_from_others_are_never_set() {
    let before = Member::new(&moment(5), user(1), Role::Coach);
    let now = moment(6).now();
    let after = Member {
        role: Role::Manager,
        role_given_by: Some(user(2)),
        suspended_at: Some(now),
        ..before.clone()
    };
    let done = done(some(&before), some(&after));
    assert_eq!(done[0].fields, ["role", "role_given_by", "suspended_at"]);
    let plan = planned(&done, some(&after).as_ref(), &Resolutions::default());
    let fields = json!({ "role": "coach", "suspended": false });
    assert_eq!(plan.steps, [Step::Update { record: after.clone().into(), set: set(&fields) }]);
    let redone = gather([touch(some(&after), some(&before))]);
    let plan = planned(&redone, some(&before).as_ref(), &Resolutions::default());
    let fields = json!({ "role": "manager", "suspended": true });
    assert_eq!(plan.steps, [Step::Update { record: before.into(), set: set(&fields) }]);
    assert_eq!(planned(&redone, some(&after).as_ref(), &Resolutions::default()), Planned::default());
}

#[test]
fn several_effects_on_a_record_are_one() {
    let [first, second, third] = ["Oval", "Park", "Arena"].map(venue);
    let id = first.id;
    let [second, third] = [second, third].map(|venue| Venue { id, ..venue });
    let chain = gather([touch(some(&first), some(&second)), touch(some(&second), some(&third))]);
    assert_eq!((chain.len(), &chain[0].before, &chain[0].after), (1, &some(&first), &some(&third)));
    assert_eq!((&chain[0].fields, chain[0].edited), (&vec!["name"], false));
    assert_eq!(gather([touch(None, some(&first)), touch(some(&first), None)]), []);

    // Between two of our changes, someone else changed the same field, or another one.
    let [other, moved] =
        [Venue { name: name("Theirs"), ..first.clone() }, Venue { latitude: Some(1.0), ..second.clone() }];
    let over = gather([touch(some(&first), some(&second)), touch(some(&other), some(&third))]);
    let plan = planned(&over, some(&third).as_ref(), &Resolutions::default());
    let step = Step::Update { record: third.clone().into(), set: set(&json!({ "name": "Theirs" })) };
    assert_eq!((plan.steps, plan.conflicts.len()), (vec![step], 0), "what they had set before we did again");
    let kept = Venue { latitude: Some(1.0), ..other.clone() };
    let crossed = gather([touch(some(&first), some(&second)), touch(some(&other), some(&kept))]);
    let plan = planned(&crossed, some(&kept).as_ref(), &Resolutions::default());
    let step = Step::Update { record: kept.into(), set: set(&json!({ "latitude": null })) };
    assert_eq!(told(&plan), [("field_changed", Some("name"))]);
    assert_eq!(plan.steps, [step]);
    assert_eq!(plan.conflicts[0].theirs, Some(json!("Theirs")));
    let removed = gather([touch(some(&first), some(&second)), touch(some(&other), None)]);
    assert_eq!(told(&planned(&removed, None, &Resolutions::default())), [("field_changed", Some("name"))]);
    let removed = gather([touch(some(&first), some(&second)), touch(some(&moved), None)]);
    let plan = planned(&removed, None, &Resolutions::default());
    let wanted = Venue { latitude: Some(1.0), ..first.clone() };
    assert_eq!(plan.steps, [Step::Restore(wanted.into())], "their field as they left it");
    let created = gather([touch(None, some(&first)), touch(some(&moved), some(&third))]);
    let plan = planned(&created, some(&third).as_ref(), &Resolutions::default());
    assert_eq!(told(&plan), [("edited_after_create", None)]);
}

#[test]
fn a_restored_record_follows_the_version_of_its_deletion() {
    let first = venue("Oval");
    let second = Venue { name: name("Park"), version: 2, ..first.clone() };
    let done = gather([touch(some(&first), some(&second)), touch(some(&second), None)]);
    let wanted = Venue { version: 2, ..first };
    assert_eq!(planned(&done, None, &Resolutions::default()).steps, [Step::Restore(wanted.into())]);
}

#[test]
fn what_refers_to_a_record_comes_back_after_it_and_goes_before_it() {
    let (division, other) = (division(1), division(2));
    let eagles = team(3, &division);
    let moved = Team { division_id: other.id, ..eagles.clone() };
    let kinds = |planned: &Planned| {
        let step = |step: &Step| match step {
            Step::Delete(record) => format!("delete {}", record.kind()),
            Step::Update { record, .. } => format!("update {}", record.kind()),
            Step::Restore(record) => format!("restore {}", record.kind()),
        };
        planned.steps.iter().map(step).collect::<Vec<_>>()
    };
    let plan = |touches: Vec<Touch>, now: &[AnyRecord]| {
        let find = |kind: Kind, id: Uuid| {
            now.iter().find(|record| (record.kind(), record.uuid()) == (kind, id)).cloned()
        };
        super::plan(&gather(touches), find, &Resolutions::default())
    };
    // In whatever order the ledger has them.
    for order in [[0, 1], [1, 0]] {
        let deleted = [touch(some(&eagles), None), touch(some(&division), None)];
        let back = plan(order.map(|at| deleted[at].clone()).into(), &[]);
        assert_eq!(kinds(&back), ["restore division", "restore team"]);
        let created = [touch(None, some(&division)), touch(None, some(&eagles))];
        let now = [division.clone().into(), eagles.clone().into()];
        let gone = plan(order.map(|at| created[at].clone()).into(), &now);
        assert_eq!(kinds(&gone), ["delete team", "delete division"]);
        let replaced = [touch(some(&eagles), some(&moved)), touch(some(&division), None)];
        let back = plan(order.map(|at| replaced[at].clone()).into(), &[moved.clone().into()]);
        assert_eq!(kinds(&back), ["restore division", "update team"]);
        let replaced = [touch(some(&eagles), some(&moved)), touch(None, some(&other))];
        let now = [moved.clone().into(), other.clone().into()];
        let back = plan(order.map(|at| replaced[at].clone()).into(), &now);
        assert_eq!(kinds(&back), ["update team", "delete division"]);
    }
    // Without a reference, the reverse order stays: a name becomes free before it is taken again.
    let (old, new) = (venue("Oval"), Venue { id: moment(9).id(), ..venue("Oval") });
    let swapped = plan(vec![touch(some(&old), None), touch(None, some(&new))], &[new.into()]);
    assert_eq!(kinds(&swapped), ["delete venue", "restore venue"]);
    // Staff refer to a member by the user.
    let staff = entry_of_staff();
    let member = Member::new(&moment(5), staff.user_id, Role::Coach);
    let back = plan(vec![touch(some(&member), None), touch(some(&staff), None)], &[]);
    assert_eq!(kinds(&back), ["restore member", "restore staff"]);
}

#[test]
fn other_kinds_make_an_entry_not_undoable() {
    use Kind::{ApiKey, Duty, Game, Member, Relation, Season, Session};
    for (kinds, expected) in [
        (&CHANGEABLE[..], &[][..]),
        (&[Season, Relation, Game, Relation], &[Relation]),
        (&[Session, ApiKey], &[Session, ApiKey]),
        (&[Session, Member, ApiKey], &[]),
        (&[Member, Session, Duty], &[Duty]),
    ] {
        assert_eq!(foreign(kinds), expected, "{kinds:?}");
    }
}

#[test]
fn each_conflict_permits_some_resolution() {
    for kind in ConflictKind::ALL {
        assert!(kind.permits(Resolution::Skip), "{kind}");
        let anyway = ["field_changed", "edited_after_create", "recreated"].contains(&kind.name());
        assert_eq!(kind.permits(Resolution::RestoreAnyway), anyway, "{kind}");
        let keep = !["content_erased", "parent_missing"].contains(&kind.name());
        assert_eq!(kind.permits(Resolution::KeepCurrent), keep, "{kind}");
    }
}

#[test]
fn a_refused_step_is_a_conflict() {
    let step = Step::Restore(venue("Oval").into());
    for (refusal, kind) in [
        (Refusal::InUse("1 game refers to it".to_owned()), "has_dependents"),
        (Refusal::Duplicate("taken".to_owned()), "unique_taken"),
        (Refusal::NotFound, "parent_missing"),
        (Refusal::missing("/team_id"), "parent_missing"),
        (Refusal::missing("/child_id"), "content_erased"),
        (Refusal::LastOwner, "invariant"),
    ] {
        let conflict = Conflict::refused(&step, &refusal);
        assert_eq!((conflict.kind.name(), conflict.resource), (kind, Kind::Venue), "{refusal}");
        let json = serde_json::to_value(&conflict).expect("JSON");
        assert_eq!(serde_json::from_value::<Conflict>(json).ok(), Some(conflict));
    }
    assert_eq!(Conflict::taken(&step).kind, ConflictKind::UniqueTaken);
}
