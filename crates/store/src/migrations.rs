//! Migrations: numbered files, applied in order, each once and in its own transaction, with the same steps on both engines.
//!
//! The SQL contains type tokens in braces, because the engines' types differ. An applied migration must not be edited: its checksum is
//! stored and compared. To change the schema, add `migrations/NNNN_name.sql` and a line to [`ALL`]; SQL only for PostgreSQL is in
//! `migrations/NNNN_name.postgres.sql`, and a line only for SQLite begins with a token.

use std::path::Path;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::engine::{Engine, Store};
use crate::error::{Error, Result};
use crate::postgres::{Connection, Pooled};
use crate::query::Query;
use crate::sqlite::{self, read_only, statistics};
use crate::value::values;

/// One step of the schema.
pub struct Migration {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: &'static str,
    sql: &'static str,
    /// Additional SQL for PostgreSQL.
    postgres: &'static str,
}

/// All steps, in order.
pub const ALL: &[Migration] = &[
    Migration {
        number: 1,
        name: "foundation",
        sql: include_str!("../migrations/0001_foundation.sql"),
        postgres: include_str!("../migrations/0001_foundation.postgres.sql"),
    },
    Migration { number: 2, name: "people", sql: include_str!("../migrations/0002_people.sql"), postgres: "" },
    Migration { number: 3, name: "league", sql: include_str!("../migrations/0003_league.sql"), postgres: "" },
    Migration {
        number: 4,
        name: "members",
        sql: include_str!("../migrations/0004_members.sql"),
        postgres: "",
    },
    Migration {
        number: 5,
        name: "exports",
        sql: include_str!("../migrations/0005_exports.sql"),
        postgres: "",
    },
    Migration {
        number: 6,
        name: "departures",
        sql: include_str!("../migrations/0006_departures.sql"),
        postgres: "",
    },
    Migration {
        number: 7,
        name: "colleges",
        sql: include_str!("../migrations/0007_colleges.sql"),
        postgres: "",
    },
    Migration {
        number: 8,
        name: "operator",
        sql: include_str!("../migrations/0008_operator.sql"),
        postgres: "",
    },
    Migration {
        number: 9,
        name: "search",
        sql: "",
        postgres: include_str!("../migrations/0009_search.postgres.sql"),
    },
    Migration {
        number: 10,
        name: "duties",
        sql: include_str!("../migrations/0010_duties.sql"),
        postgres: "",
    },
    Migration {
        number: 11,
        name: "children",
        sql: include_str!("../migrations/0011_children.sql"),
        postgres: "",
    },
    Migration {
        number: 12,
        name: "relations",
        sql: include_str!("../migrations/0012_relations.sql"),
        postgres: "",
    },
    Migration {
        number: 13,
        name: "history",
        sql: include_str!("../migrations/0013_history.sql"),
        postgres: "",
    },
    Migration {
        number: 14,
        name: "safeguarding",
        sql: include_str!("../migrations/0014_safeguarding.sql"),
        postgres: "",
    },
    Migration {
        number: 15,
        name: "privacy",
        sql: include_str!("../migrations/0015_privacy.sql"),
        postgres: "",
    },
    Migration {
        number: 16,
        name: "guardian_invitations",
        sql: include_str!("../migrations/0016_guardian_invitations.sql"),
        postgres: "",
    },
    Migration {
        number: 17,
        name: "child_favorites",
        sql: include_str!("../migrations/0017_child_favorites.sql"),
        postgres: "",
    },
    Migration {
        number: 18,
        name: "changesets",
        sql: include_str!("../migrations/0018_changesets.sql"),
        postgres: "",
    },
    Migration {
        number: 19,
        name: "divisions_shown",
        sql: include_str!("../migrations/0019_divisions_shown.sql"),
        postgres: "",
    },
    Migration {
        number: 20,
        name: "access_groups",
        sql: include_str!("../migrations/0020_access_groups.sql"),
        postgres: "",
    },
    Migration {
        number: 21,
        name: "names_shown",
        sql: include_str!("../migrations/0021_names_shown.sql"),
        postgres: "",
    },
    Migration {
        number: 22,
        name: "rosters_by_team",
        sql: include_str!("../migrations/0022_rosters_by_team.sql"),
        postgres: "",
    },
    Migration {
        number: 23,
        name: "seasons_rendered",
        sql: include_str!("../migrations/0023_seasons_rendered.sql"),
        postgres: "",
    },
    Migration {
        number: 24,
        name: "places_shown",
        sql: include_str!("../migrations/0024_places_shown.sql"),
        postgres: "",
    },
    Migration {
        number: 25,
        name: "seasons_covered",
        sql: include_str!("../migrations/0025_seasons_covered.sql"),
        postgres: "",
    },
    Migration {
        number: 26,
        name: "no_index_of_posting",
        sql: include_str!("../migrations/0026_no_index_of_posting.sql"),
        postgres: "",
    },
    Migration {
        number: 27,
        name: "seasons_in_order",
        sql: include_str!("../migrations/0027_seasons_in_order.sql"),
        postgres: "",
    },
    Migration {
        number: 28,
        name: "guests_in_order",
        sql: include_str!("../migrations/0028_guests_in_order.sql"),
        postgres: "",
    },
    Migration {
        number: 29,
        name: "games_rendered",
        sql: include_str!("../migrations/0029_games_rendered.sql"),
        postgres: "",
    },
];

/// The types and functions of the tokens on SQLite and on PostgreSQL.
const TOKENS: &[(&str, &str, &str)] = &[
    ("{uuid}", "BLOB", "UUID"),
    ("{text}", "TEXT", "TEXT COLLATE \"C\""),
    ("{date}", "TEXT", "TEXT COLLATE \"C\""),
    ("{int}", "INTEGER", "BIGINT"),
    ("{time}", "INTEGER", "BIGINT"),
    ("{bool}", "INTEGER", "BOOLEAN"),
    ("{false}", "0", "FALSE"),
    ("{real}", "REAL", "DOUBLE PRECISION"),
    ("{bytes}", "BLOB", "BYTEA"),
    ("{tenant}", "STRICT, WITHOUT ROWID", ""),
    ("{tenant_with_rowid}", "STRICT", ""),
    ("{reference}", "STRICT", ""),
    ("{reference_without_rowid}", "STRICT, WITHOUT ROWID", ""),
    // Functions of an id and of a string: its text, and its JSON.
    ("{hex}", "hex", "text"),
    ("{json}", "json_quote", "to_json"),
    // The beginning of a line that is only for SQLite.
    ("{on_sqlite}", "", "-- "),
];

/// The SQL for an engine.
fn translated(sql: &str, engine: Engine) -> String {
    TOKENS.iter().fold(sql.to_owned(), |sql, (token, sqlite, postgres)| {
        sql.replace(token, if engine == Engine::Sqlite { sqlite } else { postgres })
    })
}

impl Migration {
    /// The SQL for an engine.
    pub fn sql(&self, engine: Engine) -> String {
        let more = if engine == Engine::Postgres { self.postgres } else { "" };
        translated(&format!("{}{more}", self.sql), engine)
    }

    fn checksum(&self) -> String {
        let digest: [u8; 32] = Sha256::digest([self.sql, self.postgres].concat()).into();
        Uuid::new_v8(std::array::from_fn(|at| digest[at])).simple().to_string()
    }
}

/// The schema version of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The newest applied step; 0 if there is none.
    pub applied: i64,
    /// The newest step that this program has.
    pub known: i64,
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    number {int} NOT NULL PRIMARY KEY, name {text} NOT NULL, checksum {text} NOT NULL) {reference}";
const HAS_TABLE_SQLITE: &str = "SELECT COUNT(*) > 0 FROM sqlite_schema WHERE name = 'schema_migrations'";
static HAS_TABLE_POSTGRES: Query =
    Query::new("migrations.has_table", "SELECT to_regclass('schema_migrations') IS NOT NULL");
const APPLIED: &str = "SELECT number, checksum FROM schema_migrations ORDER BY number";
static ALL_APPLIED: Query = Query::new("migrations.applied", APPLIED);
const NOTE: &str = "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)";
/// With statistics of tenants, PostgreSQL expects a single row of a tenant that is younger than them, and joins in quadratic time. Without
/// them it expects a two-hundredth of each table.
const ALL_TENANTS_ALIKE: &str = "DO $$
    DECLARE tenants RECORD;
    BEGIN
        FOR tenants IN SELECT c.oid::regclass AS name FROM pg_class c
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND a.attstattarget IS DISTINCT FROM 0
            WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
        LOOP
            EXECUTE format('ALTER TABLE %s ALTER COLUMN org_id SET STATISTICS 0', tenants.name);
        END LOOP;
    END $$";
/// A step has no time limit, and waits for another program that migrates.
const NO_TIMEOUTS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0";

/// The schema version, without changing anything. Fails if it is newer than this program or a step was edited.
pub async fn status(store: &Store) -> Result<Status> {
    let applied = match (store.sqlite(), store.postgres()) {
        (Some(sqlite), _) => {
            sqlite.with_writer("migrations.status", |connection| applied_on_sqlite(connection)).await?
        }
        (_, Some(postgres)) => {
            let connection = postgres.connection().await?;
            applied_on_postgres(&connection).await?
        }
        _ => Vec::new(),
    };
    check(&applied)
}

/// The schema version of the embedded database in a folder, which a server may be using.
pub fn status_beside(folder: &Path) -> Result<Status> {
    check(&applied_on_sqlite(&read_only(&folder.join(sqlite::FILE))?)?)
}

fn applied_on_sqlite(connection: &rusqlite::Connection) -> Result<Vec<(i64, String)>> {
    if !connection.query_row(HAS_TABLE_SQLITE, [], |row| row.get::<_, bool>(0))? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(APPLIED)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
}

async fn applied_on_postgres(connection: &Connection) -> Result<Vec<(i64, String)>> {
    let found = connection.rows(HAS_TABLE_POSTGRES.sql, values![]).await?;
    if found.read(&HAS_TABLE_POSTGRES, |row| row.next::<bool>())? != [true] {
        return Ok(Vec::new());
    }
    let rows = connection.rows(ALL_APPLIED.sql, values![]).await?;
    rows.read(&ALL_APPLIED, |row| Ok((row.next()?, row.next()?)))
}

/// Migrates the schema to this program's version. Returns the applied steps.
pub async fn run(store: &Store) -> Result<Vec<&'static Migration>> {
    let before = status(store).await?;
    let mut done = Vec::new();
    for migration in ALL.iter().filter(|migration| migration.number > before.applied) {
        let applied_now = match (store.sqlite(), store.postgres()) {
            (Some(sqlite), _) => {
                sqlite
                    .with_writer("migrations.run", |connection| apply_on_sqlite(connection, migration))
                    .await?
            }
            (_, Some(postgres)) => {
                // Not returned to the pool: if a step fails, its transaction is still open.
                let connection = Pooled::take(postgres.connection().await?);
                apply_on_postgres(&connection, migration).await?
            }
            _ => false,
        };
        if applied_now {
            done.push(migration);
        }
    }
    Ok(done)
}

fn check(applied: &[(i64, String)]) -> Result<Status> {
    let known = ALL.last().map_or(0, |migration| migration.number);
    let newest = applied.last().map_or(0, |(number, _)| *number);
    if newest > known {
        return Err(Error::NewerSchema { found: newest, known });
    }
    for (number, checksum) in applied {
        let same =
            ALL.iter().any(|migration| migration.number == *number && migration.checksum() == *checksum);
        if !same {
            return Err(Error::EditedMigration(*number));
        }
    }
    Ok(Status { applied: newest, known })
}

/// Applies a step, unless another program has applied it.
fn apply_on_sqlite(connection: &rusqlite::Connection, migration: &Migration) -> Result<bool> {
    connection.execute_batch(&translated(TABLE, Engine::Sqlite))?;
    let noted = connection.execute(NOTE, (migration.number, migration.name, migration.checksum()));
    match noted.map_err(Error::from) {
        Err(Error::Duplicate(_)) => return Ok(false),
        other => other?,
    };
    connection.execute_batch(&migration.sql(Engine::Sqlite))?;
    statistics::assume(connection)?;
    Ok(true)
}

/// Applies a step, unless another program has applied it.
async fn apply_on_postgres(connection: &Connection, migration: &Migration) -> Result<bool> {
    create_table(connection).await?;
    connection.run_all("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    connection.run_all(NO_TIMEOUTS).await?;
    // Inserted first: a second program that migrates at the same time waits here, then fails and finds the step applied.
    let checksum = migration.checksum();
    let noted = connection.rows(NOTE, values![migration.number, migration.name, &checksum]).await;
    match noted.map_err(Error::from) {
        Err(Error::Duplicate(_)) => return Ok(false),
        other => other?,
    };
    connection.run_all(&migration.sql(Engine::Postgres)).await?;
    connection.run_all(ALL_TENANTS_ALIKE).await?;
    connection.run_all("COMMIT").await?;
    Ok(true)
}

/// Concurrent creations of the table collide in the catalogue even with IF NOT EXISTS, with one of several errors; the next check then
/// finds the table.
async fn create_table(connection: &Connection) -> Result<()> {
    let table = translated(TABLE, Engine::Postgres);
    match connection.run_all(&table).await {
        Ok(()) => Ok(()),
        Err(_) => Ok(connection.run_all(&table).await?),
    }
}
