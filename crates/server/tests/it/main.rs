//! The server's tests: real HTTP requests to a server on a real listener, on both engines. One file a noun.

mod api_keys;
mod coverage;
mod matrix;
mod sessions;
mod smoke;
mod support;
