//! The pages that links of messages open. They are for browsers; programs use the operations of the API that their forms stand for.

use fieldhouse_api::auth::{LinkQuery, PasswordResetCompletion, PasswordResetRequest};
use fieldhouse_api::invitations::InvitationAcceptance;
use fieldhouse_api::profile::EmailConfirmation;

use crate::resources::resource;

resource! {
    /// The pages that links of messages open.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let page = client.pages().forgot_password().await?;
    /// assert!(page.0.contains("<form"));
    /// # Ok(())
    /// # }
    /// ```
    Pages {
        /// The start page.
        home() => Home;
        /// The page of an invitation.
        invitation(query: LinkQuery) => InvitationPage;
        /// Sends the form of that page.
        submit_invitation(body: InvitationAcceptance) => InvitationPageSubmit;
        /// The page of a password reset.
        password_reset(query: LinkQuery) => PasswordResetPage;
        /// Sends the form of that page.
        submit_password_reset(body: PasswordResetCompletion) => PasswordResetPageSubmit;
        /// The page on which a forgotten password is reported.
        forgot_password() => ForgotPasswordPage;
        /// Sends the form of that page.
        submit_forgot_password(body: PasswordResetRequest) => ForgotPasswordPageSubmit;
        /// The page of a change of the e-mail address.
        email(query: LinkQuery) => EmailPage;
        /// Sends the form of that page.
        submit_email(body: EmailConfirmation) => EmailPageSubmit;
    }
}
