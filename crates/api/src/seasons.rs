//! Seasons on the wire.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::divisions::DivisionGender;
use fieldhouse_domain::ids::{DivisionId, SeasonId};
use fieldhouse_domain::refusal::Check;
use fieldhouse_domain::seasons::{self, ChangeSeason, NewSeason, SeasonStatus, Tiebreaker};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::day::Day;
use crate::patch::{self, Patch};

/// A season of one sport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Season {
    /// The id.
    pub id: SeasonId,
    /// Its name.
    pub name: String,
    /// The sport, in `snake_case`.
    pub sport: String,
    /// Where it stands.
    pub status: SeasonStatus,
    /// Its first day.
    pub starts_on: Option<Date>,
    /// Its last day.
    pub ends_on: Option<Date>,
    /// The IANA zone of its wall-clock times.
    pub time_zone: String,
    /// Its divisions, by name.
    pub divisions: Vec<Division>,
    /// What a result is worth.
    pub scoring: Scoring,
    /// What separates teams of equal points, in order.
    pub tiebreakers: Vec<Tiebreaker>,
    /// The id that another system gave it.
    pub external_id: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// A division of a season.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Division {
    /// The id.
    pub id: DivisionId,
    /// Its name.
    pub name: String,
    /// The age group: `U12`.
    pub age_group: Option<String>,
    /// Who plays in it.
    pub gender: Option<DivisionGender>,
}

/// The points that a result is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// For a win.
    pub win: i64,
    /// For a draw.
    pub draw: i64,
    /// For a loss.
    pub loss: i64,
}

impl From<Scoring> for seasons::Scoring {
    fn from(Scoring { win, draw, loss }: Scoring) -> Self {
        Self { win, draw, loss }
    }
}

impl From<seasons::Scoring> for Scoring {
    fn from(seasons::Scoring { win, draw, loss }: seasons::Scoring) -> Self {
        Self { win, draw, loss }
    }
}

/// Filters of the list of seasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeasonListQuery {
    /// Only seasons that stand here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<SeasonStatus>,
    /// Only seasons of this sport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<String>,
    /// Only seasons that are played in this year, in part at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i16>,
    /// Only seasons whose name holds these words or starts of words, in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only what changed since then, oldest change first, and in `deleted` what went. Changes of the same moment may become visible out
    /// of order: ask again from a minute before what you have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_since: Option<Timestamp>,
    /// How many records at most: 1 to 100, 25 unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A season to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeasonCreate {
    /// Its name: 1 to 200 characters, unique in the organization.
    pub name: String,
    /// The sport, in any spelling.
    pub sport: String,
    /// The IANA zone of its wall-clock times.
    pub time_zone: String,
    /// Where it stands; `draft` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<SeasonStatus>,
    /// Its first day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_on: Option<Day>,
    /// Its last day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_on: Option<Day>,
    /// What a result is worth; 3, 1 and 0 unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// What separates teams of equal points, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiebreakers: Option<Vec<Tiebreaker>>,
    /// The id that another system gave it: 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

impl SeasonCreate {
    /// The domain's command.
    pub fn command(&self) -> Result<NewSeason, Refusal> {
        let mut check = Check::default();
        let name = check.field("/name", Name::parse(&self.name));
        let sport = check.field("/sport", Sport::parse(&self.sport));
        let time_zone = check.field("/time_zone", TimeZoneName::parse(&self.time_zone));
        let external_id = check.optional("/external_id", self.external_id.as_deref().map(ExternalId::parse));
        let command = || {
            Some(NewSeason {
                name: name?,
                sport: sport?,
                status: self.status.unwrap_or(SeasonStatus::Draft),
                starts_on: self.starts_on.map(|day| day.0),
                ends_on: self.ends_on.map(|day| day.0),
                time_zone: time_zone?,
                scoring: self.scoring.map(Into::into).unwrap_or_default(),
                tiebreakers: self.tiebreakers.clone().unwrap_or_else(seasons::default_tiebreakers),
                external_id: external_id?,
            })
        };
        let command = command();
        if let Some(command) = &command {
            command.check(&mut check);
        }
        check.finish(command)
    }
}

/// What is to change about a season. Absent fields stay; null empties those that may be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeasonChange {
    /// Its name.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The sport.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub sport: Option<String>,
    /// The IANA zone of its wall-clock times.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Where it stands.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub status: Option<SeasonStatus>,
    /// Its first day.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schema(value_type = Option<Date>)]
    pub starts_on: Patch<Day>,
    /// Its last day.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schema(value_type = Option<Date>)]
    pub ends_on: Patch<Day>,
    /// What a result is worth.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// What separates teams of equal points, in order.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub tiebreakers: Option<Vec<Tiebreaker>>,
    /// The id that another system gave it.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schema(value_type = Option<String>)]
    pub external_id: Patch<String>,
}

impl SeasonChange {
    /// The domain's command.
    pub fn command(&self) -> Result<ChangeSeason, Refusal> {
        let mut check = Check::default();
        let name = check.optional("/name", self.name.as_deref().map(Name::parse));
        let sport = check.optional("/sport", self.sport.as_deref().map(Sport::parse));
        let time_zone = check.optional("/time_zone", self.time_zone.as_deref().map(TimeZoneName::parse));
        let external_id = match self.external_id.as_ref() {
            Patch::Absent => Some(None),
            Patch::Null => Some(Some(None)),
            Patch::Value(text) => {
                check.field("/external_id", ExternalId::parse(text)).map(|id| Some(Some(id)))
            }
        };
        let command = || {
            Some(ChangeSeason {
                name: name?,
                sport: sport?,
                status: self.status,
                starts_on: self.starts_on.into_option().map(|day| day.map(|day| day.0)),
                ends_on: self.ends_on.into_option().map(|day| day.map(|day| day.0)),
                time_zone: time_zone?,
                scoring: self.scoring.map(Into::into),
                tiebreakers: self.tiebreakers.clone(),
                external_id: external_id?,
            })
        };
        let command = command();
        if let Some(command) = &command {
            command.check(&mut check);
        }
        check.finish(command)
    }
}
