//! What the ledger says about children: their history for the family, and the audit log for those to whom a relation opens it.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::families::signed_in;
use crate::support::fixtures::Fixture;
use crate::support::{Answer, Club, Person, on_both};

const CHILDREN: &str = "/api/v1/children";
const LOG: &str = "/api/v1/audit-log";

/// A new member.
async fn someone(club: &Club, role: Role) -> Person {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let user = fixture.member(role).user;
    fixture.write().await;
    let mut person = signed_in(club, user).await;
    person.user = Some(user);
    person
}

/// A guardian, and the child that they have created, whose records they have changed.
async fn family(club: &Club) -> (Person, String) {
    let parent = someone(club, Role::Member).await;
    let wanted = json!({
        "display_name": "Zephyrine Q.", "birth_date": "2016-05-06", "legal_first_name": "Zephyrine", "legal_last_name": "Quibble",
    });
    let created = parent.post(CHILDREN, &wanted).await;
    let child = created.body["data"]["child_id"].as_str().expect("an id").to_owned();
    for (class, change) in [
        ("identity", json!({"legal_last_name": "Quux"})),
        ("contact", json!({"address": "1 Elm St"})),
        ("medical", json!({"conditions": "Asthma"})),
        ("profile", json!({"pronouns": "she/her"})),
    ] {
        let changed = parent.patch(&format!("{CHILDREN}/{child}/{class}"), &change).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    }
    (parent, child)
}

/// The effects of all entries: kind, whether it is redacted, and the values before and after.
fn effects(answer: &Answer) -> Vec<(&str, bool, &Value, &Value)> {
    let entries = answer.body["data"].as_array().expect("entries");
    let effects = entries.iter().flat_map(|entry| entry["effects"].as_array().expect("effects"));
    effects
        .map(|it| {
            let redacted = it["redacted"].as_bool().expect("a boolean");
            (it["kind"].as_str().expect("a kind"), redacted, &it["before"], &it["after"])
        })
        .collect()
}

/// The kinds whose values are shown, and those whose values are not, in alphabetical order.
fn told(answer: &Answer) -> (Vec<String>, Vec<String>) {
    let (mut shown, mut redacted) = (Vec::new(), Vec::new());
    for (kind, is_redacted, before, after) in effects(answer) {
        if is_redacted {
            assert_eq!((before, after), (&Value::Null, &Value::Null), "{kind}");
            redacted.push(kind.to_owned());
        } else {
            shown.push(kind.to_owned());
        }
    }
    for kinds in [&mut shown, &mut redacted] {
        kinds.sort_unstable();
        kinds.dedup();
    }
    (shown, redacted)
}

#[tokio::test]
async fn the_family_reads_what_changed_about_its_child_page_by_page() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let path = format!("{CHILDREN}/{child}/history");
        let all = parent.get(&path).await;
        assert_eq!(all.header("cache-control"), "private, no-store");
        let found = effects(&all);
        assert!(found.iter().all(|(_, redacted, ..)| !redacted), "{}", all.text);
        let (kind, _, before, after) = found[2];
        assert_eq!(
            (kind, &before["address"], &after["address"]),
            ("child_contact", &Value::Null, &json!("1 Elm St"))
        );
        let tag = all.header("etag").to_owned();
        let again = parent.request(reqwest::Method::GET, &path).header("if-none-match", tag);
        assert_eq!(crate::support::send(again).await.status, 304);
        let entries = all.body["data"].as_array().expect("entries").len();
        assert_eq!(entries, 5, "{}", all.text);
        let (mut seqs, mut next) = (Vec::new(), format!("{path}?limit=2"));
        loop {
            let page = parent.get(&next).await;
            seqs.extend(page.body["data"].as_array().expect("entries").iter().map(|it| it["seq"].as_i64()));
            let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
            next = format!("{path}?limit=2&cursor={cursor}");
        }
        let every: Vec<_> =
            all.body["data"].as_array().expect("entries").iter().map(|it| it["seq"].as_i64()).collect();
        assert_eq!(seqs, every);

        let young = someone(&club, Role::Member).await;
        relate(&club, "self.young", child.parse().expect("an id"), young.user.expect("a user")).await;
        let (shown, redacted) = told(&young.get(&path).await);
        assert_eq!(redacted, ["child_medical"], "a child of ten does not read what doctors say");
        assert!(
            shown.iter().any(|kind| kind == "child_identity") && shown.iter().any(|kind| kind == "relation"),
            "{shown:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn the_audit_log_shows_what_a_relation_opens_and_records_it() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let admin = someone(&club, Role::Admin).await;
        let log = admin.get(LOG).await;
        for secret in ["Zephyrine", "Quibble", "Quux", "Elm St", "Asthma", "she/her"] {
            assert!(!log.text.contains(secret), "{secret} is in {}", log.text);
        }
        let of_child = format!("{LOG}?record_id={child}");
        let (shown, redacted) = told(&admin.get(&of_child).await);
        assert!(shown.is_empty(), "{shown:?}");
        assert_eq!(redacted.len(), 7, "the child, five classes and a relation: {redacted:?}");
        is_problem(&admin.get(&format!("{CHILDREN}/{child}/history")).await, Code::NotFound, "not_found");

        // Staff of a young child with consent: everything but identity, medical data and what is recorded for the family.
        relate(&club, "coach.ok", child.parse().expect("an id"), admin.user.expect("a user")).await;
        let (shown, redacted) = told(&admin.get(&of_child).await);
        assert_eq!(shown, ["child", "child_contact", "child_emergency", "child_performance"]);
        assert_eq!(redacted, ["child_identity", "child_medical", "relation"]);
        is_problem(
            &admin.get(&format!("{CHILDREN}/{child}/history")).await,
            Code::RelationshipInsufficient,
            "relationship_insufficient",
        );
        let seen = parent.get(&format!("{CHILDREN}/{child}/access-log")).await;
        let seen = seen.body["data"].as_array().expect("events");
        let mut classes: Vec<_> = seen
            .iter()
            .filter(|it| it["operation"] == "audit.list" && it["capacity"] == "staff")
            .filter_map(|it| it["class"].as_str())
            .collect();
        classes.sort_unstable();
        assert_eq!(classes, ["contact", "emergency", "performance", "profile"]);

        let key = admin.issue_key(&json!({"name": "Auditor", "scopes": ["audit:read"]})).await;
        let (shown, _) = told(&club.with_key(&key).get(&of_child).await);
        assert!(shown.is_empty(), "a key for the audit log alone opens no child: {shown:?}");
        let key = admin.issue_key(&json!({"name": "Both", "scopes": ["audit:read", "children:read"]})).await;
        let (shown, _) = told(&club.with_key(&key).get(&of_child).await);
        assert_eq!(shown.len(), 4, "{shown:?}");
    })
    .await;
}

#[tokio::test]
async fn a_revoked_guardian_reads_no_history_from_the_next_request_on() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let (second, manager) = (someone(&club, Role::Coach).await, someone(&club, Role::Manager).await);
        let wanted = json!({"user_id": second.user, "kind": "guardian"});
        let added = parent.post(&format!("{CHILDREN}/{child}/relations"), &wanted).await;
        let relation = format!("/api/v1/relations/{}", added.id());
        for (who, step) in [(&manager, "confirm"), (&second, "accept")] {
            assert_eq!(who.post(&format!("{relation}/{step}"), &json!({})).await.status, 200);
        }
        let path = format!("{CHILDREN}/{child}/history");
        assert_eq!(second.get(&path).await.status, 200);
        assert_eq!(second.post(&format!("{relation}/revoke"), &json!({})).await.status, 200);
        is_problem(&second.get(&path).await, Code::NotFound, "not_found");
        let newest = parent.get(&path).await;
        let (kind, redacted, _, after) = effects(&newest)[0];
        assert_eq!((kind, redacted, &after["state"]), ("relation", false, &json!("revoked")));
    })
    .await;
}
