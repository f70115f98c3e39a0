//! Tests of the built binary: servers are started, stopped and killed, and the command-line tool is used with them, on both engines.

mod accounts;
mod archive;
mod backup;
mod beside;
mod changesets;
mod connections;
mod families;
mod first_evening;
mod key_ring;
mod kill;
mod operator;
mod organizations;
mod server;
mod transcript;
