//! The organization's members.

use fieldhouse_api::members::{ChangeMember, MemberListQuery};
use fieldhouse_domain::ids::MemberId;

use crate::resources::resource;

resource! {
    /// The organization's members.
    Members {
        /// Lists the members, by default earliest first.
        list(query: MemberListQuery) => MemberList;
        /// Reads a member.
        read(id: MemberId) => MemberRead;
        /// Changes a member's role, or suspends them.
        change(id: MemberId, body: ChangeMember) => MemberChange;
        /// Removes a member, with their keys and sessions.
        remove(id: MemberId) => MemberRemove;
    }
}
