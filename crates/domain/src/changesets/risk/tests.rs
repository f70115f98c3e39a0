use super::*;
use crate::Moment;
use crate::children::classes::DataClass;
use crate::ids::Id as _;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// A change that needs no approval.
fn small() -> Facts {
    Facts { records: 1, own_team: true, ..Facts::default() }
}

fn hours(hours: i64) -> SignedDuration {
    SignedDuration::from_hours(hours)
}

#[test]
fn each_row_of_the_table_has_its_limits() {
    let base = small();
    let large = Facts { records: 6, ..base };
    let cases = [
        ("one record", base, Risk::R0),
        ("nothing", Facts { records: 0, ..base }, Risk::R0),
        ("5 records", Facts { records: 5, ..base }, Risk::R0),
        ("6 records", large, Risk::R1),
        ("not one's own team", Facts { own_team: false, ..base }, Risk::R1),
        ("data of children", Facts { touches_children: true, children: 1, ..base }, Risk::R1),
        ("by an agent", Facts { by_agent: true, ..base }, Risk::R1),
        ("by an agent, and soon", Facts { by_agent: true, first_game_in: Some(hours(1)), ..base }, Risk::R2),
        ("small, and soon", Facts { first_game_in: Some(hours(1)), ..base }, Risk::R0),
        ("small, for many families", Facts { families: 101, ..base }, Risk::R0),
        ("50 records", Facts { records: 50, ..base }, Risk::R1),
        ("51 records", Facts { records: 51, ..base }, Risk::R2),
        ("100 families", Facts { families: 100, ..large }, Risk::R1),
        ("101 families", Facts { families: 101, ..large }, Risk::R2),
        ("in 72 hours", Facts { first_game_in: Some(hours(72)), ..large }, Risk::R2),
        (
            "in more than 72 hours",
            Facts { first_game_in: Some(72 * HOUR + SignedDuration::from_nanos(1)), ..large },
            Risk::R1,
        ),
        ("it has started since", Facts { first_game_in: Some(hours(-1)), ..large }, Risk::R2),
        ("a deletion", Facts { deletions: 1, ..base }, Risk::R2),
        ("20 deletions", Facts { records: 20, deletions: 20, ..base }, Risk::R2),
        ("21 deletions", Facts { records: 21, deletions: 21, ..base }, Risk::R3),
        ("a role", Facts { raises_role: true, ..base }, Risk::R3),
        ("10 children", Facts { children: 10, touches_children: true, ..base }, Risk::R1),
        ("11 children", Facts { children: 11, touches_children: true, ..base }, Risk::R3),
        ("a season", Facts { whole_season: true, ..base }, Risk::R3),
        (
            "an undo of one's own creation",
            Facts { records: 900, deletions: 900, whole_season: true, undoes_own_creation: true, ..base },
            Risk::R1,
        ),
    ];
    for (what, facts, expected) in cases {
        assert_eq!(risk(&facts), expected, "{what}");
    }
}

#[test]
fn a_game_is_of_both_teams_and_a_record_must_be_of_an_own_team_before_and_after() {
    use crate::teams::{NewTeam, Team};
    use crate::text::Name;
    let moment = Moment::new(now(), 1);
    let team = |name: &str| {
        let new = NewTeam::new(moment.id(), moment.id(), Name::parse(name).expect("a name"));
        Team::create(&moment, new)
    };
    let (own, other) = (team("Own"), team("Other"));
    let starts_at = now();
    let zone = crate::time::TimeZoneName::utc();
    let new = crate::games::NewGame::new(own.season_id, own.division_id, starts_at, zone);
    let mut game = crate::games::Game::create(&moment, new);
    (game.home_team_id, game.away_team_id) = (Some(other.id), Some(own.id));
    let mut given_away = game.clone();
    given_away.away_team_id = None;
    let change = |before: crate::games::Game, after: crate::games::Game| Effect {
        before: Some(before.into()),
        after: Some(after.into()),
    };
    let is_own = |effect: Effect| is_of_teams(&[effect], &[own.id]);
    assert!(is_own(change(game.clone(), game.clone())));
    assert!(!is_own(change(game.clone(), given_away)));
    assert!(is_own(Effect::create(own.clone())));
    assert!(!is_of_teams(&[Effect::create(own.clone()), Effect::create(other)], &[own.id]));
    assert!(is_of_teams(&[], &[]));
}

#[test]
fn facts_follow_from_an_impact() {
    let impact = Impact {
        records: 3,
        deleted: 2,
        families: 4,
        first_game: now().checked_add(HOUR).ok(),
        children: 5,
        child_classes: vec![DataClass::Roster],
        raises_role: true,
        ..Impact::default()
    };
    let authored = Authored { own_team: true, restores_anyway: 1, ..Authored::default() };
    let expected = Facts {
        records: 3,
        deletions: 2,
        families: 4,
        first_game_in: Some(HOUR),
        raises_role: true,
        children: 5,
        touches_children: true,
        own_team: true,
        restores_anyway: 1,
        ..Facts::default()
    };
    assert_eq!(Facts::of(&impact, now(), authored), expected);
    assert_eq!(Facts::of(&Impact::default(), now(), Authored::default()), Facts::default());
}

/// All combinations of values at and beside each limit.
fn all() -> Vec<Facts> {
    let mut all = vec![Facts::default()];
    let mut vary = |values: &[&dyn Fn(&mut Facts)]| {
        all = all
            .iter()
            .flat_map(|facts| {
                values.iter().map(|set| {
                    let mut facts = *facts;
                    set(&mut facts);
                    facts
                })
            })
            .collect();
    };
    vary(&[&|it| it.records = 5, &|it| it.records = 6, &|it| it.records = 50, &|it| it.records = 51]);
    vary(&[&|it| it.deletions = 0, &|it| it.deletions = 1, &|it| it.deletions = 20, &|it| it.deletions = 21]);
    vary(&[&|it| it.families = 100, &|it| it.families = 101]);
    vary(&[&|_| {}, &|it| it.first_game_in = Some(hours(72)), &|it| it.first_game_in = Some(hours(73))]);
    vary(&[&|it| it.children = 0, &|it| it.children = 10, &|it| it.children = 11]);
    vary(&[&|_| {}, &|it| it.raises_role = true]);
    vary(&[&|_| {}, &|it| it.whole_season = true]);
    vary(&[&|_| {}, &|it| it.touches_children = true]);
    vary(&[&|_| {}, &|it| it.own_team = true]);
    vary(&[&|_| {}, &|it| it.by_agent = true]);
    vary(&[&|_| {}, &|it| it.undoes_own_creation = true]);
    all
}

/// The table of the design, written again row by row.
fn expected(it: &Facts) -> Risk {
    let is_soon = it.first_game_in == Some(hours(72));
    match it {
        Facts { undoes_own_creation: true, .. } => Risk::R1,
        Facts { raises_role: true, .. }
        | Facts { whole_season: true, .. }
        | Facts { children: 11, .. }
        | Facts { deletions: 21, .. } => Risk::R3,
        Facts {
            records: 5, own_team: true, deletions: 0, touches_children: false, by_agent: false, ..
        } => Risk::R0,
        Facts { records: 51, .. } | Facts { families: 101, .. } | Facts { deletions: 1 | 20, .. } => Risk::R2,
        _ if is_soon => Risk::R2,
        _ => Risk::R1,
    }
}

#[test]
fn every_combination_at_the_limits_has_the_risk_of_the_table() {
    let all = all();
    assert_eq!(all.len(), 4 * 4 * 2 * 3 * 3 * 64);
    for facts in &all {
        assert_eq!(risk(facts), expected(facts), "{facts:?}");
        if facts.by_agent {
            assert_ne!(risk(facts), Risk::R0, "{facts:?}");
        }
    }
}

#[test]
fn earlier_changes_never_lower_the_risk_and_a_split_change_has_the_risk_of_the_whole() {
    let mut several: Vec<Facts> = all().into_iter().filter(|facts| !facts.undoes_own_creation).collect();
    // Every 37th keeps all values of every field.
    several = several.into_iter().step_by(37).collect();
    for one in &several {
        for other in &several {
            let both = one.with_earlier(std::slice::from_ref(other));
            assert!(risk(&both) >= risk(one), "{one:?} after {other:?}");
        }
    }
    let parts = [Facts { records: 17, deletions: 7, families: 40, children: 4, ..small() }; 3];
    let [last, earlier @ ..] = &parts;
    let whole = last.with_earlier(earlier);
    let expected = Facts { records: 51, deletions: 21, families: 120, children: 12, ..small() };
    assert_eq!(whole, expected);
    let near = Facts { first_game_in: Some(hours(5)), own_team: false, ..small() };
    let far = Facts { first_game_in: Some(hours(500)), by_agent: true, restores_anyway: 2, ..small() };
    let expected = Facts { records: 2, first_game_in: Some(hours(5)), own_team: false, ..far };
    assert_eq!(far.with_earlier(&[near]), expected, "the nearest game, and the author of this one");
    assert_eq!(far.with_earlier(&[]), far);
    let most = Facts { records: usize::MAX, ..small() };
    assert_eq!(most.with_earlier(&[most]).records, usize::MAX);
    let undo = Facts { records: 900, deletions: 900, undoes_own_creation: true, ..small() };
    assert_eq!(small().with_earlier(&[undo]), small(), "its records were counted when they were created");
    assert_eq!(risk(&undo.with_earlier(&[expected])), Risk::R1, "whatever its size");
}

#[test]
fn agents_and_restored_conflicts_need_one_more_approval() {
    let expected = [
        (Risk::R0, [0, 1], Role::Manager),
        (Risk::R1, [1, 1], Role::Manager),
        (Risk::R2, [1, 2], Role::Admin),
        (Risk::R3, [2, 3], Role::Admin),
    ];
    assert_eq!(expected.map(|(risk, ..)| risk), Risk::ALL);
    for (risk, [by_person, by_agent], role) in expected {
        for (is_agent, approvals) in [(false, by_person), (true, by_agent)] {
            for restores in [false, true] {
                let approvals = approvals + u32::from(restores);
                let found = required(risk, is_agent, restores);
                assert_eq!(
                    found,
                    Required { approvals, role },
                    "{risk}, agent {is_agent}, restores {restores}"
                );
            }
        }
    }
}

#[test]
fn an_organization_with_too_few_people_needs_all_of_them_and_waits() {
    for approvals in 0..4 {
        for eligible in 0..5 {
            for others in 0..3 {
                for role in [Role::Manager, Role::Admin] {
                    let settled = settle(Required { approvals, role }, eligible, others);
                    let reduced = eligible < approvals;
                    assert_eq!((settled.reduced, settled.wait), (reduced, reduced));
                    let is_helped = reduced && eligible == 0 && others > 0;
                    let expected = if is_helped { 1 } else { approvals.min(eligible) };
                    assert_eq!(settled.approvals, expected, "{approvals} of {eligible}, {others} others");
                    assert_eq!(settled.role, if is_helped { Role::Manager } else { role });
                    assert!(settled.approvals <= eligible.max(others), "no more than there are people");
                }
            }
        }
    }
}

fn user(number: u128) -> UserId {
    UserId::from_uuid(uuid::Uuid::from_u128(number))
}

const AUTHOR: u128 = 1;
const KEY_OWNER: u128 = 2;
const EDITOR: u128 = 3;
const OTHER: u128 = 4;

fn now() -> Timestamp {
    Timestamp::from_second(1_772_366_400).expect("a time")
}

fn tried(candidate: &Candidate, minimum: Role) -> Result<(), NotApprover> {
    tried_at(Risk::R2, None, candidate, minimum)
}

fn tried_at(
    risk: Risk,
    role_given: Option<(UserId, Timestamp)>,
    candidate: &Candidate,
    minimum: Role,
) -> Result<(), NotApprover> {
    let editors = [user(AUTHOR), user(EDITOR)];
    let (author, key_owner) = (user(AUTHOR), Some(user(KEY_OWNER)));
    let authorship = Authorship { author, key_owner, editors: &editors, role_given, risk };
    may_approve(candidate, authorship, minimum, now())
}

fn candidate(number: u128) -> Candidate {
    Candidate {
        user: user(number),
        role: Role::Admin,
        by_key: false,
        role_given_by: None,
        role_given_at: None,
        has_approved: false,
    }
}

#[test]
fn no_one_approves_their_own_changeset_and_no_key_does() {
    for author in [AUTHOR, KEY_OWNER, EDITOR] {
        assert_eq!(tried(&candidate(author), Role::Manager), Err(NotApprover::OwnChangeset), "{author}");
    }
    let other = candidate(OTHER);
    assert_eq!(tried(&other, Role::Manager), Ok(()));
    let by_key = Candidate { by_key: true, ..other };
    assert_eq!(tried(&by_key, Role::Manager), Err(NotApprover::SessionRequired));
    let again = Candidate { has_approved: true, ..other };
    assert_eq!(tried(&again, Role::Manager), Err(NotApprover::ApprovedAlready));
}

#[test]
fn the_role_of_an_approver_is_at_least_that_of_the_level() {
    for role in Role::ALL {
        for minimum in Role::ALL {
            let found = tried(&Candidate { role, ..candidate(OTHER) }, minimum);
            let expected = if role >= minimum { Ok(()) } else { Err(NotApprover::RoleTooLow(minimum)) };
            assert_eq!(found, expected, "{role} for {minimum}");
        }
    }
}

#[test]
fn someone_whose_role_the_author_gave_waits_for_seven_days() {
    let given = |by, ago: SignedDuration| Candidate {
        role_given_by: Some(user(by)),
        role_given_at: now().checked_sub(ago).ok(),
        ..candidate(OTHER)
    };
    let second = SignedDuration::from_secs(1);
    let in_a_second = now().checked_add(second).expect("a time");
    let cases = [
        (AUTHOR, SignedDuration::ZERO, Err(now().checked_add(NEW_FOR).expect("a time"))),
        (AUTHOR, NEW_FOR - second, Err(in_a_second)),
        (AUTHOR, NEW_FOR, Ok(())),
        (EDITOR, SignedDuration::ZERO, Ok(())),
    ];
    for (by, ago, expected) in cases {
        let found = tried(&given(by, ago), Role::Manager);
        assert_eq!(found, expected.map_err(NotApprover::TooNew), "given by {by}, {ago} ago");
    }
}

#[test]
fn one_person_with_several_accounts_cannot_write_and_approve_the_greatest_risk() {
    let days = |days: i64| now().checked_sub(SignedDuration::from_hours(24 * days)).expect("a time");
    let until = |days: i64| days_from(now(), 7 - days);
    let from = |by: u128, days_ago: i64| Candidate {
        role_given_by: Some(user(by)),
        role_given_at: Some(days(days_ago)),
        ..candidate(OTHER)
    };
    let cases = [
        // The approver made the author an admin.
        (Risk::R3, Some((OTHER, 1)), candidate(OTHER), Some(until(1))),
        (Risk::R3, Some((OTHER, 7)), candidate(OTHER), None),
        (Risk::R2, Some((OTHER, 1)), candidate(OTHER), None),
        // A third person made both of them admins.
        (Risk::R3, Some((5, 1)), from(5, 2), Some(until(2))),
        (Risk::R3, Some((5, 2)), from(5, 1), Some(until(2))),
        (Risk::R3, Some((5, 1)), from(5, 7), None),
        (Risk::R3, Some((5, 1)), from(6, 1), None),
        (Risk::R2, Some((5, 1)), from(5, 1), None),
        (Risk::R3, None, from(5, 1), None),
    ];
    for (number, (risk, given, candidate, expected)) in cases.into_iter().enumerate() {
        let given = given.map(|(by, ago)| (user(by), days(ago)));
        let found = tried_at(risk, given, &candidate, Role::Admin);
        assert_eq!(found.err(), expected.map(NotApprover::TooNew), "case {number}");
    }
}

fn days_from(time: Timestamp, days: i64) -> Timestamp {
    time.checked_add(SignedDuration::from_hours(24 * days)).expect("a time")
}

#[test]
fn an_unknown_time_of_a_role_is_the_last_change_of_the_membership() {
    let moment = Moment::new(now(), 7);
    let founder = Member::new(&moment, user(OTHER), Role::Admin);
    assert_eq!(Candidate::of(&founder), candidate(OTHER));
    let given = Member { role_given_by: Some(user(AUTHOR)), ..founder };
    assert_eq!(Candidate::of(&given).role_given_at, Some(now()));
    let known = Member { role_given_at: Some(Timestamp::UNIX_EPOCH), ..given };
    assert_eq!(Candidate::of(&known).role_given_at, Some(Timestamp::UNIX_EPOCH));
    assert_eq!(tried(&Candidate::of(&known), Role::Admin), Ok(()));
}
