//! What relations open: every list and every single read of random clubs agrees with an oracle that is written without SQL.

mod oracle;

use std::collections::BTreeMap;

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::BreakGlassGrant;
use fieldhouse_domain::children::cases::{CaseState, SafeguardingCase};
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::children::consents::{Consent, Purpose};
use fieldhouse_domain::children::relations::{Relation, RelationKind, RelationState};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{ChildId, Id as _, UserId};
use fieldhouse_domain::policy::{ChildTouch, Denial, Requirement};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_store::access::children::{Contact, Emergency, Identity, Performance, Profile, Roster};
use fieldhouse_store::children::{self, ListedRecord};
use fieldhouse_store::{Principal, Store, registrations, rosters};
use fieldhouse_testing::clubs::{ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::databases;
use fieldhouse_testing::families::{
    break_glass, case, child, consent, guardian, registration, restriction, roster_entry,
};
use fieldhouse_testing::leagues::{division, duty, season, staff, team};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng};

use self::oracle::World;

const CLUBS: u64 = 2;
const CHILDREN: usize = 10;

/// A time around now: well before, just before, now, just after or well after.
fn time(random: &mut StdRng) -> Timestamp {
    let minutes = *[-60 * 24 * 30, -1, 0, 1, 60 * 24 * 30].choose(random).unwrap();
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

/// A day around today.
fn day(random: &mut StdRng, today: Date) -> Date {
    today.checked_add(jiff::Span::new().days(*[-30, -1, 0, 1, 30].choose(random).unwrap())).unwrap()
}

fn maybe<T>(random: &mut StdRng, value: impl FnOnce(&mut StdRng) -> T) -> Option<T> {
    random.random_bool(0.4).then(|| value(random))
}

/// Invents a club whose people, teams and children are related at random.
fn invent(random: &mut StdRng, club: &Club, today: Date) -> World {
    let users: Vec<_> = Role::ALL.iter().map(|role| club.person(*role).user.id).collect();
    let seasons = [season("Winter"), season("Summer")];
    let divisions = seasons.each_ref().map(|season| division(season, "Boys"));
    let teams: Vec<_> =
        divisions.iter().flat_map(|division| [team(division, "Eagles"), team(division, "Hawks")]).collect();
    let children: Vec<Child> = (0..CHILDREN)
        .map(|number| Child {
            birth_year: i64::from(today.year()) - random.random_range(10..17),
            ..child(&format!("Child {number}"))
        })
        .collect();
    let mut world =
        World { today, now: NOW, teams: teams.clone(), children: children.clone(), ..World::default() };
    for team in &teams {
        for user in &users {
            if random.random_bool(0.2) {
                let state = *StaffState::ALL.choose(random).unwrap();
                let starts_on = maybe(random, |random| day(random, today));
                let ends_on = maybe(random, |random| day(random, today));
                world.staff.push(Staff { state, starts_on, ends_on, ..staff(team, *user) });
            }
        }
        for child in &children {
            if random.random_bool(0.3) {
                let starts_on = day(random, today);
                let ends_on = maybe(random, |random| day(random, today));
                world.rosters.push(RosterEntry { starts_on, ends_on, ..roster_entry(team, child) });
            }
        }
    }
    for user in &users {
        for _ in 0..random.random_range(0..3) {
            let kind = *DutyKind::ALL.choose(random).unwrap();
            let season_id = Some(seasons.choose(random).unwrap().id).filter(|_| random.random_bool(0.7));
            let of_season = teams.iter().filter(|team| Some(team.season_id) == season_id);
            let team_ids = of_season.map(|team| team.id).filter(|_| random.random_bool(0.3)).collect();
            let state = *[DutyState::Accepted, DutyState::Accepted, DutyState::Confirmed, DutyState::Revoked]
                .choose(random)
                .unwrap();
            let (starts_at, ends_at) = (time(random), time(random));
            world.duties.push(Duty { kind, season_id, team_ids, state, starts_at, ends_at, ..duty(*user) });
        }
    }
    for child in &children {
        for user in &users {
            if random.random_bool(0.2) {
                let kind = *RelationKind::ALL.choose(random).unwrap();
                let state = *[RelationState::Active, RelationState::Active, RelationState::Revoked]
                    .choose(random)
                    .unwrap();
                let (starts_at, expires_at) = (time(random), maybe(random, time));
                world.relations.push(Relation {
                    state,
                    starts_at,
                    expires_at,
                    kind,
                    ..guardian(child, *user)
                });
            }
        }
        if random.random_bool(0.4) {
            let (starts_at, ends_at, ended_at) = (time(random), time(random), maybe(random, time));
            let user = *users.choose(random).unwrap();
            world.grants.push(BreakGlassGrant { starts_at, ends_at, ended_at, ..break_glass(child, user) });
        }
        if random.random_bool(0.2) {
            let user_id = Some(*users.choose(random).unwrap()).filter(|_| random.random_bool(0.8));
            let classes = DataClass::ALL.iter().copied().filter(|_| random.random_bool(0.4)).collect();
            let (starts_at, lifted_at) = (time(random), maybe(random, time));
            world.restrictions.push(Restriction {
                user_id,
                classes,
                starts_at,
                lifted_at,
                ..restriction(child)
            });
        }
        for purpose in [Purpose::Participation, Purpose::MedicalCare, Purpose::Photos] {
            if random.random_bool(0.5) {
                let (expires_at, withdrawn_at) =
                    (maybe(random, time), random.random_bool(0.2).then_some(NOW));
                world.consents.push(Consent { purpose, expires_at, withdrawn_at, ..consent(child) });
            }
        }
        if random.random_bool(0.3) {
            let status = *RegistrationStatus::ALL.choose(random).unwrap();
            let season = seasons.choose(random).unwrap();
            world.registrations.push(Registration { status, ..registration(child, season) });
        }
    }
    suspect(random, &mut world, &users);
    world.records =
        seasons.iter().cloned().map(AnyRecord::from).chain(divisions.map(AnyRecord::from)).collect();
    world
}

/// Invents safeguarding cases, and leads who may work on them.
fn suspect(random: &mut StdRng, world: &mut World, users: &[UserId]) {
    let children = world.children.clone();
    for _ in 0..6 {
        let state =
            *[CaseState::Open, CaseState::Open, CaseState::Open, CaseState::Proposed, CaseState::Closed]
                .choose(random)
                .unwrap();
        let child_ids = children.iter().map(|it| it.id).filter(|_| random.random_bool(0.3)).collect();
        let lead_ids = users.iter().copied().filter(|_| random.random_bool(0.5)).collect();
        let ends_at = Some(time(random));
        world.cases.push(SafeguardingCase {
            state,
            child_ids,
            lead_ids,
            ends_at,
            ..case(&children[0], users[0])
        });
    }
    for user in users.iter().filter(|_| random.random_bool(0.5)) {
        let (kind, state) = (DutyKind::SafeguardingLead, DutyState::Accepted);
        let ends_at = NOW.saturating_add(SignedDuration::from_hours(1)).unwrap();
        world.duties.push(Duty { kind, state, ends_at, ..duty(*user) });
    }
}

fn requirement(class: DataClass, verb: Verb) -> Requirement {
    Requirement { child: ChildTouch::InPath { class, verb, parameter: "id" }, ..ANY_MEMBER }
}

/// What a person can open of a class: the children in the list of the class roster, and those that open one by one.
async fn opened<C: ListedRecord>(
    store: &Store,
    person: &Person,
    world: &World,
) -> BTreeMap<ChildId, Capacity> {
    let scope = person.scope_for(store, requirement(C::CLASS, Verb::Read)).await.children::<C>(NOW).unwrap();
    let mut found = BTreeMap::new();
    for child in &world.children {
        if let Some(read) = children::read(&mut &*store, &scope, child.id).await.unwrap() {
            assert_eq!(read.data.id().uuid(), child.id.uuid());
            found.insert(child.id, read.capacity);
        }
    }
    found
}

/// What a person can open of a class in a transaction, and why not.
async fn admitted(
    store: &Store,
    person: &Person,
    world: &World,
    class: DataClass,
    verb: Verb,
) -> BTreeMap<ChildId, Result<(), Denial>> {
    let scope = std::sync::Arc::new(person.scope_for(store, requirement(class, verb)).await);
    let mut found = BTreeMap::new();
    for child in &world.children {
        let (scope, id) = (scope.clone(), child.id);
        let admitted = store.write("tests.children", async move |tx| {
            let proof =
                tx.permit(Principal::Caller(&scope), requirement(class, verb), Some(id.uuid()), NOW).await?;
            Ok::<_, fieldhouse_store::Error>(proof.map(drop))
        });
        found.insert(child.id, admitted.await.unwrap());
    }
    found
}

#[tokio::test]
async fn lists_and_single_reads_of_random_clubs_agree_with_the_oracle() {
    for database in databases::both() {
        let store = database.open().await;
        for seed in 0..CLUBS {
            let random = &mut StdRng::seed_from_u64(seed);
            let club = Club::found(&store, &format!("Random {seed}")).await;
            let today = club.organization.time_zone.date(NOW);
            let world = invent(random, &club, today);
            club.create(&store, world.stored()).await;
            for role in Role::ALL {
                agree(&store, club.person(role), &world).await;
            }
        }
    }
}

async fn agree(store: &Store, person: &Person, world: &World) {
    let user = person.user.id;
    let scope = person.scope_for(store, requirement(DataClass::Roster, Verb::Read)).await;
    let list =
        children::list(&mut &*store, &scope.children::<Roster>(NOW).unwrap(), None, 100).await.unwrap();
    let list: BTreeMap<_, _> = list.unwrap().into_iter().map(|it| (it.id, it.capacity)).collect();
    assert_eq!(list, world.opened(user, DataClass::Roster, Verb::Read), "{user} lists");
    let lines = scope.children::<Roster>(NOW).unwrap();
    for team in &world.teams {
        let found = rosters::list(&mut &*store, &lines, (team.id, world.today), None, 100).await.unwrap();
        let mut found: Vec<_> =
            found.unwrap().into_iter().map(|it| (it.data.entry.child_id, it.data.entry.id)).collect();
        let is_open = |entry: &&RosterEntry| {
            entry.team_id == team.id && entry.is_open_on(world.today) && list.contains_key(&entry.child_id)
        };
        let mut expected: Vec<_> =
            world.rosters.iter().filter(is_open).map(|entry| (entry.child_id, entry.id)).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{user} reads a roster");
    }
    for season in world.teams.iter().map(|team| team.season_id) {
        let found = registrations::list(&mut &*store, &lines, (season, None), None, 100).await.unwrap();
        let mut found: Vec<_> = found.into_iter().map(|it| it.data.registration.id).collect();
        let mut expected = world.registered(user, season);
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{user} lists registrations");
    }
    for (class, found) in [
        (DataClass::Profile, opened::<Profile>(store, person, world).await),
        (DataClass::Identity, opened::<Identity>(store, person, world).await),
        (DataClass::Contact, opened::<Contact>(store, person, world).await),
        (DataClass::Emergency, opened::<Emergency>(store, person, world).await),
        (DataClass::Performance, opened::<Performance>(store, person, world).await),
    ] {
        assert_eq!(found, world.opened(user, class, Verb::Read), "{user} reads {class}");
    }
    let known = world.opened(user, DataClass::Roster, Verb::Read);
    for class in DataClass::ALL.iter().copied() {
        for verb in [Verb::Read, Verb::Write] {
            let open = world.opened(user, class, verb);
            for (child, admitted) in admitted(store, person, world, class, verb).await {
                let expected = match (open.contains_key(&child), known.contains_key(&child)) {
                    (true, _) => Ok(()),
                    (false, true) => Err(Denial::RelationshipInsufficient),
                    (false, false) => Err(Denial::ChildHidden),
                };
                assert_eq!(admitted, expected, "{user} {class} {verb} of {child}");
            }
        }
    }
}
