//! Imports of leagues.

use fieldhouse_api::imports::LeagueImport;

use crate::resources::resource;

resource! {
    /// Imports of leagues.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::imports::LeagueImport;
    /// let plan = LeagueImport {
    ///     content: std::fs::read_to_string("league.csv")?,
    ///     dry_run: Some(true),
    ///     format: None,
    ///     sport: None,
    ///     time_zone: None,
    ///     season: None,
    ///     division: None,
    ///     delimiter: None,
    ///     date_order: None,
    ///     skip_bad: None,
    /// };
    /// let report = client.imports().league(&plan).await?;
    /// println!("{} new games", report.counts.games_created);
    /// # Ok(())
    /// # }
    /// ```
    Imports {
        /// Imports a league file: seasons, divisions, teams, venues, games.
        league(body: LeagueImport) => LeagueImport;
        /// Lists the formats of league files.
        formats() => ImportFormats;
    }
}
