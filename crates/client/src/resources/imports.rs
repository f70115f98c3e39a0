//! Imports of leagues.

use fieldhouse_api::imports::LeagueImport;

use crate::resources::resource;

resource! {
    /// Imports of leagues.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::imports::LeagueImport;
    /// let content = std::fs::read_to_string("league.csv")?;
    /// let plan = LeagueImport { content, dry_run: Some(true), ..LeagueImport::default() };
    /// let report = client.imports().league(&plan).await?;
    /// println!("{} new games", report.counts.games_created);
    /// let import = LeagueImport { dry_run: None, ..plan };
    /// let changeset = client.imports().league(&import).as_changeset().await?;
    /// client.changesets().submit(changeset.id).await?;
    /// # Ok(())
    /// # }
    /// ```
    Imports {
        /// Imports a league file: seasons, divisions, teams, venues, games. [`Call::as_changeset`](crate::Call::as_changeset) proposes it.
        league(body: LeagueImport) => LeagueImport;
        /// Lists the formats of league files.
        formats() => ImportFormats;
    }
}
