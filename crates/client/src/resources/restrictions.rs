//! Restrictions on children's data.

use fieldhouse_api::request::ListQuery;
use fieldhouse_api::restrictions::NewRestriction;
use fieldhouse_domain::ids::{ChildId, RestrictionId};

use crate::resources::resource;

resource! {
    /// Restrictions on children's data, such as custody orders. Safeguarding leads enter and lift them.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::domain::ids::ChildId;
    /// let child: ChildId = "chi_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// for restriction in client.restrictions().list(child, &Default::default()).await?.data {
    ///     println!("{} since {}", restriction.kind, restriction.starts_at);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Restrictions {
        /// Lists the restrictions on a child's data, newest first.
        list(id: ChildId, query: ListQuery) => RestrictionList;
        /// Enters a restriction.
        enter(id: ChildId, body: NewRestriction) => RestrictionEnter;
        /// Lifts a restriction.
        lift(id: RestrictionId) => RestrictionLift;
    }
}
