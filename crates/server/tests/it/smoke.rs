//! A smoke test.

use crate::support::on_both;

#[tokio::test]
async fn a_member_of_every_role_lists_seasons() {
    on_both(async |club| {
        for person in club.everyone() {
            let answer = person.get("/api/v1/seasons").await;
            assert_eq!(answer.status, 200, "{} {}", person.role, answer.body);
            assert_eq!(answer.body["data"], serde_json::json!([]));
        }
    })
    .await;
}
