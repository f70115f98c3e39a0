//! The service itself in requests and responses: whether it runs and whether it can serve requests.

use fieldhouse_domain::retention::Retained;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The process runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: String,
    /// The server's version.
    pub version: String,
}

/// The server can serve requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Always `ready`; otherwise the response is 503.
    pub status: String,
    /// The kind of database behind it: `sqlite` or `postgresql`.
    pub engine: String,
}

/// How long the server keeps data that it removes by itself. Other data stays until someone deletes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetentionPolicy {
    /// The rules. The server's purge runs each of them at least once an hour.
    pub rules: Vec<RetentionRule>,
}

/// How long one kind of data is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetentionRule {
    /// The data.
    pub data: Retained,
    /// What it is, in words.
    pub description: String,
    /// For how many days it is kept.
    pub days: i64,
    /// From when on.
    pub since: String,
}

impl RetentionPolicy {
    /// The policy of this server.
    pub fn of_server() -> Self {
        let rule = |retained: &Retained| RetentionRule {
            data: *retained,
            description: retained.docs().to_owned(),
            days: retained.life().as_hours() / 24,
            since: retained.since().to_owned(),
        };
        Self { rules: Retained::ALL.iter().map(rule).collect() }
    }
}

/// An OpenAPI 3.1 document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct OpenApiDocument(pub serde_json::Value);
