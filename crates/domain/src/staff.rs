//! Staff of teams. An entry opens nothing until a second person has confirmed it, because staff will see children's data.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::Moment;
use crate::Refusal;
use crate::ids::{StaffId, TeamId, UserId};
use crate::record::{Record, enumeration};
use crate::refusal::Check;
use crate::roles::Role;
use crate::second_person::{Actor, Proposal};

enumeration! {
    /// What a member of staff does for a team.
    StaffKind {
        /// The head coach.
        HeadCoach "head_coach",
        /// A coach.
        Coach "coach",
        /// An assistant.
        Assistant "assistant",
        /// The team's manager.
        TeamManager "team_manager",
    }
}

enumeration! {
    /// The state of a staff entry.
    StaffState {
        /// A second person has not confirmed it yet.
        Proposed "proposed",
        /// Confirmed: it opens the team's data from its first day to its last.
        Confirmed "confirmed",
        /// Over: the last day has passed, or the user is no longer a member.
        Ended "ended",
    }
}

/// A member of a team's staff.
#[derive(Clone, PartialEq, Record)]
#[record(table = "staff", alias = "f", rules = check)]
pub struct Staff {
    /// The id.
    #[field(server)]
    pub id: StaffId,
    /// The team.
    #[field(server)]
    pub team_id: TeamId,
    /// The user, a member of the organization.
    #[field(create_only)]
    pub user_id: UserId,
    /// What they do for the team.
    #[field(client)]
    pub kind: StaffKind,
    /// The state.
    #[field(server)]
    pub state: StaffState,
    /// The first day.
    #[field(client)]
    pub starts_on: Option<Date>,
    /// The last day.
    #[field(client)]
    pub ends_on: Option<Date>,
    /// Who proposed it.
    #[field(server)]
    pub proposed_by: Option<UserId>,
    /// When it was proposed.
    #[field(server, stamp)]
    pub proposed_at: Timestamp,
    /// Who confirmed it.
    #[field(server)]
    pub confirmed_by: Option<UserId>,
    /// When it was confirmed.
    #[field(server, stamp)]
    pub confirmed_at: Option<Timestamp>,
    /// Whether an owner confirmed it because no other member could.
    #[field(server)]
    pub confirmed_alone: bool,
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

/// Checks the rules between the fields of a staff entry.
fn check(staff: &ChangeStaff, check: &mut Check) {
    let days = (staff.starts_on.flatten(), staff.ends_on.flatten());
    if matches!(days, (Some(first), Some(last)) if last < first) {
        let fix = "Send a day on or after starts_on.";
        check.refuse("/ends_on", "before_start", "is before the first day", fix);
    }
}

/// Proposes a user as staff of a team. No one adds themselves.
pub fn propose(moment: &Moment, actor: Actor, team_id: TeamId, new: &NewStaff) -> Result<Staff, Refusal> {
    actor.refuse_oneself(new.user_id)?;
    Ok(Staff {
        id: moment.id(),
        team_id,
        user_id: new.user_id,
        kind: new.kind,
        state: StaffState::Proposed,
        starts_on: new.starts_on,
        ends_on: new.ends_on,
        proposed_by: actor.user,
        proposed_at: moment.now(),
        confirmed_by: None,
        confirmed_at: None,
        confirmed_alone: false,
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    })
}

/// Brings a deleted entry back, as if the actor proposed it: what opens children's data is always confirmed by a second person. An entry that
/// is over opens nothing and comes back as it was.
pub fn restored(moment: &Moment, actor: Actor, entry: &Staff) -> Result<Staff, Refusal> {
    if entry.state == StaffState::Ended {
        return Ok(entry.clone());
    }
    let Staff { user_id, kind, starts_on, ends_on, .. } = *entry;
    let proposed = propose(moment, actor, entry.team_id, &NewStaff { user_id, kind, starts_on, ends_on })?;
    let Staff { id, created_at, version, .. } = *entry;
    Ok(Staff { id, created_at, version, ..proposed })
}

/// The entry after a change. No one changes their own; an entry whose period grows has to be confirmed again.
pub fn changed(moment: &Moment, actor: Actor, staff: &Staff, change: ChangeStaff) -> Result<Staff, Refusal> {
    actor.refuse_oneself(staff.user_id)?;
    refuse_ended(staff)?;
    let after = staff.with(change)?;
    let earlier = after.starts_on.is_none_or(|day| staff.starts_on.is_some_and(|before| day < before));
    let later = after.ends_on.is_none_or(|day| staff.ends_on.is_some_and(|before| day > before));
    let grows = earlier && after.starts_on != staff.starts_on || later && after.ends_on != staff.ends_on;
    if staff.state != StaffState::Confirmed || !grows {
        return Ok(after);
    }
    Ok(Staff {
        state: StaffState::Proposed,
        proposed_by: actor.user,
        proposed_at: moment.now(),
        confirmed_by: None,
        confirmed_at: None,
        confirmed_alone: false,
        ..after
    })
}

/// The entry as a second person has to confirm it.
pub fn proposal(staff: &Staff) -> Proposal {
    let Staff { user_id: about, proposed_by, proposed_at, .. } = *staff;
    Proposal { about: Some(about), proposed_by, proposed_at, role: Role::Manager }
}

/// The confirmed entry. `others` says whether another member than the actor could confirm it.
pub fn confirmed(moment: &Moment, actor: Actor, staff: &Staff, others: bool) -> Result<Staff, Refusal> {
    refuse_ended(staff)?;
    if staff.state == StaffState::Confirmed {
        return Err(Refusal::State("it is confirmed already".to_owned()));
    }
    let confirmed_alone = proposal(staff).confirm(moment.now(), actor, others)?;
    Ok(Staff {
        state: StaffState::Confirmed,
        confirmed_by: actor.user,
        confirmed_at: Some(moment.now()),
        confirmed_alone,
        ..staff.clone()
    })
}

/// The entry after its user is no longer a member. `None` if it is over already.
pub fn ended(staff: &Staff) -> Option<Staff> {
    (staff.state != StaffState::Ended).then(|| Staff { state: StaffState::Ended, ..staff.clone() })
}

impl Staff {
    /// The state on a day: an entry is over after its last day.
    pub fn state_on(&self, today: Date) -> StaffState {
        if self.ends_on.is_some_and(|last| last < today) { StaffState::Ended } else { self.state }
    }

    /// Whether it opens the team's data on a day.
    pub fn is_open_on(&self, today: Date) -> bool {
        self.state_on(today) == StaffState::Confirmed && self.starts_on.is_none_or(|first| first <= today)
    }
}

fn refuse_ended(staff: &Staff) -> Result<(), Refusal> {
    match staff.state {
        StaffState::Ended => Err(Refusal::State("the entry has ended; add a new one".to_owned())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
