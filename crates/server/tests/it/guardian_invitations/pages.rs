//! The page that the link of such an invitation opens.

use fieldhouse_domain::roles::Role;
use serde_json::json;

use super::{NAME, invited};
use crate::support::families::child_of;
use crate::support::marker::MARKER;
use crate::support::{PASSWORD, on_both, send};

#[tokio::test]
async fn a_guardian_accepts_on_the_page_which_names_no_child() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let child = child_of(parent, NAME).await;
        let submit = async |fields| {
            send(club.anonymous().request(reqwest::Method::POST, "/accept-invitation").form(&fields)).await
        };
        let (_, letter) = invited(&club, parent, &child, "robin@parents.example").await;
        let link = letter.link();
        let page =
            club.anonymous().get(link.strip_prefix(&club.base_url).expect("a link to this server")).await;
        for part in ["guardian of a child", "a manager of Riverside Club must confirm you", "Your name"] {
            assert!(page.text.contains(part), "{part}: {}", page.text);
        }
        let fields = json!({"token": letter.token(), "name": "Robin", "password": "four words in a row"});
        let joined = submit(fields.clone()).await;
        assert_eq!(joined.status, 200, "{}", joined.text);
        assert!(joined.text.contains("A manager has to confirm"), "{}", joined.text);
        let again = submit(fields).await;
        assert_eq!((again.status, again.code()), (410, "link_expired"));
        for text in [&page.text, &joined.text, &again.text] {
            assert!(!text.contains(MARKER) && !text.contains(&child), "{text}");
        }
        let coach = club.member(Role::Coach);
        let (_, letter) = invited(&club, parent, &child, &coach.email).await;
        let joined = submit(json!({"token": letter.token(), "password": PASSWORD})).await;
        assert_eq!(joined.status, 200, "a member too: {}", joined.text);
    })
    .await;
}
