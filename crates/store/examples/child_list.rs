//! How long the children that a relation opens take to read: 200,000 children in 200 clubs, one read after another, past HTTP.
//!
//! `cargo xtask bench children` runs it on both engines.

use std::time::{Duration, Instant};

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::{Store, children};
use fieldhouse_testing::clubs::{ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::families::{child, guardian, roster_entry};
use fieldhouse_testing::leagues::{division, duty, season, staff, team};
use jiff::SignedDuration;

const CLUBS: usize = 200;
const TEAMS: usize = 50;
/// In each team, so that a club has 1,000 children.
const CHILDREN: usize = 20;
/// The number of teams that the measured coach is staff of.
const COACHED: usize = 4;
/// The number of children on a page, and one more that shows whether others follow.
const PAGE: u32 = 51;
/// How often each read runs, after some that are not counted.
const RUNS: usize = 1_000;
const WARM_UP: usize = 50;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for database in databases::both() {
        let (engine, begun) = (database.engine(), Instant::now());
        let store = database.open().await;
        let club = fill(&database, &store).await?;
        println!("\n{engine:?}: microseconds of the statement ({} s to fill)", begun.elapsed().as_secs());
        println!("{:<44} {:>8} {:>8} {:>8}", "", "children", "p50", "p99");
        for (who, role) in [
            ("a coach of four teams", Role::Coach),
            ("a parent of two", Role::Member),
            ("the registrar of the season", Role::Manager),
            ("an owner without a relation", Role::Owner),
        ] {
            measure(&store, club.person(role), who).await?;
        }
    }
    Ok(())
}

/// Fills all clubs, and returns one from their middle.
async fn fill(database: &Database, store: &Store) -> Result<Club, Box<dyn std::error::Error>> {
    let mut clubs = Vec::new();
    for number in 0..CLUBS {
        let club = Club::found(store, &format!("Club {number}")).await;
        club.create(store, records(&club)).await;
        clubs.push(club);
    }
    store.post_everything().await?;
    if database.url().is_some() {
        database.execute("ANALYZE");
    }
    Ok(clubs.swap_remove(CLUBS / 2))
}

/// The season, the teams and the children of a club, and who is related to them.
fn records(club: &Club) -> Vec<AnyRecord> {
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let (coach, parent) = (club.person(Role::Coach).user.id, club.person(Role::Member).user.id);
    let registrar = Duty {
        kind: DutyKind::Registrar,
        state: DutyState::Accepted,
        season_id: Some(winter.id),
        ends_at: NOW.saturating_add(SignedDuration::from_hours(24)).unwrap_or(NOW),
        ..duty(club.person(Role::Manager).user.id)
    };
    let mut records: Vec<AnyRecord> = vec![winter.into(), open.clone().into(), registrar.into()];
    for number in 0..TEAMS {
        let team = team(&open, &format!("Team {number}"));
        records.push(team.clone().into());
        if number < COACHED {
            records.push(Staff { state: StaffState::Confirmed, ..staff(&team, coach) }.into());
        }
        for player in 0..CHILDREN {
            let child = child(&format!("Invented {player} {number}"));
            records.extend([child.clone().into(), roster_entry(&team, &child).into()]);
            if (number, player / 2) == (TEAMS - 1, 0) {
                records.push(guardian(&child, parent).into());
            }
        }
    }
    records
}

async fn measure(store: &Store, person: &Person, who: &str) -> Result<(), Box<dyn std::error::Error>> {
    let child = ChildTouch::Listed { class: DataClass::Roster };
    let scope = person.scope_for(store, Requirement { child, ..ANY_MEMBER }).await;
    let lines = scope.children::<Roster>(NOW)?;
    let first = children::list(&mut &*store, &lines, None, PAGE).await?.unwrap_or_default();
    let mut times = Vec::new();
    for run in 0..RUNS + WARM_UP {
        let started = Instant::now();
        children::list(&mut &*store, &lines, None, PAGE).await?;
        if run >= WARM_UP {
            times.push(started.elapsed());
        }
    }
    report(&format!("the first page of {who}"), first.len(), times);
    let Some(some) = first.last() else { return Ok(()) };
    let mut times = Vec::new();
    for run in 0..RUNS + WARM_UP {
        let started = Instant::now();
        children::read_line(&mut &*store, &lines, some.id).await?;
        if run >= WARM_UP {
            times.push(started.elapsed());
        }
    }
    report(&format!("one child of {who}"), 1, times);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
fn report(what: &str, children: usize, mut times: Vec<Duration>) {
    times.sort_unstable();
    let micros = |at: usize| times.get(at).map_or(0, Duration::as_micros);
    println!("{what:<44} {children:>8} {:>8} {:>8}", micros(RUNS / 2), micros(RUNS * 99 / 100));
}
