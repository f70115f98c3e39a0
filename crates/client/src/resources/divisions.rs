//! Divisions.

use fieldhouse_api::divisions::DivisionListQuery;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::divisions::{ChangeDivision, NewDivision};
use fieldhouse_domain::ids::DivisionId;

use crate::resources::resource;

resource! {
    /// Divisions of seasons.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::domain::divisions::NewDivision;
    /// use fieldhouse_client::domain::ids::SeasonId;
    /// let season: SeasonId = "sea_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// let division = client.divisions().create(&NewDivision::new(season, "U12 Girls".parse()?)).await?;
    /// println!("{}", division.id);
    /// # Ok(())
    /// # }
    /// ```
    Divisions {
        /// Lists divisions by name.
        list(query: DivisionListQuery) => DivisionList;
        /// Creates a division of a season.
        create(body: NewDivision) => DivisionCreate;
        /// Reads a division.
        read(id: DivisionId) => DivisionRead;
        /// Changes a division.
        change(id: DivisionId, body: ChangeDivision) => DivisionChange;
        /// Deletes a division without teams, games and registrations.
        delete(id: DivisionId) => DivisionDelete;
        /// Lists the changes of a division, newest first.
        history(id: DivisionId, query: ListQuery) => DivisionHistory;
    }
}
