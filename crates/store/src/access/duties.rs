//! Duties that operations require of their callers.

use constcat::concat;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::{ChildId, OrganizationId, UserId};
use jiff::Timestamp;
use uuid::Uuid;

use super::OrgWrite;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

queries! {
    ON_DUTY "access.on_duty" concat!("SELECT y.id FROM duties y WHERE ", crate::access::children::ON_DUTY, " AND y.kind = $4 LIMIT 1");
    /// A child whose data is not erased.
    CHILD "access.child" "SELECT child_id FROM child_keys WHERE org_id = $1 AND child_id = $2";
}

/// Whether a user has a duty now.
pub(super) async fn is_on(
    reader: &mut impl Reader,
    organization: OrganizationId,
    user: UserId,
    kind: DutyKind,
    now: Timestamp,
) -> Result<bool> {
    let values = values![id(organization), id(user), now, kind.name()];
    Ok(first(reader, ON_DUTY, values, |row| row.next::<Uuid>()).await?.is_some())
}

impl<'tx> Tx<'tx> {
    /// Whether the organization has a child, for callers who only name it: they open none of its data.
    pub async fn has_child(&mut self, proof: &OrgWrite<'tx>, child: ChildId) -> Result<bool> {
        let values = values![id(proof.organization()), id(child)];
        Ok(first(self, CHILD, values, |row| row.next::<Uuid>()).await?.is_some())
    }
}
