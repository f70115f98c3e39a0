//! Imports of leagues.

use fieldhouse_api::imports::LeagueImport;

use crate::resources::resource;

resource! {
    /// Imports of leagues.
    Imports {
        /// Imports a league file: seasons, divisions, teams, venues, games.
        league(body: LeagueImport) => LeagueImport;
        /// Lists the formats of league files.
        formats() => ImportFormats;
    }
}
