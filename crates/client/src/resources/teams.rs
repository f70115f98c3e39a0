//! Teams.

use fieldhouse_api::request::ListQuery;
use fieldhouse_api::teams::{ScheduleQuery, TeamListQuery};
use fieldhouse_domain::ids::TeamId;
use fieldhouse_domain::teams::{ChangeTeam, NewTeam};

use crate::resources::resource;

resource! {
    /// Teams of seasons.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::teams::{ScheduleQuery, TeamListQuery};
    /// for team in client.teams().list(&TeamListQuery::default()).await?.data {
    ///     let games = client.teams().schedule(team.id, &ScheduleQuery::default()).await?;
    ///     println!("{}: {} games", team.name, games.data.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Teams {
        /// Lists teams by name.
        list(query: TeamListQuery) => TeamList;
        /// Creates a team in a division of its season.
        create(body: NewTeam) => TeamCreate;
        /// Reads a team.
        read(id: TeamId) => TeamRead;
        /// Changes a team.
        change(id: TeamId, body: ChangeTeam) => TeamChange;
        /// Deletes a team without games, staff, duties and children.
        delete(id: TeamId) => TeamDelete;
        /// Lists the games of a team by start, past and future.
        schedule(id: TeamId, query: ScheduleQuery) => TeamSchedule;
        /// Lists the changes of a team, newest first.
        history(id: TeamId, query: ListQuery) => TeamHistory;
    }
}
