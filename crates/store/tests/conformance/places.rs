//! When children belong to teams.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::children::relations::{Relation, RelationKind, RelationState};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::places::{self, Stay};
use fieldhouse_store::{OrgScope, Store, children};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, restriction, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, season, staff, team};
use jiff::Timestamp;
use jiff::civil::date;

async fn scope(store: &Store, person: &Person) -> OrgScope {
    let child = ChildTouch::Listed { class: DataClass::Roster };
    person.scope_for(store, Requirement { child, ..ANY_MEMBER }).await
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) async fn are_the_days_on_a_roster_in_the_time_zone_of_the_club(store: &Store) {
    let club = Club::found(store, "Places One").await;
    let (parent, coach, owner) = (club.person(Role::Member), club.person(Role::Coach), club.owner());
    let (kim, lee) = (child("Kim K."), child("Lee L."));
    let winter = season("Winter");
    let boys = division(&winter, "Boys");
    let (eagles, owls) = (team(&boys, "Eagles"), team(&boys, "Owls"));
    let open = RosterEntry { starts_on: date(2026, 1, 1), ends_on: None, ..roster_entry(&eagles, &kim) };
    let (starts_on, ends_on) = (date(2026, 4, 4), Some(date(2026, 4, 5)));
    let two_days = RosterEntry { starts_on, ends_on, ..roster_entry(&owls, &kim) };
    let of_lee = roster_entry(&owls, &lee);
    let trainer = Staff { state: StaffState::Confirmed, ..staff(&eagles, coach.user.id) };
    let league: [AnyRecord; 4] = [winter.into(), boys.into(), eagles.clone().into(), owls.clone().into()];
    let family = with_classes(&kim).into_iter().chain(with_classes(&lee));
    let rest: [AnyRecord; 5] =
        [guardian(&kim, parent.user.id).into(), open.into(), two_days.into(), of_lee.into(), trainer.into()];
    club.create(store, league.into_iter().chain(family).chain(rest).collect()).await;

    let of_parent = scope(store, parent).await;
    let lines = of_parent.children::<Roster>(NOW).unwrap();
    let mut found = places::of_family(&mut &*store, &lines, of_parent.time_zone()).await.unwrap();
    found.sort_by_key(|(_, stay)| stay.from);
    // Melbourne's clocks go back on 5 April 2026.
    let expected = [
        Stay { team: eagles.id, from: time("2025-12-31T13:00:00Z"), until: Timestamp::MAX },
        Stay { team: owls.id, from: time("2026-04-03T13:00:00Z"), until: time("2026-04-05T14:00:00Z") },
    ];
    assert_eq!(found, expected.map(|stay| (kim.id, stay)));
    let (capacity, mut stays) =
        places::of_child(&mut &*store, &lines, of_parent.time_zone(), kim.id).await.unwrap().unwrap();
    stays.sort_by_key(|stay| stay.from);
    assert_eq!((capacity, &stays[..]), (Capacity::Guardian, &expected[..]));
    assert_eq!(places::of_child(&mut &*store, &lines, of_parent.time_zone(), lee.id).await.unwrap(), None);

    let of_coach = scope(store, coach).await;
    let lines = of_coach.children::<Roster>(NOW).unwrap();
    assert_eq!(
        places::of_family(&mut &*store, &lines, of_coach.time_zone()).await.unwrap(),
        [],
        "not their own"
    );
    let found = places::of_child(&mut &*store, &lines, of_coach.time_zone(), kim.id).await.unwrap();
    assert_eq!(found.map(|(capacity, _)| capacity), Some(Capacity::Staff));
    let of_owner = scope(store, owner).await;
    let lines = of_owner.children::<Roster>(NOW).unwrap();
    assert_eq!(places::of_child(&mut &*store, &lines, of_owner.time_zone(), kim.id).await.unwrap(), None);
}

/// A relation of each kind, in each state in which it may be when someone asks for their family.
fn relations_to(user: UserId, other: UserId, kind: RelationKind) -> Vec<(Child, Vec<AnyRecord>)> {
    let later = time("2100-01-01T00:00:00Z");
    let of = |change: &dyn Fn(&mut Relation), closed: &[(Option<UserId>, Timestamp, Option<Timestamp>)]| {
        let child = child("Kim K.");
        let mut relation = Relation::of_creator(&clubs::moment(), child.id, user, kind);
        change(&mut relation);
        let closed = closed.iter().map(|&(user_id, starts_at, lifted_at)| {
            let classes = vec![DataClass::Roster];
            Restriction { user_id, starts_at, lifted_at, classes, ..restriction(&child) }.into()
        });
        let records = [relation.into()].into_iter().chain(closed).collect();
        (child, records)
    };
    vec![
        of(&|_| {}, &[]),
        of(&|it| it.state = RelationState::Proposed, &[]),
        of(&|it| it.starts_at = later, &[]),
        of(&|it| it.expires_at = Some(later), &[]),
        of(&|it| it.expires_at = Some(NOW), &[]),
        of(&|_| {}, &[(None, NOW, None)]),
        of(&|_| {}, &[(Some(user), NOW, None), (Some(other), NOW, None)]),
        of(&|_| {}, &[(Some(other), NOW, None)]),
        of(&|_| {}, &[(None, later, None), (None, NOW, Some(NOW))]),
    ]
}

pub(crate) async fn of_the_family_are_those_of_children_whom_its_relations_open(store: &Store) {
    let club = Club::found(store, "Places Two").await;
    let (coach, owner) = (club.person(Role::Coach), club.owner());
    let winter = season("Winter");
    let boys = division(&winter, "Boys");
    let eagles = team(&boys, "Eagles");
    let trainer = Staff { state: StaffState::Confirmed, ..staff(&eagles, coach.user.id) };
    club.create(store, vec![winter.into(), boys.into(), eagles.clone().into(), trainer.into()]).await;
    let mut children: Vec<(Child, Vec<AnyRecord>)> =
        RelationKind::ALL.iter().flat_map(|kind| relations_to(coach.user.id, owner.user.id, *kind)).collect();
    let (both, only_staff) = (child("Lee L."), child("Max M."));
    let kinds = [RelationKind::Support, RelationKind::Guardian, RelationKind::Itself];
    let all = kinds.map(|kind| Relation::of_creator(&clubs::moment(), both.id, coach.user.id, kind).into());
    children.extend([(both.clone(), all.into()), (only_staff, Vec::new())]);
    for (child, about) in &children {
        let entry = roster_entry(&eagles, child);
        let about = about.iter().cloned().chain([entry.into()]);
        club.create(store, with_classes(child).into_iter().chain(about).collect()).await;
    }

    let scope = scope(store, coach).await;
    let lines = scope.children::<Roster>(NOW).unwrap();
    let seen = children::list(&mut &*store, &lines, None, 100).await.unwrap().expect("a list");
    let is_family = |capacity| matches!(capacity, Capacity::Child | Capacity::Guardian);
    let mut expected: Vec<_> =
        seen.iter().filter(|line| is_family(line.capacity)).map(|line| (line.id, line.capacity)).collect();
    let family = children::family(&mut &*store, &lines).await.unwrap();
    let family: Vec<_> = family.iter().map(|own| (own.id, own.kind.capacity())).collect();
    assert_eq!(family, expected);
    // Four of nine relations of the family's two kinds are open; one child has both.
    assert_eq!((family.len(), seen.len()), (2 * 4 + 1, children.len() - 5 * 2));
    assert!(family.contains(&(both.id, Capacity::Child)));
    let places = places::of_family(&mut &*store, &lines, scope.time_zone()).await.unwrap();
    let mut places: Vec<_> = places.into_iter().map(|(child, _)| child).collect();
    places.sort();
    expected.sort_by_key(|(child, _)| *child);
    assert_eq!(places, expected.into_iter().map(|(child, _)| child).collect::<Vec<_>>());
}
