//! `fieldhouse undo`: undoes a changeset, an entry of the audit log, or what an API key did.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use fieldhouse_client::api::changesets::{NewChangeset, UndoOf};
use fieldhouse_domain::ids::{ApiKeyId, ChangesetId, EntryId};
use fieldhouse_domain::text::Reason;

use super::changesets;
use crate::arguments::{When, instants, value};
use crate::context::Context;

#[derive(Args)]
pub(crate) struct Options {
    /// The id of a changeset (`chg_...`) or of an entry of the audit log (`aud_...`)
    #[arg(required_unless_present = "key", conflicts_with = "key", value_name = "ID")]
    of: Option<Of>,
    /// Propose to undo what this API key did
    #[arg(long, value_name = "ID", requires = "since")]
    key: Option<ApiKeyId>,
    /// Since when; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME", requires = "key")]
    since: Option<When>,
    /// Only propose the undo
    #[arg(long)]
    propose: bool,
    /// Why
    #[arg(long, value_parser = value::<Reason>)]
    reason: Option<Reason>,
}

/// What is undone.
#[derive(Clone, Copy, Debug)]
enum Of {
    Changeset(ChangesetId),
    Entry(EntryId),
}

impl FromStr for Of {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entry = || text.parse().map(Self::Entry);
        text.parse()
            .map(Self::Changeset)
            .or_else(|_| entry())
            .map_err(|_| "write the id of a changeset (chg_...) or of an entry of the audit log (aud_...)")
    }
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changeset(id) => id.fmt(f),
            Self::Entry(id) => id.fmt(f),
        }
    }
}

/// Undoes a changeset at once if possible, and proposes everything else.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let Options { of, key, since, propose, reason } = options;
    let undo = match of {
        Some(Of::Changeset(id)) => return changesets::undo(context, &client, (id, propose), reason).await,
        Some(Of::Entry(entry)) => UndoOf { entry: Some(entry), ..UndoOf::default() },
        None => {
            let [since] = instants(&client, [since]).await?;
            UndoOf { key_id: key, since, ..UndoOf::default() }
        }
    };
    let new = NewChangeset { title: None, reason, operations: None, undo: Some(undo), drift_policy: None };
    let proposed = client.changesets().create(&new).await?;
    let simulated = client.changesets().simulate(proposed.id).await?;
    changesets::show_proposed(context, &simulated)
}
