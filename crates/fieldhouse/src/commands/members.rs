//! `fieldhouse members`: the people of the organization and their roles.

use clap::{Args, Subcommand};
use fieldhouse_client::api::members::{ChangeMember, Member, MemberListQuery};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::members::MemberSort;
use fieldhouse_domain::roles::Role;

use super::audit;
use crate::arguments::one_of;
use crate::context::Context;
use crate::fields::Changed;
use crate::listing::Paging;
use crate::member::MemberRef;
use crate::output::{Column, Width};

/// Members.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List members, by default earliest first
    List(ListOptions),
    /// Show a member
    Show(Named),
    /// Change a member's role, or suspend them
    Change(ChangeOptions),
    /// Remove a member with their keys and sessions
    Remove(Named),
    /// List the changes of a membership, newest first
    History(HistoryOptions),
}

#[derive(Args)]
pub(crate) struct Named {
    /// The member's e-mail address or id
    member: MemberRef,
}

#[derive(Args)]
pub(crate) struct ChangeOptions {
    /// The member's e-mail address or id
    member: MemberRef,
    #[command(flatten)]
    fields: Changed<ChangeMember>,
}

#[derive(Args)]
pub(crate) struct HistoryOptions {
    /// The member's e-mail address or id
    member: MemberRef,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only members whose name or e-mail address contains these words or prefixes of words
    #[arg(long, short, value_name = "WORDS")]
    query: Option<String>,
    /// Only members with this role
    #[arg(long, value_parser = one_of!(Role))]
    role: Option<Role>,
    /// The order
    #[arg(long, allow_hyphen_values = true, value_parser = one_of!(MemberSort))]
    sort: Option<MemberSort>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Member>] = &[
    ("NAME", Width::Least(14), |it| it.user.name.clone()),
    ("E-MAIL", Width::Least(18), |it| it.user.email.clone()),
    ("ROLE", Width::Whole, |it| it.role.to_string()),
    ("STATUS", Width::Whole, |it| status(it).to_owned()),
    ("JOINED", Width::Whole, |it| it.joined_at.to_string().chars().take(10).collect()),
    ("USER", Width::Whole, |it| it.user.id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn status(member: &Member) -> &'static str {
    if member.suspended_at.is_some() { "suspended" } else { "active" }
}

/// Lists, shows, changes or removes members.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let members = client.members();
    let member = match options {
        Options::List(ListOptions { query, role, sort, paging }) => {
            let page = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            let query = MemberListQuery { q: query, role, sort, page, format: None };
            return paging.show(context, members.list(&query), COLUMNS).await.map(drop);
        }
        Options::History(HistoryOptions { member, paging }) => {
            let id = member.id(&client).await?;
            return audit::history(context, &paging, |query| members.history(id, query)).await;
        }
        Options::Remove(Named { member }) => {
            let removed = members.remove(member.id(&client).await?).await?;
            return Ok(context.output.sentence(&removed, &format!("Removed {member}."))?);
        }
        Options::Show(Named { member }) => members.read(member.id(&client).await?).await?,
        Options::Change(ChangeOptions { member, fields }) => {
            members.change(member.id(&client).await?, &fields.body).await?
        }
    };
    Ok(context.output.one(&member, COLUMNS)?)
}
