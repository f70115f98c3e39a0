//! Changesets.

pub(crate) mod run;
