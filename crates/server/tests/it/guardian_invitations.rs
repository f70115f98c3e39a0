//! Invitations to be a child's guardian: who invites, who sees them, and what is mailed.

mod accepting;
mod pages;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::families::{CHILDREN, Families, child_of, signed_in};
use crate::support::mail::{Letter, deliver_nowhere, sent, sent_nothing};
use crate::support::marker::MARKER;
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const NAME: &str = "Zzyzxgrove of the guardians";

fn path(child: &str) -> String {
    format!("{CHILDREN}/{child}/guardian-invitations")
}

fn one(child: &str, invitation: &Answer) -> String {
    format!("{}/{}", path(child), invitation.id())
}

async fn invite(who: &Person, child: &str, email: &str) -> Answer {
    who.post(&path(child), &json!({"email": email})).await
}

/// Invites a person, and returns the invitation and the message that they get.
pub(crate) async fn invited(club: &Club, who: &Person, child: &str, email: &str) -> (Answer, Letter) {
    let answer = invite(who, child, email).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let letter = sent(club).await.into_iter().find(|letter| letter.to == email).expect("a message");
    (answer, letter)
}

pub(crate) async fn accept(who: &Person, body: &Value) -> Answer {
    who.post("/api/v1/invitations/accept", body).await
}

pub(crate) async fn preview(club: &Club, letter: &Letter) -> Answer {
    club.anonymous().post("/api/v1/invitations/preview", &json!({"token": letter.token()})).await
}

/// The addresses and statuses that a list shows.
async fn listed(who: &Person, child: &str) -> Vec<(String, String)> {
    let list = who.get(&path(child)).await;
    let data = list.body["data"].as_array().unwrap_or_else(|| panic!("{}", list.text));
    let text = |it: &Value, field: &str| it[field].as_str().expect("a string").to_owned();
    data.iter().map(|it| (text(it, "email"), text(it, "status"))).collect()
}

fn shown(email: &str, status: &str) -> (String, String) {
    (email.to_owned(), status.to_owned())
}

#[tokio::test]
async fn the_link_is_mailed_to_the_invited_address_and_names_no_child() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let child = child_of(parent, NAME).await;
        let (answer, letter) = invited(&club, parent, &child, "Robin@parents.example").await;
        let data = &answer.body["data"];
        assert_eq!((&data["status"], &data["child_id"]), (&json!("open"), &json!(child)));
        assert_eq!(
            (&data["invited_by"]["name"], &data["relation_id"]),
            (&json!("member of Riverside Club"), &Value::Null)
        );
        assert!(letter.text.contains("as the guardian of a child"), "{}", letter.text);
        let seen = preview(&club, &letter).await;
        let data = &seen.body["data"];
        assert_eq!((&data["kind"], &data["role"]), (&json!("guardian"), &json!("member")), "{}", seen.text);
        assert_eq!((&data["email"], &data["has_account"]), (&json!("Robin@parents.example"), &json!(false)));
        assert_eq!(data["invited_by"], "member of Riverside Club");
        for text in [&letter.text, &letter.subject, &seen.text] {
            assert!(!text.contains(MARKER) && !text.contains(&child), "{text}");
        }
        let owner = club.member(Role::Owner);
        let log = owner.get("/api/v1/audit-log").await;
        for hidden in [&log, &owner.get("/api/v1/invitations").await] {
            assert!(!hidden.text.contains("arents.example"), "{}", hidden.text);
        }
        assert!(log.text.contains("guardian_invitation"), "that something changed: {}", log.text);
        let history = parent.get(&format!("{CHILDREN}/{child}/history")).await;
        assert!(!history.text.contains("arents.example"), "only the list shows it: {}", history.text);
        for shown in [&answer, &history, &parent.get(&path(&child)).await] {
            assert!(!shown.text.contains("fhl_"), "no one else sees the link: {}", shown.text);
        }
        sent_nothing(&club).await;
    })
    .await;
}

#[tokio::test]
async fn self_invitations_duplicates_and_a_sixth_invitation_are_refused() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        let own = invite(parent, &child, &parent.email.to_uppercase()).await;
        is_problem(&own, Code::SelfGrant, "their own address");
        let invalid = invite(parent, &child, "robin").await;
        assert_eq!((invalid.status, &invalid.body["errors"][0]["pointer"]), (422, &json!("/email")));
        let again = async || {
            let body = json!({"email": coach.email});
            send(parent.request(Method::POST, &path(&child)).header("idempotency-key", "one").json(&body))
                .await
        };
        let (first, second) = (again().await, again().await);
        assert_eq!((first.status, first.id()), (201, second.id()), "{}", second.text);
        assert_eq!(sent(&club).await.len(), 1, "one message");
        is_problem(
            &invite(parent, &child, &coach.email.to_uppercase()).await,
            Code::Duplicate,
            "invited already",
        );
        for number in 2..=5 {
            assert_eq!(invite(parent, &child, &format!("robin{number}@parents.example")).await.status, 201);
        }
        is_problem(&invite(parent, &child, "robin6@parents.example").await, Code::LimitReached, "a sixth");
        assert_eq!(parent.delete(&format!("{}/{}", path(&child), first.id())).await.status, 200);
        assert_eq!(listed(parent, &child).await[4], shown(&coach.email, "revoked"));
        is_problem(
            &parent
                .delete(&format!("{CHILDREN}/{child}/guardian-invitations/giv_01h2xcejqtf2nbrexx3vqjhp41"))
                .await,
            Code::NotFound,
            "none",
        );
        relate(&club, "guardian", child.parse().expect("an id"), coach.user.expect("a user")).await;
        is_problem(&invite(parent, &child, &coach.email).await, Code::Duplicate, "a guardian");
        assert_eq!(listed(coach, &child).await.len(), 5, "every guardian sees them");
    })
    .await;
}

#[tokio::test]
async fn an_invited_person_who_became_a_guardian_does_not_send_their_own_invitation_again() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        let (invitation, _) = invited(&club, parent, &child, &coach.email).await;
        relate(&club, "guardian", child.parse().expect("an id"), coach.user.expect("a user")).await;
        let resend = format!("{}/resend", one(&child, &invitation));
        is_problem(&coach.post(&resend, &json!({})).await, Code::SelfGrant, "their own address");
        assert_eq!(coach.delete(&one(&child, &invitation)).await.status, 200, "every guardian revokes");
        is_problem(&parent.post(&resend, &json!({})).await, Code::State, "revoked");
        let unknown = format!("{}/giv_01h2xcejqtf2nbrexx3vqjhp41/resend", path(&child));
        is_problem(&parent.post(&unknown, &json!({})).await, Code::NotFound, "none");
    })
    .await;
}

#[tokio::test]
async fn a_registrar_sees_what_they_sent_and_learns_nothing_of_the_rest() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, NAME, false).await;
        families.added(&club, &child, json!({})).await;
        let (parent, registrar, coach) = (
            signed_in(&club, families.parent).await,
            signed_in(&club, families.registrar).await,
            signed_in(&club, families.coach).await,
        );
        let (of_parent, _) = invited(&club, &parent, &child, "robin@parents.example").await;
        assert_eq!(listed(&registrar, &child).await, []);
        let parents_address = crate::support::fixtures::member_address(families.parent);
        for email in ["robin@parents.example", &parents_address] {
            assert_eq!(invite(&registrar, &child, email).await.status, 201, "the response does not tell");
        }
        let own = [shown(&parents_address, "open"), shown("robin@parents.example", "open")];
        assert_eq!(listed(&registrar, &child).await, own);
        assert_eq!(listed(&parent, &child).await.len(), 3, "the family sees all");
        is_problem(&registrar.delete(&one(&child, &of_parent)).await, Code::NotFound, "the family's");
        let manager = club.member(Role::Manager);
        for (person, code) in [(&coach, Code::RelationshipInsufficient), (manager, Code::NotFound)] {
            is_problem(&person.get(&path(&child)).await, code, "someone else");
            is_problem(&invite(person, &child, "kim@parents.example").await, code, "someone else");
        }
    })
    .await;
}

#[tokio::test]
async fn an_invitation_whose_message_cannot_be_delivered_says_so_and_can_be_sent_again() {
    on_both_in_held_time(async |club| {
        let parent = club.member(Role::Member);
        let child = child_of(parent, NAME).await;
        let invitation = invite(parent, &child, "robin@parents.example").await;
        deliver_nowhere(&club).await;
        assert_eq!(
            listed(parent, &child).await,
            [shown("robin@parents.example", "open")],
            "it is tried again"
        );
        club.pass(SignedDuration::from_hours(24));
        deliver_nowhere(&club).await;
        let parent = club.another_session(Role::Member).await;
        assert_eq!(listed(&parent, &child).await, [shown("robin@parents.example", "mail_failed")]);
        for number in 1..=5 {
            assert_eq!(invite(&parent, &child, &format!("kim{number}@parents.example")).await.status, 201);
        }
        let resend = format!("{}/resend", one(&child, &invitation));
        is_problem(&parent.post(&resend, &json!({})).await, Code::LimitReached, "five others are open");
        club.pass(SignedDuration::from_hours(7 * 24));
        let parent = club.another_session(Role::Member).await;
        assert_eq!(listed(&parent, &child).await[0].1, "expired");
        let again = parent.post(&resend, &json!({})).await;
        assert_eq!((again.status, &again.body["data"]["status"]), (200, &json!("open")), "{}", again.text);
        let letters = sent(&club).await;
        let letter = letters.iter().find(|letter| letter.to == "robin@parents.example").expect("a message");
        assert_eq!(preview(&club, letter).await.status, 200);
    })
    .await;
}
