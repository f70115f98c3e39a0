//! `fieldhouse colleges`, with and without a credential.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

fn favorite() -> Value {
    json!({
        "id": "fav_01h2xcejqtf2nbrexx3vqjhp41", "child_id": null, "saved_by": null, "stage": "saved", "fit": "reach", "interest": 5,
        "rank": 1, "notes": null, "tags": ["west"], "version": 1,
        "program": {"id": null, "unitid": null, "college_name": "Somewhere College", "sport": "golf",
            "gender": "women", "division": null, "city": null, "state": "CA"},
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
    })
}

#[test]
fn a_search_needs_no_credential_and_can_list_everything() {
    let olga =
        Person::new(|seen| list(&json!([]), (seen.nth == 0 && !seen.query.is_empty()).then_some("next")));
    let search = olga.types("colleges programs lake --state CA --gender women --all --output json");
    search.assert().success().stdout_eq("[]\n");
    let queries: Vec<_> = olga.stub.seen().into_iter().map(|seen| seen.query).collect();
    let filters = "q=lake&state=CA&gender=women&limit=100";
    assert_eq!(queries, [filters.to_owned(), format!("{filters}&cursor=next")]);
    olga.types("colleges search").assert().success().stdout_eq("").stderr_eq("Nothing found.\n");
}

#[test]
fn saved_programs_are_changed_ordered_and_exported() {
    let (one, two) = ("fav_01h2xcejqtf2nbrexx3vqjhp41", "fav_01h2xcejqtf2nbrexx3vqjhp42");
    let other = {
        let mut other = favorite();
        (other["id"], other["notes"]) = (json!(two), json!("=called\ntwice"));
        other
    };
    let both = json!([favorite(), other]);
    let olga = Person::new(move |seen| match seen.call.split_once(' ') {
        Some(("PATCH", _)) => Reply::json(200, &json!({"data": both[0]})),
        _ => list(&both, None),
    });
    let change = format!("colleges favorites change {one} --stage visited --clear interest --tag near");
    olga.types_with_key(&change).assert().success();
    let body: Value = serde_json::from_str(&olga.stub.seen()[0].body).expect("JSON");
    assert_eq!(body, json!({"stage": "visited", "interest": null, "tags": ["near"]}));
    olga.types_with_key(&format!("colleges favorites order {two}")).assert().success();
    let body: Value = serde_json::from_str(&olga.stub.seen()[2].body).expect("JSON");
    assert_eq!(body, json!({"ids": [two, one]}), "the others follow in their order");
    let exported = olga.types_with_key("colleges favorites export");
    exported.assert().success().stdout_eq(str![[r#"
rank,program_college_name,program_sport,program_gender,program_division,program_city,program_state,program_unitid,stage,fit,interest,notes,tags,id,program_id,child_id,saved_by,created_at,updated_at,version
1,Somewhere College,golf,women,,,CA,,saved,reach,5,,"[""west""]",fav_01h2xcejqtf2nbrexx3vqjhp41,,,,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1
1,Somewhere College,golf,women,,,CA,,saved,reach,5,"'=called
twice","[""west""]",fav_01h2xcejqtf2nbrexx3vqjhp42,,,,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1

"#]]);
    let ids = olga.types_with_key("colleges favorites export --jq .[].id");
    ids.assert().success().stdout_eq(format!("{one}\n{two}\n"));
}

#[test]
fn the_list_of_a_child_is_named_by_its_id() {
    let (child, id) = ("chi_01h2xcejqtf2nbrexx3vqjhp41", "fav_01h2xcejqtf2nbrexx3vqjhp41");
    let saved = {
        let mut saved = favorite();
        (saved["child_id"], saved["saved_by"]) = (json!(child), json!("usr_01h2xcejqtf2nbrexx3vqjhp41"));
        saved
    };
    let olga = Person::new(move |seen| match seen.call.as_str() {
        "POST /api/v1/colleges/favorites" => {
            let meta = json!({"created": true, "guest_token": null});
            Reply::json(201, &json!({"data": saved, "meta": meta}))
        }
        _ => list(&json!([saved]), None),
    });
    let types = |words: &str| olga.types_with_key(&format!("colleges favorites {words} --child-id {child}"));
    types("list").assert().success().stdout_eq(str![[r#"
RANK  COLLEGE            STATE  SPORT  GENDER  STAGE  FIT    INTEREST  ID
1     Somewhere College  CA     golf   women   saved  reach  5         fav_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    types("add --custom Somewhere --sport golf").assert().success();
    types("export --json id").assert().success();
    types(&format!("order {id}")).assert().success();
    let seen = olga.stub.seen();
    let queries: Vec<&str> = seen.iter().map(|seen| seen.query.as_str()).collect();
    let named = format!("child_id={child}");
    assert_eq!(queries, [named.as_str(), "", &named, &named, ""]);
    let bodies: Vec<Value> = [1, 4].map(|at| serde_json::from_str(&seen[at].body).expect("JSON")).into();
    let custom = json!({"college_name": "Somewhere", "sport": "golf"});
    assert_eq!(
        (&bodies[0]["child_id"], &bodies[0]["custom"]["college_name"]),
        (&json!(child), &custom["college_name"])
    );
    assert_eq!(bodies[1], json!({"child_id": child, "ids": [id]}));
}

#[test]
fn a_guest_is_remembered_and_can_claim_the_list() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "POST /api/v1/colleges/favorites" => {
            let saved = json!({"data": favorite(), "meta": {"created": true, "guest_token": "guest-1"}});
            Reply::json(201, &saved).header("x-guest-token", "guest-1")
        }
        "POST /api/v1/colleges/favorites/claim" => {
            Reply::json(200, &json!({"data": {"copied": 1, "merged": 0}}))
        }
        "DELETE /api/v1/colleges/favorites/fav_01h2xcejqtf2nbrexx3vqjhp41" => {
            Reply::json(200, &json!({"success": true, "message": "Somewhere College is off the list."}))
        }
        _ => list(&json!([favorite()]), None),
    });
    let add = "colleges favorites add --custom Somewhere --state CA --sport golf --gender women --interest 5 --tag west";
    olga.types(add).assert().success().stdout_eq(str![[r#"
RANK  COLLEGE            STATE  SPORT  GENDER  STAGE  FIT    INTEREST  ID
1     Somewhere College  CA     golf   women   saved  reach  5         fav_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    let body: Value = serde_json::from_str(&olga.stub.seen()[0].body).expect("JSON");
    let custom = json!({"college_name": "Somewhere", "state": "CA", "sport": "golf", "gender": "women"});
    assert_eq!(body, json!({"custom": custom, "interest": 5, "tags": ["west"]}));

    olga.types("colleges favorites list").assert().success();
    let remove = olga.types("colleges favorites remove fav_01h2xcejqtf2nbrexx3vqjhp41 -y");
    remove.assert().success().stdout_eq("Somewhere College is off the list.\n");
    olga.types_with_key("colleges favorites claim").assert().success().stdout_eq(str![[r#"
Added: 1. Already saved: 0.

"#]]);
    let again = olga.types_with_key("colleges favorites claim").assert().code(1);
    again.stderr_eq("error: no programs were saved without signing in\n");
    olga.types("colleges favorites list").assert().success();
    let guests: Vec<_> =
        olga.stub.seen().iter().map(|seen| seen.header("x-guest-token").map(str::to_owned)).collect();
    let known = Some("guest-1".to_owned());
    assert_eq!(guests, [None, known.clone(), known.clone(), known, None]);
}
