//! The rule of the second person: what opens children's data is proposed by one person and confirmed by another. Staff of teams and duties
//! follow it.

use jiff::{RoundMode, SignedDuration, Timestamp, TimestampRound, Unit};

use crate::Refusal;
use crate::ids::UserId;
use crate::roles::Role;

/// How long an owner waits before confirming what no other member can confirm.
pub const ALONE_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// A user who proposes, confirms or otherwise acts.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// The user. `None` for the operator or a job.
    pub user: Option<UserId>,
    /// The effective role.
    pub role: Role,
    /// Who gave them their role, if it is known.
    pub role_given_by: Option<UserId>,
}

impl Actor {
    /// Refuses what no one may do for themselves.
    pub fn refuse_oneself(self, about: UserId) -> Result<(), Refusal> {
        if self.user == Some(about) { Err(Refusal::SelfGrant) } else { Ok(()) }
    }
}

/// What a second person has to confirm.
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    /// The user whom it is about, if it is about one.
    pub about: Option<UserId>,
    /// Who proposed it.
    pub proposed_by: Option<UserId>,
    /// When it was proposed.
    pub proposed_at: Timestamp,
    /// The minimum role of the second person.
    pub role: Role,
}

impl Proposal {
    /// Checks that a user may confirm it now, and returns whether they confirm it alone. The proposer cannot, nor someone whose role the
    /// proposer gave them, nor the person whom it is about. `others` says whether someone else could; if not, an owner may, a day after it
    /// was proposed.
    pub fn confirm(&self, now: Timestamp, actor: Actor, others: bool) -> Result<bool, Refusal> {
        self.about.map_or(Ok(()), |about| actor.refuse_oneself(about))?;
        if self.is_independent(actor.user, actor.role_given_by) {
            return Ok(false);
        }
        let alone_from = (!others).then(|| self.alone_from());
        if actor.role == Role::Owner && alone_from.is_some_and(|time| now >= time) {
            return Ok(true);
        }
        Err(Refusal::SamePerson { role: self.role, alone_from })
    }

    /// Whether a member could confirm it as a second person.
    pub fn may_be_confirmed_by(&self, user: UserId, role: Role, role_given_by: Option<UserId>) -> bool {
        role >= self.role && Some(user) != self.about && self.is_independent(Some(user), role_given_by)
    }

    /// When an owner may confirm it if no other member can: on the second, so that it can be read.
    pub fn alone_from(&self) -> Timestamp {
        let time = self.proposed_at.saturating_add(ALONE_AFTER).unwrap_or(Timestamp::MAX);
        let up = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Ceil);
        time.round(up).unwrap_or(time)
    }

    /// Whether a user is a second person: not the proposer, nor someone whose role the proposer gave them.
    fn is_independent(&self, user: Option<UserId>, role_given_by: Option<UserId>) -> bool {
        let by_proposer = self.proposed_by.is_some() && role_given_by == self.proposed_by;
        user.is_some() && user != self.proposed_by && !by_proposer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id as _;

    const PROPOSER: u128 = 1;
    const ABOUT: u128 = 9;

    fn user(number: u128) -> UserId {
        UserId::from_uuid(uuid::Uuid::from_u128(number))
    }

    fn actor(number: u128, role: Role, role_given_by: Option<u128>) -> Actor {
        Actor { user: Some(user(number)), role, role_given_by: role_given_by.map(user) }
    }

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time")
    }

    fn proposal() -> Proposal {
        let proposed_by = Some(user(PROPOSER));
        Proposal { about: Some(user(ABOUT)), proposed_by, proposed_at: at(0), role: Role::Admin }
    }

    #[test]
    fn a_second_person_confirms_or_an_owner_alone_a_day_later() {
        let refused = |alone_from| Err(Refusal::SamePerson { role: Role::Admin, alone_from });
        let no_one_else = || refused(Some(at(24)));
        for (who, others, hours, expected) in [
            (actor(2, Role::Admin, None), true, 0, Ok(false)),
            (actor(2, Role::Admin, Some(3)), true, 0, Ok(false)),
            (actor(2, Role::Owner, Some(PROPOSER)), true, 99, refused(None)),
            (actor(2, Role::Owner, Some(PROPOSER)), false, 23, no_one_else()),
            (actor(2, Role::Admin, Some(PROPOSER)), false, 99, no_one_else()),
            (actor(2, Role::Owner, Some(PROPOSER)), false, 24, Ok(true)),
            (actor(PROPOSER, Role::Owner, None), true, 99, refused(None)),
            (actor(PROPOSER, Role::Owner, None), false, 24, Ok(true)),
            (actor(PROPOSER, Role::Admin, None), false, 24, no_one_else()),
            (actor(ABOUT, Role::Owner, None), false, 99, Err(Refusal::SelfGrant)),
        ] {
            let result = proposal().confirm(at(hours), who, others);
            assert_eq!(result, expected, "{who:?} after {hours} hours, others: {others}");
        }
        let operator = Actor { user: None, role: Role::Owner, role_given_by: None };
        assert_eq!(proposal().confirm(at(0), operator, true), refused(None));
    }

    #[test]
    fn members_of_the_role_who_are_independent_could_confirm() {
        for (number, role, given, expected) in [
            (2, Role::Admin, None, true),
            (2, Role::Owner, Some(3), true),
            (2, Role::Manager, None, false),
            (2, Role::Admin, Some(PROPOSER), false),
            (PROPOSER, Role::Owner, None, false),
            (ABOUT, Role::Owner, None, false),
        ] {
            let could = proposal().may_be_confirmed_by(user(number), role, given.map(user));
            assert_eq!(could, expected, "{number} {role}");
        }
    }

    #[test]
    fn who_is_alone_is_told_when_an_owner_may_confirm() {
        let mut late = proposal();
        late.proposed_at = late.proposed_at.saturating_add(SignedDuration::from_millis(1)).expect("a time");
        let refused = late.confirm(at(0), actor(PROPOSER, Role::Owner, None), false);
        let wanted =
            "no second person can confirm this. An owner can confirm it alone from 2026-03-02T12:00:01Z on";
        assert_eq!(refused.map_err(|refusal| refusal.to_string()), Err(wanted.to_owned()));
        let refused = late.confirm(at(0), actor(PROPOSER, Role::Owner, None), true);
        let wanted = "a second person with the role admin or higher has to do this, and not someone whose role the first one gave them";
        assert_eq!(refused.map_err(|refusal| refusal.to_string()), Err(wanted.to_owned()));
    }
}
