//! Invitations: who may invite, what is mailed, and how an invitation is accepted.

mod accepting;

use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::mail::{Letter, sent, sent_nothing};
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time};

const INVITATIONS: &str = "/api/v1/invitations";

async fn invite(who: &Person, email: &str, role: &str) -> Answer {
    who.post(INVITATIONS, &json!({"email": email, "role": role})).await
}

/// Invites a person and returns the invitation and the message that they get.
async fn invited(club: &Club, email: &str, role: &str) -> (Answer, Letter) {
    let answer = invite(club.member(Role::Admin), email, role).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let letter = sent(club).await.pop().expect("a message");
    assert_eq!(letter.to, email);
    (answer, letter)
}

async fn accept(who: &Person, body: &Value) -> Answer {
    who.post("/api/v1/invitations/accept", body).await
}

async fn preview(club: &Club, token: &str) -> Answer {
    club.anonymous().post("/api/v1/invitations/preview", &json!({"token": token})).await
}

#[tokio::test]
async fn the_link_is_mailed_to_the_invited_address_only() {
    on_both(async |club| {
        let (answer, letter) = invited(&club, "Robin@parents.example", "member").await;
        let data = &answer.body["data"];
        assert_eq!((&data["status"], &data["email"]), (&json!("open"), &json!("Robin@parents.example")));
        assert_eq!(data["invited_by"]["name"], "admin of Riverside Club");
        assert!(letter.subject.contains("Riverside Club"), "{}", letter.subject);
        assert!(letter.text.contains("with the role \"member\""), "{}", letter.text);
        let token = letter.token();
        assert!(!answer.text.contains(&token), "the inviter does not see the link");
        let path = format!("{INVITATIONS}/{}", answer.id());
        let owner = club.member(Role::Owner);
        for shown in
            [owner.get(&path).await, owner.get(INVITATIONS).await, owner.get("/api/v1/audit-log").await]
        {
            assert_eq!(shown.status, 200);
            assert!(!shown.text.contains("fhl_"), "{}", shown.text);
        }
        let seen = preview(&club, &token).await;
        let data = &seen.body["data"];
        assert_eq!((seen.status, &data["email"]), (200, &json!("Robin@parents.example")), "{}", seen.text);
        assert_eq!((&data["role"], &data["has_account"]), (&json!("member"), &json!(false)));
        assert_eq!(data["organization"]["slug"], "riverside-club");
        sent_nothing(&club).await;
    })
    .await;
}

#[tokio::test]
async fn no_one_invites_to_a_higher_role_or_an_address_twice() {
    on_both(async |club| {
        let (admin, owner) = (club.member(Role::Admin), club.member(Role::Owner));
        let higher = invite(admin, "a@people.example", "owner").await;
        assert_eq!((higher.status, higher.code()), (403, "operation_forbidden"));
        let member = invite(admin, &club.member(Role::Coach).email.to_uppercase(), "coach").await;
        assert_eq!((member.status, member.code()), (409, "duplicate"), "{}", member.text);
        assert_eq!(invite(owner, "a@people.example", "owner").await.status, 201);
        let twice = invite(admin, "A@people.example", "viewer").await;
        assert_eq!((twice.status, twice.code()), (409, "duplicate"), "{}", twice.text);
        let invalid = invite(admin, "a people", "chief").await;
        let pointers: Vec<_> = invalid.body["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|error| &error["pointer"])
            .collect();
        assert_eq!((invalid.status, pointers), (422, vec![&json!("/email"), &json!("/role")]));
        let id = owner.get(INVITATIONS).await.body["data"][0]["id"].as_str().expect("an id").to_owned();
        let path = format!("{INVITATIONS}/{id}");
        assert_eq!(admin.delete(&path).await.code(), "operation_forbidden", "an invitation to a higher role");
        let again = admin.post(&format!("{path}/resend"), &json!(null)).await;
        assert_eq!(again.code(), "operation_forbidden");
    })
    .await;
}

#[tokio::test]
async fn a_link_that_was_replaced_revoked_used_or_is_unknown_is_gone_with_the_same_response() {
    on_both_in_held_time(async |club| {
        let admin = club.member(Role::Admin);
        let (answer, first) = invited(&club, "robin@parents.example", "member").await;
        let path = format!("{INVITATIONS}/{}", answer.id());
        club.pass(SignedDuration::from_mins(1));
        let again = admin.post(&format!("{path}/resend"), &json!(null)).await;
        assert_eq!((again.status, &again.body["data"]["status"]), (200, &json!("open")), "{}", again.text);
        let second = sent(&club).await.pop().expect("another message");
        let replaced = preview(&club, &first.token()).await;
        assert_eq!((replaced.status, replaced.code()), (410, "link_expired"));
        assert_eq!(preview(&club, &second.token()).await.status, 200);
        let (_, other) = invited(&club, "kim@parents.example", "member").await;
        let body = json!({"token": other.token(), "name": "Kim", "password": "four words in a row"});
        assert_eq!(accept(&club.anonymous(), &body).await.status, 200);
        let used = preview(&club, &other.token()).await;
        club.pass(SignedDuration::from_hours(7 * 24));
        let expired = preview(&club, &second.token()).await;
        let unknown = preview(&club, &format!("{}A", &second.token()[..second.token().len() - 1])).await;
        let admin = &club.another_session(Role::Admin).await;
        let listed = admin.get(&format!("{INVITATIONS}?status=expired")).await;
        assert_eq!(listed.body["data"][0]["email"], "robin@parents.example");
        assert_eq!(admin.delete(&path).await.status, 200);
        let revoked = preview(&club, &second.token()).await;
        let refused = admin.post(&format!("{path}/resend"), &json!(null)).await;
        assert_eq!((refused.status, refused.code()), (409, "state"));
        for gone in [&used, &expired, &unknown, &revoked, &preview(&club, "nonsense").await] {
            assert_eq!(gone.status, 410, "{}", gone.text);
            for same in ["type", "title", "status", "detail", "code", "retryable"] {
                assert_eq!(gone.body[same], replaced.body[same], "{same}");
            }
        }
        let refused = accept(
            &club.anonymous(),
            &json!({"token": second.token(), "name": "Robin", "password": "four words in a row"}),
        )
        .await;
        assert_eq!(refused.status, 410);
        let removed = admin.get("/api/v1/members?limit=100").await;
        assert!(!removed.text.contains("robin@"), "nothing was created");
    })
    .await;
}
