//! Children: created by a guardian, read and changed class by class.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::{Answer, Club, Person, on_both};

const CHILDREN: &str = "/api/v1/children";

/// A guardian, and the child that they have created.
async fn family(club: &Club) -> (Person, String) {
    let parent = club.another_session(Role::Member).await;
    let created = create(&parent, "Zoë Q.").await;
    (parent, created.body["data"]["child_id"].as_str().expect("an id").to_owned())
}

async fn create(parent: &Person, name: &str) -> Answer {
    let wanted = json!({
        "display_name": name, "birth_date": "2014-05-06", "legal_first_name": "Zoë", "legal_last_name": "Quibble",
    });
    let created = parent.post(CHILDREN, &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    created
}

fn at(child: &str, class: &str) -> String {
    format!("{CHILDREN}/{child}/{class}")
}

#[tokio::test]
async fn a_guardian_creates_a_child_and_sees_it_and_no_one_else_does() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let list = parent.get(CHILDREN).await;
        let shown = &list.body["data"][0];
        assert_eq!(
            (shown["id"].as_str(), shown["capacity"].as_str()),
            (Some(child.as_str()), Some("guardian"))
        );
        assert_eq!(shown["display_name"], "Zoë Q.");
        let read = parent.get(&format!("{CHILDREN}/{child}")).await;
        assert_eq!(&read.body["data"], shown, "the list and the record agree");
        assert_eq!(read.header("cache-control"), "private, no-store");
        let owner = club.member(Role::Owner);
        assert_eq!(owner.get(CHILDREN).await.body["data"], json!([]));
        let hidden = owner.get(&format!("{CHILDREN}/{child}")).await;
        let missing = owner.get(&format!("{CHILDREN}/chi_01h2xcejqtf2nbrexx3vqjhp41")).await;
        is_problem(&hidden, Code::NotFound, "not_found");
        assert_eq!(
            hidden.body["detail"], missing.body["detail"],
            "hidden and missing children look the same"
        );
    })
    .await;
}

#[tokio::test]
async fn each_class_is_changed_alone_and_conditionally() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        for (class, change) in [
            ("profile", json!({"pronouns": "she/her", "photo_url": "https://photos.example/zoe.jpg"})),
            ("identity", json!({"legal_last_name": "Quux"})),
            ("contact", json!({
                "emails": ["family@quux.example"], "phones": ["+61 3 5550 0100"], "address": "1 Elm St",
                "emergency_contacts": [{"name": "Robin Quux", "phone": "+61 3 5550 0199", "relationship": "aunt"}],
            })),
            ("emergency", json!({"allergies": "Peanuts", "instructions": "Use the pen in the blue bag.\nThen call."})),
            ("medical", json!({"conditions": "Asthma", "physician": "Dr. Example"})),
        ] {
            let path = at(&child, class);
            let before = parent.get(&path).await;
            assert_eq!(before.status, 200, "{}", before.text);
            assert_eq!(before.body["data"]["version"], 1);
            let changed = parent.patch(&path, &change).await;
            assert_eq!(changed.status, 200, "{}", changed.text);
            for (field, value) in change.as_object().expect("fields") {
                assert_eq!(&changed.body["data"][field], value, "{class}");
            }
            let after = parent.get(&path).await;
            assert_eq!(after.body["data"], changed.body["data"], "{class}");
            let tag = before.header("etag").to_owned();
            let request = parent.request(reqwest::Method::PATCH, &path).header("if-match", tag).json(&change);
            is_problem(&crate::support::send(request).await, Code::VersionMismatch, "version_mismatch");
        }
        let performance = parent.patch(&at(&child, "performance"), &json!({"position": "Guard"})).await;
        is_problem(&performance, Code::RelationshipInsufficient, "relationship_insufficient");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_gets_what_the_caller_may_see_now() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let change = json!({"pronouns": "they/them"});
        let send = async |change: &Value| {
            let request = parent.request(reqwest::Method::PATCH, &at(&child, "profile"));
            crate::support::send(request.header("idempotency-key", "once").json(change)).await
        };
        let first = send(&change).await;
        let again = send(&change).await;
        assert_eq!((first.status, again.status), (200, 200), "{} {}", first.text, again.text);
        assert_eq!(first.body["data"]["version"], 2);
        assert_eq!(again.body["data"], first.body["data"]);
        assert_eq!(again.header("idempotent-replayed"), "true");
        parent.patch(&at(&child, "profile"), &json!({"display_name": "Zoë Quux"})).await;
        let later = send(&change).await;
        assert_eq!(later.body["data"]["display_name"], "Zoë Quux", "as it is now");
        is_problem(
            &send(&json!({"pronouns": null})).await,
            Code::IdempotencyMismatch,
            "idempotency_mismatch",
        );
    })
    .await;
}

#[tokio::test]
async fn lists_are_paged_by_name_and_a_cursor_holds_no_name() {
    on_both(async |club| {
        let parent = club.another_session(Role::Member).await;
        for name in ["Cleo", "ada", "Bo", "Ada"] {
            create(&parent, name).await;
        }
        for limit in 1..=4 {
            let (mut names, mut path) = (Vec::new(), format!("{CHILDREN}?limit={limit}"));
            loop {
                let page = parent.get(&path).await;
                assert_eq!(page.status, 200, "{}", page.text);
                let data = page.body["data"].as_array().expect("a list");
                names.extend(
                    data.iter().map(|it| it["display_name"].as_str().expect("a name").to_lowercase()),
                );
                let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
                let text = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, cursor);
                let text = String::from_utf8_lossy(&text.unwrap_or_default()).to_lowercase();
                assert!(!text.contains("cleo") && !text.contains("bo\""), "{text}");
                path = format!("{CHILDREN}?limit={limit}&cursor={cursor}");
            }
            assert_eq!(names, ["ada", "ada", "bo", "cleo"]);
        }
    })
    .await;
}

#[tokio::test]
async fn bad_bodies_are_refused_field_by_field() {
    on_both(async |club| {
        let parent = club.another_session(Role::Member).await;
        let refused = parent.post(CHILDREN, &json!({"display_name": " ", "birth_date": "2014-13-01"})).await;
        is_problem(&refused, Code::ValidationFailed, "validation_failed");
        let pointers: Vec<_> = refused.body["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|it| it["pointer"].clone())
            .collect();
        assert_eq!(pointers, ["/display_name", "/birth_date"], "{}", refused.text);
        let (parent, child) = family(&club).await;
        let wrong = json!({"emails": ["no"], "emergency_contacts": [{"name": "Robin"}]});
        let refused = parent.patch(&at(&child, "contact"), &wrong).await;
        is_problem(&refused, Code::ValidationFailed, "validation_failed");
        let pointers: Vec<_> = refused.body["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|it| it["pointer"].clone())
            .collect();
        assert_eq!(pointers, ["/emails/0", "/emergency_contacts/0/phone"], "{}", refused.text);
    })
    .await;
}
