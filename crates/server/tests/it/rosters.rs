//! Rosters: who is in a team from which day to which day, and who sees it.

mod rules;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use crate::shapes::is_problem;
use crate::support::families::{CHILDREN, Families, children, signed_in};
use crate::support::marker::MARKER;
use crate::support::{on_both, on_both_in_held_time};

const DAY: SignedDuration = SignedDuration::from_hours(24);

// The clock is held at 20:00 of 1 March 2026 in the time zone of the club.

#[tokio::test]
async fn a_coach_sees_a_child_from_the_first_day_of_its_entry_to_the_last() {
    on_both_in_held_time(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        let days = json!({"starts_on": "2026-03-02", "ends_on": "2026-03-03", "jersey_number": 7, "position": "Guard"});
        let added = families.added(&club, &child, days).await;
        assert_eq!(added.body["data"]["child"], json!({"id": child, "display_name": "Zoë Q."}));
        let roster = families.roster();
        for (day, is_open) in [(1, false), (2, true), (3, true), (4, false)] {
            let coach = signed_in(&club, families.coach).await;
            let read = coach.get(&format!("{CHILDREN}/{child}")).await;
            let profile = coach.get(&format!("{CHILDREN}/{child}/profile")).await;
            let status = if is_open { 200 } else { 404 };
            assert_eq!((read.status, profile.status), (status, status), "on day {day}: {}", read.text);
            let today = coach.get(&roster).await;
            assert_eq!(children(&today).len(), usize::from(is_open), "on day {day}: {}", today.text);
            assert_eq!(today.body["meta"], json!({"on": format!("2026-03-0{day}"), "count": null}));
            if is_open {
                let line = &today.body["data"][0];
                assert_eq!((&line["jersey_number"], &line["position"]), (&json!(7), &json!("Guard")));
                assert_eq!(children(&coach.get(&format!("{roster}?on=2026-03-04")).await), [""; 0]);
            }
            let on = format!("{roster}?on=2026-03-02");
            assert_eq!(children(&coach.get(&on).await).len(), usize::from(is_open), "past days stay closed");
            let parent = signed_in(&club, families.parent).await;
            assert_eq!(children(&parent.get(&on).await), ["Zoë Q."], "the family sees past and future");
            club.pass(DAY);
        }
    })
    .await;
}

#[tokio::test]
async fn an_entry_that_ends_at_once_closes_the_child_to_the_coach_and_stays_in_the_history() {
    on_both_in_held_time(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        let added = families.added(&club, &child, json!({"starts_on": "2026-02-20"})).await;
        let entry = format!("{}/{}", families.roster(), added.id());
        let coach = signed_in(&club, families.coach).await;
        let registrar = signed_in(&club, families.registrar).await;
        assert_eq!(coach.get(&format!("{CHILDREN}/{child}")).await.status, 200);
        let refused = registrar.delete(&entry).await;
        is_problem(&refused, Code::State, "state");
        assert!(refused.text.contains("2026-02-28"), "{}", refused.text);
        let ended = registrar.patch(&entry, &json!({"ends_on": "2026-02-28"})).await;
        assert_eq!(
            (ended.status, &ended.body["data"]["ends_on"]),
            (200, &json!("2026-02-28")),
            "{}",
            ended.text
        );
        is_problem(&coach.get(&format!("{CHILDREN}/{child}")).await, Code::NotFound, "an ended entry");
        assert_eq!(children(&coach.get(&families.roster()).await), [""; 0]);
        let parent = signed_in(&club, families.parent).await;
        assert_eq!(children(&parent.get(&format!("{}?on=2026-02-28", families.roster())).await), ["Zoë Q."]);
        is_problem(&registrar.patch(&entry, &json!({"jersey_number": 9})).await, Code::State, "it has ended");
        families.added(&club, &child, json!({})).await;
        assert_eq!(
            coach.get(&format!("{CHILDREN}/{child}")).await.status,
            200,
            "a new entry, on the same day"
        );
    })
    .await;
}

#[tokio::test]
async fn a_coach_who_leaves_the_staff_sees_no_one() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let coach = signed_in(&club, families.coach).await;
        assert_eq!(children(&coach.get(&families.roster()).await), ["Zoë Q."]);
        let manager = club.member(Role::Manager);
        let staff = format!("/api/v1/teams/{}/staff", families.league.home);
        let entry = manager.get(&staff).await.body["data"][0]["id"].as_str().expect("an id").to_owned();
        assert_eq!(manager.delete(&format!("{staff}/{entry}")).await.status, 200);
        assert_eq!(children(&coach.get(&families.roster()).await), [""; 0]);
        is_problem(&coach.get(&format!("{CHILDREN}/{child}")).await, Code::NotFound, "an ex-coach");
    })
    .await;
}

#[tokio::test]
async fn a_child_in_two_teams_has_a_number_in_each() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, "Zoë Q.", false).await;
        let home =
            families.added(&club, &child, json!({"jersey_number": 7, "starts_on": "2026-01-01"})).await;
        let registrar = signed_in(&club, families.registrar).await;
        let other = format!("/api/v1/teams/{}/roster", families.league.away);
        let wanted = json!({"child_id": child, "jersey_number": 23, "starts_on": "2026-01-01"});
        let away = registrar.post(&other, &wanted).await;
        assert_eq!(away.status, 201, "{}", away.text);
        let coach = signed_in(&club, families.coach).await;
        let read = coach.get(&format!("{CHILDREN}/{child}")).await;
        let numbers: Vec<_> = read.body["data"]["teams"].as_array().expect("teams").iter().collect();
        assert_eq!(
            numbers.iter().map(|team| &team["jersey_number"]).collect::<Vec<_>>(),
            [&json!(7), &json!(23)]
        );
        let both = [coach.get(&families.roster()).await, coach.get(&other).await];
        assert_eq!(both.each_ref().map(|roster| children(roster)), [["Zoë Q."], ["Zoë Q."]]);
        // The address of an entry names its team.
        let elsewhere = format!("{other}/{}", home.id());
        is_problem(
            &registrar.patch(&elsewhere, &json!({"jersey_number": 1})).await,
            Code::NotFound,
            "another team",
        );
    })
    .await;
}

#[tokio::test]
async fn without_consent_a_coach_sees_only_the_line_of_a_young_child() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let year = i64::from(club.app.clock.now().to_zoned(jiff::tz::TimeZone::UTC).year());
        assert!(year <= 2029, "the child is too old by now");
        let (child, _) = families.accepted(&club, "Zoë Q.", true).await;
        families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let coach = signed_in(&club, families.coach).await;
        assert_eq!(children(&coach.get(&families.roster()).await), ["Zoë Q."]);
        assert_eq!(coach.get(&format!("{CHILDREN}/{child}")).await.status, 200);
        for class in ["profile", "contact", "performance", "emergency"] {
            let closed = coach.get(&format!("{CHILDREN}/{child}/{class}")).await;
            is_problem(&closed, Code::RelationshipInsufficient, class);
        }
    })
    .await;
}

#[tokio::test]
async fn an_owner_without_a_relation_sees_how_many_children_and_no_name() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, registration) = families.accepted(&club, "Zzyzxgrove Q.", false).await;
        let added = families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
        let (owner, manager) = (club.member(Role::Owner), club.member(Role::Manager));
        for person in [owner, manager] {
            let roster = person.get(&families.roster()).await;
            assert_eq!(
                (children(&roster).len(), &roster.body["meta"]["count"]),
                (0, &json!(1)),
                "{}",
                roster.text
            );
            assert_eq!(
                person.get(&format!("{}?on=2020-01-01", families.roster())).await.body["meta"]["count"],
                0
            );
        }
        let stranger = club.member(Role::Coach);
        assert_eq!(stranger.get(&families.roster()).await.body["meta"]["count"], json!(null));
        let season = format!("/api/v1/seasons/{}", families.league.season);
        for path in [
            families.roster(),
            format!("{season}/registrations"),
            "/api/v1/audit-log".to_owned(),
            format!("/api/v1/teams/{}/history", families.league.home),
            format!("{season}/history"),
        ] {
            let answer = owner.get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            assert!(!answer.text.contains(MARKER), "{path}: {}", answer.text);
        }
        let hidden =
            owner.patch(&format!("{}/{}", families.roster(), added.id()), &json!({"position": null})).await;
        let missing = format!("{}/ros_01h2xcejqtf2nbrexx3vqjhp41", families.roster());
        let missing = owner.patch(&missing, &json!({"position": null})).await;
        is_problem(&hidden, Code::NotFound, "a child without a relation");
        assert_eq!(hidden.body["detail"], missing.body["detail"]);
        let hidden = owner.delete(&format!("/api/v1/registrations/{registration}")).await;
        is_problem(&hidden, Code::NotFound, "a registration");
        assert_eq!(hidden.body["detail"], missing.body["detail"]);
    })
    .await;
}

#[tokio::test]
async fn a_roster_is_paged_by_name_and_the_family_sees_who_read_it() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let mut zoe = String::new();
        for name in ["Zoë", "adam", "Bo"] {
            let (child, _) = families.accepted(&club, name, false).await;
            families.added(&club, &child, json!({"starts_on": "2026-01-01"})).await;
            zoe = if name == "Zoë" { child } else { zoe };
        }
        let coach = signed_in(&club, families.coach).await;
        let first = coach.get(&format!("{}?limit=2", families.roster())).await;
        assert_eq!(children(&first), ["adam", "Bo"]);
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        assert!(first.header("link").contains(cursor));
        let second = coach.get(&format!("{}?limit=2&cursor={cursor}", families.roster())).await;
        assert_eq!((children(&second), &second.body["page"]["has_more"]), (vec!["Zoë"], &json!(false)));
        let parent = signed_in(&club, families.parent).await;
        let log = parent.get(&format!("{CHILDREN}/{zoe}/access-log")).await;
        let events = log.body["data"].as_array().expect("events");
        let seen = |event: &serde_json::Value| {
            ["capacity", "class", "operation"]
                .map(|field| event[field].as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(
            events.iter().map(seen).collect::<Vec<_>>(),
            [["staff", "roster", "roster.list"]],
            "{}",
            log.text
        );
        // The entry of the cursor is gone.
        let manager = club.member(Role::Manager);
        let gone = manager.get(&format!("{}?limit=2&cursor={cursor}", families.roster())).await;
        is_problem(&gone, Code::InvalidCursor, "a cursor of someone else");
    })
    .await;
}
