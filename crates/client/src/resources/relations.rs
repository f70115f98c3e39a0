//! Relations of people to children.

use fieldhouse_api::relations::NewRelation;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, RelationId};

use crate::resources::resource;

resource! {
    /// Relations of people to children, which open the children's data.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::relations::RelationState;
    /// for relation in client.relations().list(&Default::default()).await?.data {
    ///     if relation.state == RelationState::Confirmed {
    ///         println!("{} waits to be accepted as {}", relation.id, relation.kind);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Relations {
        /// Lists the caller's relations and, for a manager, those that wait for a second person; newest first.
        list(query: ListQuery) => RelationList;
        /// Lists all relations of people to a child, newest first.
        of_child(id: ChildId, query: ListQuery) => ChildRelationList;
        /// Proposes a relation of a member to a child.
        add(id: ChildId, body: NewRelation) => ChildRelationAdd;
        /// Confirms a proposed relation, as a second person.
        confirm(id: RelationId) => RelationConfirm;
        /// Accepts a confirmed relation, as its person.
        accept(id: RelationId) => RelationAccept;
        /// Revokes a relation: as its person, as the family, or as a manager.
        revoke(id: RelationId) => RelationRevoke;
    }
}
