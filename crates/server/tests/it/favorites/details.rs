//! The details of a saved program.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::{address, custom, list, save, saved};
use crate::shapes::{is_problem, pointers};
use crate::support::on_both;

/// A program to save, with details.
fn noted(college: &str, details: &Value) -> Value {
    let mut wanted = custom(college);
    wanted.as_object_mut().expect("an object").extend(details.as_object().expect("an object").clone());
    wanted
}

#[tokio::test]
async fn details_are_stored_changed_and_cleared() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let details = json!({"stage": "contacted", "fit": "reach", "interest": 5, "notes": "Call\nMs. Ø.\t✓",
            "tags": ["Far", "far", " big  city "]});
        let favorite = saved(parent, noted("One", &details)).await;
        for name in ["stage", "fit", "interest", "notes"] {
            assert_eq!(favorite[name], details[name], "{name}");
        }
        assert_eq!(favorite["tags"], json!(["Far", "big city"]));
        let path = address(&favorite);
        let changed = parent.patch(&path, &json!({"stage": "visited", "interest": null})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let data = &changed.body["data"];
        assert_eq!(
            (&data["stage"], &data["interest"], &data["version"]),
            (&json!("visited"), &json!(null), &json!(2))
        );
        assert_eq!((&data["notes"], &data["tags"]), (&favorite["notes"], &favorite["tags"]));
        assert_eq!(list(parent).await[0], *data);
        let same = parent.patch(&path, &json!({"stage": "visited"})).await;
        assert_eq!(same.body["data"]["version"], 2, "nothing changed");
        let emptied = parent.patch(&path, &json!({"notes": null, "tags": []})).await;
        assert_eq!(
            (&emptied.body["data"]["notes"], &emptied.body["data"]["tags"]),
            (&json!(null), &json!([]))
        );
    })
    .await;
}

#[tokio::test]
async fn details_have_limits() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let favorite = saved(parent, noted("One", &json!({"notes": "é".repeat(5000)}))).await;
        let many: Vec<_> = (0..21).map(|number| format!("tag {number}")).collect();
        for (details, pointer) in [
            (json!({"interest": 0}), "/interest"),
            (json!({"interest": 6}), "/interest"),
            (json!({"interest": 2.5}), "/interest"),
            (json!({"notes": "é".repeat(5001)}), "/notes"),
            (json!({"notes": "a\u{0}b"}), "/notes"),
            (json!({"tags": many}), "/tags"),
            (json!({"tags": ["a".repeat(41)]}), "/tags/0"),
            (json!({"tags": ["a", 1]}), "/tags/1"),
            (json!({"tags": "a"}), "/tags"),
            (json!({"stage": "dreaming"}), "/stage"),
            (json!({"fit": null}), "/fit"),
        ] {
            let refused = parent.patch(&address(&favorite), &details).await;
            is_problem(&refused, Code::ValidationFailed, pointer);
            assert_eq!(pointers(&refused), [pointer]);
            if pointer != "/fit" {
                let refused = save(parent, noted("Two", &details)).await;
                is_problem(&refused, Code::ValidationFailed, pointer);
                assert_eq!(pointers(&refused), [pointer]);
            }
        }
        assert_eq!(list(parent).await, [favorite]);
    })
    .await;
}

#[tokio::test]
async fn a_patch_cannot_change_the_program_or_the_rank() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let favorite = saved(parent, custom("One")).await;
        for name in ["program", "rank", "id", "version", "custom", "child_id"] {
            let refused = parent.patch(&address(&favorite), &json!({name: 1})).await;
            is_problem(&refused, Code::ValidationFailed, name);
            assert_eq!(pointers(&refused), [format!("/{name}")]);
        }
    })
    .await;
}
