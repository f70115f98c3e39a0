//! What belongs to a season and is deleted with it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::Season;
use crate::Refusal;
use crate::effects::{AnyRecord, Effect};
use crate::kinds::Kind;

/// How many records of each kind belong to a season.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeasonCounts {
    /// Divisions.
    pub divisions: usize,
    /// Teams.
    pub teams: usize,
    /// Games.
    pub games: usize,
    /// Entries of staff of its teams.
    pub staff: usize,
    /// Duties that are limited to the season.
    pub duties: usize,
    /// Registrations of children.
    pub registrations: usize,
    /// Entries of the rosters of its teams.
    pub roster_entries: usize,
}

impl SeasonCounts {
    /// Such as `1 division, 12 teams and 66 games`. Empty if there is nothing.
    pub fn in_words(&self) -> String {
        let Self { divisions, teams, games, staff, duties, registrations, roster_entries } = *self;
        let named = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let mut parts: Vec<String> = [
            named(divisions, "division", "divisions"),
            named(teams, "team", "teams"),
            named(games, "game", "games"),
            named(staff, "entry of staff", "entries of staff"),
            named(duties, "duty", "duties"),
            named(registrations, "registration", "registrations"),
            named(roster_entries, "roster entry", "roster entries"),
        ]
        .into_iter()
        .flatten()
        .collect();
        match parts.pop() {
            Some(last) if parts.is_empty() => last,
            Some(last) => format!("{} and {last}", parts.join(", ")),
            None => String::new(),
        }
    }
}

/// A season that still has contents, in a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// How many records it has.
    pub counts: SeasonCounts,
    /// A digest of the season and these records with their versions. It confirms that exactly these are deleted.
    pub digest: String,
    /// Whether another digest was confirmed.
    pub has_changed: bool,
}

impl std::fmt::Display for Inventory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = self.counts.in_words();
        match (self.has_changed, counts.is_empty()) {
            (false, _) => write!(f, "the season has {counts}. Archive it, or delete everything with a purge"),
            (true, false) => {
                write!(f, "the season has changed since: it has {counts}. Check again what would be deleted")
            }
            (true, true) => {
                f.write_str("the season has changed since: it is empty. Delete it without a purge")
            }
        }
    }
}

/// A season with everything that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The season.
    pub season: Season,
    /// The records that belong to it, in any order.
    pub records: Vec<AnyRecord>,
}

impl Contents {
    /// How many records of each kind there are.
    pub fn counts(&self) -> SeasonCounts {
        let mut counts = SeasonCounts::default();
        for record in &self.records {
            match record.kind() {
                Kind::Division => counts.divisions += 1,
                Kind::Team => counts.teams += 1,
                Kind::Game => counts.games += 1,
                Kind::Staff => counts.staff += 1,
                Kind::Duty => counts.duties += 1,
                Kind::Registration => counts.registrations += 1,
                Kind::RosterEntry => counts.roster_entries += 1,
                _ => {}
            }
        }
        counts
    }

    /// A digest of the ids and versions, in 32 hexadecimal digits. It is the same for any order of the records.
    pub fn digest(&self) -> String {
        let mut parts: Vec<_> = self.records.iter().map(|record| (record.id(), record.version())).collect();
        parts.push((self.season.id.to_string(), self.season.version));
        parts.sort_unstable();
        let mut digest = Sha256::new();
        for (id, version) in parts {
            digest.update(id);
            digest.update(version.to_be_bytes());
        }
        let mut half = [0; 16];
        half.copy_from_slice(&digest.finalize()[..16]);
        format!("{:032x}", u128::from_be_bytes(half))
    }

    /// Checks that nothing belongs to the season.
    pub fn refuse_unless_empty(&self) -> Result<(), Refusal> {
        if self.records.is_empty() { Ok(()) } else { Err(self.refusal(false)) }
    }

    /// The deletion of the season and its contents, if the confirmed digest is that of today.
    pub fn purge(&self, confirmed: &str) -> Result<Vec<Effect>, Refusal> {
        if confirmed != self.digest() {
            return Err(self.refusal(true));
        }
        let season = AnyRecord::from(self.season.clone());
        // What is about children follows from the deletion of their teams and of the season.
        let records = self.records.iter().filter(|record| record.child().is_none()).cloned();
        Ok(records.chain([season]).map(Effect::delete).collect())
    }

    fn refusal(&self, has_changed: bool) -> Refusal {
        Refusal::HasContents(Box::new(Inventory {
            counts: self.counts(),
            digest: self.digest(),
            has_changed,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_as_people_say_them() {
        let words = |divisions, teams, games, staff| {
            SeasonCounts { divisions, teams, games, staff, ..SeasonCounts::default() }.in_words()
        };
        assert_eq!(words(1, 12, 66, 0), "1 division, 12 teams and 66 games");
        assert_eq!(words(2, 1, 1, 3), "2 divisions, 1 team, 1 game and 3 entries of staff");
        assert_eq!(words(0, 0, 0, 1), "1 entry of staff");
        assert_eq!(words(0, 0, 0, 0), "");
        let duties = SeasonCounts { staff: 1, duties: 2, ..SeasonCounts::default() };
        assert_eq!(duties.in_words(), "1 entry of staff and 2 duties");
        let children = SeasonCounts { registrations: 1, roster_entries: 2, ..SeasonCounts::default() };
        assert_eq!(children.in_words(), "1 registration and 2 roster entries");
    }
}
