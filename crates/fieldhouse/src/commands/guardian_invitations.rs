//! `fieldhouse children guardian-invitations`: invitations to be a child's guardian.

use clap::{Args, Subcommand};
use fieldhouse_client::api::guardian_invitations::{GuardianInvitation, NewGuardianInvitation};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, GuardianInvitationId};

use super::audit::HistoryOptions;
use crate::context::Context;
use crate::fields::Created;
use crate::output::{Column, Width, note};

/// Invitations to be a child's guardian.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the invitations to be a guardian of a child, newest first
    List(HistoryOptions<ChildId>),
    /// Invite a person, such as the other parent; the link is mailed to them
    Create(CreateOptions),
    /// Send an invitation again, with a new link
    Resend(Place),
    /// Revoke an invitation, so that its link is no longer valid
    Revoke(Place),
}

#[derive(Args)]
pub(crate) struct CreateOptions {
    /// The child's id
    child: ChildId,
    #[command(flatten)]
    invitation: Created<NewGuardianInvitation>,
}

#[derive(Args)]
pub(crate) struct Place {
    /// The child's id
    child: ChildId,
    /// The invitation's id
    id: GuardianInvitationId,
}

const COLUMNS: &[Column<GuardianInvitation>] = &[
    ("E-MAIL", Width::Least(18), |it| it.email.clone()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("INVITED BY", Width::Least(12), |it| it.invited_by.name.clone()),
    ("EXPIRES", Width::Whole, |it| it.expires_at.to_string().chars().take(10).collect()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, creates, sends again or revokes invitations.
pub(super) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let invitations = client.guardian_invitations();
    let invitation = match options {
        Options::List(HistoryOptions { id, paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, invitations.list(id, &query), COLUMNS).await.map(drop);
        }
        Options::Revoke(Place { child, id }) => {
            let revoked = invitations.revoke(child, id).await?;
            return Ok(context.output.sentence(&revoked, &format!("Revoked {id}."))?);
        }
        Options::Create(CreateOptions { child, invitation }) => {
            invitations.create(child, &invitation.body).await?
        }
        Options::Resend(Place { child, id }) => invitations.resend(child, id).await?,
    };
    context.output.one(&invitation, COLUMNS)?;
    note(&format!("The link is mailed to {}.", invitation.email));
    Ok(())
}
