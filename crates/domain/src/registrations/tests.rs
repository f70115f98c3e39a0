//! Tests of who registers children, and of who accepts and withdraws registrations.

use uuid::Uuid;

use super::*;
use crate::divisions::NewDivision;
use crate::ids::Id as _;
use crate::seasons::NewSeason;
use crate::sports::Sport;
use crate::text::Name;
use crate::time::TimeZoneName;

const GUARDIAN: &[Capacity] = &[Capacity::Guardian];
const REGISTRAR: &[Capacity] = &[Capacity::Registrar];

fn moment() -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), 7)
}

fn by(capacities: &[Capacity]) -> Applicant<'_> {
    Applicant { user: Some(UserId::from_uuid(Uuid::from_u128(5))), capacities, registers: true }
}

fn name() -> Name {
    Name::parse("Winter").expect("a name")
}

fn season(status: SeasonStatus) -> Season {
    let new = NewSeason::new(name(), Sport::stored("netball".to_owned()), TimeZoneName::utc());
    Season::create(&moment(), NewSeason { status, ..new })
}

fn division(season_id: SeasonId) -> Division {
    Division::create(&moment(), NewDivision::new(season_id, name()))
}

fn applied(season: &Season) -> Registration {
    let named = Named { season: Some(season), division: None, is_registered: false };
    let new = NewRegistration::new(season.id);
    apply(&moment(), &by(GUARDIAN), moment().id(), &new, &named).expect("a registration")
}

fn to(status: RegistrationStatus) -> ChangeRegistration {
    ChangeRegistration { status: Some(status), division_id: None }
}

fn accepted(season: &Season) -> Registration {
    let to = to(RegistrationStatus::Accepted);
    changed(&moment(), &by(REGISTRAR), &applied(season), to, None).expect("accepted")
}

fn errors(result: Result<Registration, Refusal>) -> Vec<(String, &'static str)> {
    match result {
        Err(Refusal::Invalid(errors)) => errors.into_iter().map(|it| (it.pointer, it.code)).collect(),
        other => panic!("{other:?}"),
    }
}

/// How a refusal looks from outside.
fn outcome(result: &Result<Registration, Refusal>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(Refusal::Forbidden(_)) => "forbidden",
        Err(Refusal::NotFound) => "hidden",
        Err(Refusal::State(_)) => "state",
        Err(Refusal::Duplicate(_)) => "duplicate",
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_child_is_registered_once_for_a_season_that_is_not_over() {
    for status in SeasonStatus::ALL {
        let season = season(*status);
        let new = NewRegistration::new(season.id);
        for is_registered in [false, true] {
            let named = Named { season: Some(&season), division: None, is_registered };
            let result = apply(&moment(), &by(GUARDIAN), moment().id(), &new, &named);
            let expected = match status {
                SeasonStatus::Completed | SeasonStatus::Archived => "state",
                _ if is_registered => "duplicate",
                _ => "ok",
            };
            assert_eq!(outcome(&result), expected, "{status} {is_registered}");
        }
    }
}

#[test]
fn the_division_belongs_to_the_season() {
    let (one, other) = (season(SeasonStatus::Registration), moment().id());
    let (fits, wrong) = (division(one.id), division(other));
    let apply = |season, division: &Division, found| {
        let mut new = NewRegistration::new(one.id);
        new.division_id = Some(division.id);
        let named = Named { season, division: found, is_registered: false };
        apply(&moment(), &by(GUARDIAN), moment().id(), &new, &named)
    };
    assert_eq!(apply(Some(&one), &fits, Some(&fits)).expect("it fits").division_id, Some(fits.id));
    let at = |code| ("/division_id".to_owned(), code);
    let other_season = Season { id: other, ..one.clone() };
    assert_eq!(errors(apply(None, &fits, None)), [("/season_id".to_owned(), "not_found"), at("not_found")]);
    let wrong = Division { season_id: SeasonId::from_uuid(Uuid::nil()), ..wrong };
    assert_eq!(errors(apply(Some(&other_season), &wrong, Some(&wrong))), [at("other_season")]);
    let change = ChangeRegistration { status: None, division_id: Some(Some(wrong.id)) };
    let change = |found| changed(&moment(), &by(GUARDIAN), &applied(&one), change, found);
    assert_eq!(errors(change(Some(&wrong))), [at("other_season")]);
    assert_eq!(errors(change(None)), [at("not_found")]);
}

#[test]
fn guardians_and_registrars_apply_and_withdraw_and_registrars_accept() {
    use RegistrationStatus::{Accepted, Applied, Withdrawn};
    let season = season(SeasonStatus::Registration);
    for (capacities, applies, accepts, withdraws) in [
        (GUARDIAN, "ok", "forbidden", "ok"),
        (REGISTRAR, "ok", "ok", "ok"),
        (&[Capacity::Staff, Capacity::Child], "forbidden", "forbidden", "forbidden"),
        (&[], "hidden", "hidden", "hidden"),
    ] {
        let by = by(capacities);
        let named = Named { season: Some(&season), division: None, is_registered: false };
        let new = NewRegistration::new(season.id);
        assert_eq!(outcome(&apply(&moment(), &by, moment().id(), &new, &named)), applies);
        let change =
            |registration: &Registration, status| changed(&moment(), &by, registration, to(status), None);
        assert_eq!(outcome(&change(&applied(&season), Accepted)), accepts);
        for registration in [applied(&season), accepted(&season)] {
            assert_eq!(outcome(&change(&registration, registration.status)), withdraws, "unchanged");
            for result in [change(&registration, Withdrawn), withdrawn(&moment(), &by, &registration)] {
                assert_eq!(outcome(&result), withdraws);
                let Ok(after) = result else { continue };
                assert_eq!((after.status, after.decided_by), (Withdrawn, by.user));
                for status in RegistrationStatus::ALL {
                    assert_eq!(outcome(&change(&after, *status)), "state", "it stays withdrawn");
                }
                assert_eq!(outcome(&withdrawn(&moment(), &by, &after)), "state");
            }
        }
        let back = if withdraws == "ok" { "state" } else { withdraws };
        assert_eq!(outcome(&change(&accepted(&season), Applied)), back);
    }
    assert_eq!(accepted(&season).decided_at, Some(moment().now()));
}

#[test]
fn once_accepted_only_a_registrar_changes_the_division() {
    let season = season(SeasonStatus::Active);
    let division = division(season.id);
    let change = ChangeRegistration { status: None, division_id: Some(Some(division.id)) };
    for (capacities, registration, expected) in [
        (GUARDIAN, applied(&season), "ok"),
        (GUARDIAN, accepted(&season), "forbidden"),
        (REGISTRAR, accepted(&season), "ok"),
    ] {
        let result = changed(&moment(), &by(capacities), &registration, change, Some(&division));
        assert_eq!(outcome(&result), expected, "{capacities:?}");
        if let Ok(after) = result {
            assert_eq!((after.division_id, after.status), (Some(division.id), registration.status));
        }
    }
}

#[test]
fn a_registrar_of_another_season_decides_nothing() {
    let season = season(SeasonStatus::Registration);
    let other = Applicant { registers: false, ..by(REGISTRAR) };
    let named = Named { season: Some(&season), division: None, is_registered: false };
    let new = NewRegistration::new(season.id);
    assert_eq!(outcome(&apply(&moment(), &other, moment().id(), &new, &named)), "forbidden");
    let registration = applied(&season);
    for status in RegistrationStatus::ALL {
        assert_eq!(outcome(&changed(&moment(), &other, &registration, to(*status), None)), "forbidden");
    }
    assert_eq!(outcome(&withdrawn(&moment(), &other, &registration)), "forbidden");
    let both = [Capacity::Guardian, Capacity::Registrar];
    let parent = Applicant { capacities: &both, ..other };
    let accept = to(RegistrationStatus::Accepted);
    assert_eq!(outcome(&changed(&moment(), &parent, &registration, accept, None)), "forbidden");
    assert_eq!(outcome(&withdrawn(&moment(), &parent, &registration)), "ok", "as a guardian");
}
