//! Seasons.

use fieldhouse_api::request::ListQuery;
use fieldhouse_api::seasons::{ChangeSeason, NewSeason, PurgeSeason, SeasonListQuery};
use fieldhouse_api::standings::StandingsQuery;
use fieldhouse_domain::ids::SeasonId;

use crate::resources::resource;

resource! {
    /// Seasons.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::seasons::SeasonListQuery;
    /// use fieldhouse_client::api::standings::StandingsQuery;
    /// for season in client.seasons().list(&SeasonListQuery::default()).await?.data {
    ///     for division in &season.divisions {
    ///         let query = StandingsQuery { division_id: Some(division.id), ..StandingsQuery::default() };
    ///         let standings = client.seasons().standings(season.id, &query).await?;
    ///         println!("{}: {:?}", division.name, standings.rows.first().map(|row| &row.team.name));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Seasons {
        /// Lists the seasons, latest first.
        list(query: SeasonListQuery) => SeasonList;
        /// Creates a season.
        create(body: NewSeason) => SeasonCreate;
        /// Reads a season.
        read(id: SeasonId) => SeasonRead;
        /// Changes a season.
        change(id: SeasonId, body: ChangeSeason) => SeasonChange;
        /// Deletes a season that no other record refers to.
        delete(id: SeasonId) => SeasonDelete;
        /// Deletes a season with everything that belongs to it.
        purge(id: SeasonId, body: PurgeSeason) => SeasonPurge;
        /// Reads the standings of a season or of one of its divisions.
        standings(id: SeasonId, query: StandingsQuery) => StandingsRead;
        /// Lists the changes of a season, newest first.
        history(id: SeasonId, query: ListQuery) => SeasonHistory;
    }
}
