//! The wire contract of Fieldhouse: requests and responses (one file for each noun), and the operation table. From the table come the
//! router, the guard, the OpenAPI document, the permissions page, the client's methods and the test matrix.
//!
//! The server and the client share it, so that they agree. The domain has the rules about values; this crate says how values are written,
//! and how a request becomes a command.

pub mod api_keys;
pub mod audit;
pub mod auth;
pub mod break_glass;
pub mod cases;
pub mod changesets;
pub mod children;
pub mod colleges;
pub mod consents;
pub mod divisions;
pub mod duties;
pub mod envelope;
pub mod exports;
pub mod favorites;
pub mod games;
pub mod guardian_invitations;
pub mod imports;
pub mod invitations;
pub mod members;
pub mod operations;
pub mod operator;
pub mod organization;
pub mod privacy_requests;
pub mod problems;
pub mod profile;
pub mod registrations;
pub mod relations;
pub mod request;
pub mod restrictions;
pub mod rosters;
pub mod rows;
pub mod seasons;
pub mod service;
pub mod spreadsheet;
pub mod staff;
pub mod standings;
mod table;
pub mod teams;
pub mod venues;

pub use envelope::{Answer, Data, Deleted, Page, PageInfo, Tombstone};
pub use operations::{Op, Operation, op};
pub use problems::{Code, Problem};
pub use rows::Row;
