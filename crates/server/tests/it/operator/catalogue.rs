//! The college catalogue, which the operator updates while requests are served.

use serde_json::json;

use crate::support::on_both;

const CATALOGUE: &str = "/operator/catalogue";
const COLLEGES: &str = include_str!("../../../../../data/college/colleges.csv");
const PROGRAMS: &str = include_str!("../../../../../data/college/programs-softball.csv");

#[tokio::test]
async fn the_catalogue_is_updated_and_a_repeated_file_changes_nothing() {
    on_both(async |club| {
        let operator = club.operator();
        let dry = operator.post(CATALOGUE, &json!({"content": COLLEGES, "dry_run": true})).await;
        assert_eq!((dry.status, &dry.body["data"]["counts"]["colleges_created"]), (200, &json!(2040)));
        let none = club.anonymous().get("/api/v1/colleges?q=bethel").await;
        assert_eq!(none.body["data"], json!([]), "a dry run stores nothing");
        for counted in ["colleges_created", "colleges_unchanged"] {
            let done = operator.post(CATALOGUE, &json!({"content": COLLEGES})).await;
            assert_eq!((done.status, &done.body["data"]["counts"][counted]), (200, &json!(2040)));
        }
        let form = reqwest::multipart::Form::new().text("content", PROGRAMS);
        let programs = operator.request(reqwest::Method::POST, CATALOGUE).multipart(form);
        let programs = crate::support::send(programs).await;
        assert_eq!(programs.body["data"]["counts"]["programs_created"], 1619, "{}", programs.text);
        let found = club.anonymous().get("/api/v1/colleges?q=bethel").await;
        assert!(found.body["data"].as_array().is_some_and(|found| !found.is_empty()));
    })
    .await;
}

#[tokio::test]
async fn bad_rows_refuse_the_file_unless_they_are_skipped() {
    on_both(async |club| {
        let operator = club.operator();
        let good: String = PROGRAMS.split_inclusive('\n').take(4).collect();
        let content = format!("{good}not-a-number,Nowhere,Town,AL,NCAA D1,Softball,women,1,2024-25\n");
        let refused = operator.post(CATALOGUE, &json!({"content": content})).await;
        assert_eq!((refused.status, refused.code()), (422, "validation_failed"));
        assert_eq!(
            (&refused.body["bad_rows"][0]["line"], &refused.body["bad_row_count"]),
            (&json!(5), &json!(1))
        );
        let done = operator.post(CATALOGUE, &json!({"content": content, "skip_bad": true})).await;
        let data = &done.body["data"];
        assert_eq!(
            (&data["counts"]["programs_created"], &data["bad_rows"][0]["line"]),
            (&json!(3), &json!(5))
        );
        for (body, pointer) in [
            (json!({"content": "a,b\n1,2\n"}), "/content"),
            (json!({"content": ""}), "/content"),
            (json!({"content": COLLEGES, "year": "last"}), "/year"),
        ] {
            let refused = operator.post(CATALOGUE, &body).await;
            assert_eq!((refused.status, &refused.body["errors"][0]["pointer"]), (422, &json!(pointer)));
        }
    })
    .await;
}
