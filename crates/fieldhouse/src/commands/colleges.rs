//! `fieldhouse colleges`: the college catalogue, which needs no credential.

use clap::{Args, Subcommand};
use fieldhouse_client::api::colleges::{College, CollegeSearch, Program, ProgramSearch};
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::ids::CollegeId;
use fieldhouse_domain::sports::Sport;

use super::favorites;
use crate::arguments::one_of;
use crate::context::Context;
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Colleges.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Search colleges by name
    Search(SearchOptions),
    /// Search programs by the college's name
    Programs(ProgramOptions),
    /// The programs that you saved
    #[command(subcommand)]
    Favorites(favorites::Options),
}

#[derive(Args)]
pub(crate) struct SearchOptions {
    /// Words, or beginnings of words, of the college's name
    query: Option<String>,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct ProgramOptions {
    /// Words, or beginnings of words, of the college's name
    query: Option<String>,
    /// Only programs of this college
    #[arg(long, value_name = "ID")]
    college: Option<CollegeId>,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
struct Filters {
    /// Only in this state: its two-letter code
    #[arg(long)]
    state: Option<String>,
    /// Only in this athletics division
    #[arg(long)]
    division: Option<String>,
    /// Only with this sport
    #[arg(long)]
    sport: Option<Sport>,
    /// Only for athletes of this gender
    #[arg(long, value_parser = one_of!(ProgramGender))]
    gender: Option<ProgramGender>,
}

const COLLEGES: &[Column<College>] = &[
    ("NAME", Width::Least(16), |it| it.name.clone()),
    ("CITY", Width::Least(12), |it| or_dash(it.city.as_ref())),
    ("STATE", Width::Whole, |it| or_dash(it.state.as_ref())),
    ("DIVISION", Width::Least(16), |it| or_dash(it.division.as_ref())),
    ("STUDENTS", Width::Whole, |it| or_dash(it.enrollment.total)),
    ("UNITID", Width::Whole, |it| it.unitid.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

const PROGRAMS: &[Column<Program>] = &[
    ("COLLEGE", Width::Least(16), |it| it.college.name.clone()),
    ("STATE", Width::Whole, |it| or_dash(it.college.state.as_ref())),
    ("SPORT", Width::Whole, |it| it.sport.clone()),
    ("GENDER", Width::Whole, |it| it.gender.to_string()),
    ("DIVISION", Width::Least(16), |it| or_dash(it.division.as_ref())),
    ("ATHLETES", Width::Whole, |it| or_dash(it.participants)),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Searches the catalogue.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::Search(SearchOptions { query, filters, paging }) => {
            let Filters { state, division, sport, gender } = filters;
            let search = CollegeSearch {
                q: query,
                state,
                division,
                sport,
                gender,
                limit: paging.limit(),
                cursor: None,
            };
            paging.show(context, context.client()?.colleges().search(&search), COLLEGES).await?;
        }
        Options::Programs(ProgramOptions { query, college, filters, paging }) => {
            let Filters { state, division, sport, gender } = filters;
            let search = ProgramSearch {
                q: query,
                college_id: college,
                state,
                division,
                sport,
                gender,
                limit: paging.limit(),
                cursor: None,
            };
            paging.show(context, context.client()?.colleges().programs().search(&search), PROGRAMS).await?;
        }
        Options::Favorites(options) => favorites::run(context, options).await?,
    }
    Ok(())
}
