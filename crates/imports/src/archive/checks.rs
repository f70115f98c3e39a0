//! References between the records of an archive: each is to a record before it. The constraints of the store check which values are unique.

use std::collections::{HashMap, HashSet};

use fieldhouse_domain::Refusal;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::games::{Places, refuse_wrong_places};
use fieldhouse_domain::ids::{DivisionId, Id, SeasonId, TeamId, UserId, VenueId};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::venues::Venue;

use super::Entry;

/// The records that were read so far.
#[derive(Default)]
pub(super) struct Checks {
    ids: HashSet<String>,
    users: HashSet<UserId>,
    addresses: HashSet<String>,
    seasons: HashSet<SeasonId>,
    divisions: HashMap<DivisionId, Division>,
    teams: HashMap<TeamId, Team>,
    venues: HashMap<VenueId, Venue>,
}

impl Checks {
    /// Checks a record and remembers it.
    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), Refusal> {
        match entry {
            Entry::Member(member, person) => {
                self.is_new(member.id)?;
                let same = member.user_id == person.id;
                let new = self.users.insert(person.id) && self.addresses.insert(person.email.folded());
                refuse_unless(same && new, "its user is named twice, or is another one")
            }
            Entry::Season(season) => {
                self.is_new(season.id)?;
                self.seasons.insert(season.id);
                Ok(())
            }
            Entry::Division(division) => {
                self.is_new(division.id)?;
                self.has_season(division.season_id)?;
                self.divisions.insert(division.id, division.clone());
                Ok(())
            }
            Entry::Team(team) => {
                self.is_new(team.id)?;
                let division = self.divisions.get(&team.division_id);
                let fits = division.is_some_and(|division| division.season_id == team.season_id);
                refuse_unless(fits, "its division is missing, or of another season")?;
                self.teams.insert(team.id, team.clone());
                Ok(())
            }
            Entry::Venue(venue) => {
                self.is_new(venue.id)?;
                self.venues.insert(venue.id, venue.clone());
                Ok(())
            }
            Entry::Game(game) => {
                self.is_new(game.id)?;
                self.has_season(game.season_id)?;
                let places = Places {
                    division: self.divisions.get(&game.division_id).cloned(),
                    home: game.home_team_id.and_then(|id| self.teams.get(&id).cloned()),
                    away: game.away_team_id.and_then(|id| self.teams.get(&id).cloned()),
                    venue: game.venue_id.and_then(|id| self.venues.get(&id).cloned()),
                };
                // As for a changed game: a team may have moved to another division since.
                refuse_wrong_places(Some(game), game, &places)
            }
            Entry::Staff(staff) => {
                self.is_new(staff.id)?;
                refuse_unless(self.teams.contains_key(&staff.team_id), "its team is missing")?;
                refuse_unless(self.users.contains(&staff.user_id), "its user is not a member")
            }
        }
    }

    fn is_new(&mut self, id: impl Id) -> Result<(), Refusal> {
        refuse_unless(self.ids.insert(id.to_string()), "it is there twice")
    }

    fn has_season(&self, season: SeasonId) -> Result<(), Refusal> {
        refuse_unless(self.seasons.contains(&season), "its season is missing")
    }
}

fn refuse_unless(fits: bool, otherwise: &str) -> Result<(), Refusal> {
    if fits { Ok(()) } else { Err(Refusal::State(otherwise.to_owned())) }
}
