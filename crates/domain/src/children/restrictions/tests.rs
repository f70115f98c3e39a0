//! Tests of who enters and lifts restrictions, and of what they close.

use uuid::Uuid;

use super::*;
use crate::ids::Id as _;
use crate::roles::Role;

const LEAD: u128 = 1;
const PARENT: u128 = 2;

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn actor(number: u128) -> Actor {
    Actor { user: Some(user(number)), role: Role::Manager, role_given_by: None }
}

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn wanted(user_id: Option<UserId>, classes: &[DataClass]) -> NewRestriction {
    NewRestriction {
        user_id,
        classes: classes.to_vec(),
        kind: RestrictionKind::CustodyOrder,
        reason: Reason::parse("Family court").expect("a reason"),
        document_ref: None,
        starts_at: None,
    }
}

fn entered(new: &NewRestriction) -> Restriction {
    enter(&at(0), actor(LEAD), at(0).id(), new, true).expect("a restriction")
}

#[test]
fn a_restriction_closes_its_classes_to_its_person_until_it_is_lifted() {
    let one = entered(&wanted(Some(user(PARENT)), &[DataClass::Contact]));
    assert_eq!((one.entered_by, one.starts_at), (Some(user(LEAD)), at(0).now()));
    let everyone = entered(&wanted(None, &[]));
    for (restriction, number, class, expected) in [
        (&one, PARENT, DataClass::Contact, true),
        (&one, PARENT, DataClass::Medical, false),
        (&one, LEAD, DataClass::Contact, false),
        (&everyone, PARENT, DataClass::Roster, true),
        (&everyone, LEAD, DataClass::Performance, true),
    ] {
        assert_eq!(restriction.closes(class, user(number), at(0).now()), expected, "{number} {class}");
        assert!(!restriction.closes(class, user(number), at(-1).now()), "before it starts");
        let lifted = lift(&at(1), actor(LEAD), restriction).expect("lifted");
        assert_eq!((lifted.lifted_at, lifted.lifted_by), (Some(at(1).now()), Some(user(LEAD))));
        assert!(!lifted.closes(class, user(number), at(2).now()), "after it was lifted");
        assert!(matches!(lift(&at(2), actor(LEAD), &lifted), Err(Refusal::State(_))), "again");
    }
}

#[test]
fn no_one_lifts_what_restricts_themselves() {
    let own = entered(&wanted(Some(user(PARENT)), &[]));
    assert_eq!(lift(&at(1), actor(PARENT), &own), Err(Refusal::SelfGrant));
}

#[test]
fn the_person_must_be_known_and_each_class_named_once() {
    let new = wanted(Some(user(PARENT)), &[DataClass::Contact, DataClass::Roster, DataClass::Contact]);
    let Err(Refusal::Invalid(errors)) = enter(&at(0), actor(LEAD), at(0).id(), &new, false) else {
        panic!("refused")
    };
    let errors: Vec<_> = errors.iter().map(|error| (error.pointer.as_str(), error.code)).collect();
    assert_eq!(errors, [("/user_id", "not_found"), ("/classes/2", "duplicate")]);
    assert!(!format!("{new:?}").contains("court"), "the reason is never printed");
}

#[test]
fn an_order_may_be_entered_after_its_date_or_before_it() {
    for hours in [-1000, 1000] {
        let new = NewRestriction { starts_at: Some(at(hours).now()), ..wanted(None, &[]) };
        assert_eq!(entered(&new).starts_at, at(hours).now());
    }
}
