//! The PostgreSQL server that `cargo xtask bench` has started.

use anyhow::{Context, Result};
use tokio_postgres::{Client, NoTls};

/// The server: its URL without a database.
#[derive(Clone, Debug)]
pub(crate) struct Postgres(pub(crate) String);

/// Connects to a database.
pub(crate) async fn connect(url: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.with_context(|| format!("cannot connect to {url}"))?;
    tokio::spawn(connection);
    Ok(client)
}

impl Postgres {
    /// The URL of a database.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.0.trim_end_matches('/'))
    }

    /// Whether there is a database.
    pub(crate) async fn has(&self, name: &str) -> Result<bool> {
        let client = connect(&self.url("postgres")).await?;
        let found = client.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&name]).await?;
        Ok(found.is_some())
    }

    /// Runs statements that concern all databases, each outside of a transaction.
    pub(crate) async fn run(&self, statements: &[String]) -> Result<()> {
        let client = connect(&self.url("postgres")).await?;
        for statement in statements {
            client.batch_execute(statement).await.with_context(|| statement.clone())?;
        }
        Ok(())
    }

    /// Creates an empty database in place of an earlier one.
    pub(crate) async fn create(&self, name: &str) -> Result<()> {
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        self.run(&[drop, format!("CREATE DATABASE {name}")]).await
    }

    /// Copies a database in place of an earlier copy.
    pub(crate) async fn copy(&self, from: &str, to: &str) -> Result<()> {
        let drop = format!("DROP DATABASE IF EXISTS {to} WITH (FORCE)");
        self.run(&[drop, format!("CREATE DATABASE {to} TEMPLATE {from} STRATEGY FILE_COPY")]).await
    }
}
