//! Safeguarding cases: what they open, to whom, for how long, and what the families see of it.

use fieldhouse_api::Code;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::matrix::relations::relate;
use crate::shapes::{is_problem, pointers};
use crate::support::families::{CHILDREN, child_of, on_duty, reads, signed_in};
use crate::support::mail::sent;
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const CASES: &str = "/api/v1/safeguarding-cases";
const NAME: &str = "Zzyzxgrove of the cases";

async fn lead(club: &Club) -> Person {
    on_duty(club, DutyKind::SafeguardingLead, Role::Member).await
}

async fn open(lead: &Person, child: &str) -> Answer {
    let opened = lead.post(CASES, &json!({"title": "A report", "child_ids": [child]})).await;
    assert_eq!(opened.status, 201, "{}", opened.text);
    opened
}

async fn act(who: &Person, case: &Answer, action: &str) -> Answer {
    who.post(&format!("{CASES}/{}/{action}", case.id()), &json!({})).await
}

/// A new session of a person.
async fn again(club: &Club, person: &Person) -> Person {
    let mut again = signed_in(club, person.user.expect("a user")).await;
    again.user = person.user;
    again
}

/// In what capacities a child was read, as its parent sees it.
async fn seen(parent: &Person, child: &str) -> Vec<Value> {
    let log = parent.get(&format!("{CHILDREN}/{child}/access-log?limit=100")).await;
    log.body["data"].as_array().expect("events").iter().map(|event| event["capacity"].clone()).collect()
}

#[tokio::test]
async fn a_case_opens_after_a_second_person_has_confirmed_it_until_it_is_closed() {
    on_both(async |club| {
        let (parent, admin, lead) = (club.member(Role::Member), club.member(Role::Admin), lead(&club).await);
        let (child, other) = (child_of(parent, NAME).await, child_of(parent, NAME).await);
        let case = open(&lead, &child).await;
        let data = &case.body["data"];
        assert_eq!((&data["state"], &data["lead_ids"]), (&json!("proposed"), &json!([lead.user])));
        assert_eq!(reads(&lead, &child).await, Vec::<&str>::new(), "not confirmed yet");
        is_problem(&act(&lead, &case, "confirm").await, Code::SamePerson, "the proposer");
        is_problem(&act(club.member(Role::Manager), &case, "confirm").await, Code::OperationForbidden, "");

        let confirmed = act(admin, &case, "confirm").await;
        assert_eq!(confirmed.body["data"]["state"], "open", "{}", confirmed.text);
        assert_eq!(confirmed.body["data"]["confirmed_by"], json!(admin.user));
        assert_eq!(reads(&lead, &child).await, ["profile", "identity", "contact"]);
        let line = lead.get(&format!("{CHILDREN}/{child}")).await;
        assert_eq!(line.body["data"]["capacity"], "safeguarding");
        let change = lead.patch(&format!("{CHILDREN}/{child}/contact"), &json!({"phones": []})).await;
        is_problem(&change, Code::RelationshipInsufficient, "reading only");
        for stranger in [admin, &on_duty(&club, DutyKind::SafeguardingLead, Role::Owner).await] {
            assert_eq!(reads(stranger, &child).await, Vec::<&str>::new(), "they do not work on it");
        }
        assert_eq!(reads(&lead, &other).await, Vec::<&str>::new(), "the case does not name the child");
        for shown in [&case, &confirmed, &lead.get(CASES).await, &admin.get(CASES).await] {
            assert!(!shown.text.contains(NAME), "{}", shown.text);
        }

        assert_eq!(seen(parent, &child).await, Vec::<Value>::new(), "a family under suspicion is not warned");
        let close = lead.post(&format!("{CASES}/{}/close", case.id()), &json!({"note": "Unfounded"})).await;
        assert_eq!(close.body["data"]["state"], "closed", "{}", close.text);
        assert_eq!(close.body["data"]["note"], "Unfounded");
        assert_eq!(reads(&lead, &child).await, Vec::<&str>::new(), "on the next request");
        let log = seen(parent, &child).await;
        assert!(!log.is_empty() && log.iter().all(|capacity| capacity == "safeguarding"), "{log:?}");
        for action in ["confirm", "close"] {
            is_problem(&act(&lead, &case, action).await, Code::State, "a closed case");
        }
        assert_eq!(admin.get(CASES).await.body["data"], json!([]), "admins see no closed case");
        is_problem(&admin.get(&format!("{CASES}/{}", case.id())).await, Code::NotFound, "closed");
        assert_eq!(lead.get(CASES).await.body["data"][0], close.body["data"]);
        assert_eq!(lead.get(&format!("{CASES}/{}", case.id())).await.body["data"], close.body["data"]);
    })
    .await;
}

#[tokio::test]
async fn a_restriction_and_the_end_of_the_duty_close_what_a_case_opens() {
    on_both(async |club| {
        let (parent, admin, lead) = (club.member(Role::Member), club.member(Role::Admin), lead(&club).await);
        let child = child_of(parent, NAME).await;
        let case = open(&lead, &child).await;
        assert_eq!(act(admin, &case, "confirm").await.status, 200);
        let order = json!({
            "user_id": lead.user, "classes": ["contact"], "kind": "safeguarding_block", "reason": "Knows the family",
        });
        assert_eq!(lead.post(&format!("{CHILDREN}/{child}/restrictions"), &order).await.status, 201);
        assert_eq!(reads(&lead, &child).await, ["profile", "identity"]);
        let duties = admin.get(&format!("/api/v1/duties?user_id={}", lead.user.expect("a user"))).await;
        let duty = duties.body["data"][0]["id"].as_str().expect("a duty");
        assert_eq!(admin.post(&format!("/api/v1/duties/{duty}/revoke"), &json!({})).await.status, 200);
        assert_eq!(reads(&lead, &child).await, Vec::<&str>::new(), "no lead, no case");
        for answer in [lead.get(CASES).await, act(&lead, &case, "close").await] {
            is_problem(&answer, Code::OperationForbidden, "no lead");
        }
    })
    .await;
}

#[tokio::test]
async fn a_case_ends_by_itself_and_is_confirmed_again() {
    on_both_in_held_time(async |club| {
        let lead = lead(&club).await;
        let child = child_of(club.member(Role::Member), NAME).await;
        let case = open(&lead, &child).await;
        assert_eq!(act(club.member(Role::Admin), &case, "confirm").await.status, 200);
        club.pass(SignedDuration::from_hours(90 * 24));
        let lead = again(&club, &lead).await;
        assert_eq!(lead.get(CASES).await.body["data"][0]["state"], "ended");
        assert_eq!(reads(&lead, &child).await, Vec::<&str>::new(), "it has ended");
        let admin = again(&club, club.member(Role::Admin)).await;
        assert_eq!(act(&admin, &case, "confirm").await.body["data"]["state"], "open");
        assert_eq!(reads(&lead, &child).await, ["profile", "identity", "contact"]);
    })
    .await;
}

#[tokio::test]
async fn no_one_of_the_family_sees_confirms_or_works_on_a_case() {
    on_both(async |club| {
        let (parent, lead) = (club.member(Role::Owner), lead(&club).await);
        let child = child_of(parent, NAME).await;
        let father = on_duty(&club, DutyKind::SafeguardingLead, Role::Admin).await;
        let id = child.parse().expect("an id");
        relate(&club, "guardian", id, father.user.expect("a user")).await;
        let wanted = json!({"title": "A report", "child_ids": [child], "lead_ids": [lead.user, father.user]});
        let refused = lead.post(CASES, &wanted).await;
        is_problem(&refused, Code::ValidationFailed, "a father");
        assert_eq!(pointers(&refused), ["/lead_ids/1"]);
        let wanted = json!({"title": "A report", "child_ids": [child]});
        is_problem(&father.post(CASES, &wanted).await, Code::OperationForbidden, "their own child");
        let case = open(&lead, &child).await;
        for kin in [parent, &father] {
            assert_eq!(kin.get(CASES).await.body["data"], json!([]));
            is_problem(&kin.get(&format!("{CASES}/{}", case.id())).await, Code::NotFound, "hidden");
            is_problem(&act(kin, &case, "confirm").await, Code::NotFound, "hidden");
        }
        is_problem(&act(&father, &case, "close").await, Code::NotFound, "hidden");
        assert!(
            !sent(&club).await.iter().any(|mail| mail.subject.contains("safeguarding case")),
            "the owner is a parent"
        );
        assert_eq!(act(club.member(Role::Admin), &case, "confirm").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn who_works_on_a_case_is_no_second_person_except_an_owner_alone() {
    on_both_in_held_time(async |club| {
        let (first, second) = (lead(&club).await, lead(&club).await);
        let child = child_of(club.member(Role::Member), NAME).await;
        let wanted =
            json!({"title": "A report", "child_ids": [child], "lead_ids": [first.user, second.user]});
        let case = first.post(CASES, &wanted).await;
        assert_eq!(case.status, 201, "{}", case.text);
        is_problem(&act(&second, &case, "confirm").await, Code::SelfGrant, "they work on it");
        let third = lead(&club).await;
        assert_eq!(act(&third, &case, "confirm").await.status, 200, "another lead, whatever their role");
        assert_eq!(reads(&second, &child).await, ["profile", "identity", "contact"]);
        assert_eq!(reads(&third, &child).await, Vec::<&str>::new());
    })
    .await;
}

#[tokio::test]
async fn mistakes_are_named_and_a_repeated_request_opens_one_case() {
    on_both(async |club| {
        let lead = lead(&club).await;
        let child = child_of(club.member(Role::Member), NAME).await;
        let unknown = "chi_01h2xcejqtf2nbrexx3vqjhp41";
        let wrong = json!({
            "title": "A report", "child_ids": [child, child, unknown], "lead_ids": [club.member(Role::Coach).user],
        });
        let refused = lead.post(CASES, &wrong).await;
        is_problem(&refused, Code::ValidationFailed, "three mistakes");
        let mut wrong = pointers(&refused);
        wrong.sort_unstable();
        assert_eq!(wrong, ["/child_ids/1", "/child_ids/2", "/lead_ids/0"]);
        let refused = lead.post(CASES, &json!({"title": "A report", "child_ids": []})).await;
        assert_eq!(pointers(&refused), ["/child_ids"], "{}", refused.text);
        for action in ["confirm", "close"] {
            let missing = format!("{CASES}/cas_01h2xcejqtf2nbrexx3vqjhp41/{action}");
            is_problem(&lead.post(&missing, &json!({})).await, Code::NotFound, action);
        }
        is_problem(&lead.get(&format!("{CASES}?cursor=x")).await, Code::InvalidCursor, "no cursor");
        let body = json!({"title": "A report", "child_ids": [child]});
        let post = async || {
            send(lead.request(Method::POST, CASES).header("idempotency-key", "one").json(&body)).await
        };
        let (first, again) = (post().await, post().await);
        assert_eq!((first.status, &first.body), (201, &again.body), "{}", again.text);
        assert_eq!(lead.get(CASES).await.body["data"].as_array().map(Vec::len), Some(1));
        let admin = club.member(Role::Admin);
        for action in ["confirm", "close"] {
            let who = if action == "close" { &lead } else { admin };
            let path = format!("{CASES}/{}/{action}", first.id());
            let post = async || {
                let request = who.request(Method::POST, &path).header("idempotency-key", action);
                send(request.json(&json!({}))).await
            };
            let (once, twice) = (post().await, post().await);
            assert_eq!((once.status, twice.status), (200, 200));
            assert_eq!(once.body, twice.body, "{action}");
        }
    })
    .await;
}
