//! `fieldhouse break-glass-grants`: opening some data of a child in an emergency.

use clap::{Args, Subcommand};
use fieldhouse_client::api::break_glass::{BreakGlassGrant, NewBreakGlassGrant, NewReview, ReviewOutcome};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::BreakGlassGrantId;
use fieldhouse_domain::text::Reason;

use crate::arguments::{Target, one_of, value};
use crate::context::Context;
use crate::fields::Created;
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// Opening some data of a child in an emergency, for an hour.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List your break-glass grants (all of them, for leads and admins), newest first
    List(ListOptions),
    /// Open a child's contact and medical data to yourself for an hour; the guardians are told at once
    Create(Created<NewBreakGlassGrant>),
    /// End a grant before its time
    End(Target<BreakGlassGrantId>),
    /// Review a grant of someone else, as a safeguarding lead or an admin
    Review(ReviewOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct ReviewOptions {
    /// The grant's id
    id: BreakGlassGrantId,
    /// Whether there was an emergency
    #[arg(long, value_parser = one_of!(ReviewOutcome))]
    outcome: ReviewOutcome,
    /// A note about the review
    #[arg(long, value_parser = value::<Reason>)]
    note: Option<Reason>,
}

const COLUMNS: &[Column<BreakGlassGrant>] = &[
    ("NAME", Width::Least(14), |it| it.user.name.clone()),
    ("WHY", Width::Whole, |it| it.reason_code.to_string()),
    ("REASON", Width::Least(14), |it| it.reason.clone()),
    ("STARTED", Width::Whole, |it| it.starts_at.to_string()),
    ("ENDS", Width::Whole, |it| it.ended_at.unwrap_or(it.ends_at).to_string()),
    ("GUARDIANS TOLD", Width::Whole, |it| or_dash(it.told_at)),
    ("REVIEW", Width::Whole, |it| or_dash(it.review.as_ref().map(|review| review.outcome))),
    ("CHILD", Width::Whole, |it| it.child_id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, creates, ends or reviews break-glass grants.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let grants = context.signed_in()?.break_glass_grants();
    let mut next = None;
    let grant = match options {
        Options::List(ListOptions { paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, grants.list(&query), COLUMNS).await.map(drop);
        }
        Options::Create(fields) => {
            next = Some(
                "Read it with `fieldhouse children contact show` and `fieldhouse children medical show`.",
            );
            grants.create(&fields.body).await?
        }
        Options::End(Target { id }) => grants.end(id).await?,
        Options::Review(ReviewOptions { id, outcome, note }) => {
            grants.review(id, &NewReview { outcome, note }).await?
        }
    };
    context.output.one(&grant, COLUMNS)?;
    next.into_iter().for_each(note);
    Ok(())
}
