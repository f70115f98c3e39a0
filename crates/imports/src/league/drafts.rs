//! Drafts: the game records of a file's fixtures. Divisions, teams and venues are found or created on the way.

use super::Options;
use super::fixtures::{Fixture, FixtureSide, Sides, Timed};
use super::records::Found;
use super::venues::Venues;
use fieldhouse_domain::Moment;
use fieldhouse_domain::divisions::{self, Division};
use fieldhouse_domain::games::{Game, Side};
use fieldhouse_domain::ids::{DivisionId, SeasonId, TeamId};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::Name;

/// The records that the games of a file refer to.
pub(super) struct Lookups {
    /// By the season's key in the file.
    pub(super) seasons: Found<String, Season>,
    /// By season and folded name.
    pub(super) divisions: Found<(SeasonId, String), Division>,
    /// By division and folded name.
    pub(super) teams: Found<(DivisionId, String), Team>,
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
        let venue = place.map(|place| self.venues.name(moment, options, place));
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
            ends_at: None,
            local_start: Some(options.time_zone.local(timed.starts_at)),
            time_zone: options.time_zone.clone(),
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
        self.divisions.name((season_id, name.folded()), make).id
    }

    fn sides(
        &mut self,
        moment: &Moment,
        season_id: SeasonId,
        division_id: DivisionId,
        fixture: &Fixture,
    ) -> (Side, Option<Side>) {
        let mut team = |name: &Name| self.team(moment, season_id, division_id, name);
        match &fixture.sides {
            Sides::Bye { team: name } => (Side { team_id: team(name), score: None }, None),
            Sides::Game { home, away } => {
                let mut side = |side: &FixtureSide| Side { team_id: team(&side.team), score: side.score };
                (side(home), Some(side(away)))
            }
        }
    }

    fn team(&mut self, moment: &Moment, season_id: SeasonId, division_id: DivisionId, name: &Name) -> TeamId {
        let make = || Team {
            id: moment.id(),
            season_id,
            division_id,
            name: name.clone(),
            short_name: None,
            external_id: None,
            created_at: moment.now(),
            updated_at: moment.now(),
            version: 1,
        };
        self.teams.name((division_id, name.folded()), make).id
    }
}
