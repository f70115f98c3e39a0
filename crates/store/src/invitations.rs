//! Invitations in the store.

use constcat::concat;
use fieldhouse_domain::ids::{InvitationId, OrganizationId};
use fieldhouse_domain::invitations::{Invitation, InvitationStatus};
use fieldhouse_domain::text::Email;
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// Invitations with the names of the people who sent them.
const LISTED: &str = concat!(
    "SELECT ",
    Invitation::COLUMNS,
    ", u.name FROM invitations i JOIN users u ON u.id = i.invited_by"
);

/// The status of an invitation at the time $3, as in [`Invitation::status`].
const STATUS: &str = "CASE WHEN i.accepted_at IS NOT NULL THEN 'accepted' WHEN i.revoked_at IS NOT NULL THEN 'revoked'
    WHEN i.mail_failed_at IS NOT NULL THEN 'mail_failed' WHEN i.expires_at <= $3 THEN 'expired' ELSE 'open' END";

queries! {
    LIST "invitations.list" concat!(LISTED, " WHERE i.org_id = $1 AND (CAST($2 AS TEXT) IS NULL OR ", STATUS, " = $2)
        AND (i.created_at, i.id) < ($4, $5) ORDER BY i.created_at DESC, i.id DESC LIMIT $6");
    READ "invitations.read" concat!(LISTED, " WHERE i.org_id = $1 AND i.id = $2");
    OPEN "invitations.open" "SELECT COUNT(*) FROM invitations
        WHERE org_id = $1 AND email_folded > '' AND accepted_at IS NULL AND revoked_at IS NULL";
    MEMBER "invitations.member" "SELECT m.id FROM users u JOIN members m ON m.org_id = $1 AND m.user_id = u.id WHERE u.email_folded = $2";
    ORGANIZATION "invitations.organization" "SELECT name, slug, time_zone, suspended_at FROM orgs WHERE id = $1";
}

/// An invitation with the name of the person who sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The invitation.
    pub invitation: Invitation,
    /// The name of the person who invited.
    pub inviter: String,
}

/// The organization of an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inviting {
    /// Its name.
    pub name: String,
    /// Its slug.
    pub slug: String,
    /// Its time zone.
    pub time_zone: TimeZoneName,
    /// Whether it is suspended.
    pub is_suspended: bool,
}

fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { invitation: row.record()?, inviter: row.next()? })
}

/// Invitations, newest first, from a position; only those with a status now, if one is given.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    status: Option<InvitationStatus>,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let status = status.map(InvitationStatus::name);
    reader.rows(LIST, values![id(proof.organization()), status, now, at, last, limit], listed).await
}

/// One invitation.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    invitation: InvitationId,
) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(invitation)], listed).await
}

/// The number of invitations that are neither accepted nor revoked.
pub async fn open<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<i64> {
    let count = first(reader, OPEN, values![id(proof.organization())], |row| row.next()).await?;
    Ok(count.unwrap_or_default())
}

/// Whether a member of the organization has an address.
pub async fn is_member<R: Reader>(reader: &mut R, proof: &impl Proof<R>, email: &Email) -> Result<bool> {
    let found =
        first(reader, MEMBER, values![id(proof.organization()), email.folded()], |row| row.next::<Uuid>())
            .await?;
    Ok(found.is_some())
}

/// The invitation of a link, before there is a caller, with its organization. The link has proved that its holder may see it.
pub async fn of_link(
    reader: &mut impl Reader,
    organization: OrganizationId,
    invitation: InvitationId,
) -> Result<Option<(Listed, Inviting)>> {
    let Some(found) = first(reader, READ, values![id(organization), id(invitation)], listed).await? else {
        return Ok(None);
    };
    Ok(inviting(reader, organization).await?.map(|inviting| (found, inviting)))
}

/// The organization of an invitation.
pub(crate) async fn inviting(
    reader: &mut impl Reader,
    organization: OrganizationId,
) -> Result<Option<Inviting>> {
    first(reader, ORGANIZATION, values![id(organization)], |row| {
        let (name, slug, time_zone) = (row.next()?, row.next()?, row.next()?);
        Ok(Inviting { name, slug, time_zone, is_suspended: row.next::<Option<i64>>()?.is_some() })
    })
    .await
}
