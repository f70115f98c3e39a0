//! `fieldhouse roster`: children in teams.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_client::api::rosters::{ChangeRosterEntry, NewRosterEntry, RosterEntry, RosterQuery};
use fieldhouse_domain::ids::{RosterEntryId, TeamId};
use jiff::civil::Date;

use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::{MORE, Paging};
use crate::output::{Column, Width, note, or_dash};

/// The roster of a team.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the children of a team whom a relation opens to you, by name
    List(ListOptions),
    /// Add a child to a team, as the registrar of its season
    Add(AddOptions),
    /// Change a roster entry, or end it with its last day; options that you leave out change nothing
    Change(EditOptions),
    /// Remove a roster entry that has not begun
    Remove(Place),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// The team's id
    team: TeamId,
    /// The day, such as 2026-05-01 [default: today]
    #[arg(long, value_name = "DATE")]
    on: Option<Date>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct AddOptions {
    /// The team's id
    team: TeamId,
    #[command(flatten)]
    fields: Created<NewRosterEntry>,
}

#[derive(Args)]
pub(crate) struct EditOptions {
    /// The team's id
    team: TeamId,
    #[command(flatten)]
    change: ChangeOptions<RosterEntryId, ChangeRosterEntry>,
}

#[derive(Args)]
pub(crate) struct Place {
    /// The team's id
    team: TeamId,
    /// The entry's id
    id: RosterEntryId,
}

const COLUMNS: &[Column<RosterEntry>] = &[
    ("NUMBER", Width::Whole, |it| or_dash(it.jersey_number)),
    ("NAME", Width::Least(16), |it| it.child.display_name.clone()),
    ("POSITION", Width::Whole, |it| or_dash(it.position.as_ref())),
    ("STARTS", Width::Whole, |it| it.starts_on.to_string()),
    ("ENDS", Width::Whole, |it| or_dash(it.ends_on)),
    ("CHILD", Width::Whole, |it| it.child.id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, adds, changes or removes roster entries.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let roster = client.roster();
    let entry = match options {
        Options::List(options) => return list(context, &client, options).await,
        Options::Remove(Place { team, id }) => {
            let removed = roster.remove(team, id).await?;
            return Ok(context.output.sentence(&removed, &format!("Removed {id}."))?);
        }
        Options::Add(AddOptions { team, fields }) => roster.add(team, &fields.body).await?,
        Options::Change(EditOptions { team, change: ChangeOptions { id, fields } }) => {
            roster.change(team, id, &fields.body).await?
        }
    };
    Ok(context.output.one(&entry, COLUMNS)?)
}

async fn list(context: &Context, client: &Client, options: ListOptions) -> anyhow::Result<()> {
    let ListOptions { team, on, paging } = options;
    let page = ListQuery { limit: paging.limit(), cursor: None };
    let mut query = RosterQuery { on, page };
    let mut roster = client.roster().list(team, &query).await?;
    while paging.is_all() && roster.page.has_more {
        query.page.cursor = roster.page.next_cursor.take();
        let next = client.roster().list(team, &query).await?;
        roster.data.extend(next.data);
        roster.page = next.page;
    }
    context.output.list(&roster.data, COLUMNS)?;
    if roster.page.has_more {
        note(MORE);
    } else if let Some(hidden) = roster.meta.count.and_then(|count| hidden(count, roster.data.len())) {
        note(&format!("{hidden} without a relation to you: no role shows their names."));
    }
    Ok(())
}

/// How many children of a team are not listed, in words. `None` if all are.
fn hidden(count: i64, listed: usize) -> Option<String> {
    match usize::try_from(count).ok()?.checked_sub(listed)? {
        0 => None,
        1 => Some("The team has 1 child".to_owned()),
        others => Some(format!("The team has {others} children")),
    }
}
