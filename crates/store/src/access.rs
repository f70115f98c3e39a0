//! Proofs: the only place where facts about a caller become permission to read or write an organization's data.
//!
//! [`identify`] reads the facts behind a credential. [`Caller::permit`] asks the policy and creates an [`OrgScope`], which every read of
//! tenant data needs. [`Tx::permit`] reads the facts again inside a transaction and creates an [`OrgWrite`], which every write needs.
//! Neither has a public constructor, and an `OrgWrite` is valid only in its own transaction. Children's data needs a further proof:
//! [`children`].

pub mod children;
mod confirming;
mod current;
pub(crate) mod duties;
mod images;
pub(crate) mod writing;

use std::net::IpAddr;
use std::sync::Arc;

use constcat::concat;
use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::children::classes::Capacity;
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
use crate::query::{Query, queries};
use crate::row::Row;
use crate::sqlite::LocalGeneration;
use crate::value::{Value, id, values};

pub use confirming::{Confirmation, Reading};
pub use images::ImageScope;
pub use writing::{Actor, GuestWrite, Operator, OrgWrite, Principal, UserWrite};

/// The columns of [`Ties`] of a user, by the alias of a table that has the organization and the user.
macro_rules! ties {
    ($of:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM relations r WHERE r.org_id = ",
            $of,
            ".org_id AND r.user_id = ",
            $of,
            ".user_id),
                EXISTS (SELECT 1 FROM staff t WHERE t.org_id = ",
            $of,
            ".org_id AND t.user_id = ",
            $of,
            ".user_id),
                EXISTS (SELECT 1 FROM duties d WHERE d.org_id = ",
            $of,
            ".org_id AND d.user_id = ",
            $of,
            ".user_id)"
        )
    };
}

/// The facts behind a key. `$ties` are those of its user.
macro_rules! of_key {
    ($ties:expr) => {
        concat!(
            "SELECT k.id, k.org_id, k.user_id, k.digest, k.pepper_id, k.role, k.scopes, k.kind, k.allowed_ips, k.expires_at,
                k.revoked_at, k.last_used_at, m.role, m.suspended_at, u.suspended_at, o.suspended_at, o.time_zone, ",
            $ties,
            " FROM api_keys k JOIN users u ON u.id = k.user_id JOIN orgs o ON o.id = k.org_id
                LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id
            WHERE k.public_id = $1"
        )
    };
}

/// The facts behind a session. `$ties` are those of its user.
macro_rules! of_session {
    ($ties:expr) => {
        concat!(
            "SELECT s.user_id, s.created_at, s.expires_at, s.revoked_at, m.role, m.suspended_at, u.suspended_at, o.suspended_at,
                o.time_zone, ",
            $ties,
            " FROM sessions s JOIN users u ON u.id = s.user_id JOIN orgs o ON o.id = s.org_id
                LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
            WHERE s.org_id = $1 AND s.id = $2"
        )
    };
}

queries! {
    KEY "access.key" of_key!(ties!("k"));
    SESSION "access.session" of_session!(ties!("s"));
    /// A write treats its caller as having all ties, because reading them would let it collide with a write of one.
    KEY_TO_WRITE "access.key_to_write" of_key!("TRUE, TRUE, TRUE");
    SESSION_TO_WRITE "access.session_to_write" of_session!("TRUE, TRUE, TRUE");
}

/// The queries of the facts behind credentials, which name every table that has some of them.
pub(crate) const FACTS: [&Query; 2] = [KEY, SESSION];

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
    /// When the key or the session ends, whatever the token says.
    ends: Timestamp,
    sent: RawCredential,
    last_used_at: Option<Timestamp>,
    /// The organization's time zone, which says what day it is.
    time_zone: TimeZoneName,
    ties: Ties,
    /// The generation of the facts, taken before they were read. `None` if nothing can prove later that they are current.
    generation: Option<LocalGeneration>,
}

/// What a user has or had in an organization, whatever its state. What they never had need not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    /// Relations to children.
    pub relations: bool,
    /// Places on the staff of teams.
    pub staff: bool,
    /// Duties.
    pub duties: bool,
}

impl Ties {
    /// Those of someone about whom nothing is known.
    pub(crate) const ALL: Self = Self { relations: true, staff: true, duties: true };

    /// Whether children's data may be open to someone with these ties in a capacity. Anyone may have opened it in an emergency.
    pub(crate) fn allow(self, capacity: Capacity) -> bool {
        match capacity {
            Capacity::Child | Capacity::Guardian => self.relations,
            Capacity::Staff => self.staff,
            Capacity::Registrar | Capacity::MedicalStaff | Capacity::Support => self.relations || self.duties,
            Capacity::Safeguarding => self.duties,
            Capacity::BreakGlass => true,
        }
    }

    fn read(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { relations: row.next()?, staff: row.next()?, duties: row.next()? })
    }
}

/// What is read about a credential.
struct Found {
    facts: Facts,
    /// When the key or the session ends.
    ends: Timestamp,
    /// When the key was last used.
    last_used_at: Option<Timestamp>,
    /// The organization's time zone.
    time_zone: TimeZoneName,
    /// The user's ties.
    ties: Ties,
}

impl RawCredential {
    /// The organization that it is for, if it says so.
    fn organization(&self) -> Option<OrganizationId> {
        match self {
            Self::ApiKey { .. } => None,
            Self::Session { organization, .. } => Some(*organization),
        }
    }

    /// The query that finds its facts, and the parameters. Ties are only found if they are wanted.
    fn lookup(&self, ties: bool) -> (&'static Query, Vec<Value<'_>>) {
        match self {
            Self::ApiKey { public_id, .. } => {
                (if ties { KEY } else { KEY_TO_WRITE }, values![public_id].to_vec())
            }
            Self::Session { organization, id: session, .. } => {
                let query = if ties { SESSION } else { SESSION_TO_WRITE };
                (query, values![id(*organization), id(*session)].to_vec())
            }
        }
    }

    /// What the row of [`RawCredential::lookup`] says. `None` for another key with the same public id.
    fn found(&self, row: &mut Row<'_>) -> Result<Option<Found>> {
        match self {
            Self::ApiKey { digests, .. } => key_facts(row, digests),
            Self::Session { organization, id, expires_at } => {
                session_facts(row, *organization, *id, *expires_at).map(Some)
            }
        }
    }
}

/// Reads the facts behind a credential. An unknown or expired credential is denied.
pub async fn identify(
    reader: &mut impl Reader,
    sent: &RawCredential,
    now: Timestamp,
) -> Result<std::result::Result<Arc<Caller>, Denial>> {
    Ok(identify_with(reader, sent, now, true).await?.map(Arc::new))
}

/// Reads the facts behind a credential, and the user's ties only if they are wanted.
pub(crate) async fn identify_with(
    reader: &mut impl Reader,
    sent: &RawCredential,
    now: Timestamp,
    ties: bool,
) -> Result<std::result::Result<Caller, Denial>> {
    let (query, values) = sent.lookup(ties);
    let found = first(reader, query, &values, |row| sent.found(row)).await?;
    let Some(Found { facts, ends, last_used_at, time_zone, ties }) = found.flatten() else {
        return Ok(Err(Denial::Unknown));
    };
    let valid = policy::authenticate(&facts, now).map(drop);
    let caller = Caller { facts, ends, sent: sent.clone(), last_used_at, time_zone, ties, generation: None };
    Ok(valid.map(|()| caller))
}

/// Reads the facts behind a scope again, as the next request with the same credential would.
pub async fn identify_again(
    reader: &mut impl Reader,
    scope: &OrgScope,
    now: Timestamp,
) -> Result<std::result::Result<Arc<Caller>, Denial>> {
    identify(reader, &scope.caller.sent, now).await
}

fn key_facts(row: &mut Row<'_>, digests: &[(String, [u8; 32])]) -> Result<Option<Found>> {
    let (id, organization, user) = (row.next()?, row.next()?, row.next()?);
    let digest: [u8; 32] = row.next()?;
    let pepper: String = row.next()?;
    let issued_role = row.next::<Role>()?;
    let scopes = row.next::<Vec<Scope>>()?;
    let agent = row.next::<ApiKeyKind>()? == ApiKeyKind::Agent;
    let allowed_ips = row.next::<Vec<IpAddr>>()?;
    let credential = VerifiedCredential::ApiKey { id, issued_role, scopes, agent, allowed_ips };
    let (ends, revoked_at, last_used_at) = (row.next()?, row.next()?, row.next()?);
    let membership = Membership::read(row)?;
    let facts = membership.facts((organization, user), credential, (ends, revoked_at));
    let found = Found { facts, ends, last_used_at, time_zone: row.next()?, ties: Ties::read(row)? };
    // Compared in constant time, so that the time reveals nothing about the secret.
    let right = digests.iter().any(|(id, sent)| *id == pepper && bool::from(sent.ct_eq(&digest)));
    Ok(right.then_some(found))
}

fn session_facts(
    row: &mut Row<'_>,
    organization: OrganizationId,
    session: SessionId,
    token_ends: Timestamp,
) -> Result<Found> {
    let user = row.next()?;
    let credential = VerifiedCredential::Session { id: session, authenticated_at: row.next()? };
    let (ends, revoked_at) = (row.next::<Timestamp>()?, row.next()?);
    let membership = Membership::read(row)?;
    let facts = membership.facts((organization, user), credential, (ends.min(token_ends), revoked_at));
    Ok(Found { facts, ends, last_used_at: None, time_zone: row.next()?, ties: Ties::read(row)? })
}

/// The user's role in the organization, and whether user, membership or organization are suspended.
struct Membership {
    role: Option<Role>,
    suspended: bool,
    organization_suspended: bool,
}

impl Membership {
    fn read(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            role: row.next()?,
            suspended: row.next::<Option<i64>>()?.is_some() | row.next::<Option<i64>>()?.is_some(),
            organization_suspended: row.next::<Option<i64>>()?.is_some(),
        })
    }

    fn facts(
        self,
        (organization, user): (OrganizationId, UserId),
        credential: VerifiedCredential,
        (expires_at, revoked_at): (Timestamp, Option<Timestamp>),
    ) -> Facts {
        let Self { role, suspended, organization_suspended } = self;
        Facts {
            organization,
            user,
            credential,
            expires_at,
            revoked_at,
            role,
            suspended,
            organization_suspended,
        }
    }
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
        Ok(OrgScope { caller: self, role, address, child: requirement.child, confirmation: None })
    }

    /// The same for a remembered caller: the permission is worth nothing until its [`Confirmation`] is asked.
    pub fn permit_remembered(
        self: Arc<Self>,
        requirement: Requirement,
        now: Timestamp,
        address: Option<IpAddr>,
    ) -> std::result::Result<OrgScope, Denial> {
        let confirmation = Some(Arc::new(Confirmation::of(self.clone())));
        Ok(OrgScope { confirmation, ..self.permit(requirement, now, address)? })
    }

    /// What the user has or had in the organization.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The same caller with another token of their session, which expires then. `None` if it is the same token, as far as is known, or if
    /// their credential is a key.
    pub fn with_token(&self, expires_at: Timestamp) -> Option<Self> {
        let RawCredential::Session { organization, id, expires_at: before } = self.sent else { return None };
        (before != expires_at).then(|| Self {
            facts: Facts { expires_at: self.ends.min(expires_at), ..self.facts.clone() },
            sent: RawCredential::Session { organization, id, expires_at },
            time_zone: self.time_zone.clone(),
            ..*self
        })
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
    confirmation: Option<Arc<Confirmation>>,
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

    /// What the user has or had in the organization.
    pub fn ties(&self) -> Ties {
        self.caller.ties
    }

    /// What confirms the caller, if they are a remembered one.
    pub fn confirmation(&self) -> Option<&Arc<Confirmation>> {
        self.confirmation.as_ref()
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
