//! Rosters: children in teams.

use fieldhouse_api::rosters::{ChangeRosterEntry, NewRosterEntry, RosterQuery};
use fieldhouse_domain::ids::{RosterEntryId, TeamId};

use crate::resources::resource;

resource! {
    /// Rosters of teams. A relation to the child opens each line; the registrar of the season changes them.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::domain::ids::TeamId;
    /// let team: TeamId = "tea_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// for entry in client.roster().list(team, &Default::default()).await?.data {
    ///     println!("{:?} {}", entry.jersey_number, entry.child.display_name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Rosters {
        /// Lists the children of a team on a day whom a relation of the caller opens, by name.
        list(id: TeamId, query: RosterQuery) => RosterList;
        /// Adds a child to the roster of a team.
        add(id: TeamId, body: NewRosterEntry) => RosterAdd;
        /// Changes a roster entry, or ends it.
        change(id: TeamId, entry_id: RosterEntryId, body: ChangeRosterEntry) => RosterChange;
        /// Removes a roster entry that has not begun.
        remove(id: TeamId, entry_id: RosterEntryId) => RosterRemove;
    }
}
