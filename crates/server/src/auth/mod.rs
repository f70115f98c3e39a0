//! Who is calling: credentials as they are sent, access tokens, passwords, limits, and the guard that puts them together.

pub mod credentials;
pub(crate) mod failures;
pub mod guard;
pub mod limits;
pub mod passwords;
pub mod tokens;
