//! The HTTP server of Fieldhouse.
//!
//! A request goes one way: `listener` takes the connection, `layers` give the request its id and its log line, `router` finds the
//! operation, `call` lets the caller in (`auth/guard.rs`) and reads what the operation takes, `routes` ask the domain and the store,
//! `answer` and `failure` write the answer. `operator` is what the server's own machine may do without a request.

pub mod answer;
pub mod app;
pub mod auth;
pub mod call;
pub mod clock;
mod docs_files;
pub mod failure;
pub mod key_ring;
mod layers;
pub mod listener;
pub mod openapi;
pub mod operator;
pub mod pages;
pub mod permissions;
pub mod private_file;
pub mod router;
mod routes;
pub mod workers;

pub use app::App;
pub use clock::Clock;
pub use key_ring::KeyRing;
