//! Members by their e-mail address, which people know, or by id.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use fieldhouse_client::Client;
use fieldhouse_client::api::members::{Member, MemberListQuery};
use fieldhouse_domain::ids::{MemberId, UserId};
use fieldhouse_domain::text::Email;

use crate::arguments::value;
use crate::failure::Failure;
use crate::listing::joined;

/// A member as a command line names them.
#[derive(Clone, Debug)]
pub(crate) enum MemberRef {
    Id(MemberId),
    Email(Email),
}

impl FromStr for MemberRef {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let email = || Email::parse(text).map(Self::Email);
        text.parse()
            .map(Self::Id)
            .or_else(|_| email())
            .map_err(|_| "write an e-mail address such as name@example.org, or the id of a member: mem_...")
    }
}

impl fmt::Display for MemberRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Email(email) => f.write_str(email.as_str()),
        }
    }
}

impl MemberRef {
    /// The member's id.
    pub(crate) async fn id(&self, client: &Client) -> anyhow::Result<MemberId> {
        match self {
            Self::Id(id) => Ok(*id),
            Self::Email(email) => Ok(find(client, email).await?.id),
        }
    }
}

/// A user of the organization as options name them.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct UserRef {
    /// The e-mail address of the member
    #[arg(long, value_parser = value::<Email>)]
    email: Option<Email>,
    /// The user's id, as in `members list`
    #[arg(long, value_name = "ID")]
    user_id: Option<UserId>,
}

impl UserRef {
    /// The user's id.
    pub(crate) async fn id(&self, client: &Client) -> anyhow::Result<UserId> {
        let found = user(client, self.email.as_ref(), self.user_id).await?;
        // One of the arguments is required.
        found.ok_or_else(|| anyhow::anyhow!("--email or --user-id is required"))
    }
}

/// The id of the user that is named by their address or id, if they are.
pub(crate) async fn user(
    client: &Client,
    email: Option<&Email>,
    id: Option<UserId>,
) -> anyhow::Result<Option<UserId>> {
    match (id, email) {
        (None, Some(email)) => Ok(Some(find(client, email).await?.user.id)),
        (id, _) => Ok(id),
    }
}

/// The member with this e-mail address.
pub(crate) async fn find(client: &Client, email: &Email) -> anyhow::Result<Member> {
    let query = MemberListQuery { q: Some(email.to_string()), ..MemberListQuery::default() };
    let found = joined(client.members().list(&query).pages()).await?;
    let mut found = found.data.into_iter();
    let member = found.find(|member| member.user.email.eq_ignore_ascii_case(email.as_str()));
    member.ok_or_else(|| {
        let next =
            "`fieldhouse members list` shows the members; `fieldhouse invitations create` invites someone";
        Failure::new(format!("no member has the e-mail address {email}")).next(next).into()
    })
}
