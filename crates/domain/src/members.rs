//! Members: a user's role in one organization.

use jiff::Timestamp;

use crate::Moment;
use crate::Refusal;
use crate::ids::{MemberId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::roles::Role;

enumeration! {
    /// How a user became a member.
    MemberSource {
        /// With the organization, or by its operator.
        Founded "founded",
        /// By accepting an invitation.
        Invited "invited",
    }
}

enumeration! {
    /// The order of a list of members.
    MemberSort {
        /// By the time of joining.
        JoinedAt "joined_at",
        /// By the time of joining, latest first.
        JoinedAtReversed "-joined_at",
        /// By name.
        Name "name",
        /// By name, in reverse.
        NameReversed "-name",
    }
}

/// A user's role in one organization.
#[derive(Clone, PartialEq, Record)]
#[record(table = "members", alias = "m")]
pub struct Member {
    /// The id.
    #[field(server)]
    pub id: MemberId,
    /// The user.
    #[field(server)]
    pub user_id: UserId,
    /// The role.
    #[field(server)]
    pub role: Role,
    /// How the user became a member.
    #[field(server)]
    pub source: MemberSource,
    /// Who gave the role, by inviting the user or changing their role. Null for founders.
    #[field(server)]
    pub role_given_by: Option<UserId>,
    /// When they gave it. Null for founders, and for roles from before it was recorded.
    #[field(server, stamp)]
    pub role_given_at: Option<Timestamp>,
    /// When the user joined.
    #[field(server, moment)]
    pub joined_at: Timestamp,
    /// When the membership was suspended.
    #[field(server, stamp)]
    pub suspended_at: Option<Timestamp>,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

impl Member {
    /// Creates a membership.
    pub fn new(moment: &Moment, user_id: UserId, role: Role) -> Self {
        let now = moment.now();
        Self {
            id: moment.id(),
            user_id,
            role,
            source: MemberSource::Founded,
            role_given_by: None,
            role_given_at: None,
            joined_at: now,
            suspended_at: None,
            updated_at: now,
            version: 1,
        }
    }
}

/// The fields to change in a member. Fields that are left out keep their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Body)]
#[body(title = "MemberChange")]
pub struct ChangeMember {
    /// The new role. Callers cannot give a role higher than their own, and the last owner stays an owner.
    pub role: Option<Role>,
    /// Whether the membership is suspended.
    pub suspended: Option<bool>,
}

/// The member after a change. Actors cannot change members with a higher role than their own, nor give one. `owners` is the number of
/// active owners; the last one stays.
pub fn changed(
    moment: &Moment,
    actor: Role,
    member: &Member,
    wanted: ChangeMember,
    owners: i64,
) -> Result<Member, Refusal> {
    let mut after = member.clone();
    after.role = wanted.role.unwrap_or(member.role);
    after.suspended_at = match wanted.suspended {
        Some(true) => member.suspended_at.or(Some(moment.now())),
        Some(false) => None,
        None => member.suspended_at,
    };
    refuse_higher_role(actor, member, after.role)?;
    refuse_losing_last_owner(member, after.role == Role::Owner && after.suspended_at.is_none(), owners)?;
    Ok(after)
}

/// Checks that a member may be removed, by the rules of [`changed`].
pub fn refuse_removal(actor: Role, member: &Member, owners: i64) -> Result<(), Refusal> {
    refuse_higher_role(actor, member, member.role)?;
    refuse_losing_last_owner(member, false, owners)
}

/// Checks that a removed member may come back: no one restores a role above their own.
pub fn refuse_restoring(actor: Role, member: &Member) -> Result<(), Refusal> {
    refuse_higher_role(actor, member, member.role)
}

fn refuse_higher_role(actor: Role, member: &Member, wanted: Role) -> Result<(), Refusal> {
    if member.role > actor || wanted > actor {
        return Err(Refusal::Forbidden(format!(
            "the role {actor} cannot change or remove members with a higher role, or give a higher role"
        )));
    }
    Ok(())
}

fn refuse_losing_last_owner(member: &Member, stays_owner: bool, owners: i64) -> Result<(), Refusal> {
    let is_owner = member.role == Role::Owner && member.suspended_at.is_none();
    if is_owner && !stays_owner && owners <= 1 { Err(Refusal::LastOwner) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment() -> Moment {
        Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), 7)
    }

    fn member(role: Role, suspended: bool) -> Member {
        let moment = moment();
        let member = Member::new(&moment, moment.id(), role);
        Member { suspended_at: Some(Timestamp::UNIX_EPOCH).filter(|_| suspended), ..member }
    }

    fn change(role: Option<Role>, suspended: Option<bool>) -> ChangeMember {
        ChangeMember { role, suspended }
    }

    #[test]
    fn a_member_cannot_change_or_give_a_role_above_their_own() {
        for actor in Role::ALL {
            for before in Role::ALL {
                let member = member(before, false);
                for wanted in Role::ALL {
                    let after = changed(&moment(), actor, &member, change(Some(wanted), None), 2);
                    let permitted = before <= actor && wanted <= actor;
                    assert_eq!(after.is_ok(), permitted, "{actor} changes {before} to {wanted}: {after:?}");
                    assert!(permitted || matches!(after, Err(Refusal::Forbidden(_))));
                }
                let suspended = changed(&moment(), actor, &member, change(None, Some(true)), 2);
                assert_eq!(suspended.is_ok(), before <= actor, "{actor} suspends {before}");
                assert_eq!(refuse_removal(actor, &member, 2).is_ok(), before <= actor, "{actor}, {before}");
            }
        }
    }

    #[test]
    fn the_last_active_owner_stays() {
        let owner = member(Role::Owner, false);
        let by_owner = |member, change, owners| changed(&moment(), Role::Owner, member, change, owners);
        for lost in [change(Some(Role::Admin), None), change(None, Some(true))] {
            assert_eq!(by_owner(&owner, lost, 1), Err(Refusal::LastOwner), "{lost:?}");
            assert!(by_owner(&owner, lost, 2).is_ok(), "{lost:?}, with another owner");
        }
        assert!(by_owner(&owner, change(Some(Role::Owner), Some(false)), 1).is_ok(), "nothing is lost");
        assert_eq!(refuse_removal(Role::Owner, &owner, 1), Err(Refusal::LastOwner));
        assert_eq!(refuse_removal(Role::Owner, &owner, 2), Ok(()));
        // A suspended owner is not among the active ones.
        assert_eq!(refuse_removal(Role::Owner, &member(Role::Owner, true), 1), Ok(()));
        // The role is refused before the number of owners is revealed.
        assert!(matches!(refuse_removal(Role::Admin, &owner, 1), Err(Refusal::Forbidden(_))));
    }

    #[test]
    fn a_suspension_keeps_its_first_time_until_it_is_lifted() {
        let suspended = member(Role::Coach, true);
        let after = |member, wanted| {
            changed(&moment(), Role::Admin, member, change(None, wanted), 1)
                .expect("it is permitted")
                .suspended_at
        };
        assert_eq!(after(&suspended, Some(true)), Some(Timestamp::UNIX_EPOCH));
        assert_eq!(after(&suspended, None), Some(Timestamp::UNIX_EPOCH));
        assert_eq!(after(&suspended, Some(false)), None);
        assert_eq!(after(&member(Role::Coach, false), Some(true)), Some(moment().now()));
    }
}
