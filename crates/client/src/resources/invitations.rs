//! Invitations to join the organization.

use fieldhouse_api::invitations::{
    InvitationAcceptance, InvitationListQuery, InvitationToken, NewInvitation,
};
use fieldhouse_domain::ids::InvitationId;

use crate::resources::resource;

resource! {
    /// Invitations to join the organization.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::invitations::NewInvitation;
    /// use fieldhouse_client::domain::roles::Role;
    /// let invited = NewInvitation { email: "robin@example.org".parse()?, role: Role::Coach };
    /// println!("{}", client.invitations().create(&invited).await?.status);
    /// # Ok(())
    /// # }
    /// ```
    Invitations {
        /// Lists the invitations, newest first.
        list(query: InvitationListQuery) => InvitationList;
        /// Invites a person. The link is mailed to them.
        create(body: NewInvitation) => InvitationCreate;
        /// Shows an invitation to the holder of its link.
        preview(body: InvitationToken) => InvitationPreview;
        /// Accepts an invitation with the token of its link.
        accept(body: InvitationAcceptance) => InvitationAccept;
        /// Reads an invitation.
        read(id: InvitationId) => InvitationRead;
        /// Sends an invitation again, with a new link.
        resend(id: InvitationId) => InvitationResend;
        /// Revokes an invitation.
        revoke(id: InvitationId) => InvitationRevoke;
    }
}
