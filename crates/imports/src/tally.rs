//! A tally: how many records of one kind an import makes, changes and leaves as they are.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
}
