//! Restrictions: what closes a child's data, whatever else opens it.

use fieldhouse_api::Code;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::matrix::relations::relate;
use crate::shapes::{is_problem, pointers};
use crate::support::families::{CHILDREN, child_of, on_duty};
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const NAME: &str = "Zzyzxgrove of the orders";

async fn lead(club: &Club) -> Person {
    on_duty(club, DutyKind::SafeguardingLead, Role::Member).await
}

/// Creates a child of a person, and returns its address.
async fn address_of(parent: &Person) -> String {
    format!("{CHILDREN}/{}", child_of(parent, NAME).await)
}

fn order(person: &Person, classes: &[&str]) -> Value {
    json!({
        "user_id": person.user, "classes": classes, "kind": "custody_order", "reason": "Order 12 of the family court",
        "document_ref": "Safe, folder 7",
    })
}

async fn enter(lead: &Person, child: &str, body: &Value) -> Answer {
    let entered = lead.post(&format!("{child}/restrictions"), body).await;
    assert_eq!(entered.status, 201, "{}", entered.text);
    entered
}

async fn lift(lead: &Person, restriction: &Answer) -> Answer {
    lead.post(&format!("/api/v1/restrictions/{}/lift", restriction.id()), &json!({})).await
}

/// Whether a person's list has a child, which must agree with reading it.
async fn sees(person: &Person, child: &str) -> bool {
    let id = child.rsplit('/').next().expect("an id");
    let listed = person.get(CHILDREN).await.text.contains(id);
    let read = person.get(child).await;
    if !listed {
        is_problem(&read, Code::NotFound, "as if there were no such child");
    }
    assert_eq!(listed, read.status == 200, "the list and the read agree: {}", read.text);
    listed
}

#[tokio::test]
async fn an_order_keeps_a_parent_away_from_the_next_request_on_until_it_is_lifted() {
    on_both(async |club| {
        let (mother, father, lead) = (club.member(Role::Member), club.member(Role::Coach), lead(&club).await);
        let child = address_of(mother).await;
        let id = child.rsplit('/').next().expect("an id").parse().expect("an id");
        relate(&club, "guardian", id, father.user.expect("a user")).await;
        assert!(sees(mother, &child).await && sees(father, &child).await && !sees(&lead, &child).await);

        let entered = enter(&lead, &child, &order(father, &[])).await;
        let data = &entered.body["data"];
        assert_eq!(data["user"], json!({"id": father.user, "name": "coach of Riverside Club"}));
        assert_eq!((&data["entered_by"], &data["lifted_at"]), (&json!(lead.user), &json!(null)));
        assert_eq!(data["document_ref"], "Safe, folder 7");
        assert!(sees(mother, &child).await, "the other parent");
        assert!(!sees(father, &child).await, "on the next request");
        for part in ["medical", "contact", "access-log", "relations"] {
            is_problem(&father.get(&format!("{child}/{part}")).await, Code::NotFound, part);
        }
        assert!(!sees(&lead, &child).await, "the lead sees nothing of the child");
        let list = lead.get(&format!("{child}/restrictions")).await;
        assert_eq!(list.body["data"], json!([data]), "{}", list.text);
        assert!(!list.text.contains(NAME) && !entered.text.contains(NAME));

        let lifted = lift(&lead, &entered).await;
        assert_eq!(lifted.body["data"]["lifted_by"], json!(lead.user), "{}", lifted.text);
        assert!(sees(father, &child).await, "on the next request");
        is_problem(&lift(&lead, &entered).await, Code::State, "again");
        let list = lead.get(&format!("{child}/restrictions")).await;
        assert_eq!(list.body["data"][0], lifted.body["data"], "lifted ones stay in the list");
    })
    .await;
}

#[tokio::test]
async fn one_for_everyone_and_one_for_some_classes_close_no_more_than_they_say() {
    on_both(async |club| {
        let (parent, lead) = (club.member(Role::Member), lead(&club).await);
        let child = address_of(parent).await;
        enter(&lead, &child, &order(parent, &["contact", "medical"])).await;
        assert!(sees(parent, &child).await);
        for class in ["contact", "medical"] {
            let read = parent.get(&format!("{child}/{class}")).await;
            is_problem(&read, Code::RelationshipInsufficient, class);
        }
        assert_eq!(parent.get(&format!("{child}/identity")).await.status, 200);
        let block = json!({"kind": "safeguarding_block", "classes": ["identity"], "reason": "A concern"});
        let block = enter(&lead, &child, &block).await;
        assert_eq!(
            (&block.body["data"]["user"], &block.body["data"]["document_ref"]),
            (&json!(null), &json!(null))
        );
        let read = parent.get(&format!("{child}/identity")).await;
        is_problem(&read, Code::RelationshipInsufficient, "for everyone");
        let first = lead.get(&format!("{child}/restrictions?limit=1")).await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        let rest = lead.get(&format!("{child}/restrictions?limit=1&cursor={cursor}")).await;
        let kinds = [&first, &rest].map(|page| page.body["data"][0]["kind"].clone());
        assert_eq!(kinds, ["safeguarding_block", "custody_order"], "newest first");
        let wrong = lead.get(&format!("{child}/restrictions?cursor=x")).await;
        is_problem(&wrong, Code::InvalidCursor, "no cursor");
    })
    .await;
}

#[tokio::test]
async fn an_order_starts_at_its_time_and_ends_with_no_role() {
    on_both_in_held_time(async |club| {
        let (parent, lead) = (club.member(Role::Member), lead(&club).await);
        let child = address_of(parent).await;
        let starts_at = club.app.clock.now().saturating_add(SignedDuration::from_mins(5)).expect("a time");
        let mut later = order(parent, &[]);
        later["starts_at"] = json!(starts_at);
        enter(&lead, &child, &later).await;
        assert!(sees(parent, &child).await, "it has not started");
        club.pass(SignedDuration::from_mins(5));
        assert!(!sees(parent, &child).await, "it has started");
    })
    .await;
}

#[tokio::test]
async fn only_a_lead_on_duty_who_is_not_of_the_family_decides() {
    on_both(async |club| {
        let (mother, father, lead) = (club.member(Role::Member), club.member(Role::Coach), lead(&club).await);
        let child = address_of(mother).await;
        let (path, body) = (format!("{child}/restrictions"), order(father, &[]));
        let entered = enter(&lead, &child, &body).await;
        for role in [Role::Member, Role::Manager, Role::Admin, Role::Owner] {
            let person = club.member(role);
            for answer in
                [person.get(&path).await, person.post(&path, &body).await, lift(person, &entered).await]
            {
                is_problem(&answer, Code::OperationForbidden, "a role is no duty");
            }
            assert!(!sees(person, &child).await || role == Role::Member);
        }
        is_problem(&club.member(Role::Viewer).get(&path).await, Code::RoleInsufficient, "a viewer");
        let key = club.with_key(&club.member(Role::Owner).issue_key(&json!({"name": "A script"})).await);
        is_problem(&key.get(&path).await, Code::SessionRequired, "a key");

        // A lead who is the child's parent decides nothing, neither about others nor about themselves.
        let parent_and_lead = on_duty(&club, DutyKind::SafeguardingLead, Role::Manager).await;
        let id = child.rsplit('/').next().expect("an id").parse().expect("an id");
        relate(&club, "guardian", id, parent_and_lead.user.expect("a user")).await;
        for answer in [parent_and_lead.get(&path).await, parent_and_lead.post(&path, &body).await] {
            is_problem(&answer, Code::OperationForbidden, "one parent does not decide about the other");
        }
        is_problem(
            &lift(&parent_and_lead, &entered).await,
            Code::NotFound,
            "nor learns that it is about them",
        );
        let own = enter(&lead, &child, &order(&lead, &[])).await;
        is_problem(&lift(&lead, &own).await, Code::SelfGrant, "their own access");
    })
    .await;
}

#[tokio::test]
async fn what_does_not_exist_is_not_found_and_what_is_wrong_is_named() {
    on_both(async |club| {
        let lead = lead(&club).await;
        let unknown = format!("{CHILDREN}/chi_01h2xcejqtf2nbrexx3vqjhp41");
        is_problem(&lead.get(&format!("{unknown}/restrictions")).await, Code::NotFound, "no child");
        let post = lead.post(&format!("{unknown}/restrictions"), &order(&lead, &[])).await;
        is_problem(&post, Code::NotFound, "no child");
        let lift = lead.post("/api/v1/restrictions/res_01h2xcejqtf2nbrexx3vqjhp41/lift", &json!({})).await;
        is_problem(&lift, Code::NotFound, "no restriction");
        let child = address_of(club.member(Role::Member)).await;
        let mut wrong = order(&lead, &["contact", "contact"]);
        wrong["user_id"] = json!("usr_01h2xcejqtf2nbrexx3vqjhp41");
        let refused = lead.post(&format!("{child}/restrictions"), &wrong).await;
        is_problem(&refused, Code::ValidationFailed, "two mistakes");
        assert_eq!(pointers(&refused), ["/user_id", "/classes/1"]);
        let refused = lead.post(&format!("{child}/restrictions"), &json!({})).await;
        assert_eq!(pointers(&refused), ["/kind", "/reason"], "{}", refused.text);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_enters_one_restriction() {
    on_both(async |club| {
        let (parent, lead) = (club.member(Role::Member), lead(&club).await);
        let child = address_of(parent).await;
        let path = format!("{child}/restrictions");
        let body = order(parent, &[]);
        let post = async || {
            let request = lead.request(Method::POST, &path).header("idempotency-key", "order-12");
            send(request.json(&body)).await
        };
        let (first, again) = (post().await, post().await);
        assert_eq!((first.status, again.status), (201, 201), "{}", again.text);
        assert_eq!(first.body, again.body);
        assert_eq!(lead.get(&path).await.body["data"].as_array().map(Vec::len), Some(1));
        let lift = async || {
            let path = format!("/api/v1/restrictions/{}/lift", first.id());
            send(lead.request(Method::POST, &path).header("idempotency-key", "lift").json(&json!({}))).await
        };
        assert_eq!((lift().await.status, lift().await.status), (200, 200));
    })
    .await;
}

#[tokio::test]
async fn a_restricted_manager_decides_nothing_about_others() {
    on_both(async |club| {
        let (parent, manager, lead) =
            (club.member(Role::Member), club.member(Role::Manager), lead(&club).await);
        let child = address_of(parent).await;
        let proposed = json!({"user_id": club.member(Role::Coach).user, "kind": "guardian"});
        let relation = parent.post(&format!("{child}/relations"), &proposed).await;
        let waiting = async || manager.get("/api/v1/relations").await.body["data"].as_array().map(Vec::len);
        assert_eq!(waiting().await, Some(1));
        let entered = enter(&lead, &child, &order(manager, &["contact"])).await;
        assert_eq!(waiting().await, Some(0), "it is not theirs to confirm");
        let confirm = format!("/api/v1/relations/{}/confirm", relation.id());
        is_problem(&manager.post(&confirm, &json!({})).await, Code::NotFound, "confirming");
        let another = json!({"user_id": club.member(Role::Viewer).user, "kind": "guardian"});
        let refused = manager.post(&format!("{child}/relations"), &another).await;
        is_problem(&refused, Code::NotFound, "proposing");
        assert_eq!(lift(&lead, &entered).await.status, 200);
        assert_eq!(manager.post(&confirm, &json!({})).await.status, 200, "lifted");
        let partly = enter(&lead, &child, &order(parent, &["contact"])).await;
        let refused = parent.post(&format!("{child}/relations"), &another).await;
        is_problem(&refused, Code::RelationshipInsufficient, "a parent who sees some of it");
        assert_eq!(lift(&lead, &partly).await.status, 200);
    })
    .await;
}
