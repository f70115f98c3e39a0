//! Conflicts of an undo that random histories rarely reach: of a child that was erased, of a record that came back before, and of names,
//! parents and places that are gone.

use fieldhouse_commands::changesets::Resolve;
use fieldhouse_commands::privacy_requests::EraseAgain;
use fieldhouse_domain::changesets::undo::{Resolution, Resolved};
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::venues::ChangeVenue;
use fieldhouse_store::privacy_requests::Erasure;
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::families::{child, guardian, registration, roster_entry, with_classes};
use jiff::civil::date;

use super::*;
use crate::{body, job, new_venue, request};

/// The kinds of the conflicts of a simulated undo.
fn conflicts(shown: &Shown) -> Vec<String> {
    let simulation = shown.simulation.as_ref().expect("a simulation");
    assert_eq!(simulation.problems, Vec::<Json>::new());
    simulation.conflicts.iter().map(|conflict| conflict["kind"].as_str().unwrap().to_owned()).collect()
}

/// Proposes an undo, as the admin, and simulates it.
async fn undo(store: &Store, club: &Club, of: UndoOf) -> Shown {
    let admin = club.person(Role::Admin);
    fieldhouse_store::ledger::latest(store, &admin.scope(store).await).await.unwrap();
    let draft = at(store, admin, NOW, undo_of(of)).await.unwrap();
    simulate(store, admin, draft.changeset.id).await
}

/// The rows of operations and effects of changesets.
fn of_changesets(database: &Database) -> [Vec<fieldhouse_testing::databases::TextRow>; 2] {
    let mut dump = database.dump();
    ["changeset_operations", "changeset_effects"].map(|table| dump.remove(table).unwrap())
}

#[tokio::test]
async fn nothing_of_an_erased_child_comes_back_or_can_be_read() {
    const PLANTED: &str = "Quokkaguard";
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Erased").await;
        let club = &league.club;
        let kim = child("Kim K.");
        let entry = RosterEntry {
            position: Some(Name::stored(PLANTED.to_owned())),
            jersey_number: Some(7),
            starts_on: date(2026, 5, 1),
            ..roster_entry(&league.home, &kim)
        };
        let accepted = Registration {
            division_id: Some(league.division.id),
            status: RegistrationStatus::Accepted,
            ..registration(&kim, &league.season)
        };
        let duty = |role: Role| Duty {
            kind: DutyKind::Registrar,
            state: DutyState::Accepted,
            season_id: Some(league.season.id),
            ends_at: after(100),
            ..leagues::duty(club.person(role).user.id)
        };
        let duties = [Role::Manager, Role::Admin, Role::Owner].map(|role| AnyRecord::from(duty(role)));
        let parent = guardian(&kim, club.person(Role::Member).user.id);
        let family = [parent.into(), accepted.into(), entry.clone().into()];
        let all = duties.into_iter().chain(with_classes(&kim)).chain(family);
        club.create(store, all.collect()).await;

        let fields = json!({"position": format!("{PLANTED} two")});
        let change = json!({"op": "update", "resource": "roster_entries", "id": entry.id, "set": fields});
        let changed = approved(store, club, &json!([change]), DriftPolicy::Strict).await;
        done(execute(store, club.owner(), &changed).await);
        let removal = json!([{"op": "delete", "resource": "roster_entries", "id": entry.id}]);
        let removed = approved(store, club, &removal, DriftPolicy::Strict).await;
        done(execute(store, club.owner(), &removed).await);
        let of = UndoOf::Changeset { changeset_id: removed.changeset.id };
        let possible = undo(store, club, of).await;
        assert!(possible.changeset.simulation_hash.is_some(), "{:?}", problems(&possible));
        // What is stored about the child is sealed: the value is in its roster entry alone, which is gone.
        let places = database.tables_with(PLANTED);
        assert!(!places.iter().any(|table| table.starts_with("changeset")), "{places:?}");
        let [operations, effects] = of_changesets(&database);
        let kim_id = kim.id.uuid();
        let about = |rows: &[fieldhouse_testing::databases::TextRow]| {
            let ids = rows.iter().map(|row| row["child_id"].replace('-', ""));
            ids.filter(|id| *id == kim_id.simple().to_string()).count()
        };
        assert_eq!((about(&operations), about(&effects)), (2, 3));

        store.post_everything().await.unwrap();
        let erasure =
            Erasure { organization: club.id(), request: clubs::moment().id(), child: kim.id, at: NOW };
        assert!(job(store, club, EraseAgain(erasure)).await.unwrap());
        store.post_everything().await.unwrap();

        // The key is gone, so that the sealed rows cannot be opened by anyone.
        let keys = &database.dump()["child_keys"];
        assert!(!keys.iter().any(|key| key["child_id"].replace('-', "") == kim_id.simple().to_string()));
        assert_eq!(database.tables_with(PLANTED), Vec::<String>::new());
        for changeset in [&changed, &removed] {
            let id = changeset.changeset.id;
            let run =
                clubs::write(store, club.id(), async move |tx, proof| tx.operations_to_run(proof, id).await);
            assert_eq!(run.await.unwrap(), vec![(None, Some(kim.id))], "no operation can be read");
        }
        for role in [Role::Owner, Role::Admin, Role::Manager, Role::Member] {
            for changeset in [&changed, &removed, &possible] {
                let scope = club.person(role).scope_for(store, fieldhouse_testing::clubs::ANY_IMAGES).await;
                let images = scope.images(NOW).unwrap();
                let simulation = changeset.changeset.simulation_id.unwrap();
                let read = store.read("tests.effects", async move |tx| {
                    fieldhouse_store::changesets::effects(tx, &images, simulation).await
                });
                let (effects, _) = read.await.unwrap();
                let is_closed = |effect: &fieldhouse_store::changesets::StoredEffect| {
                    effect.effect.before.is_none() && effect.effect.after.is_none()
                };
                assert!(!effects.is_empty() && effects.iter().all(is_closed), "{role}");
            }
        }

        // Neither an undo that was simulated before nor a new one brings anything back.
        let again = simulate(store, club.person(Role::Admin), possible.changeset.id).await;
        assert_eq!(conflicts(&again), ["content_erased"]);
        for changeset in [&removed, &changed] {
            let of = UndoOf::Changeset { changeset_id: changeset.changeset.id };
            let refused = undo(store, club, of).await;
            assert_eq!(conflicts(&refused), ["content_erased"]);
            let text = format!("{:?} {:?}", refused.operations, refused.simulation);
            assert!(!text.contains(PLANTED) && !text.contains("Kim"), "{text}");
            let id = refused.changeset.id;
            let record = entry.id.to_string();
            // It can be left out, and then there is nothing to undo.
            let skip = Resolved { record, field: None, resolution: Resolution::Skip };
            let resolve = Resolve { id, resolutions: vec![skip] };
            let left_out = at(store, club.person(Role::Admin), NOW, resolve).await.unwrap();
            assert!(left_out.changeset.simulation_hash.is_none());
            let [problem] = &problems(&left_out)[..] else { panic!("one problem") };
            assert!(problem["detail"].as_str().unwrap().contains("changes nothing"), "{problem}");
        }
    }
}

#[tokio::test]
async fn a_record_that_came_back_and_was_changed_is_a_conflict() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Recreated").await;
        let club = &league.club;
        let park = leagues::venue("Park");
        club.create(store, vec![park.clone().into()]).await;
        request(store, club.owner(), None, fieldhouse_commands::venues::Delete(park.id)).await.unwrap();
        let scope = club.owner().scope(store).await;
        fieldhouse_store::ledger::latest(store, &scope).await.unwrap();
        let filter = fieldhouse_store::ledger::Filter {
            operation: Some("venues.delete".to_owned()),
            ..fieldhouse_store::ledger::Filter::default()
        };
        let entries =
            fieldhouse_store::ledger::entries(&mut &*store, &scope, &filter, None, 10).await.unwrap();
        let of = UndoOf::Entry { entry: entries[0].id };
        let back = undo(store, club, of).await;
        let back = decide_by_owner(store, club, &back).await;
        done(execute(store, club.owner(), &back).await);
        // It is as it was, so that there is nothing to undo.
        let nothing = undo(store, club, of).await;
        assert_eq!(conflicts_or_problem(&nothing), ["state"]);
        let change: ChangeVenue = body(&[("name", "Field")]);
        let rename = fieldhouse_commands::venues::Change { id: park.id, change };
        request(store, club.owner(), None, rename).await.unwrap();
        let recreated = undo(store, club, of).await;
        assert_eq!(conflicts(&recreated), ["recreated"]);
        let anyway =
            Resolved { record: park.id.to_string(), field: None, resolution: Resolution::RestoreAnyway };
        let resolve = Resolve { id: recreated.changeset.id, resolutions: vec![anyway] };
        let resolved = at(store, club.person(Role::Admin), NOW, resolve).await.unwrap();
        let resolved = decide_by_owner(store, club, &resolved).await;
        done(execute(store, club.owner(), &resolved).await);
        let mut names = crate::venues(store, club).await;
        names.sort();
        assert_eq!(names, ["Oval", "Park"]);
    }
}

/// The codes of the problems.
fn conflicts_or_problem(shown: &Shown) -> Vec<String> {
    problems(shown).iter().map(|problem| problem["code"].as_str().unwrap().to_owned()).collect()
}

/// Has a changeset of the admin approved by all who are asked.
async fn decide_by_owner(store: &Store, club: &Club, simulated: &Shown) -> Shown {
    let id = simulated.changeset.id;
    let mut shown = at(store, club.person(Role::Admin), NOW, Submit(id)).await.unwrap();
    for role in [Role::Owner, Role::Manager] {
        if shown.changeset.state != ChangesetState::Approved {
            let approve = Approve { id, hash: hash(&shown) };
            shown = at(store, club.person(role), NOW, approve).await.unwrap();
        }
    }
    shown
}

/// Executes operations, and returns what undoes them.
async fn executed(store: &Store, club: &Club, operation: Json) -> UndoOf {
    let shown = approved(store, club, &json!([operation]), DriftPolicy::Strict).await;
    let (shown, _) = done(execute(store, club.owner(), &shown).await);
    UndoOf::Changeset { changeset_id: shown.changeset.id }
}

#[tokio::test]
async fn a_name_a_parent_or_a_place_that_is_gone_is_a_conflict() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Gone").await;
        let club = &league.club;
        let lions = leagues::team(&league.division, "Lions");
        let coach = leagues::staff(&lions, club.person(Role::Coach).user.id);
        club.create(store, vec![lions.clone().into(), coach.clone().into()]).await;

        let set = json!({"starts_at": after(300), "ends_at": after(301)});
        let moved = json!({"op": "update", "resource": "games", "id": league.game.id, "set": set});
        let moved = executed(store, club, moved).await;
        let there = Game {
            venue_id: Some(league.venue.id),
            ends_at: Some(after(201)),
            ..leagues::game(&league.division, league.away.id, league.home.id, after(200))
        };
        club.create(store, vec![there.into()]).await;
        assert_eq!(conflicts(&undo(store, club, moved).await), ["invariant"]);

        let removed = json!({"op": "delete", "resource": "staff", "id": coach.id});
        let removed = executed(store, club, removed).await;
        job(store, club, fieldhouse_commands::teams::Delete(lions.id)).await.unwrap();
        assert_eq!(conflicts(&undo(store, club, removed).await), ["parent_missing"]);

        let set = json!({"name": "Park"});
        let renamed = json!({"op": "update", "resource": "venues", "id": league.venue.id, "set": set});
        let renamed = executed(store, club, renamed).await;
        request(store, club.owner(), None, fieldhouse_commands::venues::Create(new_venue("OVAL")))
            .await
            .unwrap();
        assert_eq!(conflicts(&undo(store, club, renamed).await), ["unique_taken"]);
    }
}
