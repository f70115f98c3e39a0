//! Query plans: no query reads a whole table, or all rows of an organization to find one.
//!
//! A query that has to is listed with its reason. Entries that are no longer needed must be removed.

use std::collections::BTreeSet;

use fieldhouse_store::Engine;
use fieldhouse_store::query::{self, Query};
use fieldhouse_testing::databases;
use rusqlite::Connection;
use serde_json::Value as Json;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::raw;

/// Query, step of the plan, reason.
type Walks = &'static [(&'static str, &'static str, &'static str)];

const IMPORT: &str = "an import of the catalogue compares with all of it";

const NAMES: &str = "an import compares new names with all existing ones, at most 2,000";
const BY_NAME: &str = "names are the users', and a club has hundreds of members, not thousands";
const OPERATOR: &str = "only the operator lists all organizations";
const PURGE: &str = "once an hour, over no more than the failures of a day";
const POSTING: &str = "once a second, over the organizations and the entries that wait";
const RETENTION: &str = "once a day, one row for each organization";
const VERIFY: &str = "streamed, when a whole ledger is verified";
const EXPORT: &str = "streamed, when a whole organization is exported";
const IN_USE: &str = "one row, if there is any";
const CASES: &str = "only where a safeguarding case is proposed or confirmed, and a club has hundreds of members, not thousands";
const WHOLE: &str =
    "only for someone whose duty is for the whole organization: it opens the children of all teams";
const RENDERING: &str = "soon after a start and then once a day, to find what another version has written";
const RING: &str = "once at a start, over a handful of rows";

const ON_SQLITE: Walks = &[
    ("key_ring.read", "SCAN key_ring_fingerprints", RING),
    ("visits.all", "SCAN ledger_heads", RETENTION),
    ("seasons.with_outdated", "SEARCH r USING PRIMARY KEY (org_id=?)", RENDERING),
    ("games.with_outdated", "SEARCH r USING PRIMARY KEY (org_id=?)", RENDERING),
    ("children.with_outdated", "SEARCH r USING PRIMARY KEY (org_id=?)", RENDERING),
    ("ledger.stored", "SEARCH e USING PRIMARY KEY (org_id=?)", VERIFY),
    ("exports.members", "SEARCH m USING PRIMARY KEY (org_id=?)", EXPORT),
    ("exports.seasons", "SEARCH s USING INDEX sqlite_autoindex_seasons_2 (org_id=?)", EXPORT),
    ("exports.divisions", "SEARCH d USING PRIMARY KEY (org_id=?)", EXPORT),
    ("exports.teams", "SEARCH t USING PRIMARY KEY (org_id=?)", EXPORT),
    ("exports.venues", "SEARCH v USING PRIMARY KEY (org_id=?)", EXPORT),
    ("exports.games", "SEARCH g USING PRIMARY KEY (org_id=?)", EXPORT),
    ("exports.staff", "SEARCH f USING PRIMARY KEY (org_id=?)", EXPORT),
    (
        "exports.is_in_use",
        "SEARCH seasons USING COVERING INDEX sqlite_autoindex_seasons_2 (org_id=?)",
        IN_USE,
    ),
    ("exports.is_in_use", "SEARCH venues USING PRIMARY KEY (org_id=?)", IN_USE),
    (
        "exports.is_in_use",
        "SEARCH invitations USING COVERING INDEX invitations_by_creation (org_id=?)",
        IN_USE,
    ),
    ("sign_ins.purge_failures", "SCAN login_failures", PURGE),
    ("sign_ins.purge_sources", "SCAN login_sources", PURGE),
    ("colleges.all", "SCAN c", IMPORT),
    ("programs.all", "SCAN p", IMPORT),
    ("seasons.names", "SEARCH seasons USING INDEX sqlite_autoindex_seasons_2 (org_id=?)", NAMES),
    ("venues.names", "SEARCH venues USING INDEX sqlite_autoindex_venues_2 (org_id=?)", NAMES),
    ("organizations.list", "SCAN o", OPERATOR),
    (
        "organizations.any",
        "SCAN orgs USING COVERING INDEX sqlite_autoindex_orgs_1",
        "one step: whichever organization comes first",
    ),
    (
        "members.active",
        "SEARCH m USING PRIMARY KEY (org_id=?)",
        "only where something is confirmed, and a club has hundreds of members, not thousands",
    ),
    (
        "members.owner_addresses",
        "SEARCH m USING PRIMARY KEY (org_id=?)",
        "only where owners get a message about a proposal, and a club has hundreds of members, not thousands",
    ),
    ("cases.leads", "SEARCH y USING INDEX duties_by_user (org_id=?)", CASES),
    ("cases.owner_addresses", "SEARCH m USING PRIMARY KEY (org_id=?)", CASES),
    ("children.capacities", "SEARCH e USING COVERING INDEX roster_entries_by_team (org_id=?)", WHOLE),
    ("children.list", "SEARCH e USING COVERING INDEX roster_entries_by_team (org_id=?)", WHOLE),
    ("registrations.list", "SEARCH e USING COVERING INDEX roster_entries_by_team (org_id=?)", WHOLE),
    ("roster.list", "SEARCH e USING COVERING INDEX roster_entries_by_team (org_id=?)", WHOLE),
    (
        "retention.access_groups",
        "SEARCH access_groups USING PRIMARY KEY (org_id=?)",
        "once a day, where reads were deleted",
    ),
    ("members.list_by_name", "SEARCH m USING PRIMARY KEY (org_id=?)", BY_NAME),
    ("members.list_by_name_reversed", "SEARCH m USING PRIMARY KEY (org_id=?)", BY_NAME),
    (
        "members.owners",
        "SEARCH members USING PRIMARY KEY (org_id=?)",
        "only where a member is changed or removed, and a club has hundreds of members, not thousands",
    ),
];

/// By table, because the steps for the same scan differ between versions of PostgreSQL.
const ON_POSTGRES: Walks = &[
    ("key_ring.read", "key_ring_fingerprints", RING),
    ("key_ring.read", "key_ring_fingerprints_pkey", RING),
    ("sign_ins.purge_failures", "login_failures", PURGE),
    ("sign_ins.purge_sources", "login_sources", PURGE),
    ("visits.all", "ledger_heads", RETENTION),
    ("visits.all", "ledger_heads_pkey", RETENTION),
    ("journal.mark", "journal_n_seq", "a sequence has one row"),
    ("journal.waiting", "journal", POSTING),
    ("journal.waiting", "journal_pkey", POSTING),
    ("journal.waiting", "ledger_heads", POSTING),
    ("colleges.all", "colleges", IMPORT),
    ("programs.all", "colleges", IMPORT),
    ("programs.all", "programs", IMPORT),
    ("organizations.list", "orgs", OPERATOR),
    ("organizations.any", "orgs", "one step: whichever organization comes first"),
    (
        "guests.delete_expired_favorites",
        "guest_favorites",
        "a purge; where there are rows, the planner goes from the guests that have expired",
    ),
];

type Found = BTreeSet<(&'static str, String)>;

fn listed(walks: Walks) -> Found {
    walks.iter().map(|(query, step, _)| (*query, (*step).to_owned())).collect()
}

fn refuse_new(walked: &Found, listed: &Found) {
    let new: Vec<_> = walked.difference(listed).collect();
    assert!(new.is_empty(), "these queries scan a table: add an index, or a reason: {new:#?}");
}

#[tokio::test]
async fn no_query_scans_a_table_on_sqlite() {
    let database = databases::sqlite();
    let connection = raw::sqlite(&database);
    let walks = |query: &'static Query| {
        let steps = steps(&connection, query);
        let walks = steps.iter().filter(|step| is_walk(step, &steps)).cloned().collect::<Vec<_>>();
        walks.into_iter().map(|step| (query.name, step))
    };
    let (walked, listed) = (query::of(Engine::Sqlite).flat_map(walks).collect(), listed(ON_SQLITE));
    refuse_new(&walked, &listed);
    let old: Vec<_> = listed.difference(&walked).collect();
    assert!(old.is_empty(), "these queries no longer scan: remove them from the list: {old:#?}");
}

/// An index would lead to rows that are far apart.
#[tokio::test]
async fn lists_of_seasons_read_one_range_of_the_table_on_sqlite() {
    let database = databases::sqlite();
    let connection = raw::sqlite(&database);
    for name in ["seasons.list", "seasons.search"] {
        let query = query::all().find(|query| query.name == name).unwrap();
        let steps = steps(&connection, query);
        let range = "SEARCH s USING PRIMARY KEY (org_id=? AND (listed_on,id)<(?,?))";
        assert!(steps.iter().any(|step| step == range), "{name}: {steps:?}");
        assert!(!steps.iter().any(|step| step.contains("B-TREE")), "{name} is sorted: {steps:?}");
    }
}

/// Otherwise a list of children hands the rows of eight branches on, one by one, before it reads the children.
#[tokio::test]
async fn each_branch_of_the_condition_of_children_is_joined_with_them_on_sqlite() {
    let database = databases::sqlite();
    let connection = raw::sqlite(&database);
    for name in ["children.list", "children.line"] {
        let query = query::of(Engine::Sqlite).find(|query| query.name == name).unwrap();
        let steps = steps(&connection, query);
        let joined = steps.iter().filter(|step| step.ends_with("(org_id=? AND id=?) LEFT-JOIN")).count();
        assert_eq!(joined, 8, "{name}: {steps:#?}");
    }
}

/// Lists whose pages begin elsewhere on SQLite, and the reason.
const BEGIN_ELSEWHERE: [(&str, &str); 6] = [
    ("programs.list", "at the college of the position, which has a few programs"),
    ("programs.of_sport", "at the college of the position, which has a few programs"),
    ("programs.of_college", "a college has a few programs"),
    ("members.list_by_name", "a club has hundreds of members, whose names are in another table"),
    ("members.list_by_name_reversed", "a club has hundreds of members, whose names are in another table"),
    ("organizations.list", "the operator's list, which is sorted each time"),
];

/// Beside another bound of the same column, SQLite may begin at that one, and read everything that comes before the page.
#[tokio::test]
async fn every_page_begins_at_its_position_on_sqlite() {
    let database = databases::sqlite();
    let connection = raw::sqlite(&database);
    let pages = query::of(Engine::Sqlite)
        .filter(|query| [") > ($", ") < ($"].iter().any(|position| query.sql.contains(position)));
    let (mut count, mut others) = (0, Vec::new());
    for query in pages {
        count += 1;
        let steps = steps(&connection, query);
        let begins = |step: &String| {
            step.starts_with("SEARCH ") && [")>(?,?)", ")<(?,?)"].iter().any(|bound| step.contains(bound))
        };
        if !steps.iter().any(begins) {
            others.push((query.name, steps));
        }
    }
    assert!(count > 20, "{count} pages were found");
    let found: BTreeSet<_> = others.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        found,
        BEGIN_ELSEWHERE.map(|(name, _)| name).into(),
        "these pages begin elsewhere: {others:#?}"
    );
}

fn steps(connection: &Connection, query: &Query) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", query.sql)).unwrap();
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get("detail").unwrap());
    }
    steps
}

/// Whether a step reads a whole table, or all rows of an organization. Rows that the query itself has computed may be read completely.
fn is_walk(step: &str, steps: &[String]) -> bool {
    if let Some(scanned) = step.strip_prefix("SCAN ") {
        let made = ["CO-ROUTINE", "MATERIALIZE"].map(|verb| format!("{verb} {scanned}"));
        return scanned != "CONSTANT ROW" && !steps.iter().any(|step| made.contains(step));
    }
    // A ledger has one head.
    step.starts_with("SEARCH ") && step.contains("(org_id=?)") && !step.starts_with("SEARCH ledger_heads ")
}

/// Every index costs each write of its table. Unique indexes are rules; others serve a query, or the search for rows that refer to a row
/// that is deleted.
#[tokio::test]
async fn every_index_is_used() {
    let database = databases::sqlite();
    let connection = raw::sqlite(&database);
    let steps: Vec<String> = query::of(Engine::Sqlite)
        .flat_map(|query| steps(&connection, query))
        .map(|step| step + " ")
        .collect();
    let mut statement = connection
        .prepare("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'")
        .unwrap();
    let mut rows = statement.raw_query();
    let (mut unused, mut count) = (Vec::new(), 0);
    while let Some(row) = rows.next().unwrap() {
        let (index, table): (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
        count += 1;
        let serves_a_query = steps.iter().any(|step| step.contains(&format!("INDEX {index} ")));
        if !serves_a_query && !serves_a_reference(&connection, &index, &table) {
            unused.push(index);
        }
    }
    assert!(count > 10, "the indexes were found");
    assert!(unused.is_empty(), "no query uses these indexes: remove them: {unused:?}");
}

/// Whether the first columns of an index are those of a foreign key.
fn serves_a_reference(connection: &Connection, index: &str, table: &str) -> bool {
    let texts = |sql: &str| -> Vec<(i64, String)> {
        let mut statement = connection.prepare(sql).unwrap();
        let read = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        read.map(Result::unwrap).collect()
    };
    let columns = texts(&format!("SELECT seqno, name FROM pragma_index_info('{index}') ORDER BY seqno"));
    let keys = texts(&format!("SELECT id, \"from\" FROM pragma_foreign_key_list('{table}')"));
    let ids: BTreeSet<i64> = keys.iter().map(|(id, _)| *id).collect();
    ids.iter().any(|id| {
        let key: BTreeSet<_> = keys.iter().filter(|(of, _)| of == id).map(|(_, name)| name).collect();
        let first: BTreeSet<_> = columns.iter().take(key.len()).map(|(_, name)| name).collect();
        key == first
    })
}

#[tokio::test]
async fn no_query_scans_a_table_on_postgresql() {
    let database = databases::postgres();
    let client = raw::postgres(&database).await;
    let mut walked = Found::new();
    for query in query::of(Engine::Postgres) {
        client.batch_execute(&settings(query)).await.unwrap();
        let mut steps = Vec::new();
        walks(&explain(&client, query).await, &mut steps);
        walked.extend(steps.into_iter().map(|step| (query.name, step)));
    }
    // A known scan: without it, a wrong reading of plans would find no scans at all.
    assert!(walked.contains(&("colleges.all", "colleges".to_owned())), "{walked:?}");
    refuse_new(&walked, &listed(ON_POSTGRES));
}

/// As a session has them. The generic plan of a prepared statement. An empty table would always be scanned if that were allowed.
fn settings(query: &Query) -> String {
    let bitmaps = query.planned_each_time;
    format!(
        "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; SET enable_bitmapscan = {bitmaps}"
    )
}

async fn explain(client: &Client, query: &Query) -> Json {
    client.batch_execute(&format!("PREPARE explained AS {}", query.sql)).await.unwrap();
    let count = "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'explained'";
    let count: i32 = client.query_one(count, &[]).await.unwrap().get(0);
    let nulls = vec!["NULL"; usize::try_from(count).unwrap()].join(", ");
    let arguments = if count == 0 { String::new() } else { format!("({nulls})") };
    let plan = plan(client, &format!("EXPLAIN (FORMAT JSON) EXECUTE explained{arguments}")).await;
    client.batch_execute("DEALLOCATE explained").await.unwrap();
    plan
}

/// What statements explain.
async fn plan(client: &Client, statements: &str) -> Json {
    let explained = client.simple_query(statements).await.unwrap();
    let text = explained.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    serde_json::from_str(text.expect("a plan")).unwrap()
}

/// Collects the tables that are read without a key.
fn walks(plan: &Json, found: &mut Vec<String>) {
    match plan {
        Json::Array(plans) => plans.iter().for_each(|plan| walks(plan, found)),
        Json::Object(fields) => {
            let text = |field: &str| fields.get(field).and_then(Json::as_str);
            let kind = text("Node Type").unwrap_or_default();
            if kind == "Seq Scan" || kind.contains("Index") && !fields.contains_key("Index Cond") {
                let table = text("Relation Name").or(text("Index Name"));
                found.extend(table.map(str::to_owned));
            }
            ["Plan", "Plans"]
                .iter()
                .filter_map(|field| fields.get(*field))
                .for_each(|plan| walks(plan, found));
        }
        _ => {}
    }
}

/// Entries of an organization $1 with one effect each.
const LEDGER: &str = "INSERT INTO ledger_entries (org_id, seq, id, at, posted_at, operation, request_id, chain)
        SELECT {org}, n, gen_random_uuid(), n, n, 'seasons.update', '', '' FROM generate_series(1, {count}) n;
    INSERT INTO ledger_effects (org_id, seq, position, kind, record_id, verb, version, changed, digest)
        SELECT {org}, n, 0, 'season', gen_random_uuid(), 'updated', n, '', '' FROM generate_series(1, {count}) n;";
const COUNT: usize = 2_000;

/// A new club's import is younger than PostgreSQL's statistics, which then know nothing of that club.
#[tokio::test]
async fn the_ledger_of_a_young_organization_is_read_in_linear_time_on_postgresql() {
    let database = databases::postgres();
    let client = raw::postgres(&database).await;
    let entries = |number: u8| {
        let organization = format!("'{}'", uuid::Uuid::from_bytes([number; 16]));
        LEDGER.replace("{org}", &organization).replace("{count}", &COUNT.to_string())
    };
    client.batch_execute(&[entries(1), entries(2), "ANALYZE".to_owned()].concat()).await.unwrap();
    client.batch_execute(&entries(3)).await.unwrap();
    let young = uuid::Uuid::from_bytes([3; 16]);
    let plan = run(&client, "ledger.stored", &format!("'{young}'")).await;
    let rows = rows_read(&plan);
    assert!((2 * COUNT..20 * COUNT).contains(&rows), "{rows} rows were read for {COUNT} entries: {plan:#}");
}

/// Games of an organization $1.
const GAMES: &str = "INSERT INTO games (org_id, id, season_id, division_id, kind, status, starts_at, time_tbd, time_zone, created_at, updated_at, version)
        SELECT {org}, gen_random_uuid(), {org}, {org}, 'game', 'scheduled', n, FALSE, 'UTC', n, n, 1 FROM generate_series(1, {count}) n;";

#[tokio::test]
async fn a_page_of_games_of_a_young_organization_reads_only_its_own_on_postgresql() {
    let database = databases::postgres();
    let client = raw::postgres(&database).await;
    let games = |number: u8, count: usize| {
        let organization = format!("'{}'", uuid::Uuid::from_bytes([number; 16]));
        GAMES.replace("{org}", &organization).replace("{count}", &count.to_string())
    };
    // Without checks of references, because games are all that there is.
    client.batch_execute("SET session_replication_role = replica").await.unwrap();
    let old: String = (10..60).map(|number| games(number, 40)).collect();
    client.batch_execute(&[old, "ANALYZE".to_owned()].concat()).await.unwrap();
    client.batch_execute(&games(3, COUNT)).await.unwrap();
    let (young, last) = (uuid::Uuid::from_bytes([3; 16]), uuid::Uuid::max());
    for (name, bounds) in [
        ("games.list", format!("0, '{last}', {}", 2 * COUNT)),
        ("games.list_reversed", format!("{}, '{last}', 0", 2 * COUNT)),
    ] {
        let values = format!("'{young}', {bounds}, NULL, NULL, NULL, NULL, NULL, 101");
        let plan = run(&client, name, &values).await;
        let rows = rows_read(&plan);
        assert!((101..10 * 101).contains(&rows), "{rows} rows were read for {name}: {plan:#}");
    }
}

/// Runs a query with values, and returns its plan.
async fn run(client: &Client, name: &str, values: &str) -> Json {
    let query = query::of(Engine::Postgres).find(|query| query.name == name).unwrap();
    let prepare = format!("{}; DEALLOCATE ALL; PREPARE run AS {}", settings(query), query.sql);
    plan(client, &format!("{prepare}; EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE run ({values})")).await
}

/// The rows of all steps of a plan that was run.
fn rows_read(plan: &Json) -> usize {
    match plan {
        Json::Array(plans) => plans.iter().map(rows_read).sum(),
        Json::Object(fields) => {
            // Newer versions of PostgreSQL report averages with fractions.
            let number = |field: &str| {
                let text = fields.get(field).map(Json::to_string).unwrap_or_default();
                text.split('.').next().and_then(|whole| whole.parse::<usize>().ok()).unwrap_or(0)
            };
            let rows = number("Actual Loops")
                * (number("Actual Rows")
                    + number("Rows Removed by Join Filter")
                    + number("Rows Removed by Filter"));
            let below: usize =
                ["Plan", "Plans"].iter().filter_map(|field| fields.get(*field)).map(rows_read).sum();
            rows + below
        }
        _ => 0,
    }
}
