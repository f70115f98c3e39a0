//! Safeguarding cases in the store. Safeguarding leads and admins read them, except those of the family of a child whom a case names.

use constcat::concat;
use fieldhouse_domain::children::cases::SafeguardingCase;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, Id, OrganizationId, SafeguardingCaseId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::duties::Proposing;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{Value, id, values};

/// Cases that the user $2 may see at the time $3. One row without a case if none follows; no row if the user is no safeguarding lead, and $4,
/// which says whether they are an admin, is 0. Admins who are no lead see the cases that are not closed. Who was of the family of an erased
/// child is not known any more, so that only those who work on its cases see them.
const VISIBLE: &str = concat!(
    "SELECT ", SafeguardingCase::COLUMNS, " FROM (SELECT y.id, 1 AS leads FROM duties y WHERE ", crate::access::children::ON_DUTY, "
            AND y.kind = 'safeguarding_lead'
        UNION ALL SELECT o.id, 0 FROM orgs o WHERE o.id = $1 AND CAST($4 AS BIGINT) = 1 ORDER BY leads DESC LIMIT 1) l
    LEFT JOIN safeguarding_cases sc ON sc.org_id = $1 AND (l.leads = 1 OR sc.state <> 'closed')
        AND NOT EXISTS (SELECT 1 FROM case_children k JOIN relations r ON r.org_id = $1 AND r.child_id = k.child_id
            WHERE k.org_id = $1 AND k.case_id = sc.id AND r.user_id = $2 AND ", crate::relations::FAMILY, ")
        AND (EXISTS (SELECT 1 FROM case_leads w WHERE w.org_id = $1 AND w.case_id = sc.id AND w.user_id = $2)
            OR NOT EXISTS (SELECT 1 FROM case_children k LEFT JOIN children c ON c.org_id = $1 AND c.id = k.child_id
                WHERE k.org_id = $1 AND k.case_id = sc.id AND c.id IS NULL))"
);

queries! {
    LIST "cases.list" concat!(VISIBLE, " AND (sc.created_at, sc.id) < ($5, $6) ORDER BY sc.created_at DESC, sc.id DESC LIMIT $7");
    READ "cases.read" concat!(VISIBLE, " AND sc.id = $5");
    NOT_CLOSED "cases.not_closed" "SELECT sc.id FROM case_children k JOIN safeguarding_cases sc ON sc.org_id = $1 AND sc.id = k.case_id
        WHERE k.org_id = $1 AND k.child_id = $2 AND sc.closed_at IS NULL LIMIT 1";
    LEADS "cases.leads" "SELECT DISTINCT y.user_id FROM duties y JOIN members m ON m.org_id = $1 AND m.user_id = y.user_id
        JOIN users u ON u.id = y.user_id WHERE y.org_id = $1 AND y.kind = 'safeguarding_lead' AND y.state = 'accepted'
        AND y.starts_at <= $2 AND y.ends_at > $2 AND m.suspended_at IS NULL AND u.suspended_at IS NULL";
    CREATE_CHILD "cases.create_child" "INSERT INTO case_children (org_id, case_id, child_id) VALUES ($1, $2, $3)";
    CREATE_LEAD "cases.create_lead" "INSERT INTO case_leads (org_id, case_id, user_id) VALUES ($1, $2, $3)";
    /// The addresses of the active owners who are not of the family of a child of the case $3.
    OWNER_ADDRESSES "cases.owner_addresses" concat!("SELECT u.email FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $1 AND m.role = $2 AND m.suspended_at IS NULL AND u.suspended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM case_children k JOIN relations r ON r.org_id = $1 AND r.child_id = k.child_id
            WHERE k.org_id = $1 AND k.case_id = $3 AND r.user_id = m.user_id AND ", crate::relations::FAMILY, ")");
    PROPOSER "cases.proposer" concat!("SELECT ", SafeguardingCase::COLUMNS, ", o.name, o.time_zone, u.name FROM safeguarding_cases sc
        JOIN orgs o ON o.id = $1 LEFT JOIN users u ON u.id = sc.opened_by WHERE sc.org_id = $1 AND sc.id = $2");
}

/// The values of the first four parameters. `None` for the operator and jobs, who see no case.
fn viewer<R: Reader>(proof: &impl Proof<R>, now: Timestamp) -> Option<Vec<Value<'static>>> {
    let is_admin = i64::from(proof.role() >= Role::Admin);
    let user = proof.owner()?;
    Some(vec![id(proof.organization()), id(user), Value::from(now), Value::from(is_admin)])
}

fn found(row: &mut Row<'_>) -> Result<Option<SafeguardingCase>> {
    row.optional_record()
}

/// The cases that the caller may see, newest first, from a position. `None` if they are neither a safeguarding lead nor an admin.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Option<Vec<SafeguardingCase>>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let Some(mut values) = viewer(proof, now) else { return Ok(None) };
    values.extend([Value::from(at), Value::from(last), Value::from(limit)]);
    let rows = reader.rows(LIST, &values, found).await?;
    Ok((!rows.is_empty()).then(|| rows.into_iter().flatten().collect()))
}

/// One case that the caller may see. The outer `None` if they are neither a safeguarding lead nor an admin.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    now: Timestamp,
    case: SafeguardingCaseId,
) -> Result<Option<Option<SafeguardingCase>>> {
    let Some(mut values) = viewer(proof, now) else { return Ok(None) };
    values.push(id(case));
    first(reader, READ, &values, found).await
}

/// Whether a case about a child is not closed.
pub async fn is_open_about<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, child: ChildId) -> Result<bool> {
    let values = values![id(proof.organization()), id(child)];
    Ok(first(tx, NOT_CLOSED, values, |row| row.next::<Uuid>()).await?.is_some())
}

/// The active members who are safeguarding leads now.
pub async fn leads<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, now: Timestamp) -> Result<Vec<UserId>> {
    let values = values![id(proof.organization()), now];
    tx.rows(LEADS, values, |row| row.next::<Uuid>().map(UserId::from_uuid)).await
}

/// Writes the children and the leads of a new case. They never change.
pub(crate) async fn write_named(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    effect: &Effect,
) -> Result<()> {
    let (None, Some(AnyRecord::SafeguardingCase(case))) = (&effect.before, &effect.after) else {
        return Ok(());
    };
    for child in &case.child_ids {
        tx.run(CREATE_CHILD, values![id(organization), id(case.id), id(*child)]).await?;
    }
    for lead in &case.lead_ids {
        tx.run(CREATE_LEAD, values![id(organization), id(case.id), id(*lead)]).await?;
    }
    Ok(())
}

/// The e-mail addresses of the active owners who are not of the family of a child of a case.
pub(crate) async fn owner_addresses(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    case: Uuid,
) -> Result<Vec<Email>> {
    tx.rows(OWNER_ADDRESSES, values![id(organization), Role::Owner.rank(), case], |row| row.next()).await
}

/// The case that a message is about, before there is a caller.
pub async fn of_mail(
    reader: &mut impl Reader,
    organization: OrganizationId,
    case: SafeguardingCaseId,
) -> Result<Option<(SafeguardingCase, Proposing)>> {
    first(reader, PROPOSER, values![id(organization), id(case)], |row| {
        let case = row.record()?;
        Ok((case, Proposing { organization: row.next()?, time_zone: row.next()?, proposer: row.next()? }))
    })
    .await
}
