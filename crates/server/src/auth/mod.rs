//! Authentication: credentials, access tokens, passwords, limits, and the guard that combines them.

pub mod attempts;
pub mod callers;
pub mod credentials;
pub mod guard;
pub mod limits;
pub mod links;
pub mod operators;
pub mod passwords;
pub mod tokens;
