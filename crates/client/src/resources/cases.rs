//! Safeguarding cases.

use fieldhouse_api::cases::{CloseSafeguardingCase, NewSafeguardingCase};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::SafeguardingCaseId;

use crate::resources::resource;

resource! {
    /// Safeguarding cases, which open some data of the children whom they name to safeguarding leads.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for case in client.safeguarding_cases().list(&Default::default()).await?.data {
    ///     println!("{}: {}", case.title, case.state);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    SafeguardingCases {
        /// Lists safeguarding cases, newest first.
        list(query: ListQuery) => SafeguardingCaseList;
        /// Proposes a case.
        open(body: NewSafeguardingCase) => SafeguardingCaseOpen;
        /// Reads a case.
        read(id: SafeguardingCaseId) => SafeguardingCaseRead;
        /// Confirms a case, as a second person.
        confirm(id: SafeguardingCaseId) => SafeguardingCaseConfirm;
        /// Closes a case.
        close(id: SafeguardingCaseId, body: CloseSafeguardingCase) => SafeguardingCaseClose;
    }
}
