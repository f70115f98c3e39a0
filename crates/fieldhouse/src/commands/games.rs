//! `fieldhouse games`: upcoming games.

use clap::{Args, Subcommand};
use fieldhouse_client::api::games::{Game, GamesUpcomingQuery, Side};
use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::ids::{SeasonId, TeamId};
use jiff::{SignedDuration, Timestamp};

use crate::arguments::{When, instants, one_of};
use crate::clock;
use crate::context::Context;
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// Games.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List upcoming games, soonest first
    Upcoming(UpcomingOptions),
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
    /// Only games of this season
    #[arg(long, value_name = "ID")]
    season: Option<SeasonId>,
    /// Only games with this status
    #[arg(long, value_parser = one_of!(GameStatus))]
    status: Option<GameStatus>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Game>] = &[
    ("STARTS", Width::Whole, start),
    ("HOME", Width::Least(12), |it| side(it.home.as_ref())),
    ("AWAY", Width::Least(12), away),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("VENUE", Width::Least(12), |it| or_dash(it.venue.as_ref().map(|venue| &venue.name))),
    ("ROUND", Width::Least(8), |it| or_dash(it.round.as_ref())),
    ("TIME ZONE", Width::Whole, |it| it.time_zone.clone()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// The number of days in the list without --to, as in the contract.
const DAYS: i64 = 30;

/// Lists upcoming games.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let Options::Upcoming(UpcomingOptions { from, to, team, season, status, paging }) = options;
    let client = context.signed_in()?;
    let [from, to] = instants(&client, [from, to]).await?;
    let query = GamesUpcomingQuery {
        from,
        to,
        team_id: team,
        season_id: season,
        status,
        limit: paging.limit(),
        cursor: None,
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
    if game.kind == GameKind::Bye { "(bye)".to_owned() } else { side(game.away.as_ref()) }
}

fn side(side: Option<&Side>) -> String {
    or_dash(side.map(|side| match side.score {
        Some(score) => format!("{} {score}", side.name),
        None => side.name.clone(),
    }))
}
