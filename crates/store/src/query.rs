//! Queries: one SQL text each, with a name, for both engines. The list of children alone has one for each.
//!
//! Parameters are `$1`, `$2`, ... and bound by that number. Debug builds refuse a query that is not in [`all`], so that the tests that
//! explain and run every query include it.

mod parameters;
mod said;

use crate::engine::Engine;
use parameters::Parameters;
pub(crate) use said::{Columns, Said, Tables};

/// One SQL text with its name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Query {
    /// The name in spans, metrics and errors, such as `seasons.list`.
    pub name: &'static str,
    /// The SQL.
    pub sql: &'static str,
    /// Whether PostgreSQL plans it for the values of each run, which takes a millisecond. Other queries have one plan for all values, which
    /// would read every row where the plan rests on an optional filter.
    pub planned_each_time: bool,
    parameters: Parameters,
    /// Whether a transaction keeps its rows instead of reading them again.
    pub(crate) once: Once,
}

/// Whether a transaction reads the rows of a query once for the same parameters. It reads them again after it has written to a table that
/// the query names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Once {
    /// It reads them each time.
    Never,
    /// It keeps them until it writes to a table of the query.
    Rows,
    /// The same for a query of one table that returns the row of the organization `$1` with the id `$2`: other rows may be written.
    Row,
}

/// What a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// No table.
    Nothing,
    /// One table, and perhaps only the row of the organization `$1` with the id `$2`.
    Table {
        /// The name of the table.
        name: &'static str,
        /// Whether it writes no other row.
        is_one_row: bool,
    },
    /// Perhaps any table.
    Anything,
}

impl Query {
    /// A query that is planned once.
    pub(crate) const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, planned_each_time: false, parameters: Parameters::of(sql), once: Once::Never }
    }

    /// The same for a number of rows on SQLite, if it inserts one whose values end its SQL. It has the same name. If a row is refused, those
    /// before it stay: otherwise SQLite would copy each page before it is changed.
    pub(crate) fn of_rows(&self, rows: usize) -> Self {
        let columns = self.parameters().len();
        let before = self.sql.rsplit_once(" VALUES ").map_or(self.sql, |(before, _)| before);
        let row = |row: usize| {
            let numbers = (1..=columns).map(|column| format!("${}", row * columns + column));
            format!("({})", numbers.collect::<Vec<_>>().join(", "))
        };
        let rows = (0..rows).map(row).collect::<Vec<_>>().join(", ");
        let sql = format!("{before} VALUES {rows}").replacen("INSERT ", "INSERT OR FAIL ", 1);
        Self::new(self.name, sql.leak())
    }

    /// The numbers of its parameters, in the order in which SQLite binds them.
    pub(crate) fn parameters(&self) -> &[u8] {
        self.parameters.numbers()
    }

    /// The same, read once in a transaction.
    pub(crate) const fn read_once(self) -> Self {
        Self { once: Once::Rows, ..self }
    }

    /// The same, for a query that returns one row of one table by its key.
    pub(crate) const fn read_row_once(self) -> Self {
        Self { once: Once::Row, ..self }
    }

    /// The same, planned each time.
    pub(crate) const fn planned_each_time(self) -> Self {
        Self { planned_each_time: true, ..self }
    }
}

/// Whose records a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// None of those that responses and verified credentials in memory rest on.
    Nothing,
    /// Those of the organization that is its parameter `$1`.
    OneOrganization,
    /// Perhaps those of any.
    Anything,
}

/// What is written often, and never read for a response or a credential that is kept in memory: tables, and the last use of a key.
const NEVER_KEPT: [&str; 8] = [
    "api_keys SET last_used_at = ",
    "guest_favorites ",
    "guests ",
    "idempotency_keys ",
    "key_ring_fingerprints",
    "login_failures ",
    "login_sources ",
    "mail ",
];

/// The verbs that write. `FOR UPDATE` counts as one, which is only too careful.
const WRITES: [&str; 4] = ["INSERT ", "REPLACE ", "UPDATE ", "DELETE "];

impl Query {
    /// Whether it only reads, by its SQL.
    fn only_reads(&self) -> bool {
        let sql = self.sql.trim_start();
        sql.starts_with("SELECT ")
            || sql.starts_with("WITH ") && !WRITES.iter().any(|verb| sql.contains(verb))
    }

    /// Whether its SQL has a table's name as a word.
    pub(crate) fn names(&self, table: &str) -> bool {
        let is_letter =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let sql = self.sql.as_bytes();
        let is_word = |(at, word): (usize, &str)| {
            !is_letter(at.checked_sub(1).and_then(|before| sql.get(before)))
                && !is_letter(sql.get(at + word.len()))
        };
        self.sql.match_indices(table).any(is_word)
    }

    /// What it writes, by its SQL. Rows that the database deletes with others count as other tables: no query that is read once may name
    /// such a table.
    pub(crate) fn written(&self) -> Written {
        if self.only_reads() {
            return Written::Nothing;
        }
        let sql = self.sql.trim_start();
        let insert = sql.strip_prefix("INSERT INTO ");
        let change = sql.strip_prefix("UPDATE ").or_else(|| sql.strip_prefix("DELETE FROM "));
        let Some(rest) = insert.or(change) else { return Written::Anything };
        // The name may be the last word of its line.
        let Some((name, rest)) = rest.split_once(char::is_whitespace) else { return Written::Anything };
        let is_one_row = match insert {
            Some(_) => {
                rest.starts_with("(org_id, id, ")
                    && rest.contains(" VALUES ($1, $2, ")
                    && !rest.contains(" ON CONFLICT")
            }
            None => rest
                .split_once("WHERE ")
                .is_some_and(|(_, rest)| rest.starts_with("org_id = $1 AND id = $2 AND ")),
        };
        Written::Table { name, is_one_row }
    }

    /// Whose records it writes, by its SQL. SQL that does not show one organization counts as writing anything.
    pub(crate) fn writes(&self) -> Writes {
        if self.only_reads() {
            return Writes::Nothing;
        }
        let sql = self.sql.trim_start();
        let insert = sql.strip_prefix("INSERT INTO ");
        let change = sql.strip_prefix("UPDATE ").or_else(|| sql.strip_prefix("DELETE FROM "));
        let Some(table) = insert.or(change) else { return Writes::Anything };
        if NEVER_KEPT.iter().any(|written| table.starts_with(written)) {
            return Writes::Nothing;
        }
        // A user may be a member of many organizations, and a row of `orgs` has no organization but itself.
        let is_shared = table.starts_with("users ") || table.starts_with("orgs ");
        let is_of_one = match insert {
            Some(insert) => insert
                .split_once(" (org_id,")
                .is_some_and(|(_, rest)| rest.contains("VALUES ($1,") || rest.contains("SELECT $1,")),
            // Only the statement's own condition counts, which comes first, and `$10` is another parameter.
            None => sql
                .split_once("WHERE ")
                .and_then(|(_, rest)| rest.strip_prefix("org_id = $1"))
                .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit())),
        };
        if is_of_one && !is_shared { Writes::OneOrganization } else { Writes::Anything }
    }
}

/// Defines the queries of a module, and lists them as `QUERIES`. The name of a method of [`Query`] may follow the query's name.
macro_rules! queries {
    ($($(#[$doc:meta])* $constant:ident $name:literal $(@$how:ident)? $sql:expr;)+) => {
        $($(#[$doc])* const $constant: &$crate::query::Query =
            &$crate::query::Query::new($name, $sql)$(.$how())?;)+
        /// Every query of this module.
        pub(crate) const QUERIES: &[&$crate::query::Query] = &[$($constant),+];
    };
}
pub(crate) use queries;

/// Every query of an engine: the common ones, and its own.
pub fn of(engine: Engine) -> impl Iterator<Item = &'static Query> {
    all().chain(own(engine))
}

/// Every query of both engines.
fn every() -> impl Iterator<Item = &'static Query> {
    of(Engine::Sqlite).chain(own(Engine::Postgres))
}

/// The queries that only one engine has.
fn own(engine: Engine) -> impl Iterator<Item = &'static Query> {
    let own: &[&[&Query]] = match engine {
        Engine::Sqlite => &[crate::children::lines::SQLITE_QUERIES],
        Engine::Postgres => &[
            crate::children::lines::POSTGRES_QUERIES,
            crate::idempotency::POSTGRES_QUERIES,
            crate::ledger::heads::POSTGRES_QUERIES,
            crate::ledger::journal::QUERIES,
        ],
    };
    own.iter().flat_map(|queries| queries.iter().copied())
}

/// Every query that both engines have.
pub fn all() -> impl Iterator<Item = &'static Query> {
    [
        crate::access::QUERIES,
        crate::access::children::QUERIES,
        crate::access::duties::QUERIES,
        crate::access::writing::QUERIES,
        crate::access_log::QUERIES,
        crate::api_keys::QUERIES,
        crate::apply::QUERIES,
        crate::break_glass::QUERIES,
        crate::cases::QUERIES,
        crate::changesets::QUERIES,
        crate::children::QUERIES,
        crate::children::CLASS_QUERIES,
        crate::children::lines::QUERIES,
        crate::children::shown::QUERIES,
        crate::colleges::QUERIES,
        crate::departures::QUERIES,
        crate::divisions::QUERIES,
        crate::consents::QUERIES,
        crate::duties::QUERIES,
        crate::erasures::QUERIES,
        crate::exports::QUERIES,
        crate::families::QUERIES,
        crate::favorites::QUERIES,
        crate::games::QUERIES,
        crate::guardian_invitations::QUERIES,
        crate::guests::QUERIES,
        crate::idempotency::QUERIES,
        crate::impact::QUERIES,
        crate::invitations::QUERIES,
        crate::key_ring::QUERIES,
        crate::ledger::clearing::QUERIES,
        crate::ledger::heads::QUERIES,
        crate::ledger::opening::QUERIES,
        crate::ledger::posting::QUERIES,
        crate::ledger::reading::QUERIES,
        crate::ledger::undoing::QUERIES,
        crate::ledger::verifying::QUERIES,
        crate::mail::QUERIES,
        crate::members::QUERIES,
        crate::organizations::QUERIES,
        crate::places::QUERIES,
        crate::privacy_requests::QUERIES,
        crate::relations::QUERIES,
        crate::restrictions::QUERIES,
        crate::registrations::QUERIES,
        crate::retention::QUERIES,
        crate::rosters::QUERIES,
        crate::sealing::keys::QUERIES,
        crate::seasons::QUERIES,
        crate::sessions::QUERIES,
        crate::sign_ins::QUERIES,
        crate::staff::QUERIES,
        crate::teams::QUERIES,
        crate::users::QUERIES,
        crate::venues::QUERIES,
        crate::visits::QUERIES,
        #[cfg(test)]
        crate::engine::tests::QUERIES,
        #[cfg(test)]
        crate::sqlite::tests::QUERIES,
        #[cfg(test)]
        crate::postgres::tests::QUERIES,
        #[cfg(test)]
        crate::postgres::tests::driver::QUERIES,
        #[cfg(test)]
        crate::postgres::tests::lanes::QUERIES,
        #[cfg(test)]
        crate::postgres::tests::shared::QUERIES,
    ]
    .into_iter()
    .flatten()
    .copied()
    .chain(crate::records::queries())
}

/// Records that a query is run. Debug builds refuse a query that is not listed.
pub(crate) fn note(engine: Engine, query: &'static Query) {
    #[cfg(debug_assertions)]
    runs::note(engine, query);
    #[cfg(not(debug_assertions))]
    let _ = (engine, query);
}

/// A statement that runs until this is dropped. Tests observe it in debug builds.
pub(crate) struct Running {
    #[cfg(debug_assertions)]
    name: &'static str,
}

impl Running {
    pub(crate) fn begin(name: &'static str) -> Self {
        #[cfg(debug_assertions)]
        runs::tell(name, runs::Stage::Before);
        #[cfg(not(debug_assertions))]
        let _ = name;
        Self {
            #[cfg(debug_assertions)]
            name,
        }
    }
}

#[cfg(debug_assertions)]
impl Drop for Running {
    fn drop(&mut self) {
        runs::tell(self.name, runs::Stage::After);
    }
}

/// The statements that are run in this process; only in debug builds, for the conformance tests and those that kill a process.
#[cfg(debug_assertions)]
pub mod runs {
    use std::collections::BTreeSet;
    use std::sync::{LazyLock, Mutex, OnceLock};

    use super::{Engine, Query};

    static LISTED: LazyLock<BTreeSet<&'static str>> =
        LazyLock::new(|| super::every().map(|query| query.name).collect());
    static RUN: Mutex<BTreeSet<(&'static str, &'static str)>> = Mutex::new(BTreeSet::new());

    static OBSERVER: OnceLock<Box<dyn Fn(&'static str, Stage) + Send + Sync>> = OnceLock::new();

    /// When an observer is called for a statement.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stage {
        /// Before it is sent to the database.
        Before,
        /// After the database has answered.
        After,
    }

    /// Observes every statement from now on, also those that begin and end transactions. The first observer of a process stays.
    pub fn observe(observer: impl Fn(&'static str, Stage) + Send + Sync + 'static) {
        let _ = OBSERVER.set(Box::new(observer));
    }

    pub(super) fn tell(name: &'static str, stage: Stage) {
        if let Some(observer) = OBSERVER.get() {
            observer(name, stage);
        }
    }

    pub(super) fn note(engine: Engine, query: &'static Query) {
        assert!(LISTED.contains(query.name), "the query {} is missing in query::all", query.name);
        if let Ok(mut run) = RUN.lock() {
            run.insert((engine.name(), query.name));
        }
    }

    /// The names of the queries that were not run yet on an engine.
    pub fn missing(engine: Engine) -> Vec<&'static str> {
        let run = RUN.lock().map(|run| run.clone()).unwrap_or_default();
        super::of(engine)
            .map(|query| query.name)
            .filter(|name| !run.contains(&(engine.name(), name)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// The modules whose records may be kept in memory, in responses or as facts about a credential.
    const KEPT: [&str; 8] =
        ["access.", "divisions.", "games.", "ledger.", "members.", "seasons.", "teams.", "venues."];

    #[test]
    fn a_statement_raises_the_generation_of_whom_it_writes() {
        for (sql, writes) in [
            ("SELECT 1 FROM seasons WHERE org_id = $1", Writes::Nothing),
            ("UPDATE seasons SET name = $3 WHERE org_id = $1 AND id = $2", Writes::OneOrganization),
            ("UPDATE seasons SET name = $3 WHERE org_id = $2 AND id = $1", Writes::Anything),
            ("INSERT INTO teams (org_id, id) VALUES ($1, $2)", Writes::OneOrganization),
            ("INSERT INTO teams (id, org_id) VALUES ($1, $2)", Writes::Anything),
            ("INSERT INTO teams (org_id, id) VALUES ($2, $1)", Writes::Anything),
            (
                "UPDATE users SET name = $2 WHERE id IN (SELECT user_id FROM members WHERE org_id = $1)",
                Writes::Anything,
            ),
            ("DELETE FROM api_keys WHERE org_id = $1 AND id = $2", Writes::OneOrganization),
            ("UPDATE api_keys SET revoked_at = $2 WHERE id = $1", Writes::Anything),
            ("WITH gone AS (DELETE FROM seasons RETURNING id) SELECT id FROM gone", Writes::Anything),
            (
                "UPDATE sessions SET revoked_at = $2 WHERE user_id IN (SELECT user_id FROM members WHERE org_id = $1)",
                Writes::Anything,
            ),
            ("DELETE FROM teams WHERE org_id = $10 AND id = $1", Writes::Anything),
            ("INSERT OR REPLACE INTO members (org_id, id) VALUES ($1, $2)", Writes::Anything),
            ("REPLACE INTO members (org_id, id) VALUES ($1, $2)", Writes::Anything),
            ("INSERT INTO mail (id, org_id) VALUES ($1, $2)", Writes::Nothing),
        ] {
            let query = Query::new("tests", sql);
            assert_eq!(query.writes(), writes, "{sql}");
        }
    }

    /// What a query's SQL says, and the names of its columns, are remembered by its name.
    #[test]
    fn a_name_has_one_sql_text_on_an_engine() {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let mut known = BTreeMap::new();
            for query in of(engine) {
                let other = known.insert(query.name, query.sql);
                assert!(other.is_none_or(|other| other == query.sql), "{} is the name of two", query.name);
            }
            assert!(known.len() > 100, "{} names", known.len());
        }
    }

    #[test]
    fn only_statements_that_write_facts_behind_credentials_raise_their_generation() {
        let mut tables = BTreeSet::new();
        for query in all() {
            let said = query.said();
            match said.written {
                Written::Table { name, .. } if said.writes_credentials => drop(tables.insert(name)),
                Written::Anything => assert!(said.writes_credentials, "{}", query.name),
                Written::Nothing | Written::Table { .. } => {}
            }
        }
        let expected = ["api_keys", "duties", "members", "orgs", "relations", "sessions", "staff", "users"];
        assert_eq!(tables, BTreeSet::from(expected));
    }

    #[test]
    fn nothing_that_is_kept_in_memory_reads_what_raises_no_generation() {
        let mut count = 0;
        for query in all().filter(|query| KEPT.iter().any(|module| query.name.starts_with(module))) {
            let words: Vec<&str> =
                query.sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
            let unseen = NEVER_KEPT.iter().filter_map(|written| written.split(' ').next());
            let read = unseen.filter(|table| *table != "api_keys").find(|table| words.contains(table));
            assert_eq!(read, None, "{}", query.name);
            count += 1;
        }
        assert!(count > 50, "{count}");
    }
}
