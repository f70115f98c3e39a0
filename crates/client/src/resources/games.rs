//! Games.

use fieldhouse_api::games::GamesUpcomingQuery;
use fieldhouse_domain::ids::GameId;

use crate::resources::resource;

resource! {
    /// Games.
    Games {
        /// Lists upcoming games, soonest first; by default those of the next 30 days.
        upcoming(query: GamesUpcomingQuery) => GamesUpcoming;
        /// Reads a game.
        read(id: GameId) => GameRead;
    }
}
