//! Consents about children, given and withdrawn by their families.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::consents::{self as rules, Consent, Consenting, NewConsent};
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, ConsentId, Id};
use fieldhouse_store::access::children::{ChildAccess, Profile, Read, Records, Use, Write};
use fieldhouse_store::{Tx, children, consents};
use uuid::Uuid;

use crate::repeated::again;
use crate::second_person::actor;
use crate::{Command, Error, WriteContext};

/// Gives consent to a purpose.
#[derive(Debug)]
pub struct Grant {
    /// The child.
    pub child: ChildId,
    /// The consent.
    pub new: NewConsent,
}

impl Command for Grant {
    const OPERATION: Operation = Operation::ConsentGrant;
    type Output = Consent;

    fn target(&self) -> Option<Uuid> {
        Some(self.child.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Consent, Error> {
        let access: ChildAccess<'tx, Records, Write> = cx.open(tx, self.child).await?;
        let earlier = consents::of_child(tx, &access).await?;
        let by = consenting(tx, cx, &access).await?;
        let consent = rules::grant(cx.moment, &by, self.child, &self.new, &earlier)?;
        cx.apply_to_child(tx, access, &[Effect::create(consent.clone())]).await?;
        Ok(consent)
    }

    again! { |self, tx, cx, id| stored(tx, cx, (self.child, id)) }
}

/// A consent in the path: the child and the consent.
type Place = (ChildId, ConsentId);

/// Withdraws a consent.
#[derive(Debug)]
pub struct Withdraw(pub Place);

impl Command for Withdraw {
    const OPERATION: Operation = Operation::ConsentWithdraw;
    type Output = Consent;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Consent, Error> {
        let (child, id) = self.0;
        let access: ChildAccess<'tx, Records, Write> = cx.open(tx, child).await?;
        let before = find(tx, &access, id).await?;
        let by = consenting(tx, cx, &access).await?;
        let after = rules::withdraw(cx.moment, &by, &before)?;
        let effects: Vec<Effect> = Effect::update(cx.moment, before.clone(), after).into_iter().collect();
        let mut written =
            cx.apply_to_child(tx, access, &effects).await?.into_iter().filter_map(|effect| effect.after);
        Ok(written.find_map(|after| Consent::try_from(after).ok()).unwrap_or(before))
    }

    again! { |self, tx, cx| stored(tx, cx, self.0) }
}

/// A consent as it is now.
async fn stored<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    (child, id): Place,
) -> Result<Consent, Error> {
    let access: ChildAccess<'tx, Records, Read> = cx.open(tx, child).await?;
    find(tx, &access, id).await
}

/// A consent about the child of a permission.
async fn find<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, Records, V>,
    id: ConsentId,
) -> Result<Consent, Error> {
    let found = consents::of_child(tx, access).await?.into_iter().find(|consent| consent.id == id);
    found.ok_or_else(Error::not_found)
}

/// Who consents, with the child's age.
async fn consenting<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    access: &ChildAccess<'tx, Records, V>,
) -> Result<Consenting, Error> {
    let profile: ChildAccess<'tx, Profile, Read> = cx.open(tx, access.child()).await?;
    let age = children::record(tx, &profile).await?.age_on(cx.today()?);
    Ok(Consenting { actor: actor(tx, cx).await?, capacity: access.capacity(), age })
}
