//! Registrations of children for seasons.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use crate::shapes::{is_problem, pointers};
use crate::support::families::{CHILDREN, Families, children, signed_in};
use crate::support::fixtures::Fixture;
use crate::support::league::League;
use crate::support::{on_both, send};

fn of_season(families: &Families) -> String {
    format!("/api/v1/seasons/{}/registrations", families.league.season)
}

#[tokio::test]
async fn the_registrar_sees_a_child_from_its_application_on_before_any_roster() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let child = families.child(&club, "Zoë Q.", false).await;
        let registrar = signed_in(&club, families.registrar).await;
        let at = |class: &str| format!("{CHILDREN}/{child}{class}");
        is_problem(&registrar.get(&at("")).await, Code::NotFound, "before the application");
        assert_eq!(children(&registrar.get(&of_season(&families)).await), [""; 0]);
        let applied = families.applies(&club, &child).await;
        assert_eq!(applied.body["data"]["status"], "applied");
        assert_eq!(applied.body["data"]["division_id"], json!(families.league.division));
        let listed = registrar.get(&format!("{}?status=applied", of_season(&families))).await;
        assert_eq!(children(&listed), ["Zoë Q."]);
        assert_eq!(listed.body["data"][0], applied.body["data"], "the list and the response agree");
        for class in ["", "/profile", "/identity", "/contact"] {
            assert_eq!(registrar.get(&at(class)).await.status, 200, "{class}");
        }
        let renamed = registrar.patch(&at("/identity"), &json!({"legal_last_name": "Quux"})).await;
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        for class in ["/medical", "/emergency", "/performance", "/access-log"] {
            is_problem(&registrar.get(&at(class)).await, Code::RelationshipInsufficient, class);
        }
        let accepted = registrar
            .patch(&format!("/api/v1/registrations/{}", applied.id()), &json!({"status": "accepted"}))
            .await;
        assert_eq!((accepted.status, &accepted.body["data"]["status"]), (200, &json!("accepted")));
        assert_eq!(accepted.body["data"]["decided_by"], json!(families.registrar));
        assert_eq!(
            children(&registrar.get(&format!("{}?status=applied", of_season(&families))).await),
            [""; 0]
        );
        let parent = signed_in(&club, families.parent).await;
        let log = parent.get(&at("/access-log")).await;
        assert!(log.text.contains("registrations.list"), "{}", log.text);
    })
    .await;
}

#[tokio::test]
async fn families_see_their_own_registrations_and_coaches_none() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let neighbour = fixture.member(Role::Member).user;
        fixture.write().await;
        let other = Families { parent: neighbour, ..families };
        other.accepted(&club, "Adam A.", false).await;
        let people = [
            (neighbour, vec!["Adam A."]),
            (other.coach, vec![]),
            (other.registrar, vec!["Zoë Q.", "Adam A."]),
        ];
        for (user, expected) in people {
            let person = signed_in(&club, user).await;
            assert_eq!(children(&person.get(&of_season(&other)).await), expected, "{user}");
        }
        let registrar = signed_in(&club, other.registrar).await;
        let first = registrar.get(&format!("{}?limit=1", of_season(&other))).await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        let second = registrar.get(&format!("{}?limit=1&cursor={cursor}", of_season(&other))).await;
        assert_eq!((children(&first), children(&second)), (vec!["Zoë Q."], vec!["Adam A."]));
        let neighbours = club.neighbours().await;
        is_problem(&neighbours.get(&of_season(&other)).await, Code::NotFound, "another club's season");
    })
    .await;
}

#[tokio::test]
async fn a_registrar_creates_children_who_are_not_their_own() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let registrar = signed_in(&club, families.registrar).await;
        let wanted = json!({
            "display_name": "Sam S.", "birth_date": "2014-05-06", "season_id": families.league.season,
        });
        let create = async || {
            let request = registrar.request(reqwest::Method::POST, CHILDREN);
            send(request.header("idempotency-key", "once").json(&wanted)).await
        };
        let (created, again) = (create().await, create().await);
        assert_eq!((created.status, again.status), (201, 201), "{} {}", created.text, again.text);
        assert_eq!(again.body["data"], created.body["data"], "what the first request has created");
        let child = created.body["data"]["child_id"].as_str().expect("an id");
        let read = registrar.get(&format!("{CHILDREN}/{child}")).await;
        assert_eq!(read.body["data"]["capacity"], "registrar", "no guardian: {}", read.text);
        let listed = registrar.get(&of_season(&families)).await;
        assert_eq!(
            (children(&listed), &listed.body["data"][0]["status"]),
            (vec!["Sam S."], &json!("applied"))
        );
        let parent = signed_in(&club, families.parent).await;
        is_problem(&parent.get(&format!("{CHILDREN}/{child}")).await, Code::NotFound, "not theirs");
        is_problem(&parent.post(CHILDREN, &wanted).await, Code::OperationForbidden, "no registrar");
        is_problem(
            &club.member(Role::Owner).post(CHILDREN, &wanted).await,
            Code::OperationForbidden,
            "an owner",
        );
        let manager = club.member(Role::Manager);
        let season = format!("/api/v1/seasons/{}", families.league.season);
        assert_eq!(manager.patch(&season, &json!({"status": "completed"})).await.status, 200);
        is_problem(&registrar.post(CHILDREN, &wanted).await, Code::State, "the season is over");
        let child = families.child(&club, "Zoë Q.", false).await;
        let apply = json!({"season_id": families.league.season});
        let refused = parent.post(&format!("{CHILDREN}/{child}/registrations"), &apply).await;
        is_problem(&refused, Code::State, "the season is over");
    })
    .await;
}

#[tokio::test]
async fn a_guardian_applies_and_the_registrar_of_the_season_decides() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let child = families.child(&club, "Zoë Q.", false).await;
        let parent = signed_in(&club, families.parent).await;
        let path = format!("{CHILDREN}/{child}/registrations");
        let summer = League::create(club.member(Role::Manager), "Summer").await;
        let wrong = json!({"season_id": "sea_01h2xcejqtf2nbrexx3vqjhp41"});
        let refused = parent.post(&path, &wrong).await;
        is_problem(&refused, Code::ValidationFailed, "an unknown season");
        assert_eq!(pointers(&refused), ["/season_id"]);
        let wrong = json!({"season_id": families.league.season, "division_id": summer.division});
        assert_eq!(pointers(&parent.post(&path, &wrong).await), ["/division_id"]);
        let stranger = club.member(Role::Owner);
        let wanted = json!({"season_id": families.league.season});
        is_problem(&stranger.post(&path, &wanted).await, Code::NotFound, "no relation");
        let registration = format!("/api/v1/registrations/{}", families.applies(&club, &child).await.id());
        is_problem(&parent.post(&path, &wanted).await, Code::Duplicate, "twice");
        let accept = json!({"status": "accepted"});
        is_problem(&parent.patch(&registration, &accept).await, Code::OperationForbidden, "a guardian");
        is_problem(&stranger.patch(&registration, &accept).await, Code::NotFound, "no relation");

        // The registrar of another season sees the child through an application there, and decides nothing here.
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let other = fixture.member(Role::Member).user;
        fixture.registrar(summer.season.parse().expect("an id"), Vec::new(), other);
        fixture.write().await;
        let other = signed_in(&club, other).await;
        is_problem(
            &other.patch(&registration, &accept).await,
            Code::NotFound,
            "before the second application",
        );
        assert_eq!(parent.post(&path, &json!({"season_id": summer.season})).await.status, 201);
        is_problem(&other.patch(&registration, &accept).await, Code::OperationForbidden, "another season");
        is_problem(&other.delete(&registration).await, Code::OperationForbidden, "another season");
        assert_eq!(children(&other.get(&of_season(&families)).await), [""; 0], "only the season of the duty");

        let registrar = signed_in(&club, families.registrar).await;
        assert_eq!(registrar.patch(&registration, &accept).await.status, 200);
        families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let coach = signed_in(&club, families.coach).await;
        is_problem(&coach.post(&path, &wanted).await, Code::RelationshipInsufficient, "a coach");
        is_problem(&coach.delete(&registration).await, Code::RelationshipInsufficient, "a coach");
        let back = parent.patch(&registration, &json!({"status": "applied"})).await;
        is_problem(&back, Code::State, "accepted already");
        let moved = parent.patch(&registration, &json!({"division_id": null})).await;
        is_problem(&moved, Code::OperationForbidden, "the division of an accepted one");
        assert_eq!(registrar.patch(&registration, &json!({"division_id": null})).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_withdrawn_registration_takes_the_child_out_of_the_teams_of_the_season() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, registration) = families.accepted(&club, "Zoë Q.", false).await;
        families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let coach = signed_in(&club, families.coach).await;
        let registrar = signed_in(&club, families.registrar).await;
        let parent = signed_in(&club, families.parent).await;
        assert_eq!(children(&coach.get(&families.roster()).await), ["Zoë Q."]);
        let registration = format!("/api/v1/registrations/{registration}");
        let withdrawn = parent.delete(&registration).await;
        assert_eq!(withdrawn.status, 200, "{}", withdrawn.text);
        let read = format!("{CHILDREN}/{child}");
        is_problem(&coach.get(&read).await, Code::NotFound, "the coach");
        is_problem(&registrar.get(&read).await, Code::NotFound, "the registrar");
        is_problem(
            &registrar.patch(&registration, &json!({"status": "accepted"})).await,
            Code::NotFound,
            "closed",
        );
        assert_eq!(children(&registrar.get(&of_season(&families)).await), [""; 0]);
        let log = club.member(Role::Admin).get("/api/v1/audit-log?operation=registrations.withdraw").await;
        let effects = log.body["data"][0]["effects"].as_array().expect("effects");
        let kinds: Vec<_> = effects.iter().map(|effect| effect["kind"].as_str().expect("a kind")).collect();
        assert_eq!(kinds, ["registration", "roster_entry"], "one change: {}", log.text);
        let past = parent.get(&format!("{}?on=2026-01-02", families.roster())).await;
        assert_eq!(children(&past), ["Zoë Q."], "the history stays");
        is_problem(&parent.delete(&registration).await, Code::State, "withdrawn already");
        is_problem(
            &parent.patch(&registration, &json!({"division_id": null})).await,
            Code::State,
            "withdrawn",
        );
        families.applies(&club, &child).await;
        assert_eq!(registrar.get(&read).await.status, 200, "applied again");
    })
    .await;
}

#[tokio::test]
async fn a_division_is_deleted_when_no_child_is_registered_for_it() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (_, registration) = families.accepted(&club, "Zoë Q.", false).await;
        let (manager, league) = (club.member(Role::Manager), &families.league);
        let division = format!("/api/v1/divisions/{}", league.division);
        let staff = format!("/api/v1/teams/{}/staff", league.home);
        let entry = manager.get(&staff).await.body["data"][0]["id"].as_str().expect("an id").to_owned();
        manager.delete(&format!("{staff}/{entry}")).await;
        for team in [&league.home, &league.away] {
            assert_eq!(manager.delete(&format!("/api/v1/teams/{team}")).await.status, 200);
        }
        let refused = manager.delete(&division).await;
        is_problem(&refused, Code::InUse, "a division with a registration");
        let registrar = signed_in(&club, families.registrar).await;
        let withdraw = json!({"status": "withdrawn"});
        let withdrawn = registrar.patch(&format!("/api/v1/registrations/{registration}"), &withdraw).await;
        assert_eq!((withdrawn.status, &withdrawn.body["data"]["status"]), (200, &json!("withdrawn")));
        let deleted = manager.delete(&division).await;
        assert_eq!(deleted.status, 200, "{}", deleted.text);
    })
    .await;
}
