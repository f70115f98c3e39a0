//! Authentication: credentials, access tokens, passwords, limits, and the guard that combines them.

pub(crate) mod attempts;
pub mod credentials;
pub mod guard;
pub mod limits;
pub mod passwords;
pub mod tokens;
