//! `fieldhouse admin api-keys`: keys for scripts, servers and agents.

use std::net::IpAddr;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::api_keys::{ApiKey, IssueApiKey, NewApiKey};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::ids::ApiKeyId;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::text::Name;
use jiff::{SignedDuration, Timestamp};

use crate::arguments::{When, instants, one_of, value};
use crate::clock;
use crate::context::Context;
use crate::listing::Paging;
use crate::output::{self, Column, Width, note, or_dash};

/// API keys.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Create a key; it is shown only once
    Create(CreateOptions),
    /// List your keys, newest first; admins see all keys of the organization
    List(Paging),
    /// Revoke a key; requests with it are refused from then on
    Revoke {
        /// The key's id, as in `list`
        id: ApiKeyId,
    },
}

#[derive(Args)]
pub(crate) struct CreateOptions {
    /// The key's name
    #[arg(long)]
    name: Name,
    /// Days until the key expires, at most 366 [default: 90]
    #[arg(long, value_name = "N", conflicts_with = "expires_at", value_parser = clap::value_parser!(u16).range(1..=366))]
    expires_in_days: Option<u16>,
    /// When the key expires; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    expires_at: Option<When>,
    /// What the key may access, as resource:read or resource:write; can be repeated [default: everything that your role permits]
    #[arg(long = "scope", value_name = "SCOPE", value_parser = value::<Scope>)]
    scopes: Vec<Scope>,
    /// An IP address from which the key may be used; can be repeated [default: any]
    #[arg(long = "allowed-ip", value_name = "ADDRESS")]
    allowed_ips: Vec<IpAddr>,
    /// Who uses the key; an agent's key writes only through changesets
    #[arg(long, value_parser = one_of!(ApiKeyKind))]
    kind: Option<ApiKeyKind>,
}

const COLUMNS: &[Column<ApiKey>] = &[
    ("NAME", Width::Least(12), |it| it.name.clone()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("EXPIRES", Width::Whole, |it| it.expires_at.to_string()),
    ("ROLE", Width::Whole, |it| it.role.to_string()),
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("KEY", Width::Whole, |it| format!("{}...{}", it.prefix, it.last4)),
    ("LAST USED", Width::Whole, |it| or_dash(it.last_used_at)),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Creates, lists or revokes keys.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    match options {
        Options::Create(options) => create(context, &client, options).await,
        Options::List(paging) => {
            let query = ListQuery { limit: paging.limit(), cursor: None };
            paging.show(context, client.api_keys().list(&query), COLUMNS).await?;
            Ok(())
        }
        Options::Revoke { id } => {
            let revoked = client.api_keys().revoke(id).await?;
            Ok(context.output.sentence(&revoked, &format!("Revoked {id}."))?)
        }
    }
}

/// Standard output contains only the key, so that a script can store it; the rest goes to standard error.
async fn create(context: &Context, client: &Client, options: CreateOptions) -> anyhow::Result<()> {
    let [expires_at] = instants(client, [options.expires_at]).await?;
    let body = options.body(expires_at)?;
    let issued = client.api_keys().create(&body).await?;
    if context.output.is_json() {
        context.output.json(&issued)?;
    } else {
        output::line(&issued.key)?;
        note(&format!(
            "Created {} ({}), valid until {}.",
            issued.record.name,
            issued.record.id,
            context.output.time(issued.record.expires_at)
        ));
    }
    note("Save the key now. It will not be shown again.");
    Ok(())
}

impl CreateOptions {
    fn body(self, expires_at: Option<Timestamp>) -> anyhow::Result<IssueApiKey> {
        let in_days = self.expires_in_days.map(|days| {
            let life = SignedDuration::from_hours(i64::from(days) * 24);
            clock::now().checked_add(life).context("the date is out of range")
        });
        let key = NewApiKey {
            kind: self.kind.unwrap_or(ApiKeyKind::Personal),
            scopes: self.scopes,
            allowed_ips: self.allowed_ips,
            ..NewApiKey::new(self.name)
        };
        Ok(IssueApiKey { key, expires_at: in_days.transpose()?.or(expires_at) })
    }
}
