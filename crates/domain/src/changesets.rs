//! Changesets: significant changes, which are simulated, reviewed and approved before they are made.

pub mod impact;
pub mod risk;
