//! Group commit: durable writes from 1 to 256 connections. SQLite's writer commits all that wait together, so that more connections write
//! more with the same number of waits for the disk.

use anyhow::{Context, Result};

use crate::checks;
use crate::field::Field;
use crate::figures::{Figures, Spread};
use crate::load::Shape;
use crate::options::Common;
use crate::rounds;
use crate::tools;
use crate::workload::On;
use crate::workloads;

/// The numbers of connections.
const CONNECTIONS: [u32; 5] = [1, 4, 16, 64, 256];
/// The workload that runs.
const WORKLOAD: &str = "create-season";
/// How far apart the numbers in bodies of two runs start.
const APART: u64 = 10_000_000;

/// Measures on each engine, and prints a table.
pub(crate) async fn run(common: &Common) -> Result<()> {
    tools::require("wrk", "wrk")?;
    let workload = workloads::named(WORKLOAD).context("there is such a workload")?;
    for engine in &common.engines {
        let field = Field::start(*engine, common, &[On::Default]).await?;
        let site = field.site(On::Default)?;
        let requests = site.requests(workload)?;
        checks::check(&site.server.url, workload, &requests, 1, 1)?;
        let mut runs: Vec<Vec<Figures>> = vec![Vec::new(); CONNECTIONS.len()];
        let mut number = 0;
        for _ in 0..common.rounds() {
            for (connections, figures) in CONNECTIONS.into_iter().zip(&mut runs) {
                number += 1;
                let (seconds, first) = (common.seconds(), number * APART);
                let shape = Shape { seconds, connections, seed: 1, first, refused: false };
                figures.push(rounds::run(&field, &site.server, &site.server.url, &requests, shape)?);
            }
        }
        println!("\n{}: {}", engine.title(), workload.title);
        println!("connections  writes/s     min-max        CPU µs   p50 ms   p99 ms");
        for (connections, figures) in CONNECTIONS.iter().zip(&runs) {
            let spread = |figure: fn(&Figures) -> f64| Spread::of(figures.iter().map(figure));
            let rate = spread(|run| run.rate);
            println!(
                "{connections:>11}  {:>8.0}  {:>6.0}-{:<8.0} {:>8.1} {:>8.2} {:>8.2}",
                rate.median,
                rate.min,
                rate.max,
                spread(|run| run.processor).median,
                spread(|run| run.p50).median / 1000.0,
                spread(|run| run.p99).median / 1000.0,
            );
        }
    }
    Ok(())
}
