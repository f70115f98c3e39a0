//! The caller's own profile.

use crate::resources::resource;

resource! {
    /// The caller's own profile.
    Profile {
        /// Reads the caller's user, organizations and credential.
        me() => ProfileMe;
    }
}
