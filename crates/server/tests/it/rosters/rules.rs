//! Who changes a roster, what is refused, and what happens when a team or a season is deleted.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::shapes::{is_problem, pointers};
use crate::support::families::{CHILDREN, Families, children, signed_in};
use crate::support::fixtures::Fixture;
use crate::support::league::League;
use crate::support::marker::MARKER;
use crate::support::{Answer, on_both, on_both_in_held_time};

/// The codes of a problem's invalid fields.
fn codes(answer: &Answer) -> Vec<&str> {
    let errors = answer.body["errors"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    errors.iter().map(|error| error["code"].as_str().expect("a code")).collect()
}

#[tokio::test]
async fn only_the_registrar_of_the_season_changes_a_roster() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        let manager = club.member(Role::Manager);
        let summer = League::create(manager, "Summer").await;
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let [other, narrow] = [Role::Admin; 2].map(|role| fixture.member(role).user);
        fixture.registrar(summer.season.parse().expect("an id"), Vec::new(), other);
        let away = families.league.away.parse().expect("an id");
        fixture.registrar(families.league.season.parse().expect("an id"), vec![away], narrow);
        fixture.write().await;
        let wanted = json!({"child_id": child});
        for (who, user) in
            [("summer", other), ("away", narrow), ("coach", families.coach), ("parent", families.parent)]
        {
            let refused = signed_in(&club, user).await.post(&families.roster(), &wanted).await;
            is_problem(&refused, Code::OperationForbidden, who);
        }
        is_problem(&manager.post(&families.roster(), &wanted).await, Code::OperationForbidden, "a manager");
        let added = families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let entry = format!("{}/{}", families.roster(), added.id());
        for user in [families.coach, families.parent] {
            let refused = signed_in(&club, user).await.patch(&entry, &json!({"position": "Guard"})).await;
            is_problem(&refused, Code::RelationshipInsufficient, "who sees the line");
        }
        let refused = signed_in(&club, other).await.patch(&entry, &json!({"position": "Guard"})).await;
        is_problem(&refused, Code::NotFound, "who sees nothing of the child");
        // The registrar of one team sees its children, and changes only its roster.
        let registrar = signed_in(&club, families.registrar).await;
        let of_away = format!("/api/v1/teams/{}/roster", families.league.away);
        let moved = json!({"child_id": child, "starts_on": "2026-01-01"});
        let second = registrar.post(&of_away, &moved).await;
        assert_eq!(second.status, 201, "{}", second.text);
        let narrow = signed_in(&club, narrow).await;
        assert_eq!(
            narrow.patch(&format!("{of_away}/{}", second.id()), &json!({"position": "Guard"})).await.status,
            200
        );
        let refused = narrow.patch(&entry, &json!({"position": "Guard"})).await;
        is_problem(&refused, Code::OperationForbidden, "another team of the season");
        is_problem(&narrow.delete(&entry).await, Code::OperationForbidden, "another team of the season");
        let key = registrar.issue_key(&json!({"name": "Script"})).await;
        let by_key = club.with_key(&key).patch(&entry, &json!({"position": "Wing"})).await;
        assert_eq!(
            (by_key.status, &by_key.body["data"]["position"]),
            (200, &json!("Wing")),
            "{}",
            by_key.text
        );
    })
    .await;
}

#[tokio::test]
async fn a_child_is_accepted_for_the_season_before_it_joins_a_team() {
    on_both_in_held_time(async |club| {
        let families = Families::of(&club).await;
        let registrar = signed_in(&club, families.registrar).await;
        let child = families.child(&club, "Zoë Q.", false).await;
        let wanted = json!({"child_id": child, "ends_on": "2026-02-01"});
        let hidden = registrar.post(&families.roster(), &wanted).await;
        is_problem(&hidden, Code::ValidationFailed, "a child who has not applied is not known");
        assert_eq!(pointers(&hidden), ["/child_id", "/ends_on"]);
        assert_eq!(codes(&hidden), ["not_found", "before_start"]);
        let registration = families.applies(&club, &child).await.id().to_owned();
        let registration = format!("/api/v1/registrations/{registration}");
        let add = async |more: Value| {
            let mut wanted = json!({"child_id": child});
            wanted.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("fields"));
            registrar.post(&families.roster(), &wanted).await
        };
        assert_eq!(codes(&add(json!({})).await), ["not_accepted"]);
        registrar.patch(&registration, &json!({"status": "accepted"})).await;
        let summer = League::create(club.member(Role::Manager), "Summer").await;
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        fixture.registrar(summer.season.parse().expect("an id"), Vec::new(), families.registrar);
        fixture.write().await;
        let other = format!("/api/v1/teams/{}/roster", summer.home);
        assert_eq!(codes(&registrar.post(&other, &json!({"child_id": child})).await), ["not_registered"]);
        let wrong = add(json!({"jersey_number": 1000, "position": " ", "starts_on": "2026-13-01"})).await;
        assert_eq!(pointers(&wrong), ["/jersey_number", "/position", "/starts_on"], "{}", wrong.text);
        let first = add(json!({"starts_on": "2026-03-05", "ends_on": "2026-03-10"})).await;
        assert_eq!(first.status, 201, "{}", first.text);
        is_problem(&add(json!({"starts_on": "2026-03-10"})).await, Code::Duplicate, "on the last day");
        let entry = format!("{}/{}", families.roster(), first.id());
        let change = async |change: Value| registrar.patch(&entry, &change).await;
        assert_eq!(codes(&change(json!({"starts_on": "2026-02-01"})).await), ["in_the_past"]);
        assert_eq!(codes(&change(json!({"ends_on": "2026-02-01"})).await), ["in_the_past"]);
        assert_eq!(codes(&change(json!({"ends_on": "2026-03-04"})).await), ["before_start"]);
        let second = add(json!({"starts_on": "2026-03-11"})).await;
        assert_eq!(second.status, 201, "{}", second.text);
        is_problem(&change(json!({"ends_on": null})).await, Code::Duplicate, "until the second");
        assert_eq!(change(json!({"starts_on": "2026-03-01", "jersey_number": 4})).await.status, 200);
        assert_eq!(codes(&change(json!({"starts_on": "2026-03-02"})).await), ["has_begun"]);
        let removed = registrar.delete(&format!("{}/{}", families.roster(), second.id())).await;
        assert_eq!(removed.status, 200, "{}", removed.text);
        is_problem(&registrar.delete(&entry).await, Code::State, "it has begun");
        let tag = first.header("etag").to_owned();
        let stale = registrar.request(reqwest::Method::PATCH, &entry).header("if-match", tag);
        let stale = crate::support::send(stale.json(&json!({"jersey_number": 5}))).await;
        is_problem(&stale, Code::VersionMismatch, "another version");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_adds_a_child_once() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        let registrar = signed_in(&club, families.registrar).await;
        let send = async || {
            let request = registrar.request(reqwest::Method::POST, &families.roster());
            let request = request.header("idempotency-key", "once").json(&json!({"child_id": child}));
            crate::support::send(request).await
        };
        let (first, again) = (send().await, send().await);
        assert_eq!((first.status, again.status), (201, 201), "{} {}", first.text, again.text);
        assert_eq!(again.body["data"], first.body["data"]);
        assert_eq!(children(&registrar.get(&families.roster()).await), ["Zoë Q."]);
    })
    .await;
}

#[tokio::test]
async fn a_team_with_children_is_deleted_only_after_they_have_left() {
    on_both_in_held_time(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        let added = families.added(&club, &child, json!({"starts_on": "2026-02-01"})).await;
        let (manager, league) = (club.member(Role::Manager), &families.league);
        let team = format!("/api/v1/teams/{}", league.home);
        let staff = manager.get(&format!("{team}/staff")).await.body["data"][0]["id"].clone();
        manager.delete(&format!("{team}/staff/{}", staff.as_str().expect("an id"))).await;
        let refused = manager.delete(&team).await;
        is_problem(&refused, Code::InUse, "a team with a child");
        assert!(
            refused.text.contains("1 game, staff entry, duty or roster entry refers to it"),
            "{}",
            refused.text
        );
        let registrar = signed_in(&club, families.registrar).await;
        let entry = format!("{}/{}", families.roster(), added.id());
        assert_eq!(registrar.patch(&entry, &json!({"ends_on": "2026-02-28"})).await.status, 200);
        let deleted = manager.delete(&team).await;
        assert_eq!(deleted.status, 200, "{}", deleted.text);
        is_problem(
            &registrar.patch(&entry, &json!({"jersey_number": 1})).await,
            Code::NotFound,
            "it is gone",
        );
        let log = club.member(Role::Admin).get("/api/v1/audit-log?operation=teams.delete").await;
        let effects = log.body["data"][0]["effects"].as_array().expect("effects");
        let kinds: Vec<_> = effects.iter().map(|effect| effect["kind"].as_str().expect("a kind")).collect();
        assert_eq!(kinds, ["roster_entry", "team"], "{}", log.text);
    })
    .await;
}

#[tokio::test]
async fn a_season_is_purged_with_registrations_and_rosters() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zzyzxgrove Q.", false).await;
        families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let admin = club.member(Role::Admin);
        let season = format!("/api/v1/seasons/{}", families.league.season);
        let refused = admin.delete(&season).await;
        is_problem(&refused, Code::InUse, "a season with children");
        let counts = &refused.body["counts"];
        assert_eq!(
            (&counts["registrations"], &counts["roster_entries"]),
            (&json!(1), &json!(1)),
            "{}",
            refused.text
        );
        assert!(!refused.text.contains(MARKER), "{}", refused.text);
        let purged =
            admin.post(&format!("{season}/purge"), &json!({"confirm": refused.body["digest"]})).await;
        assert_eq!((purged.status, &purged.body["data"]["counts"]), (200, counts), "{}", purged.text);
        let parent = signed_in(&club, families.parent).await;
        let read = parent.get(&format!("{CHILDREN}/{child}")).await;
        assert_eq!(
            (read.status, &read.body["data"]["teams"]),
            (200, &json!([])),
            "the child stays: {}",
            read.text
        );
        let coach = signed_in(&club, families.coach).await;
        is_problem(&coach.get(&format!("{CHILDREN}/{child}")).await, Code::NotFound, "no team is left");
    })
    .await;
}
