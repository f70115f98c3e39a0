//! Break-glass grants in the store. Their holders, safeguarding leads and admins read them.

use constcat::concat;
use fieldhouse_domain::children::break_glass::{BreakGlassGrant, COUNTED, Earlier, EmergencyReason};
use fieldhouse_domain::ids::{BreakGlassGrantId, ChildId, OrganizationId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{Value, id, values};

/// Grants of the user $2, and those of others if they are a safeguarding lead at the time $3, or an admin, which $4 says; not those about
/// a child whose data a restriction closes to them.
const VISIBLE: &str = concat!(
    "SELECT k.wrapped, ",
    BreakGlassGrant::COLUMNS,
    ", u.name FROM break_glass_grants bg
    JOIN child_keys k ON k.org_id = $1 AND k.child_id = bg.child_id JOIN users u ON u.id = bg.user_id
    WHERE bg.org_id = $1 AND (bg.user_id = $2 OR (CAST($4 AS BIGINT) = 1 OR EXISTS (",
    crate::restrictions::LEAD,
    ")) AND NOT EXISTS (SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = bg.child_id AND x.user_id = $2
            AND x.lifted_at IS NULL))"
);

queries! {
    LIST "break_glass.list" concat!(VISIBLE, " AND (bg.created_at, bg.id) < ($5, $6) ORDER BY bg.created_at DESC, bg.id DESC LIMIT $7");
    READ "break_glass.read" concat!(VISIBLE, " AND bg.id = $5");
    EARLIER "break_glass.earlier" "SELECT starts_at, reviewed_at FROM break_glass_grants WHERE org_id = $1 AND user_id = $2
        AND (starts_at > $3 OR reviewed_at IS NULL) ORDER BY starts_at";
    /// The active guardians of the child $2 at the time $3 to whom no restriction closes the class `records`, whose bit is 128.
    GUARDIANS "break_glass.guardians" "SELECT DISTINCT u.email FROM relations r JOIN users u ON u.id = r.user_id
        JOIN members m ON m.org_id = $1 AND m.user_id = r.user_id
        WHERE r.org_id = $1 AND r.child_id = $2 AND r.kind = 'guardian' AND r.state = 'active' AND r.starts_at <= $3
        AND (r.expires_at IS NULL OR r.expires_at > $3) AND u.suspended_at IS NULL AND m.suspended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = r.child_id AND x.user_id = r.user_id
            AND x.starts_at <= $3 AND x.lifted_at IS NULL AND (x.class_bits & 128) <> 0)";
    TOLD "break_glass.told" "SELECT bg.reason_code, bg.ends_at, bg.reviewed_at, u.name, o.name, o.time_zone FROM break_glass_grants bg
        JOIN orgs o ON o.id = $1 JOIN users u ON u.id = bg.user_id WHERE bg.org_id = $1 AND bg.id = $2";
}

/// A grant with the name of its holder.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The grant.
    pub grant: BreakGlassGrant,
    /// The holder's name.
    pub name: String,
}

/// The values of the first four parameters. `None` for the operator and jobs, who see no grant.
fn viewer<R: Reader>(proof: &impl Proof<R>, now: Timestamp) -> Option<Vec<Value<'static>>> {
    let is_admin = i64::from(proof.role() >= Role::Admin);
    Some(vec![id(proof.organization()), id(proof.owner()?), Value::from(now), Value::from(is_admin)])
}

/// The grants that the caller may see, newest first, from a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let Some(mut values) = viewer(proof, now) else { return Ok(Vec::new()) };
    values.extend([Value::from(at), Value::from(last), Value::from(limit)]);
    let (organization, sealer) = (proof.organization(), reader.sealer().clone());
    let listed = |row: &mut crate::row::Row<'_>| {
        Ok(Listed { grant: row.sealed_record(&sealer, organization)?, name: row.next()? })
    };
    reader.rows(LIST, &values, listed).await
}

/// One grant that the caller may see.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    now: Timestamp,
    grant: BreakGlassGrantId,
) -> Result<Option<Listed>> {
    let Some(mut values) = viewer(proof, now) else { return Ok(None) };
    values.push(id(grant));
    let (organization, sealer) = (proof.organization(), reader.sealer().clone());
    first(reader, READ, &values, |row| {
        Ok(Listed { grant: row.sealed_record(&sealer, organization)?, name: row.next()? })
    })
    .await
}

/// The grants of the acting user that count against the maximum or are not reviewed, earliest first.
pub async fn earlier<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, now: Timestamp) -> Result<Vec<Earlier>> {
    let Some(user) = proof.actor().user else { return Ok(Vec::new()) };
    let counted = now.saturating_sub(COUNTED).unwrap_or(Timestamp::MIN);
    tx.rows(EARLIER, values![id(proof.organization()), id(user), counted], |row| {
        let starts_at = row.next()?;
        Ok(Earlier { starts_at, is_reviewed: row.next::<Option<Timestamp>>()?.is_some() })
    })
    .await
}

/// Whether a child has a guardian whom the server tells.
pub async fn has_guardian<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    child: ChildId,
    now: Timestamp,
) -> Result<bool> {
    Ok(!guardians(tx, proof.organization(), child, now).await?.is_empty())
}

/// The e-mail addresses of the guardians whom a grant is told.
pub(crate) async fn guardians(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    child: ChildId,
    now: Timestamp,
) -> Result<Vec<Email>> {
    tx.rows(GUARDIANS, values![id(organization), id(child), now], |row| row.next()).await
}

/// What a message about a grant says.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Why.
    pub reason_code: EmergencyReason,
    /// When the grant ends.
    pub ends_at: Timestamp,
    /// When it was reviewed.
    pub reviewed_at: Option<Timestamp>,
    /// The holder's name.
    pub holder: String,
    /// The organization's name.
    pub organization: String,
    /// The organization's time zone.
    pub time_zone: TimeZoneName,
}

/// The grant that a message is about, before there is a caller.
pub async fn of_mail(
    reader: &mut impl Reader,
    organization: OrganizationId,
    grant: BreakGlassGrantId,
) -> Result<Option<Told>> {
    first(reader, TOLD, values![id(organization), id(grant)], |row| {
        Ok(Told {
            reason_code: row.next()?,
            ends_at: row.next()?,
            reviewed_at: row.next()?,
            holder: row.next()?,
            organization: row.next()?,
            time_zone: row.next()?,
        })
    })
    .await
}
