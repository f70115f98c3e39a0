//! `cargo xtask postgres`: the throw-away PostgreSQL of the tests, kept until Ctrl-C.
//!
//! Only the waiting and the printing are here; `server.rs` starts and stops it.

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
    // Ctrl-C ends xtask here; the server's watchdog does the rest.
    while server.is_running() {
        thread::sleep(Duration::from_secs(1));
    }
    bail!("PostgreSQL ended by itself; see target/postgres.log");
}
