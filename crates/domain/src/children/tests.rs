//! Tests of the records of a child, its age and its date of birth.

use jiff::civil::date;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::effects::AnyRecord;
use crate::ids::Id as _;
use crate::record::Shared;

const TODAY: Date = date(2026, 11, 22);

fn moment() -> Moment {
    Moment::new(Timestamp::UNIX_EPOCH, 1)
}

fn born(birth_date: Date) -> NewPerson {
    NewPerson {
        display_name: Name::stored("Kim K.".to_owned()),
        birth_date,
        legal_first_name: None,
        legal_last_name: None,
        pronouns: None,
        season_id: None,
    }
}

/// A child and its identity.
fn created(birth_date: Date) -> (Child, ChildIdentity) {
    let (child, effects) = create(&moment(), TODAY, &born(birth_date), None).expect("a child");
    let identity = effects.into_iter().find_map(|effect| match effect.after {
        Some(AnyRecord::ChildIdentity(identity)) => Some(Shared::into_record(identity)),
        _ => None,
    });
    (child, identity.expect("an identity"))
}

fn code<T>(result: Result<T, Refusal>) -> Option<(String, &'static str)> {
    match result {
        Err(Refusal::Invalid(errors)) => errors.into_iter().next().map(|it| (it.pointer, it.code)),
        _ => None,
    }
}

#[test]
fn a_child_counts_as_younger_until_the_year_of_a_birthday_is_over() {
    let guardian = Some(UserId::from_uuid(Uuid::nil()));
    let new = born(date(2013, 1, 1));
    let (child, effects) = create(&moment(), TODAY, &new, guardian).expect("a child");
    assert_eq!(effects.len(), 7);
    assert_eq!(child.age_on(date(2026, 12, 31)), 12);
    assert_eq!(child.age_on(date(2027, 1, 1)), 13);
    assert_eq!(child.age_band_on(date(2027, 1, 1)), AgeBand::Under16);
    assert_eq!(child.age_on(date(2000, 1, 1)), 0);
    assert_eq!((born_by(date(2026, 12, 31), 13), born_by(date(2027, 1, 1), 13)), (2012, 2013));
    assert!(!format!("{child:?} {effects:?} {new:?}").contains("Kim"), "names are never printed");
}

#[test]
fn a_date_of_birth_must_be_possible() {
    for (birth_date, expected) in [
        (TODAY, None),
        (date(2026, 11, 23), Some("in_the_future")),
        (date(1906, 11, 22), None),
        (date(1906, 11, 21), Some("too_early")),
    ] {
        let expected = expected.map(|code| ("/birth_date".to_owned(), code));
        assert_eq!(code(create(&moment(), TODAY, &born(birth_date), None)), expected, "{birth_date}");
        let (child, identity) = created(date(2013, 5, 5));
        let change = ChangeChildIdentity { birth_date: Some(Some(birth_date)), ..Default::default() };
        assert_eq!(code(with_identity(&moment(), TODAY, &child, &identity, change)), expected);
    }
}

#[test]
fn an_identity_changes_the_profile_only_with_the_year_of_birth() {
    let (child, identity) = created(date(2013, 5, 5));
    let name = || Some(Name::parse("Kim").expect("a name"));
    for (change, expected) in [
        (ChangeChildIdentity::default(), &[][..]),
        (ChangeChildIdentity { legal_first_name: Some(name()), ..Default::default() }, &["legal_first_name"]),
        (ChangeChildIdentity { birth_date: Some(None), ..Default::default() }, &["birth_date"]),
        (
            ChangeChildIdentity { birth_date: Some(Some(date(2013, 5, 6))), ..Default::default() },
            &["birth_date"],
        ),
        (
            ChangeChildIdentity { birth_date: Some(Some(date(2014, 5, 5))), ..Default::default() },
            &["birth_date", "birth_year"],
        ),
    ] {
        let effects = with_identity(&moment(), TODAY, &child, &identity, change).expect("a change");
        let fields: Vec<_> = effects.iter().flat_map(Effect::fields).collect();
        assert_eq!(fields, expected);
    }
}

#[test]
fn what_is_refused_is_hidden_from_those_who_see_nothing_of_the_child() {
    let allowed = [Capacity::Guardian, Capacity::Registrar];
    let refused = Err(Refusal::Forbidden("only guardians".to_owned()));
    for (held, expected) in [
        (&[][..], Err(Refusal::NotFound)),
        (&[Capacity::Staff], refused),
        (&[Capacity::Staff, Capacity::Registrar], Ok(())),
    ] {
        assert_eq!(require(held, &allowed, "only guardians"), expected, "{held:?}");
    }
}

proptest! {
    #[test]
    fn the_year_of_birth_agrees_with_the_date_after_any_changes(
        changes in proptest::collection::vec(proptest::option::of((0..50_000_i64, any::<bool>())), 0..8)
    ) {
        let (mut child, mut identity) = created(date(2013, 5, 5));
        for change in changes {
            let birth_date = change.map(|(days, is_given)| {
                is_given.then(|| date(1900, 1, 1).saturating_add(Span::new().days(days)))
            });
            let change = ChangeChildIdentity { birth_date, ..Default::default() };
            for effect in with_identity(&moment(), TODAY, &child, &identity, change).unwrap_or_default() {
                match effect.after {
                    Some(AnyRecord::Child(after)) => child = Shared::into_record(after),
                    Some(AnyRecord::ChildIdentity(after)) => identity = Shared::into_record(after),
                    other => panic!("{other:?}"),
                }
            }
            prop_assert!(identity.birth_date.is_none_or(|day| i64::from(day.year()) == child.birth_year));
        }
    }
}
