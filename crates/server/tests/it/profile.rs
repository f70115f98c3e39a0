//! The caller's own profile: changes of name, locale, time zone and e-mail address.

use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use crate::support::mail::sent;
use crate::support::{Answer, Club, PASSWORD, Person, on_both, on_both_in_held_time};

const PROFILE: &str = "/api/v1/profile/me";
const EMAIL: &str = "/api/v1/profile/me/email";

async fn confirm(club: &Club, token: &str) -> Answer {
    club.anonymous().post("/api/v1/profile/me/email/confirm", &json!({"token": token})).await
}

async fn change(who: &Person, email: &str, password: &str) -> Answer {
    who.post(EMAIL, &json!({"email": email, "current_password": password})).await
}

#[tokio::test]
async fn a_user_changes_their_name_locale_and_time_zone() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let wanted = json!({"name": "Zoë", "locale": "de-AT", "time_zone": "Europe/Vienna"});
        let changed = coach.patch(PROFILE, &wanted).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        for (field, value) in wanted.as_object().expect("fields") {
            assert_eq!(&changed.body["data"][field], value, "{field}");
        }
        let read = coach.get(PROFILE).await;
        assert_eq!(read.body["data"]["name"], "Zoë");
        let tag = read.header("etag").to_owned();
        let back = coach.patch(PROFILE, &json!({"time_zone": null, "locale": null})).await;
        assert_eq!(
            (&back.body["data"]["time_zone"], &back.body["data"]["locale"]),
            (&json!(null), &json!(null))
        );
        let stale = coach.request(reqwest::Method::PATCH, PROFILE).header("if-match", tag);
        let stale = crate::support::send(stale.json(&json!({"name": "Max"}))).await;
        assert_eq!(stale.code(), "version_mismatch");
        let wrong = coach.patch(PROFILE, &json!({"locale": "de_AT", "email": "a@a.example"})).await;
        assert_eq!((wrong.status, wrong.body["errors"].as_array().map(Vec::len)), (422, Some(2)));
        let members = club.member(Role::Owner).get("/api/v1/members").await;
        assert!(members.text.contains("Zoë"), "others see the name");
    })
    .await;
}

#[tokio::test]
async fn an_address_changes_when_both_addresses_have_confirmed() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        assert_eq!(
            change(coach, "new@people.example", "not the password").await.code(),
            "invalid_credentials"
        );
        let requested = change(coach, "new@people.example", PASSWORD).await;
        assert_eq!(requested.status, 202, "{}", requested.text);
        let mut letters = sent(&club).await;
        letters.sort_by_key(|letter| letter.to != coach.email);
        let [current, new] = &letters[..] else { panic!("{letters:?}") };
        assert_eq!((&*current.to, &*new.to), (&*coach.email, "new@people.example"));
        let half = confirm(&club, &new.token()).await;
        assert_eq!(
            (half.status, &half.body["data"]),
            (200, &json!({"email": coach.email, "changed": false}))
        );
        assert_eq!(confirm(&club, &new.token()).await.code(), "link_expired", "once from each address");
        assert_eq!(coach.get(PROFILE).await.body["data"]["email"], json!(coach.email));
        let whole = confirm(&club, &current.token()).await;
        assert_eq!(whole.body["data"], json!({"email": "new@people.example", "changed": true}));
        let login = json!({"email": "new@people.example", "password": PASSWORD});
        assert_eq!(club.anonymous().post("/api/v1/auth/login", &login).await.status, 200);
        let told = sent(&club).await.pop().expect("the earlier address is told");
        assert_eq!((&*told.to, &*told.subject), (&*coach.email, "Your e-mail address was changed"));
    })
    .await;
}

#[tokio::test]
async fn the_links_of_a_change_are_replaced_and_expire_and_a_taken_address_is_refused_at_the_end() {
    on_both_in_held_time(async |club| {
        let coach = club.member(Role::Coach);
        let links = async |email: &str| {
            assert_eq!(change(coach, email, PASSWORD).await.status, 202);
            sent(&club).await.iter().map(|letter| letter.token()).collect::<Vec<_>>()
        };
        let first = links("one@people.example").await;
        club.pass(SignedDuration::from_secs(1));
        let taken = links(&club.member(Role::Admin).email).await;
        for token in &first {
            assert_eq!(confirm(&club, token).await.code(), "link_expired");
        }
        assert_eq!(confirm(&club, &taken[0]).await.status, 200);
        let refused = confirm(&club, &taken[1]).await;
        assert_eq!((refused.status, refused.code()), (409, "duplicate"));
        club.pass(SignedDuration::from_secs(1));
        let late = links("two@people.example").await;
        club.pass(SignedDuration::from_hours(24));
        assert_eq!(confirm(&club, &late[0]).await.code(), "link_expired");
        assert_eq!(confirm(&club, "fhl_x").await.status, 410);
    })
    .await;
}

#[tokio::test]
async fn an_address_is_changed_only_with_a_fresh_session() {
    on_both_in_held_time(async |club| {
        let coach = club.member(Role::Coach);
        let key = club.with_key(&coach.issue_key(&json!({"name": "Script"})).await);
        assert_eq!(change(&key, "new@people.example", PASSWORD).await.code(), "session_required");
        club.pass(SignedDuration::from_mins(9));
        let refresh = json!({"refresh_token": coach.refresh_token});
        let tokens = club.anonymous().post("/api/v1/auth/refresh", &refresh).await;
        let later = club.with_token(tokens.body["data"]["access_token"].as_str().expect("a token"));
        club.pass(SignedDuration::from_mins(6));
        assert_eq!(change(&later, "new@people.example", PASSWORD).await.code(), "session_too_old");
        let same = club.another_session(Role::Coach).await;
        assert_eq!(change(&same, &coach.email, PASSWORD).await.body["errors"][0]["pointer"], "/email");
    })
    .await;
}
