//! Staff of teams.

use fieldhouse_api::request::ListQuery;
use fieldhouse_api::staff::{ChangeStaff, NewStaff};
use fieldhouse_domain::ids::{StaffId, TeamId};

use crate::resources::resource;

resource! {
    /// Staff of teams.
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
