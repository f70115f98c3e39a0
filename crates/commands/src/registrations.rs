//! Registrations of children for seasons.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::ids::{ChildId, DivisionId, Id, RegistrationId, SeasonId};
use fieldhouse_domain::registrations::{
    self as rules, Applicant, ChangeRegistration, Named, NewRegistration, Registration,
};
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::seasons::Season;
use fieldhouse_store::access::children::{ChildAccess, Identity, Write};
use fieldhouse_store::registrations::{self, Listed};
use fieldhouse_store::{Tx, children};
use uuid::Uuid;

use crate::repeated::again;
use crate::{Command, Error, WriteContext};

/// The permission to register a child: who may change its identity.
type Opened<'tx> = ChildAccess<'tx, Identity, Write>;

/// Registers a child for a season.
#[derive(Debug)]
pub struct Add {
    /// The child.
    pub child: ChildId,
    /// The registration.
    pub new: NewRegistration,
}

impl Command for Add {
    const OPERATION: Operation = Operation::RegistrationAdd;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.child.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let access: Opened<'tx> = cx.open(tx, self.child).await?;
        let season: Option<Season> = cx.find(tx, self.new.season_id).await?;
        let division = division(tx, cx, self.new.division_id).await?;
        let is_registered = registrations::current(tx, &access, self.new.season_id).await?.is_some();
        let named = Named { season: season.as_ref(), division: division.as_ref(), is_registered };
        let capacities = capacities(tx, cx, self.child).await?;
        let by = applicant(tx, cx, &capacities, self.new.season_id).await?;
        let registration = rules::apply(cx.moment, &by, self.child, &self.new, &named)?;
        let registration = cx.create(tx, registration).await?;
        Ok(Listed { registration, display_name: children::name(tx, &access).await? })
    }

    again! { |self, tx, cx, id| stored(tx, cx, id) }
}

/// Changes a registration.
#[derive(Debug)]
pub struct Change {
    /// The registration.
    pub id: RegistrationId,
    /// What changes.
    pub change: ChangeRegistration,
}

impl Command for Change {
    const OPERATION: Operation = Operation::RegistrationChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (access, before) = opened(tx, cx, self.id).await?;
        let before = cx.check(before)?;
        let capacities = capacities(tx, cx, before.child_id).await?;
        let by = applicant(tx, cx, &capacities, before.season_id).await?;
        let division = division(tx, cx, self.change.division_id.flatten()).await?;
        let after = rules::changed(cx.moment, &by, &before, self.change, division.as_ref())?;
        // Withdrawing it may close the child to the caller.
        let display_name = children::name(tx, &access).await?;
        Ok(Listed { registration: cx.update(tx, before, after).await?, display_name })
    }

    again! { |self, tx, cx| stored(tx, cx, self.id) }
}

/// Withdraws a registration. The child leaves the teams of the season with it.
#[derive(Debug)]
pub struct Withdraw(pub RegistrationId);

impl Command for Withdraw {
    const OPERATION: Operation = Operation::RegistrationWithdraw;
    type Output = RegistrationId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<RegistrationId, Error> {
        let (_, before) = opened(tx, cx, self.0).await?;
        let before = cx.check(before)?;
        let capacities = capacities(tx, cx, before.child_id).await?;
        let by = applicant(tx, cx, &capacities, before.season_id).await?;
        let after = rules::withdrawn(cx.moment, &by, &before)?;
        cx.update(tx, before, after).await?;
        Ok(self.0)
    }
}

/// Opens the child of a registration. One that does not exist, and one of a child that no relation opens, are not found.
async fn opened<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: RegistrationId,
) -> Result<(Opened<'tx>, Registration), Error> {
    let child = registrations::child_of(tx, cx.organization()?, id).await?;
    let access: Opened<'tx> = cx.open(tx, child.ok_or_else(Error::not_found)?).await?;
    let registration = registrations::read(tx, &access, id).await?.ok_or_else(Error::not_found)?;
    Ok((access, registration))
}

/// A registration as it is now, with the name by which the child is known.
async fn stored<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: RegistrationId,
) -> Result<Listed, Error> {
    let (access, registration) = opened(tx, cx, id).await?;
    Ok(Listed { registration, display_name: children::name(tx, &access).await? })
}

/// The division that a body names, if it exists.
async fn division<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: Option<DivisionId>,
) -> Result<Option<Division>, Error> {
    match id {
        Some(id) => cx.find(tx, id).await,
        None => Ok(None),
    }
}

/// In which capacities the caller may register a child.
async fn capacities<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<Vec<Capacity>, Error> {
    let among = [Capacity::Guardian, Capacity::Registrar];
    Ok(tx.capacities(cx.organization()?, child, (DataClass::Identity, Verb::Write), &among).await?)
}

/// The caller, as someone who applies for a season.
pub(crate) async fn applicant<'tx, 'a>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    capacities: &'a [Capacity],
    season: SeasonId,
) -> Result<Applicant<'a>, Error> {
    let registers = tx.registers(cx.organization()?, season, None).await?;
    Ok(Applicant { user: Some(cx.user()?), capacities, registers })
}
