//! `fieldhouse games`: games and byes.

use clap::{Args, Subcommand};
use fieldhouse_client::api::games::{
    Game, GameListQuery, GameMoveQuery, GamePatch, GameResult, GamesUpcomingQuery, NewGame,
};
use fieldhouse_client::api::request::ValidateOnly;
use fieldhouse_client::{Client, ETag};
use fieldhouse_domain::games::{GameKind, GameSort, GameStatus};
use fieldhouse_domain::ids::{ChildId, DivisionId, GameId, SeasonId, TeamId, VenueId};
use fieldhouse_domain::text::Name;
use jiff::{SignedDuration, Timestamp};

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, instants, one_of};
use crate::clock;
use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::narrow::SCORE;
use crate::output::{Column, Width, note, or_dash};

/// Games.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List upcoming games, soonest first
    Upcoming(UpcomingOptions),
    /// List games by start, past and future
    List(Box<ListOptions>),
    /// Show a game
    Show(Target<GameId>),
    /// Create a game or a bye
    Create(Box<CreateOptions>),
    /// Change a game; options that you leave out change nothing
    Change(Box<MoveOptions>),
    /// Enter the result of a game; coaches can for teams that they are staff of
    Result(Box<ChangeOptions<GameId, GameResult>>),
    /// Delete a game
    Delete(Target<GameId>),
    /// List the changes of a game, newest first
    History(HistoryOptions<GameId>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Games from this time on; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    from: Option<When>,
    /// Games before this time or date, at most 366 days later
    #[arg(long, value_name = "TIME")]
    to: Option<When>,
    /// Only games of this season
    #[arg(long, value_name = "ID")]
    season: Option<SeasonId>,
    /// Only games of this division
    #[arg(long, value_name = "ID")]
    division: Option<DivisionId>,
    /// Only games of this team
    #[arg(long, value_name = "ID")]
    team: Option<TeamId>,
    /// Only games at this venue
    #[arg(long, value_name = "ID")]
    venue: Option<VenueId>,
    /// Only games with this status
    #[arg(long, value_parser = one_of!(GameStatus))]
    status: Option<GameStatus>,
    /// Only games of the round with this name, such as "Round 1"
    #[arg(long, value_name = "NAME")]
    round: Option<Name>,
    /// The order
    #[arg(long, allow_hyphen_values = true, value_parser = one_of!(GameSort))]
    sort: Option<GameSort>,
    /// Only games changed since this time; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    updated_since: Option<When>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct CreateOptions {
    /// Create it even if it overlaps with other games
    #[arg(long)]
    allow_overlap: bool,
    #[command(flatten)]
    fields: Created<NewGame>,
}

#[derive(Args)]
pub(crate) struct MoveOptions {
    /// Change it even if it overlaps with other games
    #[arg(long)]
    allow_overlap: bool,
    #[command(flatten)]
    change: ChangeOptions<GameId, GamePatch>,
}

#[derive(Args)]
pub(crate) struct UpcomingOptions {
    /// Games from this time on; a date means midnight in the organization's time zone [default: now]
    #[arg(long, value_name = "TIME")]
    from: Option<When>,
    /// Games before this time or date, at most 180 days later [default: 30 days later]
    #[arg(long, value_name = "TIME")]
    to: Option<When>,
    /// Only games of this team
    #[arg(long, value_name = "ID")]
    team: Option<TeamId>,
    /// Only games of your children's teams, and of the teams that you are staff of
    #[arg(long, conflicts_with = "child")]
    mine: bool,
    /// Only games of the teams of this child
    #[arg(long, value_name = "ID")]
    child: Option<ChildId>,
    /// Only games of this season
    #[arg(long, value_name = "ID")]
    season: Option<SeasonId>,
    /// Only games with this status
    #[arg(long, value_parser = one_of!(GameStatus))]
    status: Option<GameStatus>,
    #[command(flatten)]
    paging: Paging,
}

pub(super) const COLUMNS: &[Column<Game>] = &[
    ("STARTS", Width::Whole, start),
    ("HOME", Width::Least(14), |it| or_dash(it.home.as_ref().map(|side| &side.name))),
    ("AWAY", Width::Least(14), away),
    (SCORE, Width::Whole, score),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("VENUE", Width::Least(12), |it| or_dash(it.venue.as_ref().map(|venue| &venue.name))),
    ("ROUND", Width::Least(8), |it| or_dash(it.round.as_ref())),
    ("TIME ZONE", Width::Whole, |it| it.time_zone.clone()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// The number of days in the list without --to, as in the contract.
const DAYS: i64 = 30;

/// Lists, shows, creates, changes or deletes games.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let games = client.games();
    let game = match options {
        Options::Upcoming(options) => return upcoming(context, &client, options).await,
        Options::List(options) => return list(context, &client, *options).await,
        Options::History(HistoryOptions { id, paging }) => {
            return audit::history(context, &paging, |query| games.history(id, query)).await;
        }
        Options::Delete(Target { id }) => {
            let version = version(&client, id).await?;
            let deleted = games.delete(id).if_match(&version).await?;
            return Ok(context.output.sentence(&deleted, &format!("Deleted {id}."))?);
        }
        Options::Result(options) => {
            let version = version(&client, options.id).await?;
            games.enter_result(options.id, &options.fields.body).if_match(&version).await?
        }
        Options::Show(Target { id }) => games.read(id).await?,
        Options::Create(options) => {
            games.create(&options.fields.body).query(&overlapping(options.allow_overlap)).await?
        }
        Options::Change(options) => {
            let ChangeOptions { id, fields } = options.change;
            let version = version(&client, id).await?;
            let call = games.change(id, &fields.body).query(&overlapping(options.allow_overlap));
            call.if_match(&version).await?
        }
    };
    Ok(context.output.one(&game, COLUMNS)?)
}

fn overlapping(allow: bool) -> ValidateOnly<GameMoveQuery> {
    ValidateOnly { validate_only: None, own: GameMoveQuery { allow_overlap: allow.then_some(true) } }
}

/// The version of a game, which its changes have to name.
async fn version(client: &Client, id: GameId) -> anyhow::Result<ETag> {
    let read = client.games().read(id).versioned().await?;
    read.etag.ok_or_else(|| anyhow::anyhow!("the server sent no version of {id}"))
}

async fn list(context: &Context, client: &Client, options: ListOptions) -> anyhow::Result<()> {
    let ListOptions { from, to, updated_since, paging, .. } = options;
    let [from, to, updated_since] = instants(client, [from, to, updated_since]).await?;
    let query = GameListQuery {
        from,
        to,
        season_id: options.season,
        division_id: options.division,
        team_id: options.team,
        venue_id: options.venue,
        status: options.status,
        round: options.round,
        sort: options.sort,
        updated_since,
        limit: paging.limit(),
        ..Default::default()
    };
    paging.show(context, client.games().list(&query), COLUMNS).await.map(drop)
}

async fn upcoming(context: &Context, client: &Client, options: UpcomingOptions) -> anyhow::Result<()> {
    let UpcomingOptions { from, to, team, mine, child, season, status, paging } = options;
    let [from, to] = instants(client, [from, to]).await?;
    let query = GamesUpcomingQuery {
        from,
        to,
        team_id: team,
        child_id: child,
        mine: mine.then_some(true),
        season_id: season,
        status,
        limit: paging.limit(),
        ..Default::default()
    };
    let whole = paging.show(context, client.games().upcoming(&query), COLUMNS).await?;
    if whole && to.is_none() {
        let end = context.output.time(end(from.unwrap_or_else(clock::now)));
        note(&format!(
            "These are the games of the next {DAYS} days, until {end}. --to DATE lists later ones."
        ));
    }
    Ok(())
}

/// The end of the list, which is noted so that it is not taken for the whole season.
fn end(from: Timestamp) -> Timestamp {
    from.saturating_add(SignedDuration::from_hours(DAYS * 24)).unwrap_or(Timestamp::MAX)
}

/// The start in the venue's local time.
fn start(game: &Game) -> String {
    let day = game.local_start.strftime("%a %F");
    if game.time_tbd { format!("{day} TBD") } else { format!("{day} {}", game.local_start.strftime("%R")) }
}

/// The away side; a bye has none.
fn away(game: &Game) -> String {
    if game.kind == GameKind::Bye {
        "(bye)".to_owned()
    } else {
        or_dash(game.away.as_ref().map(|side| &side.name))
    }
}

/// The scores, home first, such as 3-1.
fn score(game: &Game) -> String {
    let sides = [&game.home, &game.away].map(|side| side.as_ref().and_then(|side| side.score));
    if sides == [None, None] {
        return "-".to_owned();
    }
    let [home, away] = sides.map(|score| score.map_or_else(|| "?".to_owned(), |score| score.to_string()));
    format!("{home}-{away}")
}
