//! Tests of who may propose, confirm, accept and revoke relations.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::ids::{Id as _, UserId};
use crate::text::Reason;

const GUARDIAN: u128 = 1;
const MANAGER: u128 = 2;
const PERSON: u128 = 9;

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn actor(number: u128, role: Role) -> Actor {
    Actor { user: Some(user(number)), role, role_given_by: None }
}

fn manager() -> Actor {
    actor(MANAGER, Role::Manager)
}

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn child(number: u128) -> ChildId {
    ChildId::from_uuid(Uuid::from_u128(number))
}

fn wanted(kind: RelationKind, hours: Option<i64>) -> NewRelation {
    NewRelation {
        user_id: user(PERSON),
        kind,
        expires_at: hours.map(|hours| at(hours).now()),
        reason: Some(Reason::parse("The season starts").expect("a reason")),
    }
}

fn facts(capacities: &[Capacity], relations: Vec<Relation>) -> Facts {
    Facts { capacities: capacities.to_vec(), is_member: true, relations }
}

fn by_guardian(new: &NewRelation, relations: Vec<Relation>) -> Result<Relation, Refusal> {
    let facts = facts(&[Capacity::Guardian], relations);
    propose(&at(0), actor(GUARDIAN, Role::Member), child(1), new, &facts)
}

fn proposed(kind: RelationKind) -> Relation {
    by_guardian(&wanted(kind, Some(20)), Vec::new()).expect("a proposal")
}

fn active(kind: RelationKind) -> Relation {
    let relation = confirmed(&at(1), manager(), &proposed(kind), true).expect("confirmed");
    accepted(&at(2), actor(PERSON, Role::Member), &relation).expect("accepted")
}

fn by(of_family: bool) -> Revoking<'static> {
    Revoking { of_family, relations: &[] }
}

fn errors(result: Result<Relation, Refusal>) -> Vec<(String, &'static str)> {
    match result {
        Err(Refusal::Invalid(errors)) => errors.into_iter().map(|it| (it.pointer, it.code)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_child_its_guardians_and_managers_propose_others() {
    let new = wanted(RelationKind::Guardian, None);
    for (role, capacities, expected) in [
        (Role::Member, &[Capacity::Guardian][..], "proposed"),
        (Role::Viewer, &[Capacity::Staff, Capacity::Registrar], "forbidden"),
        (Role::Manager, &[], "proposed"),
        (Role::Coach, &[Capacity::Staff], "forbidden"),
        (Role::Member, &[Capacity::Child], "proposed"),
        (Role::Coach, &[], "hidden"),
    ] {
        let facts = facts(capacities, Vec::new());
        let result = propose(&at(0), actor(5, role), child(1), &new, &facts);
        let found = match &result {
            Ok(relation) => relation.state.name(),
            Err(Refusal::Forbidden(_)) => "forbidden",
            Err(Refusal::NotFound) => "hidden",
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{role} {capacities:?}");
        let themselves = propose(&at(0), actor(PERSON, role), child(1), &new, &facts);
        match expected {
            "proposed" => assert_eq!(themselves, Err(Refusal::SelfGrant)),
            _ => assert_eq!(themselves, result, "to them, the child exists no more than to others"),
        }
    }
}

#[test]
fn all_but_the_family_need_an_end_in_time_and_a_reason() {
    for (kind, hours, expected) in [
        (RelationKind::Support, Some(24), None),
        (RelationKind::Support, Some(25), Some("too_late")),
        (RelationKind::Registrar, Some(400 * 24), None),
        (RelationKind::Registrar, Some(400 * 24 + 1), Some("too_late")),
        (RelationKind::MedicalStaff, Some(0), Some("in_the_past")),
        (RelationKind::Guardian, Some(0), Some("in_the_past")),
        (RelationKind::Guardian, Some(4000 * 24), None),
        (RelationKind::Itself, None, None),
    ] {
        let result = by_guardian(&wanted(kind, hours), Vec::new());
        match expected {
            None => assert_eq!(result.expect("a proposal").expires_at, hours.map(|hours| at(hours).now())),
            Some(code) => assert_eq!(errors(result), [("/expires_at".to_owned(), code)], "{kind} {hours:?}"),
        }
    }
    for kind in RelationKind::ALL.iter().copied().filter(|kind| !kind.is_family()) {
        let refused = by_guardian(&wanted(kind, None), Vec::new());
        assert_eq!(refused, Err(Refusal::ExpiryRequired { pointer: "/expires_at" }));
        let unexplained = NewRelation { reason: None, ..wanted(kind, Some(5)) };
        assert_eq!(errors(by_guardian(&unexplained, Vec::new())), [("/reason".to_owned(), "required")]);
    }
    let unexplained = NewRelation { reason: None, ..wanted(RelationKind::Guardian, None) };
    assert!(by_guardian(&unexplained, Vec::new()).is_ok());
    let stranger = Facts { is_member: false, ..facts(&[], Vec::new()) };
    let refused = propose(&at(0), manager(), child(1), &wanted(RelationKind::Support, Some(-1)), &stranger);
    let wrong = [("/user_id".to_owned(), "not_found"), ("/expires_at".to_owned(), "in_the_past")];
    assert_eq!(errors(refused), wrong, "all at once");
}

#[test]
fn a_child_is_one_person_and_a_person_one_child() {
    let other = |child_id, number, kind| Relation { child_id, user_id: user(number), ..active(kind) };
    let guardian = || other(child(1), PERSON, RelationKind::Guardian);
    for (kind, existing, expected) in [
        (RelationKind::Itself, other(child(1), 8, RelationKind::Itself), false),
        (RelationKind::Itself, other(child(2), PERSON, RelationKind::Itself), false),
        (RelationKind::Itself, other(child(2), PERSON, RelationKind::Guardian), true),
        (RelationKind::Guardian, other(child(2), PERSON, RelationKind::Itself), true),
        (RelationKind::Guardian, other(child(2), PERSON, RelationKind::Guardian), true),
        (RelationKind::Guardian, other(child(1), 8, RelationKind::Guardian), true),
        (RelationKind::Guardian, guardian(), false),
        (RelationKind::Guardian, Relation { state: RelationState::Proposed, ..guardian() }, false),
        (RelationKind::Guardian, Relation { state: RelationState::Revoked, ..guardian() }, true),
        (RelationKind::Guardian, Relation { expires_at: Some(at(0).now()), ..guardian() }, true),
    ] {
        let result = by_guardian(&wanted(kind, None), vec![existing]);
        assert_eq!(result.is_ok(), expected, "{kind}: {result:?}");
        assert!(expected || matches!(result, Err(Refusal::Duplicate(_))));
    }
}

#[test]
fn a_second_person_confirms_and_the_person_accepts() {
    let relation = proposed(RelationKind::Guardian);
    let person = actor(PERSON, Role::Member);
    assert!(matches!(accepted(&at(1), person, &relation), Err(Refusal::State(_))), "not confirmed");
    let refused = confirmed(&at(1), actor(GUARDIAN, Role::Manager), &relation, true);
    assert_eq!(refused, Err(Refusal::SamePerson { role: Role::Manager, alone_from: None }));
    assert_eq!(confirmed(&at(1), actor(PERSON, Role::Owner), &relation, true), Err(Refusal::SelfGrant));
    let mut slow = relation.clone();
    slow.expires_at = None;
    let alone = confirmed(&at(24), actor(GUARDIAN, Role::Owner), &slow, false).expect("alone");
    assert!(alone.confirmed_alone);

    let relation = confirmed(&at(1), manager(), &relation, true).expect("confirmed");
    assert_eq!((relation.state, relation.confirmed_by), (RelationState::Confirmed, Some(user(MANAGER))));
    assert!(!relation.is_open_at(at(1).now()), "not accepted");
    let again = confirmed(&at(1), actor(3, Role::Manager), &relation, true);
    assert!(matches!(again, Err(Refusal::State(_))), "{again:?}");
    assert!(matches!(accepted(&at(2), manager(), &relation), Err(Refusal::Forbidden(_))));
    assert_eq!(accepted(&at(2), actor(4, Role::Coach), &relation), Err(Refusal::NotFound));
    let relation = accepted(&at(2), person, &relation).expect("accepted");
    assert_eq!((relation.state, relation.accepted_at), (RelationState::Active, Some(at(2).now())));
    assert!(relation.is_open_at(at(2).now()) && !relation.is_open_at(at(20).now()));
    assert!(matches!(accepted(&at(3), person, &relation), Err(Refusal::State(_))), "again");
}

#[test]
fn the_family_the_person_and_managers_revoke() {
    for (number, role, of_family, expected) in [
        (GUARDIAN, Role::Member, true, true),
        (5, Role::Member, true, true),
        (PERSON, Role::Viewer, false, true),
        (MANAGER, Role::Manager, false, true),
        (6, Role::Coach, false, false),
    ] {
        for relation in [proposed(RelationKind::MedicalStaff), active(RelationKind::MedicalStaff)] {
            let result = revoked(&at(3), actor(number, role), &relation, by(of_family));
            if !expected {
                assert_eq!(result, Err(Refusal::NotFound), "{number}");
                continue;
            }
            let after = result.expect("revoked");
            assert_eq!((after.state, after.revoked_by), (RelationState::Revoked, Some(user(number))));
            assert_eq!(after.revoked_at, Some(at(3).now()));
            assert_eq!(after.state_at(at(99).now()), RelationState::Revoked, "it stays revoked");
        }
    }
}

#[test]
fn a_guardian_is_revoked_by_themselves_or_by_a_manager_who_is_not_of_the_family() {
    let guardian = active(RelationKind::Guardian);
    let own = |number| Relation { user_id: user(number), ..guardian.clone() };
    let over = |relation: Relation| Relation { state: RelationState::Revoked, ..relation };
    for (who, of_family, relations, expected) in [
        (actor(PERSON, Role::Viewer), false, vec![], true),
        (actor(PERSON, Role::Owner), true, vec![], true),
        (manager(), false, vec![], true),
        (manager(), false, vec![own(5)], true),
        // Who was of the family is not a second person either.
        (manager(), false, vec![over(own(MANAGER))], false),
        (actor(5, Role::Member), true, vec![own(5)], false),
        (actor(5, Role::Owner), true, vec![own(5)], false),
        // A restriction closes the records to this guardian.
        (manager(), false, vec![own(MANAGER)], false),
    ] {
        let revoking = Revoking { of_family, relations: &relations };
        let result = revoked(&at(3), who, &guardian, revoking);
        assert_eq!(result.is_ok(), expected, "{who:?}: {result:?}");
        assert!(expected || matches!(result, Err(Refusal::Forbidden(_))));
    }
    let waiting = proposed(RelationKind::Guardian);
    assert!(revoked(&at(3), actor(GUARDIAN, Role::Member), &waiting, by(true)).is_ok(), "who proposed it");
    let refused = revoked(&at(3), actor(5, Role::Member), &waiting, by(true));
    assert!(matches!(refused, Err(Refusal::Forbidden(_))), "another guardian: {refused:?}");
    let refused = revoked(&at(3), actor(GUARDIAN, Role::Member), &guardian, by(true));
    assert!(matches!(refused, Err(Refusal::Forbidden(_))), "it is accepted: {refused:?}");
}

#[test]
fn a_relation_that_has_ended_is_replaced_by_a_new_one() {
    let ended = Relation { id: at(0).id(), ..active(RelationKind::Support) };
    let new = Relation { id: at(21).id(), ..proposed(RelationKind::Support) };
    let all = [
        ended.clone(),
        expired(&ended).expect("it ends"),
        Relation { child_id: child(2), ..ended.clone() },
        Relation { user_id: user(8), ..ended.clone() },
        Relation { kind: RelationKind::MedicalStaff, ..ended.clone() },
    ];
    assert_eq!(replaced(at(19).now(), &new, &all), [], "it has not ended");
    let after = Relation { state: RelationState::Expired, ..ended.clone() };
    assert_eq!(replaced(at(20).now(), &new, &all), [(ended, after)]);
}

#[test]
fn owners_are_told_of_a_proposal_and_the_person_when_it_waits_for_them() {
    use crate::effects::Effect;
    use crate::mail::{MailKind, to_owners, to_person};
    let relation = proposed(RelationKind::Guardian);
    let created = Effect::create(relation.clone());
    assert_eq!(to_owners(&created), Some((MailKind::RelationProposed, relation.id.uuid(), 1)));
    assert_eq!(to_person(&created), None);
    let of_creator = Relation::of_creator(&at(0), child(1), user(PERSON), RelationKind::Guardian);
    let of_creator = Effect::create(of_creator);
    assert_eq!((to_owners(&of_creator), to_person(&of_creator)), (None, None));
    let waits = confirmed(&at(1), manager(), &relation, true).expect("confirmed");
    let effect = Effect::update(&at(1), relation.clone(), waits.clone()).expect("an effect");
    assert_eq!(to_owners(&effect), None);
    let told = (MailKind::RelationWaiting, user(PERSON), relation.id.uuid(), 2);
    assert_eq!(to_person(&effect), Some(told));
    let open = accepted(&at(2), actor(PERSON, Role::Member), &waits).expect("accepted");
    let effect = Effect::update(&at(2), waits, open).expect("an effect");
    assert_eq!((to_owners(&effect), to_person(&effect)), (None, None));
}

#[test]
fn nothing_happens_to_a_relation_that_is_over() {
    let relation = active(RelationKind::Support);
    let over = expired(&relation).expect("it ends");
    assert_eq!((over.state, expired(&over)), (RelationState::Expired, None));
    let gone = revoked(&at(3), manager(), &relation, by(false)).expect("revoked");
    assert_eq!(expired(&gone), None);
    let ended = "the relation has expired; propose a new one";
    let taken = "the relation was revoked; propose a new one";
    for (hours, relation, why) in [(3, over, ended), (20, relation, ended), (3, gone, taken)] {
        for result in [
            confirmed(&at(hours), manager(), &relation, true),
            accepted(&at(hours), actor(PERSON, Role::Member), &relation),
            revoked(&at(hours), manager(), &relation, by(false)),
        ] {
            assert_eq!(result, Err(Refusal::State(why.to_owned())));
        }
    }
}

proptest! {
    #[test]
    fn no_relation_opens_without_three_steps_by_the_right_people(
        kind in proptest::sample::select(RelationKind::ALL.to_vec()),
        proposer in 0..4_u128,
        steps in proptest::collection::vec(
            (0..3_u8, 0..4_u128, proptest::sample::select(Role::ALL.to_vec()), proptest::option::of(0..4_u128), any::<bool>()),
            0..12,
        ),
    ) {
        let new = NewRelation { user_id: user(0), ..wanted(kind, Some(20)) };
        let known = facts(&[Capacity::Guardian], Vec::new());
        let result = propose(&at(0), actor(proposer, Role::Member), child(1), &new, &known);
        prop_assert_eq!(result.is_err(), proposer == 0);
        let Ok(mut relation) = result else { return Ok(()) };
        for (hours, (step, number, role, given_by, others)) in (1..).step_by(2).zip(steps) {
            let (moment, given_by) = (at(hours), given_by.map(user));
            let who = Actor { role_given_by: given_by, ..actor(number, role) };
            let result = match step {
                0 => confirmed(&moment, who, &relation, others),
                1 => accepted(&moment, who, &relation),
                _ => revoked(&moment, who, &relation, by(others)),
            };
            let was_over = relation.state_at(moment.now()).is_over();
            prop_assert!(!was_over || result.is_err(), "an ended relation does not change");
            relation = result.unwrap_or(relation);
            if relation.is_open_at(moment.now()) {
                prop_assert!(relation.proposed_by.is_some() && relation.proposed_by != Some(user(0)));
                prop_assert!(relation.confirmed_by.is_some() && relation.confirmed_by != Some(user(0)));
                prop_assert!(relation.confirmed_alone || relation.confirmed_by != relation.proposed_by);
                prop_assert!(relation.accepted_at > relation.confirmed_at);
                prop_assert!(relation.revoked_at.is_none() && hours < 20);
            }
        }
    }
}

fn invitation() -> GuardianInvitation {
    let email = crate::text::Email::parse("robin@parents.example").expect("an address");
    GuardianInvitation {
        id: at(0).id(),
        child_id: child(1),
        email,
        invited_by: user(GUARDIAN),
        sent_at: at(0).now(),
        expires_at: at(20).now(),
        accepted_at: None,
        relation_id: None,
        revoked_at: None,
        mail_failed_at: None,
        created_at: at(0).now(),
        updated_at: at(0).now(),
        version: 1,
    }
}

#[test]
fn who_accepts_an_invitation_is_proposed_by_the_inviter_and_active_once_confirmed() {
    let relation = accepted_by_invitation(&at(1), &invitation(), user(PERSON), &[]).expect("a proposal");
    let by = (relation.proposed_by, relation.proposed_at, relation.accepted_at);
    assert_eq!(by, (Some(user(GUARDIAN)), at(1).now(), Some(at(1).now())));
    assert_eq!((relation.kind, relation.state), (RelationKind::Guardian, RelationState::Proposed));
    assert!(!relation.is_open_at(at(2).now()), "it opens nothing before it is confirmed");
    let early = accepted(&at(2), actor(PERSON, Role::Member), &relation);
    assert!(matches!(early, Err(Refusal::State(_))), "{early:?}");
    let inviter = confirmed(&at(2), actor(GUARDIAN, Role::Manager), &relation, true);
    assert!(matches!(inviter, Err(Refusal::SamePerson { .. })), "{inviter:?}");
    let person = confirmed(&at(2), actor(PERSON, Role::Owner), &relation, true);
    assert_eq!(person, Err(Refusal::SelfGrant));
    let open = confirmed(&at(2), manager(), &relation, true).expect("confirmed");
    assert_eq!((open.state, open.accepted_at), (RelationState::Active, Some(at(1).now())));
    assert!(open.is_open_at(at(2).now()));
}

#[test]
fn no_one_accepts_their_own_invitation_or_one_to_a_relation_that_they_have() {
    let accept = |person, all: &[Relation]| accepted_by_invitation(&at(1), &invitation(), user(person), all);
    assert_eq!(accept(GUARDIAN, &[]), Err(Refusal::SelfGrant));
    for held in [proposed(RelationKind::Guardian), active(RelationKind::Guardian)] {
        let refused = accept(PERSON, &[held]);
        assert!(matches!(refused, Err(Refusal::Duplicate(_))), "{refused:?}");
    }
    let revoked = Relation { state: RelationState::Revoked, ..active(RelationKind::Guardian) };
    assert!(accept(PERSON, &[revoked, active(RelationKind::Support)]).is_ok());
}
