//! `fieldhouse privacy-requests`: requests of families to export, correct or erase a child's data.

use std::pin::pin;

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::privacy_requests::{
    NewPrivacyDecision, NewPrivacyRequest, PrivacyDecision, PrivacyRequest, PrivacyRequestKind,
};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::PrivacyRequestId;
use futures_util::TryStreamExt;

use crate::confirm;
use crate::context::Context;
use crate::fields::Created;
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// Requests about children's data.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List your requests, or as an admin all of the organization, newest first
    List(ListOptions),
    /// Request a copy of a child's data, its correction or its erasure, as a guardian or as the child
    Create(CreateOptions),
    /// Decide a request, as an admin who did not create it
    ///
    /// An erasure that is granted erases the child at once, and cannot be undone.
    Decide(DecideOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct CreateOptions {
    #[command(flatten)]
    request: Created<NewPrivacyRequest>,
}

#[derive(Args)]
pub(crate) struct DecideOptions {
    /// The request's id
    id: PrivacyRequestId,
    #[command(flatten)]
    decision: Created<NewPrivacyDecision>,
    /// Do not ask for confirmation before a child is erased
    #[arg(long, short)]
    yes: bool,
}

const COLUMNS: &[Column<PrivacyRequest>] = &[
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("STATE", Width::Whole, |it| it.state.to_string()),
    ("CHILD", Width::Whole, |it| it.child_id.to_string()),
    ("DUE", Width::Whole, |it| it.due_at.to_string()),
    ("DECIDED", Width::Whole, |it| or_dash(it.decided_at)),
    ("DETAILS", Width::Least(14), |it| or_dash(it.details.as_ref())),
    ("REASON", Width::Least(14), |it| or_dash(it.reason.as_ref())),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, creates or decides privacy requests.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let requests = client.privacy_requests();
    let (request, next) = match options {
        Options::List(ListOptions { paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, requests.list(&query), COLUMNS).await.map(drop);
        }
        Options::Create(CreateOptions { request }) => {
            let next = "An admin has to decide it with `fieldhouse privacy-requests decide`. The owners are told by mail.";
            (requests.create(&request.body).await?, Some(next))
        }
        Options::Decide(options) => {
            if !options.yes && options.decision.body.decision == PrivacyDecision::Granted {
                confirm_erasure(&client, options.id).await?;
            }
            (requests.decide(options.id, &options.decision.body).await?, None)
        }
    };
    context.output.one(&request, COLUMNS)?;
    next.into_iter().for_each(note);
    Ok(())
}

/// Asks before a child is erased.
async fn confirm_erasure(client: &Client, id: PrivacyRequestId) -> anyhow::Result<()> {
    let query = ListQuery { limit: Some(100), ..ListQuery::default() };
    let requests = client.privacy_requests();
    let mut pages = pin!(requests.list(&query).pages());
    while let Some(page) = pages.try_next().await? {
        if let Some(request) = page.data.into_iter().find(|request| request.id == id) {
            if request.kind == PrivacyRequestKind::Erasure {
                confirm::agree(&format!("Erase the child {} for good?", request.child_id))?;
            }
            return Ok(());
        }
    }
    Ok(())
}
