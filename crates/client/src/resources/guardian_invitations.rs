//! Invitations to be a child's guardian.

use fieldhouse_api::guardian_invitations::NewGuardianInvitation;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, GuardianInvitationId};

use crate::resources::resource;

resource! {
    /// Invitations to be a child's guardian. They are accepted like every invitation, with
    /// [`Invitations::accept`](crate::resources::invitations::Invitations::accept).
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::guardian_invitations::NewGuardianInvitation;
    /// use fieldhouse_client::domain::ids::ChildId;
    /// let child: ChildId = "chi_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// let other_parent = NewGuardianInvitation { email: "robin@example.org".parse()? };
    /// println!("{}", client.guardian_invitations().create(child, &other_parent).await?.status);
    /// # Ok(())
    /// # }
    /// ```
    GuardianInvitations {
        /// Lists the invitations to be a guardian of a child, newest first.
        list(id: ChildId, query: ListQuery) => GuardianInvitationList;
        /// Invites a person to be a guardian. The link is mailed to them.
        create(id: ChildId, body: NewGuardianInvitation) => GuardianInvitationCreate;
        /// Sends an invitation again, with a new link.
        resend(id: ChildId, invitation_id: GuardianInvitationId) => GuardianInvitationResend;
        /// Revokes an invitation.
        revoke(id: ChildId, invitation_id: GuardianInvitationId) => GuardianInvitationRevoke;
    }
}
