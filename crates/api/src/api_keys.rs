//! API keys on the wire.

use std::net::IpAddr;

use fieldhouse_domain::Refusal;
use fieldhouse_domain::api_keys::{self, ApiKeyKind, ApiKeyStatus, NewApiKey};
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, UserId};
use fieldhouse_domain::refusal::Check;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::text::Name;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An API key's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// The id.
    pub id: ApiKeyId,
    /// What its owner calls it.
    pub name: String,
    /// Whom it is for.
    pub kind: ApiKeyKind,
    /// What it starts with; not secret.
    pub prefix: String,
    /// Its last four characters.
    pub last4: String,
    /// The role that its owner had when it was issued; the key never reaches beyond it, nor beyond the owner's role now.
    pub role: Role,
    /// The one organization in which it works.
    pub organization_id: OrganizationId,
    /// Whose key it is.
    pub user_id: UserId,
    /// What it may touch; empty: whatever its role may.
    pub scopes: Vec<String>,
    /// The addresses from which it may be used; empty: any.
    pub allowed_ips: Vec<String>,
    /// Whether it can be used.
    pub status: ApiKeyStatus,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// A key that was just issued: its record, and the key itself, which is shown this once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct IssuedApiKey {
    /// The key, for the header `x-api-key`. It is not kept and cannot be shown again.
    pub key: String,
    /// The record.
    #[serde(flatten)]
    pub record: ApiKey,
}

/// A key to be issued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApiKeyCreate {
    /// What to call it: 1 to 200 characters.
    pub name: String,
    /// Whom it is for; `personal` unless said otherwise. An agent's key reads, and writes only through changesets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ApiKeyKind>,
    /// What it may touch, as `resource:read` or `resource:write`; empty: whatever its role may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The addresses from which it may be used; empty: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_ips: Option<Vec<String>>,
    /// When it ends; in 90 days unless said otherwise, in 366 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// How many scopes or addresses a key may name.
const MOST_NAMED: usize = 50;

impl ApiKeyCreate {
    /// The domain's command.
    pub fn command(&self) -> Result<NewApiKey, Refusal> {
        let mut check = Check::default();
        let name = check.field("/name", Name::parse(&self.name));
        let mut scopes = Vec::new();
        for (at, text) in named(&mut check, "/scopes", self.scopes.as_deref()) {
            scopes.extend(check.field(&format!("/scopes/{at}"), Scope::parse(text)));
        }
        scopes.sort_unstable();
        scopes.dedup();
        // In the form in which a request's address is known: an IPv4 address mapped to IPv6 is the same address.
        let mut allowed_ips: Vec<IpAddr> = Vec::new();
        for (at, text) in named(&mut check, "/allowed_ips", self.allowed_ips.as_deref()) {
            match text.parse::<IpAddr>() {
                Ok(address) => allowed_ips.push(address.to_canonical()),
                Err(_) => check.refuse(
                    &format!("/allowed_ips/{at}"),
                    "not_an_address",
                    "is not an IP address",
                    "write an address such as 203.0.113.7",
                ),
            }
        }
        check.finish(name.map(|name| NewApiKey {
            name,
            kind: self.kind.unwrap_or(ApiKeyKind::Personal),
            scopes,
            allowed_ips,
            expires_at: self.expires_at,
        }))
    }
}

fn named<'a>(check: &mut Check, pointer: &str, texts: Option<&'a [String]>) -> Vec<(usize, &'a str)> {
    let texts = texts.unwrap_or_default();
    if texts.len() > MOST_NAMED {
        check.refuse(pointer, "too_many", format!("names {}", texts.len()), "name at most 50");
    }
    texts.iter().take(MOST_NAMED).map(String::as_str).enumerate().collect()
}

impl ApiKey {
    /// The record as it is at `now`.
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
