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
    /// Since when the membership has been suspended.
    #[field(server)]
    pub suspended_at: Option<Timestamp>,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    #[field(server, bookkeeping)]
    pub version: i64,
}

impl Member {
    /// A new membership.
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

/// What a request changes about a member. Fields that are left out stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Body)]
#[body(title = "MemberChange")]
pub struct ChangeMember {
    /// The new role. No one gives a role above their own; the last owner stays one.
    pub role: Option<Role>,
    /// Whether the membership is suspended.
    pub suspended: Option<bool>,
}

/// The member as a change wants it. No one acts on a member with a higher role than their own, or raises one above it; `owners` is how
/// many active owners the organization has, of whom the last stays.
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
    refuse_reaching_above(actor, member, after.role)?;
    refuse_losing_last_owner(member, after.role == Role::Owner && after.suspended_at.is_none(), owners)?;
    Ok(after)
}

/// Refuses to remove a member, under the same rules as [`changed`].
pub fn refuse_removal(actor: Role, member: &Member, owners: i64) -> Result<(), Refusal> {
    refuse_reaching_above(actor, member, member.role)?;
    refuse_losing_last_owner(member, false, owners)
}

fn refuse_reaching_above(actor: Role, member: &Member, wanted: Role) -> Result<(), Refusal> {
    if member.role > actor || wanted > actor {
        return Err(Refusal::Forbidden(format!("an {actor} acts on members up to {actor} only")));
    }
    Ok(())
}

fn refuse_losing_last_owner(member: &Member, stays_owner: bool, owners: i64) -> Result<(), Refusal> {
    let is_owner = member.role == Role::Owner && member.suspended_at.is_none();
    if is_owner && !stays_owner && owners <= 1 { Err(Refusal::LastOwner) } else { Ok(()) }
}
