//! `cargo xtask postgres`: the temporary PostgreSQL of the tests, until Ctrl-C.
//!
//! This file only waits and prints; `server.rs` starts and stops the server.

use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::server::Server;

pub(crate) fn run() -> Result<()> {
    let server = Server::start()?;
    println!("\nIn the shell where you run `cargo test`:\n");
    for (name, value) in server.environment() {
        println!("export {name}='{value}'");
    }
    println!("\nCtrl-C stops it and removes its data.");
    // Ctrl-C ends xtask here; the server's watchdog stops the server.
    while server.is_running() {
        thread::sleep(Duration::from_secs(1));
    }
    bail!("PostgreSQL ended by itself; see target/postgres.log");
}
