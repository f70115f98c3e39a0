//! Venues.

use fieldhouse_api::request::{ListQuery, RecordListQuery};
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::venues::{ChangeVenue, NewVenue};

use crate::resources::resource;

resource! {
    /// Venues.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::domain::venues::{ChangeVenue, NewVenue};
    /// let new = NewVenue::new("Town Hall".parse()?, "Australia/Melbourne".parse()?);
    /// let venue = client.venues().create(&new).await?;
    /// let change = ChangeVenue { address: Some(Some("1 Hall Street".parse()?)), ..ChangeVenue::default() };
    /// client.venues().change(venue.id, &change).await?;
    /// # Ok(())
    /// # }
    /// ```
    Venues {
        /// Lists the venues by name.
        list(query: RecordListQuery) => VenueList;
        /// Creates a venue.
        create(body: NewVenue) => VenueCreate;
        /// Reads a venue.
        read(id: VenueId) => VenueRead;
        /// Changes a venue.
        change(id: VenueId, body: ChangeVenue) => VenueChange;
        /// Deletes a venue that no game refers to.
        delete(id: VenueId) => VenueDelete;
        /// Lists the changes of a venue, newest first.
        history(id: VenueId, query: ListQuery) => VenueHistory;
    }
}
