//! Tests of the built binary: servers are started, stopped and killed, and the command-line tool is used with them, on both engines.

mod archive;
mod connections;
mod key_ring;
mod kill;
mod operator;
mod server;
mod transcript;
