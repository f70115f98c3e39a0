//! Tests of who opens, confirms and closes safeguarding cases.

use uuid::Uuid;

use super::*;
use crate::ids::Id as _;

const LEAD: u128 = 1;
const OTHER_LEAD: u128 = 2;
const ADMIN: u128 = 3;

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn actor(number: u128, role: Role) -> Actor {
    Actor { user: Some(user(number)), role, role_given_by: None }
}

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn wanted(leads: &[u128]) -> NewSafeguardingCase {
    NewSafeguardingCase {
        title: Name::parse("Tournament in May").expect("a name"),
        child_ids: vec![at(0).id()],
        lead_ids: leads.iter().map(|lead| user(*lead)).collect(),
    }
}

fn proposed(leads: &[u128]) -> SafeguardingCase {
    let named = Named { children: vec![true], leads: vec![true; leads.len()] };
    open(&at(0), actor(LEAD, Role::Member), &wanted(leads), &named).expect("a case")
}

#[test]
fn a_case_is_open_from_its_confirmation_for_ninety_days_and_can_be_confirmed_again() {
    let case = proposed(&[]);
    assert_eq!((case.state, case.lead_ids.as_slice()), (CaseState::Proposed, &[user(LEAD)][..]));
    assert!(!case.is_open_at(at(0).now()));
    let open = confirmed(&at(1), actor(ADMIN, Role::Admin), &case, true).expect("confirmed");
    assert_eq!((open.confirmed_by, open.confirmed_alone), (Some(user(ADMIN)), false));
    let last = 1 + 90 * 24;
    for (hours, state) in [(1, CaseState::Open), (last - 1, CaseState::Open), (last, CaseState::Ended)] {
        assert_eq!(open.state_at(at(hours).now()), state, "{hours}");
        assert_eq!(open.is_open_at(at(hours).now()), state == CaseState::Open);
    }
    let again = confirmed(&at(last), actor(ADMIN, Role::Admin), &open, true).expect("confirmed again");
    assert!(again.is_open_at(at(last + 1).now()));
    let close = CloseSafeguardingCase { note: None };
    let closed = closed(&at(last + 1), actor(OTHER_LEAD, Role::Member), &again, &close).expect("closed");
    assert_eq!((closed.state, closed.closed_by), (CaseState::Closed, Some(user(OTHER_LEAD))));
    assert!(!closed.is_open_at(at(last + 1).now()));
    assert!(matches!(
        super::closed(&at(0), actor(LEAD, Role::Member), &closed, &close),
        Err(Refusal::State(_))
    ));
    assert!(matches!(confirmed(&at(0), actor(ADMIN, Role::Admin), &closed, true), Err(Refusal::State(_))));
}

#[test]
fn who_proposed_it_or_works_on_it_is_no_second_person() {
    let case = proposed(&[LEAD, OTHER_LEAD]);
    let same = |alone_from| Err(Refusal::SamePerson { role: Role::Admin, alone_from });
    let alone = Some(at(24).now());
    for (who, others, hours, expected) in [
        (actor(ADMIN, Role::Admin), true, 0, Ok(false)),
        (actor(LEAD, Role::Owner), true, 99, same(None)),
        (actor(OTHER_LEAD, Role::Owner), true, 99, Err(Refusal::SelfGrant)),
        (actor(LEAD, Role::Owner), false, 23, same(alone)),
        (actor(LEAD, Role::Admin), false, 24, same(alone)),
        (actor(LEAD, Role::Owner), false, 24, Ok(true)),
        (actor(OTHER_LEAD, Role::Owner), false, 24, Ok(true)),
    ] {
        let result = confirmed(&at(hours), who, &case, others).map(|case| case.confirmed_alone);
        assert_eq!(result, expected, "{who:?} after {hours} hours, others: {others}");
    }
}

#[test]
fn every_mistake_is_named() {
    let twice = NewSafeguardingCase {
        child_ids: vec![at(0).id(); 2],
        lead_ids: vec![user(LEAD), user(LEAD)],
        ..wanted(&[])
    };
    let named = Named { children: vec![true, false], leads: vec![false, true] };
    let Err(Refusal::Invalid(errors)) = open(&at(0), actor(LEAD, Role::Member), &twice, &named) else {
        panic!("refused")
    };
    let errors: Vec<_> = errors.iter().map(|error| (error.pointer.as_str(), error.code)).collect();
    let expected =
        [("/child_ids/1", "not_found"), ("/lead_ids/1", "duplicate"), ("/lead_ids/0", "not_eligible")];
    for error in expected {
        assert!(errors.contains(&error), "{error:?} in {errors:?}");
    }
    let empty = NewSafeguardingCase { child_ids: Vec::new(), ..wanted(&[]) };
    let none = Named { children: Vec::new(), leads: Vec::new() };
    assert!(matches!(open(&at(0), actor(LEAD, Role::Member), &empty, &none), Err(Refusal::Invalid(_))));
    assert!(!format!("{empty:?}").contains("Tournament"), "the title is never printed");
}
