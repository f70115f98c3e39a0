//! Duties: assignments of members, such as the registrar of a season, that open children's data within their teams and season. No role
//! includes one. A duty opens nothing until a second person has confirmed it and its holder has accepted it, and it always ends.

use jiff::{SignedDuration, Timestamp};

use crate::ids::{DutyId, SeasonId, TeamId, UserId};
use crate::moment::whole_microseconds;
use crate::record::{Body, Record, enumeration};
use crate::refusal::Check;
use crate::roles::Role;
use crate::second_person::{Actor, Proposal};
use crate::teams::Team;
use crate::text::Reason;
use crate::{Moment, Refusal};

enumeration! {
    /// A kind of duty.
    DutyKind {
        /// Registers the children of a season.
        Registrar "registrar",
        /// Handles safeguarding cases and restrictions.
        SafeguardingLead "safeguarding_lead",
        /// Cares for the children's health.
        MedicalStaff "medical_staff",
        /// Helps with a problem, for at most 24 hours.
        Support "support",
    }
}

enumeration! {
    /// The state of a duty.
    DutyState {
        /// A second person has not confirmed it yet.
        Proposed "proposed",
        /// Confirmed: its holder has not accepted it yet.
        Confirmed "confirmed",
        /// Accepted: it is open from its start to its end.
        Accepted "accepted",
        /// Over: its end has passed, or its holder is no longer a member.
        Ended "ended",
        /// An admin or its holder has revoked it.
        Revoked "revoked",
    }
}

impl DutyState {
    /// Whether a duty in this state never opens anything again.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Revoked)
    }
}

impl DutyKind {
    /// The longest time from the start to the end: a season with its preparation, or a day for support.
    pub const fn max_life(self) -> SignedDuration {
        match self {
            Self::Support => SignedDuration::from_hours(24),
            _ => SignedDuration::from_hours(400 * 24),
        }
    }
}

/// A duty of a member.
#[derive(Clone, PartialEq, Record)]
#[record(table = "duties", alias = "y")]
pub struct Duty {
    /// The id.
    #[field(server)]
    pub id: DutyId,
    /// Its holder, a member of the organization.
    #[field(server)]
    pub user_id: UserId,
    /// What it is.
    #[field(server)]
    pub kind: DutyKind,
    /// The teams that it is limited to. If empty: all teams of its season, or of the organization.
    #[field(server)]
    pub team_ids: Vec<TeamId>,
    /// The season that it is limited to.
    #[field(server)]
    pub season_id: Option<SeasonId>,
    /// The state.
    #[field(server)]
    pub state: DutyState,
    /// When it starts.
    #[field(server)]
    pub starts_at: Timestamp,
    /// When it ends.
    #[field(server)]
    pub ends_at: Timestamp,
    /// Why the holder needs it.
    #[field(server)]
    pub reason: Reason,
    /// Who proposed it.
    #[field(server)]
    pub proposed_by: Option<UserId>,
    /// When it was proposed.
    #[field(server)]
    pub proposed_at: Timestamp,
    /// Who confirmed it.
    #[field(server)]
    pub confirmed_by: Option<UserId>,
    /// When it was confirmed.
    #[field(server)]
    pub confirmed_at: Option<Timestamp>,
    /// Whether an owner confirmed it because no other member could.
    #[field(server)]
    pub confirmed_alone: bool,
    /// When its holder accepted it.
    #[field(server)]
    pub accepted_at: Option<Timestamp>,
    /// Who revoked it.
    #[field(server)]
    pub revoked_by: Option<UserId>,
    /// When it was revoked.
    #[field(server)]
    pub revoked_at: Option<Timestamp>,
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

/// The fields of a new duty.
#[derive(Clone, Debug, PartialEq, Body)]
pub struct NewDuty {
    /// Its holder, a member of the organization. No one proposes themselves.
    pub user_id: UserId,
    /// What it is.
    pub kind: DutyKind,
    /// The teams that it is limited to, all of one season. By default: all teams of its season, or of the organization.
    #[body(default = Vec::new(), max = 100)]
    pub team_ids: Vec<TeamId>,
    /// The season that it is limited to; by default that of its teams. A registrar needs a season.
    #[body(default = None)]
    pub season_id: Option<SeasonId>,
    /// When it starts; now by default.
    #[body(default = None)]
    pub starts_at: Option<Timestamp>,
    /// When it ends, which is required: at most 24 hours after its start for support, else at most 400 days.
    #[body(default = None)]
    pub ends_at: Option<Timestamp>,
    /// Why the holder needs it. Do not name a child.
    pub reason: Reason,
}

/// What the body of a new duty names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Whether the holder is a member of the organization.
    pub is_member: bool,
    /// Whether the season exists, or none is named.
    pub has_season: bool,
    /// The teams, in their order. `None` for one that does not exist.
    pub teams: Vec<Option<Team>>,
}

/// Proposes a duty. No one proposes themselves.
pub fn propose(moment: &Moment, actor: Actor, new: &NewDuty, named: &Named) -> Result<Duty, Refusal> {
    actor.refuse_oneself(new.user_id)?;
    let now = moment.now();
    let starts_at = new.starts_at.map_or(now, whole_microseconds);
    let ends_at = new.ends_at.map(whole_microseconds);
    let mut check = Check::default();
    if !named.is_member {
        check.missing("/user_id");
    }
    let season_id = season(&mut check, new, named);
    if let Some(ends_at) = ends_at {
        check_end(&mut check, new.kind, (now, starts_at), ends_at);
    }
    check.finish(Some(()))?;
    Ok(Duty {
        id: moment.id(),
        user_id: new.user_id,
        kind: new.kind,
        team_ids: new.team_ids.clone(),
        season_id,
        state: DutyState::Proposed,
        starts_at,
        ends_at: ends_at.ok_or(Refusal::ExpiryRequired { pointer: "/ends_at" })?,
        reason: new.reason.clone(),
        proposed_by: actor.user,
        proposed_at: now,
        confirmed_by: None,
        confirmed_at: None,
        confirmed_alone: false,
        accepted_at: None,
        revoked_by: None,
        revoked_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// The season that a duty is limited to: the given one, or that of its teams.
fn season(check: &mut Check, new: &NewDuty, named: &Named) -> Option<SeasonId> {
    let of_teams = named.teams.iter().flatten().map(|team| team.season_id).next();
    let season_id = new.season_id.or(of_teams);
    if !named.has_season {
        check.missing("/season_id");
    }
    for (index, team) in named.teams.iter().enumerate() {
        let pointer = format!("/team_ids/{index}");
        match team {
            None => check.missing(&pointer),
            Some(team) if Some(team.season_id) != season_id => {
                let fix = "Send teams of one season, or propose a duty for each season.";
                check.refuse(&pointer, "other_season", "belongs to another season", fix);
            }
            Some(team) if new.team_ids[..index].contains(&team.id) => {
                check.refuse(&pointer, "duplicate", "is in the list already", "Send each team once.");
            }
            Some(_) => {}
        }
    }
    if new.kind == DutyKind::Registrar && season_id.is_none() {
        let fix = "Send the season whose children they register.";
        check.refuse("/season_id", "required", "is required for a registrar", fix);
    }
    season_id
}

fn check_end(
    check: &mut Check,
    kind: DutyKind,
    (now, starts_at): (Timestamp, Timestamp),
    ends_at: Timestamp,
) {
    let at = "/ends_at";
    if ends_at <= starts_at {
        check.refuse(at, "before_start", "is not after the start", "Send a time after starts_at.");
    } else if ends_at <= now {
        check.refuse(at, "in_the_past", "is in the past", "Send a time to come.");
    } else if ends_at.duration_since(starts_at) > kind.max_life() {
        let (message, fix) = match kind {
            DutyKind::Support => {
                ("is more than 24 hours after the start", "Send a time within 24 hours of starts_at.")
            }
            _ => ("is more than 400 days after the start", "Send a time within 400 days of starts_at."),
        };
        check.refuse(at, "too_late", message, fix);
    }
}

/// A duty as a second person has to confirm it.
pub fn proposal(duty: &Duty) -> Proposal {
    let Duty { user_id: about, proposed_by, proposed_at, .. } = *duty;
    Proposal { about: Some(about), proposed_by, proposed_at, role: Role::Admin }
}

/// The confirmed duty. `others` says whether another member than the actor could confirm it.
pub fn confirmed(moment: &Moment, actor: Actor, duty: &Duty, others: bool) -> Result<Duty, Refusal> {
    let now = moment.now();
    duty.refuse_over(now)?;
    if duty.state != DutyState::Proposed {
        return Err(Refusal::State("it is confirmed already".to_owned()));
    }
    let confirmed_alone = proposal(duty).confirm(now, actor, others)?;
    Ok(Duty {
        state: DutyState::Confirmed,
        confirmed_by: actor.user,
        confirmed_at: Some(now),
        confirmed_alone,
        ..duty.clone()
    })
}

/// The accepted duty. Only its holder can accept it. To others below the role admin it does not exist.
pub fn accepted(moment: &Moment, actor: Actor, duty: &Duty) -> Result<Duty, Refusal> {
    let now = moment.now();
    refuse_strangers(actor, duty)?;
    if actor.user != Some(duty.user_id) {
        return Err(Refusal::Forbidden("only the person whose duty it is can accept it".to_owned()));
    }
    duty.refuse_over(now)?;
    let refused = |why: &str| Err(Refusal::State(why.to_owned()));
    match duty.state {
        DutyState::Confirmed => {
            Ok(Duty { state: DutyState::Accepted, accepted_at: Some(now), ..duty.clone() })
        }
        DutyState::Proposed => refused("a second person has to confirm it first"),
        _ => refused("it is accepted already"),
    }
}

/// The revoked duty. Admins and its holder can revoke it. To others it does not exist.
pub fn revoked(moment: &Moment, actor: Actor, duty: &Duty) -> Result<Duty, Refusal> {
    refuse_strangers(actor, duty)?;
    duty.refuse_over(moment.now())?;
    Ok(Duty {
        state: DutyState::Revoked,
        revoked_by: actor.user,
        revoked_at: Some(moment.now()),
        ..duty.clone()
    })
}

fn refuse_strangers(actor: Actor, duty: &Duty) -> Result<(), Refusal> {
    let knows = actor.role >= Role::Admin || actor.user == Some(duty.user_id);
    if knows { Ok(()) } else { Err(Refusal::NotFound) }
}

/// The duty after its holder is no longer a member. `None` if it is over already.
pub fn ended(duty: &Duty) -> Option<Duty> {
    (!duty.state.is_over()).then(|| Duty { state: DutyState::Ended, ..duty.clone() })
}

impl Duty {
    /// The state at a time: a duty is over from its end on.
    pub fn state_at(&self, now: Timestamp) -> DutyState {
        if self.state != DutyState::Revoked && self.ends_at <= now { DutyState::Ended } else { self.state }
    }

    /// Whether it opens data at a time.
    pub fn is_open_at(&self, now: Timestamp) -> bool {
        self.state_at(now) == DutyState::Accepted && self.starts_at <= now
    }

    fn refuse_over(&self, now: Timestamp) -> Result<(), Refusal> {
        let why = match self.state_at(now) {
            DutyState::Ended => "the duty has ended; propose a new one",
            DutyState::Revoked => "the duty was revoked; propose a new one",
            _ => return Ok(()),
        };
        Err(Refusal::State(why.to_owned()))
    }
}

#[cfg(test)]
mod tests;
