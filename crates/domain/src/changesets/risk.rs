//! How risky a changeset is, how many people have to approve it, and who may.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::impact::Impact;
use crate::effects::{AnyRecord, Effect};
use crate::ids::{TeamId, UserId};
use crate::members::Member;
use crate::record::enumeration;
use crate::roles::Role;

/// How long earlier changes of the author count.
pub const COUNTED: SignedDuration = SignedDuration::from_hours(24);
/// How long an organization with too few eligible people waits before it executes a changeset.
pub const REDUCED_WAIT: SignedDuration = SignedDuration::from_hours(24);
/// How long someone cannot approve changesets of the person who gave them their role.
pub const NEW_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The most records of a changeset that needs no approval.
const R0_RECORDS: usize = 5;
/// The most records of a changeset that one manager approves.
const R1_RECORDS: usize = 50;
/// The most families of a changeset that one manager approves.
const R1_FAMILIES: usize = 100;
/// The first game of a changeset that one manager approves is further away.
const R1_AWAY: SignedDuration = SignedDuration::from_hours(72);
/// The most children whose staff or rosters a changeset of R2 changes.
const R2_CHILDREN: usize = 10;
/// The most deletions of a changeset of R2.
const R2_DELETIONS: usize = 20;

enumeration! {
    /// How risky a changeset is.
    Risk {
        /// At most 5 records of the author's own teams, no deletion, no data of children, proposed in a session. It needs no approval.
        R0 "R0",
        /// At most 50 records and 100 families, no deletion, and no game within 72 hours. A manager approves it.
        R1 "R1",
        /// More than that, a deletion, or a game within 72 hours. An admin approves it.
        R2 "R2",
        /// A higher role, other staff or rosters for more than 10 children, more than 20 deletions, or a whole season. Two admins approve it.
        R3 "R3",
    }
}

/// What the risk of a changeset depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of the table of its own")]
pub struct Facts {
    /// How many records are created, changed or deleted.
    pub records: usize,
    /// How many of them are deleted.
    pub deletions: usize,
    /// How many families are notified.
    pub families: usize,
    /// The time until the first affected game starts, from now. Negative if it has started since.
    pub first_game_in: Option<SignedDuration>,
    /// Whether someone gets a higher role.
    pub raises_role: bool,
    /// The number of children whose rosters, or the staff of whose teams, change.
    pub children: usize,
    /// Whether a whole season changes.
    pub whole_season: bool,
    /// Whether it touches data of children, or who sees it.
    pub touches_children: bool,
    /// Whether every record is of the author's own teams. For managers and above, every team is their own.
    pub own_team: bool,
    /// Whether an agent proposed it.
    pub by_agent: bool,
    /// Whether it undoes, within 24 hours and by its author, an entry that only created records which no one has changed since.
    pub undoes_own_creation: bool,
    /// How many conflicts of an undo are resolved by restoring anyway.
    pub restores_anyway: usize,
}

/// The facts about a changeset that do not follow from its effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Authored {
    /// See [`Facts::own_team`].
    pub own_team: bool,
    /// See [`Facts::by_agent`].
    pub by_agent: bool,
    /// See [`Facts::undoes_own_creation`].
    pub undoes_own_creation: bool,
    /// See [`Facts::restores_anyway`].
    pub restores_anyway: usize,
}

/// What counts of an impact for the risk of later changesets. It is stored by itself, because each submission reads those of a whole day, and
/// an impact has many samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    records: usize,
    deletions: usize,
    families: usize,
    first_game: Option<Timestamp>,
    raises_role: bool,
    children: usize,
    whole_season: bool,
    touches_children: bool,
}

/// What counts of a recent changeset of the author, among what is stored with its simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Recent {
    /// See [`Facts::undoes_own_creation`].
    pub undoes_own_creation: bool,
    /// Whether it touched only teams of a coach.
    pub own_team: bool,
    /// What counts of its impact.
    pub counted: Counted,
}

impl From<&Impact> for Counted {
    fn from(impact: &Impact) -> Self {
        Self {
            records: impact.records,
            deletions: impact.deleted,
            families: impact.families,
            first_game: impact.first_game,
            raises_role: impact.raises_role,
            children: impact.children,
            whole_season: impact.whole_season,
            touches_children: !impact.child_classes.is_empty(),
        }
    }
}

impl Facts {
    /// The facts that follow from an impact, at a time. The rest are about the author: see [`Authored`].
    pub fn of(impact: impl Into<Counted>, now: Timestamp, authored: Authored) -> Self {
        let Authored { own_team, by_agent, undoes_own_creation, restores_anyway } = authored;
        let counted: Counted = impact.into();
        Self {
            records: counted.records,
            deletions: counted.deletions,
            families: counted.families,
            first_game_in: counted.first_game.map(|start| start.duration_since(now)),
            raises_role: counted.raises_role,
            children: counted.children,
            whole_season: counted.whole_season,
            touches_children: counted.touches_children,
            own_team,
            by_agent,
            undoes_own_creation,
            restores_anyway,
        }
    }

    /// The same facts with another impact.
    #[must_use]
    pub fn counting(self, impact: &Impact, now: Timestamp) -> Self {
        let Self { own_team, by_agent, undoes_own_creation, restores_anyway, .. } = self;
        Self::of(impact, now, Authored { own_team, by_agent, undoes_own_creation, restores_anyway })
    }

    /// The facts together with those of the author's changesets of the last 24 hours, so that splitting one does not help. The caller passes
    /// `first_game_in` of earlier ones as it is now. Who proposes, and how conflicts are resolved, is only about this changeset.
    ///
    /// An earlier undo of one's own creation does not count: what it deletes was counted when it was created.
    #[must_use]
    pub fn with_earlier(self, earlier: &[Self]) -> Self {
        let counted = earlier.iter().filter(|facts| !facts.undoes_own_creation);
        counted.fold(self, |sum, facts| Self {
            records: sum.records.saturating_add(facts.records),
            deletions: sum.deletions.saturating_add(facts.deletions),
            families: sum.families.saturating_add(facts.families),
            first_game_in: sum.first_game_in.into_iter().chain(facts.first_game_in).min(),
            raises_role: sum.raises_role || facts.raises_role,
            children: sum.children.saturating_add(facts.children),
            whole_season: sum.whole_season || facts.whole_season,
            touches_children: sum.touches_children || facts.touches_children,
            own_team: sum.own_team && facts.own_team,
            ..sum
        })
    }
}

/// Whether effects are only on these teams, their games, rosters and staff, before and after.
pub fn is_of_teams(effects: &[Effect], teams: &[TeamId]) -> bool {
    let is_own = |record: &AnyRecord| match record {
        AnyRecord::Team(team) => teams.contains(&team.id),
        AnyRecord::Game(game) => {
            [game.home_team_id, game.away_team_id].iter().flatten().any(|team| teams.contains(team))
        }
        AnyRecord::RosterEntry(entry) => teams.contains(&entry.team_id),
        AnyRecord::Staff(entry) => teams.contains(&entry.team_id),
        _ => false,
    };
    effects.iter().flat_map(|effect| [&effect.before, &effect.after]).flatten().all(is_own)
}

/// The risk of a changeset: R3 if one of its conditions holds, otherwise the lowest whose conditions all hold.
pub fn risk(facts: &Facts) -> Risk {
    if facts.undoes_own_creation {
        return Risk::R1;
    }
    let is_r3 = facts.raises_role
        || facts.children > R2_CHILDREN
        || facts.deletions > R2_DELETIONS
        || facts.whole_season;
    let is_additive = facts.deletions == 0;
    let is_r0 = facts.records <= R0_RECORDS
        && facts.own_team
        && is_additive
        && !facts.touches_children
        && !facts.by_agent;
    let is_r1 = facts.records <= R1_RECORDS
        && facts.families <= R1_FAMILIES
        && is_additive
        && facts.first_game_in.is_none_or(|time| time > R1_AWAY);
    match (is_r3, is_r0, is_r1) {
        (true, _, _) => Risk::R3,
        (_, true, _) => Risk::R0,
        (_, _, true) => Risk::R1,
        _ => Risk::R2,
    }
}

/// The approvals that a changeset needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Required {
    /// How many people.
    pub approvals: u32,
    /// The minimum role of each.
    pub role: Role,
}

/// The approvals that a risk requires. What an agent proposes needs at least one, and one more from R2 on; restoring anyway needs one more.
pub fn required(risk: Risk, by_agent: bool, restores_anyway: bool) -> Required {
    let (approvals, role) = match risk {
        Risk::R0 => (u32::from(by_agent), Role::Manager),
        Risk::R1 => (1, Role::Manager),
        Risk::R2 => (1 + u32::from(by_agent), Role::Admin),
        Risk::R3 => (2 + u32::from(by_agent), Role::Admin),
    };
    Required { approvals: approvals + u32::from(restores_anyway), role }
}

/// The approvals that an organization can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// How many people have to approve.
    pub approvals: u32,
    /// The minimum role of each.
    pub role: Role,
    /// Whether the organization has fewer eligible people than required. The changeset is marked permanently, and every owner is told.
    pub reduced: bool,
    /// Whether it is executed 24 hours later at the earliest.
    pub wait: bool,
}

/// The approvals in an organization in which `eligible` people may approve, and `others` more could if a manager sufficed. With fewer people
/// than required, all of them have to; with none, one of the others, if there is one.
pub fn settle(required: Required, eligible: u32, others: u32) -> Settled {
    let Required { approvals, role } = required;
    let (approvals, role, reduced) = match eligible {
        enough if enough >= approvals => (approvals, role, false),
        0 if others > 0 => (1, Role::Manager, true),
        fewer => (fewer, role, true),
    };
    Settled { approvals, role, reduced, wait: reduced }
}

/// Someone who wants to approve a changeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The user.
    pub user: UserId,
    /// Their effective role.
    pub role: Role,
    /// Whether they act through an API key.
    pub by_key: bool,
    /// Who gave them their role, if it is known.
    pub role_given_by: Option<UserId>,
    /// When, or the latest possible time.
    pub role_given_at: Option<Timestamp>,
    /// Whether they have approved it already.
    pub has_approved: bool,
}

impl Candidate {
    /// A member who has not approved yet, in a session.
    pub fn of(member: &Member) -> Self {
        // Before the time was recorded, the last change of the membership is the latest possible one.
        let latest = member.role_given_by.map(|_| member.role_given_at.unwrap_or(member.updated_at));
        Self {
            user: member.user_id,
            role: member.role,
            by_key: false,
            role_given_by: member.role_given_by,
            role_given_at: latest,
            has_approved: false,
        }
    }
}

/// Who wrote a changeset.
#[derive(Clone, Copy, Debug)]
pub struct Authorship<'a> {
    /// The author.
    pub author: UserId,
    /// The owner of the API key with which it was written.
    pub key_owner: Option<UserId>,
    /// Everyone who has edited it.
    pub editors: &'a [UserId],
    /// Who gave the author their role, and when, if it is known.
    pub role_given: Option<(UserId, Timestamp)>,
    /// Its risk.
    pub risk: Risk,
}

/// Why someone may not approve a changeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApprover {
    /// An API key cannot approve.
    #[error("an API key cannot approve a changeset. Sign in, and approve it in a session")]
    SessionRequired,
    /// They wrote or edited it, or own the key with which it was written.
    #[error(
        "you cannot approve a changeset that you wrote or edited. Ask another person with the required role"
    )]
    OwnChangeset,
    /// Their role is below the minimum.
    #[error("approving this changeset requires the role {0} or higher")]
    RoleTooLow(Role),
    /// The author gave them their role a short time ago. At risk R3 also: they gave the author theirs, or one person gave it to both.
    #[error(
        "you have your role from the author or, at risk R3, gave them theirs or got yours from the same person. You can approve their changesets from {0} on"
    )]
    TooNew(Timestamp),
    /// They have approved it already.
    #[error("you have approved this changeset already")]
    ApprovedAlready,
}

/// Checks that someone may approve a changeset now. Whether they see and could perform all of it is checked elsewhere.
pub fn may_approve(
    candidate: &Candidate,
    authorship: Authorship<'_>,
    minimum: Role,
    now: Timestamp,
) -> Result<(), NotApprover> {
    let Authorship { author, key_owner, editors, role_given, risk } = authorship;
    let user = candidate.user;
    if candidate.by_key {
        return Err(NotApprover::SessionRequired);
    }
    if user == author || key_owner == Some(user) || editors.contains(&user) {
        return Err(NotApprover::OwnChangeset);
    }
    if candidate.role < minimum {
        return Err(NotApprover::RoleTooLow(minimum));
    }
    let old = |at: Timestamp| at.saturating_add(NEW_FOR).unwrap_or(Timestamp::MAX);
    let own = candidate.role_given_by.zip(candidate.role_given_at.map(old));
    // One person with several accounts could otherwise write and approve a changeset alone.
    let shared = role_given.filter(|_| risk == Risk::R3).and_then(|(giver, at)| match own {
        _ if giver == user => Some(old(at)),
        Some((same, from)) if same == giver => Some(from.min(old(at))),
        _ => None,
    });
    let given = own.filter(|(giver, _)| *giver == author).map(|(_, from)| from);
    if let Some(from) = given.max(shared).filter(|from| now < *from) {
        return Err(NotApprover::TooNew(from));
    }
    if candidate.has_approved { Err(NotApprover::ApprovedAlready) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
