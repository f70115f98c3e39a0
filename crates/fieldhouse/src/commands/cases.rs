//! `fieldhouse safeguarding-cases`: safeguarding cases, which open some data of the children whom they name.

use clap::{Args, Subcommand};
use fieldhouse_client::api::cases::{CloseSafeguardingCase, NewSafeguardingCase, SafeguardingCase};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::SafeguardingCaseId;
use fieldhouse_domain::text::Reason;

use crate::arguments::{Target, value};
use crate::context::Context;
use crate::fields::Created;
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// Safeguarding cases, for safeguarding leads. Admins confirm them.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List safeguarding cases, newest first
    List(ListOptions),
    /// Show a safeguarding case
    Show(Target<SafeguardingCaseId>),
    /// Propose a case; it opens nothing until a second person has confirmed it
    Open(Created<NewSafeguardingCase>),
    /// Confirm a case, as a second person: it is open for 90 days from now
    Confirm(Target<SafeguardingCaseId>),
    /// Close a case; then the families see who has read the children's data for it
    Close(CloseOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct CloseOptions {
    /// The case's id
    id: SafeguardingCaseId,
    /// How it was closed; do not name a child
    #[arg(long, value_parser = value::<Reason>)]
    note: Option<Reason>,
}

const COLUMNS: &[Column<SafeguardingCase>] = &[
    ("TITLE", Width::Least(14), |it| it.title.clone()),
    ("STATE", Width::Whole, |it| it.state.to_string()),
    ("OPENED", Width::Whole, |it| it.opened_at.to_string()),
    ("ENDS", Width::Whole, |it| or_dash(it.ends_at)),
    ("CLOSED", Width::Whole, |it| or_dash(it.closed_at)),
    ("NOTE", Width::Least(14), |it| or_dash(it.note.as_ref())),
    ("CHILDREN", Width::Whole, |it| listed(&it.child_ids)),
    ("LEADS", Width::Whole, |it| listed(&it.lead_ids)),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn listed(ids: &[impl ToString]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Lists, shows, proposes, confirms or closes safeguarding cases.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let cases = context.signed_in()?.safeguarding_cases();
    let mut next = None;
    let case = match options {
        Options::List(ListOptions { paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, cases.list(&query), COLUMNS).await.map(drop);
        }
        Options::Show(Target { id }) => cases.read(id).await?,
        Options::Open(fields) => {
            next = Some(
                "An admin or another lead has to confirm it with `fieldhouse safeguarding-cases confirm`.",
            );
            cases.open(&fields.body).await?
        }
        Options::Confirm(Target { id }) => cases.confirm(id).await?,
        Options::Close(CloseOptions { id, note }) => cases.close(id, &CloseSafeguardingCase { note }).await?,
    };
    context.output.one(&case, COLUMNS)?;
    next.into_iter().for_each(note);
    Ok(())
}
