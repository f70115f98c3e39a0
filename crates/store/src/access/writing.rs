//! Proofs that permit writing, each in one transaction.

use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{
    ApiKeyId, ChildId, GuardianInvitationId, GuestId, Id, InvitationId, OrganizationId, UserId,
};
use fieldhouse_domain::invitations::Invited;
use fieldhouse_domain::policy::{self, ChildTouch, Denial, Reach, Relation, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use super::children::{self, Standing};
use super::{OrgScope, Proof, Ties, duties};
use crate::engine::{Brand, Store, Tx, first};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::row::Row;
use crate::staff;
use crate::value::{id, values};

queries! {
    INVITED "access.invited" "SELECT role, version, expires_at, accepted_at, revoked_at FROM invitations WHERE org_id = $1 AND id = $2";
    INVITED_GUARDIAN "access.invited_guardian" "SELECT child_id, invited_by, version, expires_at, accepted_at, revoked_at
        FROM guardian_invitations WHERE org_id = $1 AND id = $2";
    USER "access.user" "SELECT suspended_at FROM users WHERE id = $1";
    MEMBERSHIP "access.membership" @read_once "SELECT m.role, m.suspended_at, u.suspended_at
        FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.user_id = $2";
    SUSPENDED "access.suspended" @read_once "SELECT suspended_at IS NOT NULL FROM orgs WHERE id = $1";
    ISSUED "access.issued" @read_once "SELECT role, scopes, revoked_at FROM api_keys WHERE org_id = $1 AND id = $2 AND user_id = $3";
    TIME_ZONE "access.time_zone" @read_once "SELECT time_zone FROM orgs WHERE id = $1";
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
    /// Which data of children the operation uses, and whose relations open it.
    child: ChildTouch,
    standing: Option<Standing>,
    /// What the credential may do with children's data.
    on_children: Option<Verb>,
    brand: Brand<'tx>,
}

impl<'tx> OrgWrite<'tx> {
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

    /// The day in the organization's time zone, for operations that use children's data.
    pub fn today(&self) -> Option<Date> {
        self.standing.map(|standing| standing.today)
    }

    /// Which data of children the operation uses, and whose relations open it.
    pub(super) fn standing(&self) -> (ChildTouch, Option<&Standing>) {
        (self.child, self.standing.as_ref())
    }

    /// What the credential may do with children's data. Only keys are narrowed.
    pub(super) fn on_children(&self) -> Option<Verb> {
        self.on_children
    }

    pub(super) fn brand(&self) -> Brand<'tx> {
        self.brand
    }

    /// Whether the operation decides about the erasure of children: it writes both them and the requests.
    pub(crate) fn decides_erasures(&self) -> bool {
        let writes = |kind| self.writes.contains(&(kind, Reach::Any));
        writes(Kind::PrivacyRequest) && writes(Kind::Child)
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
        invitation: Invited,
        /// Its version when the link was sent.
        version: i64,
        /// The user.
        user: UserId,
    },
    /// A user who is not making the request: the author or an approver of a changeset. They are judged by their membership now and, if they
    /// used a key, by what that key was issued for, unless it was revoked.
    Absent {
        /// The organization.
        organization: OrganizationId,
        /// The user.
        user: UserId,
        /// The API key that they used.
        key: Option<ApiKeyId>,
    },
    /// A job of the server.
    Job(OrganizationId),
    /// The operator of the server.
    Operator(&'a Operator, OrganizationId),
}

/// Whether an invitation can be accepted now with the link of a version: a row's version, expiry, acceptance and revocation.
fn can_be_accepted(row: &mut Row<'_>, sent_version: i64, now: Timestamp) -> Result<bool> {
    let is_current = row.next::<i64>()? == sent_version;
    let is_open = row.next::<Timestamp>()? > now
        && row.next::<Option<i64>>()?.is_none()
        && row.next::<Option<i64>>()?.is_none();
    Ok(is_open && is_current)
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
        let mut absent_on_children = None;
        let (organization, role, actor) = match principal {
            Principal::Caller(scope) => {
                let caller = match self.caller(scope, now).await? {
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
            Principal::Absent { organization, user, key } => {
                let role = match Box::pin(self.absent_role(organization, user, key)).await? {
                    Ok((role, verb)) => {
                        absent_on_children = verb;
                        role
                    }
                    Err(denial) => return Ok(Err(denial)),
                };
                if let Err(denial) = policy::decide_role(&requirement, role) {
                    return Ok(Err(denial));
                }
                (organization, role, Actor { user: Some(user), key })
            }
            Principal::Proven(user, organization) => {
                let Some(role) = Box::pin(self.role_of(user, organization)).await? else {
                    return Ok(Err(Denial::Unknown));
                };
                if let Err(denial) = policy::decide_role(&requirement, role) {
                    return Ok(Err(denial));
                }
                (organization, role, Actor { user: Some(user), key: None })
            }
            Principal::Invited { organization, invitation, version, user } => {
                let role = match invitation {
                    Invited::Member(id) => {
                        Box::pin(self.invited_role(organization, id, version, now)).await?
                    }
                    Invited::Guardian(id) => {
                        Box::pin(self.guardian_role(organization, id, version, now)).await?
                    }
                };
                let Some(role) = role else { return Ok(Err(Denial::LinkExpired)) };
                (organization, role, Actor { user: Some(user), key: None })
            }
            Principal::Job(organization) | Principal::Operator(_, organization) => {
                (organization, Role::Owner, Actor { user: None, key: None })
            }
        };
        if requirement.relation != Relation::Unrelated
            && let Some(user) = actor.user
        {
            let holds = match (requirement.relation, target) {
                // A game that does not exist is not found, for every caller.
                (Relation::StaffOfGame { .. }, Some(game)) => {
                    Box::pin(staff::of_game(self, organization, (game, user), now)).await?.unwrap_or(true)
                }
                (Relation::OnDuty { kind, .. }, _) => {
                    Box::pin(duties::is_on(self, organization, user, kind, now)).await?
                }
                _ => false,
            };
            if let Err(denial) = policy::decide_relation(requirement.relation, role, holds) {
                return Ok(Err(denial));
            }
        }
        let standing = Box::pin(self.standing(organization, actor, requirement.child, now)).await?;
        let on_children = match principal {
            Principal::Caller(scope) => {
                [Verb::Write, Verb::Read].into_iter().find(|verb| scope.refuse_narrow(*verb).is_ok())
            }
            Principal::Absent { .. } => absent_on_children,
            _ => Some(Verb::Write),
        };
        let (writes, child) = (requirement.writes, requirement.child);
        let proof = OrgWrite {
            organization,
            role,
            actor,
            writes,
            target,
            child,
            standing,
            on_children,
            brand: self.brand(),
        };
        let about = ChildId::from_uuid(target.unwrap_or_default());
        if let Some(wanted) = child.required(role) {
            if let Err(denial) = Box::pin(children::capacity(self, &proof, about, wanted)).await? {
                return Ok(Err(denial));
            }
        } else if matches!(child, ChildTouch::InPathUnless { .. }) && !self.has_child(&proof, about).await? {
            return Ok(Err(Denial::ChildHidden));
        }
        Ok(Ok(proof))
    }

    /// Whose relations open children's data, if the operation uses any. The operator and jobs have none.
    async fn standing(
        &mut self,
        organization: OrganizationId,
        actor: Actor,
        child: ChildTouch,
        now: Timestamp,
    ) -> Result<Option<Standing>> {
        let (Some(user), true) = (actor.user, child != ChildTouch::Untouched) else { return Ok(None) };
        Ok(Some(Standing { user, now, today: self.day(organization, now).await?, ties: Ties::ALL }))
    }

    /// The day in the organization's time zone.
    async fn day(&mut self, organization: OrganizationId, now: Timestamp) -> Result<Date> {
        let zone =
            first(self, TIME_ZONE, values![id(organization)], |row| row.next::<TimeZoneName>()).await?;
        let zone = zone.ok_or_else(|| Error::Internal(format!("{organization} does not exist")))?;
        Ok(zone.date(now))
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
            let role = row.next::<Role>()?;
            Ok(can_be_accepted(row, sent_version, now)?.then_some(role))
        })
        .await?;
        Ok(role.flatten())
    }

    /// The role that accepting a guardian's invitation gives. `None` if it cannot be accepted, or the person who sent it may no longer invite.
    async fn guardian_role(
        &mut self,
        organization: OrganizationId,
        invitation: GuardianInvitationId,
        sent_version: i64,
        now: Timestamp,
    ) -> Result<Option<Role>> {
        let sent = first(self, INVITED_GUARDIAN, values![id(organization), id(invitation)], |row| {
            let (child, inviter) = (row.next::<ChildId>()?, row.next::<UserId>()?);
            Ok(can_be_accepted(row, sent_version, now)?.then_some((inviter, child)))
        })
        .await?;
        let Some(by) = sent.flatten() else { return Ok(None) };
        let today = self.day(organization, now).await?;
        let may_invite = children::invites(self, organization, by, now, today).await?;
        Ok(may_invite.then_some(Role::Member))
    }

    /// Whether a person may invite guardians of a child at a time.
    pub async fn invites(
        &mut self,
        proof: &OrgWrite<'tx>,
        (user, child): (UserId, ChildId),
        now: Timestamp,
    ) -> Result<bool> {
        let organization = proof.organization();
        let today = self.day(organization, now).await?;
        children::invites(self, organization, (user, child), now, today).await
    }

    /// The role of a user who is not making the request, and what they may do with children's data.
    async fn absent_role(
        &mut self,
        organization: OrganizationId,
        user: UserId,
        key: Option<ApiKeyId>,
    ) -> Result<std::result::Result<(Role, Option<Verb>), Denial>> {
        let suspended = first(self, SUSPENDED, values![id(organization)], |row| row.next::<bool>()).await?;
        if suspended != Some(false) {
            return Ok(Err(Denial::OrganizationSuspended));
        }
        let Some(role) = self.role_of(user, organization).await? else { return Ok(Err(Denial::Unknown)) };
        let Some(key) = key else { return Ok(Ok((role, Some(Verb::Write)))) };
        let values = values![id(organization), id(key), id(user)];
        let issued = first(self, ISSUED, values, |row| {
            Ok((row.next::<Role>()?, row.next::<Vec<Scope>>()?, row.next::<Option<i64>>()?.is_some()))
        });
        Ok(match issued.await? {
            Some((issued, scopes, false)) => {
                let covers = |verb: &Verb| {
                    let needed = Scope { resource: Resource::Children, verb: *verb };
                    scopes.is_empty() || scopes.iter().any(|scope| scope.covers(needed))
                };
                Ok((role.min(issued), [Verb::Write, Verb::Read].into_iter().find(covers)))
            }
            _ => Err(Denial::KeyRevoked),
        })
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
