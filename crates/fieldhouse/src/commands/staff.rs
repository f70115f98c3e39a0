//! `fieldhouse staff`: staff of teams.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_client::api::staff::{ChangeStaff, NewStaff, Staff};
use fieldhouse_domain::ids::{StaffId, TeamId};
use fieldhouse_domain::staff::StaffKind;
use jiff::civil::Date;

use crate::arguments::one_of;
use crate::context::Context;
use crate::fields::ChangeOptions;
use crate::listing::Paging;
use crate::member::UserRef;
use crate::output::{Column, Width, or_dash};

/// Staff of teams.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the staff of a team
    List(ListOptions),
    /// Propose a member as staff of a team; another manager has to confirm it
    Add(AddOptions),
    /// Change a staff entry; options that you leave out change nothing
    Change(EditOptions),
    /// Confirm a proposed staff entry, as a second person
    Confirm(Place),
    /// Remove a staff entry
    Remove(Place),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// The team's id
    team: TeamId,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct AddOptions {
    /// The team's id
    team: TeamId,
    #[command(flatten)]
    who: UserRef,
    /// What they do for the team
    #[arg(long, value_parser = one_of!(StaffKind))]
    kind: StaffKind,
    /// The first day, such as 2026-05-01
    #[arg(long, value_name = "DATE")]
    starts_on: Option<Date>,
    /// The last day
    #[arg(long, value_name = "DATE")]
    ends_on: Option<Date>,
}

#[derive(Args)]
pub(crate) struct EditOptions {
    /// The team's id
    team: TeamId,
    #[command(flatten)]
    change: ChangeOptions<StaffId, ChangeStaff>,
}

#[derive(Args)]
pub(crate) struct Place {
    /// The team's id
    team: TeamId,
    /// The entry's id
    id: StaffId,
}

const COLUMNS: &[Column<Staff>] = &[
    ("NAME", Width::Least(16), |it| it.user.name.clone()),
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("STATE", Width::Whole, |it| it.state.to_string()),
    ("STARTS", Width::Whole, |it| or_dash(it.starts_on)),
    ("ENDS", Width::Whole, |it| or_dash(it.ends_on)),
    ("USER", Width::Whole, |it| it.user.id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, adds, changes, confirms or removes staff.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let staff = client.staff();
    let entry = match options {
        Options::List(ListOptions { team, paging }) => {
            let query = ListQuery { limit: paging.limit(), cursor: None };
            return paging.show(context, staff.list(team, &query), COLUMNS).await.map(drop);
        }
        Options::Remove(Place { team, id }) => {
            let removed = staff.remove(team, id).await?;
            return Ok(context.output.sentence(&removed, &format!("Removed {id}."))?);
        }
        Options::Add(options) => staff.add(options.team, &proposed(&client, options).await?).await?,
        Options::Change(EditOptions { team, change: ChangeOptions { id, fields } }) => {
            staff.change(team, id, &fields.body).await?
        }
        Options::Confirm(Place { team, id }) => staff.confirm(team, id).await?,
    };
    Ok(context.output.one(&entry, COLUMNS)?)
}

async fn proposed(client: &Client, options: AddOptions) -> anyhow::Result<NewStaff> {
    let AddOptions { who, kind, starts_on, ends_on, .. } = options;
    let user_id = who.id(client).await?;
    Ok(NewStaff { user_id, kind, starts_on, ends_on })
}
