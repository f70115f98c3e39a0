//! API keys in requests and responses.

use fieldhouse_domain::api_keys::{self, ApiKeyKind, ApiKeyStatus};
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, UserId};
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::api_keys::{IssueApiKey, NewApiKey};

/// An API key's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// The id.
    pub id: ApiKeyId,
    /// What its owner calls it.
    pub name: String,
    /// What it is for.
    pub kind: ApiKeyKind,
    /// What it starts with; not secret.
    pub prefix: String,
    /// Its last four characters.
    pub last4: String,
    /// The role that its owner had when it was issued. The key's effective role is the lower of this and the owner's role now.
    pub role: Role,
    /// The one organization in which it works.
    pub organization_id: OrganizationId,
    /// The owner.
    pub user_id: UserId,
    /// The scopes it is limited to. If empty, it may do everything that its role permits.
    pub scopes: Vec<String>,
    /// The addresses it may be used from. If empty, any address.
    pub allowed_ips: Vec<String>,
    /// The status.
    pub status: ApiKeyStatus,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was last used; updated at most once a minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// A new key: its record, and the key itself, which is shown only once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct IssuedApiKey {
    /// The key, for the header `x-api-key`. It is not stored and cannot be shown again.
    pub key: String,
    /// The record.
    #[serde(flatten)]
    pub record: ApiKey,
}

impl ApiKey {
    /// The record, with its status at `now`.
    pub fn new(organization_id: OrganizationId, key: &api_keys::ApiKey, now: Timestamp) -> Self {
        Self {
            id: key.id,
            name: key.name.to_string(),
            kind: key.kind,
            prefix: format!("{}{}", api_keys::PREFIX, key.public_id),
            last4: key.last4.clone(),
            role: key.role,
            organization_id,
            user_id: key.user_id,
            scopes: key.scopes.iter().map(ToString::to_string).collect(),
            allowed_ips: key.allowed_ips.iter().map(ToString::to_string).collect(),
            status: key.status(now),
            created_at: key.created_at,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
            revoked_at: key.revoked_at,
            updated_at: key.updated_at,
            version: key.version,
        }
    }
}
