//! Saved college programs of members. `favorites/details.rs` has the details of a saved program, `favorites/guests.rs` the lists of guests,
//! `favorites/children.rs` those of children.

mod children;
mod details;
mod guests;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::colleges::{load_few, softball};
use crate::shapes::{is_problem, pointers};
use crate::support::{Answer, Person, on_both};

const FAVORITES: &str = "/api/v1/colleges/favorites";

async fn save(person: &Person, wanted: Value) -> Answer {
    person.post(FAVORITES, &wanted).await
}

/// A program that is not in the catalogue.
fn custom(college: &str) -> Value {
    json!({"custom": {"college_name": college, "sport": "softball"}})
}

/// Saves a program that was not saved before, and returns the record.
async fn saved(person: &Person, wanted: Value) -> Value {
    let answer = save(person, wanted).await;
    assert_eq!((answer.status, &answer.body["meta"]["created"]), (201, &json!(true)), "{}", answer.text);
    answer.body["data"].clone()
}

fn address(favorite: &Value) -> String {
    format!("{FAVORITES}/{}", favorite["id"].as_str().expect("an id"))
}

async fn list(person: &Person) -> Vec<Value> {
    let answer = person.get(FAVORITES).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["data"].as_array().expect("a list").clone()
}

async fn names(person: &Person) -> Vec<String> {
    let name = |favorite: &Value| favorite["program"]["college_name"].as_str().expect("a name").to_owned();
    list(person).await.iter().map(name).collect()
}

#[tokio::test]
async fn a_program_is_saved_by_id_by_college_or_as_a_custom_program() {
    on_both(async |club| {
        load_few(&club).await;
        let parent = club.member(Role::Member);
        let program = softball(parent, 100_654).await;
        let favorite = saved(parent, json!({"program_id": program["id"]})).await;
        let expected = json!({
            "id": program["id"], "unitid": 100_654, "college_name": "Alabama A & M University", "sport": "softball",
            "gender": "women", "division": "NCAA D1", "city": "Normal", "state": "AL",
        });
        assert_eq!(favorite["program"], expected);
        let by_college = saved(parent, json!({"unitid": 173_160, "sport": "SoftBall", "gender": " WOMEN "})).await;
        assert_eq!(by_college["program"]["college_name"], "Bethel University");
        assert_eq!(by_college["program"]["state"], "MN");
        let wanted = json!({"college_name": " Tiny  College ", "state": "Ontario", "sport": "Flag Football", "gender": "Coed"});
        let own = saved(parent, json!({"custom": wanted})).await;
        let expected = json!({"id": null, "unitid": null, "college_name": "Tiny College", "sport": "flag_football",
            "gender": "coed", "division": null, "city": null, "state": "Ontario"});
        assert_eq!(own["program"], expected);
        assert_eq!(list(parent).await, [favorite, by_college, own]);
    })
    .await;
}

#[tokio::test]
async fn a_saved_program_has_defaults() {
    on_both(async |club| {
        let favorite = saved(club.member(Role::Member), custom("A college")).await;
        for (name, value) in [
            ("child_id", json!(null)),
            ("saved_by", json!(null)),
            ("stage", json!("saved")),
            ("fit", json!("unset")),
            ("interest", json!(null)),
            ("rank", json!(1)),
            ("notes", json!(null)),
            ("tags", json!([])),
            ("version", json!(1)),
        ] {
            assert_eq!(favorite.get(name), Some(&value), "{name}");
        }
        assert_eq!(favorite.as_object().map(serde_json::Map::len), Some(13));
        assert_eq!(favorite["program"]["gender"], "unknown");
    })
    .await;
}

#[tokio::test]
async fn a_program_is_saved_once_however_it_is_identified() {
    on_both(async |club| {
        load_few(&club).await;
        let parent = club.member(Role::Member);
        let favorite = saved(parent, json!({"unitid": 100_654, "sport": "softball", "gender": "women"})).await;
        for again in [
            json!({"program_id": favorite["program"]["id"], "interest": 5, "notes": "not kept"}),
            json!({"unitid": 100_654, "sport": "Softball", "gender": "Women"}),
        ] {
            let answer = save(parent, again).await;
            assert_eq!((answer.status, &answer.body["data"]), (200, &favorite));
            assert_eq!(answer.body["meta"], json!({"created": false, "guest_token": null}));
        }
        let own = saved(parent, json!({"custom": {"college_name": "Collège A&B", "sport": "softball", "state": "QC"}})).await;
        let respelt = json!({"custom": {"college_name": "college a and b", "sport": "Softball", "state": "qc", "gender": "unknown"}});
        assert_eq!(save(parent, respelt).await.body["data"], own);
        saved(parent, json!({"custom": {"college_name": "Collège A&B", "sport": "softball", "state": "ON"}})).await;
        saved(parent, json!({"custom": {"college_name": "Collège A&B", "sport": "softball", "state": "QC", "gender": "men"}})).await;
        assert_eq!(list(parent).await.len(), 4);
    })
    .await;
}

#[tokio::test]
async fn saving_returns_the_whole_list_on_request() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        saved(parent, custom("One")).await;
        let answer = parent.post(&format!("{FAVORITES}?return=list"), &custom("Two")).await;
        assert_eq!((answer.status, &answer.body["data"]), (201, &json!(list(parent).await)));
        let answer = parent.post(&format!("{FAVORITES}?return=list"), &custom("Two")).await;
        assert_eq!((answer.status, answer.body["data"].as_array().map(Vec::len)), (200, Some(2)));
        let answer = parent.post(&format!("{FAVORITES}?return=record"), &custom("Three")).await;
        assert_eq!(answer.body["data"]["rank"], 3);
        let answer = parent.post(&format!("{FAVORITES}?return=all"), &custom("Four")).await;
        is_problem(&answer, Code::InvalidParameter, "another answer");
    })
    .await;
}

#[tokio::test]
async fn a_program_must_be_identified_in_one_way_and_exist() {
    on_both(async |club| {
        load_few(&club).await;
        let parent = club.member(Role::Member);
        let unknown = "prg_01h2xcejqtf2nbrexx3vqjhp41";
        for (wanted, expected) in [
            (json!({}), vec![""]),
            (json!({"interest": 3}), vec![""]),
            (
                json!({"program_id": unknown, "unitid": 100_654, "sport": "softball", "gender": "women"}),
                vec![""],
            ),
            (json!({"program_id": unknown, "custom": {"college_name": "A", "sport": "b"}}), vec![""]),
            (json!({"unitid": 100_654}), vec!["/sport", "/gender"]),
            (json!({"sport": "softball", "gender": "both"}), vec!["/unitid", "/gender"]),
            (json!({"program_id": unknown}), vec!["/program_id"]),
            (json!({"program_id": "prg_x"}), vec!["/program_id"]),
            (json!({"program_id": 5}), vec!["/program_id"]),
            (json!({"unitid": 100_654, "sport": "rowing", "gender": "women"}), vec!["/unitid"]),
            (json!({"program_id": unknown, "interest": 6}), vec!["/interest"]),
            (json!({"program_id": unknown, "tags": vec!["away"; 21]}), vec!["/program_id"]),
            (json!({"program_id": unknown, "tags": (0..21).map(|tag| tag.to_string()).collect::<Vec<_>>()}), vec!["/tags"]),
            (json!({"unitid": -1, "sport": "softball", "gender": "women"}), vec!["/unitid"]),
            (json!({"custom": {"college_name": "A"}}), vec!["/custom/sport"]),
            (json!({"custom": {"college_name": "A", "sport": "b", "city": "c"}}), vec!["/custom/city"]),
        ] {
            let refused = save(parent, wanted.clone()).await;
            is_problem(&refused, Code::ValidationFailed, &wanted.to_string());
            assert_eq!(pointers(&refused), expected, "{wanted}");
        }
        assert_eq!(list(parent).await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn a_program_can_be_removed() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let favorite = saved(parent, custom("One")).await;
        saved(parent, custom("Two")).await;
        let removed = parent.delete(&address(&favorite)).await;
        let message = "One, softball, is no longer among your favorites.";
        assert_eq!((removed.status, &removed.body), (200, &json!({"success": true, "message": message})));
        assert_eq!(names(parent).await, ["Two"]);
        is_problem(&parent.delete(&address(&favorite)).await, Code::NotFound, "a second time");
        saved(parent, custom("One")).await;
        assert_eq!(names(parent).await, ["Two", "One"], "saved again, it is last");
    })
    .await;
}

#[tokio::test]
async fn the_owner_can_order_the_list() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let mut ids = Vec::new();
        for name in ["One", "Two", "Three"] {
            ids.push(saved(parent, custom(name)).await["id"].clone());
        }
        let order = format!("{FAVORITES}/order");
        let new = [&ids[2], &ids[0], &ids[1]];
        let ordered = parent.put(&order, &json!({"ids": new})).await;
        assert_eq!(ordered.status, 200, "{}", ordered.text);
        assert_eq!(names(parent).await, ["Three", "One", "Two"]);
        assert_eq!(ordered.body["data"], json!(list(parent).await));
        let versions: Vec<_> =
            list(parent).await.iter().map(|favorite| favorite["version"].clone()).collect();
        assert_eq!(parent.put(&order, &json!({"ids": new})).await.status, 200);
        let again: Vec<_> = list(parent).await.iter().map(|favorite| favorite["version"].clone()).collect();
        assert_eq!(again, versions, "the same order again changes nothing");
        for wrong in [
            json!([]),
            json!([ids[0], ids[1]]),
            json!([ids[0], ids[1], ids[1]]),
            json!([ids[0], ids[1], ids[2], ids[2]]),
            json!([ids[0], ids[1], "fav_01h2xcejqtf2nbrexx3vqjhp41"]),
        ] {
            let refused = parent.put(&order, &json!({"ids": wrong})).await;
            is_problem(&refused, Code::ValidationFailed, "not every id exactly once");
            assert_eq!(pointers(&refused), ["/ids"]);
        }
        assert_eq!(pointers(&parent.put(&order, &json!({"ids": [ids[0], "x"]})).await), ["/ids/1"]);
        assert_eq!(parent.patch(&address(&json!({"id": ids[2]})), &json!({"interest": 1})).await.status, 200);
        let page = parent.get(&format!("{FAVORITES}?limit=2")).await;
        let cursor = page.body["page"]["next_cursor"].as_str().expect("a cursor");
        let rest = parent.get(&format!("{FAVORITES}?limit=2&cursor={cursor}")).await;
        assert_eq!(rest.body["data"][0]["id"], ids[1]);
        assert_eq!(rest.body["page"]["has_more"], false);
    })
    .await;
}

#[tokio::test]
async fn a_list_holds_200_programs() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        for number in 0..200 {
            saved(parent, custom(&format!("College {number}"))).await;
        }
        let page = parent.get(FAVORITES).await;
        assert_eq!(page.body["data"].as_array().map(Vec::len), Some(200));
        assert_eq!(page.body["page"], json!({"limit": 200, "has_more": false, "next_cursor": null}));
        is_problem(&save(parent, custom("One more")).await, Code::LimitReached, "one more");
        assert_eq!(save(parent, custom("College 7")).await.status, 200, "one that is saved already");
        is_problem(
            &parent.get(&format!("{FAVORITES}?limit=201")).await,
            Code::InvalidParameter,
            "a larger page",
        );
    })
    .await;
}

#[tokio::test]
async fn a_user_cannot_reach_the_list_of_another() {
    on_both(async |club| {
        let (parent, owner) = (club.member(Role::Member), club.member(Role::Owner));
        let favorite = saved(parent, custom("One")).await;
        for other in [owner, &club.neighbours().await, &club.anonymous()] {
            assert_eq!(list(other).await, Vec::<Value>::new());
            is_problem(
                &other.patch(&address(&favorite), &json!({"interest": 1})).await,
                Code::NotFound,
                "a change",
            );
            is_problem(&other.delete(&address(&favorite)).await, Code::NotFound, "a removal");
        }
        assert_eq!(list(parent).await, [favorite]);
    })
    .await;
}

#[tokio::test]
async fn a_key_reaches_its_owners_list() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        saved(parent, custom("One")).await;
        let key = club.with_key(&parent.issue_key(&json!({"name": "script"})).await);
        assert_eq!(names(&key).await, ["One"]);
        saved(&key, custom("Two")).await;
        assert_eq!(names(parent).await, ["One", "Two"]);
    })
    .await;
}
