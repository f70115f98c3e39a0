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
use jiff::SignedDuration;
use jiff::civil::date;
use uuid::Uuid;

use crate::identities::{Identity, microseconds};

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

/// What was created.
pub(super) struct Template {
    /// The organization that is copied.
    pub(super) organization: Uuid,
    /// Its people, in the order in which copies have them.
    pub(super) people: Vec<UserId>,
    /// A season.
    pub(super) season: SeasonId,
    /// The first start of the games, in microseconds.
    pub(super) first_game: i64,
    /// A guardian of two children.
    pub(super) guardian: Identity,
    /// A coach who sees some of many children.
    pub(super) coach: Identity,
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
        first_game: microseconds(NOW),
        guardian: identity(parent, GUARDIAN),
        coach: identity(coach, COACH),
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
        let hours = i64::try_from(number)? * 6;
        let (home, away) = (teams[number % 4].id, teams[(number + 1) % 4].id);
        let played = game(&open, home, away, NOW.checked_add(SignedDuration::from_hours(hours))?);
        records.push(Game { venue_id: Some(hall_id), ..played }.into());
    }
    Ok((records, season))
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
