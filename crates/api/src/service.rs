//! The service itself in requests and responses: whether it runs and whether it can serve requests.

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

/// An OpenAPI 3.1 document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct OpenApiDocument(pub serde_json::Value);
