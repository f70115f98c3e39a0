//! Requests about children's data.

use fieldhouse_api::privacy_requests::{NewPrivacyDecision, NewPrivacyRequest};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::PrivacyRequestId;

use crate::resources::resource;

resource! {
    /// Requests of families to export, correct or erase a child's data.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::privacy_requests::PrivacyRequestState;
    /// for request in client.privacy_requests().list(&Default::default()).await?.data {
    ///     if request.state == PrivacyRequestState::Open {
    ///         println!("{} of {} is due at {}", request.kind, request.child_id, request.due_at);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    PrivacyRequests {
        /// Lists the caller's requests and, for an admin, all of the organization; newest first.
        list(query: ListQuery) => PrivacyRequestList;
        /// Requests a copy of a child's data, its correction or its erasure.
        create(body: NewPrivacyRequest) => PrivacyRequestCreate;
        /// Decides a request, as a second person. A granted erasure is done at once and cannot be undone.
        decide(id: PrivacyRequestId, body: NewPrivacyDecision) => PrivacyRequestDecide;
    }
}
