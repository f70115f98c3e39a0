//! Duties that operations require of their callers.

use constcat::concat;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::{OrganizationId, UserId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

queries! {
    ON_DUTY "access.on_duty" concat!("SELECT y.id FROM duties y WHERE ", crate::access::children::ON_DUTY, " AND y.kind = $4 LIMIT 1");
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
