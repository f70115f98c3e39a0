//! `fieldhouse organization`: the caller's organization.

use clap::Subcommand;
use fieldhouse_client::api::organization::{ChangeOrganization, Organization};

use super::audit;
use crate::context::Context;
use crate::fields::Flags;
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// The caller's organization.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Show your organization
    Show,
    /// Change its name, short name, country or time zone; games keep their own time zones
    Change(Flags<ChangeOrganization, true>),
    /// List its changes, newest first
    History(Paging),
}

const COLUMNS: &[Column<Organization>] = &[
    ("NAME", Width::Least(14), |it| it.name.to_string()),
    ("SHORT NAME", Width::Whole, |it| it.slug.to_string()),
    ("COUNTRY", Width::Whole, |it| or_dash(it.country.as_ref())),
    ("TIME ZONE", Width::Whole, |it| it.time_zone.to_string()),
    ("CREATED", Width::Whole, |it| it.created_at.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Shows or changes the organization.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let group = context.signed_in()?.organization();
    let organization = match options {
        Options::History(paging) => {
            return audit::history(context, &paging, |query| group.history(query)).await;
        }
        Options::Show => group.read().await?,
        Options::Change(fields) => group.change(&fields.body).await?,
    };
    Ok(context.output.one(&organization, COLUMNS)?)
}
