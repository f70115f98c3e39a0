//! `fieldhouse children restrictions`: what closes a child's data, such as a custody order.

use clap::{Args, Subcommand};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_client::api::restrictions::{NewRestriction, Restriction};
use fieldhouse_domain::ids::{ChildId, RestrictionId};

use super::audit::HistoryOptions;
use crate::arguments::Target;
use crate::context::Context;
use crate::fields::Created;
use crate::output::{Column, Width, or_dash};

/// Restrictions on a child's data, for safeguarding leads.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the restrictions on a child's data, newest first
    List(HistoryOptions<ChildId>),
    /// Enter a restriction, such as a custody order; it takes effect at once
    Enter(EnterOptions),
    /// Lift a restriction
    Lift(Target<RestrictionId>),
}

#[derive(Args)]
pub(crate) struct EnterOptions {
    /// The child's id
    child: ChildId,
    #[command(flatten)]
    restriction: Created<NewRestriction>,
}

const COLUMNS: &[Column<Restriction>] = &[
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("FOR", Width::Least(14), |it| it.user.as_ref().map_or("everyone".to_owned(), |user| user.name.clone())),
    ("CLOSES", Width::Least(14), closes),
    ("SINCE", Width::Whole, |it| it.starts_at.to_string()),
    ("LIFTED", Width::Whole, |it| or_dash(it.lifted_at)),
    ("REASON", Width::Least(14), |it| it.reason.clone()),
    ("DOCUMENT", Width::Least(14), |it| or_dash(it.document_ref.as_ref())),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn closes(restriction: &Restriction) -> String {
    let classes: Vec<_> = restriction.classes.iter().map(ToString::to_string).collect();
    if classes.is_empty() { "everything".to_owned() } else { classes.join(" ") }
}

/// Lists, enters or lifts restrictions.
pub(super) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let restrictions = context.signed_in()?.restrictions();
    let restriction = match options {
        Options::List(HistoryOptions { id, paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, restrictions.list(id, &query), COLUMNS).await.map(drop);
        }
        Options::Enter(EnterOptions { child, restriction }) => {
            restrictions.enter(child, &restriction.body).await?
        }
        Options::Lift(Target { id }) => restrictions.lift(id).await?,
    };
    context.output.one(&restriction, COLUMNS)?;
    Ok(())
}
