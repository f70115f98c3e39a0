//! The forms of pages: what they refuse, as a page.

use fieldhouse_api::request::BodyKind;
use fieldhouse_api::{Code, Operation};
use reqwest::Method;

use super::{body, is_problem, path};
use crate::support::{Answer, Club, on_both, row, send};

fn forms() -> impl Iterator<Item = Operation> {
    Operation::ROUTES.iter().copied().filter(|operation| row(operation).body_kind == BodyKind::Form)
}

async fn sent(club: &Club, operation: Operation, media_type: &str, body: String) -> Answer {
    let request = club.anonymous().request(Method::POST, &path(operation));
    send(request.header("content-type", media_type).body(body)).await
}

#[tokio::test]
async fn every_form_of_another_type_with_unknown_fields_or_too_large_is_refused_with_a_page() {
    on_both(async |club| {
        let form = "application/x-www-form-urlencoded";
        for operation in forms() {
            let other = sent(&club, operation, "application/json", body(operation).to_string()).await;
            is_problem(&other, Code::UnsupportedMediaType, operation.id());
            let unknown = sent(&club, operation, form, "no_such_field=1".to_owned()).await;
            is_problem(&unknown, Code::ValidationFailed, operation.id());
            assert!(unknown.text.contains("No such field is not a known field"), "{}", unknown.text);
            let large = sent(&club, operation, form, format!("token={}", "a".repeat(16 << 10))).await;
            is_problem(&large, Code::BodyTooLarge, operation.id());
            for answer in [other, unknown, large] {
                assert!(answer.text.starts_with("<!doctype html>"), "{}", answer.text);
                assert_eq!(answer.header("referrer-policy"), "no-referrer");
            }
        }
    })
    .await;
}
