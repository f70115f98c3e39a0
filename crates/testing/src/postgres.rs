//! PostgreSQL databases for tests: a template is migrated once for each version of the migrations, and the server copies it for each test.
//!
//! Each process has one session on the server that creates and drops its databases. Their names contain the session's number, so that
//! databases of a session that has ended were left by a crash. The session has a runtime of its own because each test has one too.

use std::env;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, mpsc};

use fieldhouse_store::{Engine, Options, Store, migrations};
use sha2::{Digest, Sha256};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::OnceCell;
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage, SimpleQueryRow};

use crate::databases::{Dump, TextRow};

const HOW_TO_RUN: &str = "is not set. The tests need both engines: run them with `cargo xtask test`, which starts a \
     PostgreSQL, or start one with `cargo xtask postgres` and set the variables that it prints";
/// The application name of these sessions.
const SESSION: &str = "fieldhouse-testing";
/// The advisory lock that is held while templates are created and leftovers are dropped. The number is arbitrary.
const GUARD: i64 = 0x6669_656c_6468;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("the runtime of the databases starts")
});
static SERVER: OnceCell<Server> = OnceCell::const_new();

/// Runs a future to completion, even from a test that is in a runtime itself. Returns `None` if it panicked.
pub(crate) fn finish<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let (send, receive) = mpsc::channel();
    RUNTIME.spawn(async move { send.send(future.await) });
    receive.recv().ok()
}

/// The database of one test. It is dropped with this value.
pub(crate) struct Copy {
    name: String,
    /// The session for queries past the store.
    session: Arc<OnceCell<Client>>,
}

impl std::fmt::Debug for Copy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Copy {
    pub(crate) fn url(&self) -> String {
        address("FIELDHOUSE_TEST_POSTGRES", &self.name)
    }

    pub(crate) fn execute(&self, sql: &str) {
        let (url, sql) = (self.url(), sql.to_owned());
        let executed = finish(async move {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a session");
            tokio::spawn(connection);
            client.batch_execute(&sql).await
        });
        executed.expect("a session").expect("the statements are carried out");
    }

    /// The tables that have a row with a string in lower case. Bytes are printed as hexadecimal digits, and found in two spellings.
    pub(crate) fn tables_with(&self, text: &str) -> Vec<String> {
        let url = self.url();
        let hex = |text: &str| text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        let capital = text[..1].to_ascii_uppercase() + &text[1..];
        let spellings = [text.to_owned(), hex(text), hex(&capital)];
        let found = finish(async move {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a session");
            tokio::spawn(connection);
            let names =
                "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename";
            let mut found = Vec::new();
            for table in client.query(names, &[]).await.expect("the tables are listed") {
                let table: &str = table.get(0);
                let sql = format!(
                    "SELECT 1 FROM {table} t, unnest($1::text[]) s WHERE strpos(lower(CAST(t AS TEXT)), s) > 0 LIMIT 1"
                );
                if !client.query(&sql, &[&&spellings[..]]).await.expect("the table is read").is_empty() {
                    found.push(table.to_owned());
                }
            }
            found
        });
        found.expect("a session")
    }

    pub(crate) fn dump(&self) -> Dump {
        let url = self.url();
        let dumped = finish(async move {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a session");
            tokio::spawn(connection);
            let names = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()";
            let mut dumped = Dump::new();
            for table in client.query(names, &[]).await.expect("the tables are listed") {
                let table: &str = table.get(0);
                let rows = client.simple_query(&format!("SELECT * FROM {table}")).await;
                let rows = rows.expect("the table is read").into_iter().filter_map(|message| match message {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                dumped.insert(table.to_owned(), rows.map(|row| text(&row)).collect());
            }
            dumped
        });
        dumped.expect("a session")
    }

    pub(crate) fn queries(&self, queries: &[String]) -> Vec<Vec<TextRow>> {
        let (url, session, queries) = (self.url(), self.session.clone(), queries.join("; "));
        let read = finish(async move {
            let connect = async || {
                let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a session");
                tokio::spawn(connection);
                client
            };
            session.get_or_init(connect).await.simple_query(&queries).await
        });
        let mut answers = vec![Vec::new()];
        for message in read.expect("a session").expect("the queries are possible") {
            match message {
                SimpleQueryMessage::Row(row) => answers.last_mut().expect("one").push(text(&row)),
                SimpleQueryMessage::CommandComplete(_) => answers.push(Vec::new()),
                _ => {}
            }
        }
        answers.pop();
        answers
    }

    /// A copy of it, after its sessions have been ended.
    pub(crate) fn copied(&self) -> Self {
        let end =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        create(Some(self.name.clone()), end)
    }

    pub(crate) fn url_by_tls(&self) -> (String, PathBuf) {
        let authority = PathBuf::from(variable("FIELDHOUSE_TEST_POSTGRES_CA"));
        (address("FIELDHOUSE_TEST_POSTGRES_TLS", &self.name), authority)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let name = self.name.clone();
        // If it cannot be dropped now, the next run drops it.
        let _ = finish(async move { server().await.drop_database(&name).await });
    }
}

pub(crate) fn copy() -> Copy {
    make(true)
}

pub(crate) fn blank() -> Copy {
    make(false)
}

fn make(migrated: bool) -> Copy {
    create((!migrated).then(|| "template1".to_owned()), String::new())
}

/// Creates a database as a copy of another one, or of the migrated one.
fn create(template: Option<String>, before: String) -> Copy {
    static MADE: AtomicU32 = AtomicU32::new(1);
    variable("FIELDHOUSE_TEST_POSTGRES");
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let made = finish(async move {
        let server = server().await;
        let name = format!("fieldhouse_test_{}_{number}", server.run);
        let template = template.as_ref().unwrap_or(&server.template);
        server.run(&before).await;
        server.run(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        Copy { name, session: Arc::default() }
    });
    made.expect("the database is created; the error is above")
}

fn text(row: &SimpleQueryRow) -> TextRow {
    let columns = row.columns().iter().map(|column| column.name().to_owned()).enumerate();
    columns.map(|(at, name)| (name, row.get(at).unwrap_or_default().to_owned())).collect()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} {HOW_TO_RUN}"))
}

/// The URL in a variable, with another database's name.
fn address(variable_name: &str, database: &str) -> String {
    let url = variable(variable_name);
    let (path, options) = url.split_once('?').map_or((&*url, None), |(path, options)| (path, Some(options)));
    let server = path.rsplit_once('/').map_or(path, |(server, _)| server);
    let options = options.map(|options| format!("?{options}")).unwrap_or_default();
    format!("{server}/{database}{options}")
}

async fn server() -> &'static Server {
    SERVER.get_or_init(Server::connect).await
}

/// This process's session on the server.
struct Server {
    client: Client,
    /// The session's number, which the server chose.
    run: i32,
    /// The migrated database that is copied.
    template: String,
}

impl Server {
    async fn connect() -> Self {
        let url = variable("FIELDHOUSE_TEST_POSTGRES");
        let mut config: Config = url.parse().expect("FIELDHOUSE_TEST_POSTGRES is an address");
        config.application_name(SESSION);
        let (client, connection) = config.connect(NoTls).await.expect("the server accepts the connection");
        tokio::spawn(connection);
        let row = client.query_one("SELECT pg_backend_pid()", &[]).await.expect("the session has a number");
        let server =
            Self { client, run: row.get(0), template: format!("fieldhouse_template_{}", checksum()) };
        server.run(&format!("SELECT pg_advisory_lock({GUARD})")).await;
        server.drop_leftovers().await;
        server.make_template().await;
        server.run(&format!("SELECT pg_advisory_unlock({GUARD})")).await;
        server
    }

    async fn run(&self, sql: &str) {
        self.client.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    async fn names(&self, sql: &str) -> Vec<String> {
        let rows =
            self.client.query(sql, &[&SESSION]).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        rows.iter().map(|row| row.get(0)).collect()
    }

    async fn drop_database(&self, name: &str) {
        self.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    }

    /// Drops the databases of sessions that have ended, and templates of other migrations if no other session uses them.
    async fn drop_leftovers(&self) {
        for left in self.names(LEFT_BY_CRASHES).await {
            self.drop_database(&left).await;
        }
        for old in self.names(UNUSED_TEMPLATES).await {
            if old != self.template {
                self.run(&format!("ALTER DATABASE {old} IS_TEMPLATE false")).await;
                self.drop_database(&old).await;
            }
        }
    }

    /// Creates the template if it does not exist. It is marked as a template when it is finished.
    async fn make_template(&self) {
        let template = &self.template;
        if self.names(FINISHED_TEMPLATES).await.contains(template) {
            return;
        }
        self.drop_database(template).await;
        self.run(&format!("CREATE DATABASE {template}")).await;
        let url = address("FIELDHOUSE_TEST_POSTGRES", template);
        let store = Store::open(&Options::Postgres { url, root_certificates: None, connections: 1 }).await;
        let store = store.expect("the template opens");
        migrations::run(&store).await.expect("the template is migrated");
        drop(store);
        self.run(&format!("ALTER DATABASE {template} IS_TEMPLATE true")).await;
    }
}

/// The server may have reused a session's number, so only the numbers of other live sessions count. This process has created nothing yet.
const LEFT_BY_CRASHES: &str = r"SELECT datname::text FROM pg_database WHERE datname LIKE 'fieldhouse\_test\_%'
    AND split_part(datname, '_', 3) NOT IN (SELECT pid::text FROM pg_stat_activity
        WHERE application_name = $1 AND pid <> pg_backend_pid())";
const UNUSED_TEMPLATES: &str = r"SELECT datname::text FROM pg_database WHERE datname LIKE 'fieldhouse\_template\_%'
    AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid())";
const FINISHED_TEMPLATES: &str = "SELECT datname::text FROM pg_database WHERE datistemplate AND $1 <> ''";

/// Identifies the migrations of the template.
fn checksum() -> String {
    let mut digest = Sha256::new();
    for migration in migrations::ALL {
        digest.update(migration.sql(Engine::Postgres));
    }
    digest.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn databases() -> Vec<String> {
        let names = finish(async {
            server().await.names("SELECT datname::text FROM pg_database WHERE $1 <> ''").await
        });
        names.expect("the databases are listed")
    }

    #[test]
    fn leftovers_of_crashes_are_dropped_and_databases_in_use_are_kept() {
        let ours = copy();
        let crashed = "fieldhouse_test_2147483647_1";
        finish(async move {
            let server = server().await;
            server.drop_database(crashed).await;
            server.run(&format!("CREATE DATABASE {crashed}")).await;
            let other = Server::connect().await;
            // The second server has a live session while it drops leftovers; so has this process.
            assert_ne!(other.run, server.run);
        })
        .expect("a second process drops leftovers");
        let left = databases();
        assert!(!left.contains(&crashed.to_owned()), "{left:?}");
        assert!(left.contains(&ours.name), "{left:?}");
    }

    #[test]
    fn a_database_is_dropped_with_its_test() {
        let name = copy().name.clone();
        assert!(!databases().contains(&name), "the guard was dropped");
    }

    #[test]
    fn urls_keep_their_options() {
        let ours = copy();
        assert!(ours.url().ends_with(&format!("/{}", ours.name)));
        assert!(ours.url_by_tls().0.ends_with(&format!("/{}?sslmode=require", ours.name)));
    }
}
