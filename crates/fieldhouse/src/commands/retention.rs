//! `fieldhouse retention`: how long the server keeps data that it removes by itself.

use fieldhouse_client::api::service::RetentionRule;

use crate::context::Context;
use crate::output::{Column, Width};

const COLUMNS: &[Column<RetentionRule>] = &[
    ("DAYS", Width::Whole, |it| it.days.to_string()),
    ("AFTER", Width::Whole, |it| it.since.clone()),
    ("DATA", Width::Least(30), |it| it.description.clone()),
];

/// Shows the rules. They are the same for everyone, so that no credential is needed.
pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    let policy = context.client()?.service().retention_policy().await?;
    Ok(context.output.list(&policy.rules, COLUMNS)?)
}
