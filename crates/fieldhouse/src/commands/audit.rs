//! `fieldhouse admin audit`: who changed what, and whether the log is intact.

use std::str::FromStr;

use clap::{Args, Subcommand};
use fieldhouse_client::Call;
use fieldhouse_client::api::audit::{AuditLogQuery, Entry};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_client::api::{Op, Page};
use fieldhouse_domain::ids::{ApiKeyId, InvalidId, UserId};
use fieldhouse_server::operator;
use fieldhouse_store::ledger::Verdict;
use fieldhouse_store::organizations;
use serde_json::json;

use crate::arguments::{When, instants};
use crate::context::Context;
use crate::database::Database;
use crate::failure::Failure;
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// The audit log.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List changes in the organization, newest first
    List(ListOptions),
    /// Verify that no entry was altered, on the server's machine; stop the server first if it uses the embedded database
    Verify(VerifyOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only changes by this user
    #[arg(long, value_name = "ID")]
    actor: Option<UserId>,
    /// Only changes by this API key
    #[arg(long, value_name = "ID")]
    key_id: Option<ApiKeyId>,
    /// Only changes through this operation, such as seasons.change
    #[arg(long)]
    operation: Option<String>,
    /// Only changes of this record
    #[arg(long, value_name = "ID")]
    record_id: Option<String>,
    /// Only changes at this time or later; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Only changes before this time
    #[arg(long, value_name = "TIME")]
    until: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct VerifyOptions {
    /// The organization's slug, as in `fieldhouse whoami`
    #[arg(long, value_name = "SLUG")]
    organization: String,
    #[command(flatten)]
    database: Database,
}

const COLUMNS: &[Column<Entry>] = &[
    ("AT", Width::Whole, |it| it.at.to_string()),
    ("WHO", Width::Least(12), |it| or_dash(it.actor.name.clone())),
    ("OPERATION", Width::Whole, |it| it.operation.clone()),
    ("RECORDS", Width::Whole, |it| it.effects.len().to_string()),
    ("REASON", Width::Least(8), |it| or_dash(it.reason.clone())),
    ("ENTRY", Width::Whole, |it| it.id.to_string()),
];

/// The changes of one record.
#[derive(Args)]
pub(crate) struct HistoryOptions<I: FromStr<Err = InvalidId> + Clone + Send + Sync + 'static> {
    /// The record's id
    pub(crate) id: I,
    #[command(flatten)]
    pub(crate) paging: Paging,
}

/// Lists the changes of one record.
pub(crate) async fn history<O: Op<Answer = Page<Entry>>>(
    context: &Context,
    paging: &Paging,
    call: impl FnOnce(&ListQuery) -> Call<O>,
) -> anyhow::Result<()> {
    let query = ListQuery { limit: paging.limit(), cursor: None };
    paging.show(context, call(&query), COLUMNS).await?;
    Ok(())
}

/// Lists or verifies the audit log.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::List(options) => list(context, options).await,
        Options::Verify(options) => verify(context, options).await,
    }
}

async fn list(context: &Context, options: ListOptions) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let [since, until] = instants(&client, [options.since, options.until]).await?;
    let query = AuditLogQuery {
        actor: options.actor,
        key_id: options.key_id,
        operation: options.operation,
        record_id: options.record_id,
        since,
        until,
        limit: options.paging.limit(),
        cursor: None,
    };
    options.paging.show(context, client.audit().list(&query), COLUMNS).await?;
    Ok(())
}

async fn verify(context: &Context, options: VerifyOptions) -> anyhow::Result<()> {
    let opened = options.database.open_existing().await?;
    let store = &opened.store;
    let organization =
        organizations::by_slug(&mut &*store, &options.organization).await?.ok_or_else(|| {
            Failure::new(format!("the organization {} does not exist", options.organization))
                .next("use its slug, as in `fieldhouse whoami`")
        })?;
    match operator::verify_audit_log(store, organization).await? {
        Verdict::Intact { entries, cleared } => {
            let result = json!({ "intact": true, "entries": entries, "cleared_effects": cleared });
            let sentence = format!(
                "The audit log is intact. Entries: {entries}. Effects with cleared images: {cleared}."
            );
            Ok(context.output.sentence(&result, &sentence)?)
        }
        Verdict::Altered { seq, id, what } => {
            let id = id.map(|id| format!(" ({id})")).unwrap_or_default();
            let next = "compare the database with a backup that was taken before the change";
            Err(Failure::new(format!("entry {seq} of the audit log{id} {what}")).next(next).into())
        }
    }
}
