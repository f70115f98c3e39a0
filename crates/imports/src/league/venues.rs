//! The venues of a file, and the order of their courts.

use std::collections::HashSet;

use super::fixtures::Place;
use super::records::Found;
use super::report::MatchHow;
use crate::tally::Tally;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::text::{Name, fold};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::{NewVenue, Venue};

/// The venues by folded name, with the folded names of their courts.
pub(super) struct Venues {
    pub(super) lookup: Found<String, Venue>,
    courts: HashSet<(VenueId, String)>,
}

impl Venues {
    /// The existing venues.
    pub(super) fn new(existing: Vec<Venue>) -> Self {
        let courts = existing
            .iter()
            .flat_map(|venue| venue.fields.iter().map(|court| (venue.id, court.folded())))
            .collect();
        Self { lookup: Found::new(existing, |venue| venue.name.folded()), courts }
    }

    /// The venue of a place. A new court is added to it; courts are never removed.
    pub(super) fn name(&mut self, moment: &Moment, time_zone: &TimeZoneName, place: &Place) -> VenueId {
        let venue = self.lookup.name(place.venue.folded(), (&place.venue, MatchHow::Name), || {
            created(moment, time_zone, &place.venue)
        });
        if let Some(court) = &place.court
            && self.courts.insert((venue.id, court.folded()))
        {
            venue.fields.push(court.clone());
        }
        venue.id
    }

    /// The effects. If courts were added, they are sorted.
    pub(super) fn effects(mut self, moment: &Moment) -> (Vec<Effect>, Tally) {
        self.lookup.review(|before, venue| {
            if before.is_none_or(|before| before.fields.len() < venue.fields.len()) {
                venue.fields.sort_by_cached_key(|court| natural(court.as_str()));
            }
        });
        self.lookup.effects(moment)
    }
}

fn created(moment: &Moment, time_zone: &TimeZoneName, name: &Name) -> Venue {
    Venue::create(moment, NewVenue::new(name.clone(), time_zone.clone()))
}

/// The sort key that puts Court 2 before Court 10: folded, numbers by their length and then their digits.
fn natural(name: &str) -> Vec<(String, usize, String)> {
    let mut parts = vec![(String::new(), 0, String::new())];
    for letter in fold(name).chars() {
        let after_number = parts.last().is_some_and(|part| part.1 > 0);
        if after_number && !letter.is_ascii_digit() {
            parts.push((String::new(), 0, String::new()));
        }
        if let Some((word, length, number)) = parts.last_mut() {
            if !letter.is_ascii_digit() {
                word.push(letter);
            } else if number != "0" {
                number.push(letter);
                *length = number.len();
            } else {
                *number = letter.to_string();
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courts_are_sorted_by_number() {
        let mut courts = ["Court 10", "Oval", "court 2", "Court 1b", "Court 1", "Court 01a", "3x3 Court"];
        courts.sort_by_cached_key(|court| natural(court));
        assert_eq!(courts, ["3x3 Court", "Court 1", "Court 01a", "Court 1b", "court 2", "Court 10", "Oval"]);
    }
}
