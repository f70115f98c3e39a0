//! `fieldhouse changesets watch`: waits for a state.

use std::time::Duration;

use clap::Args;
use fieldhouse_client::Client;
use fieldhouse_client::api::changesets::{Changeset, ChangesetState};
use fieldhouse_domain::ids::ChangesetId;

use crate::arguments::{count, one_of};
use crate::failure::Failure;
use crate::progress;

#[derive(Args)]
pub(crate) struct Options {
    /// The changeset's id
    id: ChangesetId,
    /// Wait for this state [default: any other than the present one]
    #[arg(long = "for", value_name = "STATE", value_parser = one_of!(ChangesetState))]
    state: Option<ChangesetState>,
    /// How often to look, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = count::<std::num::NonZeroU32>)]
    every: std::num::NonZeroU32,
}

/// Waits until the changeset has the state, and returns it. Fails if it can no longer get there.
pub(super) async fn run(client: &Client, options: Options) -> anyhow::Result<Changeset> {
    let Options { id, state: wanted, every } = options;
    let first = client.changesets().read(id).await?.state;
    let message = |state: ChangesetState| {
        let until = wanted.map(|wanted| format!(", waiting for {wanted}")).unwrap_or_default();
        format!("{id} is {state}{until}")
    };
    let spinner = progress::spinner(progress::ELAPSED, message(first));
    loop {
        let changeset = client.changesets().read(id).await?;
        let state = changeset.state;
        spinner.set_message(message(state));
        let is_there = wanted.map_or(state != first || !state.is_open(), |wanted| state == wanted);
        if is_there || !state.is_open() {
            spinner.finish_and_clear();
            if is_there {
                return Ok(changeset);
            }
            let what = format!("it is {state}, and its state does not change any more");
            return Err(Failure::new(what).next(format!("fieldhouse changesets events {id}")).into());
        }
        tokio::time::sleep(Duration::from_secs(every.get().into())).await;
    }
}
