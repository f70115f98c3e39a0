//! Members: a user's role in one organization.

use jiff::Timestamp;

use crate::Moment;
use crate::Refusal;
use crate::ids::{MemberId, UserId};
use crate::record::{Body, Record};
use crate::roles::Role;

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
    /// When the user joined.
    #[field(server, moment)]
    pub joined_at: Timestamp,
    /// When the membership was suspended.
    #[field(server)]
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
