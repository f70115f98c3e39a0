//! Seasons.

use fieldhouse_api::request::ListQuery;
use fieldhouse_api::seasons::{ChangeSeason, NewSeason, PurgeSeason, SeasonListQuery};
use fieldhouse_api::standings::StandingsQuery;
use fieldhouse_domain::ids::SeasonId;

use crate::resources::resource;

resource! {
    /// Seasons.
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
