//! Seasons of one sport.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::effects::{Effect, Record};
use crate::ids::SeasonId;
use crate::record::{enumeration, record};
use crate::refusal::Check;
use crate::sports::Sport;
use crate::text::{ExternalId, Name};
use crate::time::TimeZoneName;
use crate::{Moment, Refusal};

enumeration! {
    /// Where a season stands.
    SeasonStatus {
        /// Being prepared.
        Draft "draft",
        /// Open for registration.
        Registration "registration",
        /// Being played.
        Active "active",
        /// Played.
        Completed "completed",
        /// Put away; can only go back to completed.
        Archived "archived",
    }
}

enumeration! {
    /// What separates teams of equal points in the standings.
    Tiebreaker {
        /// Results among the tied teams.
        HeadToHead "head_to_head",
        /// Points scored less points conceded.
        Difference "difference",
        /// Points scored.
        Scored "scored",
        /// The name, so that the order is always the same.
        Name "name",
    }
}

/// The points that a result is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// For a win.
    pub win: i64,
    /// For a draw.
    pub draw: i64,
    /// For a loss.
    pub loss: i64,
}

impl Default for Scoring {
    fn default() -> Self {
        Self { win: 3, draw: 1, loss: 0 }
    }
}

record! {
    /// A season of one sport.
    Season {
        /// The id.
        id: SeasonId,
        /// Its name, unique in the organization by its folded form.
        name: Name,
        /// The sport.
        sport: Sport,
        /// Where it stands.
        status: SeasonStatus,
        /// Its first day.
        starts_on: Option<Date>,
        /// Its last day.
        ends_on: Option<Date>,
        /// The zone of its wall-clock times.
        time_zone: TimeZoneName,
        /// What a result is worth.
        scoring: Scoring,
        /// What separates teams of equal points, in order.
        tiebreakers: Vec<Tiebreaker>,
        /// The id that another system gave it.
        external_id: Option<ExternalId>,
        /// When it was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

/// What is asked of a new season.
#[derive(Clone, Debug)]
pub struct NewSeason {
    /// Its name.
    pub name: Name,
    /// The sport.
    pub sport: Sport,
    /// Where it stands.
    pub status: SeasonStatus,
    /// Its first day.
    pub starts_on: Option<Date>,
    /// Its last day.
    pub ends_on: Option<Date>,
    /// The zone of its wall-clock times.
    pub time_zone: TimeZoneName,
    /// What a result is worth.
    pub scoring: Scoring,
    /// What separates teams of equal points.
    pub tiebreakers: Vec<Tiebreaker>,
    /// The id that another system gave it.
    pub external_id: Option<ExternalId>,
}

/// What is to change about a season: none leaves a field as it is.
#[derive(Clone, Debug, Default)]
pub struct ChangeSeason {
    /// Its name.
    pub name: Option<Name>,
    /// The sport.
    pub sport: Option<Sport>,
    /// Where it stands.
    pub status: Option<SeasonStatus>,
    /// Its first day.
    pub starts_on: Option<Option<Date>>,
    /// Its last day.
    pub ends_on: Option<Option<Date>>,
    /// The zone of its wall-clock times.
    pub time_zone: Option<TimeZoneName>,
    /// What a result is worth.
    pub scoring: Option<Scoring>,
    /// What separates teams of equal points.
    pub tiebreakers: Option<Vec<Tiebreaker>>,
    /// The id that another system gave it.
    pub external_id: Option<Option<ExternalId>>,
}

/// The order of tiebreakers unless a season says otherwise.
pub fn default_tiebreakers() -> Vec<Tiebreaker> {
    Tiebreaker::ALL.to_vec()
}

impl NewSeason {
    /// Notes what cannot be taken, whatever else there is.
    pub fn check(&self, check: &mut Check) {
        check_form(check, (self.starts_on, self.ends_on), Some(&self.tiebreakers), Some(self.scoring));
    }
}

impl ChangeSeason {
    /// Notes what cannot be taken, whatever the season is.
    pub fn check(&self, check: &mut Check) {
        let days = (self.starts_on.flatten(), self.ends_on.flatten());
        check_form(check, days, self.tiebreakers.as_deref(), self.scoring);
    }
}

/// Makes a season.
pub fn create(moment: &Moment, wanted: NewSeason) -> Result<(Season, Effect), Refusal> {
    let season = Season {
        id: moment.id(),
        name: wanted.name,
        sport: wanted.sport,
        status: wanted.status,
        starts_on: wanted.starts_on,
        ends_on: wanted.ends_on,
        time_zone: wanted.time_zone,
        scoring: wanted.scoring,
        tiebreakers: wanted.tiebreakers,
        external_id: wanted.external_id,
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    };
    check(&season)?;
    Ok((season.clone(), Effect::create(Record::Season(season))))
}

/// Changes a season; none where nothing differs.
pub fn change(moment: &Moment, season: Season, wanted: ChangeSeason) -> Result<Option<Effect>, Refusal> {
    let before = season.clone();
    let after = Season {
        name: wanted.name.unwrap_or(season.name),
        sport: wanted.sport.unwrap_or(season.sport),
        status: wanted.status.unwrap_or(season.status),
        starts_on: wanted.starts_on.unwrap_or(season.starts_on),
        ends_on: wanted.ends_on.unwrap_or(season.ends_on),
        time_zone: wanted.time_zone.unwrap_or(season.time_zone),
        scoring: wanted.scoring.unwrap_or(season.scoring),
        tiebreakers: wanted.tiebreakers.unwrap_or(season.tiebreakers),
        external_id: wanted.external_id.unwrap_or(season.external_id),
        ..season
    };
    check(&after)?;
    let leaves_archive = before.status == SeasonStatus::Archived && after.status != SeasonStatus::Archived;
    if leaves_archive && after.status != SeasonStatus::Completed {
        return Err(Refusal::State("an archived season can only go back to completed".to_owned()));
    }
    Ok(Effect::update(moment, Record::Season(before), Record::Season(after)))
}

/// Deletes a season on which nothing stands: `dependents` counts its divisions, teams and games.
pub fn delete(season: Season, dependents: i64) -> Result<Effect, Refusal> {
    if dependents > 0 {
        return Err(Refusal::InUse(format!(
            "the season has {dependents} divisions, teams and games: delete them first, or archive the season"
        )));
    }
    Ok(Effect::delete(Record::Season(season)))
}

fn check(season: &Season) -> Result<(), Refusal> {
    let mut check = Check::default();
    let days = (season.starts_on, season.ends_on);
    check_form(&mut check, days, Some(&season.tiebreakers), Some(season.scoring));
    check.finish(Some(()))
}

fn check_form(
    check: &mut Check,
    days: (Option<Date>, Option<Date>),
    tiebreakers: Option<&[Tiebreaker]>,
    scoring: Option<Scoring>,
) {
    if matches!(days, (Some(first), Some(last)) if last < first) {
        check.refuse(
            "/ends_on",
            "before_start",
            "is before the season starts",
            "choose a day on or after starts_on",
        );
    }
    if tiebreakers.is_some_and(|named| named.iter().collect::<BTreeSet<_>>().len() != named.len()) {
        check.refuse("/tiebreakers", "repeated", "names a tiebreaker twice", "name each at most once");
    }
    let points = |Scoring { win, draw, loss }| {
        [("/scoring/win", win), ("/scoring/draw", draw), ("/scoring/loss", loss)]
    };
    for (pointer, points) in scoring.into_iter().flat_map(points) {
        if !(-100..=100).contains(&points) {
            check.refuse(pointer, "out_of_range", "is not within -100 to 100", "");
        }
    }
}
