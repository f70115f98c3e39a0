//! The server's tests: real HTTP requests to a server on a real listener, on both engines. One file for each noun.

mod api_keys;
mod audit;
mod colleges;
mod contract;
mod coverage;
mod divisions;
mod docs;
mod examples;
mod expiry;
mod favorites;
mod games;
mod idempotency;
mod imports;
mod listener;
mod matrix;
mod members;
mod seasons;
mod sessions;
mod shapes;
mod smoke;
mod staff;
mod support;
mod teams;
mod venues;
