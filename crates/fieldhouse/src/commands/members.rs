//! `fieldhouse members`: the people of the organization and their roles.

use clap::Subcommand;
use fieldhouse_client::api::members::{ChangeMember, Member, MemberListQuery};
use fieldhouse_domain::ids::MemberId;

use crate::arguments::Target;
use crate::context::Context;
use crate::fields::ChangeOptions;
use crate::listing::Paging;
use crate::output::{Column, Width};

/// Members.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List members, earliest first
    List(Paging),
    /// Show a member
    Show(Target<MemberId>),
    /// Change a member's role, or suspend them
    Change(ChangeOptions<MemberId, ChangeMember>),
    /// Remove a member with their keys and sessions
    Remove(Target<MemberId>),
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
        Options::List(paging) => {
            let query = MemberListQuery { limit: paging.limit(), ..Default::default() };
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
