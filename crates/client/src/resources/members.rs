//! The organization's members.

use fieldhouse_api::members::{ChangeMember, MemberListQuery};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::MemberId;

use crate::resources::resource;

resource! {
    /// The organization's members.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::members::{ChangeMember, MemberListQuery};
    /// let query = MemberListQuery { q: Some("robin@example.org".into()), ..MemberListQuery::default() };
    /// for member in client.members().list(&query).await?.data {
    ///     let change = ChangeMember { suspended: Some(true), ..ChangeMember::default() };
    ///     client.members().change(member.id, &change).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Members {
        /// Lists the members, by default earliest first.
        list(query: MemberListQuery) => MemberList;
        /// Reads a member.
        read(id: MemberId) => MemberRead;
        /// Changes a member's role, or suspends them.
        change(id: MemberId, body: ChangeMember) => MemberChange;
        /// Removes a member, with their keys and sessions.
        remove(id: MemberId) => MemberRemove;
        /// Lists the changes of a membership, newest first.
        history(id: MemberId, query: ListQuery) => MemberHistory;
    }
}
