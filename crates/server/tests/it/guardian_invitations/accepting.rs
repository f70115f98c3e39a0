//! Accepting an invitation to be a child's guardian, and the second person who confirms it.

use fieldhouse_api::Code;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;
use fieldhouse_store::users;
use fieldhouse_testing::clubs;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{NAME, accept, invite, invited, listed, one, path, preview, shown};
use crate::shapes::is_problem;
use crate::support::families::{CHILDREN, child_of};
use crate::support::mail::{Letter, sent, sent_nothing};
use crate::support::marker::MARKER;
use crate::support::{Club, PASSWORD, Person, on_both, on_both_in_held_time};

const RELATIONS: &str = "/api/v1/relations";

fn new_person(letter: &Letter) -> Value {
    json!({"token": letter.token(), "name": "Robin Parent", "password": "four words in a row"})
}

/// The membership of a person, as its address.
async fn membership(club: &Club, person: &Person) -> String {
    let members = club.another_session(Role::Owner).await.get("/api/v1/members?limit=100").await;
    let mut members = members.body["data"].as_array().expect("members").iter();
    let member = members.find(|member| member["user"]["email"] == *person.email).expect("a member");
    format!("/api/v1/members/{}", member["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_new_person_accepts_and_is_a_guardian_once_a_manager_has_confirmed() {
    on_both(async |club| {
        let (parent, manager) = (club.member(Role::Member), club.member(Role::Manager));
        let child = child_of(parent, NAME).await;
        let (invitation, letter) = invited(&club, parent, &child, "robin@parents.example").await;
        let accepted = accept(&club.anonymous(), &new_person(&letter)).await;
        assert_eq!(accepted.status, 200, "{}", accepted.text);
        let data = &accepted.body["data"];
        assert_eq!(
            (&data["member"]["role"], &data["member"]["source"]),
            (&json!("member"), &json!("invited"))
        );
        assert!(!accepted.text.contains(MARKER) && !accepted.text.contains(&child), "{}", accepted.text);
        let robin = club.with_token(data["tokens"]["access_token"].as_str().expect("a token"));
        let relation = format!("{RELATIONS}/{}", data["relation_id"].as_str().expect("a relation"));
        let told = sent(&club).await;
        let [owner] = &told[..] else { panic!("{told:?}") };
        assert_eq!(owner.to, club.member(Role::Owner).email);
        assert!(
            owner.text.contains("Robin Parent has already accepted it through an invitation"),
            "{}",
            owner.text
        );

        let own = robin.get(RELATIONS).await;
        let proposed = &own.body["data"][0];
        assert_eq!((&proposed["state"], &proposed["proposed_by"]), (&json!("proposed"), &json!(parent.user)));
        assert!(proposed["accepted_at"].is_string() && !own.text.contains(MARKER), "{}", own.text);
        is_problem(&robin.get(&format!("{CHILDREN}/{child}")).await, Code::NotFound, "nothing is open");
        assert_eq!(robin.get("/api/v1/profile/me").await.body["data"]["children"], json!([]));
        is_problem(
            &robin.post(&format!("{relation}/accept"), &json!({})).await,
            Code::State,
            "not confirmed",
        );
        is_problem(
            &parent.post(&format!("{relation}/confirm"), &json!({})).await,
            Code::RoleInsufficient,
            "",
        );
        is_problem(&accept(&club.anonymous(), &new_person(&letter)).await, Code::LinkExpired, "once");

        let confirmed = manager.post(&format!("{relation}/confirm"), &json!({})).await;
        assert_eq!(confirmed.body["data"]["state"], "active", "{}", confirmed.text);
        let told = sent(&club).await;
        let [letter] = &told[..] else { panic!("{told:?}") };
        assert_eq!(
            (&*letter.to, &*letter.subject),
            ("robin@parents.example", "You are now a guardian of a child in Riverside Club")
        );
        assert!(letter.text.contains("a second person has confirmed it") && !letter.text.contains(MARKER));
        assert_eq!(robin.get(&format!("{CHILDREN}/{child}/medical")).await.status, 200);
        is_problem(
            &robin.post(&format!("{relation}/accept"), &json!({})).await,
            Code::State,
            "accepted before",
        );

        assert_eq!(listed(parent, &child).await, [shown("robin@parents.example", "accepted")]);
        is_problem(&parent.delete(&one(&child, &invitation)).await, Code::State, "accepted");
        is_problem(&invite(parent, &child, "Robin@parents.example").await, Code::Duplicate, "a guardian");
    })
    .await;
}

#[tokio::test]
async fn a_member_keeps_their_role_and_gets_only_the_relation() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        let (_, letter) = invited(&club, parent, &child, &coach.email).await;
        let token = json!({"token": letter.token()});
        is_problem(&accept(club.member(Role::Viewer), &token).await, Code::WrongAccount, "someone else");
        let before = membership(&club, coach).await;
        let accepted = accept(coach, &token).await;
        let data = &accepted.body["data"];
        assert_eq!((accepted.status, &data["tokens"]), (200, &Value::Null), "{}", accepted.text);
        assert_eq!((&data["member"]["role"], membership(&club, coach).await), (&json!("coach"), before));
        let states: Value = coach.get(RELATIONS).await.body["data"][0]["state"].clone();
        assert_eq!(states, "proposed");
        is_problem(&invite(parent, &child, &coach.email).await, Code::Duplicate, "proposed");
        let own = format!("{RELATIONS}/{}/revoke", data["relation_id"].as_str().expect("a relation"));
        assert_eq!(coach.post(&own, &json!({})).await.status, 200, "they give it up");
        sent(&club).await;

        let (_, letter) = invited(&club, parent, &child, &coach.email).await;
        let wrong = json!({"token": letter.token(), "password": "another password"});
        is_problem(&accept(&club.anonymous(), &wrong).await, Code::InvalidCredentials, "not the account");
        let by_password = json!({"token": letter.token(), "password": PASSWORD});
        let accepted = accept(&club.anonymous(), &by_password).await;
        assert!(accepted.body["data"]["tokens"]["access_token"].is_string(), "{}", accepted.text);
        assert_eq!(accepted.body["data"]["member"]["role"], "coach");
    })
    .await;
}

#[tokio::test]
async fn someone_who_is_a_guardian_meanwhile_is_told_so_and_no_one_accepts_their_own_invitation() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        let (_, letter) = invited(&club, parent, &child, &coach.email).await;
        let id = child.parse().expect("an id");
        crate::matrix::relations::relate(&club, "guardian", id, coach.user.expect("a user")).await;
        is_problem(&accept(coach, &json!({"token": letter.token()})).await, Code::Duplicate, "a guardian");

        let (_, letter) = invited(&club, parent, &child, "my-other@parents.example").await;
        let user = users::read(&mut &*club.app.store, parent.user.expect("a user")).await.expect("a read");
        let user: User = user.expect("a user");
        let email = Email::parse("my-other@parents.example").expect("an address");
        let moved = Effect::update(&clubs::moment(), user.clone(), User { email, ..user });
        let effects = moved.into_iter().collect();
        clubs::apply(&club.app.store, club.organization, effects).await.expect("another address");
        is_problem(&accept(parent, &json!({"token": letter.token()})).await, Code::SelfGrant, "their own");
    })
    .await;
}

#[tokio::test]
async fn neither_a_suspended_nor_a_removed_member_accepts() {
    on_both(async |club| {
        let (parent, coach, owner) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Owner));
        let child = child_of(parent, NAME).await;
        let (_, letter) = invited(&club, parent, &child, &coach.email).await;
        let (path, body) =
            (membership(&club, coach).await, json!({"token": letter.token(), "password": PASSWORD}));
        assert_eq!(owner.patch(&path, &json!({"suspended": true})).await.status, 200);
        is_problem(&accept(&club.anonymous(), &body).await, Code::LinkExpired, "suspended");
        assert_eq!(owner.delete(&path).await.status, 200);
        is_problem(&accept(&club.anonymous(), &body).await, Code::LinkExpired, "removed by the club");
    })
    .await;
}

#[tokio::test]
async fn a_link_that_is_replaced_revoked_used_expired_or_unknown_is_gone_with_the_same_response() {
    on_both_in_held_time(async |club| {
        let parent = club.member(Role::Member);
        let child = child_of(parent, NAME).await;
        let (first, replaced) = invited(&club, parent, &child, "robin@parents.example").await;
        club.pass(SignedDuration::from_mins(1));
        let again = parent.post(&format!("{}/resend", one(&child, &first)), &json!({})).await;
        assert_eq!(again.status, 200, "{}", again.text);
        let second = sent(&club).await.pop().expect("another message");
        club.pass(SignedDuration::from_mins(1));
        let (_, used) = invited(&club, parent, &child, "kim@parents.example").await;
        assert_eq!(accept(&club.anonymous(), &new_person(&used)).await.status, 200);
        club.pass(SignedDuration::from_mins(1));
        let (withdrawn, revoked) = invited(&club, parent, &child, "sam@parents.example").await;
        assert_eq!(parent.delete(&one(&child, &withdrawn)).await.status, 200);
        assert_eq!(preview(&club, &second).await.status, 200);
        let gone = preview(&club, &replaced).await;
        assert_eq!((gone.status, gone.code()), (410, "link_expired"), "{}", gone.text);
        let seen = [preview(&club, &used).await, preview(&club, &revoked).await];
        club.pass(SignedDuration::from_hours(7 * 24));
        let unknown = json!({"token": "fhl_nonsense"});
        let unknown = club.anonymous().post("/api/v1/invitations/preview", &unknown).await;
        for other in seen.iter().chain([&preview(&club, &second).await, &unknown]) {
            for same in ["type", "title", "status", "detail", "code", "retryable"] {
                assert_eq!(other.body[same], gone.body[same], "{same}: {}", other.text);
            }
        }
        is_problem(&accept(&club.anonymous(), &new_person(&second)).await, Code::LinkExpired, "expired");
        let parent = club.another_session(Role::Member).await;
        let statuses: Vec<_> = listed(&parent, &child).await.into_iter().map(|(_, status)| status).collect();
        assert_eq!(statuses, ["revoked", "accepted", "expired"], "{}", path(&child));
    })
    .await;
}

#[tokio::test]
async fn a_link_is_void_once_its_sender_may_no_longer_invite() {
    on_both(async |club| {
        let (parent, owner) = (club.member(Role::Member), club.member(Role::Owner));
        let child = child_of(parent, NAME).await;
        let (_, letter) = invited(&club, parent, &child, "robin@parents.example").await;
        let is_open = async || {
            let accepted = accept(&club.anonymous(), &json!({"token": letter.token()})).await;
            assert_eq!(accepted.status == 410, preview(&club, &letter).await.status == 410);
            accepted.status != 410
        };
        assert!(is_open().await, "a name and a password are missing");
        let path = membership(&club, parent).await;
        for (body, expected) in [
            (json!({"role": "viewer"}), false),
            (json!({"role": "member"}), true),
            (json!({"suspended": true}), false),
            (json!({"suspended": false}), true),
        ] {
            assert_eq!(owner.patch(&path, &body).await.status, 200);
            assert_eq!(is_open().await, expected, "{body}");
        }
        assert_eq!(owner.delete(&path).await.status, 200);
        assert!(!is_open().await, "no member any more");
        sent_nothing(&club).await;
    })
    .await;
}

#[tokio::test]
async fn what_was_accepted_is_not_confirmed_once_its_sender_may_no_longer_invite() {
    on_both(async |club| {
        let (parent, coach, manager) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Manager));
        let child = child_of(parent, NAME).await;
        let (_, letter) = invited(&club, parent, &child, &coach.email).await;
        let accepted = accept(coach, &json!({"token": letter.token()})).await;
        let confirm = format!(
            "{RELATIONS}/{}/confirm",
            accepted.body["data"]["relation_id"].as_str().expect("a relation")
        );
        let path = membership(&club, parent).await;
        let owner = club.member(Role::Owner);
        assert_eq!(owner.patch(&path, &json!({"suspended": true})).await.status, 200);
        is_problem(&manager.post(&confirm, &json!({})).await, Code::State, "suspended");
        assert_eq!(owner.patch(&path, &json!({"suspended": false})).await.status, 200);
        assert_eq!(manager.post(&confirm, &json!({})).await.body["data"]["state"], "active");
    })
    .await;
}
