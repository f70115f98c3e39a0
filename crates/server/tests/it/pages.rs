//! The pages that links of messages open.

use fieldhouse_domain::retention::Retained;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::support::mail::{sent, sent_nothing};
use crate::support::{Answer, Club, PASSWORD, on_both, send};

async fn open(club: &Club, link: &str) -> Answer {
    let path = link.strip_prefix(&club.base_url).expect("a link to this server");
    club.anonymous().get(path).await
}

async fn submit(club: &Club, path: &str, fields: &Value) -> Answer {
    send(club.anonymous().request(reqwest::Method::POST, path).form(fields)).await
}

async fn invite(club: &Club, email: &str) -> String {
    let body = json!({"email": email, "role": "coach"});
    assert_eq!(club.member(Role::Admin).post("/api/v1/invitations", &body).await.status, 201);
    sent(club).await.pop().expect("a message").link()
}

fn token(link: &str) -> &str {
    link.split_once("token=").expect("a token").1
}

#[tokio::test]
async fn a_new_person_accepts_an_invitation_on_its_page() {
    on_both(async |club| {
        let link = invite(&club, "robin@people.example").await;
        let page = open(&club, &link).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert_eq!(page.header("cache-control"), "private, no-store");
        for part in
            ["Join Riverside Club", "role <strong>coach</strong>", "robin@people.example", "Your name"]
        {
            assert!(page.text.contains(part), "{part}: {}", page.text);
        }
        let fields =
            |name: &str, password: &str| json!({"token": token(&link), "name": name, "password": password});
        let refused = submit(&club, "/accept-invitation", &fields("Robin", "short")).await;
        assert_eq!((refused.status, refused.code()), (422, "validation_failed"));
        assert!(refused.text.contains("Password has 5 characters. Send at least 12"), "{}", refused.text);
        assert!(refused.text.contains("name=\"token\""), "the form can be sent again");
        assert!(!refused.text.contains("short"), "the password is not shown");
        let empty = submit(&club, "/accept-invitation", &fields("", "four words in a row")).await;
        assert!(empty.text.contains("Name is required for a new account"), "{}", empty.text);
        let joined = submit(&club, "/accept-invitation", &fields("Robin", "four words in a row")).await;
        assert_eq!(joined.status, 200, "{}", joined.text);
        assert!(joined.text.contains("Welcome to Riverside Club") && !joined.text.contains("fhr_"));
        let login = json!({"email": "robin@people.example", "password": "four words in a row"});
        assert_eq!(club.anonymous().post("/api/v1/auth/login", &login).await.status, 200);
        let again = open(&club, &link).await;
        assert_eq!((again.status, again.code()), (410, "link_expired"));
        assert!(again.text.contains("Ask for a new one"), "{}", again.text);
        assert_eq!(
            submit(&club, "/accept-invitation", &fields("Eve", "four words in a row")).await.status,
            410
        );
    })
    .await;
}

#[tokio::test]
async fn someone_with_an_account_needs_its_password() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let link = invite(&club, &neighbour.email).await;
        let page = open(&club, &link).await;
        assert!(page.text.contains("Password of your account") && !page.text.contains("Your name"));
        let wrong = json!({"token": token(&link), "password": "not the password"});
        let refused = submit(&club, "/accept-invitation", &wrong).await;
        assert_eq!((refused.status, refused.code()), (401, "invalid_credentials"));
        let right = json!({"token": token(&link), "password": PASSWORD});
        assert_eq!(submit(&club, "/accept-invitation", &right).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_member_who_was_added_in_the_meantime_is_told_so() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let link = invite(&club, &neighbour.email).await;
        let profile = neighbour.get("/api/v1/profile/me").await;
        let user = profile.id().parse().expect("an id");
        let mut fixture = crate::support::fixtures::Fixture::new(&club, jiff::SignedDuration::ZERO).await;
        fixture.membership(user, Role::Viewer);
        fixture.write().await;
        let right = json!({"token": token(&link), "password": PASSWORD});
        let refused = submit(&club, "/accept-invitation", &right).await;
        assert_eq!((refused.status, refused.code()), (409, "duplicate"), "{}", refused.text);
        let by_api = club.anonymous().post("/api/v1/invitations/accept", &right).await;
        assert_eq!((by_api.status, by_api.code()), (409, "duplicate"));
    })
    .await;
}

#[tokio::test]
async fn a_forgotten_password_is_replaced_on_pages() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let page = club.anonymous().get("/forgot-password").await;
        assert!(page.text.contains("name=\"email\""), "{}", page.text);
        let asked = submit(&club, "/forgot-password", &json!({"email": coach.email})).await;
        assert_eq!(asked.status, 202);
        let link = sent(&club).await.pop().expect("a message").link();
        assert!(open(&club, &link).await.text.contains(&coach.email));
        let fields = |password: &str| json!({"token": token(&link), "new_password": password});
        let weak = submit(&club, "/reset-password", &fields("short")).await;
        assert!(weak.text.contains("New password has 5 characters"), "{}", weak.text);
        let done = submit(&club, "/reset-password", &fields("four words in a row")).await;
        assert_eq!(done.status, 200, "{}", done.text);
        assert_eq!(coach.get("/api/v1/profile/me").await.code(), "token_expired");
        assert_eq!(open(&club, &link).await.status, 410);
        assert_eq!(submit(&club, "/reset-password", &fields("four words in a row")).await.status, 410);
        assert_eq!(club.anonymous().get("/reset-password").await.status, 410, "without a token");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_address_is_confirmed_on_pages() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let change = async |email: &str| {
            let body = json!({"email": email, "current_password": PASSWORD});
            assert_eq!(coach.post("/api/v1/profile/me/email", &body).await.status, 202);
            sent(&club).await.iter().map(|letter| letter.link()).collect::<Vec<_>>()
        };
        let confirm =
            async |link: &str| submit(&club, "/confirm-email", &json!({"token": token(link)})).await;
        let taken = change(&club.member(Role::Admin).email).await;
        assert_eq!(confirm(&taken[0]).await.status, 200);
        let refused = confirm(&taken[1]).await;
        assert_eq!((refused.status, refused.code()), (409, "duplicate"), "{}", refused.text);
        let links = change("new@people.example").await;
        let page = open(&club, &links[0]).await;
        assert!(
            page.text.contains("new@people.example") && page.text.contains(&coach.email),
            "{}",
            page.text
        );
        for link in &links {
            assert_eq!(confirm(link).await.status, 200);
            assert_eq!(confirm(link).await.code(), "link_expired");
            assert_eq!(open(&club, link).await.status, 410);
        }
        let profile = coach.get("/api/v1/profile/me").await;
        assert_eq!(profile.body["data"]["email"], "new@people.example");
        sent(&club).await;
        sent_nothing(&club).await;
    })
    .await;
}

#[tokio::test]
async fn the_start_page_links_to_the_documentation() {
    on_both(async |club| {
        let page = club.anonymous().get("/").await;
        assert_eq!(page.status, 200);
        let links = page.text.split("href=\"").skip(1).map(|rest| rest.split('"').next().expect("a link"));
        let links: Vec<_> = links.collect();
        assert!(links.contains(&"/docs") && links.contains(&"/openapi.json"), "{links:?}");
        for link in links {
            assert_eq!(club.anonymous().get(link).await.status, 200, "{link}");
        }
    })
    .await;
}

#[tokio::test]
async fn everyone_reads_how_long_data_is_kept() {
    on_both(async |club| {
        let anyone = club.anonymous();
        let start = anyone.get("/").await;
        assert!(start.text.contains("href=\"/privacy\""), "{}", start.text);
        let page = anyone.get("/privacy").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        let policy = anyone.get("/api/v1/privacy/retention-policy").await;
        let rules = policy.body["data"]["rules"].as_array().expect("rules");
        assert_eq!(rules.len(), Retained::ALL.len());
        for (rule, retained) in rules.iter().zip(Retained::ALL) {
            assert_eq!(rule["data"], retained.name());
            assert_eq!(rule["days"], retained.life().as_hours() / 24, "{rule}");
            let days = rule["days"].as_i64().expect("a number");
            let line = format!("{days} day{} after", if days == 1 { "" } else { "s" });
            assert!(page.text.contains(&line), "{line}: {}", page.text);
        }
    })
    .await;
}
