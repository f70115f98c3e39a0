//! `fieldhouse standings`: the table of a season or a division.

use clap::Args;
use fieldhouse_client::api::seasons::SeasonDivision;
use fieldhouse_client::api::standings::{SHEET, Standings, StandingsQuery, StandingsRow};
use fieldhouse_client::{Client, Error};
use fieldhouse_domain::ids::{DivisionId, SeasonId};

use crate::context::Context;
use crate::output::{Column, Width, note, or_dash};

#[derive(Args)]
pub(crate) struct Options {
    /// The season's id
    season: SeasonId,
    /// Only teams and games of this division; without it, each division has a table, and JSON and CSV have one of all teams
    #[arg(long, value_name = "ID")]
    division: Option<DivisionId>,
}

const COLUMNS: &[Column<StandingsRow>] = &[
    ("RANK", Width::Whole, |it| it.rank.to_string()),
    ("TEAM", Width::Least(16), |it| it.team.name.clone()),
    ("PLAYED", Width::Whole, |it| it.played.to_string()),
    ("WON", Width::Whole, |it| it.won.to_string()),
    ("DRAWN", Width::Whole, |it| it.drawn.to_string()),
    ("LOST", Width::Whole, |it| it.lost.to_string()),
    ("FOR", Width::Whole, |it| it.scored.to_string()),
    ("AGAINST", Width::Whole, |it| it.conceded.to_string()),
    ("POINTS", Width::Whole, |it| it.points.to_string()),
    ("DECIDED BY", Width::Whole, |it| or_dash(it.decided_by)),
    ("TEAM ID", Width::Whole, |it| it.team.id.to_string()),
];

/// Shows the standings.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let is_table = !context.output.is_json() && !context.output.is_csv();
    if is_table && options.division.is_none() {
        let divisions = client.seasons().read(options.season).await?.divisions;
        if divisions.len() > 1 {
            return by_division(context, &client, options.season, &divisions).await;
        }
    }
    let standings = read(&client, options.season, options.division).await?;
    if context.output.is_json() {
        return Ok(context.output.json(&standings)?);
    }
    if context.output.is_csv() {
        return Ok(context.output.csv(SHEET, &serde_json::json!({"data": standings}))?);
    }
    context.output.list(&standings.rows, COLUMNS)?;
    note_excluded(standings.excluded_games);
    Ok(())
}

/// Shows a table for each division: a rank among teams that do not play each other means nothing.
async fn by_division(
    context: &Context,
    client: &Client,
    season: SeasonId,
    divisions: &[SeasonDivision],
) -> anyhow::Result<()> {
    let (mut tables, mut excluded) = (Vec::new(), 0);
    for division in divisions {
        let standings = read(client, season, Some(division.id)).await?;
        excluded += standings.excluded_games;
        tables.push((division.name.clone(), standings.rows));
    }
    context.output.tables(&tables, COLUMNS)?;
    note_excluded(excluded);
    Ok(())
}

async fn read(
    client: &Client,
    season: SeasonId,
    division_id: Option<DivisionId>,
) -> Result<Standings, Error> {
    client.seasons().standings(season, &StandingsQuery { division_id, format: None }).await
}

fn note_excluded(games: i64) {
    if games > 0 {
        note(&format!("Games that are over and do not count: {games}."));
    }
}
