//! `fieldhouse divisions`: divisions (grades) of seasons.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::divisions::DivisionListQuery;
use fieldhouse_client::api::request::RecordListQuery;
use fieldhouse_domain::divisions::{ChangeDivision, Division, NewDivision};
use fieldhouse_domain::ids::{DivisionId, SeasonId};

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, instants};
use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Divisions.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List divisions by name
    List(ListOptions),
    /// Show a division
    Show(Target<DivisionId>),
    /// Create a division
    Create(Created<NewDivision>),
    /// Change a division; options that you leave out change nothing
    Change(ChangeOptions<DivisionId, ChangeDivision>),
    /// Delete a division without teams, games and registrations
    Delete(Target<DivisionId>),
    /// List the changes of a division, newest first
    History(HistoryOptions<DivisionId>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only divisions of this season
    #[arg(long, value_name = "ID")]
    season: Option<SeasonId>,
    /// Only divisions whose name contains these words or prefixes of words
    #[arg(long, short, value_name = "WORDS")]
    query: Option<String>,
    /// Only divisions changed since this time; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    updated_since: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Division>] = &[
    ("NAME", Width::Least(16), |it| it.name.to_string()),
    ("AGE GROUP", Width::Whole, |it| or_dash(it.age_group.as_ref())),
    ("GENDER", Width::Whole, |it| or_dash(it.gender)),
    ("SEASON", Width::Whole, |it| it.season_id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, shows, creates, changes or deletes divisions.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let divisions = client.divisions();
    let division = match options {
        Options::List(options) => return list(context, &client, options).await,
        Options::History(HistoryOptions { id, paging }) => {
            return audit::history(context, &paging, |query| divisions.history(id, query)).await;
        }
        Options::Delete(Target { id }) => {
            let deleted = divisions.delete(id).await?;
            return Ok(context.output.sentence(&deleted, &format!("Deleted {id}."))?);
        }
        Options::Show(Target { id }) => divisions.read(id).await?,
        Options::Create(fields) => divisions.create(&fields.body).await?,
        Options::Change(ChangeOptions { id, fields }) => divisions.change(id, &fields.body).await?,
    };
    Ok(context.output.one(&division, COLUMNS)?)
}

async fn list(context: &Context, client: &Client, options: ListOptions) -> anyhow::Result<()> {
    let [updated_since] = instants(client, [options.updated_since]).await?;
    let limit = options.paging.limit();
    let records = RecordListQuery { q: options.query, updated_since, limit, ..Default::default() };
    let query = DivisionListQuery { season_id: options.season, records };
    options.paging.show(context, client.divisions().list(&query), COLUMNS).await?;
    Ok(())
}
