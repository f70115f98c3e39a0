//! Invitations to be a child's guardian in the store. The child, its guardians and its registrars read and write them: those who may change
//! how the family is reached. A registrar sees those that they sent.

use constcat::concat;
use fieldhouse_domain::children::guardian_invitations::{GuardianInvitation, INVITERS};
use fieldhouse_domain::ids::{ChildId, GuardianInvitationId, OrganizationId, UserId};
use fieldhouse_domain::scopes::Verb;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::OrgWrite;
use crate::access::children::{ChildAccess, ChildScope, Contact, Use, invites, visible};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::invitations::{Inviting, inviting};
use crate::query::queries;
use crate::row::Row;
use crate::value::{Value, id, values};

/// Invitations with the keys of their children, and the names of the people who sent them.
const LISTED: &str = concat!(
    "SELECT k.wrapped, ",
    GuardianInvitation::COLUMNS,
    ", u.name FROM guardian_invitations gi JOIN child_keys k ON k.org_id = $1 AND k.child_id = gi.child_id
        JOIN users u ON u.id = gi.invited_by WHERE gi.org_id = $1"
);

queries! {
    /// A row without an invitation if the caller may see those about the child $10 and none follows the position. Not for those whom a
    /// restriction names.
    LIST "guardian_invitations.list" concat!("SELECT v.capacity, k.wrapped, ", GuardianInvitation::COLUMNS, ", u.name FROM (",
        visible!(" AND child_id = $10"), ") v
        LEFT JOIN child_keys k ON k.org_id = $1 AND k.child_id = v.child_id
        LEFT JOIN guardian_invitations gi ON gi.org_id = $1 AND gi.child_id = v.child_id AND (v.capacity <> 8 OR gi.invited_by = $2)
            AND (gi.created_at, gi.id) < ($11, $12)
        LEFT JOIN users u ON u.id = gi.invited_by
        WHERE NOT EXISTS (SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = v.child_id AND x.user_id = $2
            AND x.starts_at <= $3 AND x.lifted_at IS NULL)
        ORDER BY gi.created_at DESC, gi.id DESC LIMIT $13");
    READ "guardian_invitations.read" concat!(LISTED, " AND gi.id = $2");
    SENT "guardian_invitations.sent" "SELECT COUNT(*) FROM guardian_invitations WHERE org_id = $1 AND invited_by = $2 AND created_at > $3";
    OF_CHILD "guardian_invitations.of_child" concat!(LISTED, " AND gi.child_id = $2 ORDER BY gi.created_at, gi.id");
}

/// An invitation with the name of the person who sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The invitation.
    pub invitation: GuardianInvitation,
    /// The name of the person who invited.
    pub inviter: String,
}

/// The invitations about a child that the caller sees, newest first, from a position. `None` if they may not see any.
pub async fn list(
    reader: &mut impl Reader,
    scope: &ChildScope<Contact>,
    child: ChildId,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Option<Vec<Listed>>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let (organization, sealer) = (scope.organization(), reader.sealer().clone());
    let mut values = scope.values_to(Verb::Write, &INVITERS);
    values.extend([id(child), Value::from(at), Value::from(last), Value::from(limit)]);
    let row = |row: &mut Row<'_>| {
        row.skip(1);
        let found = row.optional_sealed_record(&sealer, organization)?;
        let inviter: Option<String> = row.next()?;
        Ok(found.map(|invitation| Listed { invitation, inviter: inviter.unwrap_or_default() }))
    };
    let rows = reader.rows(LIST, &values, row).await?;
    let is_open = !rows.is_empty();
    Ok(is_open.then(|| rows.into_iter().flatten().collect()))
}

/// All invitations about a child, earliest first.
pub async fn of_child<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, Contact, V>,
) -> Result<Vec<Listed>> {
    let (organization, child) = (access.organization(), access.child());
    let sealer = tx.sealer().clone();
    tx.rows(OF_CHILD, values![id(organization), id(child)], |row| {
        Ok(Listed { invitation: row.sealed_record(&sealer, organization)?, inviter: row.next()? })
    })
    .await
}

/// How many invitations a person has sent since a time, also those that were revoked.
pub async fn sent<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    user: UserId,
    since: Timestamp,
) -> Result<i64> {
    let values = values![id(proof.organization()), id(user), since];
    Ok(first(tx, SENT, values, |row| row.next()).await?.unwrap_or_default())
}

/// The invitation that is being accepted.
pub async fn read<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    invitation: GuardianInvitationId,
) -> Result<Option<Listed>> {
    found(tx, proof.organization(), invitation).await
}

/// The invitation of a link, before there is a caller, with its organization. `None` if the person who sent it may not invite any more. The
/// link has proved that its holder may see it.
pub async fn of_link(
    reader: &mut impl Reader,
    organization: OrganizationId,
    invitation: GuardianInvitationId,
    now: Timestamp,
) -> Result<Option<(Listed, Inviting)>> {
    let Some(listed) = found(reader, organization, invitation).await? else { return Ok(None) };
    let Some(inviting) = inviting(reader, organization).await? else { return Ok(None) };
    let (inviter, child) = (listed.invitation.invited_by, listed.invitation.child_id);
    let day = inviting.time_zone.date(now);
    let may_invite = invites(reader, organization, (inviter, child), now, day).await?;
    Ok(may_invite.then_some((listed, inviting)))
}

async fn found(
    reader: &mut impl Reader,
    organization: OrganizationId,
    invitation: GuardianInvitationId,
) -> Result<Option<Listed>> {
    let sealer = reader.sealer().clone();
    first(reader, READ, values![id(organization), id(invitation)], |row| {
        Ok(Listed { invitation: row.sealed_record(&sealer, organization)?, inviter: row.next()? })
    })
    .await
}
