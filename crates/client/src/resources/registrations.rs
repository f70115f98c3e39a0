//! Registrations of children for seasons.

use fieldhouse_api::registrations::{ChangeRegistration, NewRegistration, RegistrationListQuery};
use fieldhouse_domain::ids::{ChildId, RegistrationId, SeasonId};

use crate::resources::resource;

resource! {
    /// Registrations of children for seasons.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::registrations::{RegistrationListQuery, RegistrationStatus};
    /// use fieldhouse_client::domain::ids::SeasonId;
    /// let season: SeasonId = "sea_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// let status = Some(RegistrationStatus::Applied);
    /// let query = RegistrationListQuery { status, ..RegistrationListQuery::default() };
    /// for registration in client.registrations().list(season, &query).await?.data {
    ///     println!("{} waits to be accepted", registration.display_name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Registrations {
        /// Lists the registrations for a season that the caller may see, earliest first.
        list(id: SeasonId, query: RegistrationListQuery) => RegistrationList;
        /// Registers a child for a season.
        add(id: ChildId, body: NewRegistration) => RegistrationAdd;
        /// Accepts or withdraws a registration, or changes its division.
        change(id: RegistrationId, body: ChangeRegistration) => RegistrationChange;
        /// Withdraws a registration.
        withdraw(id: RegistrationId) => RegistrationWithdraw;
    }
}
