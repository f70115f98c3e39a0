//! Divisions (grades) of a season.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{DivisionId, SeasonId};
use crate::record::{Record, enumeration};
use crate::text::{ExternalId, Name};

enumeration! {
    /// Who plays in a division.
    DivisionGender {
        /// Boys.
        Boys "boys",
        /// Girls.
        Girls "girls",
        /// Boys and girls.
        Mixed "mixed",
    }
}

/// A division of a season.
#[derive(Clone, PartialEq, Serialize, Deserialize, Record)]
#[record(table = "divisions", alias = "d", wire, derived(name_folded = self.name.folded()))]
pub struct Division {
    /// The id.
    #[field(server, initial = moment.id())]
    pub id: DivisionId,
    /// Its season.
    #[field(create_only)]
    pub season_id: SeasonId,
    /// Its name, unique in the season regardless of case and accents.
    #[field(client)]
    pub name: Name,
    /// The age group, such as `U12`.
    #[field(client)]
    pub age_group: Option<Name>,
    /// Who plays in it.
    #[field(client)]
    pub gender: Option<DivisionGender>,
    /// The id that another system gave it.
    #[field(client)]
    pub external_id: Option<ExternalId>,
    /// When it was created.
    #[field(server, moment, initial = moment.now())]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping, initial = moment.now())]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping, initial = 1)]
    pub version: i64,
}

/// The age group in a division's name: the word `U` followed by one or two digits (`Saturday U12 Boys Division 1`).
pub fn age_group(name: &Name) -> Option<Name> {
    words(name)
        .find(|word| {
            let digits = word.strip_prefix(['U', 'u']).unwrap_or_default();
            (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
        .and_then(|word| Name::parse(&word.to_uppercase()).ok())
}

/// Who plays in a division, if its name says so.
pub fn gender(name: &Name) -> Option<DivisionGender> {
    words(name).find_map(|word| word.to_lowercase().parse().ok())
}

fn words(name: &Name) -> impl Iterator<Item = &str> {
    name.as_str().split(|letter: char| !letter.is_alphanumeric())
}
