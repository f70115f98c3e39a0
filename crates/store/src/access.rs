//! Proofs: the one place where what is known of a caller becomes leave to touch an organization's data.
//!
//! [`identify`] reads the facts behind a credential; [`Caller::permit`] asks the policy and mints an [`OrgScope`], without which no
//! tenant's data can be read; [`Tx::permit`] reads the facts again inside a transaction and mints an [`OrgWrite`], without which no
//! effect is applied. None of them has a public constructor, and an `OrgWrite` fits its own transaction only.

use std::net::IpAddr;

use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::ids::{ApiKeyId, GuestId, OrganizationId, SessionId, UserId};
use fieldhouse_domain::policy::{self, Denial, Facts, Presented, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use jiff::Timestamp;
use subtle::ConstantTimeEq;

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
        Ok(OrgScope { facts: self.facts, sent: self.sent, role, requirement, address })
    }
}

/// Leave to read one organization's data in the course of one request.
#[derive(Debug)]
pub struct OrgScope {
    facts: Facts,
    sent: Sent,
    role: Role,
    requirement: Requirement,
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

/// Who acts, for the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The user; none: the operator of the server.
    pub user: Option<UserId>,
    /// The API key.
    pub key: Option<ApiKeyId>,
}

/// How far a leave to write reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All that the operation does.
    Operation,
    /// The signing-in user's own sessions.
    SignIn,
}

/// Leave to change one organization's data in one transaction.
#[derive(Debug)]
pub struct OrgWrite<'tx> {
    organization: OrganizationId,
    role: Role,
    actor: Actor,
    reach: Reach,
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

    pub(crate) fn reach(&self) -> Reach {
        self.reach
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

impl<'tx> Tx<'tx> {
    /// Reads the facts behind a scope again, in this transaction, and asks the policy again: authority and effect stand at one
    /// snapshot.
    pub async fn permit(
        &mut self,
        scope: &OrgScope,
        now: Timestamp,
    ) -> Result<std::result::Result<OrgWrite<'tx>, Denial>> {
        let brand = self.brand();
        let caller = match identify(self, &scope.sent, now).await? {
            Ok(caller) => caller,
            Err(denial) => return Ok(Err(denial)),
        };
        Ok(caller.permit(scope.requirement, now, scope.address).map(|scope| OrgWrite {
            organization: scope.organization(),
            role: scope.role,
            actor: Actor { user: Some(scope.user()), key: scope.key() },
            reach: Reach::Operation,
            _brand: brand,
        }))
    }

    /// Leave for a user who has just proved who he is to open or go on with a session in an organization. None where he is no
    /// member of it now, or suspended.
    pub async fn permit_sign_in(
        &mut self,
        user: UserId,
        organization: OrganizationId,
    ) -> Result<Option<OrgWrite<'tx>>> {
        let brand = self.brand();
        let role = first(self, MEMBERSHIP, values![id(organization), id(user)], |row| {
            let role = row.next::<Role>()?;
            let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
            Ok((!suspended).then_some(role))
        })
        .await?;
        Ok(role.flatten().map(|role| OrgWrite {
            organization,
            role,
            actor: Actor { user: Some(user), key: None },
            reach: Reach::SignIn,
            _brand: brand,
        }))
    }

    /// Leave of the operator to write to an organization.
    pub fn permit_operator(&mut self, _: &Operator, organization: OrganizationId) -> OrgWrite<'tx> {
        OrgWrite {
            organization,
            role: Role::Owner,
            actor: Actor { user: None, key: None },
            reach: Reach::Operation,
            _brand: self.brand(),
        }
    }
}
