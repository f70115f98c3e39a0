//! Tests of who may propose, change and confirm staff.

use jiff::civil::date;

use super::*;

const PROPOSER: u128 = 1;
const COACH: u128 = 9;

fn user(number: u128) -> UserId {
    use crate::ids::Id;
    UserId::from_uuid(uuid::Uuid::from_u128(number))
}

fn actor(number: u128, role: Role, role_given_by: Option<u128>) -> Actor {
    Actor { user: Some(user(number)), role, role_given_by: role_given_by.map(user) }
}

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn proposed() -> Staff {
    let moment = at(0);
    let new = NewStaff::new(user(COACH), StaffKind::Coach);
    propose(&moment, actor(PROPOSER, Role::Manager, None), moment.id(), &new).expect("a proposal")
}

#[test]
fn no_one_adds_or_changes_themselves() {
    let themselves = actor(COACH, Role::Owner, None);
    let new = NewStaff::new(user(COACH), StaffKind::Coach);
    assert_eq!(propose(&at(0), themselves, at(0).id(), &new), Err(Refusal::SelfGrant));
    assert_eq!(changed(&at(0), themselves, &proposed(), ChangeStaff::default()), Err(Refusal::SelfGrant));
    assert_eq!(confirmed(&at(99), themselves, &proposed(), false), Err(Refusal::SelfGrant));
}

#[test]
fn a_second_person_confirms() {
    for (who, others, hours, alone) in [
        (actor(2, Role::Manager, None), true, 0, false),
        (actor(PROPOSER, Role::Owner, None), false, 24, true),
    ] {
        let staff = confirmed(&at(hours), who, &proposed(), others).expect("confirmed");
        assert_eq!((staff.state, staff.confirmed_by), (StaffState::Confirmed, who.user));
        assert_eq!(staff.confirmed_alone, alone);
        let again = confirmed(&at(hours), who, &staff, others);
        assert!(matches!(again, Err(Refusal::State(_))), "{again:?}");
    }
    let refused = confirmed(&at(0), actor(PROPOSER, Role::Manager, None), &proposed(), true);
    assert_eq!(refused, Err(Refusal::SamePerson { role: Role::Manager, alone_from: None }));
}

#[test]
fn a_longer_period_has_to_be_confirmed_again() {
    let (first, last) = (date(2026, 4, 1), date(2026, 9, 1));
    let limited = Staff { starts_on: Some(first), ends_on: Some(last), ..proposed() };
    let open = confirmed(&at(0), actor(2, Role::Admin, None), &limited, true).expect("confirmed");
    let other = actor(3, Role::Manager, None);
    let after = |starts_on, ends_on| {
        let change = ChangeStaff { starts_on, ends_on, ..ChangeStaff::default() };
        changed(&at(5), other, &open, change).expect("a change")
    };
    let day = |day: Date, by: i64| Some(Some(day.saturating_add(jiff::Span::new().days(by))));
    for (starts_on, ends_on, stays) in [
        (None, None, true),
        (day(first, 1), day(last, -1), true),
        (day(first, -1), None, false),
        (None, day(last, 1), false),
        (Some(None), None, false),
        (None, Some(None), false),
    ] {
        let after = after(starts_on, ends_on);
        assert_eq!(after.state == StaffState::Confirmed, stays, "{starts_on:?} {ends_on:?}");
        let proposer = if stays { open.proposed_by } else { other.user };
        assert_eq!((after.proposed_by, after.confirmed_by.is_some()), (proposer, stays));
    }
    let kind = ChangeStaff { kind: Some(StaffKind::HeadCoach), ..ChangeStaff::default() };
    assert_eq!(changed(&at(5), other, &open, kind).expect("a change").state, StaffState::Confirmed);
    let wrong = ChangeStaff { ends_on: day(first, -1), ..ChangeStaff::default() };
    assert!(matches!(changed(&at(5), other, &open, wrong), Err(Refusal::Invalid(_))));
}

#[test]
fn an_entry_is_open_from_its_first_day_to_its_last() {
    let (first, last) = (date(2026, 4, 1), date(2026, 9, 1));
    let open =
        Staff { state: StaffState::Confirmed, starts_on: Some(first), ends_on: Some(last), ..proposed() };
    let yesterday = first.yesterday().expect("a day");
    for (day, is_open) in
        [(yesterday, false), (first, true), (last, true), (last.tomorrow().expect("a day"), false)]
    {
        assert_eq!(open.is_open_on(day), is_open, "{day}");
        assert!(!Staff { state: StaffState::Proposed, ..open.clone() }.is_open_on(day), "not confirmed");
    }
    assert_eq!(open.state_on(last.tomorrow().expect("a day")), StaffState::Ended);
    let over = ended(&open).expect("it ends");
    assert_eq!((over.state, ended(&over)), (StaffState::Ended, None));
    let refused = changed(&at(5), actor(3, Role::Manager, None), &over, ChangeStaff::default());
    assert!(matches!(refused, Err(Refusal::State(_))));
}
