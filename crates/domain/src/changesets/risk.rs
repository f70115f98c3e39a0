//! The risk of a changeset.
use crate::record::enumeration;
enumeration! {
    /// The risk of a changeset.
    Risk {
        /// Small.
        R0 "R0",
        /// Moderate.
        R1 "R1",
        /// High.
        R2 "R2",
        /// Highest.
        R3 "R3",
    }
}
