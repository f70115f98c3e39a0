//! Games.

use fieldhouse_api::games::GamesUpcomingQuery;
use fieldhouse_domain::ids::GameId;

use crate::resources::resource;

resource! {
    /// Games.
    Games {
        /// Lists the games to come, soonest first; those of the next 30 days unless said otherwise.
        upcoming(query: GamesUpcomingQuery) => GamesUpcoming;
        /// Reads a game.
        read(id: GameId) => GameRead;
    }
}
