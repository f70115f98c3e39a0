//! Neighbours: how fast reads of many organizations are beside others' work, and what idle connections cost.
//!
//! To add a neighbour, write a function that works until it is told to stop, and add it to [`NEIGHBOURS`].

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::field::Field;
use crate::http;
use crate::load::{CONNECTIONS, Shape};
use crate::options::Common;
use crate::requests::Request;
use crate::rounds;
use crate::site::Site;
use crate::tools;
use crate::workload::{On, Who};
use crate::workloads::{self, LIST};

/// The number of idle connections.
const IDLE: usize = 10_000;
/// The workload that is read beside the neighbours.
const WORKLOAD: &str = "list";
/// The number of clients that send slowly, and of those that try to sign in.
const SLOW: usize = 64;
const SIGN_INS: usize = 8;
/// The number of rows of an import.
const ROWS: u32 = 20_000;

/// What works beside the reads, until it is told to stop.
type Neighbour = fn(&Site, &AtomicBool) -> Result<()>;

/// Each with its name.
const NEIGHBOURS: [(&str, Option<Neighbour>); 5] = [
    ("alone", None),
    ("beside 64 clients that send slowly", Some(slow_clients)),
    ("beside imports of 20,000 rows", Some(imports)),
    // Of the games that were imported.
    ("beside exports of 20,000 games", Some(exports)),
    ("beside 8 clients that guess passwords", Some(sign_ins)),
];

/// Measures on each engine, and prints a table.
pub(crate) async fn run(common: &Common) -> Result<()> {
    tools::require("wrk", "wrk")?;
    let workload = workloads::named(WORKLOAD).context("there is such a workload")?;
    for engine in &common.engines {
        let field = Field::start(*engine, common, &[On::Uncached]).await?;
        let site = field.site(On::Uncached)?;
        println!("\n{}: {}", engine.title(), workload.title);
        // First, because the server keeps memory of what it did before.
        idle(site)?;
        println!("{:<42} {:>10} {:>9} {:>9}", "", "requests/s", "p50 ms", "p99 ms");
        for (number, (name, neighbour)) in (1..).zip(NEIGHBOURS) {
            let requests = site.requests(workload)?;
            let seconds = common.seconds().max(3);
            let shape = Shape { seconds, connections: CONNECTIONS, seed: number, first: 0, refused: false };
            let stop = AtomicBool::new(false);
            let figures = thread::scope(|scope| {
                let (stop, work) = (&stop, neighbour);
                let beside = work.map(|work| scope.spawn(move || work(site, stop)));
                let figures = rounds::run(&field, &site.server, &site.server.url, &requests, shape);
                stop.store(true, Ordering::Relaxed);
                if let Some(beside) = beside {
                    beside.join().ok().context("a thread panicked")?.with_context(|| name)?;
                }
                figures
            })?;
            let (p50, p99) = (figures.p50 / 1000.0, figures.p99 / 1000.0);
            println!("{name:<42} {:>10.0} {p50:>9.2} {p99:>9.2}", figures.rate);
        }
        println!("{:.0} MB after that", site.server.resident_megabytes()?);
    }
    Ok(())
}

/// Opens connections that stay open after a request each, and prints the memory that they cost.
fn idle(site: &Site) -> Result<()> {
    let (url, before) = (&site.server.url, site.server.resident_megabytes()?);
    let authority = http::authority(url)?;
    let head = http::head(authority, &Request::get("/healthz", "accept: */*".to_owned()), "keep-alive");
    let mut open = Vec::new();
    for _ in 0..IDLE {
        // The system limits the number of open files; the figures then are those of fewer connections.
        let Ok(mut stream) = TcpStream::connect(authority) else { break };
        stream.write_all(head.as_bytes())?;
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes)?;
        ensure!(bytes[..count].starts_with(b"HTTP/1.1 200"), "the server is not healthy");
        open.push(stream);
    }
    let after = site.server.resident_megabytes()?;
    println!("{} idle connections: {before:.0} MB before, {after:.0} MB with them", open.len());
    Ok(())
}

fn is_over(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}

/// Clients that send a letter of their request every tenth of a second.
fn slow_clients(site: &Site, stop: &AtomicBool) -> Result<()> {
    let authority = http::authority(&site.server.url)?;
    let head = http::head(authority, &Request::get(LIST, "accept: */*".to_owned()), "close");
    let mut streams = Vec::new();
    for letter in head.bytes().cycle() {
        if streams.is_empty() {
            streams = (0..SLOW).map(|_| TcpStream::connect(authority)).collect::<Result<_, _>>()?;
        }
        // The server closes connections that take too long.
        streams.retain_mut(|stream: &mut TcpStream| stream.write_all(&[letter]).is_ok());
        thread::sleep(Duration::from_millis(100));
        if is_over(stop) {
            break;
        }
    }
    Ok(())
}

/// Clients that try to sign in with wrong passwords.
fn sign_ins(site: &Site, stop: &AtomicBool) -> Result<()> {
    thread::scope(|scope| {
        let guess = |client: usize| {
            for number in 0.. {
                let body = json!({ "email": format!("{client}-{number}@guess.example"), "password": "a wrong password" });
                let request = Request::post("/api/v1/auth/login", &body.to_string(), None);
                let status = http::send(&site.server.url, &request)?.status;
                ensure!([401, 429, 503].contains(&status), "a sign-in had status {status}");
                if is_over(stop) {
                    break;
                }
            }
            Ok(())
        };
        let clients: Vec<_> = (0..SIGN_INS).map(|client| scope.spawn(move || guess(client))).collect();
        clients.into_iter().try_for_each(|client| client.join().ok().context("a thread panicked")?)
    })
}

/// Imports of a league of many games, one after another, each into a season of its own.
fn imports(site: &Site, stop: &AtomicBool) -> Result<()> {
    let (identity, _) = site.people(Who::Writer).pop().context("there is a writer")?;
    for number in 0.. {
        let body = json!({
            "content": schedule(), "sport": "basketball", "time_zone": "UTC", "season": format!("Imported {number}"),
        });
        let request = Request::post("/api/v1/imports/league", &body.to_string(), Some(identity.key_header()));
        let response = http::send(&site.server.url, &request)?;
        let text = String::from_utf8_lossy(&response.body);
        ensure!([200, 201].contains(&response.status), "an import had status {}: {text}", response.status);
        if is_over(stop) {
            break;
        }
    }
    Ok(())
}

/// Reads of all games of an organization, one page after another.
fn exports(site: &Site, stop: &AtomicBool) -> Result<()> {
    let (identity, _) = site.people(Who::Writer).pop().context("there is a writer")?;
    let mut pages = 0;
    let mut cursor = String::new();
    while !is_over(stop) {
        let path = format!("/api/v1/games?limit=100{cursor}");
        let response = http::send(&site.server.url, &Request::get(&path, identity.key_header()))?;
        ensure!(response.status == 200, "a page had status {}", response.status);
        let page: serde_json::Value = serde_json::from_slice(&response.body)?;
        pages += 1;
        cursor = match page["page"]["next_cursor"].as_str() {
            Some(next) => format!("&cursor={next}"),
            None => String::new(),
        };
    }
    ensure!(pages > 1, "there are no games to export");
    Ok(())
}

/// The games of an invented league as a table: 100 a day, of which each team plays one.
fn schedule() -> String {
    let header = "Date,Start time,Arrival Time,Short label,Division,Home Team,Away Team,Location\n";
    let row = |row: u32| {
        let (day, rest) = (row / 100, row % 100);
        let (division, pair, block) = (rest / 5, rest % 5, day / 18);
        let (month, date) = (1 + day / 28, 1 + day % 28);
        let teams = format!("Division {block}-{division},Team {pair},Team {}", pair + 5);
        format!("2026-{month:02}-{date:02},09:{pair}0,,Round {day},{teams},Park {division}\n")
    };
    header.to_owned() + &(0..ROWS).map(row).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_imported_league_has_all_rows_with_valid_dates() {
        let schedule = schedule();
        assert_eq!(schedule.lines().count(), 20_001);
        assert_eq!(schedule.lines().last().map(|line| &line[..10]), Some("2026-08-04"));
    }
}
