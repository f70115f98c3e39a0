//! `fieldhouse teams`: teams of seasons.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::request::RecordListQuery;
use fieldhouse_client::api::teams::{ScheduleQuery, TeamListQuery};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::ids::{DivisionId, SeasonId, TeamId};
use fieldhouse_domain::teams::{ChangeTeam, NewTeam, Team, TeamSort};

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, instants, one_of};
use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Teams.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List teams by name
    List(ListOptions),
    /// Show a team
    Show(Target<TeamId>),
    /// Create a team
    Create(Created<NewTeam>),
    /// Change a team; options that you leave out change nothing
    Change(ChangeOptions<TeamId, ChangeTeam>),
    /// Delete a team without games, staff, duties and children
    Delete(Target<TeamId>),
    /// List the games of a team by start, past and future
    Schedule(ScheduleOptions),
    /// List the changes of a team, newest first
    History(HistoryOptions<TeamId>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only teams of this season
    #[arg(long, value_name = "ID")]
    season: Option<SeasonId>,
    /// Only teams of this division
    #[arg(long, value_name = "ID")]
    division: Option<DivisionId>,
    /// Only teams whose name contains these words or prefixes of words
    #[arg(long, short, value_name = "WORDS")]
    query: Option<String>,
    /// The order
    #[arg(long, allow_hyphen_values = true, value_parser = one_of!(TeamSort))]
    sort: Option<TeamSort>,
    /// Only teams changed since this time; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    updated_since: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct ScheduleOptions {
    /// The team's id
    id: TeamId,
    /// Games from this time on; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    from: Option<When>,
    /// Games before this time or date
    #[arg(long, value_name = "TIME")]
    to: Option<When>,
    /// Only games with this status
    #[arg(long, value_parser = one_of!(GameStatus))]
    status: Option<GameStatus>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Team>] = &[
    ("NAME", Width::Least(16), |it| it.name.to_string()),
    ("SHORT NAME", Width::Least(8), |it| or_dash(it.short_name.as_ref())),
    ("DIVISION", Width::Whole, |it| it.division_id.to_string()),
    ("SEASON", Width::Whole, |it| it.season_id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, shows, creates, changes or deletes teams.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let teams = client.teams();
    let team = match options {
        Options::List(options) => return list(context, &client, options).await,
        Options::Schedule(options) => return schedule(context, &client, options).await,
        Options::History(HistoryOptions { id, paging }) => {
            return audit::history(context, &paging, |query| teams.history(id, query)).await;
        }
        Options::Delete(Target { id }) => {
            let deleted = teams.delete(id).await?;
            return Ok(context.output.sentence(&deleted, &format!("Deleted {id}."))?);
        }
        Options::Show(Target { id }) => teams.read(id).await?,
        Options::Create(fields) => teams.create(&fields.body).await?,
        Options::Change(ChangeOptions { id, fields }) => teams.change(id, &fields.body).await?,
    };
    Ok(context.output.one(&team, COLUMNS)?)
}

async fn list(context: &Context, client: &Client, options: ListOptions) -> anyhow::Result<()> {
    let [updated_since] = instants(client, [options.updated_since]).await?;
    let limit = options.paging.limit();
    let records = RecordListQuery { q: options.query, updated_since, limit, ..Default::default() };
    let query = TeamListQuery {
        season_id: options.season,
        division_id: options.division,
        sort: options.sort,
        records,
    };
    options.paging.show(context, client.teams().list(&query), COLUMNS).await?;
    Ok(())
}

async fn schedule(context: &Context, client: &Client, options: ScheduleOptions) -> anyhow::Result<()> {
    let [from, to] = instants(client, [options.from, options.to]).await?;
    let (status, limit) = (options.status, options.paging.limit());
    let query = ScheduleQuery { from, to, status, limit, ..Default::default() };
    let call = client.teams().schedule(options.id, &query);
    options.paging.show(context, call, super::games::COLUMNS).await.map(drop)
}
