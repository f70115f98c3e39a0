//! How long the server takes to start, how much memory it needs, and how large the program is.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::figures::Spread;
use crate::result::Fact;
use crate::servers::{Server, Start};

/// How often each start is measured.
const STARTS: usize = 3;
/// How long the demo's catalogue takes to load, with time to spare.
const CATALOGUE: Duration = Duration::from_secs(8);

/// Measures a program with a data folder on SQLite that no other process uses.
pub(crate) fn measure(program: &Path, folder: &Path, data: &Path) -> Result<Vec<Fact>> {
    let megabytes = |bytes: u64| f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) / 1024.0;
    let mut without = Vec::new();
    let mut with = Vec::new();
    for number in 0..STARTS {
        let start = Start { program, folder: data, database: None, more: &[] };
        without.push(milliseconds(&Server::fieldhouse(&start)?));
        let demo = folder.join(format!("demo-{number}"));
        let start = Start { program, folder: &demo, database: None, more: &["--demo"] };
        let server = Server::fieldhouse(&start)?;
        with.push(milliseconds(&server));
        if number + 1 == STARTS {
            let made = idle(&server)?;
            drop(server);
            let again = idle(&Server::fieldhouse(&start)?)?;
            return Ok(vec![
                Fact::new("start to ready, 100,000 seasons", Spread::of(without).median, "ms", Some(150.0)),
                Fact::new("start to ready, new demo", Spread::of(with).median, "ms", Some(600.0)),
                Fact::new("memory, idle, catalogue loaded by the same process", made, "MB", Some(30.0)),
                Fact::new("memory, idle, catalogue loaded before the start", again, "MB", Some(30.0)),
                Fact::new("size of the program", megabytes(fs::metadata(program)?.len()), "MB", Some(25.0)),
            ]);
        }
    }
    Ok(Vec::new())
}

/// Resident memory of a server that has done what it does after a start.
fn idle(server: &Server) -> Result<f64> {
    std::thread::sleep(CATALOGUE);
    server.resident_megabytes()
}

fn milliseconds(server: &Server) -> f64 {
    server.ready_after.as_secs_f64() * 1000.0
}
