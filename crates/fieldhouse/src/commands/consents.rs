//! `fieldhouse children consents`: what a child or its guardians consent to.

use clap::{Args, Subcommand};
use fieldhouse_client::api::consents::{Consent, NewConsent};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, ConsentId};

use crate::context::Context;
use crate::fields::Created;
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Consents about a child.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the consents about a child, newest first
    List(ListOptions),
    /// Give consent to a purpose, as a guardian, or as the child from 16 years on
    Grant(GrantOptions),
    /// Withdraw a consent; it ends at once
    Withdraw(Place),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// The child's id
    child: ChildId,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct GrantOptions {
    /// The child's id
    child: ChildId,
    #[command(flatten)]
    consent: Created<NewConsent>,
}

#[derive(Args)]
pub(crate) struct Place {
    /// The child's id
    child: ChildId,
    /// The consent's id
    id: ConsentId,
}

const COLUMNS: &[Column<Consent>] = &[
    ("PURPOSE", Width::Whole, |it| it.purpose.to_string()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("METHOD", Width::Whole, |it| it.method.to_string()),
    ("NOTICE", Width::Whole, |it| it.notice_version.clone()),
    ("GIVEN", Width::Whole, |it| it.granted_at.to_string()),
    ("ENDS", Width::Whole, |it| or_dash(it.expires_at)),
    ("WITHDRAWN", Width::Whole, |it| or_dash(it.withdrawn_at)),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, gives or withdraws consents.
pub(super) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let consents = client.consents();
    let consent = match options {
        Options::List(ListOptions { child, paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, consents.list(child, &query), COLUMNS).await.map(drop);
        }
        Options::Grant(GrantOptions { child, consent }) => consents.grant(child, &consent.body).await?,
        Options::Withdraw(Place { child, id }) => consents.withdraw(child, id).await?,
    };
    context.output.one(&consent, COLUMNS)?;
    Ok(())
}
