//! What changed between the simulation and the execution.

use fieldhouse_commands::venues;
use fieldhouse_domain::changesets::risk::Risk;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::venues::ChangeVenue;
use fieldhouse_testing::databases;

use super::*;
use crate::{body, new_venue, request};

#[expect(clippy::needless_pass_by_value, reason = "ids are copied")]
fn rename(id: impl ToString, name: &str) -> Json {
    json!({"op": "update", "resource": "venues", "id": id.to_string(), "set": {"name": name}})
}

/// Changes a venue directly.
async fn direct(store: &Store, league: &League, fields: &[(&str, &str)]) {
    let change: ChangeVenue = body(fields);
    let command = venues::Change { id: league.venue.id, change };
    request(store, league.club.owner(), None, command).await.unwrap();
}

async fn venue(store: &Store, league: &League) -> Venue {
    let scope = league.club.owner().scope(store).await;
    fieldhouse_store::records::read(&mut &*store, &scope, league.venue.id).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_changed_record_that_is_written_makes_it_stale_unless_it_is_tolerated_and_has_no_effect() {
    for database in databases::both() {
        let store = &database.open().await;
        for (policy, name) in [(DriftPolicy::Strict, "Strict"), (DriftPolicy::TolerateUnrelated, "Tolerant")]
        {
            let league = League::found(store, name).await;
            let operations = json!([rename(league.venue.id, "Park")]);
            // Another field of the record is part of no effect, but its images are.
            let changeset = approved(store, &league.club, &operations, policy).await;
            assert_eq!(changeset.changeset.risk, Some(Risk::R0));
            direct(store, &league, &[("address", "1 Hall St")]).await;
            let drifted = stale(execute(store, league.author(), &changeset).await);
            let record = json!({"of": "venue", "id": league.venue.id});
            assert!(drifted.contains(&record), "{drifted:?}");
            assert_eq!(venue(store, &league).await.name.as_str(), "Oval", "nothing was done");
            let again = simulate(store, league.author(), changeset.changeset.id).await;
            assert_eq!(again.changeset.state, ChangesetState::Simulated);
            let again = decide(store, &league.club, league.author(), &again).await;
            // There and back: the version differs, the effects do not.
            direct(store, &league, &[("address", "2 Hall St")]).await;
            direct(store, &league, &[("address", "1 Hall St")]).await;
            let executed = execute(store, league.author(), &again).await;
            if policy == DriftPolicy::Strict {
                assert!(stale(executed).contains(&record));
            } else {
                assert!(!done(executed).1);
                assert_eq!(venue(store, &league).await.name.as_str(), "Park");
            }
        }
    }
}

#[tokio::test]
async fn a_changed_record_that_is_read_makes_it_stale() {
    for database in databases::both() {
        let store = &database.open().await;
        for (policy, name) in [(DriftPolicy::Strict, "Strict"), (DriftPolicy::TolerateUnrelated, "Tolerant")]
        {
            let league = League::found(store, name).await;
            let test = json!([{"op": "test", "path": "/name", "value": "Oval"}]);
            let new = json!({"name": "Other", "time_zone": "UTC"});
            let operations = json!([
                {"op": "assert", "resource": "venues", "id": league.venue.id, "test": test},
                {"op": "create", "resource": "venues", "data": new},
            ]);
            let changeset = approved(store, &league.club, &operations, policy).await;
            direct(store, &league, &[("address", "1 Hall St")]).await;
            let executed = execute(store, league.author(), &changeset).await;
            if policy == DriftPolicy::TolerateUnrelated {
                done(executed);
                continue;
            }
            let drifted = stale(executed);
            assert_eq!(drifted, [json!({"of": "venue", "id": league.venue.id})]);
            // What is asserted no longer holds, whatever is tolerated.
            let again = simulate(store, league.author(), changeset.changeset.id).await;
            let again = decide(store, &league.club, league.author(), &again).await;
            direct(store, &league, &[("name", "Park")]).await;
            let drifted = stale(execute(store, league.author(), &again).await);
            assert_eq!(drifted[0]["index"], 0, "{drifted:?}");
        }
    }
}

#[tokio::test]
async fn a_name_that_was_free_and_is_taken_makes_it_stale() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Taken").await;
        let operations =
            json!([{"op": "create", "resource": "venues", "data": {"name": "New", "time_zone": "UTC"}}]);
        let changeset = approved(store, &league.club, &operations, DriftPolicy::TolerateUnrelated).await;
        request(store, league.club.owner(), None, venues::Create(new_venue("NEW"))).await.unwrap();
        let drifted = stale(execute(store, league.author(), &changeset).await);
        assert_eq!(
            (&drifted[0]["index"], &drifted[0]["code"]),
            (&json!(0), &json!("duplicate")),
            "{drifted:?}"
        );
        let again = simulate(store, league.author(), changeset.changeset.id).await;
        assert_eq!(again.changeset.state, ChangesetState::Draft);
        assert_eq!(problems(&again)[0]["code"], "duplicate");
    }
}

#[tokio::test]
async fn a_game_that_comes_nearby_makes_it_stale() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Nearby").await;
        let fields = ["1", "2"].map(|field| Name::stored(field.to_owned()));
        let park = Venue { fields: fields.to_vec(), ..leagues::venue("Park") };
        let others = ["Lions", "Tigers"].map(|name| leagues::team(&league.division, name));
        let on = |field: &Name, hours| Game {
            venue_id: Some(park.id),
            field: Some(field.clone()),
            ends_at: Some(after(hours + 1)),
            ..leagues::game(&league.division, others[0].id, others[1].id, after(hours))
        };
        let teams = others.iter().cloned().map(AnyRecord::from);
        league.club.create(store, teams.chain([park.clone().into()]).collect()).await;
        let moved = |field: &Name| {
            let set =
                json!({"starts_at": after(210), "ends_at": after(211), "venue_id": park.id, "field": field});
            json!([{"op": "update", "resource": "games", "id": league.game.id, "set": set}])
        };
        let changeset = approved(store, &league.club, &moved(&fields[0]), DriftPolicy::Strict).await;
        // On the other field at the same time: no double booking, but another answer to the question which games are near.
        league.club.create(store, vec![on(&fields[1], 210).into()]).await;
        let drifted = stale(execute(store, league.author(), &changeset).await);
        assert_eq!(drifted, [json!({"of": "games_nearby", "id": league.game.id})]);
        // Now the same field is booked.
        let again = simulate(store, league.author(), changeset.changeset.id).await;
        let again = decide(store, &league.club, league.author(), &again).await;
        let first = Game { away_team_id: None, ..on(&fields[0], 210) };
        league.club.create(store, vec![first.into()]).await;
        let drifted = stale(execute(store, league.author(), &again).await);
        assert_eq!(drifted[0]["index"], 0, "{drifted:?}");
        assert!(drifted[0]["conflicts"].is_array(), "{drifted:?}");
    }
}

#[tokio::test]
async fn at_the_highest_risk_nothing_is_tolerated() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Highest").await;
        let coach = league.club.person(Role::Coach).member.id;
        let raise = json!({"op": "update", "resource": "members", "id": coach, "set": {"role": "manager"}});
        let operations = json!([raise, rename(league.venue.id, "Park")]);
        let admin = league.club.person(Role::Admin);
        let draft = at(store, admin, NOW, create(&operations, DriftPolicy::TolerateUnrelated)).await.unwrap();
        let simulated = simulate(store, admin, draft.changeset.id).await;
        let submitted = at(store, admin, NOW, Submit(draft.changeset.id)).await.unwrap();
        assert_eq!(submitted.changeset.risk, Some(Risk::R3));
        assert!(submitted.changeset.reduced_approval, "there is one other admin, the owner");
        let approve = Approve { id: draft.changeset.id, hash: hash(&simulated) };
        let approved = at(store, league.club.owner(), NOW, approve).await.unwrap();
        let refused = execute(store, admin, &approved).await;
        let waits = matches!(&refused, Err(Error::Refused(Refusal::Changeset(refused)))
            if matches!(**refused, Refused::Waiting { until } if until == after(24)));
        assert!(waits, "{refused:?}");
        direct(store, &league, &[("address", "2 Hall St")]).await;
        let command = venues::Change {
            id: league.venue.id,
            change: ChangeVenue { address: Some(None), ..ChangeVenue::default() },
        };
        request(store, league.club.owner(), None, command).await.unwrap();
        let command = Execute { id: draft.changeset.id, hash: hash(&approved), hold: HOLD };
        let drifted = stale(at(store, admin, after(25), command).await);
        assert!(drifted.contains(&json!({"of": "venue", "id": league.venue.id})), "{drifted:?}");
    }
}

#[tokio::test]
async fn an_approver_or_author_who_lost_their_role_makes_it_fail_and_leaves_it_approved() {
    for database in databases::both() {
        let store = &database.open().await;
        for role in [Role::Admin, Role::Manager] {
            let league = League::found(store, &format!("Lost {role}")).await;
            let operations = json!([{"op": "delete", "resource": "games", "id": league.game.id}]);
            let changeset = approved(store, &league.club, &operations, DriftPolicy::Strict).await;
            let lost = league.club.person(role).member.clone();
            let low = fieldhouse_domain::members::Member { role: Role::Viewer, ..lost.clone() };
            let effect = fieldhouse_domain::effects::Effect::update(&clubs::moment(), lost, low);
            clubs::apply(store, league.club.id(), effect.into_iter().collect()).await.unwrap();
            let refused = execute(store, league.club.owner(), &changeset).await;
            let is_lost = matches!(&refused, Err(Error::Refused(Refusal::Changeset(refused)))
                if matches!(**refused, Refused::AuthorityLost(_)));
            assert!(is_lost, "{refused:?}");
            let scope = league.club.owner().scope(store).await;
            let now = fieldhouse_store::changesets::read(&mut &*store, &scope, changeset.changeset.id).await;
            assert_eq!(now.unwrap().unwrap().state, ChangesetState::Approved);
        }
    }
}

#[tokio::test]
async fn who_may_not_do_an_operation_neither_proposes_nor_approves_it() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Forbidden").await;
        let coach = league.club.person(Role::Coach).member.id;
        let operations = json!([rename(league.venue.id, "Park"), {"op": "update", "resource": "members", "id": coach,
                "set": {"role": "viewer"}}]);
        // The manager may not change roles; the admin could.
        let draft = propose(store, league.author(), &operations).await;
        let simulated = simulate(store, league.author(), draft.changeset.id).await;
        assert_eq!(simulated.changeset.state, ChangesetState::Draft);
        let [problem] = &problems(&simulated)[..] else { panic!("one problem") };
        assert_eq!((&problem["index"], &problem["code"]), (&json!(1), &json!("operation_forbidden")));
        // The reverse: the admin proposes, and the manager may not approve, whatever the terms ask for.
        let admin = league.club.person(Role::Admin);
        let draft = propose(store, admin, &operations).await;
        let simulated = simulate(store, admin, draft.changeset.id).await;
        let six = (0..6).map(|at| {
            json!({"op": "create", "resource": "venues", "data": {"name": format!("V{at}"), "time_zone": "UTC"}})
        });
        let all: Vec<Json> = operations.as_array().unwrap().iter().cloned().chain(six).collect();
        withdraw(store, admin, simulated.changeset.id).await;
        let draft = propose(store, admin, &Json::from(all)).await;
        let simulated = simulate(store, admin, draft.changeset.id).await;
        let submitted = at(store, admin, NOW, Submit(draft.changeset.id)).await.unwrap();
        assert_eq!(
            (submitted.changeset.risk, submitted.changeset.approver_role),
            (Some(Risk::R1), Some(Role::Manager))
        );
        let approve = Approve { id: draft.changeset.id, hash: hash(&simulated) };
        let refused = at(store, league.author(), NOW, approve).await;
        let is_forbidden = matches!(&refused, Err(Error::Refused(Refusal::Changeset(refused)))
            if matches!(**refused, Refused::Forbidden { index: 1, .. }));
        assert!(is_forbidden, "{refused:?}");
    }
}

#[tokio::test]
async fn a_wrong_field_is_told_with_the_number_of_its_operation() {
    for database in databases::both() {
        let store = &database.open().await;
        let league = League::found(store, "Wrong").await;
        let patch = json!([{"op": "add", "path": "/name", "value": 7}]);
        let operations = json!([
            rename(league.venue.id, "Park"),
            {"op": "update", "resource": "venues", "id": league.venue.id, "patch": patch},
        ]);
        let draft = propose(store, league.author(), &operations).await;
        let simulated = simulate(store, league.author(), draft.changeset.id).await;
        let [problem] = &problems(&simulated)[..] else { panic!("one problem") };
        assert_eq!((&problem["index"], &problem["pointer"]), (&json!(1), &json!("/patch/name")));
        assert!(problem["detail"].as_str().unwrap().contains("operation 1"), "{problem}");
        let denied =
            at(store, league.club.person(Role::Viewer), NOW, create(&operations, DriftPolicy::Strict)).await;
        assert!(matches!(denied, Err(Error::Denied(Denial::RoleInsufficient(_)))), "{denied:?}");
    }
}
