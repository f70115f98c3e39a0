//! What the operator does on the server's own machine, and who cannot.

mod catalogue;
mod credentials;
mod mail;
mod suspension;

use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::support::{Club, PASSWORD, on_both, send};

pub(crate) const ORGANIZATIONS: &str = "/operator/organizations";

fn wanted(name: &str, owner: &str) -> Value {
    json!({"name": name, "time_zone": "Europe/Vienna", "country": "at", "owner": owner})
}

#[tokio::test]
async fn an_organization_is_founded_and_its_owner_sets_a_password_with_the_link() {
    on_both(async |club| {
        let operator = club.operator();
        let founded = operator.post(ORGANIZATIONS, &wanted("Danube  Rowers", "kim@rowers.example")).await;
        assert_eq!(founded.status, 201, "{}", founded.text);
        let data = &founded.body["data"];
        let organization = &data["organization"];
        assert_eq!(
            ["name", "slug", "country", "time_zone"].map(|field| organization[field].clone()),
            ["Danube Rowers", "danube-rowers", "AT", "Europe/Vienna"].map(|text| json!(text))
        );
        assert_eq!(
            (&data["owner"], &organization["suspended_at"]),
            (&json!("kim@rowers.example"), &Value::Null)
        );
        let link = data["link"].as_str().expect("a link");
        let token = link.split_once("/reset-password?token=").expect("a link to set a password").1;
        let fields = json!({"token": token, "new_password": "four words in a row"});
        let page = club.anonymous().request(reqwest::Method::POST, "/reset-password").form(&fields);
        assert_eq!(send(page).await.status, 200);
        let login = json!({"email": "kim@rowers.example", "password": "four words in a row"});
        let signed_in = club.anonymous().post("/api/v1/auth/login", &login).await;
        assert_eq!((signed_in.status, &signed_in.body["data"]["role"]), (200, &json!("owner")));
        let owner = club.with_token(signed_in.body["data"]["access_token"].as_str().expect("a token"));
        let log = owner.get("/api/v1/audit-log?operation=operator.organizations.create").await;
        let entry = &log.body["data"][0];
        assert_eq!(
            (&entry["actor"]["user_id"], entry["effects"].as_array().map(Vec::len)),
            (&Value::Null, Some(2))
        );
        let twice = club.anonymous().request(reqwest::Method::POST, "/reset-password").form(&fields);
        assert_eq!(send(twice).await.status, 410, "a link works once");
    })
    .await;
}

#[tokio::test]
async fn an_owner_with_an_account_keeps_it() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let founded =
            club.operator().post(ORGANIZATIONS, &wanted("Second Club", &coach.email.to_uppercase())).await;
        assert_eq!(founded.status, 201, "{}", founded.text);
        assert_eq!(
            (&founded.body["data"]["link"], &founded.body["data"]["owner"]),
            (&Value::Null, &json!(coach.email))
        );
        let login = |slug: &str| json!({"email": coach.email, "password": PASSWORD, "organization": slug});
        for (slug, role) in [("second-club", "owner"), ("riverside-club", "coach")] {
            let signed_in = club.anonymous().post("/api/v1/auth/login", &login(slug)).await;
            assert_eq!((signed_in.status, &signed_in.body["data"]["role"]), (200, &json!(role)), "{slug}");
        }
    })
    .await;
}

#[tokio::test]
async fn short_names_are_unique_and_can_be_chosen() {
    on_both(async |club| {
        let operator = club.operator();
        let taken = operator.post(ORGANIZATIONS, &wanted("Riverside Club", "a@others.example")).await;
        assert_eq!((taken.status, taken.code()), (409, "duplicate"));
        assert_eq!(taken.body["errors"][0]["pointer"], "/slug");
        assert_eq!(taken.body["detail"], "Another organization already has this slug.");
        let mut chosen = wanted("Riverside Club", "a@others.example");
        chosen["slug"] = json!("riverside-2");
        assert_eq!(operator.post(ORGANIZATIONS, &chosen).await.status, 201);
        let unnamed = operator.post(ORGANIZATIONS, &wanted("🏀", "b@others.example")).await;
        assert_eq!((unnamed.status, &unnamed.body["errors"][0]["pointer"]), (422, &json!("/slug")));
        let wrong = json!({"name": "", "slug": "A b", "country": "AUT", "time_zone": "Mars", "owner": "unknown", "x": 1});
        let wrong = operator.post(ORGANIZATIONS, &wrong).await;
        assert_eq!((wrong.status, wrong.body["errors"].as_array().map(Vec::len)), (422, Some(6)), "{}", wrong.text);
        let listed = operator.get(ORGANIZATIONS).await;
        assert_eq!(listed.body["data"].as_array().map(Vec::len), Some(2), "no failed one was founded");
    })
    .await;
}

#[tokio::test]
async fn organizations_are_listed_in_pages_and_found_by_their_short_name() {
    on_both(async |club| {
        club.neighbours().await;
        let operator = club.operator();
        let slugs = |body: &Value| -> Vec<String> {
            let data = body["data"].as_array().expect("organizations");
            data.iter().map(|one| one["slug"].as_str().expect("a slug").to_owned()).collect()
        };
        let first = operator.get(&format!("{ORGANIZATIONS}?limit=1")).await;
        assert_eq!(slugs(&first.body), ["riverside-club"]);
        let cursor = first.body["page"]["next_cursor"].as_str().expect("another page");
        let second = operator.get(&format!("{ORGANIZATIONS}?limit=1&cursor={cursor}")).await;
        assert_eq!(slugs(&second.body), ["neighbour-club"]);
        assert_eq!(second.body["page"]["has_more"], false);
        let named = operator.get(&format!("{ORGANIZATIONS}?slug=neighbour-club")).await;
        assert_eq!(slugs(&named.body), ["neighbour-club"]);
        let wrong = operator.get(&format!("{ORGANIZATIONS}?slug=Neighbour+Club")).await;
        assert_eq!((wrong.status, wrong.code()), (400, "invalid_parameter"));
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_founds_one_organization() {
    on_both(async |club| {
        let operator = club.operator();
        let found = async || {
            let request =
                operator.request(reqwest::Method::POST, ORGANIZATIONS).header("idempotency-key", "one");
            send(request.json(&wanted("Once Club", "once@clubs.example"))).await
        };
        let first = found().await;
        assert_eq!(first.status, 201);
        let again = found().await;
        assert_eq!((again.status, again.code()), (409, "already_created"));
        assert_eq!(again.body["id"], first.body["data"]["organization"]["id"]);
    })
    .await;
}

/// Suspends or resumes the club.
pub(crate) async fn suspend(club: &Club, suspended: bool) {
    let path = format!("{ORGANIZATIONS}/{}", club.organization);
    let answer = club.operator().patch(&path, &json!({"suspended": suspended})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["data"]["suspended_at"].is_string(), suspended);
}
