//! `fieldhouse colleges favorites`: saved college programs of the caller or a child; without a credential, those of the guest whose token is
//! stored.

use clap::{ArgGroup, Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::favorites::{
    ChangeFavorite, CustomProgram, Favorite, FavoriteExportQuery, FavoriteListQuery, FavoriteOrder,
    FavoriteSave, RecordOrList, SHEET,
};
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::favorites::{Fit, Notes, Stage, WrittenGender};
use fieldhouse_domain::ids::{ChildId, FavoriteId, ProgramId};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{Name, State, Tag};

use crate::arguments::one_of;
use crate::context::Context;
use crate::failure::Failure;
use crate::fields::ChangeOptions;
use crate::output::{Column, Width, note, or_dash};

/// Saved programs.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List saved programs in their order
    List(WhoseOptions),
    /// Save a program
    Add(Box<AddOptions>),
    /// Change the details of a saved program; options that you leave out change nothing
    Change(ChangeOptions<FavoriteId, ChangeFavorite>),
    /// Put saved programs at the top of your list
    Order {
        /// The programs' ids in their new order, as in `list`; the others follow in their order
        #[arg(required = true)]
        ids: Vec<FavoriteId>,
        #[command(flatten)]
        whose: WhoseOptions,
    },
    /// Print the whole list as CSV with every field
    Export(WhoseOptions),
    /// Remove a saved program
    Remove {
        /// The program's id, as in `list`
        id: FavoriteId,
    },
    /// Add to your list the programs that were saved on this machine without signing in
    Claim,
}

#[derive(Args)]
pub(crate) struct WhoseOptions {
    /// The list of this child, which its family shares; by default, your own
    #[arg(long, value_name = "ID")]
    child_id: Option<ChildId>,
}

#[derive(Args)]
#[command(group = ArgGroup::new("which").required(true).args(["program", "unitid", "custom"]))]
pub(crate) struct AddOptions {
    /// A program of the catalogue
    #[arg(long, value_name = "ID", conflicts_with_all = ["sport", "gender", "state"])]
    program: Option<ProgramId>,
    /// A college of the catalogue by its UNITID, with --sport and --gender
    #[arg(long, value_name = "N", requires_all = ["sport", "gender"], conflicts_with = "state")]
    unitid: Option<i64>,
    /// A college that is not in the catalogue, with --sport
    #[arg(long, value_name = "NAME", requires = "sport")]
    custom: Option<Name>,
    /// The sport
    #[arg(long)]
    sport: Option<Sport>,
    /// The program's gender: men, women, coed or unknown
    #[arg(long)]
    gender: Option<WrittenGender>,
    /// The state of a college that is not in the catalogue
    #[arg(long)]
    state: Option<State>,
    /// Notes; you must be signed in
    #[arg(long)]
    notes: Option<Notes>,
    /// How far you are in recruiting
    #[arg(long, value_parser = one_of!(Stage))]
    stage: Option<Stage>,
    /// How likely you are to get a place
    #[arg(long, value_parser = one_of!(Fit))]
    fit: Option<Fit>,
    /// Your interest, 1 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=5))]
    interest: Option<i64>,
    /// A tag; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<Tag>,
    #[command(flatten)]
    whose: WhoseOptions,
}

const COLUMNS: &[Column<Favorite>] = &[
    ("RANK", Width::Whole, |it| it.rank.to_string()),
    ("COLLEGE", Width::Least(16), |it| it.program.college_name.clone()),
    ("STATE", Width::Whole, |it| or_dash(it.program.state.as_ref())),
    ("SPORT", Width::Whole, |it| it.program.sport.clone()),
    ("GENDER", Width::Whole, |it| it.program.gender.to_string()),
    ("STAGE", Width::Whole, |it| it.stage.to_string()),
    ("FIT", Width::Whole, |it| it.fit.to_string()),
    ("INTEREST", Width::Whole, |it| or_dash(it.interest)),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

impl WhoseOptions {
    fn query(&self) -> FavoriteListQuery {
        FavoriteListQuery { child_id: self.child_id, ..FavoriteListQuery::default() }
    }
}

/// Lists, saves, changes, orders, exports, removes or claims programs.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::List(whose) => list(context, &whose).await,
        Options::Add(options) => add(context, *options).await,
        Options::Change(ChangeOptions { id, fields }) => {
            let changed = context.client()?.colleges().favorites().change(id, &fields.body).await?;
            Ok(context.output.one(&changed, COLUMNS)?)
        }
        Options::Order { ids, whose } => order(context, &ids, &whose).await,
        Options::Export(whose) => export(context, &whose).await,
        Options::Remove { id } => {
            let removed = context.client()?.colleges().favorites().remove(id).await?;
            Ok(context.output.sentence(&removed, &removed.message)?)
        }
        Options::Claim => claim(context).await,
    }
}

// The server returns the whole list, which is short.
async fn list(context: &Context, whose: &WhoseOptions) -> anyhow::Result<()> {
    let page = context.client()?.colleges().favorites().list(&whose.query()).await?;
    Ok(context.output.list(&page.data, COLUMNS)?)
}

async fn add(context: &Context, options: AddOptions) -> anyhow::Result<()> {
    let client: Client = context.client()?;
    let saved = client.colleges().favorites().add(&options.body()).await?;
    context.keep_guest(&client)?;
    if !saved.meta.created {
        note("It was already saved; nothing was changed.");
    }
    match saved.data {
        RecordOrList::Record(record) if context.output.is_json() => Ok(context.output.json(&record)?),
        RecordOrList::Record(record) => Ok(context.output.list(&[*record], COLUMNS)?),
        RecordOrList::List(records) => Ok(context.output.list(&records, COLUMNS)?),
    }
}

async fn order(context: &Context, ids: &[FavoriteId], whose: &WhoseOptions) -> anyhow::Result<()> {
    let favorites = context.client()?.colleges().favorites();
    let listed = favorites.list(&whose.query()).await?.data;
    let others = listed.iter().map(|favorite| favorite.id).filter(|id| !ids.contains(id));
    let ids = ids.iter().copied().chain(others).collect();
    let order = FavoriteOrder { child_id: whose.child_id, ids };
    let page = favorites.order(&order).await?;
    Ok(context.output.list(&page.data, COLUMNS)?)
}

async fn export(context: &Context, whose: &WhoseOptions) -> anyhow::Result<()> {
    let query = FavoriteExportQuery { child_id: whose.child_id, ..FavoriteExportQuery::default() };
    let page = context.client()?.colleges().favorites().export(&query).await?;
    if context.output.is_json() {
        return Ok(context.output.json(&page.data)?);
    }
    Ok(context.output.csv(SHEET, &serde_json::json!({"data": page.data}))?)
}

async fn claim(context: &Context) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    if client.guest_token().is_none() {
        return Err(Failure::new("no programs were saved without signing in").into());
    }
    let claimed = client.colleges().favorites().claim().await?;
    context.remove_guest()?;
    let sentence = format!("Added: {}. Already saved: {}.", claimed.copied, claimed.merged);
    Ok(context.output.sentence(&claimed, &sentence)?)
}

impl AddOptions {
    fn body(self) -> FavoriteSave {
        let child_id = self.whose.child_id;
        let tags = (!self.tags.is_empty()).then(|| self.tags.into_iter().collect());
        let details = ChangeFavorite {
            stage: self.stage,
            fit: self.fit,
            interest: self.interest.map(Some),
            notes: self.notes.map(Some),
            tags,
        };
        match (self.custom, self.sport) {
            (Some(college_name), Some(sport)) => {
                let gender = self.gender.unwrap_or(WrittenGender(ProgramGender::Unknown));
                let custom = CustomProgram { college_name, state: self.state, sport, gender };
                FavoriteSave { child_id, custom: Some(custom), details, ..FavoriteSave::default() }
            }
            (_, sport) => FavoriteSave {
                child_id,
                program_id: self.program,
                unitid: self.unitid,
                sport,
                gender: self.gender,
                details,
                ..FavoriteSave::default()
            },
        }
    }
}
