//! The messages of the server, and links that are not mailed.

use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::support::mail::sent;
use crate::support::{Club, PASSWORD, on_both};

const RESETS: &str = "/operator/users/password-reset";
const MAIL: &str = "/operator/mail";

async fn invite(club: &Club, email: &str) {
    let body = json!({"email": email, "role": "coach"});
    assert_eq!(club.member(Role::Admin).post("/api/v1/invitations", &body).await.status, 201);
}

#[tokio::test]
async fn the_operator_creates_a_link_that_sets_a_password_once_and_is_not_mailed() {
    on_both(async |club| {
        let (operator, coach) = (club.operator(), club.member(Role::Coach));
        let created = operator.post(RESETS, &json!({"email": coach.email.to_uppercase()})).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let data = &created.body["data"];
        assert_eq!(data["email"], json!(coach.email));
        let token = data["link"].as_str().expect("a link").split_once("token=").expect("a token").1;
        let complete = json!({"token": token, "new_password": "another four words here"});
        let path = "/api/v1/auth/password-resets/complete";
        assert_eq!(club.anonymous().post(path, &complete).await.status, 200);
        assert_eq!(club.anonymous().post(path, &complete).await.status, 410, "once");
        for (password, status) in [(PASSWORD, 401), ("another four words here", 200)] {
            let login = json!({"email": coach.email, "password": password});
            assert_eq!(club.anonymous().post("/api/v1/auth/login", &login).await.status, status);
        }
        let kinds: Vec<_> = sent(&club).await.iter().map(|mail| mail.subject.clone()).collect();
        assert_eq!(kinds, ["Your password was changed"], "only that it was changed");
        let unknown = operator.post(RESETS, &json!({"email": "unknown@clubs.example"})).await;
        assert_eq!((unknown.status, unknown.code()), (404, "not_found"));
        assert_eq!(unknown.body["detail"], "No user has the address unknown@clubs.example.");
    })
    .await;
}

#[tokio::test]
async fn messages_are_listed_newest_first_by_status_and_shown_with_their_text() {
    on_both(async |club| {
        let operator = club.operator();
        invite(&club, "kim@coaches.example").await;
        invite(&club, "sam@coaches.example").await;
        let listed = operator.get(&format!("{MAIL}?status=waiting")).await;
        let mails = listed.body["data"].as_array().expect("messages").clone();
        let recipients: Vec<_> =
            mails.iter().map(|mail| mail["recipient"].as_str().expect("an address")).collect();
        assert_eq!(recipients, ["sam@coaches.example", "kim@coaches.example"]);
        assert_eq!(
            (&mails[0]["kind"], &mails[0]["attempts"], &mails[0]["error"]),
            (&json!("invitation"), &json!(0), &Value::Null)
        );
        let first = operator.get(&format!("{MAIL}?limit=1")).await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("another page");
        let second = operator.get(&format!("{MAIL}?limit=1&cursor={cursor}")).await;
        assert_eq!(second.body["data"][0]["id"], mails[1]["id"]);
        let path = format!("{MAIL}/{}", mails[0]["id"].as_str().expect("an id"));
        let shown = operator.get(&path).await;
        let data = &shown.body["data"];
        assert_eq!(data["mail"], mails[0]);
        let mailed = sent(&club).await;
        let mailed = mailed.iter().find(|mail| mail.to.contains("sam@")).expect("the message");
        assert_eq!(data["subject"], json!(mailed.subject));
        assert!(data["text"].as_str().is_some_and(|text| text.contains(&mailed.link())), "{}", shown.text);
        let after = operator.get(&path).await.body["data"]["mail"].clone();
        assert_eq!(
            (&after["status"], &after["attempts"], &after["due_at"]),
            (&json!("sent"), &json!(1), &Value::Null)
        );
        assert_eq!(operator.get(&format!("{MAIL}?status=waiting")).await.body["data"], json!([]));
        let invitations = club.member(Role::Admin).get("/api/v1/invitations").await;
        for invitation in invitations.body["data"].as_array().expect("invitations") {
            let id = invitation["id"].as_str().expect("an id");
            assert_eq!(
                club.member(Role::Admin).delete(&format!("/api/v1/invitations/{id}")).await.status,
                200
            );
        }
        let void = operator.get(&path).await;
        assert_eq!((&void.body["data"]["text"], &void.body["data"]["subject"]), (&Value::Null, &Value::Null));
    })
    .await;
}
