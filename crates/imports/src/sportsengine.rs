//! SportsEngine's three formats of schedules.

pub(crate) mod legacy;
pub(crate) mod season;
pub(crate) mod template;

/// Why a game that SportsEngine has deleted is not imported.
const DELETED: &str =
    "is deleted in SportsEngine; an import deletes nothing, so cancel or delete the game here";
/// Why a game without two teams is not imported.
const OPEN_TEAM: &str = "is a game with a team that is not known yet";

#[cfg(test)]
mod tests;
