//! `fieldhouse invitations`: invitations to join the organization.

use clap::{Args, Subcommand};
use fieldhouse_client::api::invitations::{Invitation, InvitationListQuery, InvitationStatus, NewInvitation};
use fieldhouse_domain::ids::InvitationId;

use crate::arguments::{Target, one_of};
use crate::context::Context;
use crate::fields::Created;
use crate::listing::Paging;
use crate::output::{Column, Width, note};

/// Invitations.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List invitations, newest first
    List(ListOptions),
    /// Show an invitation
    Show(Target<InvitationId>),
    /// Invite a person; the link is mailed to them
    Create(Created<NewInvitation>),
    /// Send an invitation again, with a new link
    Resend(Target<InvitationId>),
    /// Revoke an invitation, so that its link is no longer valid
    Revoke(Target<InvitationId>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only invitations with this status
    #[arg(long, value_parser = one_of!(InvitationStatus))]
    status: Option<InvitationStatus>,
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Invitation>] = &[
    ("E-MAIL", Width::Least(18), |it| it.email.clone()),
    ("ROLE", Width::Whole, |it| it.role.to_string()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("INVITED BY", Width::Least(12), |it| it.invited_by.name.clone()),
    ("EXPIRES", Width::Whole, |it| it.expires_at.to_string().chars().take(10).collect()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, shows, creates, sends again or revokes invitations.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let invitations = context.signed_in()?.invitations();
    let mailed = matches!(options, Options::Create(_) | Options::Resend(_));
    let invitation = match options {
        Options::List(ListOptions { status, paging }) => {
            let query = InvitationListQuery { status, limit: paging.limit(), ..Default::default() };
            return paging.show(context, invitations.list(&query), COLUMNS).await.map(drop);
        }
        Options::Revoke(Target { id }) => {
            let revoked = invitations.revoke(id).await?;
            return Ok(context.output.sentence(&revoked, &format!("Revoked {id}."))?);
        }
        Options::Show(Target { id }) => invitations.read(id).await?,
        Options::Create(fields) => invitations.create(&fields.body).await?,
        Options::Resend(Target { id }) => invitations.resend(id).await?,
    };
    context.output.one(&invitation, COLUMNS)?;
    if mailed {
        note(&format!("The link is mailed to {}.", invitation.email));
    }
    Ok(())
}
