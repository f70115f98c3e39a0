//! Tests of who is in a team on which days.

use jiff::Span;
use jiff::civil::date;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::effects::AnyRecord;
use crate::ids::Id as _;

const TODAY: Date = date(2026, 11, 22);

fn day(offset: i64) -> Date {
    TODAY.saturating_add(Span::new().days(offset))
}

fn moment(seed: u128) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), seed)
}

fn team() -> TeamId {
    TeamId::from_uuid(Uuid::nil())
}

fn wanted(starts: Option<i64>, ends: Option<i64>) -> NewRosterEntry {
    NewRosterEntry {
        child_id: ChildId::from_uuid(Uuid::nil()),
        jersey_number: Some(7),
        position: None,
        starts_on: starts.map(day),
        ends_on: ends.map(day),
    }
}

fn accepted(entries: &[RosterEntry]) -> Facts<'_> {
    Facts { is_known: true, registration: Some(RegistrationStatus::Accepted), entries }
}

fn entry(starts: i64, ends: Option<i64>) -> RosterEntry {
    add(&moment(1), TODAY, team(), &wanted(Some(starts), ends), &accepted(&[])).expect("an entry")
}

fn to_end(ends: Option<i64>) -> ChangeRosterEntry {
    ChangeRosterEntry { ends_on: Some(ends.map(day)), ..ChangeRosterEntry::default() }
}

fn errors(result: Result<RosterEntry, Refusal>) -> Vec<(String, &'static str)> {
    match result {
        Err(Refusal::Invalid(errors)) => errors.into_iter().map(|it| (it.pointer, it.code)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_a_child_who_is_accepted_for_the_season_is_added() {
    for (is_known, registration, expected) in [
        (true, Some(RegistrationStatus::Accepted), None),
        (true, Some(RegistrationStatus::Applied), Some("not_accepted")),
        (true, Some(RegistrationStatus::Withdrawn), Some("not_registered")),
        (true, None, Some("not_registered")),
        (false, Some(RegistrationStatus::Accepted), Some("not_found")),
    ] {
        let facts = Facts { is_known, registration, entries: &[] };
        let result = add(&moment(1), TODAY, team(), &wanted(None, None), &facts);
        match expected {
            None => assert_eq!(result.expect("an entry").starts_on, TODAY),
            Some(code) => assert_eq!(errors(result), [("/child_id".to_owned(), code)]),
        }
    }
    let hidden = Facts { is_known: false, ..accepted(&[]) };
    let wrong = [("/child_id".to_owned(), "not_found"), ("/ends_on".to_owned(), "before_start")];
    assert_eq!(
        errors(add(&moment(1), TODAY, team(), &wanted(None, Some(-1)), &hidden)),
        wrong,
        "all at once"
    );
    assert!(!format!("{:?}", wanted(None, None)).contains('7'), "numbers are never printed");
}

#[test]
fn an_entry_ends_yesterday_at_the_earliest_and_not_before_its_start() {
    let at = |code| Some(("/ends_on", code));
    for (starts, ends, expected) in [
        (-5, Some(-1), None),
        (-5, Some(-2), at("in_the_past")),
        (-5, Some(0), None),
        (-5, None, None),
        (0, Some(-1), None),
        (0, Some(-2), at("in_the_past")),
        (3, Some(2), at("before_start")),
        (3, Some(-1), at("before_start")),
        (1, Some(0), at("before_start")),
        (3, Some(3), None),
    ] {
        let result = changed(TODAY, &entry(starts, None), to_end(ends), &[]);
        if let Some((pointer, code)) = expected {
            assert_eq!(errors(result), [(pointer.to_owned(), code)], "{starts} {ends:?}");
            continue;
        }
        let after = result.expect("a change");
        assert_eq!(after.ends_on, ends.map(day));
        assert_eq!(after.is_open_on(TODAY), starts <= 0 && ends != Some(-1), "{starts} {ends:?}");
    }
}

#[test]
fn days_that_are_over_stay_as_they_are() {
    let to_start =
        |starts| ChangeRosterEntry { starts_on: Some(day(starts)), ..ChangeRosterEntry::default() };
    for (starts, new, expected) in [
        (-1, -2, Some("has_begun")),
        (0, 1, Some("has_begun")),
        (0, 0, None),
        (2, -1, Some("in_the_past")),
        (2, 0, None),
        (2, 9, None),
    ] {
        let result = changed(TODAY, &entry(starts, None), to_start(new), &[]);
        match expected {
            None => assert_eq!(result.expect("a change").starts_on, day(new)),
            Some(code) => assert_eq!(errors(result), [("/starts_on".to_owned(), code)], "{starts} {new}"),
        }
    }
    for change in [to_end(None), to_end(Some(9)), ChangeRosterEntry::default()] {
        let refused = changed(TODAY, &entry(-5, Some(-1)), change, &[]);
        assert_eq!(refused, Err(Refusal::State("the entry has ended; add a new one".to_owned())));
    }
    let change = ChangeRosterEntry { jersey_number: Some(None), ..ChangeRosterEntry::default() };
    let before = entry(-5, Some(3));
    let after = changed(TODAY, &before, change, std::slice::from_ref(&before)).expect("a change");
    assert_eq!(after.changed(&before), ["jersey_number"]);
}

#[test]
fn an_entry_that_has_begun_is_ended_and_not_deleted() {
    assert_eq!(refuse_removal(TODAY, &entry(1, None)), Ok(()));
    let why = "the entry has begun and stays in the history. To end it at once, set ends_on to 2026-11-21";
    for starts in [0, -9] {
        assert_eq!(refuse_removal(TODAY, &entry(starts, None)), Err(Refusal::State(why.to_owned())));
    }
}

#[test]
fn a_child_who_leaves_is_in_no_team_from_that_moment() {
    for (starts, ends, expected) in [
        (-5, None, Some(Some(-1))),
        (-5, Some(4), Some(Some(-1))),
        (0, Some(0), Some(Some(-1))),
        (-5, Some(-1), None),
        (-5, Some(-3), None),
        (3, None, Some(None)),
    ] {
        let after = left(&moment(2), TODAY, &entry(starts, ends)).map(|effect| match effect.after {
            Some(AnyRecord::RosterEntry(entry)) => entry.ends_on,
            None => None,
            other => panic!("{other:?}"),
        });
        assert_eq!(after, expected.map(|last| last.map(day)), "{starts} {ends:?}");
    }
}

proptest! {
    #[test]
    fn a_child_is_in_a_team_by_one_entry_on_each_day(
        steps in proptest::collection::vec(
            (0..4_u8, -6..6_i64, proptest::option::of(-6..6_i64), any::<proptest::sample::Index>()), 1..16
        )
    ) {
        let mut entries: Vec<RosterEntry> = Vec::new();
        for (seed, (step, starts, ends, which)) in (1..).zip(steps) {
            // A day passes with each step.
            let today = day(i64::try_from(seed).expect("a day"));
            let at = |offset: i64| today.saturating_add(Span::new().days(offset));
            let open_before: Vec<_> = days().map(|day| is_open(&entries, day)).collect();
            if step == 0 || entries.is_empty() {
                let mut new = wanted(None, None);
                (new.starts_on, new.ends_on) = (Some(at(starts.max(0))), ends.map(at));
                entries.extend(add(&moment(seed), today, team(), &new, &accepted(&entries)));
            } else {
                let index = which.index(entries.len());
                let entry = entries[index].clone();
                if step == 1 {
                    if refuse_removal(today, &entry).is_ok() {
                        entries.remove(index);
                    }
                } else {
                    let starts_on = (step == 3).then(|| at(starts));
                    let change = ChangeRosterEntry { starts_on, ends_on: Some(ends.map(at)), ..Default::default() };
                    if let Ok(after) = changed(today, &entry, change, &entries) {
                        entries[index] = after;
                    }
                }
            }
            for (day, before) in days().zip(open_before) {
                let open = entries.iter().filter(|entry| entry.is_open_on(day)).count();
                prop_assert!(open <= 1, "{day}: {open} entries");
                prop_assert!(day >= today || is_open(&entries, day) == before, "{day} is over on {today}");
            }
        }
    }
}

/// The days around the test.
fn days() -> impl Iterator<Item = Date> {
    (-8..32).map(day)
}

fn is_open(entries: &[RosterEntry], day: Date) -> bool {
    entries.iter().any(|entry| entry.is_open_on(day))
}
