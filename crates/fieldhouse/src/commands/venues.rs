//! `fieldhouse venues`: the places where games are played.

use clap::{Args, Subcommand};
use fieldhouse_client::api::request::RecordListQuery;
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::venues::{ChangeVenue, NewVenue, Venue};

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, instants};
use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Venues.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List venues by name
    List(ListOptions),
    /// Show a venue
    Show(Target<VenueId>),
    /// Create a venue
    Create(Created<NewVenue>),
    /// Change a venue; options that you leave out change nothing
    Change(ChangeOptions<VenueId, ChangeVenue>),
    /// Delete a venue that no game refers to
    Delete(Target<VenueId>),
    /// List the changes of a venue, newest first
    History(HistoryOptions<VenueId>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only venues whose name contains these words or prefixes of words
    #[arg(long, short, value_name = "WORDS")]
    query: Option<String>,
    /// Only venues changed since this time; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    updated_since: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Venue>] = &[
    ("NAME", Width::Least(16), |it| it.name.to_string()),
    ("ADDRESS", Width::Least(16), |it| or_dash(it.address.as_ref())),
    ("TIME ZONE", Width::Whole, |it| it.time_zone.to_string()),
    ("FIELDS", Width::Least(8), |it| it.fields.iter().map(Name::as_str).collect::<Vec<_>>().join(", ")),
    ("LATITUDE", Width::Whole, |it| or_dash(it.latitude)),
    ("LONGITUDE", Width::Whole, |it| or_dash(it.longitude)),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, shows, creates, changes or deletes venues.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let venues = client.venues();
    let venue = match options {
        Options::List(ListOptions { query: q, updated_since, paging }) => {
            let [updated_since] = instants(&client, [updated_since]).await?;
            let query =
                RecordListQuery { q, updated_since, limit: paging.limit(), ..RecordListQuery::default() };
            return paging.show(context, venues.list(&query), COLUMNS).await.map(drop);
        }
        Options::History(HistoryOptions { id, paging }) => {
            return audit::history(context, &paging, |query| venues.history(id, query)).await;
        }
        Options::Delete(Target { id }) => {
            let deleted = venues.delete(id).await?;
            return Ok(context.output.sentence(&deleted, &format!("Deleted {id}."))?);
        }
        Options::Show(Target { id }) => venues.read(id).await?,
        Options::Create(fields) => venues.create(&fields.body).await?,
        Options::Change(ChangeOptions { id, fields }) => venues.change(id, &fields.body).await?,
    };
    Ok(context.output.one(&venue, COLUMNS)?)
}
