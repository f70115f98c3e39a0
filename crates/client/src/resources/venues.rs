//! Venues.

use fieldhouse_api::request::{ListQuery, RecordListQuery};
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::venues::{ChangeVenue, NewVenue};

use crate::resources::resource;

resource! {
    /// Venues.
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
