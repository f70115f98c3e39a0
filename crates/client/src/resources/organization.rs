//! The caller's organization.

use fieldhouse_api::organization::ChangeOrganization;

use crate::resources::resource;

resource! {
    /// The caller's organization.
    Organization {
        /// Reads it.
        read() => OrganizationRead;
        /// Changes its name, short name, country or time zone.
        change(body: ChangeOrganization) => OrganizationChange;
    }
}
