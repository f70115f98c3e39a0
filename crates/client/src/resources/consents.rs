//! Consents about children.

use fieldhouse_api::consents::NewConsent;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, ConsentId};

use crate::resources::resource;

resource! {
    /// Consents about children, given and withdrawn by their families.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::domain::ids::ChildId;
    /// let child: ChildId = "chi_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// for consent in client.consents().list(child, &Default::default()).await?.data {
    ///     println!("{}: {}", consent.purpose, consent.status);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Consents {
        /// Lists the consents about a child, newest first.
        list(id: ChildId, query: ListQuery) => ConsentList;
        /// Gives consent to a purpose.
        grant(id: ChildId, body: NewConsent) => ConsentGrant;
        /// Withdraws a consent.
        withdraw(id: ChildId, consent_id: ConsentId) => ConsentWithdraw;
    }
}
