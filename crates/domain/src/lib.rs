//! The rules of Fieldhouse: the records, their invariants, who may do what, and the effects of commands.
//!
//! Pure: no async, no I/O, no clock, no randomness. Time and new ids are passed in as a [`Moment`]. The store decides how a record is
//! stored, the api crate how it looks on the wire. A new noun gets a file of its own name in this crate and in every other.

// The derives refer to this crate by name.
extern crate self as fieldhouse_domain;

pub mod api_keys;
pub mod attempts;
pub mod changesets;
pub mod children;
pub mod colleges;
pub mod divisions;
pub mod duties;
pub mod effects;
pub mod exports;
pub mod favorites;
pub mod games;
pub mod ids;
pub mod invitations;
pub mod kinds;
pub mod ledger;
pub mod mail;
pub mod members;
pub mod moment;
pub mod organizations;
pub mod passwords;
pub mod place;
pub mod policy;
pub mod privacy_requests;
pub mod record;
pub mod refusal;
pub mod registrations;
pub mod rendered;
pub mod retention;
pub mod roles;
pub mod rosters;
pub mod scopes;
pub mod search;
pub mod seasons;
pub mod second_person;
pub mod sessions;
pub mod sports;
pub mod spreadsheet;
pub mod staff;
pub mod standings;
pub mod teams;
pub mod text;
pub mod time;
pub mod users;
pub mod venues;

pub use moment::Moment;
pub use refusal::{FieldError, Refusal};
