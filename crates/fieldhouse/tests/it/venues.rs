//! `fieldhouse venues`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const ID: &str = "ven_01h2xcejqtf2nbrexx3vqjhp41";

fn venue() -> Value {
    json!({
        "id": ID, "name": "Town Hall", "address": "1 Hall St", "latitude": -37.75, "longitude": null,
        "time_zone": "Australia/Melbourne", "fields": ["Court 1", "Court 2"],
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn club() -> Person {
    Person::new(|seen| match seen.call.as_str() {
        "GET /api/v1/venues" => list(&json!([venue()]), None),
        call if call.starts_with("DELETE") => Reply::json(200, &json!({"data": {"id": ID, "deleted": true}})),
        _ => Reply::json(200, &json!({"data": venue()})),
    })
}

#[test]
fn venues_are_searched_and_listed() {
    let olga = club();
    let listed = olga.types_with_key("venues list -q hall --updated-since 2026-01-01T00:00:00Z --limit 5");
    listed.assert().success().stdout_eq(str![[r#"
NAME       ADDRESS    TIME ZONE            FIELDS            LATITUDE  LONGITUDE  ID
Town Hall  1 Hall St  Australia/Melbourne  Court 1, Court 2  -37.75    -          ven_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(olga.stub.seen()[0].query, "q=hall&updated_since=2026-01-01T00%3A00%3A00Z&limit=5");
}

#[test]
fn a_venue_is_shown_one_field_a_line() {
    club().types_with_key(&format!("venues show {ID}")).assert().success().stdout_eq(str![[r#"
NAME       Town Hall
ADDRESS    1 Hall St
TIME ZONE  Australia/Melbourne
FIELDS     Court 1, Court 2
LATITUDE   -37.75
LONGITUDE  -
ID         ven_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
}

#[test]
fn a_venue_is_created_changed_and_deleted() {
    let olga = club();
    let created = "venues create --name Hall --time-zone UTC --latitude -37.75 --field A --field B";
    olga.types_with_key(created).assert().success();
    let changed = format!("venues change {ID} --address Street --clear latitude --clear fields");
    olga.types_with_key(&changed).assert().success();
    olga.types_with_key(&format!("venues delete {ID} --yes")).assert().success().stdout_eq(str![[r#"
Deleted ven_01h2xcejqtf2nbrexx3vqjhp41.

"#]]);
    let sent = olga.stub.seen();
    let calls: Vec<&str> = sent.iter().map(|seen| seen.call.as_str()).collect();
    let (patch, delete) = (format!("PATCH /api/v1/venues/{ID}"), format!("DELETE /api/v1/venues/{ID}"));
    assert_eq!(calls, ["POST /api/v1/venues", &patch, &delete]);
    let body = |at: usize| serde_json::from_str::<Value>(&sent[at].body).expect("JSON");
    assert_eq!(
        body(0),
        json!({"name": "Hall", "latitude": -37.75, "time_zone": "UTC", "fields": ["A", "B"]})
    );
    assert_eq!(body(1), json!({"address": "Street", "latitude": null, "fields": []}));
}

#[test]
fn what_a_venue_needs_is_asked_for() {
    let refused = club().types_with_key("venues create --name Hall");
    refused.assert().code(2).stderr_eq(str![[r#"
error: the following required arguments were not provided:
  --time-zone <TIME_ZONE>
...
"#]]);
}

#[test]
fn every_wrong_flag_is_reported_before_anything_is_sent() {
    let olga = club();
    let refused =
        olga.types_with_key("venues create --name Hall --time-zone Mars --latitude 91 --longitude east");
    refused.assert().code(2).stderr_eq(str![[r#"
error: --latitude must be from -90 to 90. Send a value from -90 to 90.
--longitude is not a number. Send a number.
--time-zone is not an IANA time zone. Send a name such as Australia/Melbourne.

"#]]);
    olga.types_with_key(&format!("venues change {ID}")).assert().code(2).stderr_eq(str![[r#"
error: nothing to change: give at least one field

"#]]);
    let both = format!("venues change {ID} --field A --clear fields");
    olga.types_with_key(&both).assert().code(2).stderr_eq(str![[r#"
error: --field and --clear fields exclude each other

"#]]);
    assert!(olga.stub.seen().is_empty());
}
