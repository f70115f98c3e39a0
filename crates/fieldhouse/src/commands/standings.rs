//! `fieldhouse standings`: the table of a season or a division.

use clap::Args;
use fieldhouse_client::api::standings::{SHEET, StandingsQuery, StandingsRow};
use fieldhouse_domain::ids::{DivisionId, SeasonId};

use crate::context::Context;
use crate::output::{Column, Width, note, or_dash};

#[derive(Args)]
pub(crate) struct Options {
    /// The season's id
    season: SeasonId,
    /// Only teams and games of this division
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
    ("ID", Width::Whole, |it| it.team.id.to_string()),
];

/// Shows the standings.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let query = StandingsQuery { division_id: options.division, format: None };
    let standings = context.signed_in()?.seasons().standings(options.season, &query).await?;
    if context.output.is_json() {
        return Ok(context.output.json(&standings)?);
    }
    if context.output.is_csv() {
        return Ok(context.output.csv(SHEET, &serde_json::json!({"data": standings}))?);
    }
    context.output.list(&standings.rows, COLUMNS)?;
    if standings.excluded_games > 0 {
        note(&format!("Games that are over and do not count: {}.", standings.excluded_games));
    }
    Ok(())
}
