//! Duties of members.

use fieldhouse_api::duties::{DutyListQuery, NewDuty};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::DutyId;

use crate::resources::resource;

resource! {
    /// Duties of members.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::duties::{DutyListQuery, DutyState};
    /// let query = DutyListQuery { state: Some(DutyState::Proposed), ..DutyListQuery::default() };
    /// for duty in client.duties().list(&query).await?.data {
    ///     println!("{} as {} waits for a second person", duty.user.name, duty.kind);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Duties {
        /// Lists the duties of the organization's members, newest first.
        list(query: DutyListQuery) => DutyList;
        /// Reads a duty.
        read(id: DutyId) => DutyRead;
        /// Proposes a duty of a member.
        add(body: NewDuty) => DutyAdd;
        /// Confirms a proposed duty, as a second person.
        confirm(id: DutyId) => DutyConfirm;
        /// Accepts a confirmed duty, as its holder.
        accept(id: DutyId) => DutyAccept;
        /// Revokes a duty, as an admin or its holder.
        revoke(id: DutyId) => DutyRevoke;
        /// Lists the changes of a duty, newest first.
        history(id: DutyId, query: ListQuery) => DutyHistory;
    }
}
