//! The lists of guests, who have no credential except a token.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{FAVORITES, address, custom, list, names, saved};
use crate::shapes::{is_problem, pointers};
use crate::support::{Answer, Club, Person, on_both, send};

/// A caller with a guest's token.
struct Guest {
    person: Person,
    token: String,
}

impl Guest {
    /// Saves a first program, which creates the guest.
    async fn new(club: &Club, college: &str) -> Self {
        let person = club.anonymous();
        let answer = person.post(FAVORITES, &custom(college)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        let token = answer.body["meta"]["guest_token"].as_str().expect("a token").to_owned();
        assert_eq!(answer.header("x-guest-token"), token);
        assert!(token.starts_with("fhg_"));
        Self { person, token }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.person.request(method, path).header("x-guest-token", &self.token)
    }

    async fn save(&self, wanted: Value) -> Answer {
        send(self.request(Method::POST, FAVORITES).json(&wanted)).await
    }

    async fn list(&self) -> Vec<Value> {
        let answer = send(self.request(Method::GET, FAVORITES)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["data"].as_array().expect("a list").clone()
    }
}

/// Claims the list of a guest.
async fn claim(person: &Person, token: &str) -> Answer {
    let request = person.request(Method::POST, "/api/v1/colleges/favorites/claim");
    send(request.header("x-guest-token", token)).await
}

#[tokio::test]
async fn a_guest_gets_a_token_with_the_first_program_and_reaches_the_list_with_it() {
    on_both(async |club| {
        assert_eq!(club.anonymous().get(FAVORITES).await.body["data"], json!([]));
        let guest = Guest::new(&club, "One").await;
        let second = guest.save(custom("Two")).await;
        assert_eq!((second.status, second.header("x-guest-token")), (201, ""));
        assert_eq!(second.body["meta"], json!({"created": true, "guest_token": null}));
        assert_eq!(guest.save(custom("two")).await.status, 200);
        let listed = guest.list().await;
        assert_eq!(listed.len(), 2);
        assert_eq!(list(&club.anonymous()).await, Vec::<Value>::new(), "without the token there is no list");
        let other = Guest::new(&club, "Three").await;
        assert_eq!(other.list().await.len(), 1);
        assert_ne!(other.token, guest.token);

        let changed =
            send(guest.request(Method::PATCH, &address(&listed[0])).json(&json!({"interest": 4}))).await;
        assert_eq!((changed.status, &changed.body["data"]["interest"]), (200, &json!(4)));
        let ids = json!({"ids": [listed[1]["id"], listed[0]["id"]]});
        let order = send(guest.request(Method::PUT, "/api/v1/colleges/favorites/order").json(&ids)).await;
        assert_eq!((order.status, &order.body["data"][0]["id"]), (200, &listed[1]["id"]));
        let theirs = send(other.request(Method::DELETE, &address(&listed[0]))).await;
        is_problem(&theirs, Code::NotFound, "another guest's");
        let removed = send(guest.request(Method::DELETE, &address(&listed[0]))).await;
        assert_eq!((removed.status, &removed.body["success"]), (200, &json!(true)));
        assert_eq!(guest.list().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_guest_without_a_token_cannot_change_a_list() {
    on_both(async |club| {
        let guest = Guest::new(&club, "One").await;
        let path = address(&guest.list().await[0]);
        let anonymous = club.anonymous();
        is_problem(&anonymous.patch(&path, &json!({"interest": 1})).await, Code::NotFound, "a change");
        is_problem(&anonymous.delete(&path).await, Code::NotFound, "a removal");
    })
    .await;
}

#[tokio::test]
async fn an_invalid_token_is_refused_and_creates_no_guest() {
    on_both(async |club| {
        let guest = Guest::new(&club, "One").await;
        let mut forged = guest.token.clone();
        let last = forged.pop().expect("a letter");
        forged.push(if last == 'A' { 'B' } else { 'A' });
        for token in
            ["", "fhg_", "x", &forged, &guest.token.to_uppercase(), &guest.token.replace("fhg_", "fhr_")]
        {
            let wrong = Guest { person: club.anonymous(), token: token.to_owned() };
            for request in [
                wrong.request(Method::GET, FAVORITES),
                wrong.request(Method::POST, FAVORITES).json(&custom("Two")),
                wrong.request(Method::DELETE, "/api/v1/colleges/favorites/fav_01h2xcejqtf2nbrexx3vqjhp41"),
            ] {
                is_problem(&send(request).await, Code::InvalidCredentials, token);
            }
        }
        assert_eq!(guest.list().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_guest_cannot_store_notes() {
    on_both(async |club| {
        let guest = Guest::new(&club, "One").await;
        let mut wanted = custom("Two");
        wanted["notes"] = json!("a note");
        for answer in [guest.save(wanted.clone()).await, club.anonymous().post(FAVORITES, &wanted).await] {
            is_problem(&answer, Code::ValidationFailed, "notes");
            assert_eq!(pointers(&answer), ["/notes"]);
            assert_eq!(answer.header("x-guest-token"), "");
        }
        let path = address(&guest.list().await[0]);
        let changed = send(guest.request(Method::PATCH, &path).json(&json!({"notes": "a note"}))).await;
        is_problem(&changed, Code::ValidationFailed, "notes");
        assert_eq!(guest.list().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_member_claims_a_guests_list_once_and_duplicates_are_merged() {
    on_both(async |club| {
        let (parent, guest) = (club.member(Role::Member), Guest::new(&club, "Both").await);
        let mut noted = custom("Only the guest's");
        noted["interest"] = json!(5);
        assert_eq!(guest.save(noted).await.status, 201);
        let mut own = custom("BOTH");
        own["notes"] = json!("mine");
        saved(parent, own).await;
        saved(parent, custom("Only mine")).await;
        let claimed = claim(parent, &guest.token).await;
        assert_eq!((claimed.status, &claimed.body), (200, &json!({"data": {"copied": 1, "merged": 1}})));
        assert_eq!(names(parent).await, ["BOTH", "Only mine", "Only the guest's"]);
        let listed = list(parent).await;
        assert_eq!((&listed[0]["notes"], &listed[2]["interest"]), (&json!("mine"), &json!(5)));
        assert_eq!(guest.list().await, Vec::<Value>::new(), "the guest no longer exists");
        is_problem(&claim(parent, &guest.token).await, Code::NotFound, "a second time");
        assert_eq!(list(parent).await, listed);
    })
    .await;
}

#[tokio::test]
async fn only_a_member_with_the_token_can_claim_a_list() {
    on_both(async |club| {
        let (parent, guest) = (club.member(Role::Member), Guest::new(&club, "One").await);
        is_problem(&claim(&club.anonymous(), &guest.token).await, Code::Unauthenticated, "a guest");
        is_problem(&claim(parent, "fhg_forged").await, Code::InvalidCredentials, "a forged token");
        let without = send(parent.request(Method::POST, "/api/v1/colleges/favorites/claim")).await;
        is_problem(&without, Code::NotFound, "no token");
        assert_eq!(guest.list().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_claim_beyond_the_limit_changes_neither_list() {
    on_both(async |club| {
        let (parent, guest) = (club.member(Role::Member), Guest::new(&club, "One too many").await);
        for number in 0..200 {
            saved(parent, custom(&format!("College {number}"))).await;
        }
        is_problem(&claim(parent, &guest.token).await, Code::LimitReached, "one too many");
        assert_eq!((list(parent).await.len(), guest.list().await.len()), (200, 1));
    })
    .await;
}

#[tokio::test]
async fn a_guests_token_is_ignored_if_there_is_a_credential() {
    on_both(async |club| {
        let (parent, guest) = (club.member(Role::Member), Guest::new(&club, "The guest's").await);
        saved(parent, custom("The member's")).await;
        let beside = |method, path: &str| parent.request(method, path).header("x-guest-token", &guest.token);
        let listed = send(beside(Method::GET, FAVORITES)).await;
        assert_eq!(listed.body["data"][0]["program"]["college_name"], "The member's");
        let made = send(beside(Method::POST, FAVORITES).json(&custom("Another"))).await;
        assert_eq!((made.status, &made.body["meta"]["guest_token"]), (201, &json!(null)));
        let theirs = send(beside(Method::DELETE, &address(&guest.list().await[0]))).await;
        is_problem(&theirs, Code::NotFound, "the guest's by a member");
        assert_eq!((guest.list().await.len(), list(parent).await.len()), (1, 2));
    })
    .await;
}
