//! Break-glass grants: what they open, who is told, and who reviews them.

use fieldhouse_api::Code;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::shapes::{is_problem, pointers};
use crate::support::families::{CHILDREN, child_of, on_duty, reads, signed_in};
use crate::support::mail::sent;
use crate::support::{Answer, Person, on_both, on_both_in_held_time, send};

const GRANTS: &str = "/api/v1/break-glass-grants";
const NAME: &str = "Zzyzxgrove of the falls";

fn fall(child: &str) -> Value {
    json!({"child_id": child, "reason_code": "medical", "reason": "Unconscious after a fall"})
}

async fn grant(who: &Person, child: &str) -> Answer {
    let granted = who.post(GRANTS, &fall(child)).await;
    assert_eq!(granted.status, 201, "{}", granted.text);
    granted
}

async fn review(who: &Person, grant: &Answer) -> Answer {
    let body = json!({"outcome": "justified", "note": "The ambulance came"});
    who.post(&format!("{GRANTS}/{}/review", grant.id()), &body).await
}

async fn end(who: &Person, grant: &Answer) -> Answer {
    who.post(&format!("{GRANTS}/{}/end", grant.id()), &json!({})).await
}

const OPEN: [&str; 3] = ["contact", "emergency", "medical"];

#[tokio::test]
async fn a_coach_opens_what_helps_and_the_guardians_are_told_at_once() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        assert_eq!(reads(coach, &child).await, Vec::<&str>::new());
        let granted = grant(coach, &child).await;
        let data = &granted.body["data"];
        assert_eq!(data["user"], json!({"id": coach.user, "name": "coach of Riverside Club"}));
        assert_eq!((&data["review"], &data["ended_at"]), (&json!(null), &json!(null)));
        assert_eq!(data["told_at"], data["starts_at"]);
        assert_eq!(reads(coach, &child).await, OPEN);
        let line = coach.get(&format!("{CHILDREN}/{child}")).await;
        assert_eq!(line.body["data"]["capacity"], "break_glass");
        let change = coach.patch(&format!("{CHILDREN}/{child}/medical"), &json!({"notes": "x"})).await;
        is_problem(&change, Code::RelationshipInsufficient, "reading only");
        assert_eq!(reads(club.member(Role::Manager), &child).await, Vec::<&str>::new(), "no one else");

        let letters = sent(&club).await;
        let letters: Vec<_> =
            letters.iter().filter(|letter| letter.subject.contains("opened data")).collect();
        let to = |email: &str| letters.iter().filter(|letter| letter.to.contains(email)).count();
        assert_eq!((to(&parent.email), to(&club.member(Role::Owner).email), letters.len()), (1, 1, 2));
        for letter in letters {
            assert!(!letter.text.contains(NAME) && !letter.subject.contains(NAME), "{}", letter.text);
            assert!(!letter.text.contains("Unconscious"), "the reason is for the reviewer");
        }
        let log = parent.get(&format!("{CHILDREN}/{child}/access-log?limit=100")).await;
        let mut seen: Vec<_> = log.body["data"]
            .as_array()
            .expect("events")
            .iter()
            .map(|event| (event["capacity"].as_str(), event["class"].as_str()))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        let expected =
            ["contact", "emergency", "medical", "roster"].map(|it| (Some("break_glass"), Some(it)));
        assert_eq!(seen, expected, "the family sees all of it");

        assert_eq!(end(coach, &granted).await.status, 200);
        assert_eq!(reads(coach, &child).await, Vec::<&str>::new(), "on the next request");
        is_problem(&end(coach, &granted).await, Code::State, "again");
    })
    .await;
}

#[tokio::test]
async fn it_ends_after_an_hour() {
    on_both_in_held_time(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        grant(coach, &child).await;
        club.pass(SignedDuration::from_mins(60));
        let coach = signed_in(&club, coach.user.expect("a user")).await;
        assert_eq!(reads(&coach, &child).await, Vec::<&str>::new());
    })
    .await;
}

#[tokio::test]
async fn three_are_permitted_a_day_and_none_while_a_review_is_overdue() {
    on_both_in_held_time(async |club| {
        let child = child_of(club.member(Role::Member), NAME).await;
        let coach = club.member(Role::Coach);
        let mut grants = Vec::new();
        for _ in 0..3 {
            grants.push(grant(coach, &child).await);
        }
        let refused = coach.post(GRANTS, &fall(&child)).await;
        is_problem(&refused, Code::BreakglassLimit, "the fourth");
        let wait: i64 = refused.header("retry-after").parse().expect("seconds");
        assert!((24 * 3600 - 60..=24 * 3600 + 1).contains(&wait), "{wait}");
        grant(club.member(Role::Manager), &child).await;
        club.pass(SignedDuration::from_hours(72));
        let coach = signed_in(&club, coach.user.expect("a user")).await;
        is_problem(&coach.post(GRANTS, &fall(&child)).await, Code::State, "overdue");
        let admin = signed_in(&club, club.member(Role::Admin).user.expect("a user")).await;
        for done in &grants {
            assert_eq!(review(&admin, done).await.status, 200);
        }
        grant(&coach, &child).await;
    })
    .await;
}

#[tokio::test]
async fn a_lead_or_an_admin_who_is_not_the_holder_reviews_it() {
    on_both(async |club| {
        let child = child_of(club.member(Role::Member), NAME).await;
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let lead = on_duty(&club, DutyKind::SafeguardingLead, Role::Member).await;
        let granted = grant(coach, &child).await;
        is_problem(&review(coach, &granted).await, Code::OperationForbidden, "a coach");
        is_problem(&end(club.member(Role::Member), &granted).await, Code::NotFound, "someone else's");
        assert_eq!(club.member(Role::Manager).get(GRANTS).await.body["data"], json!([]));
        let reviewed = review(&lead, &granted).await;
        let review_of = &reviewed.body["data"]["review"];
        assert_eq!((&review_of["by"], &review_of["outcome"]), (&json!(lead.user), &json!("justified")));
        assert_eq!(review_of["note"], "The ambulance came");
        is_problem(&review(admin, &granted).await, Code::State, "again");
        for reader in [coach, &lead, admin] {
            assert_eq!(reader.get(GRANTS).await.body["data"], json!([reviewed.body["data"]]));
        }
        let own = grant(admin, &child).await;
        is_problem(&review(admin, &own).await, Code::SelfGrant, "their own");
        assert_eq!(end(&lead, &own).await.status, 200, "a lead ends it");
        let missing = "/api/v1/break-glass-grants/gra_01h2xcejqtf2nbrexx3vqjhp41";
        is_problem(&admin.post(&format!("{missing}/end"), &json!({})).await, Code::NotFound, "none");
        let verdict = json!({"outcome": "justified"});
        is_problem(&admin.post(&format!("{missing}/review"), &verdict).await, Code::NotFound, "none");
        is_problem(&admin.get(&format!("{GRANTS}?cursor=x")).await, Code::InvalidCursor, "no cursor");
        let first = admin.get(&format!("{GRANTS}?limit=1")).await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        let rest = admin.get(&format!("{GRANTS}?limit=1&cursor={cursor}")).await;
        assert_eq!(rest.body["data"][0]["id"], granted.body["data"]["id"], "newest first");
    })
    .await;
}

#[tokio::test]
async fn a_restriction_overrides_it_and_an_unknown_child_is_not_found() {
    on_both(async |club| {
        let child = child_of(club.member(Role::Member), NAME).await;
        let coach = club.member(Role::Coach);
        let lead = on_duty(&club, DutyKind::SafeguardingLead, Role::Member).await;
        let unknown = coach.post(GRANTS, &fall("chi_01h2xcejqtf2nbrexx3vqjhp41")).await;
        is_problem(&unknown, Code::NotFound, "no child");
        grant(coach, &child).await;
        let restrictions = format!("{CHILDREN}/{child}/restrictions");
        let block =
            json!({"kind": "safeguarding_block", "classes": ["contact"], "reason": "A secret address"});
        assert_eq!(lead.post(&restrictions, &block).await.status, 201);
        assert_eq!(reads(coach, &child).await, ["emergency", "medical"]);
        let order = json!({"user_id": coach.user, "kind": "custody_order", "reason": "Family court"});
        assert_eq!(lead.post(&restrictions, &order).await.status, 201);
        assert_eq!(reads(coach, &child).await, Vec::<&str>::new());
        let again = coach.post(GRANTS, &fall(&child)).await;
        is_problem(&again, Code::NotFound, "as if there were no such child");
        let known = unknown.body["detail"].clone();
        assert_eq!(again.body["detail"], known, "the same response");
        is_problem(&club.member(Role::Member).post(GRANTS, &fall(&child)).await, Code::RoleInsufficient, "");
        let wrong = coach.post(GRANTS, &json!({"child_id": child, "reason_code": "boredom"})).await;
        assert_eq!(pointers(&wrong), ["/reason_code", "/reason"], "{}", wrong.text);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_opens_once() {
    on_both(async |club| {
        let child = child_of(club.member(Role::Member), NAME).await;
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let post = async |who: &Person, path: &str, body: &Value| {
            let request = who.request(Method::POST, path).header("idempotency-key", path);
            send(request.json(body)).await
        };
        let first = post(coach, GRANTS, &fall(&child)).await;
        let again = post(coach, GRANTS, &fall(&child)).await;
        assert_eq!((first.status, &first.body), (201, &again.body), "{}", again.text);
        let path = format!("{GRANTS}/{}", first.id());
        let verdict = json!({"outcome": "unjustified"});
        for (who, path, body) in
            [(coach, format!("{path}/end"), json!({})), (admin, format!("{path}/review"), verdict)]
        {
            let (once, twice) = (post(who, &path, &body).await, post(who, &path, &body).await);
            assert_eq!((once.status, &once.body), (200, &twice.body), "{}", twice.text);
        }
        assert_eq!(coach.get(GRANTS).await.body["data"].as_array().map(Vec::len), Some(1));
    })
    .await;
}
