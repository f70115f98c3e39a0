//! Sign-in and sessions.

use fieldhouse_api::auth::{Login, PasswordChange, Refresh};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::SessionId;

use crate::resources::resource;

resource! {
    /// Sign-in and sessions. A client with a session renews it automatically; only other programs need `refresh`.
    Auth {
        /// Signs in with e-mail address and password. Pass the result to [`crate::Builder::session`].
        login(body: Login) => AuthLogin;
        /// Gets the next tokens of a session.
        refresh(body: Refresh) => AuthRefresh;
        /// Ends the session of this client.
        logout() => AuthLogout;
        /// Changes the caller's password and ends all their other sessions.
        change_password(body: PasswordChange) => AuthPassword;
        /// Lists the caller's sessions, newest first.
        sessions(query: ListQuery) => SessionList;
        /// Ends one of the caller's sessions.
        revoke_session(id: SessionId) => SessionRevoke;
    }
}
