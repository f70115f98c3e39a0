//! A tally: the numbers of created, changed and unchanged records of one kind.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
}
