//! How long imports of 500, 5,000 and 20,000 rows take to read and plan, and how long they hold SQLite's only writer.
//!
//! `cargo xtask bench imports` runs it. Rows are games of an invented league: 20 divisions of 10 teams for each 1,800 games.

use std::time::{Duration, Instant};

use fieldhouse_commands::imports::{Imported, League, LeagueFile, snapshot};
use fieldhouse_commands::{Acting, run};
use fieldhouse_domain::Moment;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_imports::formats::{Reading, read};
use fieldhouse_imports::league::Options;
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases;
use jiff::ToSpan;
use jiff::civil::date;
use std::sync::Arc;

const ROWS: [u32; 3] = [500, 5_000, 20_000];

/// A file with this many games, played at a time of day that a later version of it changes.
fn schedule(rows: u32, hour: u32) -> String {
    let header = "Date,Start time,Arrival Time,Short label,Division,Home Team,Away Team,Location";
    let row = |row: u32| {
        let (round, rest) = (row / 100, row % 100);
        let (division, pair) = (rest / 5, rest % 5);
        let day = date(2026, 1, 1).saturating_add(i64::from(round).days());
        let (block, day, other) = (round / 18, day.strftime("%Y-%m-%d"), pair + 5);
        let teams = format!("Division {block}-{division},Team {pair},Team {other}");
        format!("{day},{hour:02}:{pair}0,,Round {round},{teams},Park {division}")
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:>6} {:>8} {:>9} {:>9} {:>9} {:>12} {:>12}",
        "rows", "", "records", "read", "plan", "hold writer", "records/s"
    );
    for rows in ROWS {
        let database = databases::sqlite();
        let store = &database.open().await;
        let club = Club::found(store, "Bench").await;
        for (label, hour) in [("new", 9), ("changed", 10), ("same", 10)] {
            measure(&format!("{rows:>6} {label:>8}"), store, &club, &schedule(rows, hour)).await?;
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn measure(
    label: &str,
    store: &fieldhouse_store::Store,
    club: &Club,
    text: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let zone = TimeZoneName::parse("Australia/Melbourne")?;
    let started = Instant::now();
    let reading = Reading { season: Name::parse("Invented").ok(), ..Reading::auto(zone.clone()) };
    let found = read(text.as_bytes(), &reading)?;
    let reading_took = started.elapsed();

    let started = Instant::now();
    let options = Options { sport: Sport::parse("netball")?, time_zone: zone };
    let file = Arc::new(LeagueFile { options, schedule: found.schedule, skip_bad: false });
    let (scope, of_file) = (club.owner().scope(store).await, file.clone());
    let existing = store.read("import_time", async move |tx| snapshot(tx, &scope, &of_file).await).await?;
    let Ok(planned) = file.planned(&Moment::new(clubs::NOW, rand_of(label)), existing) else {
        println!("{label}: refused, because it would hold the writer for more than 2 seconds");
        return Ok(());
    };
    let planning_took = started.elapsed();

    let effects = planned.plan.effects.len();
    let started = Instant::now();
    let command = League { file, planned: Some(planned), dry_run: false };
    let done =
        run(store, Acting::Job(club.id()), Moment::new(clubs::NOW, rand_of(label) + 1), command).await?;
    let held = started.elapsed();
    assert!(matches!(done, Imported::Done(_)));
    let rate = f64::from(u32::try_from(effects)?) / held.as_secs_f64();
    let ms = |time: Duration| format!("{} ms", time.as_millis());
    println!(
        "{label} {effects:>9} {:>9} {:>9} {:>12} {rate:>12.0}",
        ms(reading_took),
        ms(planning_took),
        ms(held)
    );
    Ok(())
}

/// Different random bits for each import.
fn rand_of(label: &str) -> u128 {
    label.bytes().fold(7, |sum, byte| sum * 257 + u128::from(byte)) << 20
}
