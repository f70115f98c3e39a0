//! The built binary as it is run: servers that are started, stopped and killed, and the command-line tool against them, on both
//! engines.

mod connections;
mod key_ring;
mod kill;
mod operator;
mod server;
mod transcript;
