//! Tests of who may propose, confirm, accept and revoke duties, and of when they are open.

use uuid::Uuid;

use super::*;
use crate::ids::Id as _;

const PROPOSER: u128 = 1;
const SECOND: u128 = 2;
const HOLDER: u128 = 9;

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn actor(number: u128, role: Role) -> Actor {
    Actor { user: Some(user(number)), role, role_given_by: None }
}

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn season_of(number: u128) -> SeasonId {
    SeasonId::from_uuid(Uuid::from_u128(number))
}

fn team(season: u128) -> Team {
    let name = crate::text::Name::parse("Eagles").expect("a name");
    let moment = Moment::new(at(0).now(), season);
    Team::create(&moment, crate::teams::NewTeam::new(season_of(season), moment.id(), name))
}

fn wanted(kind: DutyKind, hours: i64) -> NewDuty {
    let reason = Reason::parse("The season starts").expect("a reason");
    let ends_at = Some(at(hours).now());
    NewDuty {
        user_id: user(HOLDER),
        kind,
        team_ids: Vec::new(),
        season_id: None,
        starts_at: None,
        ends_at,
        reason,
    }
}

fn found(new: &NewDuty, teams: Vec<Option<Team>>) -> (NewDuty, Named) {
    let mut new = new.clone();
    new.team_ids =
        teams.iter().map(|team| team.as_ref().map_or_else(|| at(0).id(), |team| team.id)).collect();
    (new, Named { is_member: true, has_season: true, teams })
}

fn plain() -> Named {
    Named { is_member: true, has_season: true, teams: Vec::new() }
}

fn proposed() -> Duty {
    let new = wanted(DutyKind::MedicalStaff, 48);
    propose(&at(0), actor(PROPOSER, Role::Admin), &new, &plain()).expect("a proposal")
}

fn open() -> Duty {
    let duty = confirmed(&at(1), actor(SECOND, Role::Admin), &proposed(), true).expect("confirmed");
    accepted(&at(2), actor(HOLDER, Role::Member), &duty).expect("accepted")
}

/// The pointers and codes of a refusal of fields.
fn errors(result: Result<Duty, Refusal>) -> Vec<(String, &'static str)> {
    match result {
        Err(Refusal::Invalid(errors)) => errors.into_iter().map(|it| (it.pointer, it.code)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_one_proposes_or_confirms_themselves() {
    let themselves = actor(HOLDER, Role::Owner);
    let new = wanted(DutyKind::Support, 5);
    assert_eq!(propose(&at(0), themselves, &new, &plain()), Err(Refusal::SelfGrant));
    assert_eq!(confirmed(&at(30), themselves, &proposed(), false), Err(Refusal::SelfGrant));
}

#[test]
fn a_duty_must_end_in_time() {
    let admin = actor(PROPOSER, Role::Admin);
    let mut endless = wanted(DutyKind::Support, 5);
    endless.ends_at = None;
    let refused = propose(&at(0), admin, &endless, &plain());
    assert_eq!(refused, Err(Refusal::ExpiryRequired { pointer: "/ends_at" }));
    for (kind, hours, wrong) in [
        (DutyKind::Support, 24, None),
        (DutyKind::Support, 25, Some("too_late")),
        (DutyKind::SafeguardingLead, 400 * 24, None),
        (DutyKind::SafeguardingLead, 400 * 24 + 1, Some("too_late")),
        (DutyKind::MedicalStaff, 0, Some("before_start")),
    ] {
        let result = propose(&at(0), admin, &wanted(kind, hours), &plain());
        match wrong {
            None => assert_eq!(result.expect("a proposal").ends_at, at(hours).now()),
            Some(code) => assert_eq!(errors(result), [("/ends_at".to_owned(), code)], "{kind} {hours}"),
        }
    }
    let mut past = wanted(DutyKind::Support, -1);
    past.starts_at = Some(at(-2).now());
    assert_eq!(errors(propose(&at(0), admin, &past, &plain())), [("/ends_at".to_owned(), "in_the_past")]);
    let mut later = wanted(DutyKind::Support, 100);
    later.starts_at = Some(at(80).now());
    assert!(propose(&at(0), admin, &later, &plain()).is_ok(), "24 hours from the start, not from now");
}

#[test]
fn a_duty_is_limited_to_one_season_and_its_teams() {
    let admin = actor(PROPOSER, Role::Admin);
    let registrar = wanted(DutyKind::Registrar, 48);
    let refused = errors(propose(&at(0), admin, &registrar, &plain()));
    assert_eq!(refused, [("/season_id".to_owned(), "required")]);

    let (one, other) = (team(1), team(2));
    let (new, named) = found(&registrar, vec![Some(one.clone())]);
    let duty = propose(&at(0), admin, &new, &named).expect("a proposal");
    assert_eq!((duty.season_id, duty.team_ids), (Some(one.season_id), vec![one.id]), "the teams' season");

    let (mut new, mut named) = found(&registrar, vec![Some(one.clone()), Some(other), None, Some(one)]);
    let pointer = |index: usize| format!("/team_ids/{index}");
    let wrong = [(pointer(1), "other_season"), (pointer(2), "not_found"), (pointer(3), "duplicate")];
    assert_eq!(errors(propose(&at(0), admin, &new, &named)), wrong);

    (named.teams, named.is_member, named.has_season) = (Vec::new(), false, false);
    (new.team_ids, new.season_id) = (Vec::new(), Some(season_of(3)));
    let wrong = [("/user_id".to_owned(), "not_found"), ("/season_id".to_owned(), "not_found")];
    assert_eq!(errors(propose(&at(0), admin, &new, &named)), wrong, "all at once");
}

#[test]
fn a_second_person_confirms_and_the_holder_accepts() {
    let duty = proposed();
    let holder = actor(HOLDER, Role::Member);
    assert!(matches!(accepted(&at(1), holder, &duty), Err(Refusal::State(_))), "not confirmed");
    let refused = confirmed(&at(1), actor(PROPOSER, Role::Admin), &duty, true);
    assert_eq!(refused, Err(Refusal::SamePerson { role: Role::Admin, alone_from: None }));
    let alone = confirmed(&at(24), actor(PROPOSER, Role::Owner), &duty, false).expect("alone");
    assert!(alone.confirmed_alone);

    let duty = confirmed(&at(1), actor(SECOND, Role::Admin), &duty, true).expect("confirmed");
    assert_eq!((duty.state, duty.confirmed_by), (DutyState::Confirmed, Some(user(SECOND))));
    assert!(!duty.confirmed_alone);
    let again = confirmed(&at(1), actor(3, Role::Admin), &duty, true);
    assert!(matches!(again, Err(Refusal::State(_))), "{again:?}");
    assert!(matches!(accepted(&at(2), actor(SECOND, Role::Admin), &duty), Err(Refusal::Forbidden(_))));
    assert_eq!(accepted(&at(2), actor(4, Role::Manager), &duty), Err(Refusal::NotFound));
    let duty = accepted(&at(2), holder, &duty).expect("accepted");
    assert_eq!((duty.state, duty.accepted_at), (DutyState::Accepted, Some(at(2).now())));
    assert!(matches!(accepted(&at(3), holder, &duty), Err(Refusal::State(_))), "again");
}

#[test]
fn only_an_accepted_duty_is_open_from_its_start_to_its_end() {
    let duty = Duty { starts_at: at(10).now(), ends_at: at(20).now(), ..open() };
    for (hours, expected) in [(9, false), (10, true), (19, true), (20, false), (99, false)] {
        assert_eq!(duty.is_open_at(at(hours).now()), expected, "{hours}");
        for state in [DutyState::Proposed, DutyState::Confirmed, DutyState::Ended, DutyState::Revoked] {
            assert!(!Duty { state, ..duty.clone() }.is_open_at(at(hours).now()), "{state} {hours}");
        }
    }
    assert_eq!(duty.state_at(at(19).now()), DutyState::Accepted);
    assert_eq!(duty.state_at(at(20).now()), DutyState::Ended);
}

#[test]
fn admins_and_the_holder_revoke_what_is_not_over() {
    for who in [actor(SECOND, Role::Admin), actor(HOLDER, Role::Viewer)] {
        for duty in [proposed(), open()] {
            let after = revoked(&at(3), who, &duty).expect("revoked");
            assert_eq!((after.state, after.revoked_by), (DutyState::Revoked, who.user));
            assert_eq!(after.revoked_at, Some(at(3).now()));
            assert!(!after.is_open_at(at(3).now()));
            assert_eq!(after.state_at(at(99).now()), DutyState::Revoked, "it stays revoked after its end");
            assert!(matches!(revoked(&at(4), who, &after), Err(Refusal::State(_))), "again");
            assert_eq!(ended(&after), None);
        }
    }
    assert_eq!(revoked(&at(3), actor(4, Role::Manager), &open()), Err(Refusal::NotFound));
}

#[test]
fn nothing_happens_to_a_duty_that_is_over() {
    let over = ended(&open()).expect("it ends");
    assert_eq!((over.state, ended(&over)), (DutyState::Ended, None));
    for (hours, duty) in [(3, over), (48, proposed()), (48, open())] {
        let (second, holder) = (actor(SECOND, Role::Admin), actor(HOLDER, Role::Member));
        for result in [
            confirmed(&at(hours), second, &duty, true),
            accepted(&at(hours), holder, &duty),
            revoked(&at(hours), holder, &duty),
        ] {
            let ended = "the duty has ended; propose a new one".to_owned();
            assert_eq!(result, Err(Refusal::State(ended)));
        }
    }
}

#[test]
fn owners_are_told_of_a_proposal_and_of_nothing_else() {
    use crate::effects::Effect;
    use crate::mail::{MailKind, to_owners};
    let duty = proposed();
    let told = to_owners(&Effect::create(duty.clone()));
    assert_eq!(told, Some((MailKind::DutyProposed, duty.id.uuid(), 1)));
    assert_eq!(to_owners(&Effect::create(open())), None);
    let confirmed = confirmed(&at(1), actor(SECOND, Role::Admin), &duty, true).expect("confirmed");
    assert_eq!(Effect::update(&at(1), duty, confirmed).and_then(|effect| to_owners(&effect)), None);
}
