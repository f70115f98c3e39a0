//! Proofs for children's data: the only place where relations become permission.
//!
//! A [`ChildScope`] permits reading one class of data of the children that a relation of the caller opens, and is part of the statement that
//! reads them, so that the check and the data use one snapshot. A [`ChildAccess`] permits reading or writing one class of one child in one
//! transaction. Both need a relation that holds now; the operation table says which class an operation may use at all.
//!
//! The condition is [`visible!`], the same text for lists and for one child.

mod visible;

use std::marker::PhantomData;

use constcat::concat;
use fieldhouse_domain::children::born_by;
use fieldhouse_domain::children::classes::{self, Capacity, DataClass, YOUNG};
use fieldhouse_domain::children::consents::Purpose;
use fieldhouse_domain::children::guardian_invitations::INVITERS;
use fieldhouse_domain::ids::{ChildId, Id, OrganizationId, SeasonId, TeamId, UserId};
use fieldhouse_domain::policy::{ChildTouch, Denial};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use super::{OrgScope, OrgWrite, Ties};
use crate::engine::{Brand, Reader, Tx, first};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::value::{Value, id, values};

pub(crate) use visible::{DUTY, ON_DUTY, opened, related, visible};

mod sealed {
    pub trait Sealed {}
}

/// A class of children's data, as a type.
pub trait Class: sealed::Sealed + Send + Sync + 'static {
    /// The class.
    const CLASS: DataClass;
}

/// A class that may be read without a transaction of its own. The medical class is not one: each read of it is recorded in its transaction.
pub trait Listed: Class {}

/// Reading or writing, as a type.
pub trait Use: sealed::Sealed + Send + Sync + 'static {
    /// The verb.
    const VERB: Verb;
}

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident;)+) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $class {}
        impl sealed::Sealed for $class {}
        impl Class for $class { const CLASS: DataClass = DataClass::$class; }
    )+ };
}
classes! {
    /// The line of a roster.
    Roster;
    /// Year of birth, photo and pronouns.
    Profile;
    /// Legal names and date of birth.
    Identity;
    /// How to reach the family.
    Contact;
    /// What someone must know in an emergency.
    Emergency;
    /// All that is known about the child's health.
    Medical;
    /// Notes and measurements of coaches.
    Performance;
    /// What is recorded for the family.
    Records;
}
impl Listed for Roster {}
impl Listed for Profile {}
impl Listed for Identity {}
impl Listed for Contact {}
impl Listed for Emergency {}
impl Listed for Performance {}
impl Listed for Records {}

/// Reading.
#[derive(Debug)]
pub enum Read {}
/// Writing.
#[derive(Debug)]
pub enum Write {}
impl sealed::Sealed for Read {}
impl sealed::Sealed for Write {}
impl Use for Read {
    const VERB: Verb = Verb::Read;
}
impl Use for Write {
    const VERB: Verb = Verb::Write;
}

/// Whose relations are asked for, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) user: UserId,
    pub(crate) now: Timestamp,
    /// The day in the organization's time zone.
    pub(crate) today: Date,
    /// What they have or had in the organization, as far as that is known.
    pub(crate) ties: Ties,
}

queries! {
    CAPACITY "children.capacity" visible!(" AND child_id = $10");
    CAPACITIES "children.capacities" visible!("");
    /// The same of the user $2, if they are an active member with the role $11 at least whom no restriction of the child names.
    INVITES "children.invites" concat!("SELECT v.capacity FROM (", visible!(" AND child_id = $10"), ") v
        JOIN members m ON m.org_id = $1 AND m.user_id = $2 JOIN users u ON u.id = m.user_id
        WHERE m.role >= $11 AND m.suspended_at IS NULL AND u.suspended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = v.child_id AND x.user_id = $2
            AND x.starts_at <= $3 AND x.lifted_at IS NULL)");
    EXISTS "children.exists" "SELECT id FROM children WHERE org_id = $1 AND id = $2";
    /// A duty of the registrar of the season $4: for all its teams, or for the team $5.
    REGISTERS "children.registers" concat!("SELECT y.id FROM duties y WHERE ", crate::access::children::ON_DUTY, "
        AND y.kind = 'registrar' AND y.season_id = $4 AND (y.team_ids = '[]' OR EXISTS (SELECT 1 FROM duty_teams d
            WHERE d.org_id = $1 AND d.duty_id = y.id AND d.team_id = $5)) LIMIT 1");
}

/// The values of [`visible!`]'s parameters.
fn values(
    organization: OrganizationId,
    standing: &Standing,
    (class, verb): (DataClass, Verb),
) -> Vec<Value<'static>> {
    values_as(organization, standing, (class, verb), Capacity::ALL)
}

/// The same, only in some capacities.
fn values_as(
    organization: OrganizationId,
    standing: &Standing,
    (class, verb): (DataClass, Verb),
    among: &[Capacity],
) -> Vec<Value<'static>> {
    let Standing { user, now, today, ties } = *standing;
    let open =
        classes::capacities(class, verb).filter(|capacity| among.contains(capacity) && ties.allow(*capacity));
    let capacities = open.fold(0, |bits, capacity| bits | capacity.bit());
    let needed = |is_young| classes::needed_consents(Capacity::Staff, class, is_young);
    let always = needed(false).first().copied().map(Purpose::name);
    let is_more_if_young = needed(true).contains(&Purpose::Participation);
    let grown = is_more_if_young.then(|| born_by(today, YOUNG));
    let own = classes::own_from(class).map(|age| born_by(today, age));
    vec![
        id(organization),
        id(user),
        Value::from(now),
        Value::from(today),
        Value::from(capacities),
        Value::from(class.bit()),
        Value::from(always),
        Value::from(grown),
        Value::from(own),
    ]
}

/// The permission to read one class of data of the children that a relation of the caller opens now, in one request.
#[derive(Debug)]
pub struct ChildScope<C> {
    pub(super) organization: OrganizationId,
    pub(super) standing: Standing,
    class: PhantomData<fn() -> C>,
}

impl OrgScope {
    /// Whose relations are asked for at a time.
    pub(super) fn standing(&self, now: Timestamp) -> Standing {
        Standing { user: self.caller.facts.user, now, today: self.today(now), ties: self.ties() }
    }

    /// The permission to read a class of children's data at a time. The operation must declare the class.
    pub fn children<C: Class>(&self, now: Timestamp) -> Result<ChildScope<C>> {
        if !self.child.includes(C::CLASS, Verb::Read) {
            return Err(undeclared(C::CLASS));
        }
        let standing = self.standing(now);
        Ok(ChildScope { organization: self.caller.facts.organization, standing, class: PhantomData })
    }
}

impl OrgWrite<'_> {
    /// The values of the first nine parameters of a statement that reads a class in this transaction. `None` for the operator and jobs.
    pub(crate) fn values_of<C: Class>(&self) -> Result<Option<Vec<Value<'static>>>> {
        let (touch, standing) = self.standing();
        if !touch.includes(C::CLASS, Verb::Read) {
            return Err(undeclared(C::CLASS));
        }
        Ok(standing.map(|standing| values(self.organization(), standing, (C::CLASS, Verb::Read))))
    }
}

impl<C: Class> ChildScope<C> {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// The day in the organization's time zone.
    pub(crate) fn today(&self) -> Date {
        self.standing.today
    }

    /// When the relations are asked for.
    pub(crate) fn now(&self) -> Timestamp {
        self.standing.now
    }

    /// The values of the first nine parameters of a statement that contains [`visible!`].
    pub(crate) fn values(&self) -> Vec<Value<'static>> {
        values(self.organization, &self.standing, (C::CLASS, Verb::Read))
    }

    /// The same, only in some capacities that open the class to a verb.
    pub(crate) fn values_to(&self, verb: Verb, among: &[Capacity]) -> Vec<Value<'static>> {
        values_as(self.organization, &self.standing, (C::CLASS, verb), among)
    }

    /// The same, only in some capacities.
    pub(crate) fn values_as(&self, among: &[Capacity]) -> Vec<Value<'static>> {
        values_as(self.organization, &self.standing, (C::CLASS, Verb::Read), among)
    }

    /// Why a child's class is not open: some other data of the child is, or none.
    pub async fn denial(&self, reader: &mut impl Reader, child: ChildId) -> Result<Denial> {
        denial(reader, self.organization, &self.standing, child).await
    }
}

/// The permission to read or write one class of one child's data in one transaction. A permission to write is used once.
#[derive(Debug)]
pub struct ChildAccess<'tx, C, V> {
    organization: OrganizationId,
    child: ChildId,
    capacity: Capacity,
    brand: Brand<'tx>,
    of: PhantomData<fn() -> (C, V)>,
}

impl<C: Class, V: Use> ChildAccess<'_, C, V> {
    /// The organization.
    pub fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// The child.
    pub fn child(&self) -> ChildId {
        self.child
    }

    /// In what capacity it is opened.
    pub fn capacity(&self) -> Capacity {
        self.capacity
    }
}

impl<'tx> Tx<'tx> {
    /// Opens a class of a child's data to the user of a proof. The operation must declare the class.
    pub async fn open<C: Class, V: Use>(
        &mut self,
        proof: &OrgWrite<'tx>,
        child: ChildId,
    ) -> Result<std::result::Result<ChildAccess<'tx, C, V>, Denial>> {
        if !proof.standing().0.includes(C::CLASS, V::VERB) {
            return Err(undeclared(C::CLASS));
        }
        let mut capacity = capacity(self, proof, child, (C::CLASS, V::VERB)).await?;
        // The scope of such an operation is not that of children. A key without it does not learn which children exist.
        let is_beside = matches!(proof.standing().0, ChildTouch::IfNamed { .. });
        if is_beside && capacity.is_ok() && proof.on_children() < Some(V::VERB) {
            let needed = Scope { resource: Resource::Children, verb: V::VERB };
            capacity = Err(Denial::ScopeInsufficient(needed));
        }
        let (organization, brand) = (proof.organization(), proof.brand());
        Ok(capacity.map(|capacity| ChildAccess { organization, child, capacity, brand, of: PhantomData }))
    }
}

impl<'tx> Tx<'tx> {
    /// Those of some capacities in which a class of a child's data is open to the user of a proof.
    pub async fn capacities(
        &mut self,
        proof: &OrgWrite<'tx>,
        child: ChildId,
        (class, verb): (DataClass, Verb),
        among: &[Capacity],
    ) -> Result<Vec<Capacity>> {
        let (touch, Some(standing)) = proof.standing() else { return Ok(Vec::new()) };
        if !touch.includes(class, verb) {
            return Err(undeclared(class));
        }
        let standing = *standing;
        let mut held = Vec::new();
        for capacity in among.iter().filter(|capacity| classes::opens(**capacity, class, verb)) {
            let of = (proof.organization(), &standing);
            let open = open_children(self, of, (class, verb), &[*capacity], Some(child)).await?;
            held.extend(open.first().map(|_| *capacity));
        }
        Ok(held)
    }

    /// Whether the organization has a child, for callers who only name it: they open none of its data.
    pub async fn has_child(&mut self, proof: &OrgWrite<'tx>, child: ChildId) -> Result<bool> {
        is_stored(self, proof.organization(), child.uuid()).await
    }

    /// Why a child is not open to the user of a proof: some of its data is, or none.
    pub async fn denial(&mut self, proof: &OrgWrite<'tx>, child: ChildId) -> Result<Denial> {
        let (_, Some(standing)) = proof.standing() else { return Ok(Denial::ChildHidden) };
        denial(self, proof.organization(), standing, child).await
    }

    /// Whether the user of a proof has the duty now to register children for a season: for all its teams, or for the named one.
    pub async fn registers(
        &mut self,
        proof: &OrgWrite<'tx>,
        season: SeasonId,
        team: Option<TeamId>,
    ) -> Result<bool> {
        let (_, Some(standing)) = proof.standing() else { return Ok(false) };
        let Standing { user, now, .. } = *standing;
        let team = team.map(Id::uuid);
        let values = values![id(proof.organization()), id(user), now, id(season), team];
        Ok(first(self, REGISTERS, values, |row| row.next::<Uuid>()).await?.is_some())
    }
}

/// The capacity in which a class of a child's data is open to the user of a proof. The operator and jobs have none.
pub(super) async fn capacity(
    tx: &mut Tx<'_>,
    proof: &OrgWrite<'_>,
    child: ChildId,
    wanted: (DataClass, Verb),
) -> Result<std::result::Result<Capacity, Denial>> {
    let (_, Some(standing)) = proof.standing() else { return Ok(Err(Denial::ChildHidden)) };
    match found(tx, proof.organization(), standing, child, wanted).await? {
        Some(capacity) => Ok(Ok(capacity)),
        None => denial(tx, proof.organization(), standing, child).await.map(Err),
    }
}

/// Whether a user may invite guardians of a child now: a member whose relation opens how the family is reached for writing. No one whom a
/// restriction names may.
pub(crate) async fn invites(
    reader: &mut impl Reader,
    organization: OrganizationId,
    (user, child): (UserId, ChildId),
    now: Timestamp,
    today: Date,
) -> Result<bool> {
    let standing = Standing { user, now, today, ties: Ties::ALL };
    let wanted = (DataClass::Contact, Verb::Write);
    let mut values = values_as(organization, &standing, wanted, &INVITERS);
    values.extend([id(child), Value::from(Role::Member.rank())]);
    Ok(first(reader, INVITES, &values, |row| row.next::<i64>()).await?.is_some())
}

/// Whether an organization has a child with this UUID.
pub(crate) async fn is_stored(
    reader: &mut impl Reader,
    organization: OrganizationId,
    child: Uuid,
) -> Result<bool> {
    let found = first(reader, EXISTS, values![id(organization), child], |row| row.next::<Uuid>()).await?;
    Ok(found.is_some())
}

async fn denial(
    reader: &mut impl Reader,
    organization: OrganizationId,
    standing: &Standing,
    child: ChildId,
) -> Result<Denial> {
    let known = found(reader, organization, standing, child, (DataClass::Roster, Verb::Read)).await?;
    Ok(if known.is_some() { Denial::RelationshipInsufficient } else { Denial::ChildHidden })
}

async fn found(
    reader: &mut impl Reader,
    organization: OrganizationId,
    standing: &Standing,
    child: ChildId,
    wanted: (DataClass, Verb),
) -> Result<Option<Capacity>> {
    let open = open_children(reader, (organization, standing), wanted, Capacity::ALL, Some(child)).await?;
    Ok(open.first().map(|(_, capacity)| *capacity))
}

/// The children of whom a class is open in some capacities, or the only one that is asked for, each with the capacity that opens it.
pub(super) async fn open_children(
    reader: &mut impl Reader,
    (organization, standing): (OrganizationId, &Standing),
    wanted: (DataClass, Verb),
    among: &[Capacity],
    only: Option<ChildId>,
) -> Result<Vec<(ChildId, Capacity)>> {
    let mut values = values_as(organization, standing, wanted, among);
    values.extend(only.map(id));
    let query = if only.is_some() { CAPACITY } else { CAPACITIES };
    reader.rows(query, &values, |row| Ok((row.next()?, read_capacity(row.next()?)?))).await
}

/// A capacity from its bit.
pub(crate) fn read_capacity(bit: i64) -> Result<Capacity> {
    Capacity::of_bit(bit).ok_or_else(|| Error::Internal(format!("{bit} is no capacity")))
}

fn undeclared(class: DataClass) -> Error {
    Error::Internal(format!(
        "the operation does not declare that it uses the class {class} of children's data"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_in_the_sql_are_those_of_the_capacities() {
        let bits = [
            (Capacity::Child, 1),
            (Capacity::Guardian, 2),
            (Capacity::Staff, 4),
            (Capacity::Registrar, 8),
            (Capacity::MedicalStaff, 16),
            (Capacity::Safeguarding, 32),
            (Capacity::Support, 64),
            (Capacity::BreakGlass, 128),
        ];
        for (capacity, bit) in bits {
            assert_eq!(capacity.bit(), bit, "{capacity}");
        }
        assert_eq!(Purpose::Participation.name(), "participation");
    }
}
