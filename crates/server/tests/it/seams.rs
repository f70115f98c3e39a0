//! Where restrictions, cases, requests, copies and keys meet: what each of them permits alone, and another of them refuses.

use fieldhouse_api::Code;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::cases::SafeguardingCase;
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::roles::Role;
use fieldhouse_testing::{clubs, families};
use serde_json::{Value, json};

use crate::guardian_invitations::{accept, invited, preview};
use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::families::{CHILDREN, child_of, on_duty};
use crate::support::fixtures::member_address;
use crate::support::{Answer, Club, Person, on_both};

const REQUESTS: &str = "/api/v1/privacy-requests";
const FAVORITES: &str = "/api/v1/colleges/favorites";
const NAME: &str = "Zzyzxgrove of the seams";

fn known(child: &str) -> Child {
    Child { id: child.parse().expect("an id"), ..families::child(NAME) }
}

async fn write(club: &Club, effect: Effect) {
    clubs::apply(&club.app.store, club.organization, vec![effect]).await.expect("it is written");
}

/// Closes classes of a child's data to a person, or all of them.
async fn order(club: &Club, child: &str, person: &Person, classes: Vec<DataClass>) -> Restriction {
    let order = Restriction { classes, user_id: person.user, ..families::restriction(&known(child)) };
    write(club, Effect::create(order.clone())).await;
    order
}

async fn grants(who: &Person, request: &Answer) -> Answer {
    who.post(&format!("{REQUESTS}/{}/decide", request.id()), &json!({"decision": "granted"})).await
}

fn id_of(child: &str) -> ChildId {
    child.parse().expect("an id")
}

#[tokio::test]
async fn an_erasure_needs_someone_from_outside_and_ends_neither_an_order_nor_a_case() {
    on_both(async |club| {
        let (mother, father, owner) =
            (club.member(Role::Member), club.member(Role::Admin), club.member(Role::Owner));
        let child = child_of(mother, NAME).await;
        relate(&club, "guardian", id_of(&child), father.user.expect("a user")).await;
        let wanted = json!({"child_id": child, "kind": "erasure"});
        let request = mother.post(REQUESTS, &wanted).await;
        assert_eq!(request.status, 201, "{}", request.text);
        is_problem(&grants(father, &request).await, Code::OperationForbidden, "a parent is no second person");

        let order = order(&club, &child, father, Vec::new()).await;
        is_problem(&grants(father, &request).await, Code::NotFound, "to whom the child is closed");
        assert_eq!(father.get(REQUESTS).await.body["data"], json!([]));
        is_problem(&grants(owner, &request).await, Code::State, "an order is effective");
        let lifted = Restriction { lifted_at: Some(clubs::NOW), ..order.clone() };
        write(&club, Effect::update(&clubs::moment(), order, lifted).expect("a change")).await;

        let lead = club.member(Role::Coach).user.expect("a user");
        let case: SafeguardingCase = families::case(&known(&child), lead);
        write(&club, Effect::create(case)).await;
        is_problem(&grants(owner, &request).await, Code::State, "a case is not closed");
        assert_eq!(mother.get(&format!("{CHILDREN}/{child}")).await.status, 200, "nothing was erased");
        let log = club.member(Role::Admin).get("/api/v1/audit-log").await;
        assert!(!log.text.contains("safeguarding"), "the audit log does not tell of a case: {}", log.text);
    })
    .await;
}

#[tokio::test]
async fn a_change_that_changes_nothing_is_a_read_and_recorded() {
    on_both(async |club| {
        let (parent, medic) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent, NAME).await;
        relate(&club, "medic", id_of(&child), medic.user.expect("a user")).await;
        let path = format!("{CHILDREN}/{child}/medical");
        assert_eq!(medic.patch(&path, &json!({})).await.status, 200);
        let seen = parent.get(&format!("{CHILDREN}/{child}/access-log")).await;
        let events = seen.body["data"].as_array().expect("events");
        let told: Vec<[&Value; 3]> =
            events.iter().map(|it| [&it["operation"], &it["capacity"], &it["class"]]).collect();
        assert_eq!(told, [[&json!("children.medical.change"), &json!("medical_staff"), &json!("medical")]]);
    })
    .await;
}

#[tokio::test]
async fn a_copy_does_not_tell_where_a_child_plays_if_that_is_closed() {
    on_both(async |club| {
        let (father, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(father, NAME).await;
        relate(&club, "coach", id_of(&child), coach.user.expect("a user")).await;
        let copy = async || {
            let path = format!("{CHILDREN}/{child}/exports");
            let export = father.post(&path, &json!({})).await;
            let token = export.body["data"]["token"].as_str().expect("a token");
            father.get(&format!("{path}/{}/content?token={token}", export.id())).await
        };
        let open = copy().await;
        assert_eq!(open.body["data"]["roster"].as_array().map(Vec::len), Some(1), "{}", open.text);
        let closed = vec![DataClass::Roster, DataClass::Profile, DataClass::Identity, DataClass::Contact];
        order(&club, &child, father, closed).await;
        let closed = copy().await;
        assert_eq!(closed.body["data"]["roster"], json!([]), "{}", closed.text);
        assert_eq!(closed.body["data"]["registrations"], json!([]), "{}", closed.text);
    })
    .await;
}

#[tokio::test]
async fn someone_whom_an_order_keeps_away_revokes_no_one_else() {
    on_both(async |club| {
        let (mother, manager) = (club.member(Role::Member), club.member(Role::Manager));
        let child = child_of(mother, NAME).await;
        let relations = mother.get(&format!("{CHILDREN}/{child}/relations")).await;
        let revoke =
            format!("/api/v1/relations/{}/revoke", relations.body["data"][0]["id"].as_str().expect("an id"));
        order(&club, &child, manager, Vec::new()).await;
        is_problem(&manager.post(&revoke, &json!({})).await, Code::NotFound, "not_found");
        assert_eq!(mother.get(&format!("{CHILDREN}/{child}")).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_key_for_teams_alone_reads_no_name_of_a_child() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.another_session(Role::Coach).await);
        let child = child_of(parent, NAME).await;
        relate(&club, "coach", id_of(&child), coach.user.expect("a user")).await;
        let entries = coach.get(&format!("{CHILDREN}/{child}")).await;
        let team = entries.body["data"]["teams"][0]["id"].as_str().expect("a team").to_owned();
        let roster = format!("/api/v1/teams/{team}/roster");
        let key = coach.issue_key(&json!({"name": "Board", "scopes": ["teams:read"]})).await;
        is_problem(&club.with_key(&key).get(&roster).await, Code::ScopeInsufficient, "scope_insufficient");
        let key = coach.issue_key(&json!({"name": "Both", "scopes": ["teams:read", "children:read"]})).await;
        let shown = club.with_key(&key).get(&roster).await;
        assert!(shown.status == 200 && shown.text.contains(&child), "{}", shown.text);
    })
    .await;
}

/// Saves a program on a child's list.
async fn saves(person: &Person, child: &str, college: &str) -> Answer {
    let custom = json!({"college_name": college, "sport": "rowing"});
    person
        .post(FAVORITES, &json!({"child_id": child, "custom": custom, "notes": format!("{NAME} called")}))
        .await
}

#[tokio::test]
async fn a_childs_saved_programs_are_closed_by_custody_orders_and_deleted_by_erasures() {
    on_both(async |club| {
        let (mother, father, owner) =
            (club.member(Role::Member), club.member(Role::Viewer), club.member(Role::Owner));
        let child = child_of(mother, NAME).await;
        relate(&club, "guardian", id_of(&child), father.user.expect("a user")).await;
        assert_eq!(
            saves(father, &child, "Quux College").await.status,
            201,
            "a relation needs no higher role"
        );
        let saved = format!("{FAVORITES}?child_id={child}");
        let of_records = order(&club, &child, father, vec![DataClass::Records]).await;
        is_problem(&father.get(&saved).await, Code::RelationshipInsufficient, "only the list is closed");
        let lifted = Restriction { lifted_at: Some(clubs::NOW), ..of_records.clone() };
        write(&club, Effect::update(&clubs::moment(), of_records, lifted).expect("a change")).await;
        assert_eq!(father.get(&saved).await.status, 200);
        let of_all = order(&club, &child, father, Vec::new()).await;
        is_problem(&father.get(&saved).await, Code::NotFound, "everything is closed");
        is_problem(&saves(father, &child, "Another").await, Code::NotFound, "everything is closed");
        let shown = mother.get(&saved).await;
        assert_eq!(shown.body["data"].as_array().map(Vec::len), Some(1), "{}", shown.text);
        assert_eq!(club.database.tables_with("quux college"), ["child_favorites"]);
        assert_eq!(club.database.tables_with(NAME), ["children"], "notes are sealed");

        let lifted = Restriction { lifted_at: Some(clubs::NOW), ..of_all.clone() };
        write(&club, Effect::update(&clubs::moment(), of_all, lifted).expect("a change")).await;
        let request = mother.post(REQUESTS, &json!({"child_id": child, "kind": "erasure"})).await;
        assert_eq!(grants(owner, &request).await.status, 200);
        is_problem(&mother.get(&saved).await, Code::NotFound, "the child is erased");
        assert_eq!(club.database.tables_with("quux college"), Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_custody_order_or_an_erasure_voids_a_guardians_invitations() {
    on_both(async |club| {
        let (mother, father, owner) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Owner));
        let child = child_of(mother, NAME).await;
        relate(&club, "guardian", id_of(&child), father.user.expect("a user")).await;
        let (_, of_father) = invited(&club, father, &child, "kim@parents.example").await;
        let (_, of_mother) = invited(&club, mother, &child, "robin@parents.example").await;
        let list = format!("{CHILDREN}/{child}/guardian-invitations");
        let wanted = json!({"email": "sam@parents.example"});

        // It closes one class alone. But it names the father, who decides nothing about who else sees the child.
        order(&club, &child, father, vec![DataClass::Medical]).await;
        for refused in [father.get(&list).await, father.post(&list, &wanted).await] {
            is_problem(&refused, Code::RelationshipInsufficient, "a parent whom an order names");
        }
        is_problem(&preview(&club, &of_father).await, Code::LinkExpired, "sent by the father");
        assert_eq!(preview(&club, &of_mother).await.status, 200);

        let other = child_of(mother, NAME).await;
        let (_, letter) = invited(&club, mother, &other, "sam@parents.example").await;
        let request = mother.post(REQUESTS, &json!({"child_id": other, "kind": "erasure"})).await;
        assert_eq!(grants(owner, &request).await.status, 200);
        is_problem(&preview(&club, &letter).await, Code::LinkExpired, "the child is erased");
        let body = json!({"token": letter.token(), "name": "Sam", "password": "four words in a row"});
        is_problem(&accept(&club.anonymous(), &body).await, Code::LinkExpired, "the child is erased");
        club.app.store.post_everything().await.expect("the ledger is posted");
        assert!(!club.member(Role::Admin).get("/api/v1/audit-log").await.text.contains("sam@"));
    })
    .await;
}

#[tokio::test]
async fn who_has_accepted_to_be_a_guardian_counts_as_family_before_anyone_confirms_it() {
    on_both(async |club| {
        let (mother, owner) = (club.member(Role::Member), club.member(Role::Owner));
        let child = child_of(mother, NAME).await;
        let lead = on_duty(&club, DutyKind::SafeguardingLead, Role::Coach).await;
        let user = lead.user.expect("a user");
        let case: SafeguardingCase = families::case(&known(&child), user);
        write(&club, Effect::create(case)).await;
        let list = format!("{CHILDREN}/{child}/restrictions");
        let cases = "/api/v1/safeguarding-cases";
        assert_eq!(
            (lead.get(&list).await.status, lead.get(cases).await.body["data"].as_array().map(Vec::len)),
            (200, Some(1))
        );

        let (_, letter) = invited(&club, mother, &child, &member_address(user)).await;
        assert_eq!(accept(&lead, &json!({"token": letter.token()})).await.status, 200);
        is_problem(&lead.get(&list).await, Code::OperationForbidden, "of the family");
        assert_eq!(lead.get(cases).await.body["data"], json!([]));
        is_problem(
            &lead.get(&format!("{CHILDREN}/{child}")).await,
            Code::NotFound,
            "and yet nothing is open",
        );
        let waiting = owner.get("/api/v1/relations").await;
        assert_eq!(waiting.body["data"][0]["state"], "proposed", "{}", waiting.text);
    })
    .await;
}
