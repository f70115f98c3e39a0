//! Lists of saved programs of children: one for each child, which its family shares and no one else sees.

use fieldhouse_api::Code;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{ChildFavorite, CustomProgram};
use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Name;
use fieldhouse_testing::{clubs, families};
use reqwest::Method;
use serde_json::{Value, json};

use super::{FAVORITES, address, custom, list, save};
use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::families::{CHILDREN, child_of};
use crate::support::marker::MARKER;
use crate::support::{Answer, Club, Person, on_both, send};

/// A child, and two sessions of its guardians.
struct Family {
    mother: Person,
    father: Person,
    child: String,
}

impl Family {
    async fn of(club: &Club) -> Self {
        let mother = club.another_session(Role::Member).await;
        let father = club.another_session(Role::Coach).await;
        let child = child_of(&mother, "Zzyzxgrove of the lists").await;
        relate(club, "guardian", id_of(&child), father.user.expect("a user")).await;
        Self { mother, father, child }
    }

    /// A program for the child's list.
    fn wanted(&self, college: &str) -> Value {
        let mut wanted = custom(college);
        wanted["child_id"] = json!(self.child);
        wanted
    }

    async fn saved(&self, by: &Person, college: &str) -> Value {
        let answer = save(by, self.wanted(college)).await;
        assert_eq!((answer.status, &answer.body["meta"]["created"]), (201, &json!(true)), "{}", answer.text);
        answer.body["data"].clone()
    }

    fn path(&self) -> String {
        format!("{FAVORITES}?child_id={}", self.child)
    }

    async fn names(&self, by: &Person) -> Vec<String> {
        let answer = by.get(&self.path()).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.header("cache-control"), "private, no-store");
        let entries = answer.body["data"].as_array().expect("a list").iter();
        entries.map(|it| it["program"]["college_name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Ends the relation of the father.
    async fn leaves(&self) {
        let relations = self.mother.get(&format!("{CHILDREN}/{}/relations", self.child)).await;
        let user = json!(self.father.user.expect("a user"));
        let listed = relations.body["data"].as_array().expect("relations");
        let own = listed.iter().find(|it| it["user"]["id"] == user).expect("the father's");
        let path = format!("/api/v1/relations/{}/revoke", own["id"].as_str().expect("an id"));
        let revoked = self.father.post(&path, &json!({})).await;
        assert_eq!(revoked.status, 200, "{}", revoked.text);
    }
}

fn id_of(child: &str) -> ChildId {
    child.parse().expect("an id")
}

async fn keyed(person: &Person, method: Method, path: &str, body: &Value) -> Answer {
    send(person.request(method, path).header("idempotency-key", "once").json(body)).await
}

/// Every request about a child's list: the list, a new entry, a change and a removal of an entry, a new order and the export.
async fn every(person: &Person, child: &str, entry: &str) -> [Answer; 6] {
    let mut wanted = custom("Another");
    wanted["child_id"] = json!(child);
    let path = format!("{FAVORITES}/{entry}");
    let order = json!({"child_id": child, "ids": [entry]});
    [
        person.get(&format!("{FAVORITES}?child_id={child}")).await,
        save(person, wanted).await,
        person.patch(&path, &json!({"interest": 3})).await,
        person.delete(&path).await,
        person.put(&format!("{FAVORITES}/order"), &order).await,
        person.get(&format!("{FAVORITES}/export?child_id={child}")).await,
    ]
}

#[tokio::test]
async fn both_guardians_read_and_change_one_list() {
    on_both(async |club| {
        let family = Family::of(&club).await;
        let Family { mother, father, child } = &family;
        let [one, two] = [family.saved(mother, "One").await, family.saved(father, "Two").await];
        assert_eq!((&one["child_id"], &one["saved_by"]), (&json!(child), &json!(mother.user)));
        assert_eq!((&two["rank"], &two["saved_by"]), (&json!(2), &json!(father.user)));
        let again = save(father, family.wanted("ONE")).await;
        assert_eq!((again.status, &again.body["data"]), (200, &one), "it is saved once for the child");
        assert_eq!(again.body["meta"], json!({"created": false, "guest_token": null}));

        let noted = json!({"notes": "Call\nthe registrar", "tags": ["far"], "stage": "visited"});
        let changed = father.patch(&address(&one), &noted).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let data = &changed.body["data"];
        assert_eq!((&data["notes"], &data["version"]), (&json!("Call\nthe registrar"), &json!(2)));
        assert_eq!(data["saved_by"], one["saved_by"], "who saved it stays");
        let stale = father.request(Method::PATCH, &address(&one)).header("if-match", "\"1-x\"");
        is_problem(&send(stale.json(&json!({"interest": 1}))).await, Code::VersionMismatch, "stale");
        let current =
            mother.request(Method::PATCH, &address(&one)).header("if-match", changed.header("etag"));
        assert_eq!(send(current.json(&json!({"interest": 1}))).await.status, 200);

        let order = json!({"child_id": child, "ids": [two["id"], one["id"]]});
        let ordered = mother.put(&format!("{FAVORITES}/order"), &order).await;
        assert_eq!(ordered.status, 200, "{}", ordered.text);
        assert_eq!(family.names(father).await, ["Two", "One"]);
        let page = mother.get(&format!("{}&limit=1", family.path())).await;
        let cursor = page.body["page"]["next_cursor"].as_str().expect("a cursor");
        let rest = mother.get(&format!("{}&limit=1&cursor={cursor}", family.path())).await;
        assert_eq!(rest.body["data"][0]["id"], one["id"]);
        let elsewhere = mother.get(&format!("{FAVORITES}?limit=1&cursor={cursor}")).await;
        is_problem(&elsewhere, Code::InvalidCursor, "of another list");

        let export = mother.get(&format!("{FAVORITES}/export?child_id={child}&format=csv")).await;
        assert_eq!(export.status, 200, "{}", export.text);
        assert!(
            export.text.contains("Two,softball") && export.text.contains(child.as_str()),
            "{}",
            export.text
        );
        assert!(!export.text.contains("of the lists"), "no name of the child: {}", export.text);

        let whole = mother.post(&format!("{FAVORITES}?return=list"), &family.wanted("Three")).await;
        assert_eq!((whole.status, whole.body["data"].as_array().map(Vec::len)), (201, Some(3)));
        let removed = mother.delete(&address(&two)).await;
        let message = "Two, softball, is no longer among the child's favorites.";
        assert_eq!((removed.status, &removed.body), (200, &json!({"success": true, "message": message})));
        assert_eq!(family.names(father).await, ["One", "Three"]);
        for parent in [mother, father] {
            assert_eq!(list(parent).await, Vec::<Value>::new(), "their own lists are others");
        }
        assert_eq!(club.database.tables_with("the registrar"), Vec::<String>::new(), "notes are sealed");
        let log = mother.get(&format!("{CHILDREN}/{child}/access-log")).await;
        assert_eq!(log.body["data"], json!([]), "the family's own reads are not recorded");
        let audit = club.member(Role::Admin).get("/api/v1/audit-log").await;
        assert!(!audit.text.contains("favorite"), "{}", audit.text);
    })
    .await;
}

#[tokio::test]
async fn no_one_else_sees_a_childs_list() {
    on_both(async |club| {
        let family = Family::of(&club).await;
        let Family { mother, child, .. } = &family;
        let entry = family.saved(mother, "One").await["id"].as_str().expect("an id").to_owned();
        let coach = club.member(Role::Manager);
        relate(&club, "coach.ok", id_of(child), coach.user.expect("a user")).await;
        for answer in every(coach, child, &entry).await {
            is_problem(&answer, Code::RelationshipInsufficient, "staff");
        }
        let unknown = ("chi_01h2xcejqtf2nbrexx3vqjhp41", "fav_01h2xcejqtf2nbrexx3vqjhp41");
        for stranger in [club.member(Role::Owner), &club.neighbours().await] {
            let [hidden, missing] =
                [every(stranger, child, &entry).await, every(stranger, unknown.0, unknown.1).await];
            for (hidden, missing) in hidden.iter().zip(&missing) {
                is_problem(hidden, Code::NotFound, "a stranger");
                assert_eq!(hidden.body["detail"], missing.body["detail"]);
                assert_eq!((missing.status, missing.code()), (hidden.status, hidden.code()));
            }
        }
        let [listed, saved, changed, removed, ordered, exported] =
            every(&club.anonymous(), child, &entry).await;
        for answer in [listed, saved, ordered, exported] {
            is_problem(&answer, Code::Unauthenticated, "a guest has no child");
        }
        for answer in [changed, removed] {
            is_problem(&answer, Code::NotFound, "a guest");
        }
        assert_eq!(family.names(mother).await, ["One"]);
    })
    .await;
}

#[tokio::test]
async fn a_key_needs_the_scope_for_children_as_well() {
    on_both(async |club| {
        let family = Family::of(&club).await;
        let Family { mother, child, .. } = &family;
        let entry = family.saved(mother, "One").await["id"].as_str().expect("an id").to_owned();
        let key = async |person: &Person, scopes: Value| {
            club.with_key(&person.issue_key(&json!({"name": "Script", "scopes": scopes})).await)
        };
        let statuses = async |key: &Person| {
            every(key, child, &entry).await.map(|it| (it.status, it.body["required_scope"].clone()))
        };
        let lacks = |verb: &str| (403, json!(format!("children:{verb}")));
        let [read, write] = [lacks("read"), lacks("write")];
        let narrow = key(mother, json!(["favorites:write"])).await;
        let expected = [&read, &write, &write, &write, &write, &read].map(Clone::clone);
        assert_eq!(statuses(&narrow).await, expected);
        assert_eq!(list(&narrow).await, Vec::<Value>::new(), "its own list is open");
        let reading = key(mother, json!(["favorites:write", "children:read"])).await;
        let ok = || (200, json!(null));
        assert_eq!(
            statuses(&reading).await,
            [ok(), write.clone(), write.clone(), write.clone(), write.clone(), ok()]
        );
        let strangers = key(&club.another_session(Role::Owner).await, json!(["favorites:write"])).await;
        let [.., changed, removed, _, _] = every(&strangers, child, &entry).await;
        is_problem(&changed, Code::NotFound, "it does not learn that the entry exists");
        is_problem(&removed, Code::NotFound, "it does not learn that the entry exists");
        let both = key(mother, json!(["favorites:write", "children:write"])).await;
        assert_eq!(save(&both, family.wanted("Two")).await.status, 201);
        assert_eq!(both.delete(&format!("{FAVORITES}/{entry}")).await.status, 200);
        assert_eq!(family.names(mother).await, ["Two"]);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_shows_what_the_caller_may_see_now() {
    on_both(async |club| {
        let family = Family::of(&club).await;
        let Family { mother, father, .. } = &family;
        let wanted = family.wanted("One");
        let first = keyed(father, Method::POST, FAVORITES, &wanted).await;
        assert_eq!(first.status, 201, "{}", first.text);
        let one = &first.body["data"];
        let change = json!({"notes": format!("{MARKER} called")});
        let changed = keyed(father, Method::PATCH, &address(one), &change).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let again = keyed(father, Method::POST, FAVORITES, &wanted).await;
        assert_eq!((again.status, &again.body["data"]), (201, &changed.body["data"]), "as it is now");
        assert_eq!((&again.body["meta"], again.header("idempotent-replayed")), (&first.body["meta"], "true"));
        assert_eq!(again.header("cache-control"), "private, no-store");
        assert_eq!(mother.patch(&address(one), &json!({"interest": 5})).await.status, 200);
        let again = keyed(father, Method::PATCH, &address(one), &change).await;
        assert_eq!((again.status, &again.body["data"]["interest"]), (200, &json!(5)));
        let path = format!("{FAVORITES}?return=list");
        for _ in 0..2 {
            let known = keyed(mother, Method::POST, &path, &wanted).await;
            assert_eq!(
                (known.status, &known.body["meta"]["created"]),
                (200, &json!(false)),
                "{}",
                known.text
            );
            assert_eq!(known.body["data"][0]["id"], one["id"]);
        }
        let other = keyed(father, Method::POST, FAVORITES, &family.wanted("Two")).await;
        is_problem(&other, Code::IdempotencyMismatch, "another request");
        assert_eq!(club.database.tables_with(&format!("{MARKER} called")), Vec::<String>::new());

        family.leaves().await;
        for (method, path, body) in
            [(Method::POST, FAVORITES.to_owned(), &wanted), (Method::PATCH, address(one), &change)]
        {
            is_problem(&keyed(father, method, &path, body).await, Code::NotFound, "a former guardian");
        }
        assert_eq!(mother.delete(&address(one)).await.status, 200);
        is_problem(&keyed(mother, Method::POST, &path, &wanted).await, Code::NotFound, "it was removed");
    })
    .await;
}

#[tokio::test]
async fn a_program_that_both_guardians_save_at_once_is_saved_once() {
    on_both(async |club| {
        let family = Family::of(&club).await;
        let Family { mother, father, .. } = &family;
        for number in 0..5 {
            let wanted = family.wanted(&format!("College {number}"));
            let (one, two) = tokio::join!(save(mother, wanted.clone()), save(father, wanted));
            let mut statuses = [one.status, two.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 201], "{} {}", one.text, two.text);
            assert_eq!(one.id(), two.id());
        }
        assert_eq!(family.names(mother).await.len(), 5);
    })
    .await;
}

#[tokio::test]
async fn a_childs_list_holds_200_programs() {
    on_both(async |club| {
        let family = Family::of(&club).await;
        let about = Child { id: id_of(&family.child), ..families::child("Kim") };
        let saver = family.mother.user.expect("a user");
        let entry = |number: i64| {
            let template = families::favorite(&about, saver);
            let custom = template.custom.clone().map(|custom| {
                let college_name = Name::stored(format!("College {number}"));
                CustomProgram { college_name, ..custom }
            });
            AnyRecord::from(ChildFavorite { custom, rank: number, ..template })
        };
        let entries = (1..=200).map(entry).map(Effect::create).collect();
        clubs::apply(&club.app.store, club.organization, entries).await.expect("a full list");
        assert_eq!(family.names(&family.father).await.len(), 200);
        let more = save(&family.father, family.wanted("One more")).await;
        is_problem(&more, Code::LimitReached, "one more");
    })
    .await;
}
