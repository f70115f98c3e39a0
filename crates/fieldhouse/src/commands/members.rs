//! `fieldhouse members`: the people of the organization and their roles.

use clap::{Args, Subcommand};
use fieldhouse_client::api::members::{ChangeMember, Member, MemberListQuery};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::MemberId;
use fieldhouse_domain::members::MemberSort;
use fieldhouse_domain::roles::Role;

use crate::arguments::{Target, one_of};
use crate::context::Context;
use crate::fields::ChangeOptions;
use crate::listing::Paging;
use crate::output::{Column, Width};

/// Members.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List members, by default earliest first
    List(ListOptions),
    /// Show a member
    Show(Target<MemberId>),
    /// Change a member's role, or suspend them
    Change(ChangeOptions<MemberId, ChangeMember>),
    /// Remove a member with their keys and sessions
    Remove(Target<MemberId>),
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
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn status(member: &Member) -> &'static str {
    if member.suspended_at.is_some() { "suspended" } else { "active" }
}

/// Lists, shows, changes or removes members.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let members = context.signed_in()?.members();
    let member = match options {
        Options::List(ListOptions { query, role, sort, paging }) => {
            let page = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            let query = MemberListQuery { q: query, role, sort, page };
            return paging.show(context, members.list(&query), COLUMNS).await.map(drop);
        }
        Options::Remove(Target { id }) => {
            let removed = members.remove(id).await?;
            return Ok(context.output.sentence(&removed, &format!("Removed {id}."))?);
        }
        Options::Show(Target { id }) => members.read(id).await?,
        Options::Change(ChangeOptions { id, fields }) => members.change(id, &fields.body).await?,
    };
    Ok(context.output.one(&member, COLUMNS)?)
}
