//! Proofs: the only place where facts about a caller become permission to read or write an organization's data.
//!
//! [`identify`] reads the facts behind a credential. [`Caller::permit`] asks the policy and creates an [`OrgScope`], which every read of
//! tenant data needs. [`Tx::permit`] reads the facts again inside a transaction and creates an [`OrgWrite`], which every write needs.
//! Neither has a public constructor, and an `OrgWrite` is valid only in its own transaction.

use std::net::IpAddr;

use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{ApiKeyId, GuestId, Id, InvitationId, OrganizationId, SessionId, UserId};
use fieldhouse_domain::policy::{self, Denial, Facts, Reach, Relation, Requirement, VerifiedCredential};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use jiff::Timestamp;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::engine::{Brand, Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::staff;
use crate::value::{id, values};

queries! {
    KEY "access.key" "SELECT k.id, k.org_id, k.user_id, k.digest, k.pepper_id, k.role, k.scopes, k.kind, k.allowed_ips, k.expires_at,
            k.revoked_at, k.last_used_at, m.role, m.suspended_at, u.suspended_at, o.suspended_at
        FROM api_keys k JOIN users u ON u.id = k.user_id JOIN orgs o ON o.id = k.org_id
            LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id
        WHERE k.public_id = $1";
    SESSION "access.session" "SELECT s.user_id, s.created_at, s.expires_at, s.revoked_at, m.role, m.suspended_at, u.suspended_at, o.suspended_at
        FROM sessions s JOIN users u ON u.id = s.user_id JOIN orgs o ON o.id = s.org_id
            LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
        WHERE s.org_id = $1 AND s.id = $2";
    INVITED "access.invited" "SELECT role, version, expires_at, accepted_at, revoked_at FROM invitations WHERE org_id = $1 AND id = $2";
    USER "access.user" "SELECT suspended_at FROM users WHERE id = $1";
    MEMBERSHIP "access.membership" "SELECT m.role, m.suspended_at, u.suspended_at
        FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.user_id = $2";
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
}

/// Reads the facts behind a credential. An unknown or expired credential is denied.
pub async fn identify(
    reader: &mut impl Reader,
    sent: &RawCredential,
    now: Timestamp,
) -> Result<std::result::Result<Caller, Denial>> {
    let found = match sent {
        RawCredential::ApiKey { public_id, digests } => key_facts(reader, public_id, digests).await?,
        RawCredential::Session { organization, id, expires_at } => {
            session_facts(reader, *organization, *id, *expires_at).await?.map(|facts| (facts, None))
        }
    };
    let Some((facts, last_used_at)) = found else { return Ok(Err(Denial::Unknown)) };
    Ok(policy::authenticate(&facts, now).map(|_| Caller { facts, sent: sent.clone(), last_used_at }))
}

/// Reads the facts behind a scope again, as the next request with the same credential would.
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
        Ok((facts, role, digest, pepper, last_used_at))
    })
    .await?;
    let Some((facts, role, digest, pepper, last_used_at)) = found else { return Ok(None) };
    // Compared in constant time, so that the time reveals nothing about the secret.
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
        let credential = VerifiedCredential::Session { id: session, authenticated_at: row.next()? };
        let expires_at = row.next::<Timestamp>()?.min(token_ends);
        let revoked_at = row.next()?;
        let role = row.next()?;
        let suspended = row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some();
        let organization_suspended = row.next::<Option<i64>>()?.is_some();
        Ok(Facts {
            organization,
            user,
            credential,
            expires_at,
            revoked_at,
            role,
            suspended,
            organization_suspended,
        })
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
        self,
        requirement: Requirement,
        now: Timestamp,
        address: Option<IpAddr>,
    ) -> std::result::Result<OrgScope, Denial> {
        let role = policy::decide(&requirement, &self.facts, now, address)?;
        Ok(OrgScope { facts: self.facts, sent: self.sent, role, address })
    }
}

/// The permission to read one organization's data during one request.
#[derive(Debug)]
pub struct OrgScope {
    facts: Facts,
    sent: RawCredential,
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

    /// The effective role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The credential.
    pub fn credential(&self) -> &VerifiedCredential {
        &self.facts.credential
    }

    /// When the credential expires.
    pub fn expires_at(&self) -> Timestamp {
        self.facts.expires_at
    }

    /// The session, if the credential is one.
    pub fn session(&self) -> Option<SessionId> {
        match self.facts.credential {
            VerifiedCredential::Session { id, .. } => Some(id),
            VerifiedCredential::ApiKey { .. } => None,
        }
    }

    /// The API key, if the credential is one.
    pub fn key(&self) -> Option<ApiKeyId> {
        match self.facts.credential {
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
    /// The user. `None` for the operator or a job.
    pub user: Option<UserId>,
    /// The API key.
    pub key: Option<ApiKeyId>,
}

/// The permission to write to one organization in one transaction, within the reach of the operation.
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

    /// The effective role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Who acts.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// Whether the operation may write a record, by its kind, owner and id.
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

/// The permission to write one guest's list in one transaction.
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

/// The permission of a user who has proved their identity with the link of a message to write their own user, in one transaction.
#[derive(Debug)]
pub struct UserWrite<'tx> {
    user: UserId,
    writes: &'static [(Kind, Reach)],
    _brand: Brand<'tx>,
}

impl UserWrite<'_> {
    /// The user.
    pub fn user(&self) -> UserId {
        self.user
    }

    /// Whether the operation may write a record: only the user's own.
    pub(crate) fn reaches(&self, record: &AnyRecord) -> bool {
        let is_listed = self.writes.contains(&(Kind::User, Reach::Own));
        is_listed && matches!(record, AnyRecord::User(user) if user.id == self.user)
    }
}

/// The permission of the server's operator: someone who can read the data folder, or who works directly on the store. Nothing consumes it,
/// so it may be copied.
#[derive(Clone, Copy, Debug)]
pub struct Operator(());

impl Store {
    /// The permission of the operator. Only the guard, which has verified an operator's token, and commands on the store itself may ask for
    /// it.
    pub fn operator(&self) -> Operator {
        Operator(())
    }
}

/// Who or what acts.
#[derive(Clone, Copy, Debug)]
pub enum Principal<'a> {
    /// A caller, whose credential is checked again in the transaction, so that permission and effect use one snapshot.
    Caller(&'a OrgScope),
    /// A user who has just proved their identity, with a password or a refresh token.
    Proven(UserId, OrganizationId),
    /// The person who holds the link of an invitation, as the user that they are or become. `version` is that of the invitation when the
    /// link was sent; a link is replaced by the next version.
    Invited {
        /// The organization that invites them.
        organization: OrganizationId,
        /// The invitation.
        invitation: InvitationId,
        /// Its version when the link was sent.
        version: i64,
        /// The user.
        user: UserId,
    },
    /// A user who is not making the request: the author or an approver of a changeset.
    Absent(UserId, OrganizationId),
    /// A job of the server.
    Job(OrganizationId),
    /// The operator of the server.
    Operator(&'a Operator, OrganizationId),
}

impl<'tx> Tx<'tx> {
    /// Asks the policy whether a principal may now do what `requirement` describes. `target` is the record in the path, to which the
    /// requirement may limit the permission.
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
            Principal::Invited { organization, invitation, version, user } => {
                let Some(role) = self.invited_role(organization, invitation, version, now).await? else {
                    return Ok(Err(Denial::LinkExpired));
                };
                (organization, role, Actor { user: Some(user), key: None })
            }
            Principal::Job(organization) | Principal::Operator(_, organization) => {
                (organization, Role::Owner, Actor { user: None, key: None })
            }
        };
        if requirement.relation != Relation::Unrelated
            && let Some(user) = actor.user
        {
            let is_staff = match target {
                // A game that does not exist is not found, for every caller.
                Some(game) => staff::of_game(self, organization, (game, user), now).await?.unwrap_or(true),
                None => false,
            };
            if let Err(denial) = policy::decide_relation(requirement.relation, role, is_staff) {
                return Ok(Err(denial));
            }
        }
        let writes = requirement.writes;
        Ok(Ok(OrgWrite { organization, role, actor, writes, target, _brand: self.brand() }))
    }

    /// The permission of a user who has proved their identity with a link. `None` if the user does not exist or is suspended.
    pub async fn permit_user(
        &mut self,
        user: UserId,
        requirement: Requirement,
    ) -> Result<Option<UserWrite<'tx>>> {
        let active =
            first(self, USER, values![id(user)], |row| Ok(row.next::<Option<i64>>()?.is_none())).await?;
        let writes = requirement.writes;
        Ok((active == Some(true)).then(|| UserWrite { user, writes, _brand: self.brand() }))
    }

    /// The role of an invitation that can be accepted now.
    async fn invited_role(
        &mut self,
        organization: OrganizationId,
        invitation: InvitationId,
        sent_version: i64,
        now: Timestamp,
    ) -> Result<Option<Role>> {
        let role = first(self, INVITED, values![id(organization), id(invitation)], |row| {
            let (role, version) = (row.next::<Role>()?, row.next::<i64>()?);
            let is_open = row.next::<Timestamp>()? > now
                && row.next::<Option<i64>>()?.is_none()
                && row.next::<Option<i64>>()?.is_none();
            Ok((is_open && version == sent_version).then_some(role))
        })
        .await?;
        Ok(role.flatten())
    }

    /// A user's role in an organization. `None` if they are not a member or are suspended.
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
