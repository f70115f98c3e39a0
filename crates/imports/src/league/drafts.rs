//! Drafts: the game records of a file's fixtures. Divisions, teams and venues are found or created on the way.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Options;
use super::fixtures::{Fixture, FixtureSide, Sides, Timed};
use super::records::Found;
use super::report::MatchHow;
use super::venues::Venues;
use fieldhouse_domain::Moment;
use fieldhouse_domain::divisions::{self, Division};
use fieldhouse_domain::games::{Game, Side};
use fieldhouse_domain::ids::{DivisionId, SeasonId, TeamId};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{ExternalId, Name};

/// The records that the games of a file refer to.
pub(super) struct Lookups {
    /// By the season's key in the file.
    pub(super) seasons: Found<String, Season>,
    /// By season and folded name.
    pub(super) divisions: Found<(SeasonId, String), Division>,
    /// By division and folded name.
    pub(super) teams: Found<(DivisionId, String), Team>,
    /// The folded names of teams by division and external id.
    pub(super) team_ids: HashMap<(DivisionId, ExternalId), String>,
    /// By folded name, with their courts.
    pub(super) venues: Venues,
}

impl Lookups {
    /// The game of a fixture. `None` if its season was refused.
    pub(super) fn draft(&mut self, moment: &Moment, options: &Options, timed: &Timed) -> Option<Game> {
        let fixture = &timed.fixture;
        let season_id = self.seasons.find(&fixture.season.key())?.id;
        let division_id = self.division(moment, season_id, &fixture.division);
        let place = fixture.place.as_ref();
        let time_zone = fixture.time_zone.as_ref().unwrap_or(&options.time_zone);
        let venue = place.map(|place| self.venues.name(moment, time_zone, place));
        let (home, away) = self.sides(moment, season_id, division_id, fixture);
        Some(Game {
            id: moment.id(),
            season_id,
            division_id,
            round: fixture.round.clone(),
            kind: fixture.kind(),
            status: fixture.status,
            starts_at: timed.starts_at,
            time_tbd: fixture.time.is_none(),
            ends_at: fixture
                .duration
                .filter(|_| fixture.time.is_some())
                .and_then(|length| timed.starts_at.checked_add(length).ok()),
            local_start: Some(time_zone.local(timed.starts_at)),
            time_zone: time_zone.clone(),
            venue_id: venue,
            field: place.and_then(|place| place.court.clone()),
            home_team_id: Some(home.team_id),
            home_score: home.score,
            away_team_id: away.map(|side| side.team_id),
            away_score: away.and_then(|side| side.score),
            last_change: None,
            external_id: fixture.external_id.clone(),
            created_at: moment.now(),
            updated_at: moment.now(),
            version: 1,
        })
    }

    fn division(&mut self, moment: &Moment, season_id: SeasonId, name: &Name) -> DivisionId {
        let make = || Division {
            id: moment.id(),
            season_id,
            name: name.clone(),
            age_group: divisions::age_group(name),
            gender: divisions::gender(name),
            external_id: None,
            created_at: moment.now(),
            updated_at: moment.now(),
            version: 1,
        };
        self.divisions.name((season_id, name.folded()), (name, MatchHow::Name), make).id
    }

    fn sides(
        &mut self,
        moment: &Moment,
        season_id: SeasonId,
        division_id: DivisionId,
        fixture: &Fixture,
    ) -> (Side, Option<Side>) {
        let mut team = |side: &FixtureSide| self.team(moment, season_id, division_id, side);
        match &fixture.sides {
            Sides::Bye { team: name } => {
                let side = FixtureSide { team: name.clone(), score: None, external_id: None };
                (Side { team_id: team(&side), score: None }, None)
            }
            Sides::Game { home, away } => {
                let mut side = |side: &FixtureSide| Side { team_id: team(side), score: side.score };
                (side(home), Some(side(away)))
            }
        }
    }

    /// The team of a side: by its external id, or else by its name. A team that is found by name gains the id.
    fn team(
        &mut self,
        moment: &Moment,
        season_id: SeasonId,
        division_id: DivisionId,
        side: &FixtureSide,
    ) -> TeamId {
        let folded = side.team.folded();
        let known = side.external_id.clone().map(|id| self.team_ids.entry((division_id, id)));
        let (key, how) = match known {
            Some(Entry::Occupied(known)) => (known.get().clone(), MatchHow::ExternalId),
            Some(Entry::Vacant(new)) => (new.insert(folded).clone(), MatchHow::Name),
            None => (folded, MatchHow::Name),
        };
        let make = || Team {
            id: moment.id(),
            season_id,
            division_id,
            name: side.team.clone(),
            short_name: None,
            external_id: None,
            created_at: moment.now(),
            updated_at: moment.now(),
            version: 1,
        };
        let team = self.teams.name((division_id, key), (&side.team, how), make);
        if team.external_id.is_none() {
            team.external_id.clone_from(&side.external_id);
        }
        team.id
    }
}
