//! Break-glass grants.

use fieldhouse_api::break_glass::{NewBreakGlassGrant, NewReview};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::BreakGlassGrantId;

use crate::resources::resource;

resource! {
    /// Break-glass grants, which open some data of a child for an hour in an emergency.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for grant in client.break_glass_grants().list(&Default::default()).await?.data {
    ///     println!("{}: {}", grant.user.name, grant.reason_code);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    BreakGlassGrants {
        /// Lists break-glass grants, newest first.
        list(query: ListQuery) => BreakGlassGrantList;
        /// Opens a child's data in an emergency.
        create(body: NewBreakGlassGrant) => BreakGlassGrantCreate;
        /// Ends a grant before its time.
        end(id: BreakGlassGrantId) => BreakGlassGrantEnd;
        /// Reviews a grant of someone else.
        review(id: BreakGlassGrantId, body: NewReview) => BreakGlassGrantReview;
    }
}
