//! Failed sign-in attempts: who has to wait, and who does not.

use fieldhouse_domain::roles::Role;
use serde_json::json;

use super::{LOGIN, email, fail, login};
use crate::support::{PASSWORD, on_both_in_held_time};

#[tokio::test]
async fn no_outsider_can_lock_an_account() {
    on_both_in_held_time(async |club| {
        let owner = email(Role::Owner);
        let now = club.app.clock.now();
        for elsewhere in 0..200 {
            fail(&club, &owner, (&format!("198.51.100.{elsewhere}"), 5), now).await;
        }
        assert_eq!(login(&club, &owner, PASSWORD).await.status, 200, "from an address that never signed in");
        let coach = email(Role::Coach);
        assert_eq!(login(&club, &coach, PASSWORD).await.status, 200);
        fail(&club, &coach, ("198.51.100.1", 200), now).await;
        assert_eq!(login(&club, &coach, "not the password").await.code(), "invalid_credentials");
        assert_eq!(login(&club, &coach, PASSWORD).await.status, 200, "a known address is not slowed");
        let admin = email(Role::Admin);
        fail(&club, &admin, ("198.51.100.1", 200), now).await;
        assert_eq!(login(&club, &admin, "not the password").await.code(), "invalid_credentials");
        let slowed = login(&club, &admin, PASSWORD).await;
        assert_eq!(
            (slowed.code(), slowed.header("retry-after")),
            ("rate_limited", "901"),
            "an unknown one is"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn right_passwords_that_are_sent_at_the_same_time_all_succeed() {
    on_both_in_held_time(async |club| {
        let sent: Vec<_> = (0..12)
            .map(|_| {
                let (person, email) = (club.anonymous(), email(Role::Coach));
                let body = json!({"email": email, "password": PASSWORD});
                tokio::spawn(async move { person.post(LOGIN, &body).await.status })
            })
            .collect();
        for status in sent {
            assert_eq!(status.await.expect("a request"), 200);
        }
    })
    .await;
}
