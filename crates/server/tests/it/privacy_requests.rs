//! Privacy requests: who creates, sees and decides them. Erasures are in their own file.

mod erasures;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::mail::sent;
use crate::support::{Answer, Person, on_both, send};

const REQUESTS: &str = "/api/v1/privacy-requests";
const NAME: &str = "Zzyzxgrove of the requests";

/// Creates a child of a person, and returns its id.
async fn child_of(parent: &Person) -> String {
    let wanted = json!({"display_name": NAME, "birth_date": "2012-05-06"});
    let created = parent.post("/api/v1/children", &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    created.body["data"]["child_id"].as_str().expect("an id").to_owned()
}

async fn request(parent: &Person, child: &str, kind: &str) -> Answer {
    let wanted = json!({"child_id": child, "kind": kind, "details": "See the form"});
    let created = parent.post(REQUESTS, &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    created
}

async fn decide(who: &Person, request: &Answer, body: &Value) -> Answer {
    who.post(&format!("{REQUESTS}/{}/decide", request.id()), body).await
}

fn granted() -> Value {
    json!({"decision": "granted"})
}

async fn listed(who: &Person) -> Vec<String> {
    let list = who.get(REQUESTS).await;
    assert!(!list.text.contains(NAME), "{}", list.text);
    let data = list.body["data"].as_array().unwrap_or_else(|| panic!("{}", list.text));
    data.iter().map(|it| it["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn a_guardian_requests_and_an_admin_decides_without_a_name() {
    on_both(async |club| {
        let (parent, admin) = (club.member(Role::Member), club.member(Role::Admin));
        let child = child_of(parent).await;
        let created = request(parent, &child, "correction").await;
        let data = &created.body["data"];
        assert_eq!((&data["state"], &data["requested_by"]), (&json!("open"), &json!(parent.user)));
        assert_eq!((&data["kind"], &data["child_id"]), (&json!("correction"), &json!(child)));
        let own = vec![created.id().to_owned()];
        assert_eq!((listed(parent).await, listed(admin).await), (own.clone(), own));
        for other in [Role::Coach, Role::Manager] {
            assert_eq!(listed(club.member(other)).await, Vec::<String>::new(), "{other}");
        }
        let letters = sent(&club).await;
        let letter = letters.iter().find(|it| it.subject.contains("correction")).expect("told");
        assert_eq!(letter.to, club.member(Role::Owner).email);
        assert!(!format!("{letters:?}").contains(NAME), "{letters:?}");

        let again = json!({"child_id": child, "kind": "correction", "details": "x"});
        is_problem(&parent.post(REQUESTS, &again).await, Code::Duplicate, "it is open");
        is_problem(&decide(admin, &created, &json!({"decision": "done"})).await, Code::State, "still open");
        let refused = decide(admin, &created, &json!({"decision": "refused"})).await;
        is_problem(&refused, Code::ValidationFailed, "without a reason");
        assert_eq!(refused.body["errors"][0]["pointer"], "/reason");
        let reason = json!({"decision": "granted", "reason": "It is wrong"});
        let decided = decide(admin, &created, &reason).await;
        assert_eq!(decided.status, 200, "{}", decided.text);
        let data = &decided.body["data"];
        assert_eq!((&data["state"], &data["decided_by"]), (&json!("granted"), &json!(admin.user)));
        assert_eq!((&data["reason"], &data["details"]), (&json!("It is wrong"), &json!("See the form")));
        let letters = sent(&club).await;
        assert_eq!(letters.iter().map(|it| it.to.as_str()).collect::<Vec<_>>(), [&*parent.email]);
        assert!(!format!("{letters:?}").contains(NAME), "{letters:?}");
        let done = decide(admin, &created, &json!({"decision": "done"})).await;
        assert_eq!(done.body["data"]["state"], "done", "{}", done.text);
        is_problem(&decide(admin, &created, &granted()).await, Code::State, "it is done");
        request(parent, &child, "correction").await;
    })
    .await;
}

#[tokio::test]
async fn only_the_family_requests_and_only_someone_else_decides() {
    on_both(async |club| {
        let owner = club.another_session(Role::Owner).await;
        let child = child_of(&owner).await;
        let wanted = json!({"child_id": child, "kind": "erasure"});
        is_problem(&club.member(Role::Admin).post(REQUESTS, &wanted).await, Code::NotFound, "unrelated");
        let silent = owner.post(REQUESTS, &json!({"child_id": child, "kind": "correction"})).await;
        is_problem(&silent, Code::ValidationFailed, "what is wrong?");
        let created = request(&owner, &child, "export").await;
        is_problem(&decide(&owner, &created, &granted()).await, Code::SamePerson, "their own");
        is_problem(
            &decide(club.member(Role::Manager), &created, &granted()).await,
            Code::RoleInsufficient,
            "",
        );
        let neighbour = club.neighbours().await;
        is_problem(&decide(&neighbour, &created, &granted()).await, Code::NotFound, "another club's");
        let decided = decide(club.member(Role::Admin), &created, &granted()).await;
        assert_eq!(decided.body["data"]["decided_alone"], false, "{}", decided.text);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_and_decision_show_what_is_now() {
    on_both(async |club| {
        let (parent, admin) = (club.member(Role::Member), club.member(Role::Admin));
        let child = child_of(parent).await;
        let wanted = json!({"child_id": child, "kind": "erasure"});
        let once = async |who: &Person, path: &str, body: &Value| {
            let request = who.request(reqwest::Method::POST, path).header("idempotency-key", "once");
            send(request.json(body)).await
        };
        let (first, again) = (once(parent, REQUESTS, &wanted).await, once(parent, REQUESTS, &wanted).await);
        assert_eq!((first.status, again.status), (201, 201), "{} {}", first.text, again.text);
        assert_eq!(first.body["data"], again.body["data"]);
        let path = format!("{REQUESTS}/{}/decide", first.id());
        let (first, again) = (once(admin, &path, &granted()).await, once(admin, &path, &granted()).await);
        assert_eq!((first.status, again.status), (200, 200), "{} {}", first.text, again.text);
        assert_eq!(again.body["data"]["state"], "done");
    })
    .await;
}
