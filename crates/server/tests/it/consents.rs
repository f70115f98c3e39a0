//! Consents: given and withdrawn by the family, and what staff see with and without them.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::{Answer, Club, Person, on_both, send};

/// A guardian, and the child of 8 years that they have created.
async fn family(club: &Club) -> (Person, String) {
    let parent = club.another_session(Role::Member).await;
    let created =
        parent.post("/api/v1/children", &json!({"display_name": "Zoë Q.", "birth_date": "2018-05-06"})).await;
    let child = created.body["data"]["child_id"].as_str().expect("an id").to_owned();
    (parent, child)
}

fn path(child: &str, rest: &str) -> String {
    format!("/api/v1/children/{child}/{rest}")
}

fn wanted(purpose: &str) -> Value {
    json!({"purpose": purpose, "method": "electronic", "notice_version": "2026-03"})
}

async fn grant(parent: &Person, child: &str, purpose: &str) -> Answer {
    let granted = parent.post(&path(child, "consents"), &wanted(purpose)).await;
    assert_eq!(granted.status, 201, "{}", granted.text);
    granted
}

async fn withdraw(parent: &Person, child: &str, consent: &str) -> Answer {
    parent.post(&path(child, &format!("consents/{consent}/withdraw")), &json!(null)).await
}

#[tokio::test]
async fn staff_see_what_a_guardian_consents_to_until_it_is_withdrawn() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let coach = club.member(Role::Coach);
        let user = coach.user.expect("a user");
        relate(&club, "coach", child.parse().expect("an id"), user).await;
        let sees = async || {
            let mut seen = Vec::new();
            for class in ["profile", "emergency", "medical"] {
                let answer = coach.get(&path(&child, class)).await;
                if answer.status == 200 {
                    seen.push(class);
                } else {
                    is_problem(&answer, Code::RelationshipInsufficient, "relationship_insufficient");
                }
            }
            seen
        };
        assert_eq!(sees().await, [""; 0]);
        let participation = grant(&parent, &child, "participation").await;
        assert_eq!(sees().await, ["profile"]);
        grant(&parent, &child, "photos").await;
        assert_eq!(sees().await, ["profile"], "another purpose opens nothing");
        grant(&parent, &child, "medical_care").await;
        assert_eq!(sees().await, ["profile", "emergency"]);
        let withdrawn = withdraw(&parent, &child, participation.id()).await;
        assert_eq!(withdrawn.status, 200, "{}", withdrawn.text);
        assert_eq!(withdrawn.body["data"]["status"], "withdrawn");
        assert_eq!(sees().await, [""; 0], "care needs participation too");

        let list = parent.get(&path(&child, "consents")).await;
        let list = list.body["data"].as_array().expect("a list").clone();
        let shown: Vec<_> = list.iter().map(|it| (it["purpose"].as_str(), it["status"].as_str())).collect();
        assert_eq!(
            shown,
            [
                (Some("medical_care"), Some("granted")),
                (Some("photos"), Some("granted")),
                (Some("participation"), Some("withdrawn")),
            ]
        );
        grant(&parent, &child, "participation").await;
        assert_eq!(sees().await, ["profile", "emergency"]);
    })
    .await;
}

#[tokio::test]
async fn a_purpose_has_one_valid_consent_and_a_child_its_own() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let photos = grant(&parent, &child, "photos").await;
        let again = parent.post(&path(&child, "consents"), &wanted("photos")).await;
        is_problem(&again, Code::Duplicate, "duplicate");
        let mut past = wanted("participation");
        past["expires_at"] = json!("2020-01-01T00:00:00Z");
        let refused = parent.post(&path(&child, "consents"), &past).await;
        is_problem(&refused, Code::ValidationFailed, "validation_failed");
        assert_eq!(refused.body["errors"][0]["pointer"], "/expires_at");

        let created =
            parent.post("/api/v1/children", &json!({"display_name": "Bo", "birth_date": "2016-05-06"})).await;
        let sibling = created.body["data"]["child_id"].as_str().expect("an id");
        is_problem(&withdraw(&parent, sibling, photos.id()).await, Code::NotFound, "not_found");
        assert_eq!(withdraw(&parent, &child, photos.id()).await.status, 200);
        is_problem(&withdraw(&parent, &child, photos.id()).await, Code::State, "state");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_consent_is_given_once_and_shown_as_it_is_now() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let give = async || {
            let request = parent.request(reqwest::Method::POST, &path(&child, "consents"));
            send(request.header("idempotency-key", "once").json(&wanted("photos"))).await
        };
        let (first, again) = (give().await, give().await);
        assert_eq!((first.status, again.status), (201, 201), "{} {}", first.text, again.text);
        assert_eq!(again.body["data"], first.body["data"]);
        withdraw(&parent, &child, first.id()).await;
        assert_eq!(give().await.body["data"]["status"], "withdrawn", "no second consent is given");
    })
    .await;
}
