//! The venues of a file, and the order of their courts.

use std::collections::HashSet;

use super::Options;
use super::fixtures::Ground;
use super::records::Found;
use crate::tally::Tally;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::text::{Name, fold};
use fieldhouse_domain::venues::{NewVenue, Venue};

/// The venues by folded name, and the folded names of their courts.
pub(super) struct Venues {
    ledger: Found<String, Venue>,
    courts: HashSet<(VenueId, String)>,
}

impl Venues {
    /// The venues that exist.
    pub(super) fn new(existing: Vec<Venue>) -> Self {
        let courts = existing
            .iter()
            .flat_map(|venue| venue.fields.iter().map(|court| (venue.id, court.folded())))
            .collect();
        Self { ledger: Found::new(existing, |venue| venue.name.folded()), courts }
    }

    /// The venue of a ground. It gains the court where it has none of that folded name, and never loses one.
    pub(super) fn name(&mut self, moment: &Moment, options: &Options, ground: &Ground) -> VenueId {
        let venue = self.ledger.name(ground.venue.folded(), || created(moment, options, &ground.venue));
        if let Some(court) = &ground.court
            && self.courts.insert((venue.id, court.folded()))
        {
            venue.fields.push(court.clone());
        }
        venue.id
    }

    /// The effects. The courts of a venue that has gained some are put in order.
    pub(super) fn settle(mut self, moment: &Moment) -> (Vec<Effect>, Tally) {
        self.ledger.review(|before, venue| {
            if before.is_none_or(|before| before.fields.len() < venue.fields.len()) {
                venue.fields.sort_by_cached_key(|court| natural(court.as_str()));
            }
        });
        self.ledger.settle(moment)
    }
}

fn created(moment: &Moment, options: &Options, name: &Name) -> Venue {
    Venue::create(moment, NewVenue::new(name.clone(), options.time_zone.clone()))
}

/// By what names are sorted so that Court 2 comes before Court 10: folded, numbers by their length and then their digits.
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
    fn courts_are_sorted_as_people_count() {
        let mut courts = ["Court 10", "Oval", "court 2", "Court 1b", "Court 1", "Court 01a", "3x3 Court"];
        courts.sort_by_cached_key(|court| natural(court));
        assert_eq!(courts, ["3x3 Court", "Court 1", "Court 01a", "Court 1b", "court 2", "Court 10", "Oval"]);
    }
}
