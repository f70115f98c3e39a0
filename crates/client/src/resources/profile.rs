//! The caller's own profile.

use fieldhouse_api::profile::{ChangeProfile, EmailChange, EmailConfirmation};

use crate::resources::resource;

resource! {
    /// The caller's own profile.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let me = client.profile().me().await?;
    /// println!("{}, {} of {}", me.name, me.role, me.organization.name);
    /// # Ok(())
    /// # }
    /// ```
    Profile {
        /// Reads the user, their organizations, and the credential of this client.
        me() => ProfileMe;
        /// Changes the user's name, locale or time zone.
        change(body: ChangeProfile) => ProfileChange;
        /// Requests a change of the e-mail address, which both addresses have to confirm.
        request_email_change(body: EmailChange) => ProfileEmail;
        /// Confirms a change of the e-mail address with the token of one of the two links.
        confirm_email_change(body: EmailConfirmation) => ProfileEmailConfirm;
    }
}
