//! Imports: reading other systems' files, and turning what they say into effects.

/// tmp
pub mod league;
