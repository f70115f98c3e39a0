//! Members: a user's role in one organization.

use jiff::Timestamp;

use crate::Moment;
use crate::Refusal;
use crate::effects::{Effect, Record};
use crate::ids::{MemberId, UserId};
use crate::record::record;
use crate::roles::Role;

record! {
    /// A user's role in one organization.
    Member {
        /// The id.
        id: MemberId,
        /// The user.
        user_id: UserId,
        /// The role.
        role: Role,
        /// When the user joined.
        joined_at: Timestamp,
        /// Since when the membership opens nothing.
        suspended_at: Option<Timestamp>,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
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

/// What is to change about a member.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangeMember {
    /// The new role.
    pub role: Option<Role>,
    /// Whether the membership is to be suspended.
    pub suspended: Option<bool>,
}

/// Changes a member. Nobody acts on those above himself or raises anyone above himself; `owners` is how many active owners the
/// organization has now, of whom the last stays.
pub fn change(
    moment: &Moment,
    actor: Role,
    member: Member,
    wanted: ChangeMember,
    owners: i64,
) -> Result<Option<Effect>, Refusal> {
    let mut after = member.clone();
    after.role = wanted.role.unwrap_or(member.role);
    after.suspended_at = match wanted.suspended {
        Some(true) => member.suspended_at.or(Some(moment.now())),
        Some(false) => None,
        None => member.suspended_at,
    };
    refuse_reaching_above(actor, &member, after.role)?;
    refuse_losing_last_owner(&member, after.role == Role::Owner && after.suspended_at.is_none(), owners)?;
    Ok(Effect::update(moment, Record::Member(member), Record::Member(after)))
}

/// Removes a member from the organization, under the same rules as [`change`].
pub fn remove(actor: Role, member: Member, owners: i64) -> Result<Effect, Refusal> {
    refuse_reaching_above(actor, &member, member.role)?;
    refuse_losing_last_owner(&member, false, owners)?;
    Ok(Effect::delete(Record::Member(member)))
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
