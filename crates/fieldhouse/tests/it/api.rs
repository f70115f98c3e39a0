//! `fieldhouse api`.

use serde_json::json;
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

#[test]
fn fields_are_sent_in_the_query_or_the_body() {
    let olga = Person::new(|_| Reply::json(200, &json!({"data": {"id": 1}})));
    let get = olga.types_with_key("api get api/v1/seasons -f q=a=b -F year=2026");
    get.assert().success().stdout_eq("{\"data\":{\"id\":1}}\n");
    let fields = "-F year=2026 -F draft=true -F ends_on=null -F name=007 -f text=7";
    olga.types_with_key(&format!("api POST /x {fields}")).assert().success();
    let piped = olga.types_with_key("api PATCH /x --input - -H If-Match:\"1\"").stdin(r#"{"b": 1, "a": 2}"#);
    piped.assert().success();
    olga.types_with_key("api POST /x").assert().success();
    let seen = olga.stub.seen();
    assert_eq!((seen[0].call.as_str(), seen[0].query.as_str()), ("GET /api/v1/seasons", "q=a%3Db&year=2026"));
    assert_eq!(seen[1].body, r#"{"text":"7","year":2026,"draft":true,"ends_on":null,"name":"007"}"#);
    assert_eq!((seen[2].body.as_str(), seen[2].header("if-match")), (r#"{"b": 1, "a": 2}"#, Some("\"1\"")));
    assert_eq!((seen[3].body.as_str(), seen[3].header("content-type")), ("", None));
}

#[test]
fn all_pages_of_a_list_are_followed() {
    let olga = Person::new(|seen| match seen.nth {
        0 => list(&json!([1, 2]), Some("next")),
        _ => list(&json!([3]), None),
    });
    olga.types_with_key("api GET /x --paginate").assert().success().stdout_eq(str![[r#"
{
  "data": [
    1,
    2,
    3
  ]
}

"#]]);
}

#[test]
fn one_record_is_not_a_list() {
    let olga = Person::new(|_| Reply::json(200, &json!({"data": {"id": 1}})));
    olga.types_with_key("api GET /x --paginate").assert().code(1).stdout_eq("").stderr_eq(str![[r#"
error: the response is not a list
hint: omit --paginate

"#]]);
}

#[test]
fn not_modified_is_not_an_error() {
    let olga = Person::new(|_| Reply::json(304, &json!({})));
    let get = olga.types_with_key("api GET /x -H If-None-Match:\"1\"");
    get.assert().success().stdout_eq("").stderr_eq("Not modified.\n");
}

#[test]
fn problems_are_printed_to_standard_error() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "GET /api/v1/profile/me" => Reply::problem(401, "key_revoked"),
        _ => Reply::problem(418, "short_and_stout"),
    });
    let me = olga.types_with_key("api GET /api/v1/profile/me");
    me.assert().code(4).stdout_eq("").stderr_eq(str![[r#"
error: The stub says no.
hint: FIELDHOUSE_API_KEY is set and takes precedence over any sign-in: set it to a valid key, or unset it
request id: req-1

"#]]);
    olga.types("api GET /x").assert().code(1).stdout_eq("").stderr_eq(str![[r#"
error: The stub says no.
request id: req-1

"#]]);
}

#[test]
fn the_head_can_be_printed_and_json_is_indented() {
    let olga = Person::new(|_| Reply::json(200, &json!({"data": []})).header("etag", "\"1-a\""));
    olga.types("api GET /x --include --output json").assert().success().stdout_eq(str![[r#"
200 OK
connection: close
content-length: 11
etag: "1-a"
content-type: application/json

{
  "data": []
}

"#]]);
}
