//! Sign-in and sessions.

use fieldhouse_api::auth::{Login, PasswordChange, PasswordResetCompletion, PasswordResetRequest, Refresh};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::SessionId;

use crate::resources::resource;

resource! {
    /// Sign-in and sessions. A client with a session renews it automatically; only other programs need `refresh`.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::auth::Login;
    /// let login = Login { email: "robin@example.org".parse()?, password: "...".into(), organization: None };
    /// let tokens = client.auth().login(&login).await?;
    /// println!("{} of {}", tokens.role, tokens.organization.name);
    /// # Ok(())
    /// # }
    /// ```
    Auth {
        /// Signs in with e-mail address and password. Pass the result to [`crate::Builder::session`].
        login(body: Login) => AuthLogin;
        /// Gets the next tokens of a session.
        refresh(body: Refresh) => AuthRefresh;
        /// Ends the session of this client.
        logout() => AuthLogout;
        /// Changes the caller's password and ends all their other sessions.
        change_password(body: PasswordChange) => AuthPassword;
        /// Requests a link to set a new password, which is mailed if an account has the address.
        request_password_reset(body: PasswordResetRequest) => PasswordResetRequest;
        /// Sets a new password with the token of such a link, and ends all sessions of the user.
        complete_password_reset(body: PasswordResetCompletion) => PasswordResetComplete;
        /// Lists the caller's sessions, newest first.
        sessions(query: ListQuery) => SessionList;
        /// Ends one of the caller's sessions.
        revoke_session(id: SessionId) => SessionRevoke;
    }
}
