//! `fieldhouse changesets diff`: what a changeset does to each record, in colour on a terminal.

use fieldhouse_client::Client;
use fieldhouse_client::api::changesets::{ChangesetEffect, text};
use fieldhouse_domain::ids::ChangesetId;

use crate::clock;
use crate::context::Context;
use crate::output::{Column, Width};

const EFFECTS: &[Column<ChangesetEffect>] = &[
    ("VERB", Width::Whole, |it| it.verb.clone()),
    ("KIND", Width::Whole, |it| it.kind.name().to_owned()),
    ("CAUSE", Width::Whole, |it| it.cause.to_string()),
    ("PATCH", Width::Least(16), |it| serde_json::Value::from(it.patch.clone()).to_string()),
    ("ID", Width::Whole, |it| it.id.clone()),
];

/// Prints the diff of the latest simulation.
pub(super) async fn run(context: &Context, client: &Client, id: ChangesetId) -> anyhow::Result<()> {
    let diff = client.changesets().diff(id).await?;
    if context.output.is_csv() {
        return Ok(context.output.list(&diff.effects, EFFECTS)?);
    }
    if context.output.is_json() {
        return Ok(context.output.json(&diff)?);
    }
    let simulation = client.changesets().impact(id).await?;
    let lines = text::diff(&diff, &simulation, clock::now());
    Ok(context.output.lines(&diff, &lines)?)
}
