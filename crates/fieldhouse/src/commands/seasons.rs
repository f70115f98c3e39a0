//! `fieldhouse seasons`: seasons of the organization.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::request::RecordListQuery;
use fieldhouse_client::api::seasons::{
    ChangeSeason, NewSeason, PurgeSeason, Season, SeasonCounts, SeasonListQuery,
};
use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::seasons::SeasonStatus;
use fieldhouse_domain::sports::Sport;

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, instants, one_of};
use crate::confirm;
use crate::context::Context;
use crate::failure::Failure;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Seasons.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List seasons, latest first
    List(ListOptions),
    /// Show a season
    Show(Target<SeasonId>),
    /// Create a season
    Create(Box<Created<NewSeason>>),
    /// Change a season; options that you leave out change nothing
    Change(Box<ChangeOptions<SeasonId, ChangeSeason>>),
    /// Delete a season that has no division, team or game
    Delete(Target<SeasonId>),
    /// Delete a season with its divisions, teams, games, staff, duties, registrations and rosters
    Purge(PurgeOptions),
    /// List the changes of a season, newest first
    History(HistoryOptions<SeasonId>),
}

#[derive(Args)]
pub(crate) struct PurgeOptions {
    /// The season's id
    id: SeasonId,
    /// Do not ask for confirmation; on a terminal, you are asked after seeing what is deleted
    #[arg(long, short)]
    yes: bool,
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only seasons with this status
    #[arg(long, value_parser = one_of!(SeasonStatus))]
    status: Option<SeasonStatus>,
    /// Only seasons of this sport
    #[arg(long)]
    sport: Option<Sport>,
    /// Only seasons with at least one day in this year
    #[arg(long, value_parser = clap::value_parser!(i16).range(1900..=2199))]
    year: Option<i16>,
    /// Only seasons whose name contains these words or beginnings of words
    #[arg(long, short, value_name = "WORDS")]
    query: Option<String>,
    /// Only records changed since this time; a date means midnight in the organization's time zone. JSON output is then an object with the
    /// changed records in `data` and the deleted ones in `deleted`
    #[arg(long, value_name = "TIME")]
    updated_since: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Season>] = &[
    ("NAME", Width::Least(16), |it| it.name.clone()),
    ("SPORT", Width::Whole, |it| it.sport.clone()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("STARTS", Width::Whole, |it| or_dash(it.starts_on)),
    ("ENDS", Width::Whole, |it| or_dash(it.ends_on)),
    ("DIVISIONS", Width::Whole, |it| it.divisions.len().to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, shows, creates, changes or deletes seasons.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let seasons = client.seasons();
    let season = match options {
        Options::List(options) => return list(context, &client, options).await,
        Options::History(HistoryOptions { id, paging }) => {
            return audit::history(context, &paging, |query| seasons.history(id, query)).await;
        }
        Options::Purge(options) => return purge(context, &client, options).await,
        Options::Delete(Target { id }) => {
            let deleted = seasons.delete(id).await?;
            return Ok(context.output.sentence(&deleted, &format!("Deleted {id}."))?);
        }
        Options::Show(Target { id }) => seasons.read(id).await?,
        Options::Create(fields) => seasons.create(&fields.body).await?,
        Options::Change(options) => seasons.change(options.id, &options.fields.body).await?,
    };
    Ok(context.output.one(&season, COLUMNS)?)
}

/// Shows what would be deleted, asks, and deletes exactly that.
async fn purge(context: &Context, client: &Client, options: PurgeOptions) -> anyhow::Result<()> {
    let PurgeOptions { id, yes } = options;
    let seasons = client.seasons();
    let Season { name, .. } = seasons.read(id).await?;
    let Some((counts, confirm)) = contents(client, id).await? else {
        let next = format!("fieldhouse seasons delete {id}");
        return Err(Failure::new(format!("{name} has no divisions, teams or games")).next(next).into());
    };
    if !yes {
        confirm::agree(&format!("Purge season {name} ({id}) with {}?", counts.in_words()))?;
    }
    let purged = seasons.purge(id, &PurgeSeason { confirm }).await?;
    let counts = purged.counts.in_words();
    Ok(context.output.sentence(&purged, &format!("Deleted {name} with {counts}."))?)
}

/// How many records belong to a season, and the digest that confirms their deletion. `None` if there are none.
async fn contents(client: &Client, id: SeasonId) -> anyhow::Result<Option<(SeasonCounts, String)>> {
    let Err(refused) = client.seasons().delete(id).validate_only().await else { return Ok(None) };
    let more = refused.problem().map(|problem| &problem.more);
    let counts = more.and_then(|more| serde_json::from_value(more.get("counts")?.clone()).ok());
    let digest = more.and_then(|more| more.get("digest")?.as_str().map(str::to_owned));
    counts.zip(digest).map(Some).ok_or_else(|| refused.into())
}

async fn list(context: &Context, client: &Client, options: ListOptions) -> anyhow::Result<()> {
    let ListOptions { status, sport, year, query, updated_since, paging } = options;
    let [updated_since] = instants(client, [updated_since]).await?;
    let records = RecordListQuery { q: query, updated_since, limit: paging.limit(), ..Default::default() };
    let query = SeasonListQuery { status, sport, year, records };
    paging.show(context, client.seasons().list(&query), COLUMNS).await?;
    Ok(())
}
