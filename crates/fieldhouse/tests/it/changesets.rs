//! `fieldhouse changesets` and `fieldhouse undo`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Reply, Seen};
use crate::{Person, list};

const CHANGESET: &str = "chg_01h2xcejqtf2nbrexx3vqjhp41";
const UNDO: &str = "chg_01h2xcejqtf2nbrexx3vqjhp42";
const SIMULATION: &str = "sim_01h2xcejqtf2nbrexx3vqjhp41";
const GAME: &str = "gam_01h2xcejqtf2nbrexx3vqjhp41";
const ENTRY: &str = "aud_01h2xcejqtf2nbrexx3vqjhp41";
const KEY: &str = "key_01h2xcejqtf2nbrexx3vqjhp41";

fn simulation() -> Value {
    let none = json!({"count": 0, "samples": []});
    let sample = json!({"id": GAME, "text": "U12 Blue – Red Hawks, Sat 2026-03-07 09:00"});
    json!({
        "id": SIMULATION, "hash": "abc", "effect_digest": "d", "at": "2026-03-01T09:00:00Z",
        "expires_at": "2026-03-02T09:00:00Z", "conflicts": [], "warnings": [], "problems": [],
        "impact": {
            "records": 3, "created": 1, "updated": 1, "deleted": 1, "games_added": none,
            "games_moved": {"count": 1, "samples": [sample]}, "games_cancelled": none, "teams": none, "families": 31,
            "first_game": null, "double_bookings": none, "coach_clashes": none, "children": 0, "child_classes": [],
            "raises_role": false, "whole_season": false, "cannot_be_undone": [{"what": "messages", "count": 31}],
        },
    })
}

pub(crate) fn changeset(state: &str) -> Value {
    json!({
        "id": CHANGESET, "kind": "change", "title": "Rain", "reason": null, "state": state,
        "author": {"user_id": "usr_01h2xcejqtf2nbrexx3vqjhp41", "key_id": KEY, "is_agent": true},
        "operation_count": 1, "operations": [], "drift_policy": "strict", "simulation": simulation(), "risk": "R2",
        "approvals": [], "required_approvals": 2, "approver_role": "admin", "reduced_approval": false,
        "not_before": null, "submitted_at": null, "schedule_at": null, "expires_at": null, "executed": null,
        "undo_of": null, "undone_by": null, "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    })
}

fn effects() -> Value {
    json!([
        {"kind": "game", "id": GAME, "verb": "updated", "operation": 0, "cause": "operation", "redacted": false,
         "before": {"starts_at": "2026-03-06T22:00:00Z"}, "after": {"starts_at": "2026-03-07T22:00:00Z"},
         "patch": [{"op": "replace", "path": "/starts_at", "value": "2026-03-07T22:00:00Z"}]},
        {"kind": "venue", "id": "ven_01h2xcejqtf2nbrexx3vqjhp41", "verb": "created", "operation": 1,
         "cause": "operation", "redacted": false, "before": null, "after": {"name": "Town Hall"}, "patch": []},
        {"kind": "roster_entry", "id": "ros_01h2xcejqtf2nbrexx3vqjhp41", "verb": "deleted", "operation": 2,
         "cause": "derived", "redacted": true, "before": null, "after": null, "patch": []},
    ])
}

fn answer(seen: &Seen) -> Reply {
    let ok = |data: Value| Reply::json(200, &json!({"data": data}));
    match seen.call.rsplit('/').next().unwrap_or_default() {
        "changesets" if seen.call.starts_with("GET") => list(&json!([changeset("in_review")]), None),
        "changesets" if seen.body.contains("refuse me") => Reply::problem(422, "invalid_operation"),
        "changesets" => Reply::json(201, &json!({"data": changeset("draft")})),
        "events" => list(
            &json!([{"position": 1, "at": "2026-03-01T09:00:00Z", "event": "created", "user_id": null, "name": "Olga",
                "key_id": KEY, "simulation_hash": null, "reason": null}]),
            None,
        ),
        "diff" => ok(json!({"changeset_id": CHANGESET, "simulation_id": SIMULATION, "hash": "abc",
            "effects": effects(), "redacted": 1})),
        "impact" => ok(simulation()),
        "simulate" => ok(changeset("simulated")),
        "approve" | "schedule" => ok(changeset("approved")),
        "execute" => ok(json!({"changeset": changeset("executed"), "replayed": false})),
        "undo" if seen.body.contains("too late") && seen.body.contains("quick") => {
            Reply::problem(409, "state")
        }
        "undo" => {
            let mut undo = changeset("simulated");
            undo["id"] = json!(UNDO);
            Reply::json(201, &json!({"data": undo}))
        }
        _ => ok(changeset("in_review")),
    }
}

fn olga() -> Person {
    Person::new(answer)
}

/// The body of the first request.
fn sent(olga: &Person) -> Value {
    serde_json::from_str(&olga.stub.seen()[0].body).expect("JSON")
}

#[test]
fn changesets_are_a_table_and_have_events() {
    let olga = olga();
    olga.types_with_key("changesets list --state in_review").assert().success().stdout_eq(str![[r#"
TITLE  STATE      RISK  APPROVALS  BY        CREATED               AUTHOR                          ID
Rain   in_review  R2    0 of 2     an agent  2026-03-01T09:00:00Z  usr_01h2xcejqtf2nbrexx3vqjhp41  chg_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(olga.stub.seen()[0].query, "state=in_review");
    olga.types_with_key(&format!("changesets events {CHANGESET}")).assert().success().stdout_eq(str![[r#"
AT                    EVENT    WHO   REASON  KEY
2026-03-01T09:00:00Z  created  Olga  -       key_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("changesets show {CHANGESET}")).assert().success().stdout_eq(str![[r#"
TITLE       Rain
REASON      -
STATE       in_review
KIND        change
OPERATIONS  1
RISK        R2
APPROVALS   0 of 2
BY          an agent
APPROVER    admin or higher
HASH        abc
ID          chg_01h2xcejqtf2nbrexx3vqjhp41

"#]]).stderr_eq(str![[r#"
Someone else with the role admin or higher has to approve it with `fieldhouse changesets approve chg_01h2xcejqtf2nbrexx3vqjhp41`.

"#]]);
}

#[test]
fn a_changeset_is_read_from_a_file_from_lines_or_from_a_table() {
    let update = json!({"op": "update", "resource": "games", "id": GAME, "set": {"round": "Round 2"}});
    let whole = json!({"title": "Rain", "operations": [update]});
    let lines = format!("// rain\n{update}\n\n{update}\n");
    for (text, words, expected) in [
        (whole.to_string(), "changesets new -", whole.clone()),
        (whole.to_string(), "changesets new - --title Sun", json!({"title": "Sun", "operations": [update]})),
        (lines, "changesets new - --title Rain", json!({"title": "Rain", "operations": [update, update]})),
        (
            format!("id,if_version,round,field\n{GAME},,Round 2,\n"),
            "changesets new --from-csv - --resource games --op update --title Rain",
            whole.clone(),
        ),
    ] {
        let olga = olga();
        olga.types_with_key(words).stdin(text).assert().success();
        assert_eq!(sent(&olga), expected, "{words}");
    }
    for (text, words, message) in [
        ("{", "changesets new - --title Rain", "standard input: it is not JSON at line 1"),
        ("[]", "changesets new -", "it has no title"),
        (
            "id,weather\na,b\n",
            "changesets new --from-csv - --resource games --title A",
            "line 2: weather is no field",
        ),
        ("", "changesets new --from-csv -", "--resource"),
        ("", "changesets new", "required"),
    ] {
        let olga = olga();
        let refused = olga.types_with_key(words).stdin(text).assert().code(2);
        let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(error.contains(message) && olga.calls().is_empty(), "{words}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn what_an_editor_wrote_stays_if_it_is_refused() {
    let olga = olga();
    let edit = |script: &str| {
        olga.types_with_key("changesets new --edit").env("TMPDIR", olga.home.path()).env("EDITOR", script)
    };
    edit("true").assert().code(1).stderr_eq("error: nothing was written, so nothing was proposed\n");
    edit("false").assert().code(1);
    olga.types_with_key("changesets new --edit").assert().code(2);
    edit(r#"sed -i -e 's/"title": ""/"title": "Rain"/' -e 's,// {"op": "delete",{"op": "delete",'"#)
        .assert()
        .success();
    assert_eq!(
        sent(&olga),
        json!({"title": "Rain", "operations": [{"op": "delete", "resource": "games", "id": "gam_..."}]})
    );
    let left = || std::fs::read_dir(olga.home.path()).expect("a folder").filter_map(Result::ok);
    let kept = || left().find(|entry| entry.file_name().to_string_lossy().starts_with("changeset-"));
    assert!(kept().is_none());
    let refused = edit(r#"sed -i -e 's/"title": ""/"title": "refuse me"/'"#).assert().code(1);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    let kept = kept().expect("the text");
    assert!(error.contains(&kept.path().display().to_string()), "{error}");
    assert!(std::fs::read_to_string(kept.path()).expect("text").contains("refuse me"));
}

#[test]
fn a_diff_says_first_what_it_means_for_people() {
    let olga = olga();
    let diff = format!("changesets diff {CHANGESET}");
    olga.types_with_key(&diff).assert().success().stdout_eq(str![[r#"
1 game moves, 31 families hear of it
3 records: 1 created, 1 updated, 1 deleted
cannot be undone: messages to 31 families, once they are sent

~ game U12 Blue – Red Hawks, Sat 2026-03-07 09:00 gam_01h2xcejqtf2nbrexx3vqjhp41
    starts_at  2026-03-06T22:00:00Z -> 2026-03-07T22:00:00Z

+ venue Town Hall ven_01h2xcejqtf2nbrexx3vqjhp41
    name  Town Hall

- roster entry ros_01h2xcejqtf2nbrexx3vqjhp41 by a rule
    (not shown: about a child)

"#]]);
    let colored =
        olga.types_with_key(&diff).env("FIELDHOUSE_FORCE_TTY", "100").output().expect("output").stdout;
    let colored = String::from_utf8(colored).expect("text");
    assert!(colored.contains("\u{1b}[31m2026-03-06T22:00:00Z\u{1b}[0m -> \u{1b}[32m2026-03-07"), "{colored}");
    olga.types_with_key(&format!("{diff} --json redacted"))
        .assert()
        .success()
        .stdout_eq("{\n  \"redacted\": 1\n}\n");
    olga.types_with_key(&format!("{diff} -o csv")).assert().success();
    olga.types_with_key(&format!("changesets impact {CHANGESET}")).assert().success().stdout_eq(str![[r#"
1 game moves, 31 families hear of it
3 records: 1 created, 1 updated, 1 deleted
cannot be undone: messages to 31 families, once they are sent

"#]]);
    olga.types_with_key(&format!("changesets simulate {CHANGESET}")).assert().success();
}

#[test]
fn an_approval_names_the_simulation_that_was_reviewed() {
    let olga = olga();
    let approve = format!("changesets approve {CHANGESET}");
    olga.types_with_key(&format!("{approve} --hash old")).assert().success();
    assert_eq!(sent(&olga), json!({"simulation_hash": "old"}));
    olga.types_with_key(&approve).assert().code(2).stderr_eq(str![[r#"
error: Rain: 1 game moves, 31 families hear of it. Approve it? There is no terminal to ask on
hint: confirm with --yes

"#]]);
    olga.types_with_key(&format!("{approve} --yes")).assert().success();
    olga.types_with_key(&format!("changesets execute {CHANGESET} --yes")).assert().success().stdout_eq(str![
        [r#"
Executed chg_01h2xcejqtf2nbrexx3vqjhp41.

"#]
    ]);
    let seen = olga.stub.seen();
    assert_eq!(seen.last().expect("a request").body, json!({"simulation_hash": "abc"}).to_string());
}

#[test]
fn the_rest_of_a_life_is_one_command_each() {
    let olga = olga();
    for (words, call, body) in [
        ("submit {}", "submit", json!(null)),
        ("unapprove {}", "unapprove", json!(null)),
        ("reject {} --reason Dry", "reject", json!({"reason": "Dry"})),
        ("withdraw {}", "withdraw", json!({})),
        (
            "schedule {} --at 2026-03-06T18:00:00Z --hash abc",
            "schedule",
            json!({"simulation_hash": "abc", "at": "2026-03-06T18:00:00Z"}),
        ),
        (
            "resolve {} --as skip --record gam_1 --field round",
            "resolutions",
            json!({"resolutions": [{"record": "gam_1", "field": "round", "resolution": "skip"}]}),
        ),
        ("undo {} --propose", "undo", json!({})),
    ] {
        olga.types_with_key(&format!("changesets {}", words.replace("{}", CHANGESET))).assert().success();
        let seen = olga.stub.seen().pop().expect("a request");
        assert_eq!(seen.call, format!("POST /api/v1/changesets/{CHANGESET}/{call}"));
        assert_eq!(serde_json::from_str(&seen.body).unwrap_or(Value::Null), body, "{words}");
    }
    olga.types_with_key(&format!("changesets resolve {CHANGESET} --as skip")).assert().code(1);
}

#[test]
fn an_undo_is_done_at_once_or_proposed() {
    let olga = olga();
    olga.types_with_key(&format!("undo {CHANGESET}")).assert().success().stdout_eq(str![[r#"
Undid chg_01h2xcejqtf2nbrexx3vqjhp41, by chg_01h2xcejqtf2nbrexx3vqjhp42.

"#]]);
    assert_eq!(sent(&olga), json!({"quick": true}));
    let late =
        olga.types_with_key(&format!("undo {CHANGESET}")).arg("--reason").arg("too late").assert().success();
    let error = String::from_utf8_lossy(&late.get_output().stderr).into_owned();
    assert!(
        error.starts_with("Not undone at once: The stub says no. The undo is proposed instead.\n"),
        "{error}"
    );
    olga.types_with_key(&format!("undo {ENTRY}")).assert().success();
    olga.types_with_key(&format!("undo --key {KEY} --since 2026-03-01T09:00:00Z")).assert().success();
    let bodies: Vec<Value> = olga
        .stub
        .seen()
        .iter()
        .filter(|seen| seen.call == "POST /api/v1/changesets")
        .map(|seen| serde_json::from_str(&seen.body).expect("JSON"))
        .collect();
    let expected = [
        json!({"undo": {"entry": ENTRY}}),
        json!({"undo": {"key_id": KEY, "since": "2026-03-01T09:00:00Z"}}),
    ];
    assert_eq!(bodies, expected);
    for wrong in ["undo".to_owned(), format!("undo --key {KEY}"), format!("undo {GAME}")] {
        olga.types_with_key(&wrong).assert().code(2);
    }
}

#[test]
fn watch_waits_for_a_state() {
    let olga = Person::new(|seen| {
        let state = ["in_review", "in_review", "approved", "approved"].get(seen.nth).unwrap_or(&"executed");
        Reply::json(200, &json!({"data": changeset(state)}))
    });
    let watch = format!("changesets watch {CHANGESET} --every 1");
    let state = |words: &str| {
        let output = olga.types_with_key(words).output().expect("output");
        (String::from_utf8_lossy(&output.stdout).trim().to_owned(), output.status.code())
    };
    assert_eq!(state(&format!("{watch} --jq .state")), ("approved".to_owned(), Some(0)));
    assert_eq!(state(&format!("{watch} --for executed --jq .state")), ("executed".to_owned(), Some(0)));
    let never = olga.types_with_key(&format!("{watch} --for rejected")).assert().code(1);
    let error = String::from_utf8_lossy(&never.get_output().stderr).into_owned();
    assert!(error.starts_with("error: it is executed, and its state does not change any more"), "{error}");
}
