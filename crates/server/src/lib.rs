//! The HTTP server of Fieldhouse.
//!
//! The way of a request: `listener` accepts the connection, `recall` looks for the response in memory, `layers` add the request's id and
//! log line, `router` finds the operation, `call` admits the caller (`auth/guard.rs`) and reads the input, `routes` run a command or read
//! the store, `answer` and `failure` create the response. `operator` is what the operator's commands do without a request.

pub mod answer;
pub mod app;
pub mod archive;
pub mod auth;
mod background;
pub mod call;
pub mod clock;
mod docs_files;
pub mod erasures;
pub mod failure;
pub mod key_ring;
mod layers;
pub mod listener;
pub mod mail;
pub mod openapi;
pub mod operator;
pub mod pages;
pub mod permissions;
pub mod private_file;
mod recall;
pub mod responses;
pub mod router;
mod routes;
pub mod workers;

pub use app::App;
pub use clock::Clock;
pub use key_ring::KeyRing;
