//! Who is calling: credentials as they are sent, access tokens, passwords, limits, and the guard that puts them together.

pub(crate) mod attempts;
pub mod credentials;
pub mod guard;
pub mod limits;
pub mod passwords;
pub mod tokens;
