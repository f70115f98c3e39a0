//! Seasons of one sport.

pub mod contents;
pub mod shown;

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;

use crate::Refusal;
use crate::ids::SeasonId;
use crate::record::{Body, Cell, CellKind, Column, Record, enumeration};
use crate::refusal::Check;
use crate::sports::Sport;
use crate::text::{ExternalId, Name};
use crate::time::TimeZoneName;

enumeration! {
    /// The status of a season.
    SeasonStatus {
        /// Being prepared.
        Draft "draft",
        /// Open for registration.
        Registration "registration",
        /// Being played.
        Active "active",
        /// Played.
        Completed "completed",
        /// No longer in use. It can only change back to `completed`.
        Archived "archived",
    }
}

enumeration! {
    /// A criterion that ranks teams with equal points in the standings.
    Tiebreaker {
        /// The results of the games between these teams.
        HeadToHead "head_to_head",
        /// Points scored minus points conceded.
        Difference "difference",
        /// Points scored.
        Scored "scored",
        /// The name, so that the order is always defined.
        Name "name",
    }
}

/// The points for each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Body)]
pub struct Scoring {
    /// For a win.
    #[body(min = -100, max = 100)]
    pub win: i64,
    /// For a draw.
    #[body(min = -100, max = 100)]
    pub draw: i64,
    /// For a loss.
    #[body(min = -100, max = 100)]
    pub loss: i64,
}

/// Stored as JSON.
impl Column for Scoring {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Owned(crate::rendered::json(self)))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        serde_json::from_str(cell.text()?).map_err(|error| error.to_string())
    }
}

impl Default for Scoring {
    fn default() -> Self {
        Self { win: 3, draw: 1, loss: 0 }
    }
}

/// A season of one sport.
#[derive(Clone, PartialEq, Record)]
#[record(
    table = "seasons", alias = "s", rules = check,
    derived(name_folded = self.name.folded(), listed_on = self.listed_on(), shown = shown::stored(&image()))
)]
pub struct Season {
    /// The id.
    #[field(server, initial = moment.id())]
    pub id: SeasonId,
    /// Its name, unique in the organization regardless of case and accents.
    #[field(client)]
    pub name: Name,
    /// The sport, in any spelling. It is stored in `snake_case`.
    #[field(client)]
    pub sport: Sport,
    /// Its status.
    #[field(client, default = SeasonStatus::Draft)]
    pub status: SeasonStatus,
    /// Its first day.
    #[field(client)]
    pub starts_on: Option<Date>,
    /// Its last day.
    #[field(client)]
    pub ends_on: Option<Date>,
    /// The IANA time zone of its local times.
    #[field(client)]
    pub time_zone: TimeZoneName,
    /// The points for each result.
    #[field(client, default = Scoring::default())]
    pub scoring: Scoring,
    /// The criteria that rank teams with equal points, in order.
    #[field(client, default = Tiebreaker::ALL.to_vec())]
    pub tiebreakers: Vec<Tiebreaker>,
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

impl Season {
    /// The date that seasons are listed by: the first day, or the day on which the record was created.
    pub fn listed_on(&self) -> Date {
        self.starts_on.unwrap_or_else(|| self.time_zone.date(self.created_at))
    }
}

/// The season after a change. An archived season can only change back to completed.
pub fn changed(season: &Season, wanted: ChangeSeason) -> Result<Season, Refusal> {
    let after = season.with(wanted)?;
    let leaves_archive = season.status == SeasonStatus::Archived && after.status != SeasonStatus::Archived;
    if leaves_archive && after.status != SeasonStatus::Completed {
        return Err(Refusal::State("an archived season can only change back to completed".to_owned()));
    }
    Ok(after)
}

/// Checks the rules between the fields of a season.
fn check(season: &ChangeSeason, check: &mut Check) {
    let days = (season.starts_on.flatten(), season.ends_on.flatten());
    if matches!(days, (Some(first), Some(last)) if last < first) {
        let fix = "Send a day on or after starts_on.";
        check.refuse("/ends_on", "before_start", "is before the season starts", fix);
    }
    let repeated = |named: &Vec<Tiebreaker>| named.iter().collect::<BTreeSet<_>>().len() != named.len();
    if season.tiebreakers.as_ref().is_some_and(repeated) {
        check.refuse("/tiebreakers", "repeated", "contains a tiebreaker twice", "Send each at most once.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;
    use crate::record::Record;

    fn season(status: SeasonStatus, created_at: &str) -> Season {
        let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let name = Name::parse("Winter").expect("a name");
        let wanted = NewSeason { status, ..NewSeason::new(name, Sport::stored("netball".to_owned()), zone) };
        Season::create(&Moment::new(created_at.parse().expect("a time"), 7), wanted)
    }

    #[test]
    fn only_the_way_from_archived_is_limited() {
        for before in SeasonStatus::ALL {
            for after in SeasonStatus::ALL {
                let wanted = ChangeSeason { status: Some(*after), ..ChangeSeason::default() };
                let result = changed(&season(*before, "2026-03-01T12:00:00Z"), wanted);
                let is_refused = *before == SeasonStatus::Archived
                    && !matches!(after, SeasonStatus::Archived | SeasonStatus::Completed);
                assert_eq!(result.is_err(), is_refused, "{before} to {after}");
                assert!(!is_refused || matches!(result, Err(Refusal::State(_))));
            }
        }
    }

    #[test]
    fn an_archived_season_can_be_renamed() {
        let archived = season(SeasonStatus::Archived, "2026-03-01T12:00:00Z");
        let name = Some(Name::parse("Hiver").expect("a name"));
        let after = changed(&archived, ChangeSeason { name, ..ChangeSeason::default() }).expect("a change");
        assert_eq!(after.changed(&archived), ["name"]);
    }

    #[test]
    fn a_season_without_dates_is_listed_by_the_local_day_of_its_creation() {
        let late = season(SeasonStatus::Draft, "2026-03-01T20:00:00Z");
        assert_eq!(late.listed_on().to_string(), "2026-03-02", "already the next day in Melbourne");
        let starts = Some(jiff::civil::date(2026, 1, 1));
        assert_eq!(Season { starts_on: starts, ..late }.listed_on().to_string(), "2026-01-01");
    }
}
