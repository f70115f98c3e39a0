//! Changesets: significant changes, which are proposed, reviewed, executed and undone.

pub mod undo;
