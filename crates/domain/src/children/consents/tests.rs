//! Tests of who consents, and of when a consent is valid.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::ids::Id as _;
use crate::roles::Role;

const PARENT: Actor = Actor { user: None, role: Role::Member, role_given_by: None };

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn child() -> ChildId {
    ChildId::from_uuid(Uuid::nil())
}

fn wanted(purpose: Purpose, hours: Option<i64>) -> NewConsent {
    NewConsent {
        purpose,
        method: ConsentMethod::Paper,
        notice_version: Name::stored("2026-03".to_owned()),
        expires_at: hours.map(|hours| at(hours).now()),
    }
}

fn by(capacity: Capacity, age: i64) -> Consenting {
    Consenting { actor: PARENT, capacity, age }
}

fn guardian() -> Consenting {
    by(Capacity::Guardian, 8)
}

fn granted() -> Consent {
    grant(&at(0), &guardian(), child(), &wanted(Purpose::Photos, Some(10)), &[]).expect("a consent")
}

#[test]
fn guardians_consent_and_the_child_from_16_years_on() {
    let forbidden = || {
        let why = "only a guardian consents, or withdraws consent, and the child from 16 years on";
        Err(Refusal::Forbidden(why.to_owned()))
    };
    for (capacity, age, expected) in [
        (Capacity::Guardian, 3, Ok(())),
        (Capacity::Guardian, 17, Ok(())),
        (Capacity::Child, 15, forbidden()),
        (Capacity::Child, 16, Ok(())),
        (Capacity::Staff, 17, forbidden()),
        (Capacity::Registrar, 17, forbidden()),
        (Capacity::MedicalStaff, 17, forbidden()),
        (Capacity::BreakGlass, 17, forbidden()),
    ] {
        let by = by(capacity, age);
        let result = grant(&at(0), &by, child(), &wanted(Purpose::Photos, None), &[]);
        assert_eq!(result.map(|_| ()), expected, "{capacity} {age}");
        assert_eq!(withdraw(&at(0), &by, &granted()).map(|_| ()), expected, "{capacity} {age}");
    }
}

#[test]
fn a_consent_ends_in_the_future_and_is_withdrawn_once() {
    let refused = grant(&at(0), &guardian(), child(), &wanted(Purpose::Photos, Some(0)), &[]);
    let Err(Refusal::Invalid(errors)) = refused else { panic!("{refused:?}") };
    assert_eq!((errors[0].pointer.as_str(), errors[0].code), ("/expires_at", "in_the_past"));

    let state = |why: &str| Err(Refusal::State(why.to_owned()));
    assert_eq!(withdraw(&at(10), &guardian(), &granted()), state("the consent has expired already"));
    let withdrawn = withdraw(&at(9), &guardian(), &granted()).expect("withdrawn");
    assert_eq!((withdrawn.withdrawn_at, withdrawn.withdrawn_by), (Some(at(9).now()), PARENT.user));
    assert_eq!(withdraw(&at(9), &guardian(), &withdrawn), state("the consent is withdrawn already"));
}

proptest! {
    #[test]
    fn a_purpose_has_one_valid_consent_and_none_once_it_is_withdrawn(
        steps in proptest::collection::vec((any::<bool>(), 0..4_usize, proptest::option::of(0..6_i64)), 0..20)
    ) {
        let mut consents: Vec<Consent> = Vec::new();
        for (hour, (grants, purpose, life)) in (0..).zip(steps) {
            let (moment, purpose) = (at(hour), Purpose::ALL[purpose]);
            let is_valid = |it: &&mut Consent| {
                it.purpose == purpose && it.status_at(moment.now()) == ConsentStatus::Granted
            };
            if grants {
                let new = wanted(purpose, life.map(|hours| hour + 1 + hours));
                let had_one = consents.iter_mut().any(|it| is_valid(&it));
                let result = grant(&moment, &guardian(), child(), &new, &consents);
                prop_assert_eq!(had_one, matches!(result, Err(Refusal::Duplicate(_))));
                consents.extend(result.ok());
            } else if let Some(consent) = consents.iter_mut().find(is_valid) {
                *consent = withdraw(&moment, &guardian(), consent).expect("it is valid");
            }
            let valid = consents.iter_mut().filter(is_valid).count();
            prop_assert!(valid <= 1);
            prop_assert!(grants || valid == 0);
        }
    }
}
