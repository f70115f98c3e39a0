//! The caller's organization.

use crate::resources::resource;

resource! {
    /// The caller's organization.
    Organization {
        /// Reads it.
        read() => OrganizationRead;
    }
}
