//! `fieldhouse roster`.

use serde_json::{Value, json};
use snapbox::str;

use crate::Person;
use crate::support::Reply;

const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const TEAM: &str = "tea_01h2xcejqtf2nbrexx3vqjhp41";
const ENTRY: &str = "ros_01h2xcejqtf2nbrexx3vqjhp41";

fn entry(name: &str, number: Option<i64>) -> Value {
    json!({
        "id": ENTRY, "team_id": TEAM, "child": {"id": CHILD, "display_name": name}, "jersey_number": number,
        "position": number.map(|_| "Guard"), "starts_on": "2026-03-01", "ends_on": null,
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    })
}

/// A manager who sees two of the three children of a team, one on each page.
fn olga() -> Person {
    let page = |name: &str, number, cursor: Option<&str>| {
        let page = json!({"limit": 1, "has_more": cursor.is_some(), "next_cursor": cursor});
        let meta = json!({"on": "2026-03-01", "count": 3});
        Reply::json(200, &json!({"data": [entry(name, number)], "meta": meta, "page": page}))
    };
    Person::new(move |seen| match (seen.call.split(' ').next(), seen.query.as_str()) {
        (Some("GET"), query) if query.contains("cursor=next") => page("Sam S.", None, None),
        (Some("GET"), _) => page("Kim K.", Some(7), Some("next")),
        (Some("POST"), _) => Reply::json(201, &json!({"data": entry("Kim K.", Some(7))})),
        (Some("DELETE"), _) => Reply::json(200, &json!({"data": {"id": ENTRY, "deleted": true}})),
        _ => Reply::json(200, &json!({"data": entry("Kim K.", Some(9))})),
    })
}

#[test]
fn a_roster_is_a_table_that_says_how_many_children_are_hidden() {
    let olga = olga();
    let first = olga.types_with_key(&format!("roster list {TEAM} --limit 1"));
    first.assert().success().stderr_eq(str![[r#"
There are more: use --all to list all of them.

"#]]);
    let all = olga.types_with_key(&format!("roster list {TEAM} --all --on 2026-03-01"));
    all.assert()
        .success()
        .stdout_eq(str![[r#"
NUMBER  NAME    POSITION  STARTS      ENDS  CHILD                           ID
7       Kim K.  Guard     2026-03-01  -     chi_01h2xcejqtf2nbrexx3vqjhp41  ros_01h2xcejqtf2nbrexx3vqjhp41
-       Sam S.  -         2026-03-01  -     chi_01h2xcejqtf2nbrexx3vqjhp41  ros_01h2xcejqtf2nbrexx3vqjhp41

"#]])
        .stderr_eq(str![[r#"
The team has 1 child without a relation to you: no role shows their names.

"#]]);
    assert_eq!(olga.stub.seen()[1].query, "on=2026-03-01&limit=100");
    olga.types_with_key(&format!("roster list {TEAM} --json jersey_number,child")).assert().success();
}

#[test]
fn a_child_is_added_changed_and_removed() {
    let olga = olga();
    let add = format!("roster add {TEAM} --child-id {CHILD} --jersey-number 7 --starts-on 2026-03-01");
    olga.types_with_key(&add).assert().success();
    let change = format!("roster change {TEAM} {ENTRY} --ends-on 2026-09-30 --clear position");
    olga.types_with_key(&change).assert().success();
    olga.types_with_key(&format!("roster remove {TEAM} {ENTRY} --yes")).assert().success();
    let bodies: Vec<Value> =
        olga.stub.seen()[..2].iter().map(|seen| serde_json::from_str(&seen.body).expect("JSON")).collect();
    assert_eq!(bodies[0], json!({"child_id": CHILD, "jersey_number": 7, "starts_on": "2026-03-01"}));
    assert_eq!(bodies[1], json!({"ends_on": "2026-09-30", "position": null}));
    let path = format!("/api/v1/teams/{TEAM}/roster");
    let expected = ["POST {}", "PATCH {}/{entry}", "DELETE {}/{entry}"];
    let expected = expected.map(|call| call.replace("{}", &path).replace("{entry}", ENTRY));
    assert_eq!(olga.calls(), expected);
    olga.types_with_key(&format!("roster remove {TEAM} {ENTRY}")).assert().code(2);
    olga.types_with_key(&format!("roster add {TEAM}")).assert().code(2);
    olga.types_with_key(&format!("{add} --jersey-number 1000")).assert().code(2);
}
