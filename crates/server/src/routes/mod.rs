//! Handlers, one file for each noun. A handler runs a command or reads the store, and responds; it never compares roles.

pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod auth;
pub(crate) mod colleges;
pub(crate) mod favorites;
pub(crate) mod games;
pub(crate) mod imports;
pub(crate) mod members;
pub(crate) mod organization;
pub(crate) mod profile;
pub(crate) mod seasons;
pub(crate) mod service;
