//! Rosters and registrations: read through a relation, and what follows when they end or what they name is deleted.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{Id as _, TeamId};
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_store::access::children::{ChildScope, Identity, Roster, Write};
use fieldhouse_store::{
    Error, Principal, Store, children, divisions, registrations, rosters, seasons, teams,
};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, registration, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, duty, parsed, season, team};
use jiff::SignedDuration;
use jiff::civil::date;

const LISTED: Requirement =
    Requirement { child: ChildTouch::Listed { class: DataClass::Roster }, ..ANY_MEMBER };

async fn scope(store: &Store, person: &Person) -> ChildScope<Roster> {
    person.scope_for(store, LISTED).await.children(NOW).unwrap()
}

/// A season whose registrar is a coach, with two children of a member.
struct World {
    season: Season,
    boys: Division,
    eagles: Team,
    kim: Child,
    sam: Child,
    /// Kim is in the team from 2026-02-01 on, Sam in February.
    entries: [RosterEntry; 2],
    accepted: [Registration; 2],
    duty: Duty,
}

impl World {
    async fn create(store: &Store, club: &Club) -> Self {
        let winter = season("Winter");
        let boys = division(&winter, "Boys");
        let eagles = team(&boys, "Eagles");
        let (kim, sam) = (child("Kim K."), child("Sam S."));
        let entry = |child| RosterEntry { starts_on: date(2026, 2, 1), ..roster_entry(&eagles, child) };
        let entries = [entry(&kim), RosterEntry { ends_on: Some(date(2026, 2, 28)), ..entry(&sam) }];
        let accepted = [&kim, &sam].map(|child| Registration {
            division_id: Some(boys.id),
            status: RegistrationStatus::Accepted,
            ..registration(child, &winter)
        });
        let (parent, registrar) = (club.person(Role::Member), club.person(Role::Coach));
        let duty = Duty {
            kind: DutyKind::Registrar,
            state: DutyState::Accepted,
            season_id: Some(winter.id),
            ends_at: NOW.saturating_add(SignedDuration::from_hours(1)).unwrap(),
            ..duty(registrar.user.id)
        };
        let league = [
            AnyRecord::from(winter.clone()),
            boys.clone().into(),
            eagles.clone().into(),
            duty.clone().into(),
        ];
        let of_children = [&kim, &sam].into_iter().flat_map(|child| {
            with_classes(child).into_iter().chain([guardian(child, parent.user.id).into()])
        });
        let places = entries.iter().cloned().map(AnyRecord::from);
        let places = places.chain(accepted.iter().cloned().map(AnyRecord::from));
        club.create(store, league.into_iter().chain(of_children).chain(places).collect()).await;
        Self { season: winter, boys, eagles, kim, sam, entries, accepted, duty }
    }
}

pub(crate) async fn are_read_by_day_and_only_through_a_relation(store: &Store) {
    let club = Club::found(store, "Rosters One").await;
    let world = World::create(store, &club).await;
    let (parent, registrar, owner) = (club.person(Role::Member), club.person(Role::Coach), club.owner());
    let of_parent = scope(store, parent).await;
    let on = async |scope: &ChildScope<Roster>, day, after, limit| {
        let found = rosters::list(&mut &*store, scope, (world.eagles.id, day), after, limit).await.unwrap();
        found.map(|found| found.into_iter().map(|it| it.data.display_name).collect::<Vec<_>>())
    };
    for (day, expected) in [
        (date(2026, 1, 31), vec![]),
        (date(2026, 2, 1), vec!["Kim K.", "Sam S."]),
        (date(2026, 2, 28), vec!["Kim K.", "Sam S."]),
        (date(2026, 3, 1), vec!["Kim K."]),
    ] {
        assert_eq!(on(&of_parent, day, None, 10).await.unwrap(), expected, "{day}");
        let scope = owner.scope(store).await;
        let count = rosters::count(&mut &*store, &scope, world.eagles.id, day).await.unwrap();
        assert_eq!(usize::try_from(count).unwrap(), expected.len(), "{day}");
    }
    let february = date(2026, 2, 3);
    assert_eq!(on(&scope(store, owner).await, february, None, 10).await, Some(vec![]), "no relation");
    assert_eq!(on(&scope(store, registrar).await, february, None, 10).await.unwrap().len(), 2);
    assert_eq!(on(&of_parent, february, None, 1).await.unwrap(), ["Kim K."]);
    let kim = Some(world.entries[0].id.uuid());
    assert_eq!(on(&of_parent, february, kim, 10).await.unwrap(), ["Sam S."], "after the first");
    let sam = Some(world.entries[1].id.uuid());
    assert_eq!(on(&of_parent, february, sam, 10).await, Some(vec![]), "after the last");
    let unknown = Some(uuid::Uuid::from_u128(7));
    assert_eq!(on(&of_parent, february, unknown, 10).await, None, "the entry of the cursor does not exist");

    let registered = async |person: &Person, status| {
        let scope = scope(store, person).await;
        let of = (world.season.id, status);
        let found = registrations::list(&mut &*store, &scope, of, None, 10).await.unwrap();
        found.into_iter().map(|it| (it.capacity, it.data.display_name)).collect::<Vec<_>>()
    };
    let both = |capacity| vec![(capacity, "Kim K.".to_owned()), (capacity, "Sam S.".to_owned())];
    let sorted = async |person, status| {
        let mut found = registered(person, status).await;
        found.sort_by(|one, other| one.1.cmp(&other.1));
        found
    };
    assert_eq!(sorted(parent, None).await, both(Capacity::Guardian));
    assert_eq!(sorted(registrar, Some(RegistrationStatus::Accepted)).await, both(Capacity::Registrar));
    assert_eq!(registered(registrar, Some(RegistrationStatus::Applied)).await, []);
    assert_eq!(registered(owner, None).await, []);
}

pub(crate) async fn are_opened_in_every_capacity_of_the_caller(store: &Store) {
    let (club, other) = (Club::found(store, "Rosters Two").await, Club::found(store, "Rosters Three").await);
    let world = World::create(store, &club).await;
    let kim = world.kim.clone();
    // The registrar is a guardian too.
    let registrar = club.person(Role::Coach);
    club.create(store, vec![guardian(&kim, registrar.user.id).into()]).await;
    let touch = ChildTouch::OfRecord { class: DataClass::Identity, verb: Verb::Write };
    let wanted = Requirement { child: touch, ..ANY_MEMBER };
    let on_roster = ChildTouch::InBody { class: DataClass::Roster, verb: Verb::Write };
    let on_roster = Requirement { child: on_roster, ..ANY_MEMBER };
    let scope = std::sync::Arc::new(registrar.scope_for(store, wanted).await);
    let foreign = std::sync::Arc::new(other.owner().scope_for(store, wanted).await);
    let (season, eagles) = (world.season.id, world.eagles.id);
    let (entry, accepted) = (world.entries[0].clone(), world.accepted[0].clone());
    let checked = store.write("tests.rosters", async move |tx| {
        let proof = tx.permit(Principal::Caller(&scope), wanted, None, NOW).await?.expect("a member");
        let class = (DataClass::Identity, Verb::Write);
        let held = tx.capacities(&proof, kim.id, class, Capacity::ALL).await?;
        assert_eq!(held, [Capacity::Guardian, Capacity::Registrar]);
        for (team, expected) in [(None, true), (Some(eagles), true)] {
            assert_eq!(tx.registers(&proof, season, team).await?, expected);
        }
        assert_eq!(registrations::child_of(tx, &proof, accepted.id).await?, Some(kim.id));
        let access = tx.open::<Identity, Write>(&proof, kim.id).await?.expect("a guardian's");
        assert_eq!(children::name(tx, &access).await?, "Kim K.");
        assert_eq!(registrations::read(tx, &access, accepted.id).await?.as_ref(), Some(&accepted));
        assert_eq!(registrations::current(tx, &access, season).await?.as_ref(), Some(&accepted));

        let proof = tx.permit(Principal::Caller(&scope), on_roster, None, NOW).await?.expect("a member");
        let access = tx.open::<Roster, Write>(&proof, kim.id).await?.expect("the registrar's");
        assert_eq!(access.capacity(), Capacity::Registrar, "a guardian does not write rosters");
        assert_eq!(rosters::child_of(tx, &proof, eagles, entry.id).await?, Some(kim.id));
        let elsewhere = TeamId::from_uuid(uuid::Uuid::from_u128(7));
        assert_eq!(rosters::child_of(tx, &proof, elsewhere, entry.id).await?, None, "another team");
        assert_eq!(rosters::of_child(tx, &access, eagles).await?, std::slice::from_ref(&entry));

        let proof = tx.permit(Principal::Caller(&foreign), wanted, None, NOW).await?.expect("a member");
        assert_eq!(tx.capacities(&proof, kim.id, class, Capacity::ALL).await?, []);
        assert!(!tx.registers(&proof, season, None).await?);
        assert_eq!(registrations::child_of(tx, &proof, accepted.id).await?, None, "another club's");
        Ok::<_, Error>(())
    });
    checked.await.unwrap();
}

pub(crate) async fn end_with_what_they_name(store: &Store) {
    let club = Club::found(store, "Rosters Four").await;
    let World { season, boys, eagles, kim, sam, accepted, duty, .. } = World::create(store, &club).await;
    let scope_of_owner = club.owner().scope(store).await;
    let reader = &mut &*store;
    let parent = scope(store, club.person(Role::Member)).await;
    assert_eq!(teams::dependents(reader, &scope_of_owner, eagles.id, NOW).await.unwrap(), 1, "Sam has left");
    assert_eq!(divisions::dependents(reader, &scope_of_owner, boys.id).await.unwrap(), 3);
    let contents = seasons::contents(reader, &scope_of_owner, season.id).await.unwrap();
    let about: Vec<_> = contents.iter().filter(|record| record.child().is_some()).collect();
    assert_eq!(about.len(), 4, "two registrations and two entries");

    let [of_kim, _] = accepted;
    let withdrawn = Registration { status: RegistrationStatus::Withdrawn, ..of_kim.clone() };
    let change = Effect::update(&clubs::moment(), of_kim, withdrawn);
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    let today = date(2026, 3, 1);
    let names = async |day| {
        let found = rosters::list(&mut &*store, &parent, (eagles.id, day), None, 10).await.unwrap();
        found.unwrap().into_iter().map(|it| it.data.entry.child_id).collect::<Vec<_>>()
    };
    assert_eq!(names(today).await, [], "the entry has ended");
    assert_eq!(names(date(2026, 2, 28)).await, [kim.id, sam.id], "past days stay");
    assert_eq!(teams::dependents(reader, &scope_of_owner, eagles.id, NOW).await.unwrap(), 0);
    assert_eq!(
        divisions::dependents(reader, &scope_of_owner, boys.id).await.unwrap(),
        2,
        "not the withdrawn"
    );

    let gone = [
        Effect::delete(duty),
        Effect::delete(eagles.clone()),
        Effect::delete(boys),
        Effect::delete(season.clone()),
    ];
    clubs::apply(store, club.id(), gone.into()).await.unwrap();
    assert_eq!(names(date(2026, 2, 28)).await, [], "entries go with the team");
    let of = (season.id, None);
    assert_eq!(registrations::list(reader, &parent, of, None, 10).await.unwrap(), [], "and registrations");
    let read = children::read_line(reader, &parent, sam.id).await.unwrap().expect("the child stays");
    assert_eq!(parsed(&[read])[0].teams, []);
}
