//! The organization that is copied, and the clubs with children that are not: created through the store, as the server would.

use anyhow::{Context, Result};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::{Id, SeasonId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_store::Store;
use fieldhouse_testing::clubs::{Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, roster_entry};
use fieldhouse_testing::leagues::{division, game, season, staff, team, venue};
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::identities::Identity;

/// The letters in names that a copy replaces.
pub(super) const LABEL: &str = "000000";
/// The number of seasons of an organization.
pub(crate) const SEASONS: i16 = 20;
/// The number of upcoming games of an organization.
pub(crate) const GAMES: usize = 25;
/// The number of children of the club with many.
const CHILDREN: usize = 1_000;
/// The number of children in a team.
const TEAM: usize = 20;
/// The number of teams that the coach is staff of.
const COACHED: usize = 4;
/// The numbers of the keys of people who are not copied. No copy has them.
const GUARDIAN: u64 = 1 << 40;
const COACH: u64 = GUARDIAN + 1;
const WRITER: u64 = GUARDIAN + 2;

/// What was created.
pub(super) struct Template {
    /// The organization that is copied.
    pub(super) organization: Uuid,
    /// Its people, in the order in which copies have them.
    pub(super) people: Vec<UserId>,
    /// A season.
    pub(super) season: SeasonId,
    /// A guardian of two children.
    pub(super) guardian: Identity,
    /// A coach who sees some of many children.
    pub(super) coach: Identity,
    /// A manager of an organization whose seasons no one lists.
    pub(super) writer: Identity,
}

/// Creates the organizations.
pub(super) async fn create(store: &Store) -> Result<Template> {
    let club = Club::found(store, &format!("Club {LABEL}")).await;
    let (records, season) = league()?;
    club.create(store, records).await;
    let family = Club::found(store, "Family club").await;
    let parent = family.person(Role::Member);
    family.create(store, of_family(parent)).await;
    let many = Club::found(store, "Club of many children").await;
    let coach = many.person(Role::Coach);
    many.create(store, children_of(coach)).await;
    let roles = [Role::Manager, Role::Coach, Role::Member, Role::Viewer];
    Ok(Template {
        organization: club.id().uuid(),
        people: roles.map(|role| club.person(role).user.id).into(),
        season,
        guardian: identity(parent, GUARDIAN),
        coach: identity(coach, COACH),
        writer: identity(family.person(Role::Manager), WRITER),
    })
}

fn identity(person: &Person, key: u64) -> Identity {
    Identity { organization: person.organization, user: person.user.id, session: person.session.id, key }
}

/// The seasons with divisions, and one with teams and games; and the season that is read alone.
fn league() -> Result<(Vec<AnyRecord>, SeasonId)> {
    let mut records: Vec<AnyRecord> = Vec::new();
    let mut first = None;
    for number in 0..SEASONS {
        let mut season = season(&format!("Season {number:02} of {LABEL}"));
        season.starts_on = Some(date(2006 + number, 3, 1));
        let divisions = [division(&season, "Open"), division(&season, "Under 14")];
        first.get_or_insert((season.id, divisions[0].clone()));
        records.push(season.into());
        records.extend(divisions.map(AnyRecord::from));
    }
    let (season, open) = first.context("there is a season")?;
    let teams: Vec<Team> = (1..=4).map(|number| team(&open, &format!("Team {number} of {LABEL}"))).collect();
    let hall = venue(&format!("Hall of {LABEL}"));
    let hall_id = hall.id;
    records.push(hall.into());
    records.extend(teams.iter().cloned().map(AnyRecord::from));
    for number in 0..GAMES {
        let (home, away) = (teams[number % 4].id, teams[(number + 1) % 4].id);
        let played = game(&open, home, away, start(NOW, number)?);
        records.push(Game { venue_id: Some(hall_id), ..played }.into());
    }
    Ok((records, season))
}

/// When a game starts, if the first one starts at `first`.
pub(crate) fn start(first: Timestamp, game: usize) -> Result<Timestamp> {
    Ok(first.checked_add(SignedDuration::from_hours(i64::try_from(game)? * 6))?)
}

/// Two children with their guardian, in a team.
fn of_family(parent: &Person) -> Vec<AnyRecord> {
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let team = team(&open, "Team");
    let mut records: Vec<AnyRecord> = vec![winter.into(), open.into(), team.clone().into()];
    for name in ["Invented One", "Invented Two"] {
        let child = child(name);
        records.push(child.clone().into());
        records.push(roster_entry(&team, &child).into());
        records.push(guardian(&child, parent.user.id).into());
    }
    records
}

/// Many children in teams, of which the coach sees some.
fn children_of(coach: &Person) -> Vec<AnyRecord> {
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let mut records: Vec<AnyRecord> = vec![winter.into(), open.clone().into()];
    for number in 0..CHILDREN / TEAM {
        let team = team(&open, &format!("Team {number}"));
        records.push(team.clone().into());
        if number < COACHED {
            records.push(Staff { state: StaffState::Confirmed, ..staff(&team, coach.user.id) }.into());
        }
        for player in 0..TEAM {
            let child = child(&format!("Invented {player} {number}"));
            records.extend([child.clone().into(), roster_entry(&team, &child).into()]);
        }
    }
    records
}
