//! How long a changeset of 500 operations on the demo's league takes to simulate, execute and undo, and how long another write waits meanwhile.
//!
//! `cargo xtask bench changesets` runs it with the ready files of one server on each engine. The operations move all games by an hour and
//! create venues until there are 500. The undo brings everything back, so that each round starts from the same records.

#[path = "../operations/accounts.rs"]
mod accounts;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fieldhouse_client::Client;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const OPERATIONS: usize = 500;
const ROUNDS: usize = 5;
const STEPS: [&str; 4] = ["simulate", "execute", "simulate the undo", "execute the undo"];

type Anyhow<T> = Result<T, Box<dyn std::error::Error>>;

/// How long a step took, and the longest that another write waited meanwhile.
type Times = (Duration, Duration);

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn main() -> Anyhow<()> {
    println!("{OPERATIONS} operations, medians of {ROUNDS} rounds, in milliseconds");
    println!("{:<12}{:<20}{:>10}{:>24}", "", "", "took", "another write waited");
    for argument in std::env::args().skip(1) {
        let (engine, ready) = argument.split_once('=').ok_or("ENGINE=READY_FILE is expected")?;
        let accounts = accounts::sign_in(&serde_json::from_slice(&std::fs::read(ready)?)?).await?;
        let of = |role: &str| accounts[role].0.clone();
        let run = Run { manager: of("manager"), admins: [of("admin"), of("owner")], viewer: of("viewer") };
        let games = run.games().await?;
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(run.round(&games).await?);
        }
        println!(
            "{engine}: {} games are moved, {} venues are created",
            games.len(),
            OPERATIONS - games.len()
        );
        for (at, step) in STEPS.into_iter().enumerate() {
            let median = |of: fn(Times) -> Duration| {
                let mut times: Vec<Duration> = rounds.iter().map(|round| of(round[at])).collect();
                times.sort();
                times[ROUNDS / 2].as_secs_f64() * 1000.0
            };
            println!(
                "{:<12}{step:<20}{:>10.0}{:>24.0}",
                "",
                median(|times| times.0),
                median(|times| times.1)
            );
        }
    }
    Ok(())
}

struct Run {
    manager: Client,
    admins: [Client; 2],
    viewer: Client,
}

impl Run {
    /// The games of the demo, at most as many as operations, each with the operation that moves it.
    async fn games(&self) -> Anyhow<Vec<Value>> {
        let mut games = Vec::new();
        let mut next = "/api/v1/games?limit=100&sort=-starts_at".to_owned();
        while games.len() < OPERATIONS {
            let page = get(&self.manager, &next).await?;
            let data = page["data"].as_array().ok_or("no games")?;
            let is_moved = |game: &&Value| game["status"] == "scheduled" && game["time_tbd"] == false;
            for game in data.iter().filter(is_moved) {
                let later = |field: &str| -> Anyhow<Value> {
                    let Some(at) = game[field].as_str() else { return Ok(Value::Null) };
                    Ok(json!(at.parse::<Timestamp>()?.checked_add(SignedDuration::from_hours(1))?))
                };
                let set = json!({"starts_at": later("starts_at")?, "ends_at": later("ends_at")?});
                let operation = json!({"op": "update", "resource": "games", "id": game["id"], "set": set,
                    "allow_overlap": true});
                games.push(operation);
            }
            let Some(cursor) = page["page"]["next_cursor"].as_str() else { break };
            next = format!("/api/v1/games?limit=100&sort=-starts_at&cursor={cursor}");
        }
        games.truncate(OPERATIONS);
        Ok(games)
    }

    async fn round(&self, games: &[Value]) -> Anyhow<[Times; 4]> {
        let venues = (games.len()..OPERATIONS).map(|number| {
            let data = json!({"name": format!("Bench {number}"), "time_zone": "UTC"});
            json!({"op": "create", "resource": "venues", "data": data})
        });
        let operations: Vec<Value> = games.iter().cloned().chain(venues).collect();
        let change = json!({"title": "All an hour later", "operations": operations});
        let (id, [simulating, executing]) = self.life(&change).await?;
        let (_, [undo_simulating, undo_executing]) =
            self.life(&json!({"undo": {"changeset_id": id}})).await?;
        Ok([simulating, executing, undo_simulating, undo_executing])
    }

    /// Proposes a changeset, and has it approved and executed. Returns its id, and the times of its simulation and its execution.
    async fn life(&self, new: &Value) -> Anyhow<(String, [Times; 2])> {
        let draft = post(&self.manager, "/api/v1/changesets", new).await?;
        let id = draft["data"]["id"].as_str().ok_or("no id")?.to_owned();
        let step = async |client: &Client, step: &str, body: &Value| {
            post(client, &format!("/api/v1/changesets/{id}/{step}"), body).await
        };
        let (simulated, simulating) = self.beside(step(&self.manager, "simulate", &json!({}))).await?;
        let simulation = &simulated["data"]["simulation"];
        if simulation["hash"].is_null() {
            return Err(format!("the simulation has problems: {simulation}").into());
        }
        let hash = json!({"simulation_hash": simulation["hash"]});
        step(&self.manager, "submit", &json!({})).await?;
        for admin in &self.admins {
            if get(admin, &format!("/api/v1/changesets/{id}")).await?["data"]["state"] == "in_review" {
                step(admin, "approve", &hash).await?;
            }
        }
        let (_, executing) = self.beside(step(&self.manager, "execute", &hash)).await?;
        Ok((id, [simulating, executing]))
    }

    /// Runs a request while a viewer changes their profile again and again.
    async fn beside(&self, request: impl Future<Output = Anyhow<Value>>) -> Anyhow<(Value, Times)> {
        let is_done = Arc::new(AtomicBool::new(false));
        let (client, end) = (self.viewer.clone(), is_done.clone());
        let other = tokio::spawn(async move {
            let mut longest = Duration::ZERO;
            for number in 0_u64.. {
                let started = Instant::now();
                let change = json!({"locale": format!("en-{:03}", number % 900)});
                let sent = client.request::<Value>(http::Method::PATCH, "/api/v1/profile/me").body(&change);
                let answer = sent.header("if-match", "*").send_raw().await;
                longest = longest.max(started.elapsed());
                if let Err(error) =
                    answer.map_err(|error| error.to_string()).and_then(|answer| success(&answer))
                {
                    return Err(format!("the other write failed: {error}"));
                }
                if end.load(Ordering::Relaxed) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(longest)
        });
        // The other client has begun by then.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let started = Instant::now();
        let answer = request.await;
        let took = started.elapsed();
        is_done.store(true, Ordering::Relaxed);
        let longest = other.await??;
        Ok((answer?, (took, longest)))
    }
}

async fn get(client: &Client, path: &str) -> Anyhow<Value> {
    let answer = client.request::<Value>(http::Method::GET, path).send_raw().await?;
    Ok(success(&answer)?)
}

async fn post(client: &Client, path: &str, body: &Value) -> Anyhow<Value> {
    let answer = client.request::<Value>(http::Method::POST, path).body(body).send_raw().await?;
    Ok(success(&answer)?)
}

fn success(answer: &fieldhouse_client::RawResponse) -> Result<Value, String> {
    let text = String::from_utf8_lossy(&answer.body);
    if answer.status.is_success() {
        return serde_json::from_str(&text).map_err(|error| error.to_string());
    }
    Err(format!("{} {text}", answer.status))
}
