//! Requests of families about a child's data. They show ids of children, and never a name.

use constcat::concat;
use fieldhouse_domain::ids::{ChildId, OrganizationId, PrivacyRequestId};
use fieldhouse_domain::policy;
use fieldhouse_domain::privacy_requests::PrivacyRequest;
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};
use crate::visits::having;

const OF: &str = concat!("SELECT ", PrivacyRequest::COLUMNS, " FROM privacy_requests q WHERE q.org_id = $1");

queries! {
    /// Without those about a child whose data a restriction closes to the user $5, except their own.
    ALL "privacy_requests.all" concat!(OF, " AND (q.created_at, q.id) < ($2, $3) AND (q.requested_by = $5 OR NOT EXISTS (
            SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = q.child_id AND x.user_id = $5 AND x.lifted_at IS NULL))
        ORDER BY q.created_at DESC, q.id DESC LIMIT $4");
    OWN "privacy_requests.own" concat!(OF, " AND q.requested_by = $2 AND (q.created_at, q.id) < ($3, $4)
        ORDER BY q.created_at DESC, q.id DESC LIMIT $5");
    READ "privacy_requests.read" concat!(OF, " AND q.id = $2");
    OF_CHILD "privacy_requests.of_child" concat!(OF, " AND q.child_id = $2 ORDER BY q.created_at, q.id");
    ERASURES "privacy_requests.erasures" "SELECT id, child_id, decided_at FROM privacy_requests
        WHERE org_id = $1 AND state = 'done' AND kind = 'erasure' ORDER BY updated_at, id";
    WITH_ERASURES "privacy_requests.with_erasures" having!("privacy_requests r WHERE r.org_id = h.org_id AND r.state = 'done'
        AND r.kind = 'erasure' AND r.updated_at <= $3");
    CLUB "privacy_requests.club" "SELECT o.name, o.time_zone, u.name FROM privacy_requests q JOIN orgs o ON o.id = $1
        JOIN users u ON u.id = q.requested_by WHERE q.org_id = $1 AND q.id = $2";
}

/// The caller's requests or, for an admin, all of the organization; newest first, from a position.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<PrivacyRequest>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let organization = id(scope.organization());
    if policy::sees_privacy_requests(scope.role()) {
        return reader.rows(ALL, values![organization, at, last, limit, id(scope.user())], record).await;
    }
    reader.rows(OWN, values![organization, id(scope.user()), at, last, limit], record).await
}

/// One request, to decide it or to show it to the person who created it.
pub async fn read<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    request: PrivacyRequestId,
) -> Result<Option<PrivacyRequest>> {
    first(tx, READ, values![id(proof.organization()), id(request)], record).await
}

/// All requests about a child, earliest first.
pub async fn of_child<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    child: ChildId,
) -> Result<Vec<PrivacyRequest>> {
    tx.rows(OF_CHILD, values![id(proof.organization()), id(child)], record).await
}

/// The request that a message is about, before there is a caller, with the names of the organization and of the requester.
pub async fn of_mail(
    reader: &mut impl Reader,
    organization: OrganizationId,
    request: PrivacyRequestId,
) -> Result<Option<(PrivacyRequest, Club)>> {
    let values = values![id(organization), id(request)];
    let Some(found) = first(reader, READ, values, record).await? else { return Ok(None) };
    let club = first(reader, CLUB, values, |row| {
        Ok(Club { name: row.next()?, time_zone: row.next()?, requester: row.next()? })
    });
    Ok(club.await?.map(|club| (found, club)))
}

/// What a message about a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Club {
    /// The organization's name.
    pub name: String,
    /// The organization's time zone.
    pub time_zone: TimeZoneName,
    /// The name of the person who created the request.
    pub requester: String,
}

/// An erasure that was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// The organization.
    pub organization: OrganizationId,
    /// The request.
    pub request: PrivacyRequestId,
    /// The child.
    pub child: ChildId,
    /// When it was decided.
    pub at: Timestamp,
}

impl Store {
    /// The granted erasures of all organizations, for the list beside the key ring.
    pub async fn erasures(&self) -> Result<Vec<Erasure>> {
        let mut found = Vec::new();
        for organization in self.organizations_having(WITH_ERASURES, Timestamp::MAX).await? {
            found.extend(self.erasures_of(organization).await?);
        }
        Ok(found)
    }

    /// The granted erasures of an organization.
    pub async fn erasures_of(&self, organization: OrganizationId) -> Result<Vec<Erasure>> {
        (&mut &*self)
            .rows(ERASURES, values![id(organization)], |row| {
                let (request, child) = (row.next()?, row.next()?);
                let at = row.next::<Option<Timestamp>>()?.unwrap_or_default();
                Ok(Erasure { organization, request, child, at })
            })
            .await
    }
}
