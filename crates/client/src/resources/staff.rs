//! Staff of teams.

use fieldhouse_api::request::ListQuery;
use fieldhouse_api::staff::{ChangeStaff, NewStaff};
use fieldhouse_domain::ids::{StaffId, TeamId};

use crate::resources::resource;

resource! {
    /// Staff of teams.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::staff::NewStaff;
    /// use fieldhouse_client::domain::ids::{TeamId, UserId};
    /// use fieldhouse_client::domain::staff::StaffKind;
    /// let team: TeamId = "tea_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// let user: UserId = "usr_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// let proposed = client.staff().add(team, &NewStaff::new(user, StaffKind::Coach)).await?;
    /// println!("{} until a second person confirms it", proposed.state);
    /// # Ok(())
    /// # }
    /// ```
    Staff {
        /// Lists the staff of a team, earliest entry first.
        list(id: TeamId, query: ListQuery) => StaffList;
        /// Proposes a member as staff of a team.
        add(id: TeamId, body: NewStaff) => StaffAdd;
        /// Changes a staff entry.
        change(id: TeamId, staff_id: StaffId, body: ChangeStaff) => StaffChange;
        /// Removes a staff entry.
        remove(id: TeamId, staff_id: StaffId) => StaffRemove;
        /// Confirms a proposed staff entry, as a second person.
        confirm(id: TeamId, staff_id: StaffId) => StaffConfirm;
    }
}
