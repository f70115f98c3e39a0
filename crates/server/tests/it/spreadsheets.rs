//! Lists as CSV: the choice of the media type, the columns, pages and escaped cells.

use fieldhouse_api::operations::rows;
use fieldhouse_api::{Code, Operation, Row};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::spreadsheet::unescape;
use reqwest::Method;
use serde_json::{Value, json};

use crate::imports::import_coburg;
use crate::shapes::is_problem;
use crate::support::league::{League, SEASONS, created};
use crate::support::{Answer, Club, Person, on_both, send};

const VENUES: &str = "/api/v1/venues";

async fn accepting(person: &Person, path: &str, accept: &str) -> Answer {
    send(person.request(Method::GET, path).header("accept", accept)).await
}

/// The rows of CSV as their texts, the heading first.
fn table(answer: &Answer) -> Vec<Vec<String>> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(answer.text.as_bytes());
    let cells = |row: csv::Result<csv::StringRecord>| {
        row.expect("a row").iter().map(|cell| unescape(cell).to_owned()).collect()
    };
    reader.records().map(cells).collect()
}

/// The operations with CSV, and their paths for the records of a league.
fn lists(league: &League) -> Vec<(&'static Row, String)> {
    let path = |row: &Row| {
        let id = if row.operation == Operation::TeamSchedule { &league.home } else { &league.season };
        row.path.replace("{id}", id)
    };
    rows().iter().filter(|row| row.answer.sheet.is_some()).map(|row| (row, path(row))).collect()
}

/// The text of a value in CSV.
fn text(record: &Value, column: &str) -> String {
    match column.split('.').fold(record, |value, name| &value[name]) {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn every_list_is_the_same_as_csv_and_as_json() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "=HYPERLINK(\"x\")").await;
        created(manager, VENUES, &json!({"name": "-Hall, \"new\"", "time_zone": "UTC", "latitude": -3.5})).await;
        let game = json!({
            "season_id": league.season, "division_id": league.division, "starts_at": "2099-05-01T09:00:00Z",
            "home_team_id": league.home, "away_team_id": league.away, "time_zone": "Europe/Berlin", "round": "@1",
        });
        created(manager, "/api/v1/games", &game).await;
        let college = json!({"custom": {"college_name": "@Isla", "sport": "golf"}, "notes": "-one\n=two"});
        created(manager, "/api/v1/colleges/favorites", &college).await;
        for (row, path) in lists(&league) {
            let range = if row.operation == Operation::GamesUpcoming { "?from=2099-04-30T00:00:00Z" } else { "" };
            let path = format!("{path}{range}");
            let sheet = row.answer.sheet.expect("columns");
            let json = manager.get(&path).await;
            let listed = table(&accepting(manager, &path, "text/csv").await);
            let records = json.body.pointer(sheet.records).and_then(Value::as_array).expect("records");
            assert!(!records.is_empty(), "{}", row.id);
            assert_eq!(listed[0], sheet.columns.iter().map(|it| it.replace('.', "_")).collect::<Vec<_>>());
            let texts = |record| sheet.columns.iter().map(|column| text(record, column)).collect::<Vec<_>>();
            assert_eq!(listed[1..], records.iter().map(texts).collect::<Vec<_>>(), "{}", row.id);
        }
        let seasons = accepting(manager, SEASONS, "text/csv").await;
        assert!(seasons.text.contains(r#","'=HYPERLINK(""x"")","#), "{}", seasons.text);
    })
    .await;
}

#[tokio::test]
async fn the_caller_chooses_by_accept_or_by_format() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        let league = League::create(club.member(Role::Manager), "Winter").await;
        let is_csv = |answer: &Answer| answer.header("content-type").starts_with("text/csv");
        for (row, path) in lists(&league) {
            let person =
                if row.operation == Operation::MemberList { club.member(Role::Manager) } else { viewer };
            for (query, accept, csv) in [
                ("", "text/csv", true),
                ("", "text/*, application/json;q=0.5", true),
                ("", "*/*", false),
                ("?format=csv", "*/*", true),
                ("?format=csv", "application/json", true),
                ("?format=csv", "text/html", true),
                ("?format=json", "text/csv", false),
            ] {
                let answer = accepting(person, &format!("{path}{query}"), accept).await;
                assert_eq!(answer.status, 200, "{} {query} {accept}: {}", row.id, answer.text);
                assert_eq!(is_csv(&answer), csv, "{} {query} {accept}", row.id);
                let vary: Vec<_> = answer.headers.get_all("vary").iter().collect();
                assert!(vary.iter().any(|value| *value == "Accept"), "{}: {vary:?}", row.id);
            }
            let refused = accepting(person, &path, "application/xml").await;
            is_problem(&refused, Code::NotAcceptable, row.id);
            let refused = person.get(&format!("{path}?format=xlsx")).await;
            is_problem(&refused, Code::InvalidParameter, row.id);
        }
        is_problem(
            &accepting(viewer, "/api/v1/organization", "text/csv").await,
            Code::NotAcceptable,
            "a record",
        );
        let members = accepting(club.member(Role::Coach), "/api/v1/members", "text/csv").await;
        is_problem(&members, Code::RoleInsufficient, "the same permission as for JSON");
    })
    .await;
}

#[tokio::test]
async fn a_reader_gets_all_rows_through_the_links() {
    on_both(async |club| {
        import_coburg(club.member(Role::Manager)).await;
        let viewer = club.member(Role::Viewer);
        let (mut path, mut ids) = ("/api/v1/games?format=csv&limit=100".to_owned(), Vec::new());
        loop {
            let page = viewer.get(&path).await;
            ids.extend(table(&page).into_iter().skip(1).map(|row| row[0].clone()));
            let link = page.header("link");
            let Some(next) = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""))
            else {
                break;
            };
            assert!(next.contains("format=csv"), "{next}");
            path = next.to_owned();
        }
        assert_eq!(ids.len(), 319, "every game of the file");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 319, "each once");
        let first = viewer.get("/api/v1/games?limit=100").await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        let next = accepting(viewer, &format!("/api/v1/games?limit=100&cursor={cursor}"), "text/csv").await;
        assert_eq!(table(&next).len(), 101, "a cursor is valid in both media types");
    })
    .await;
}

#[tokio::test]
async fn csv_has_an_etag_of_its_own_and_no_changes() {
    on_both(async |club: Club| {
        let manager = club.member(Role::Manager);
        created(manager, VENUES, &json!({"name": "Hall", "time_zone": "UTC"})).await;
        let (json, csv) = (manager.get(VENUES).await, accepting(manager, VENUES, "text/csv").await);
        assert_ne!(json.header("etag"), csv.header("etag"));
        let again = manager.request(Method::GET, VENUES).header("accept", "text/csv");
        let again = send(again.header("if-none-match", csv.header("etag"))).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""));
        let sync = json.body["page"]["sync"].as_str().expect("a token");
        for since in [format!("since={sync}"), "updated_since=2020-01-01T00:00:00Z".to_owned()] {
            let changes = accepting(manager, &format!("{VENUES}?{since}"), "text/csv").await;
            is_problem(&changes, Code::InvalidParameter, "changes include deleted records");
        }
    })
    .await;
}
