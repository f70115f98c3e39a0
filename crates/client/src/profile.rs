//! The caller's own profile.

use crate::resources::resource;

resource! {
    /// The caller's own profile.
    Profile {
        /// Reads who the caller is, where he belongs, and which credential he came with.
        me() => ProfileMe;
    }
}
