//! Rosters: which children are in a team, from which day to which day.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::children::unprinted;
use crate::effects::Effect;
use crate::ids::{ChildId, RosterEntryId, TeamId};
use crate::record::{Body, Record};
use crate::refusal::Check;
use crate::registrations::RegistrationStatus;
use crate::text::Name;
use crate::{Moment, Refusal};

/// A child in a team.
#[derive(Clone, PartialEq, Record)]
#[record(table = "roster_entries", alias = "e")]
pub struct RosterEntry {
    /// The id.
    #[field(server)]
    pub id: RosterEntryId,
    /// The team.
    #[field(server)]
    pub team_id: TeamId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// The number on the shirt.
    #[field(server, personal)]
    pub jersey_number: Option<i64>,
    /// The position.
    #[field(server, personal)]
    pub position: Option<Name>,
    /// The first day.
    #[field(server)]
    pub starts_on: Date,
    /// The last day. An entry that ended on its first day has the day before.
    #[field(server)]
    pub ends_on: Option<Date>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The fields of a new roster entry.
#[derive(Clone, PartialEq, Body)]
#[body(title = "RosterEntryCreate")]
pub struct NewRosterEntry {
    /// The child, accepted for the season of the team.
    pub child_id: ChildId,
    /// The number on the shirt.
    #[body(default = None, min = 0, max = 999)]
    pub jersey_number: Option<i64>,
    /// The position.
    #[body(default = None)]
    pub position: Option<Name>,
    /// The first day; today by default.
    #[body(default = None)]
    pub starts_on: Option<Date>,
    /// The last day. By default, the child stays in the team.
    #[body(default = None)]
    pub ends_on: Option<Date>,
}

/// The fields to change in a roster entry. Fields that are left out keep their values; null clears a field that may be null.
#[derive(Clone, Default, PartialEq, Body)]
#[body(title = "RosterEntryChange")]
pub struct ChangeRosterEntry {
    /// The number on the shirt.
    #[body(min = 0, max = 999)]
    pub jersey_number: Option<Option<i64>>,
    /// The position.
    pub position: Option<Option<Name>>,
    /// The first day. It cannot change once the entry has begun.
    pub starts_on: Option<Date>,
    /// The last day: yesterday or later. Yesterday ends the entry at once, also if it began today.
    pub ends_on: Option<Option<Date>>,
}

unprinted! { NewRosterEntry, ChangeRosterEntry }

/// What is known about the child when it is added to a roster.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Whether the caller may register the child. To others it does not exist.
    pub is_known: bool,
    /// The status of its registration for the season of the team, if it has one that is not withdrawn.
    pub registration: Option<RegistrationStatus>,
    /// Its entries in the team.
    pub entries: &'a [RosterEntry],
}

/// Adds a child to a team. It has to be accepted for the season of the team.
pub fn add(
    moment: &Moment,
    today: Date,
    team_id: TeamId,
    new: &NewRosterEntry,
    facts: &Facts<'_>,
) -> Result<RosterEntry, Refusal> {
    let mut check = Check::default();
    check_child(&mut check, facts);
    let entry = RosterEntry {
        id: moment.id(),
        team_id,
        child_id: new.child_id,
        jersey_number: new.jersey_number,
        position: new.position.clone(),
        starts_on: new.starts_on.unwrap_or(today),
        ends_on: new.ends_on,
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    };
    if entry.ends_on.is_some_and(|last| last < entry.starts_on) {
        refuse_before_start(&mut check);
    }
    check.finish(Some(()))?;
    refuse_overlap(&entry, facts.entries)?;
    Ok(entry)
}

/// Brings a deleted entry back as it was, by the rules of [`add`].
pub fn restored(entry: &RosterEntry, facts: &Facts<'_>) -> Result<RosterEntry, Refusal> {
    let mut check = Check::default();
    check_child(&mut check, facts);
    check.finish(Some(()))?;
    refuse_overlap(entry, facts.entries)?;
    Ok(entry.clone())
}

fn check_child(check: &mut Check, facts: &Facts<'_>) {
    let (code, message, fix) = match (facts.is_known, facts.registration) {
        (false, _) => return check.missing("/child_id"),
        (true, Some(RegistrationStatus::Accepted)) => return,
        (true, Some(RegistrationStatus::Applied)) => (
            "not_accepted",
            "is registered for the season of the team, but not accepted",
            "Accept the registration first.",
        ),
        (true, Some(RegistrationStatus::Withdrawn) | None) => (
            "not_registered",
            "is not registered for the season of the team",
            "Register the child for the season and accept the registration first.",
        ),
    };
    check.refuse("/child_id", code, message, fix);
}

fn refuse_before_start(check: &mut Check) {
    let fix = "Send a day on or after starts_on.";
    check.refuse("/ends_on", "before_start", "is before the first day", fix);
}

/// Refuses days on which the child is in the team by another entry.
fn refuse_overlap(entry: &RosterEntry, entries: &[RosterEntry]) -> Result<(), Refusal> {
    let starts_before_end = |one: &RosterEntry, other: &RosterEntry| {
        other.ends_on.is_none_or(|last| one.starts_on <= last) && !other.is_empty()
    };
    let overlaps = |other: &&RosterEntry| {
        other.id != entry.id && starts_before_end(entry, other) && starts_before_end(other, entry)
    };
    let Some(other) = entries.iter().find(overlaps) else { return Ok(()) };
    let until = other.ends_on.map_or_else(|| "on".to_owned(), |last| format!("to {last}"));
    let why = format!(
        "the child is in this team from {} {until} already. Change that entry instead",
        other.starts_on
    );
    Err(Refusal::Duplicate(why))
}

/// The entry after a change. `entries` are the child's entries in the team. Days that are over stay as they are, because they show who saw
/// the child's data.
pub fn changed(
    today: Date,
    entry: &RosterEntry,
    change: ChangeRosterEntry,
    entries: &[RosterEntry],
) -> Result<RosterEntry, Refusal> {
    let yesterday = day_before(today);
    if entry.ends_on.is_some_and(|last| last < today) {
        return Err(Refusal::State("the entry has ended; add a new one".to_owned()));
    }
    let mut after = entry.clone();
    after.jersey_number = change.jersey_number.unwrap_or(entry.jersey_number);
    after.position = change.position.unwrap_or_else(|| entry.position.clone());
    after.starts_on = change.starts_on.unwrap_or(entry.starts_on);
    after.ends_on = change.ends_on.unwrap_or(entry.ends_on);
    let mut check = Check::default();
    if after.starts_on != entry.starts_on {
        check_start(&mut check, today, entry, after.starts_on);
    }
    if let Some(last) = after.ends_on {
        let ends_now = last == yesterday && entry.starts_on == today;
        if last < yesterday {
            let fix = "Send yesterday, which ends the entry at once, or a later day.";
            check.refuse(
                "/ends_on",
                "in_the_past",
                "is before yesterday, and the child was in the team since",
                fix,
            );
        } else if last < after.starts_on && !ends_now {
            refuse_before_start(&mut check);
        }
    }
    check.finish(Some(()))?;
    refuse_overlap(&after, entries)?;
    Ok(after)
}

fn check_start(check: &mut Check, today: Date, entry: &RosterEntry, wanted: Date) {
    if entry.starts_on <= today {
        let fix = "Leave it out, or end this entry and add a new one.";
        check.refuse("/starts_on", "has_begun", "cannot change, because the entry has begun", fix);
    } else if wanted < today {
        check.refuse("/starts_on", "in_the_past", "is in the past", "Send today or a later day.");
    }
}

/// Refuses to delete an entry that has begun: it shows who saw the child's data.
pub fn refuse_removal(today: Date, entry: &RosterEntry) -> Result<(), Refusal> {
    if entry.starts_on > today {
        return Ok(());
    }
    let why = format!(
        "the entry has begun and stays in the history. To end it at once, set ends_on to {}",
        day_before(today)
    );
    Err(Refusal::State(why))
}

/// What happens to an entry when the child's registration is withdrawn: it ends at once, or is deleted if it has not begun. `None` if it is
/// over already.
pub fn left(moment: &Moment, today: Date, entry: &RosterEntry) -> Option<Effect> {
    if entry.starts_on > today {
        return Some(Effect::delete(entry.clone()));
    }
    let last = day_before(today);
    let is_over = entry.ends_on.is_some_and(|ends_on| ends_on <= last);
    let after = RosterEntry { ends_on: Some(last), ..entry.clone() };
    if is_over { None } else { Effect::update(moment, entry.clone(), after) }
}

fn day_before(day: Date) -> Date {
    day.yesterday().unwrap_or(day)
}

impl RosterEntry {
    /// Whether the child is in the team on a day.
    pub fn is_open_on(&self, today: Date) -> bool {
        self.starts_on <= today && self.ends_on.is_none_or(|last| last >= today)
    }

    /// Whether it ended on its first day, and so covers no day any more.
    fn is_empty(&self) -> bool {
        self.ends_on.is_some_and(|last| last < self.starts_on)
    }
}

#[cfg(test)]
mod tests;
