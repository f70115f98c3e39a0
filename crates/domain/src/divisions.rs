//! Divisions (grades) of a season.

use jiff::Timestamp;

use crate::ids::{DivisionId, SeasonId};
use crate::record::{enumeration, record};
use crate::text::Name;

enumeration! {
    /// Who plays in a division.
    DivisionGender {
        /// Boys.
        Boys "boys",
        /// Girls.
        Girls "girls",
        /// Both.
        Mixed "mixed",
    }
}

record! {
    /// A division of a season.
    Division {
        /// The id.
        id: DivisionId,
        /// Its season.
        season_id: SeasonId,
        /// Its name, unique in the season by its folded form.
        name: Name,
        /// The age group: `U12`.
        age_group: Option<String>,
        /// Who plays in it.
        gender: Option<DivisionGender>,
        /// When it was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

/// The age group that a division's name tells: the word `U` followed by one or two digits (`Saturday U12 Boys Division 1`).
pub fn age_group(name: &Name) -> Option<String> {
    words(name)
        .find(|word| {
            let digits = word.strip_prefix(['U', 'u']).unwrap_or_default();
            (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
        .map(str::to_uppercase)
}

/// Who plays in a division, as far as its name tells.
pub fn gender(name: &Name) -> Option<DivisionGender> {
    words(name).find_map(|word| word.to_lowercase().parse().ok())
}

fn words(name: &Name) -> impl Iterator<Item = &str> {
    name.as_str().split(|letter: char| !letter.is_alphanumeric())
}
