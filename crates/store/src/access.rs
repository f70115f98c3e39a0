//! Proofs: the only place where facts about a caller become permission to read or write an organization's data.
//!
//! [`identify`] reads the facts behind a credential. [`Caller::permit`] asks the policy and creates an [`OrgScope`], which every read of
//! tenant data needs. [`Tx::permit`] reads the facts again inside a transaction and creates an [`OrgWrite`], which every write needs.
//! Neither has a public constructor, and an `OrgWrite` is valid only in its own transaction. Children's data needs a further proof:
//! [`children`].

pub mod children;
pub(crate) mod duties;
mod images;
pub(crate) mod writing;

use std::net::IpAddr;
use std::sync::Arc;

use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, SessionId, UserId};
use fieldhouse_domain::policy::{self, ChildTouch, Denial, Facts, Requirement, VerifiedCredential};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{READS_CHILDREN, Resource, Scope, Verb};
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use jiff::civil::Date;
use subtle::ConstantTimeEq;

use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

pub use images::ImageScope;
pub use writing::{Actor, GuestWrite, Operator, OrgWrite, Principal, UserWrite};

queries! {
    KEY "access.key" "SELECT k.id, k.org_id, k.user_id, k.digest, k.pepper_id, k.role, k.scopes, k.kind, k.allowed_ips, k.expires_at,
            k.revoked_at, k.last_used_at, m.role, m.suspended_at, u.suspended_at, o.suspended_at, o.time_zone,
            EXISTS (SELECT 1 FROM relations r WHERE r.org_id = k.org_id AND r.user_id = k.user_id)
        FROM api_keys k JOIN users u ON u.id = k.user_id JOIN orgs o ON o.id = k.org_id
            LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id
        WHERE k.public_id = $1";
    SESSION "access.session" "SELECT s.user_id, s.created_at, s.expires_at, s.revoked_at, m.role, m.suspended_at, u.suspended_at, o.suspended_at, o.time_zone,
            EXISTS (SELECT 1 FROM relations r WHERE r.org_id = s.org_id AND r.user_id = s.user_id)
        FROM sessions s JOIN users u ON u.id = s.user_id JOIN orgs o ON o.id = s.org_id
            LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
        WHERE s.org_id = $1 AND s.id = $2";
}

/// A raw credential: well-formed, and a token has a valid signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RawCredential {
    /// An API key.
    ApiKey {
        /// The public id.
        public_id: String,
        /// Its digests, one for each pepper of the key ring, with the pepper's id.
        digests: Vec<(String, [u8; 32])>,
    },
    /// A session's access token.
    Session {
        /// The organization that it is for.
        organization: OrganizationId,
        /// The session.
        id: SessionId,
        /// When the token expires.
        expires_at: Timestamp,
    },
}

/// A caller with a valid credential. Requests can be counted against limits, but nothing is permitted yet.
#[derive(Debug)]
pub struct Caller {
    facts: Facts,
    sent: RawCredential,
    last_used_at: Option<Timestamp>,
    /// The organization's time zone, which says what day it is.
    time_zone: TimeZoneName,
    /// Whether the user has or had a relation to a child of the organization, whatever its state.
    has_relations: bool,
}

/// What is read about a credential: the facts, when a key was last used, the organization's time zone, and whether there are relations.
type Found = (Facts, Option<Timestamp>, TimeZoneName, bool);

/// Reads the facts behind a credential. An unknown or expired credential is denied.
pub async fn identify(
    reader: &mut impl Reader,
    sent: &RawCredential,
    now: Timestamp,
) -> Result<std::result::Result<Arc<Caller>, Denial>> {
    let found = match sent {
        RawCredential::ApiKey { public_id, digests } => key_facts(reader, public_id, digests).await?,
        RawCredential::Session { organization, id, expires_at } => {
            session_facts(reader, *organization, *id, *expires_at).await?
        }
    };
    let Some((facts, last_used_at, time_zone, has_relations)) = found else {
        return Ok(Err(Denial::Unknown));
    };
    let valid = policy::authenticate(&facts, now).map(drop);
    let caller = Caller { facts, sent: sent.clone(), last_used_at, time_zone, has_relations };
    Ok(valid.map(|()| Arc::new(caller)))
}

/// Reads the facts behind a scope again, as the next request with the same credential would.
pub async fn identify_again(
    reader: &mut impl Reader,
    scope: &OrgScope,
    now: Timestamp,
) -> Result<std::result::Result<Arc<Caller>, Denial>> {
    identify(reader, &scope.caller.sent, now).await
}

async fn key_facts(
    reader: &mut impl Reader,
    public_id: &str,
    digests: &[(String, [u8; 32])],
) -> Result<Option<Found>> {
    let found = first(reader, KEY, values![public_id], |row| {
        let (id, organization, user) = (row.next()?, row.next()?, row.next()?);
        let digest: [u8; 32] = row.next()?;
        let pepper: String = row.next()?;
        let issued_role = row.next::<Role>()?;
        let scopes = row.next::<Vec<Scope>>()?;
        let agent = row.next::<ApiKeyKind>()? == ApiKeyKind::Agent;
        let allowed_ips = row.next::<Vec<IpAddr>>()?;
        let credential = VerifiedCredential::ApiKey { id, issued_role, scopes, agent, allowed_ips };
        let (expires_at, revoked_at, last_used_at) = (row.next()?, row.next()?, row.next()?);
        let role: Option<Role> = row.next()?;
        let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
        let organization_suspended = row.next::<Option<i64>>()?.is_some();
        let facts = Facts {
            organization,
            user,
            credential,
            expires_at,
            revoked_at,
            role: None,
            suspended,
            organization_suspended,
        };
        Ok((facts, role, digest, pepper, (last_used_at, row.next()?, row.next()?)))
    })
    .await?;
    let Some((facts, role, digest, pepper, (last_used_at, time_zone, has_relations))) = found else {
        return Ok(None);
    };
    // Compared in constant time, so that the time reveals nothing about the secret.
    let right = digests.iter().any(|(id, sent)| *id == pepper && bool::from(sent.ct_eq(&digest)));
    Ok(right.then_some((Facts { role, ..facts }, last_used_at, time_zone, has_relations)))
}

async fn session_facts(
    reader: &mut impl Reader,
    organization: OrganizationId,
    session: SessionId,
    token_ends: Timestamp,
) -> Result<Option<Found>> {
    first(reader, SESSION, values![id(organization), id(session)], |row| {
        let user = row.next()?;
        let credential = VerifiedCredential::Session { id: session, authenticated_at: row.next()? };
        let expires_at = row.next::<Timestamp>()?.min(token_ends);
        let revoked_at = row.next()?;
        let role = row.next()?;
        let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
        let organization_suspended = row.next::<Option<i64>>()?.is_some();
        let facts = Facts {
            organization,
            user,
            credential,
            expires_at,
            revoked_at,
            role,
            suspended,
            organization_suspended,
        };
        Ok((facts, None, row.next()?, row.next()?))
    })
    .await
}

impl Caller {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.facts.organization
    }

    /// The user.
    pub fn user(&self) -> UserId {
        self.facts.user
    }

    /// The API key, if the credential is one, and when it was last used.
    pub fn key(&self) -> Option<(ApiKeyId, Option<Timestamp>)> {
        match self.facts.credential {
            VerifiedCredential::ApiKey { id, .. } => Some((id, self.last_used_at)),
            VerifiedCredential::Session { .. } => None,
        }
    }

    /// Asks the policy whether the caller may do what `requirement` describes.
    pub fn permit(
        self: Arc<Self>,
        requirement: Requirement,
        now: Timestamp,
        address: Option<IpAddr>,
    ) -> std::result::Result<OrgScope, Denial> {
        let role = policy::decide(&requirement, &self.facts, now, address)?;
        Ok(OrgScope { caller: self, role, address, child: requirement.child })
    }

    /// Whether the credential is still valid, as far as time alone decides it.
    pub fn authenticate(&self, now: Timestamp) -> std::result::Result<(), Denial> {
        policy::authenticate(&self.facts, now).map(drop)
    }
}

/// The permission to read one organization's data during one request.
#[derive(Debug)]
pub struct OrgScope {
    caller: Arc<Caller>,
    role: Role,
    address: Option<IpAddr>,
    /// Which data of children the operation uses.
    child: ChildTouch,
}

impl OrgScope {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.caller.facts.organization
    }

    /// The user.
    pub fn user(&self) -> UserId {
        self.caller.facts.user
    }

    /// The effective role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The day in the organization's time zone.
    pub fn today(&self, now: Timestamp) -> Date {
        self.caller.time_zone.date(now)
    }

    /// The organization's time zone.
    pub fn time_zone(&self) -> &TimeZoneName {
        &self.caller.time_zone
    }

    /// Whether the user has or had a relation to a child of the organization, whatever its state.
    pub fn has_relations(&self) -> bool {
        self.caller.has_relations
    }

    /// The credential.
    pub fn credential(&self) -> &VerifiedCredential {
        &self.caller.facts.credential
    }

    /// Whether the credential may be used for children's data. Only keys are narrowed.
    pub fn reads_children(&self) -> bool {
        policy::covers(&self.caller.facts.credential, READS_CHILDREN)
    }

    /// Refuses a key without the scope to use children's data in this way.
    pub fn refuse_narrow(&self, verb: Verb) -> std::result::Result<(), Denial> {
        let needed = Scope { resource: Resource::Children, verb };
        let is_covered = policy::covers(&self.caller.facts.credential, needed);
        if is_covered { Ok(()) } else { Err(Denial::ScopeInsufficient(needed)) }
    }

    /// When the credential expires.
    pub fn expires_at(&self) -> Timestamp {
        self.caller.facts.expires_at
    }

    /// The session, if the credential is one.
    pub fn session(&self) -> Option<SessionId> {
        match self.caller.facts.credential {
            VerifiedCredential::Session { id, .. } => Some(id),
            VerifiedCredential::ApiKey { .. } => None,
        }
    }

    /// The API key, if the credential is one.
    pub fn key(&self) -> Option<ApiKeyId> {
        match self.caller.facts.credential {
            VerifiedCredential::ApiKey { id, .. } => Some(id),
            VerifiedCredential::Session { .. } => None,
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::OrgScope {}
    impl Sealed for super::OrgWrite<'_> {}
}

/// The permission to read one organization's data, and of data with an owner, only the owner's. Queries take both from here, never from an
/// argument. `R` says where a proof is valid: an [`OrgScope`] anywhere, an [`OrgWrite`] in its own transaction.
pub trait Proof<R: Reader>: sealed::Sealed + Sync {
    /// The organization.
    fn organization(&self) -> OrganizationId;
    /// The user who acts. `None` for the operator or a job.
    fn owner(&self) -> Option<UserId>;
    /// The API key that the user acts through.
    fn through(&self) -> Option<ApiKeyId>;
    /// The effective role.
    fn role(&self) -> Role;
}

impl<R: Reader> Proof<R> for OrgScope {
    fn organization(&self) -> OrganizationId {
        self.caller.facts.organization
    }
    fn owner(&self) -> Option<UserId> {
        Some(self.caller.facts.user)
    }
    fn through(&self) -> Option<ApiKeyId> {
        self.key()
    }
    fn role(&self) -> Role {
        self.role
    }
}
