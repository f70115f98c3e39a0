//! Records of a league for tests, with plain values. A test changes the fields that matter to it.

use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::games::{Game, GameKind, GameStatus};
use fieldhouse_domain::ids::{Id, TeamId, UserId};
use fieldhouse_domain::rendered::Rendered;
use fieldhouse_domain::seasons::{Scoring, Season, SeasonStatus, Tiebreaker};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::staff::{Staff, StaffKind, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{Name, Reason};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;

use crate::clubs::{NOW, TOUCHED, moment};

fn melbourne() -> TimeZoneName {
    TimeZoneName::stored("Australia/Melbourne".to_owned())
}

fn new_id<I: Id>() -> I {
    moment().id()
}

/// Creates an active basketball season without dates.
pub fn season(name: &str) -> Season {
    Season {
        id: new_id(),
        name: Name::stored(name.to_owned()),
        sport: Sport::stored("basketball".to_owned()),
        status: SeasonStatus::Active,
        starts_on: None,
        ends_on: None,
        time_zone: melbourne(),
        scoring: Scoring::default(),
        tiebreakers: Tiebreaker::ALL.to_vec(),
        external_id: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a division of a season.
pub fn division(season: &Season, name: &str) -> Division {
    Division {
        id: new_id(),
        season_id: season.id,
        name: Name::stored(name.to_owned()),
        age_group: None,
        gender: None,
        external_id: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a team of a division.
pub fn team(division: &Division, name: &str) -> Team {
    Team {
        id: new_id(),
        season_id: division.season_id,
        division_id: division.id,
        name: Name::stored(name.to_owned()),
        short_name: None,
        external_id: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a venue without an address.
pub fn venue(name: &str) -> Venue {
    Venue {
        id: new_id(),
        name: Name::stored(name.to_owned()),
        address: None,
        latitude: None,
        longitude: None,
        time_zone: melbourne(),
        fields: Vec::new(),
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a scheduled game of a division, with a known time and no venue.
pub fn game(division: &Division, home: TeamId, away: TeamId, starts_at: Timestamp) -> Game {
    Game {
        id: new_id(),
        season_id: division.season_id,
        division_id: division.id,
        round: None,
        kind: GameKind::Game,
        status: GameStatus::Scheduled,
        starts_at,
        time_tbd: false,
        ends_at: None,
        local_start: Some(melbourne().local(starts_at)),
        time_zone: melbourne(),
        venue_id: None,
        field: None,
        home_team_id: Some(home),
        home_score: None,
        away_team_id: Some(away),
        away_score: None,
        last_change: None,
        external_id: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a proposed duty without a season, which ends a day later.
pub fn duty(user: UserId) -> Duty {
    Duty {
        id: new_id(),
        user_id: user,
        kind: DutyKind::MedicalStaff,
        team_ids: Vec::new(),
        season_id: None,
        state: DutyState::Proposed,
        starts_at: NOW,
        ends_at: NOW.saturating_add(SignedDuration::from_hours(24)).unwrap_or(NOW),
        reason: Reason::stored("The season starts".to_owned()),
        proposed_by: None,
        proposed_at: NOW,
        confirmed_by: None,
        confirmed_at: None,
        confirmed_alone: false,
        accepted_at: None,
        revoked_by: None,
        revoked_at: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a proposed staff entry of a team, without an end.
pub fn staff(team: &Team, user: UserId) -> Staff {
    Staff {
        id: new_id(),
        team_id: team.id,
        user_id: user,
        kind: StaffKind::Coach,
        state: StaffState::Proposed,
        starts_on: None,
        ends_on: None,
        proposed_by: None,
        proposed_at: NOW,
        confirmed_by: None,
        confirmed_at: None,
        confirmed_alone: false,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// What records that are JSON show.
///
/// # Panics
/// If the JSON is not what it should be.
pub fn parsed<L: Rendered<Shown: DeserializeOwned>>(rendered: &[L]) -> Vec<L::Shown> {
    rendered.iter().map(|line| serde_json::from_str(line.json()).expect("JSON of a record")).collect()
}
