//! When children belong to teams.

use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::places::{self, Stay};
use fieldhouse_store::{OrgScope, Store};
use fieldhouse_testing::clubs::{ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, roster_entry, with_classes};
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
