//! Erasures: what is left of a child in the database, in the history and in restored copies.

use std::path::Path;
use std::sync::Arc;

use fieldhouse_api::Code;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Reason;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::{App, Clock, KeyRing, erasures, operator};
use fieldhouse_store::Store;
use fieldhouse_store::ledger::Verdict;
use fieldhouse_testing::databases::{Database, sqlite};
use fieldhouse_testing::{clubs, families};
use serde_json::{Value, json};

use super::{NAME, child_of, decide, granted, listed, request};
use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::marker::MARKER;
use crate::support::{Answer, Club, Person, on_both};

/// A child of a parent with the marker wherever someone can write it, and a coach.
async fn family(club: &Club) -> (Person, String) {
    let parent = club.another_session(Role::Member).await;
    let child = child_of(&parent).await;
    let path = |class: &str| format!("/api/v1/children/{child}/{class}");
    for (class, change) in [
        ("profile", json!({"display_name": format!("{MARKER} the second")})),
        ("identity", json!({"legal_first_name": MARKER, "legal_last_name": MARKER})),
        ("contact", json!({"address": format!("1 {MARKER} St")})),
        ("emergency", json!({"instructions": format!("Call {MARKER}")})),
        ("medical", json!({"notes": format!("{MARKER} rests")})),
    ] {
        let changed = parent.patch(&path(class), &change).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    }
    let wanted = json!({"purpose": "photos", "method": "electronic", "notice_version": MARKER});
    assert_eq!(parent.post(&path("consents"), &wanted).await.status, 201);
    let college = json!({"college_name": format!("{MARKER} College"), "sport": "rowing"});
    let saved = json!({"child_id": child, "custom": college, "notes": MARKER, "tags": [MARKER]});
    assert_eq!(parent.post("/api/v1/colleges/favorites", &saved).await.status, 201);
    let coach = club.member(Role::Coach);
    let id = child.parse().expect("an id");
    relate(club, "coach.ok", id, coach.user.expect("a user")).await;
    let about = Child { id, ..families::child("Kim") };
    let reason = Reason::parse(&format!("Stay away from {MARKER}")).expect("a reason");
    let block = Restriction {
        reason,
        lifted_at: Some(clubs::NOW),
        user_id: coach.user,
        ..families::restriction(&about)
    };
    clubs::apply(&club.app.store, club.organization, vec![Effect::create(block)]).await.expect("a block");
    (parent, child)
}

/// Erases a child: its guardian requests it, and an admin grants it.
async fn erased(club: &Club, parent: &Person, child: &str) -> Answer {
    let wanted = json!({"child_id": child, "kind": "erasure", "details": format!("{MARKER} has left")});
    let created = parent.post(super::REQUESTS, &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let erased = decide(club.member(Role::Admin), &created, &granted()).await;
    assert_eq!((erased.status, &erased.body["data"]["state"]), (200, &json!("done")), "{}", erased.text);
    erased
}

async fn is_intact(club: &Club) {
    let verdict = operator::verify_audit_log(&club.app.store, club.organization).await.expect("verified");
    assert!(matches!(verdict, Verdict::Intact { .. }), "{verdict:?}");
}

#[tokio::test]
async fn nothing_names_an_erased_child() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let kept = request(&parent, &child, "export").await;
        assert!(!club.database.places_with(MARKER).is_empty(), "the search finds what is there");
        let erased = erased(&club, &parent, &child).await;
        assert_eq!(
            (&erased.body["data"]["details"], &erased.body["data"]["reason"]),
            (&json!(null), &json!(null))
        );
        assert_eq!(club.database.places_with(MARKER), Vec::<String>::new());
        is_intact(&club).await;

        for class in ["", "/profile", "/medical", "/consents", "/relations", "/access-log"] {
            let gone = parent.get(&format!("/api/v1/children/{child}{class}")).await;
            is_problem(&gone, Code::NotFound, class);
        }
        assert_eq!(parent.get("/api/v1/profile/me").await.body["data"]["children"], json!([]));
        let admin = club.member(Role::Admin);
        is_problem(&decide(admin, &erased, &granted()).await, Code::State, "it is erased already");
        let other = parent.get(super::REQUESTS).await;
        let other = other.body["data"].as_array().expect("requests").iter().find(|it| it["id"] == kept.id());
        assert_eq!(other.expect("the other request")["state"], "done", "no request about it is left open");
        let again = json!({"child_id": child, "kind": "erasure"});
        is_problem(&parent.post(super::REQUESTS, &again).await, Code::NotFound, "no such child");
        history_has_no_images(admin, &child).await;
    })
    .await;
}

/// The entries about the child have the names of fields, and no record before or after.
async fn history_has_no_images(admin: &Person, child: &str) {
    let log = admin.get("/api/v1/audit-log?limit=100").await;
    assert!(!log.text.contains(MARKER), "{}", log.text);
    let entries = log.body["data"].as_array().expect("entries").iter();
    let effects: Vec<&Value> = entries.flat_map(|it| it["effects"].as_array().expect("effects")).collect();
    let of_child: Vec<_> = effects.iter().filter(|it| it["id"] == *child).collect();
    let verbs: Vec<_> = of_child.iter().filter_map(|it| it["verb"].as_str()).collect();
    assert_eq!(verbs, ["deleted", "erased", "updated", "created"], "{}", log.text);
    for effect in of_child {
        assert_eq!((&effect["before"], &effect["after"]), (&Value::Null, &Value::Null), "{effect}");
    }
}

/// The list beside the key ring.
fn list(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(erasures::FILE)).expect("the list");
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

#[tokio::test]
async fn the_list_has_ids_of_granted_erasures_only() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let refused = request(&parent, &child, "erasure").await;
        let why = json!({"decision": "refused", "reason": "A court needs it"});
        assert_eq!(decide(club.member(Role::Admin), &refused, &why).await.status, 200);
        assert_eq!(list(club.folder.path()), Vec::<Value>::new());
        let erased = erased(&club, &parent, &child).await;
        let lines = list(club.folder.path());
        assert_eq!(lines.len(), 1);
        assert_eq!((&lines[0]["child"], &lines[0]["request"]), (&json!(child), &json!(erased.id())));
        assert_eq!(lines[0]["erased_at"], erased.body["data"]["decided_at"]);
        assert!(!lines[0].to_string().contains(NAME));
    })
    .await;
}

/// An app on a store, with the list of a folder: as after a restart, or a restore.
fn restarted(club: &Club, store: Arc<Store>, folder: &Path) -> App {
    let ring = KeyRing::open(club.folder.path(), &Clock::system()).expect("the key ring");
    let app =
        App::new(store, ring, "http://localhost", LimitOptions::default(), Clock::system(), NOTIFY_HOLD);
    let app = app.expect("an app");
    app.erasures.keep_in(folder).expect("the list");
    app
}

/// A database that still has a child of whom the list says that it was erased is what a restore leaves.
#[tokio::test]
async fn a_child_that_a_restore_brought_back_is_erased_again() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let open = request(&parent, &child, "erasure").await;
        let other = child_of(&parent).await;
        let line = json!({
            "organization": club.organization, "request": open.id(), "child": child, "erased_at": "2026-03-01T09:00:00Z",
        });
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(erasures::FILE), format!("{line}\n")).expect("the list");
        let app = restarted(&club, club.app.store.clone(), folder.path());
        assert_eq!(erasures::apply(&app).await.expect("erased again"), 1);
        is_problem(&parent.get(&format!("/api/v1/children/{child}")).await, Code::NotFound, "erased");
        assert_eq!(parent.get(&format!("/api/v1/children/{other}")).await.status, 200, "no one else is");
        let shown = parent.get(super::REQUESTS).await;
        assert_eq!(shown.body["data"][0]["state"], "done", "{}", shown.text);
        is_intact(&club).await;
        let found = parent.delete(&format!("/api/v1/children/{other}")).await.status;
        assert_eq!(found, 405, "children are erased, not deleted");
        assert_eq!(erasures::apply(&app).await.expect("a second start"), 0);
        assert_eq!(list(folder.path()).len(), 1);
    })
    .await;
}

/// The server stops after the commit and before the line is written: the next start writes it.
#[tokio::test]
async fn a_crash_between_the_commit_and_the_list_loses_nothing() {
    on_both(async |club| {
        let (parent, child) = family(&club).await;
        let erased = erased(&club, &parent, &child).await;
        let crashed = tempfile::tempdir().expect("a folder without the line");
        let app = restarted(&club, club.app.store.clone(), crashed.path());
        assert_eq!(erasures::apply(&app).await.expect("a start"), 0, "it is erased");
        assert_eq!(list(crashed.path())[0]["request"], json!(erased.id()));
        // The decision was not committed: the line was not written, and the request is still open.
        let (parent, child) = family(&club).await;
        request(&parent, &child, "erasure").await;
        erasures::settle_all(&app).await.expect("settled");
        assert_eq!(list(crashed.path()).len(), 1);
        assert_eq!(listed(&parent).await.len(), 2);
        assert_eq!(parent.get(&format!("/api/v1/children/{child}")).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn an_older_copy_is_erased_again_at_the_start() {
    let club = Club::open(sqlite(), LimitOptions::default(), Clock::system()).await;
    let (parent, child) = family(&club).await;
    let copies = tempfile::tempdir().expect("a folder");
    let copy = copies.path().join("older.db");
    fieldhouse_store::back_up(club.database.folder().expect("a folder"), &copy).expect("a copy");
    erased(&club, &parent, &child).await;
    let restored = Database::restored(&copy);
    assert!(!restored.places_with(MARKER).is_empty(), "the copy still has it");
    let store = Arc::new(restored.open().await);
    let app = restarted(&club, store.clone(), club.folder.path());
    assert_eq!(erasures::apply(&app).await.expect("a start"), 1);
    assert_eq!(restored.places_with(MARKER), Vec::<String>::new());
    let verdict = operator::verify_audit_log(&store, club.organization).await.expect("verified");
    assert!(matches!(verdict, Verdict::Intact { .. }), "{verdict:?}");
}
