//! The caller's organization.

use fieldhouse_api::organization::ChangeOrganization;
use fieldhouse_api::request::ListQuery;

use crate::resources::resource;

resource! {
    /// The caller's organization.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", client.organization().read().await?.time_zone);
    /// # Ok(())
    /// # }
    /// ```
    Organization {
        /// Reads it.
        read() => OrganizationRead;
        /// Changes its name, short name, country or time zone.
        change(body: ChangeOrganization) => OrganizationChange;
        /// Lists its changes, newest first.
        history(query: ListQuery) => OrganizationHistory;
    }
}
