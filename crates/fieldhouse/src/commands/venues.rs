//! `fieldhouse venues`: the places where games are played.

use clap::{Args, Subcommand};
use fieldhouse_client::api::request::RecordListQuery;
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::text::{Address, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::{ChangeVenue, NewVenue, Venue};

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, change, degrees, instants, value};
use crate::context::Context;
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
    Create(CreateOptions),
    /// Change a venue; options that you leave out change nothing
    Change(ChangeOptions),
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
    /// Only records changed since this time; a date means midnight in the organization's time zone. JSON output is then an object with the
    /// changed records in `data` and the deleted ones in `deleted`
    #[arg(long, value_name = "TIME")]
    updated_since: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct Details {
    /// The postal address
    #[arg(long)]
    address: Option<Address>,
    /// Degrees north, -90 to 90
    #[arg(long, value_name = "DEGREES", value_parser = degrees, allow_negative_numbers = true)]
    latitude: Option<f64>,
    /// Degrees east, -180 to 180
    #[arg(long, value_name = "DEGREES", value_parser = degrees, allow_negative_numbers = true)]
    longitude: Option<f64>,
    /// The name of a court, field or rink; can be repeated. The names replace the current list
    #[arg(long = "field", value_name = "NAME")]
    fields: Vec<Name>,
}

#[derive(Args)]
pub(crate) struct CreateOptions {
    /// The name
    #[arg(long)]
    name: Name,
    /// The IANA time zone, such as Australia/Melbourne
    #[arg(long, value_name = "ZONE", value_parser = value::<TimeZoneName>)]
    time_zone: TimeZoneName,
    #[command(flatten)]
    details: Details,
}

#[derive(Args)]
pub(crate) struct ChangeOptions {
    /// The record's id
    id: VenueId,
    /// The name
    #[arg(long)]
    name: Option<Name>,
    /// The IANA time zone, such as Australia/Melbourne
    #[arg(long, value_name = "ZONE", value_parser = value::<TimeZoneName>)]
    time_zone: Option<TimeZoneName>,
    #[command(flatten)]
    details: Details,
    /// A field to empty; can be repeated
    #[arg(long, value_parser = ["address", "latitude", "longitude", "fields"])]
    clear: Vec<String>,
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
        Options::Create(options) => venues.create(&options.body()).await?,
        Options::Change(options) => venues.change(options.id, &options.body()).await?,
    };
    Ok(context.output.one(&venue, COLUMNS)?)
}

impl CreateOptions {
    fn body(self) -> NewVenue {
        let Details { address, latitude, longitude, fields } = self.details;
        NewVenue { name: self.name, address, latitude, longitude, time_zone: self.time_zone, fields }
    }
}

impl ChangeOptions {
    fn body(self) -> ChangeVenue {
        let clear = |field: &str| self.clear.iter().any(|cleared| cleared == field);
        let Details { address, latitude, longitude, fields } = self.details;
        ChangeVenue {
            name: self.name,
            address: change(address, clear("address")),
            latitude: change(latitude, clear("latitude")),
            longitude: change(longitude, clear("longitude")),
            time_zone: self.time_zone,
            fields: (!fields.is_empty() || clear("fields")).then_some(fields),
        }
    }
}
