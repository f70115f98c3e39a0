//! The wire contract of Fieldhouse: what requests and responses look like (one file per noun), and the operation table, from which come
//! the router, the guard, the OpenAPI document, the permissions page, the client's methods and the test matrix.
//!
//! Shared by the server and the client, so that they cannot drift. Rules about values belong to the domain; this crate says
//! how they are written, and how a request becomes the domain's command.

pub mod api_keys;
pub mod audit;
pub mod auth;
pub mod colleges;
pub mod envelope;
pub mod favorites;
pub mod games;
pub mod imports;
pub mod members;
pub mod operations;
pub mod organization;
pub mod problems;
pub mod profile;
pub mod request;
pub mod rows;
pub mod seasons;
pub mod service;

pub use envelope::{Answer, Data, Deleted, Page, PageInfo, Tombstone};
pub use operations::{Op, Operation, op};
pub use problems::{Code, Problem};
pub use rows::Row;
