//! The archive of an organization: gzipped lines of JSON. The first line says what the file is, each of the others is one record, and the
//! last one has the number of records and the digest of all lines before it.
//!
//! Records are written with all their fields, parents before children, and keep their ids. The archive contains no secret. Users are
//! named by the member that they are: a new server gives them other ids.

mod checks;
mod reading;
mod writing;

use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{Country, Organization, Slug};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use reading::{BadArchive, read};
pub use writing::Writer;

/// What the first line calls the format.
const FORMAT: &str = "fieldhouse-organization";
/// The version that is written, and the newest that is read.
pub const VERSION: u32 = 1;
/// The maximum number of records.
pub const MAX_RECORDS: u64 = 200_000;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// When the organization was exported.
    pub exported_at: Timestamp,
    /// The organization's name.
    pub name: Name,
    /// Its short name.
    pub slug: Slug,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<Country>,
    /// Its IANA time zone.
    pub time_zone: TimeZoneName,
}

impl Heading {
    /// The heading of an organization's archive.
    pub fn of(organization: &Organization, exported_at: Timestamp) -> Self {
        Self {
            exported_at,
            name: organization.name.clone(),
            slug: organization.slug.clone(),
            country: organization.country.clone(),
            time_zone: organization.time_zone.clone(),
        }
    }
}

/// The user behind a membership.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// The user's id on the server that wrote the archive.
    pub id: UserId,
    /// The e-mail address for sign-in.
    pub email: Email,
    /// The person's name.
    pub name: Name,
}

/// A record of an archive.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each member is the record of its name")]
pub enum Entry {
    Member(Member, Person),
    Season(Season),
    Division(Division),
    Team(Team),
    Venue(Venue),
    Game(Game),
    Staff(Staff),
}

/// The numbers of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveCounts {
    /// Members.
    pub members: u64,
    /// Seasons.
    pub seasons: u64,
    /// Divisions.
    pub divisions: u64,
    /// Teams.
    pub teams: u64,
    /// Venues.
    pub venues: u64,
    /// Games, including byes.
    pub games: u64,
    /// Staff of teams.
    pub staff: u64,
}

impl ArchiveCounts {
    fn add(&mut self, entry: &Entry) {
        *match entry {
            Entry::Member(..) => &mut self.members,
            Entry::Season(_) => &mut self.seasons,
            Entry::Division(_) => &mut self.divisions,
            Entry::Team(_) => &mut self.teams,
            Entry::Venue(_) => &mut self.venues,
            Entry::Game(_) => &mut self.games,
            Entry::Staff(_) => &mut self.staff,
        } += 1;
    }

    /// The number of all records.
    pub fn all(&self) -> u64 {
        let Self { members, seasons, divisions, teams, venues, games, staff } = self;
        members + seasons + divisions + teams + venues + games + staff
    }
}

/// The content of an archive. Every record is valid, and refers only to others of the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    /// The first line.
    pub heading: Heading,
    /// The records, in the order of the file.
    pub entries: Vec<Entry>,
    /// Their numbers.
    pub counts: ArchiveCounts,
}

#[cfg(test)]
mod tests;
