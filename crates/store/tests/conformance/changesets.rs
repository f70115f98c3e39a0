//! Changesets and their parts: operations, simulations, effects and events.

use std::collections::BTreeSet;

use fieldhouse_domain::changesets::ChangesetState::{
    Approved, Draft, Executed, InReview, Rejected, Simulated, Stale,
};
use fieldhouse_domain::changesets::outcome::{EffectCause, Net, Pin};
use fieldhouse_domain::changesets::{Author, Changeset, ChangesetEvent, ChangesetKind, KEPT_SIMULATIONS};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{ChangesetId, Id as _, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::text::{Name, Reason};
use fieldhouse_store::changesets::{self, Origin, Simulation, StoredEffect, Waiting};
use fieldhouse_store::{Change, OrgWrite, Principal, Result, Store, Tx, rosters};
use fieldhouse_testing::clubs::{self, ANY_IMAGES, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::databases::Database;
use fieldhouse_testing::families::{child, guardian, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, season, team, venue};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use uuid::Uuid;

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

/// A draft.
pub(crate) fn changeset(author: UserId) -> Changeset {
    let author = Author { user: author, key: None, is_agent: false };
    let title = Name::stored("Winter draw".to_owned());
    Changeset::new(&clubs::moment(), ChangesetKind::Change, author, title, None)
}

fn simulation(of: &Changeset, at: Timestamp) -> Simulation {
    Simulation {
        id: clubs::moment().id(),
        changeset: of.id,
        hash: Some("hash".to_owned()),
        effect_digest: "digest".to_owned(),
        at,
        impact: json!({"records": 2}),
        facts: json!({"undoes_own_creation": false}),
        pins: BTreeSet::from([Pin {
            of: "venue".to_owned(),
            id: "ven_1".to_owned(),
            seen: Some("3".to_owned()),
        }]),
        conflicts: vec![json!({"kind": "field_changed"})],
        warnings: vec![json!({"code": "double_bookings"})],
        problems: vec![json!({"index": 3})],
    }
}

fn change(moment: &fieldhouse_domain::Moment) -> Change<'_> {
    Change { moment, operation: "testing.apply", request_id: "test", reason: None }
}

fn net(effect: &Effect) -> Net {
    Net { effect: effect.clone(), operation: 4, cause: EffectCause::Cascade }
}

/// Stores a changeset whose latest simulation has these effects.
pub(crate) async fn executed<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    (author, reason): (UserId, Option<&str>),
    effects: &[Effect],
) -> Result<Uuid> {
    let mut stored = changeset(author);
    stored.reason = reason.map(|reason| Reason::stored(reason.to_owned()));
    let simulation = simulation(&stored, NOW);
    stored.simulation_id = Some(simulation.id);
    let moment = clubs::moment();
    tx.apply(proof, change(&moment), &[Effect::create(stored.clone())]).await?;
    let nets: Vec<Net> = effects.iter().map(net).collect();
    let nets: Vec<(&Net, &str)> = nets.iter().map(|net| (net, "d")).collect();
    tx.store_simulation(proof, &simulation, &nets).await?;
    Ok(stored.id.uuid())
}

async fn store_all(store: &Store, club: &Club, all: &[Changeset]) {
    club.create(store, all.iter().cloned().map(AnyRecord::from).collect()).await;
}

pub(crate) async fn are_listed_to_managers_and_to_their_author(store: &Store) {
    let (club, other) = (Club::found(store, "Changes One").await, Club::found(store, "Changes Two").await);
    let (manager, coach) = (club.person(Role::Manager), club.person(Role::Coach));
    let of = |author: &Person, hours, state| Changeset {
        state,
        created_at: after(hours),
        ..changeset(author.user.id)
    };
    let [first, second, third] = [of(coach, 1, Draft), of(manager, 2, Executed), of(coach, 3, Executed)];
    store_all(store, &club, &[first.clone(), second.clone(), third.clone()]).await;
    store_all(store, &other, &[of(other.owner(), 1, Draft)]).await;
    let list = async |person: &Person, filter, from, limit| {
        let scope = person.scope(store).await;
        let listed = changesets::list(&mut &*store, &scope, filter, from, limit).await.unwrap();
        listed.into_iter().map(|changeset| changeset.id).collect::<Vec<_>>()
    };
    let own = Some(coach.user.id);
    assert_eq!(list(manager, (None, None), None, 9).await, [third.id, second.id, first.id]);
    assert_eq!(list(manager, (None, None), None, 2).await, [third.id, second.id]);
    let from = Some((second.created_at, second.id.uuid()));
    assert_eq!(list(manager, (None, None), from, 9).await, [first.id]);
    assert_eq!(list(manager, (Some(Executed), None), None, 9).await, [third.id, second.id]);
    assert_eq!(list(manager, (None, own), None, 9).await, [third.id, first.id]);
    assert_eq!(list(manager, (Some(Draft), own), None, 9).await, [first.id]);
    assert_eq!(list(coach, (None, None), None, 9).await, [third.id, first.id], "their own");
    assert_eq!(list(coach, (Some(Executed), own), None, 9).await, [third.id]);
    assert_eq!(list(coach, (None, Some(manager.user.id)), None, 9).await, []);
    let read = async |person: &Person, id| {
        let scope = person.scope(store).await;
        changesets::read(&mut &*store, &scope, id).await.unwrap().map(|found| found.id)
    };
    assert_eq!(read(manager, first.id).await, Some(first.id));
    assert_eq!(read(coach, first.id).await, Some(first.id));
    assert_eq!(read(coach, second.id).await, None, "someone else's");
    assert_eq!(read(other.owner(), first.id).await, None, "of another club");
}

pub(crate) async fn wait_for_the_server_until_their_time(store: &Store) {
    let club = Club::found(store, "Changes Three").await;
    let (author, key) = (club.person(Role::Manager).user.id, Some(club.person(Role::Manager).key.id));
    let of = |state, expires_at: Option<i64>, schedule_at: Option<i64>| Changeset {
        state,
        expires_at: expires_at.map(after),
        schedule_at: schedule_at.map(after),
        ..changeset(author)
    };
    let by_key = Changeset { author_key_id: key, ..of(Draft, None, None) };
    let [due, later, missed] =
        [(5, 4), (9, 8), (4, 3)].map(|(until, at)| of(Approved, Some(until), Some(at)));
    let [waits, over] = [6, 5].map(|until| of(InReview, Some(until), None));
    let others = [of(Simulated, None, None), of(Stale, None, None), of(Executed, None, Some(1)), by_key];
    let all = [due.clone(), later.clone(), missed.clone(), waits.clone(), over.clone()];
    store_all(store, &club, &[&all[..], &others[..]].concat()).await;
    let waiting = async |hours| store.waiting_changesets(club.id(), after(hours)).await.unwrap();
    let waits_in = async |hours| {
        let found = store.organizations_with_waiting_changesets(after(hours)).await.unwrap();
        found.contains(&club.id())
    };
    assert!(!waits_in(2).await && waits_in(4).await);
    assert_eq!(waiting(2).await, Waiting::default());
    assert_eq!(waiting(4).await, Waiting { due: vec![due.id], over: vec![missed.id] });
    let at_5 = waiting(5).await;
    assert_eq!(at_5.due, [], "its time is over");
    assert_eq!(at_5.over.iter().collect::<BTreeSet<_>>(), BTreeSet::from([&missed.id, &due.id, &over.id]));
    let counts = async |of, hours| {
        let counted = clubs::write(store, club.id(), async move |tx, proof| {
            tx.open_changesets(proof, of, after(hours)).await
        });
        counted.await.unwrap()
    };
    assert_eq!(counts((author, key), 0).await, (8, 1), "all but the executed one");
    assert_eq!(counts((author, None), 5).await, (5, 0), "an expired one is not open");
    assert_eq!(counts((club.owner().user.id, None), 0).await, (0, 0));
}

type Operations = Vec<(Json, Option<fieldhouse_domain::ids::ChildId>)>;

async fn with_operations(store: &Store, club: &Club, id: ChangesetId, operations: Operations) {
    let stored = clubs::write(store, club.id(), async move |tx, proof| {
        tx.replace_operations(proof, id, &operations).await
    });
    stored.await.unwrap();
}

async fn to_run(store: &Store, club: &Club, id: ChangesetId) -> Vec<Option<Json>> {
    let read = clubs::write(store, club.id(), async move |tx, proof| tx.operations_to_run(proof, id).await);
    read.await.unwrap().into_iter().map(|(body, _)| body).collect()
}

/// The effects of a simulation as a person sees them.
async fn effects(store: &Store, person: &Person, of: &Simulation) -> Vec<StoredEffect> {
    let scope = person.scope_for(store, ANY_IMAGES).await;
    let (images, id) = (scope.images(NOW).unwrap(), of.id);
    let read = store.read("tests.effects", async move |tx| changesets::effects(tx, &images, id).await);
    let read: Result<_> = read.await;
    read.unwrap().0
}

pub(crate) async fn have_parts_that_are_read_back(store: &Store) {
    let club = Club::found(store, "Changes Four").await;
    let (manager, parent) = (club.person(Role::Manager), club.person(Role::Member));
    let (winter, hall) = (season("Winter"), venue("Hall"));
    let boys = division(&winter, "Boys");
    let (blue, kim) = (team(&boys, "Blue"), child("Kim K."));
    let entry = roster_entry(&blue, &kim);
    let draft = changeset(manager.user.id);
    let league: Vec<AnyRecord> = vec![winter.into(), hall.clone().into(), boys.into(), blue.clone().into()];
    let family = with_classes(&kim).into_iter();
    let rest = [guardian(&kim, parent.user.id).into(), entry.clone().into(), draft.clone().into()];
    club.create(store, league.into_iter().chain(family).chain(rest).collect()).await;

    let origin = Origin {
        salt: [5; 16],
        undo_of: Some("{}".to_owned()),
        resolutions: "[]".to_owned(),
        file_options: Some("{}".to_owned()),
    };
    let (stored, id) = (origin.clone(), draft.id);
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        tx.create_origin(proof, id, &stored, Some("a,b")).await?;
        tx.store_resolutions(proof, id, "[1]").await
    });
    written.await.unwrap();
    let read = changesets::origin(&mut &*store, club.id(), draft.id).await.unwrap();
    assert_eq!(read, Origin { resolutions: "[1]".to_owned(), ..origin });
    assert!(changesets::origin(&mut &*store, club.id(), clubs::moment().id()).await.is_err());
    assert_eq!(changesets::file(&mut &*store, club.id(), draft.id).await.unwrap(), "a,b");
    assert!(changesets::file(&mut &*store, club.id(), clubs::moment().id()).await.is_err());
    let dropped = clubs::write(store, club.id(), async move |tx, proof| tx.drop_file(proof, id).await);
    dropped.await.unwrap();
    assert!(changesets::file(&mut &*store, club.id(), draft.id).await.is_err(), "its file is deleted");

    let bodies = [json!({"op": "create"}), json!({"op": "update", "set": {"position": "Goalkeeper"}})];
    let operations = vec![(bodies[0].clone(), None), (bodies[1].clone(), Some(kim.id))];
    with_operations(store, &club, draft.id, vec![(json!({}), None); 3]).await;
    with_operations(store, &club, draft.id, operations).await;
    let shown = changesets::shown_operations(&mut &*store, club.id(), draft.id).await.unwrap();
    assert_eq!(shown, [Some(bodies[0].clone()), None], "one about a child is shown to no one");
    assert_eq!(to_run(store, &club, draft.id).await, bodies.map(Some), "they replace the earlier ones");

    let moved = RosterEntry { jersey_number: Some(9), ..entry.clone() };
    let effect = Effect::update(&clubs::moment(), entry.clone(), moved.clone()).unwrap();
    let all = [Effect::delete(hall.clone()), effect, Effect::create(venue("New"))];
    let simulated = simulation(&draft, NOW);
    let (stored, effects_of) = (simulated.clone(), all.clone());
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        let nets: Vec<Net> = effects_of.iter().map(net).collect();
        let nets: Vec<_> = nets.iter().zip(["a", "b", "c"]).collect();
        tx.store_simulation(proof, &stored, &nets).await?;
        let later = json!({"undoes_own_creation": true});
        tx.renew_simulation(proof, stored.id, after(1), &later).await?;
        tx.simulated_records(proof, stored.id).await
    });
    let records = Box::pin(written).await.unwrap();
    let expected = [
        (Kind::Venue, hall.id.uuid(), None, "a".to_owned()),
        (Kind::RosterEntry, entry.id.uuid(), Some(kim.id), "b".to_owned()),
    ];
    assert_eq!(records[..2], expected);
    let found = changesets::simulation(&mut &*store, club.id(), simulated.id).await.unwrap();
    let renewed =
        Simulation { at: after(1), facts: json!({"undoes_own_creation": true}), ..simulated.clone() };
    assert_eq!(found, Some(renewed));
    let none = changesets::simulation(&mut &*store, club.id(), clubs::moment().id()).await.unwrap();
    assert_eq!(none, None);

    let [gone, of_kim, new] = &effects(store, manager, &simulated).await[..] else { panic!("three effects") };
    assert_eq!((gone.effect.verb.as_str(), gone.cause, gone.operation), ("deleted", EffectCause::Cascade, 4));
    assert_eq!((gone.digest.as_str(), gone.effect.before.is_some(), &gone.effect.after), ("a", true, &None));
    assert_eq!((&of_kim.effect.before, &of_kim.effect.after), (&None, &None), "no relation opens it");
    assert!(of_kim.effect.sealed && new.effect.after.is_some());
    let of_kim = &effects(store, parent, &simulated).await[1];
    let jersey = |image: &Option<String>| -> Json {
        let image: Json = serde_json::from_str(image.as_deref().unwrap_or_default()).unwrap();
        image["jersey_number"].clone()
    };
    let jerseys = (jersey(&of_kim.effect.before), jersey(&of_kim.effect.after));
    assert_eq!(jerseys, (json!(entry.jersey_number), json!(9)));

    let noted = draft.clone();
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        tx.note_event(proof, &noted, ChangesetEvent::Created, NOW, None).await?;
        tx.note_event(proof, &noted, ChangesetEvent::Rejected, after(1), Some("Not now")).await?;
        rosters::place_of(tx, proof, entry.id).await
    });
    assert_eq!(written.await.unwrap(), Some((blue.id, kim.id)));
    let scope = manager.scope(store).await;
    let events =
        async |from, limit| changesets::events(&mut &*store, &scope, draft.id, from, limit).await.unwrap();
    let told: Vec<_> =
        events(0, 9).await.into_iter().map(|it| (it.position, it.at, it.event, it.reason)).collect();
    let rejected = (2, after(1), ChangesetEvent::Rejected, Some("Not now".to_owned()));
    assert_eq!(told, [(1, NOW, ChangesetEvent::Created, None), rejected]);
    assert_eq!((events(1, 9).await.len(), events(0, 1).await.len()), (1, 1));
}

pub(crate) async fn what_others_simulate_counts_for_a_day(store: &Store) {
    let club = Club::found(store, "Changes Five").await;
    let author = club.person(Role::Manager).user.id;
    let of = |state, submitted: Option<i64>, author| Changeset {
        state,
        submitted_at: submitted.map(after),
        simulation_id: Some(clubs::moment().id()),
        ..changeset(author)
    };
    let own = of(InReview, Some(2), author);
    let counted = [
        of(Executed, Some(2), author),
        of(Approved, Some(1), author),
        Changeset { executed_at: Some(after(1)), ..of(Executed, Some(-30), author) },
        Changeset { schedule_at: Some(after(40)), ..of(Approved, Some(-30), author) },
    ];
    let not_counted = [
        of(Rejected, Some(2), author),
        of(Executed, Some(-30), author),
        of(Approved, Some(-30), author),
        of(InReview, Some(25), author),
        of(Draft, None, author),
        of(Executed, Some(2), club.owner().user.id),
    ];
    let all = [&[own.clone()][..], &counted[..], &not_counted[..]].concat();
    store_all(store, &club, &all).await;
    let id = own.id;
    let found = clubs::write(store, club.id(), async move |tx, proof| {
        for (of, number) in all.iter().zip(0..) {
            let facts = json!({"records": number});
            let simulation = Simulation { id: of.simulation_id.unwrap(), facts, ..simulation(of, NOW) };
            tx.store_simulation(proof, &simulation, &[]).await?;
        }
        tx.recent_facts(proof, &own, [after(-24), after(24)]).await
    });
    let mut records: Vec<_> = found.await.unwrap().iter().map(|it| it["records"].clone()).collect();
    records.sort_by_key(|it| it.as_i64());
    assert_eq!(records, [1, 2, 3, 4]);
    let (told, names) = changesets::of_mail(&mut &*store, club.id(), id).await.unwrap().expect("a changeset");
    let expected = ("Changes Five", json!({"records": 2}));
    assert_eq!((told.id, (names.name.as_str(), names.impact)), (id, expected));
    assert_eq!(names.author, club.person(Role::Manager).user.name.to_string());
    assert_eq!(changesets::of_mail(&mut &*store, club.id(), clubs::moment().id()).await.unwrap(), None);
}

pub(crate) async fn keep_their_latest_simulations(store: &Store) {
    let club = Club::found(store, "Changes Six").await;
    let draft = changeset(club.owner().user.id);
    store_all(store, &club, std::slice::from_ref(&draft)).await;
    let all: Vec<Simulation> =
        (0..i64::from(KEPT_SIMULATIONS) + 2).map(|hour| simulation(&draft, after(hour))).collect();
    let made = all.clone();
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        let effect = net(&Effect::create(venue("Hall")));
        for simulation in &made {
            tx.store_simulation(proof, simulation, &[(&effect, "d")]).await?;
        }
        let first = tx.simulated_records(proof, made[0].id).await?.len();
        Ok((first, tx.simulated_records(proof, made[2].id).await?.len()))
    });
    assert_eq!(written.await.unwrap(), (0, 1));
    for (simulation, number) in all.iter().zip(0..) {
        let found = changesets::simulation(&mut &*store, club.id(), simulation.id).await.unwrap();
        assert_eq!(found.is_some(), number >= 2, "{number}");
    }
}

pub(crate) async fn absent_people_are_judged_by_what_they_are_now(store: &Store) {
    let club = Club::found(store, "Changes Seven").await;
    let (manager, other) = (club.person(Role::Manager).clone(), club.person(Role::Coach).clone());
    let asked = async |user: UserId, key| {
        let organization = club.id();
        let permitted = clubs::write(store, organization, async move |tx, _| {
            let absent = Principal::Absent { organization, user, key };
            Ok(tx.permit(absent, ANY_MEMBER, None, NOW).await?.map(|proof| proof.role()))
        });
        permitted.await.unwrap()
    };
    let user = manager.user.id;
    assert_eq!(asked(user, None).await, Ok(Role::Manager));
    assert_eq!(asked(user, Some(manager.key.id)).await, Ok(Role::Manager));
    assert_eq!(asked(user, Some(other.key.id)).await, Err(Denial::KeyRevoked), "not their key");
    let low = fieldhouse_domain::api_keys::ApiKey { role: Role::Viewer, ..manager.key.clone() };
    let scoped = fieldhouse_domain::api_keys::ApiKey { scopes: Vec::<Scope>::new(), ..low };
    let apply = async |effect: Option<Effect>| {
        clubs::apply(store, club.id(), effect.into_iter().collect()).await.unwrap();
    };
    let lowered = Effect::update(&clubs::moment(), manager.key.clone(), scoped).unwrap();
    let Some(Ok(lowered_key)) = lowered.after.clone().map(fieldhouse_domain::api_keys::ApiKey::try_from)
    else {
        panic!("a key")
    };
    apply(Some(lowered)).await;
    assert_eq!(asked(user, Some(manager.key.id)).await, Ok(Role::Viewer), "what the key was issued for");
    let revoked = fieldhouse_domain::api_keys::ApiKey { revoked_at: Some(NOW), ..lowered_key.clone() };
    apply(Effect::update(&clubs::moment(), lowered_key, revoked)).await;
    assert_eq!(asked(user, Some(manager.key.id)).await, Err(Denial::KeyRevoked));
    assert_eq!(asked(user, None).await, Ok(Role::Manager));
    let suspended = Member { suspended_at: Some(NOW), ..manager.member.clone() };
    apply(Effect::update(&clubs::moment(), manager.member.clone(), suspended)).await;
    assert_eq!(asked(user, None).await, Err(Denial::Unknown));
    let organization = club.organization.clone();
    let closed =
        fieldhouse_domain::organizations::Organization { suspended_at: Some(NOW), ..organization.clone() };
    apply(Effect::update(&clubs::moment(), organization, closed)).await;
    assert_eq!(asked(other.user.id, None).await, Err(Denial::OrganizationSuspended));
}

pub(crate) async fn nothing_of_an_erased_child_can_be_read(store: &Store, database: &Database) {
    const PLANTED: &str = "Quokkaguard";
    let club = Club::found(store, "Changes Eight").await;
    let parent = club.person(Role::Member);
    let (winter, kim, lee) = (season("Winter"), child("Kim K."), child("Lee L."));
    let boys = division(&winter, "Boys");
    let blue = team(&boys, "Blue");
    let of = |child| RosterEntry {
        position: Some(Name::stored(PLANTED.to_owned())),
        ..roster_entry(&blue, child)
    };
    let (of_kim, of_lee) = (of(&kim), roster_entry(&blue, &lee));
    let draft = changeset(club.owner().user.id);
    let league: Vec<AnyRecord> = vec![winter.into(), boys.into(), blue.into(), draft.clone().into()];
    let family = [&kim, &lee]
        .into_iter()
        .flat_map(|child| with_classes(child).into_iter().chain([guardian(child, parent.user.id).into()]));
    let entries = [of_kim.clone().into(), of_lee.clone().into()];
    club.create(store, league.into_iter().chain(family).chain(entries).collect()).await;
    let body = json!({"op": "update", "set": {"position": PLANTED}});
    with_operations(store, &club, draft.id, vec![(body.clone(), Some(kim.id)), (body.clone(), Some(lee.id))])
        .await;
    let simulated = simulation(&draft, NOW);
    let stored = simulated.clone();
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        let nets = [net(&Effect::delete(of_kim.clone())), net(&Effect::delete(of_lee.clone()))];
        tx.store_simulation(proof, &stored, &[(&nets[0], "a"), (&nets[1], "b")]).await
    });
    written.await.unwrap();
    let readable = async || {
        let opened = effects(store, parent, &simulated).await;
        let opened: Vec<bool> = opened.iter().map(|it| it.effect.before.is_some()).collect();
        (to_run(store, &club, draft.id).await, opened)
    };
    assert_eq!(readable().await, (vec![Some(body.clone()), Some(body.clone())], vec![true, true]));
    let tables = database.tables_with(PLANTED);
    assert!(!tables.iter().any(|table| table.starts_with("changeset_")), "it is sealed: {tables:?}");

    let child = kim.id;
    let erased = clubs::write(store, club.id(), async move |tx, proof| {
        let moment = clubs::moment();
        tx.erase_child(proof, change(&moment), child).await
    });
    assert!(erased.await.unwrap());
    store.post_everything().await.unwrap();
    assert_eq!(readable().await, (vec![None, Some(body)], vec![false, true]), "only of the other child");
    assert_eq!(database.tables_with(PLANTED), Vec::<String>::new());
}
