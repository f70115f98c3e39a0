//! The rules of Fieldhouse: what an organization, a season, a game or a saved college program is, who may do what, and which
//! effects a command has.
//!
//! Pure: no async, no input or output, no clock, no randomness. Time and ids arrive as a [`Moment`]. How a record is stored is the
//! store's business, how it looks on the wire the api's. A new noun gets a file of its own name here and on every other floor.

// The derives name this crate by its own name.
extern crate self as fieldhouse_domain;

pub mod api_keys;
pub mod colleges;
pub mod divisions;
pub mod effects;
pub mod favorites;
pub mod games;
pub mod ids;
pub mod kinds;
pub mod ledger;
pub mod members;
pub mod moment;
pub mod organizations;
pub mod policy;
pub mod record;
pub mod refusal;
pub mod roles;
pub mod scopes;
pub mod search;
pub mod seasons;
pub mod sessions;
pub mod sports;
pub mod teams;
pub mod text;
pub mod time;
pub mod users;
pub mod venues;

pub use moment::Moment;
pub use refusal::{FieldError, Refusal};
