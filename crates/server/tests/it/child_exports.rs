//! Exports of a child: what its family downloads, once and only while it may see it.

use fieldhouse_api::Code;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::roles::Role;
use fieldhouse_testing::{clubs, families};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const NAME: &str = "Zzyzxgrove of the copies";

/// A child of a person: its address.
async fn child_of(parent: &Person) -> String {
    let wanted = json!({"display_name": NAME, "birth_date": "2012-05-06"});
    let created = parent.post("/api/v1/children", &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    format!("/api/v1/children/{}", created.body["data"]["child_id"].as_str().expect("an id"))
}

async fn requested(parent: &Person, child: &str) -> Answer {
    let export = parent.post(&format!("{child}/exports"), &json!({})).await;
    assert_eq!(export.status, 201, "{}", export.text);
    export
}

fn content(child: &str, export: &Answer) -> String {
    let token = export.body["data"]["token"].as_str().expect("a token");
    format!("{child}/exports/{}/content?token={token}", export.id())
}

/// What the family may see over the API, as it is in the copy.
async fn visible(parent: &Person, child: &str) -> Value {
    let mut seen = json!({});
    for class in
        ["profile", "identity", "contact", "emergency", "medical", "performance", "consents", "relations"]
    {
        let answer = parent.get(&format!("{child}/{class}")).await;
        seen[class] = if answer.status == 200 { answer.body["data"].clone() } else { Value::Null };
    }
    let id = child.rsplit('/').next().expect("an id");
    let favorites = parent.get(&format!("/api/v1/colleges/favorites?child_id={id}")).await;
    seen["favorites"] = favorites.body["data"].clone();
    let invited = parent.get(&format!("{child}/guardian-invitations")).await;
    seen["guardian_invitations"] = invited.body["data"].clone();
    seen["access_log"] = parent.get(&format!("{child}/access-log")).await.body["data"].clone();
    seen
}

async fn block(club: &Club, child: &str, parent: &Person, classes: Vec<DataClass>) {
    let id = child.rsplit('/').next().expect("an id").parse().expect("an id");
    let about = Child { id, ..families::child("Kim") };
    let order = Restriction { classes, user_id: parent.user, ..families::restriction(&about) };
    clubs::apply(&club.app.store, club.organization, vec![Effect::create(order)]).await.expect("an order");
}

#[tokio::test]
async fn a_copy_has_what_the_family_sees_and_no_more() {
    on_both(async |club| {
        let parent = club.another_session(Role::Member).await;
        let child = child_of(&parent).await;
        let coach = club.member(Role::Coach);
        let id: ChildId = child.rsplit('/').next().expect("an id").parse().expect("an id");
        relate(&club, "coach.ok", id, coach.user.expect("a user")).await;
        assert_eq!(parent.patch(&format!("{child}/medical"), &json!({"notes": "Rests"})).await.status, 200);
        assert_eq!(coach.get(&format!("{child}/contact")).await.status, 200);
        let college = json!({"college_name": "Isla College", "sport": "rowing"});
        let saved = json!({"child_id": id.to_string(), "custom": college, "notes": "Call them"});
        assert_eq!(parent.post("/api/v1/colleges/favorites", &saved).await.status, 201);
        let other = json!({"email": "robin@parents.example"});
        assert_eq!(parent.post(&format!("{child}/guardian-invitations"), &other).await.status, 201);
        let seen = visible(&parent, &child).await;
        let export = requested(&parent, &child).await;
        let data = &export.body["data"];
        assert_eq!((&data["kind"], &data["child_id"]), (&json!("child"), &json!(id)));
        assert_eq!(data["content_url"], format!("{}{}", club.base_url, content(&child, &export)));
        let copied = club.anonymous().get(&content(&child, &export)).await;
        assert_eq!(copied.status, 200, "{}", copied.text);
        assert_eq!(copied.header("cache-control"), "private, no-store");
        let copy = &copied.body["data"];
        for class in ["profile", "identity", "contact", "emergency", "medical", "performance"] {
            assert!(!copy[class].is_null() && copy[class] == seen[class], "{class}: {copy}");
        }
        assert_eq!(copy["favorites"][0]["notes"], "Call them", "{copy}");
        for list in ["consents", "relations", "guardian_invitations", "favorites", "access_log"] {
            let (mut copied, mut shown) =
                (copy[list].as_array().unwrap().clone(), seen[list].as_array().unwrap().clone());
            let by_id = |it: &Value| it["id"].to_string();
            copied.sort_by_key(by_id);
            shown.sort_by_key(by_id);
            assert_eq!(copied, shown, "{list}");
        }
        assert_eq!(copy["access_log"].as_array().map(Vec::len), Some(1), "the coach");
        assert_eq!(copy["roster"][0]["child"]["display_name"], NAME);
        is_problem(
            &club.anonymous().get(&content(&child, &export)).await,
            Code::LinkExpired,
            "it works once",
        );
        let read = parent.get(&format!("{child}/exports/{}", export.id())).await;
        assert_eq!(read.body["data"]["status"], "opened", "{}", read.text);
        assert!(!read.text.contains("fhx_"), "the token is shown once");

        let teenager = club.another_session(Role::Manager).await;
        relate(&club, "self", id, teenager.user.expect("a user")).await;
        let refused = teenager.get(&format!("{child}/guardian-invitations")).await;
        is_problem(&refused, Code::RelationshipInsufficient, "a child invites no one");
        let own = club.anonymous().get(&content(&child, &requested(&teenager, &child).await)).await;
        assert_eq!(own.body["data"]["guardian_invitations"], json!([]), "{}", own.text);

        block(&club, &child, &parent, vec![DataClass::Medical]).await;
        let copied = club.anonymous().get(&content(&child, &requested(&parent, &child).await)).await;
        assert_eq!(copied.body["data"]["medical"], Value::Null, "{}", copied.text);
        assert!(!copied.text.contains("Rests"));
        assert!(!copied.body["data"]["contact"].is_null());
        assert_eq!(copied.body["data"]["guardian_invitations"], json!([]), "they list none");
    })
    .await;
}

#[tokio::test]
async fn someone_who_lost_the_relation_downloads_nothing() {
    on_both(async |club| {
        let (parent, anyone) = (club.another_session(Role::Member).await, club.anonymous());
        let child = child_of(&parent).await;
        let (first, second) = (requested(&parent, &child).await, requested(&parent, &child).await);
        let other = child_of(&parent).await;
        let elsewhere = content(&child, &first).replace(&child, &other);
        is_problem(&anyone.get(&elsewhere).await, Code::LinkExpired, "another child");
        let of_club = content(&child, &first).replace(&child, "/api/v1");
        is_problem(&anyone.get(&of_club).await, Code::LinkExpired, "not of the organization");
        let wrong = format!("{}x", content(&child, &first));
        is_problem(&anyone.get(&wrong).await, Code::LinkExpired, "a wrong token");
        block(&club, &child, &parent, Vec::new()).await;
        let refused = anyone.get(&content(&child, &first)).await;
        is_problem(&refused, Code::LinkExpired, "a restriction closes it");
        assert!(!refused.text.contains(NAME));
        let export = requested(&parent, &other).await;
        let relation = parent.get(&format!("{other}/relations")).await.body["data"][0]["id"].clone();
        let revoke = format!("/api/v1/relations/{}/revoke", relation.as_str().expect("a relation"));
        assert_eq!(parent.post(&revoke, &json!({})).await.status, 200);
        is_problem(&anyone.get(&content(&other, &export)).await, Code::LinkExpired, "they gave it up");
        is_problem(&anyone.get(&content(&child, &second)).await, Code::LinkExpired, "still closed");
    })
    .await;
}

#[tokio::test]
async fn a_link_expires_and_no_owner_sees_the_export() {
    on_both_in_held_time(async |club| {
        let parent = club.another_session(Role::Member).await;
        let child = child_of(&parent).await;
        let export = requested(&parent, &child).await;
        let owner = club.member(Role::Owner);
        for path in [format!("/api/v1/exports/{}", export.id()), format!("{child}/exports/{}", export.id())] {
            is_problem(&owner.get(&path).await, Code::NotFound, &path);
        }
        is_problem(
            &owner.post("/api/v1/exports", &json!({"kind": "child"})).await,
            Code::ValidationFailed,
            "which?",
        );
        let missing = parent.get(&format!("{child}/exports/exp_01h2xcejqtf2nbrexx3vqjhp41")).await;
        is_problem(&missing, Code::NotFound, "unknown");
        let malformed = format!("{child}/exports/none/content?token=none");
        is_problem(&club.anonymous().get(&malformed).await, Code::NotFound, "no id");
        let once = async || {
            let request = parent.request(Method::POST, &format!("{child}/exports"));
            send(request.header("idempotency-key", "once").json(&json!({}))).await
        };
        assert_eq!(once().await.status, 201);
        is_problem(&once().await, Code::AlreadyCreated, "the token is shown once");
        club.pass(SignedDuration::from_hours(24));
        is_problem(&club.anonymous().get(&content(&child, &export)).await, Code::LinkExpired, "after a day");
    })
    .await;
}
