//! The organization's members.

use fieldhouse_api::members::ChangeMember;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::MemberId;

use crate::resources::resource;

resource! {
    /// The organization's members.
    Members {
        /// Lists the members, the longest-standing first.
        list(query: ListQuery) => MemberList;
        /// Reads a member.
        read(id: MemberId) => MemberRead;
        /// Changes a member's role, or suspends him.
        change(id: MemberId, body: ChangeMember) => MemberChange;
        /// Removes a member, with his keys and sessions.
        remove(id: MemberId) => MemberRemove;
    }
}
