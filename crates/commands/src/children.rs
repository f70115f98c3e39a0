//! Children, and the classes of their data.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::children::contacts::ChangeChildContact;
use fieldhouse_domain::children::emergencies::ChangeChildEmergency;
use fieldhouse_domain::children::identities::ChangeChildIdentity;
use fieldhouse_domain::children::medical::ChangeChildMedical;
use fieldhouse_domain::children::performances::ChangeChildPerformance;
use fieldhouse_domain::children::{self as rules, ChangeChild, Child, NewPerson};
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, Id, SeasonId};
use fieldhouse_domain::registrations::{self as registration_rules, Named, NewRegistration, Registration};
use fieldhouse_domain::seasons::Season;
use fieldhouse_store::Tx;
use fieldhouse_store::access::children::{
    ChildAccess, Class, Contact, Emergency, Identity, Medical, Performance, Profile, Read, Write,
};
use fieldhouse_store::access_log::{self, Access};
use fieldhouse_store::children::{self, ClassRecord};
use uuid::Uuid;

use crate::repeated::again;
use crate::{Command, Error, WriteContext, registrations};

/// Creates a child, with the user as its first guardian or for a season whose registrar they are.
#[derive(Debug)]
pub struct Create(pub NewPerson);

impl Command for Create {
    const OPERATION: Operation = Operation::ChildCreate;
    type Output = Child;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Child, Error> {
        let guardian = cx.user()?;
        let guardian = self.0.season_id.is_none().then_some(guardian);
        let (child, mut effects) = rules::create(cx.moment, cx.today()?, &self.0, guardian)?;
        if let Some(season) = self.0.season_id {
            effects.push(Effect::create(registered(tx, cx, &child, season).await?));
        }
        cx.apply(tx, &effects).await?;
        Ok(child)
    }

    again! { |self, tx, cx, child| shown(tx, cx, child) }
}

/// A child as the caller may see it now.
async fn shown<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, child: ChildId) -> Result<Child, Error> {
    let access: ChildAccess<'_, Profile, Read> = cx.open(tx, child).await?;
    Ok(children::record(tx, &access).await?)
}

/// The registration of a child whom the registrar of a season creates. It is what opens the child to them.
async fn registered<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: &Child,
    season: SeasonId,
) -> Result<Registration, Error> {
    let by = registrations::applicant(tx, cx, &[Capacity::Registrar], season).await?;
    let found: Option<Season> = cx.find(tx, season).await?;
    let named = Named { season: found.as_ref(), division: None, is_registered: false };
    Ok(registration_rules::apply(cx.moment, &by, child.id, &NewRegistration::new(season), &named)?)
}

/// Changes a record of a class.
async fn change<'tx, C: ClassRecord>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    access: ChildAccess<'tx, C, Write>,
    before: C::Record,
    effects: Vec<Effect>,
) -> Result<C::Record, Error> {
    if effects.is_empty() {
        return Ok(before);
    }
    let mut written =
        cx.apply_to_child(tx, access, &effects).await?.into_iter().filter_map(|effect| effect.after);
    Ok(written.find_map(|after| C::Record::try_from(after).ok()).unwrap_or(before))
}

/// Records that a response shows a class of a child's data. The response to a change does too, also if nothing changed.
async fn note<'tx, O: Command, C: Class>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
    capacity: Capacity,
) -> Result<(), Error> {
    let proof = cx.organization()?;
    let access = Access {
        id: cx.moment.id(),
        organization: proof.organization(),
        at: cx.moment.now(),
        user: cx.user()?,
        key: proof.actor().key,
        class: C::CLASS,
        operation: O::OPERATION.id(),
        children: vec![(child, capacity)],
    };
    Ok(access_log::record(tx, access).await?)
}

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident $operation:ident $class:ident $change:ty, $effects:ident;)+) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            /// The child.
            pub child: ChildId,
            /// What changes.
            pub change: $change,
        }

        impl Command for $name {
            const OPERATION: Operation = Operation::$operation;
            type Output = <$class as ClassRecord>::Record;

            fn target(&self) -> Option<Uuid> {
                Some(self.child.uuid())
            }

            async fn run<'tx>(
                &self,
                tx: &mut Tx<'tx>,
                cx: &mut WriteContext<'_, 'tx>,
            ) -> Result<Self::Output, Error> {
                let access: ChildAccess<'tx, $class, Write> = cx.open(tx, self.child).await?;
                let before = cx.check(children::record(tx, &access).await?)?;
                let effects = $effects!(self, tx, cx, before);
                let capacity = access.capacity();
                let changed = change(tx, cx, access, before, effects).await?;
                note::<Self, $class>(tx, cx, self.child, capacity).await?;
                Ok(changed)
            }

            async fn again<'tx>(
                &self,
                tx: &mut Tx<'tx>,
                cx: &mut WriteContext<'_, 'tx>,
                _: Option<&str>,
            ) -> Result<Option<Self::Output>, Error> {
                let access: ChildAccess<'tx, $class, Read> = cx.open(tx, self.child).await?;
                note::<Self, $class>(tx, cx, self.child, access.capacity()).await?;
                Ok(Some(children::record(tx, &access).await?))
            }
        }
    )+ };
}

/// The effect of a change of one record, if a field differs.
macro_rules! one {
    ($command:ident, $tx:ident, $cx:ident, $before:ident) => {
        Effect::update($cx.moment, $before.clone(), $before.with($command.change.clone())?)
            .into_iter()
            .collect()
    };
}

/// The effects of a change of an identity: the year of birth in the profile follows.
macro_rules! with_birth_year {
    ($command:ident, $tx:ident, $cx:ident, $before:ident) => {{
        let profile: ChildAccess<'tx, Profile, Read> = $cx.open($tx, $command.child).await?;
        let child = children::record($tx, &profile).await?;
        rules::with_identity($cx.moment, $cx.today()?, &child, &$before, $command.change.clone())?
    }};
}

changes! {
    /// Changes the profile of a child.
    ChangeProfile ChildProfileChange Profile ChangeChild, one;
    /// Changes the identity of a child.
    ChangeIdentity ChildIdentityChange Identity ChangeChildIdentity, with_birth_year;
    /// Changes how to reach a child's family.
    ChangeContact ChildContactChange Contact ChangeChildContact, one;
    /// Changes what someone must know about a child in an emergency.
    ChangeEmergency ChildEmergencyChange Emergency ChangeChildEmergency, one;
    /// Changes what is known about a child's health.
    ChangeMedical ChildMedicalChange Medical ChangeChildMedical, one;
    /// Changes the notes and measurements of coaches.
    ChangePerformance ChildPerformanceChange Performance ChangeChildPerformance, one;
}

/// Reads what is known about a child's health, in a transaction, because the read is recorded in it.
#[derive(Debug)]
pub struct ReadMedical(pub ChildId);

impl Command for ReadMedical {
    const OPERATION: Operation = Operation::ChildMedicalRead;
    type Output = <Medical as ClassRecord>::Record;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<Self::Output, Error> {
        let access: ChildAccess<'tx, Medical, Read> = cx.open(tx, self.0).await?;
        note::<Self, Medical>(tx, cx, self.0, access.capacity()).await?;
        Ok(children::record(tx, &access).await?)
    }
}
