//! Rosters: children in teams. The registrar of the team's season changes them.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, Id, RosterEntryId, TeamId};
use fieldhouse_domain::rosters::{self as rules, ChangeRosterEntry, Facts, NewRosterEntry, RosterEntry};
use fieldhouse_domain::teams::Team;
use fieldhouse_store::access::children::{ChildAccess, Read, Roster, Use, Write};
use fieldhouse_store::rosters::{self, Listed};
use fieldhouse_store::{Tx, children, registrations};
use uuid::Uuid;

use crate::repeated::again;
use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Adds a child to the roster of a team.
#[derive(Debug)]
pub struct Add {
    /// The team.
    pub team: TeamId,
    /// The entry.
    pub new: NewRosterEntry,
}

impl Command for Add {
    const OPERATION: Operation = Operation::RosterAdd;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let team = changed_by_registrar(tx, cx, self.team).await?;
        let today = cx.today()?;
        add(tx, cx, &team, self.new.child_id, |facts| rules::add(cx.moment, today, team.id, &self.new, facts))
            .await
    }

    again! { |self, tx, cx, id| listed(tx, cx, (self.team, id)) }
}

/// Adds an entry, which the rules make from what is known about the child.
async fn add<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    team: &Team,
    child: ChildId,
    entry: impl FnOnce(&Facts<'_>) -> Result<RosterEntry, Refusal> + Send,
) -> Result<Listed, Error> {
    let opened = tx.open::<Roster, Write>(cx.organization()?, child).await?.ok();
    let (mut registration, mut entries) = (None, Vec::new());
    if let Some(access) = &opened {
        registration = registrations::current(tx, access, team.season_id).await?;
        entries = rosters::of_child(tx, access, team.id).await?;
    }
    let facts = Facts {
        is_known: opened.is_some(),
        registration: registration.map(|registration| registration.status),
        entries: &entries,
    };
    let entry = entry(&facts)?;
    let access = opened.ok_or_else(Error::not_found)?;
    let display_name = children::name(tx, &access).await?;
    cx.apply_to_child(tx, access, &[Effect::create(entry.clone())]).await?;
    Ok(Listed { entry, display_name })
}

/// An entry in the path: the team and the entry.
type Place = (TeamId, RosterEntryId);

/// Changes a roster entry.
#[derive(Debug)]
pub struct Change {
    /// The entry.
    pub place: Place,
    /// What changes.
    pub change: ChangeRosterEntry,
}

impl Command for Change {
    const OPERATION: Operation = Operation::RosterChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.place.1.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (team, id) = self.place;
        let access: ChildAccess<'tx, Roster, Write> = opened(tx, cx, self.place).await?;
        changed_by_registrar(tx, cx, team).await?;
        let entries = rosters::of_child(tx, &access, team).await?;
        let before = cx.check(entry(&entries, id)?)?;
        let after = rules::changed(cx.today()?, &before, self.change.clone(), &entries)?;
        // Ending an entry may close the child to the caller.
        let display_name = children::name(tx, &access).await?;
        let Some(effect) = Effect::update(cx.moment, before.clone(), after) else {
            return Ok(Listed { entry: before, display_name });
        };
        let written = cx.apply_to_child(tx, access, &[effect]).await?;
        let mut written = written.into_iter().filter_map(|effect| effect.after);
        let written = written.find_map(|after| RosterEntry::try_from(after).ok());
        Ok(Listed { entry: written.unwrap_or(before), display_name })
    }

    again! { |self, tx, cx| listed(tx, cx, self.place) }
}

/// Removes a roster entry that has not begun.
#[derive(Debug)]
pub struct Remove(pub TeamId, pub RosterEntryId);

impl Command for Remove {
    const OPERATION: Operation = Operation::RosterRemove;
    type Output = RosterEntryId;

    fn target(&self) -> Option<Uuid> {
        Some(self.1.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<RosterEntryId, Error> {
        let access: ChildAccess<'tx, Roster, Write> = opened(tx, cx, (self.0, self.1)).await?;
        changed_by_registrar(tx, cx, self.0).await?;
        let entries = rosters::of_child(tx, &access, self.0).await?;
        let before = cx.check(entry(&entries, self.1)?)?;
        rules::refuse_removal(cx.today()?, &before)?;
        cx.apply_to_child(tx, access, &[Effect::delete(before)]).await?;
        Ok(self.1)
    }
}

/// Brings a deleted roster entry back, for an undo. It is given as it was before its deletion.
#[derive(Debug)]
pub struct Restore(pub RosterEntry);

impl Command for Restore {
    const OPERATION: Operation = Operation::RosterAdd;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let entry = restored(cx.moment, &self.0);
        let team: Option<Team> = cx.find(tx, entry.team_id).await?;
        let team = team.ok_or_else(|| Refusal::missing("/team_id"))?;
        refuse_unless_registrar(tx, cx, &team).await?;
        add(tx, cx, &team, entry.child_id, |facts| rules::restored(&entry, facts)).await
    }
}

/// The team, if the caller is the registrar of its season. A team of another organization is not found.
async fn changed_by_registrar<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    team: TeamId,
) -> Result<Team, Error> {
    let team: Team = cx.find(tx, team).await?.ok_or_else(Error::not_found)?;
    refuse_unless_registrar(tx, cx, &team).await?;
    Ok(team)
}

async fn refuse_unless_registrar<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    team: &Team,
) -> Result<(), Error> {
    if !tx.registers(cx.organization()?, team.season_id, Some(team.id)).await? {
        let why = "only the registrar of the team's season can change its roster";
        return Err(Refusal::Forbidden(why.to_owned()).into());
    }
    Ok(())
}

/// Opens the roster line of the child of an entry. An entry that does not exist, one of another team, and one of a child that no relation
/// opens are not found.
async fn opened<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    (team, id): Place,
) -> Result<ChildAccess<'tx, Roster, V>, Error> {
    let child = rosters::child_of(tx, cx.organization()?, team, id).await?;
    cx.open(tx, child.ok_or_else(Error::not_found)?).await
}

fn entry(entries: &[RosterEntry], id: RosterEntryId) -> Result<RosterEntry, Error> {
    entries.iter().find(|entry| entry.id == id).cloned().ok_or_else(Error::not_found)
}

/// An entry with the name in the response, as far as the caller may see it now.
async fn listed<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, place: Place) -> Result<Listed, Error> {
    let access: ChildAccess<'tx, Roster, Read> = opened(tx, cx, place).await?;
    let entries = rosters::of_child(tx, &access, place.0).await?;
    Ok(Listed { entry: entry(&entries, place.1)?, display_name: children::name(tx, &access).await? })
}
