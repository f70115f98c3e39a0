//! Proofs: the one place where what is known of a caller becomes leave to touch an organization's data.
//!
//! [`identify`] reads the facts behind a credential; [`Caller::permit`] asks the policy and mints an [`OrgScope`], without which no
//! tenant's data can be read; [`Tx::permit`] reads the facts again inside a transaction and mints an [`OrgWrite`], without which no
//! effect is applied. None of them has a public constructor, and an `OrgWrite` fits its own transaction only.

use std::net::IpAddr;

use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{ApiKeyId, GuestId, Id, OrganizationId, SessionId, UserId};
use fieldhouse_domain::policy::{self, Denial, Facts, Presented, Reach, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use jiff::Timestamp;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::engine::{Brand, Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

queries! {
    KEY "access.key" "SELECT k.id, k.org_id, k.user_id, k.digest, k.pepper_id, k.role, k.scopes, k.kind, k.allowed_ips, k.expires_at,
            k.revoked_at, k.last_used_at, m.role, m.suspended_at, u.suspended_at
        FROM api_keys k JOIN users u ON u.id = k.user_id
            LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id
        WHERE k.public_id = $1";
    SESSION "access.session" "SELECT s.user_id, s.created_at, s.expires_at, s.revoked_at, m.role, m.suspended_at, u.suspended_at
        FROM sessions s JOIN users u ON u.id = s.user_id
            LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
        WHERE s.org_id = $1 AND s.id = $2";
    MEMBERSHIP "access.membership" "SELECT m.role, m.suspended_at, u.suspended_at
        FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.user_id = $2";
}

/// A credential as it was sent, found to be well-formed and (a token) well-signed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sent {
    /// An API key.
    ApiKey {
        /// The part by which it is found.
        public_id: String,
        /// Its digest under each pepper of the key ring, with the pepper's id.
        digests: Vec<(String, [u8; 32])>,
    },
    /// A session's access token.
    Session {
        /// The organization that it is for.
        organization: OrganizationId,
        /// The session.
        id: SessionId,
        /// When the token ends.
        expires_at: Timestamp,
    },
}

/// Somebody whose credential is good. May be counted against limits, but opens nothing yet.
#[derive(Debug)]
pub struct Caller {
    facts: Facts,
    sent: Sent,
    last_used_at: Option<Timestamp>,
}

/// Reads the facts behind a credential. A credential that belongs to nobody, or is not good any more, is denied.
pub async fn identify(
    reader: &mut impl Reader,
    sent: &Sent,
    now: Timestamp,
) -> Result<std::result::Result<Caller, Denial>> {
    let found = match sent {
        Sent::ApiKey { public_id, digests } => key_facts(reader, public_id, digests).await?,
        Sent::Session { organization, id, expires_at } => {
            session_facts(reader, *organization, *id, *expires_at).await?.map(|facts| (facts, None))
        }
    };
    let Some((facts, last_used_at)) = found else { return Ok(Err(Denial::Unknown)) };
    Ok(policy::authenticate(&facts, now).map(|_| Caller { facts, sent: sent.clone(), last_used_at }))
}

/// Reads the facts behind a scope again: what the next request with the same credential would be told.
pub async fn identify_again(
    reader: &mut impl Reader,
    scope: &OrgScope,
    now: Timestamp,
) -> Result<std::result::Result<Caller, Denial>> {
    identify(reader, &scope.sent, now).await
}

async fn key_facts(
    reader: &mut impl Reader,
    public_id: &str,
    digests: &[(String, [u8; 32])],
) -> Result<Option<(Facts, Option<Timestamp>)>> {
    let found = first(reader, KEY, values![public_id], |row| {
        let (id, organization, user) = (row.next()?, row.next()?, row.next()?);
        let digest: [u8; 32] = row.next()?;
        let pepper: String = row.next()?;
        let issued_role = row.next::<Role>()?;
        let scopes = row.next::<Vec<Scope>>()?;
        let agent = row.next::<ApiKeyKind>()? == ApiKeyKind::Agent;
        let allowed_ips = row.next::<Vec<IpAddr>>()?;
        let presented = Presented::ApiKey { id, issued_role, scopes, agent, allowed_ips };
        let (expires_at, revoked_at, last_used_at) = (row.next()?, row.next()?, row.next()?);
        let role: Option<Role> = row.next()?;
        let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
        let facts = Facts { organization, user, presented, expires_at, revoked_at, role: None, suspended };
        Ok((facts, role, digest, pepper, last_used_at))
    })
    .await?;
    let Some((facts, role, digest, pepper, last_used_at)) = found else { return Ok(None) };
    // Compared in constant time, so that the time tells nothing of the secret.
    let right = digests.iter().any(|(id, sent)| *id == pepper && bool::from(sent.ct_eq(&digest)));
    Ok(right.then_some((Facts { role, ..facts }, last_used_at)))
}

async fn session_facts(
    reader: &mut impl Reader,
    organization: OrganizationId,
    session: SessionId,
    token_ends: Timestamp,
) -> Result<Option<Facts>> {
    first(reader, SESSION, values![id(organization), id(session)], |row| {
        let user = row.next()?;
        let presented = Presented::Session { id: session, authenticated_at: row.next()? };
        let expires_at = row.next::<Timestamp>()?.min(token_ends);
        let revoked_at = row.next()?;
        let role = row.next()?;
        let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
        Ok(Facts { organization, user, presented, expires_at, revoked_at, role, suspended })
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

    /// The API key, where it was one, and when it was last seen.
    pub fn key(&self) -> Option<(ApiKeyId, Option<Timestamp>)> {
        match self.facts.presented {
            Presented::ApiKey { id, .. } => Some((id, self.last_used_at)),
            Presented::Session { .. } => None,
        }
    }

    /// Asks the policy whether the caller may do what `requirement` describes.
    pub fn permit(
        self,
        requirement: Requirement,
        now: Timestamp,
        address: Option<IpAddr>,
    ) -> std::result::Result<OrgScope, Denial> {
        let role = policy::decide(&requirement, &self.facts, now, address)?;
        Ok(OrgScope { facts: self.facts, sent: self.sent, role, address })
    }
}

/// Leave to read one organization's data in the course of one request.
#[derive(Debug)]
pub struct OrgScope {
    facts: Facts,
    sent: Sent,
    role: Role,
    address: Option<IpAddr>,
}

impl OrgScope {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.facts.organization
    }

    /// The user.
    pub fn user(&self) -> UserId {
        self.facts.user
    }

    /// The role in force.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The credential.
    pub fn presented(&self) -> &Presented {
        &self.facts.presented
    }

    /// When the credential ends.
    pub fn expires_at(&self) -> Timestamp {
        self.facts.expires_at
    }

    /// The session, where it is one.
    pub fn session(&self) -> Option<SessionId> {
        match self.facts.presented {
            Presented::Session { id, .. } => Some(id),
            Presented::ApiKey { .. } => None,
        }
    }

    /// The API key, where it is one.
    pub fn key(&self) -> Option<ApiKeyId> {
        match self.facts.presented {
            Presented::ApiKey { id, .. } => Some(id),
            Presented::Session { .. } => None,
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::OrgScope {}
    impl Sealed for super::OrgWrite<'_> {}
}

/// Permission to read one organization's data, and of data that has an owner that owner's only. Queries take both from here, never
/// from an argument. `R` is where a proof may be used: an [`OrgScope`] anywhere, an [`OrgWrite`] in its own transaction.
pub trait Proof<R: Reader>: sealed::Sealed + Sync {
    /// The organization.
    fn organization(&self) -> OrganizationId;
    /// The user who acts; none: the operator of the server, or a job.
    fn owner(&self) -> Option<UserId>;
    /// The API key through which the user acts.
    fn through(&self) -> Option<ApiKeyId>;
    /// The role in force.
    fn role(&self) -> Role;
}

impl<R: Reader> Proof<R> for OrgScope {
    fn organization(&self) -> OrganizationId {
        self.facts.organization
    }
    fn owner(&self) -> Option<UserId> {
        Some(self.facts.user)
    }
    fn through(&self) -> Option<ApiKeyId> {
        self.key()
    }
    fn role(&self) -> Role {
        self.role
    }
}

impl<'tx> Proof<Tx<'tx>> for OrgWrite<'tx> {
    fn organization(&self) -> OrganizationId {
        self.organization
    }
    fn owner(&self) -> Option<UserId> {
        self.actor.user
    }
    fn through(&self) -> Option<ApiKeyId> {
        self.actor.key
    }
    fn role(&self) -> Role {
        self.role
    }
}

/// Who acts, for the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The user; none: the operator of the server, or a job.
    pub user: Option<UserId>,
    /// The API key.
    pub key: Option<ApiKeyId>,
}

/// Permission to change one organization's data in one transaction, as far as the operation reaches.
#[derive(Debug)]
pub struct OrgWrite<'tx> {
    organization: OrganizationId,
    role: Role,
    actor: Actor,
    writes: &'static [(Kind, Reach)],
    target: Option<Uuid>,
    _brand: Brand<'tx>,
}

impl OrgWrite<'_> {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// The role in force.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Who acts.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// Whether the operation may write a record: by the record's kind, and by whose it is or which.
    pub(crate) fn reaches(&self, record: &AnyRecord) -> bool {
        let within = match record {
            AnyRecord::Organization(organization) => organization.id == self.organization,
            _ => true,
        };
        let owner = self.actor.user.map(Id::uuid);
        let reach = |(kind, reach): &(Kind, Reach)| {
            *kind == record.kind()
                && match reach {
                    Reach::Any => true,
                    Reach::Own => owner.is_some() && record.owner() == owner,
                    Reach::Target => self.target == Some(record.uuid()),
                }
        };
        within && self.writes.iter().any(reach)
    }
}

/// Leave to change one guest's list in one transaction.
#[derive(Debug)]
pub struct GuestWrite<'tx> {
    guest: GuestId,
    _brand: Brand<'tx>,
}

impl<'tx> GuestWrite<'tx> {
    pub(crate) fn new(tx: &Tx<'tx>, guest: GuestId) -> Self {
        Self { guest, _brand: tx.brand() }
    }

    /// The guest.
    pub fn guest(&self) -> GuestId {
        self.guest
    }
}

/// Leave to do what the operator of the server does on the store itself: make the first organization, load the demo.
#[derive(Debug)]
pub struct Operator(());

impl Store {
    /// Leave of the operator. Only commands that run on the server's machine ask for it; no route does.
    pub fn operator(&self) -> Operator {
        Operator(())
    }
}

/// Who or what acts.
#[derive(Clone, Copy, Debug)]
pub enum Principal<'a> {
    /// A caller, whose credential is checked again in the transaction: authority and effect are of one snapshot.
    Caller(&'a OrgScope),
    /// A user who has just proved who they are, by a password or a refresh token.
    Proven(UserId, OrganizationId),
    /// A user who is not making the request: the author or an approver of a changeset.
    Absent(UserId, OrganizationId),
    /// A job of the server.
    Job(OrganizationId),
    /// The operator of the server.
    Operator(&'a Operator, OrganizationId),
}

impl<'tx> Tx<'tx> {
    /// Asks the policy whether a principal may do what `requirement` describes, now. `target` is the record in the path, to which
    /// the permission is limited where the requirement says so.
    pub async fn permit(
        &mut self,
        principal: Principal<'_>,
        requirement: Requirement,
        target: Option<Uuid>,
        now: Timestamp,
    ) -> Result<std::result::Result<OrgWrite<'tx>, Denial>> {
        let (organization, role, actor) = match principal {
            Principal::Caller(scope) => {
                let caller = match identify(self, &scope.sent, now).await? {
                    Ok(caller) => caller,
                    Err(denial) => return Ok(Err(denial)),
                };
                match caller.permit(requirement, now, scope.address) {
                    Ok(scope) => {
                        let actor = Actor { user: Some(scope.user()), key: scope.key() };
                        (scope.organization(), scope.role, actor)
                    }
                    Err(denial) => return Ok(Err(denial)),
                }
            }
            Principal::Proven(user, organization) | Principal::Absent(user, organization) => {
                let Some(role) = self.role_of(user, organization).await? else {
                    return Ok(Err(Denial::Unknown));
                };
                if let Err(denial) = policy::decide_role(&requirement, role) {
                    return Ok(Err(denial));
                }
                (organization, role, Actor { user: Some(user), key: None })
            }
            Principal::Job(organization) | Principal::Operator(_, organization) => {
                (organization, Role::Owner, Actor { user: None, key: None })
            }
        };
        let writes = requirement.writes;
        Ok(Ok(OrgWrite { organization, role, actor, writes, target, _brand: self.brand() }))
    }

    /// A user's role in an organization; none where they are not a member of it now, or suspended.
    async fn role_of(&mut self, user: UserId, organization: OrganizationId) -> Result<Option<Role>> {
        let role = first(self, MEMBERSHIP, values![id(organization), id(user)], |row| {
            let role = row.next::<Role>()?;
            let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
            Ok((!suspended).then_some(role))
        })
        .await?;
        Ok(role.flatten())
    }
}
