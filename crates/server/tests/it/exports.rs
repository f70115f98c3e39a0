//! Exports: requesting one, opening its link once, and importing the archive into an empty organization.

use fieldhouse_api::Code;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::roles::Role;
use fieldhouse_imports::archive::{Archive, Entry};
use fieldhouse_server::archive;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::operator::OperatorError;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::imports::import_coburg;
use crate::shapes::is_problem;
use crate::support::fixtures::exported;
use crate::support::league::{League, TEAMS, created};
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const EXPORTS: &str = "/api/v1/exports";

fn content(id: &str, token: &str) -> String {
    format!("{EXPORTS}/{id}/content?token={token}")
}

/// The archive behind a link.
async fn downloaded(person: &Person, id: &str, token: &str) -> Archive {
    let response = person.request(Method::GET, &content(id, token)).send().await.expect("a response");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/gzip");
    assert_eq!(response.headers()["cache-control"], "private, no-store");
    let bytes = response.bytes().await.expect("a body");
    archive::read(&bytes[..]).expect("an archive")
}

async fn archive_of(club: &Club) -> Archive {
    let (id, token) = exported(club).await;
    downloaded(&club.anonymous(), &id, &token).await
}

async fn requested(person: &Person) -> Answer {
    person.post(EXPORTS, &json!({"kind": "organization"})).await
}

/// A league with two zones, byes, games without end, and names that a spreadsheet would run.
async fn play(club: &Club) {
    let manager = club.member(Role::Manager);
    import_coburg(manager).await;
    let league = League::create(manager, "=HYPERLINK(\"x\") Été 東京").await;
    let venue =
        json!({"name": "+Hall", "time_zone": "America/St_Johns", "fields": ["-1", "@2"], "latitude": -37.5});
    let venue = created(manager, "/api/v1/venues", &venue).await;
    for game in [
        json!({"kind": "bye", "home_team_id": league.home}),
        json!({"home_team_id": league.home, "away_team_id": league.away, "time_zone": "America/St_Johns",
            "venue_id": venue.id(), "field": "@2", "ends_at": "2026-05-01T10:00:00Z", "status": "final",
            "home_score": 3, "away_score": 0}),
        json!({"round": "=1+1"}),
    ] {
        let mut wanted = json!({"season_id": league.season, "division_id": league.division,
            "starts_at": "2026-05-01T09:00:00Z", "time_zone": "Australia/Melbourne"});
        wanted.as_object_mut().expect("an object").extend(game.as_object().expect("an object").clone());
        created(manager, "/api/v1/games", &wanted).await;
    }
    let members = manager.get("/api/v1/members").await;
    let coach =
        members.body["data"].as_array().expect("members").iter().find(|member| member["role"] == "coach");
    let coach = coach.expect("a coach")["user"]["id"].clone();
    let staff = json!({"user_id": coach, "kind": "coach"});
    let staff = created(manager, &format!("{TEAMS}/{}/staff", league.home), &staff).await;
    let path = format!("{TEAMS}/{}/staff/{}/confirm", league.home, staff.id());
    assert_eq!(club.member(Role::Admin).post(&path, &json!(null)).await.status, 200);
}

/// An archive's records, with users named by their addresses.
fn records(archive: &Archive) -> Vec<String> {
    let mut text = format!("{:?}", archive.entries);
    for entry in &archive.entries {
        if let Entry::Member(_, person) = entry {
            text = text.replace(&person.id.to_string(), person.email.as_str());
        }
    }
    let mut records: Vec<String> = text.split("), ").map(str::to_owned).collect();
    records.sort();
    records
}

async fn import(club: &Club, into: OrganizationId, archive: Archive) -> Result<u64, OperatorError> {
    let imported = archive::import(&club.app.store, &club.app.clock, into, archive, false).await;
    imported.map(|counts| counts.all())
}

async fn organization(person: &Person) -> OrganizationId {
    person.get("/api/v1/organization").await.id().parse().expect("an id")
}

#[tokio::test]
async fn an_imported_organization_is_the_exported_one() {
    on_both(async |club| {
        play(&club).await;
        let before = archive_of(&club).await;
        assert_eq!((before.counts.seasons, before.counts.games, before.counts.staff), (2, 322, 1));
        let elsewhere = Club::open(
            fieldhouse_testing::databases::sqlite(),
            LimitOptions::default(),
            fieldhouse_server::Clock::system(),
        )
        .await;
        let owner = elsewhere.neighbours().await;
        let into = organization(&owner).await;
        assert_eq!(import(&elsewhere, into, before.clone()).await.expect("an import"), before.counts.all());
        let owner_of_copy = owner.clone();
        let requested = requested(&owner_of_copy).await;
        let token = requested.body["data"]["token"].as_str().expect("a token");
        let mut after = downloaded(&owner, requested.id(), token).await;
        // Besides those who founded it.
        after.entries.retain(|entry| match entry {
            Entry::Member(_, person) => !person.email.as_str().ends_with("@neighbour-club.example"),
            _ => true,
        });
        assert_eq!(records(&after), records(&before));
        assert_eq!(
            (&after.heading.name, &after.heading.time_zone),
            (&before.heading.name, &before.heading.time_zone)
        );
        let entries = owner.get("/api/v1/audit-log?operation=operator.import_organization&limit=1").await;
        assert_eq!(entries.body["data"].as_array().map(Vec::len), Some(1), "one entry: {}", entries.status);
        let games = owner.get("/api/v1/games?limit=1").await;
        assert_eq!(games.status, 200);
        let standings = before.entries.iter().find_map(|entry| match entry {
            Entry::Season(season) => Some(season.id),
            _ => None,
        });
        let standings = format!("/api/v1/seasons/{}/standings", standings.expect("a season"));
        let rows = async |person: &Person| person.get(&standings).await.body["data"]["rows"].clone();
        assert_eq!(rows(&owner).await, rows(club.member(Role::Viewer)).await);
    })
    .await;
}

#[tokio::test]
async fn an_organization_that_is_in_use_is_refused_and_nothing_is_half_done() {
    on_both(async |club| {
        play(&club).await;
        let archive = archive_of(&club).await;
        let refused = import(&club, club.organization, archive.clone()).await.expect_err("it is in use");
        assert!(refused.to_string().contains("has seasons, venues or invitations"), "{refused}");
        let owner = club.neighbours().await;
        let into = organization(&owner).await;
        let mut twice = archive.clone();
        let season = archive.entries.iter().find_map(|entry| match entry {
            Entry::Season(season) => Some(season.clone()),
            _ => None,
        });
        let copy = fieldhouse_domain::seasons::Season {
            id: fieldhouse_domain::Moment::new(jiff::Timestamp::UNIX_EPOCH, 1).id(),
            ..season.expect("a season")
        };
        twice.entries.push(Entry::Season(copy));
        let refused = import(&club, into, twice).await.expect_err("two seasons have the same name");
        assert!(refused.to_string().contains("two seasons with the same"), "{refused}");
        for path in ["seasons", "teams", "venues", "games"] {
            let listed = owner.get(&format!("/api/v1/{path}")).await;
            assert_eq!(listed.body["data"], json!([]), "{path}");
        }
        let dry = archive::import(&club.app.store, &club.app.clock, into, archive.clone(), true).await;
        assert_eq!(dry.expect("it could be imported"), archive.counts);
        assert_eq!(owner.get("/api/v1/seasons").await.body["data"], json!([]));
        // The same people are members of both organizations then.
        import(&club, into, archive).await.expect("an import");
        let members = owner.get("/api/v1/members?limit=100").await;
        let members = members.body["data"].as_array().expect("members").len();
        assert_eq!(members, 2 * Role::ALL.len());
    })
    .await;
}

#[tokio::test]
async fn a_link_opens_once_for_a_day_and_only_while_its_owner_is_one() {
    on_both_in_held_time(async |club| {
        let (owner, anyone) = (club.member(Role::Owner), club.anonymous());
        let export = requested(owner).await;
        assert_eq!(export.status, 201, "{}", export.text);
        let data = &export.body["data"];
        let token = data["token"].as_str().expect("a token");
        assert_eq!((data["status"].as_str(), data["kind"].as_str()), (Some("ready"), Some("organization")));
        assert_eq!(data["content_url"], format!("{}{}", club.base_url, content(export.id(), token)));
        let read = async || owner.get(&format!("{EXPORTS}/{}", export.id())).await;
        assert!(!read().await.text.contains(token), "the token is shown once");
        let wrong =
            [format!("{token}x"), token[..token.len() - 1].to_owned(), "fhx_".to_owned(), "é".to_owned()];
        for wrong in wrong {
            let refused = anyone.get(&content(export.id(), &wrong)).await;
            is_problem(&refused, Code::LinkExpired, &wrong);
        }
        is_problem(
            &anyone.get(&format!("{EXPORTS}/{}/content", export.id())).await,
            Code::InvalidParameter,
            "no token",
        );
        let other = requested(owner).await;
        is_problem(
            &anyone.get(&content(other.id(), token)).await,
            Code::LinkExpired,
            "the token of another export",
        );
        assert_eq!(read().await.body["data"]["status"], "ready");
        downloaded(&anyone, export.id(), token).await;
        is_problem(&anyone.get(&content(export.id(), token)).await, Code::LinkExpired, "it works once");
        assert_eq!(read().await.body["data"]["status"], "opened");
        let log = owner.get("/api/v1/audit-log?limit=2").await;
        let operations: Vec<_> = log.body["data"]
            .as_array()
            .expect("entries")
            .iter()
            .map(|entry| entry["operation"].clone())
            .collect();
        assert_eq!(operations[0], "exports.content", "{}", log.text);
        // A link that was not opened in time.
        club.pass(SignedDuration::from_hours(24));
        let late = other.body["data"]["token"].as_str().expect("a token").to_owned();
        is_problem(&anyone.get(&content(other.id(), &late)).await, Code::LinkExpired, "a day later");
    })
    .await;
}

/// The address of the member with a role.
async fn address(club: &Club, role: &str) -> String {
    let members = club.member(Role::Admin).get("/api/v1/members").await;
    let members = members.body["data"].as_array().expect("members");
    let member = members.iter().find(|member| member["role"] == role).expect("a member");
    format!("/api/v1/members/{}", member["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_demoted_or_removed_owner_has_no_link() {
    on_both(async |club| {
        let (first, second) = (address(&club, "owner").await, address(&club, "admin").await);
        let (id, token) = exported(&club).await;
        let promoted = club.member(Role::Owner).patch(&second, &json!({"role": "owner"})).await;
        assert_eq!(promoted.status, 200, "{}", promoted.text);
        let second = club.another_session(Role::Admin).await;
        let demoted = second.patch(&first, &json!({"role": "admin"})).await;
        assert_eq!(demoted.status, 200, "{}", demoted.text);
        let refused = club.anonymous().get(&content(&id, &token)).await;
        is_problem(&refused, Code::LinkExpired, "they are an admin now");
        let removed = second.delete(&first).await;
        assert_eq!(removed.status, 200, "{}", removed.text);
        let refused = club.anonymous().get(&content(&id, &token)).await;
        is_problem(&refused, Code::LinkExpired, "they are no longer a member");
    })
    .await;
}

#[tokio::test]
async fn only_json_with_a_known_kind_is_taken_and_nothing_is_stored_for_its_key() {
    on_both(async |club| {
        let owner = &club.another_session(Role::Owner).await;
        let refused = owner.post(EXPORTS, &json!({"kind": "children"})).await;
        is_problem(&refused, Code::ValidationFailed, "another kind");
        let with_key = || {
            owner
                .request(Method::POST, EXPORTS)
                .json(&json!({"kind": "organization"}))
                .header("idempotency-key", "one")
        };
        let (first, again) = (send(with_key()).await, send(with_key()).await);
        assert_eq!(first.status, 201);
        is_problem(&again, Code::AlreadyCreated, "a token is not stored");
        assert_eq!(again.body["id"], first.id());
    })
    .await;
}
