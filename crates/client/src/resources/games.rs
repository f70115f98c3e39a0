//! Games.

use fieldhouse_api::games::{GameListQuery, GamePatch, GameResult, GamesUpcomingQuery, NewGame};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::GameId;

use crate::resources::resource;

resource! {
    /// Games.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::games::GameListQuery;
    /// use fieldhouse_client::domain::games::GameStatus;
    /// use futures_util::TryStreamExt;
    /// let query = GameListQuery { status: Some(GameStatus::Cancelled), ..GameListQuery::default() };
    /// let mut cancelled = client.games().list(&query).stream();
    /// while let Some(game) = cancelled.try_next().await? {
    ///     println!("{} {}", game.local_start, game.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Games {
        /// Lists games by start, past and future.
        list(query: GameListQuery) => GameList;
        /// Creates a game or a bye.
        create(body: NewGame) => GameCreate;
        /// Lists upcoming games, soonest first; by default those of the next 30 days.
        upcoming(query: GamesUpcomingQuery) => GamesUpcoming;
        /// Reads a game.
        read(id: GameId) => GameRead;
        /// Changes a game. Requires [`Call::if_match`](crate::Call::if_match).
        change(id: GameId, body: GamePatch) => GameChange;
        /// Enters the result of a game. Requires [`Call::if_match`](crate::Call::if_match).
        enter_result(id: GameId, body: GameResult) => GameResult;
        /// Deletes a game. Requires [`Call::if_match`](crate::Call::if_match).
        delete(id: GameId) => GameDelete;
        /// Lists the changes of a game, newest first.
        history(id: GameId, query: ListQuery) => GameHistory;
    }
}
