//! The table of commands: what each resource and verb runs.

use std::collections::BTreeMap;

use fieldhouse_api::Operation as Of;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::Refused;
use fieldhouse_domain::changesets::operations::{self, Act, Change, ChangeRole, Changeable, Operation};
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::{
    DivisionId, GameId, Id, MemberId, RosterEntryId, SeasonId, StaffId, TeamId, VenueId,
};
use fieldhouse_domain::members::{ChangeMember, Member};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::access::children::{ChildAccess, Read, Roster, Write};
use fieldhouse_store::{OrgWrite, Tx, games, records, rosters};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::permissions::{permit, reads};
use super::{As, perform};
use crate::{Command, Error};
use crate::{divisions, members, seasons, staff, teams, venues};

/// Reads the records of operations together, before each operation reads its own.
pub(crate) async fn read_ahead(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    named: impl Iterator<Item = (Kind, Uuid)>,
) -> Result<(), Error> {
    let Some(proof) = permit_ahead(tx, who).await? else { return Ok(()) };
    let mut by_kind: BTreeMap<Kind, Vec<Uuid>> = BTreeMap::new();
    for (kind, id) in named {
        by_kind.entry(kind).or_default().push(id);
    }
    for (kind, ids) in by_kind {
        match kind {
            Kind::Season => records::read_ahead::<Season>(tx, &proof, &ids).await?,
            Kind::Division => records::read_ahead::<Division>(tx, &proof, &ids).await?,
            Kind::Team => records::read_ahead::<Team>(tx, &proof, &ids).await?,
            Kind::Venue => records::read_ahead::<Venue>(tx, &proof, &ids).await?,
            Kind::Game => records::read_ahead::<Game>(tx, &proof, &ids).await?,
            Kind::Staff => records::read_ahead::<Staff>(tx, &proof, &ids).await?,
            Kind::Member => records::read_ahead::<Member>(tx, &proof, &ids).await?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads what operations read beside their own records: the places of games that they change, and how many games the venues have that they
/// delete.
pub(super) async fn read_others_ahead(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    operations: &[Operation],
) -> Result<(), Error> {
    let (mut changed_games, mut deleted_venues) = (Vec::new(), Vec::new());
    for operation in operations {
        match (operation.resource, &operation.act) {
            (Changeable::Games, Act::Update { id, .. }) => changed_games.push(*id),
            (Changeable::Venues, Act::Delete { id, .. }) => deleted_venues.push(VenueId::from_uuid(*id)),
            _ => {}
        }
    }
    if changed_games.is_empty() && deleted_venues.is_empty() {
        return Ok(());
    }
    let Some(proof) = permit_ahead(tx, who).await? else { return Ok(()) };
    games::read_places_ahead(tx, &proof, &changed_games).await?;
    Ok(fieldhouse_store::venues::read_games_ahead(tx, &proof, deleted_venues.into_iter()).await?)
}

/// The permission to read ahead. Without it, each operation is refused by itself.
async fn permit_ahead<'tx>(tx: &mut Tx<'tx>, who: &As<'_>) -> Result<Option<OrgWrite<'tx>>, Error> {
    match permit(tx, who, Of::GameRead, None).await {
        Ok(proof) => Ok(Some(proof)),
        Err(Error::Denied(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// One operation that runs.
pub(super) struct Step<'a> {
    pub(super) who: &'a As<'a>,
    pub(super) index: usize,
    pub(super) operation: &'a Operation,
    /// Whether it undoes something, so that it may also lift or repeat the suspension of a member.
    pub(super) undoes: bool,
    pub(super) names: &'a BTreeMap<String, String>,
}

impl Step<'_> {
    /// Runs the command of its resource and verb. `data` and `set` are the bodies of the direct routes.
    pub(super) async fn run(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        use Changeable::{Divisions, Games, Members, RosterEntries, Seasons, Staff, Teams, Venues};
        let resource = self.operation.resource;
        match &self.operation.act {
            Act::Create { data, .. } => match resource {
                Seasons => self.command(tx, seasons::Create(self.data(data)?), None).await,
                Divisions => self.command(tx, divisions::Create(self.data(data)?), None).await,
                Teams => self.command(tx, teams::Create(self.data(data)?), None).await,
                Venues => self.command(tx, venues::Create(self.data(data)?), None).await,
                // Overlaps are checked at the end.
                Games => {
                    let command = crate::games::Create { new: self.data(data)?, allow_overlap: true };
                    self.command(tx, command, None).await
                }
                RosterEntries => {
                    let (team, new) = self.of_team(data)?;
                    self.command(tx, crate::rosters::Add { team, new }, None).await
                }
                Staff => {
                    let (team, new) = self.of_team(data)?;
                    self.command(tx, staff::Add { team, new }, None).await
                }
                Members => {
                    Err(Refusal::from(Refused::NotChangeable(vec!["members: create".to_owned()])).into())
                }
            },
            Act::Update { id, if_version, change, .. } => self.update(tx, *id, (change, *if_version)).await,
            Act::Delete { id, if_version, dependents } => {
                let mut first: Vec<(Changeable, Uuid)> = dependents.clone();
                first.sort_by_key(|(resource, _)| std::cmp::Reverse(resource.kind().depth()));
                for (resource, id) in first {
                    self.delete(tx, resource, id, None).await?;
                }
                self.delete(tx, resource, *id, *if_version).await
            }
            Act::Assert { id, test } => {
                let record = self.current(tx, *id).await?;
                operations::tested(&record, test).map_err(|refused| self.at(refused))
            }
            Act::Restore(record) => match &**record {
                AnyRecord::Season(season) => {
                    self.command(tx, seasons::Restore((**season).clone()), None).await
                }
                AnyRecord::Division(division) => {
                    self.command(tx, divisions::Restore((**division).clone()), None).await
                }
                AnyRecord::Team(team) => self.command(tx, teams::Restore((**team).clone()), None).await,
                AnyRecord::Venue(venue) => self.command(tx, venues::Restore((**venue).clone()), None).await,
                AnyRecord::Game(game) => {
                    self.command(tx, crate::games::Restore((**game).clone()), None).await
                }
                AnyRecord::RosterEntry(entry) => {
                    self.command(tx, crate::rosters::Restore((**entry).clone()), None).await
                }
                AnyRecord::Staff(entry) => self.command(tx, staff::Restore((**entry).clone()), None).await,
                AnyRecord::Member(member) => {
                    self.command(tx, members::Restore((**member).clone()), None).await
                }
                other => Err(Refusal::from(Refused::NotChangeable(vec![other.kind().to_string()])).into()),
            },
        }
    }

    async fn update(
        &self,
        tx: &mut Tx<'_>,
        id: Uuid,
        (change, version): (&Change, Option<i64>),
    ) -> Result<(), Error> {
        use Changeable::{Divisions, Games, Members, RosterEntries, Seasons, Staff, Teams, Venues};
        let (set, version) = (self.set(tx, id, change).await?, version);
        let within = if matches!(change, Change::Set(_)) { "/set" } else { "/patch" };
        match self.operation.resource {
            Seasons => {
                let (id, change) = (SeasonId::from_uuid(id), self.body(&set, within)?);
                self.command(tx, seasons::Change { id, change }, version).await
            }
            Divisions => {
                let (id, change) = (DivisionId::from_uuid(id), self.body(&set, within)?);
                self.command(tx, divisions::Change { id, change }, version).await
            }
            Teams => {
                let (id, change) = (TeamId::from_uuid(id), self.body(&set, within)?);
                self.command(tx, teams::Change { id, change }, version).await
            }
            Venues => {
                let (id, change) = (VenueId::from_uuid(id), self.body(&set, within)?);
                self.command(tx, venues::Change { id, change }, version).await
            }
            Games => {
                let (id, change) = (GameId::from_uuid(id), self.body(&set, within)?);
                let command = crate::games::Change { id, change, reason: None, allow_overlap: true };
                self.command(tx, command, version).await
            }
            RosterEntries => {
                let id = RosterEntryId::from_uuid(id);
                let place = (self.team_of_entry(tx, id).await?, id);
                self.command(tx, crate::rosters::Change { place, change: self.body(&set, within)? }, version)
                    .await
            }
            Staff => {
                let id = StaffId::from_uuid(id);
                let place = (self.team_of_staff(tx, id).await?, id);
                self.command(tx, staff::Change { place, change: self.body(&set, within)? }, version).await
            }
            Members => {
                let id = MemberId::from_uuid(id);
                let change = if self.undoes {
                    self.body::<ChangeMember>(&set, within)?
                } else {
                    let role = self.body::<ChangeRole>(&set, within)?.role;
                    ChangeMember { role: Some(role), suspended: None }
                };
                self.command(tx, members::Change { id, change }, version).await
            }
        }
    }

    async fn delete(
        &self,
        tx: &mut Tx<'_>,
        resource: Changeable,
        id: Uuid,
        version: Option<i64>,
    ) -> Result<(), Error> {
        match resource {
            Changeable::Seasons => self.command(tx, seasons::Delete(SeasonId::from_uuid(id)), version).await,
            Changeable::Divisions => {
                self.command(tx, divisions::Delete(DivisionId::from_uuid(id)), version).await
            }
            Changeable::Teams => self.command(tx, teams::Delete(TeamId::from_uuid(id)), version).await,
            Changeable::Venues => self.command(tx, venues::Delete(VenueId::from_uuid(id)), version).await,
            Changeable::Games => self.command(tx, crate::games::Delete(GameId::from_uuid(id)), version).await,
            Changeable::RosterEntries => {
                let id = RosterEntryId::from_uuid(id);
                let team = self.team_of_entry(tx, id).await?;
                self.command(tx, crate::rosters::Remove(team, id), version).await
            }
            Changeable::Staff => {
                let id = StaffId::from_uuid(id);
                let team = self.team_of_staff(tx, id).await?;
                self.command(tx, staff::Remove(team, id), version).await
            }
            Changeable::Members => {
                Err(Refusal::from(Refused::NotChangeable(vec!["members: delete".to_owned()])).into())
            }
        }
    }

    /// Runs a command with its own permission.
    async fn command<C: Command>(
        &self,
        tx: &mut Tx<'_>,
        command: C,
        if_version: Option<i64>,
    ) -> Result<(), Error> {
        perform(tx, self.who, self.index, command, if_version).await.map(drop)
    }

    /// A wrong operation with its number.
    fn at(&self, refused: Refused) -> Error {
        let refused = match refused {
            Refused::Invalid { pointer, message, fix, .. } => {
                Refused::Invalid { index: self.index, pointer, message, fix }
            }
            refused => refused,
        };
        Refusal::from(refused).into()
    }

    fn resolve(&self, fields: &Map<String, Json>, within: &str) -> Result<Map<String, Json>, Error> {
        let resolve = |name: &str| self.names.get(name).cloned();
        operations::resolve(fields, within, resolve).map_err(|refused| self.at(refused))
    }

    fn body<B: Body>(&self, set: &Map<String, Json>, within: &str) -> Result<B, Error> {
        operations::body(set, within).map_err(|refused| self.at(refused))
    }

    fn data<B: Body>(&self, data: &Map<String, Json>) -> Result<B, Error> {
        let data = self.resolve(data, "/data")?;
        operations::body(&data, "/data").map_err(|refused| self.at(refused))
    }

    fn of_team<B: Body>(&self, data: &Map<String, Json>) -> Result<(TeamId, B), Error> {
        let data = self.resolve(data, "/data")?;
        let (team, data) = operations::of_team(data).map_err(|refused| self.at(refused))?;
        Ok((team, operations::body(&data, "/data").map_err(|refused| self.at(refused))?))
    }

    /// The body of a change.
    async fn set(&self, tx: &mut Tx<'_>, id: Uuid, change: &Change) -> Result<Map<String, Json>, Error> {
        match change {
            Change::Set(set) => self.resolve(set, "/set"),
            Change::Patch(patch) => {
                let record = self.current(tx, id).await?;
                operations::patched(&record, patch).map_err(|refused| self.at(refused))
            }
        }
    }

    /// The record that the operation is about, as it is now.
    async fn current<'tx>(&self, tx: &mut Tx<'tx>, id: Uuid) -> Result<AnyRecord, Error> {
        let proof = permit(tx, self.who, reads(self.operation.resource), Some(id)).await?;
        let record: Option<AnyRecord> = match self.operation.resource {
            Changeable::Seasons => any::<Season>(records::read(tx, &proof, SeasonId::from_uuid(id)).await?),
            Changeable::Divisions => {
                any::<Division>(records::read(tx, &proof, DivisionId::from_uuid(id)).await?)
            }
            Changeable::Teams => any::<Team>(records::read(tx, &proof, TeamId::from_uuid(id)).await?),
            Changeable::Venues => any::<Venue>(records::read(tx, &proof, VenueId::from_uuid(id)).await?),
            Changeable::Games => any::<Game>(records::read(tx, &proof, GameId::from_uuid(id)).await?),
            Changeable::Staff => any::<Staff>(records::read(tx, &proof, StaffId::from_uuid(id)).await?),
            Changeable::Members => any::<Member>(records::read(tx, &proof, MemberId::from_uuid(id)).await?),
            Changeable::RosterEntries => {
                let entry = RosterEntryId::from_uuid(id);
                match rosters::place_of(tx, &proof, entry).await? {
                    None => None,
                    Some((team, child)) => {
                        let access: ChildAccess<'tx, Roster, Read> = tx.open(&proof, child).await??;
                        let entries = rosters::of_child(tx, &access, team).await?;
                        any(entries.into_iter().find(|found| found.id == entry))
                    }
                }
            }
        };
        record.ok_or_else(Error::not_found)
    }

    async fn team_of_entry(&self, tx: &mut Tx<'_>, id: RosterEntryId) -> Result<TeamId, Error> {
        let proof = permit(tx, self.who, Of::RosterList, None).await?;
        let place = rosters::place_of(tx, &proof, id).await?;
        place.map(|(team, _)| team).ok_or_else(Error::not_found)
    }

    async fn team_of_staff(&self, tx: &mut Tx<'_>, id: StaffId) -> Result<TeamId, Error> {
        let proof = permit(tx, self.who, Of::StaffList, None).await?;
        let entry: Option<Staff> = records::read(tx, &proof, id).await?;
        entry.map(|entry| entry.team_id).ok_or_else(Error::not_found)
    }
}

fn any<R: Into<AnyRecord>>(record: Option<R>) -> Option<AnyRecord> {
    record.map(Into::into)
}

/// An entry of a roster as it is now, if the person may see it.
pub(crate) async fn entry_now(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    known: &RosterEntry,
) -> Result<Option<AnyRecord>, Error> {
    let proof = permit(tx, who, Of::RosterChange, Some(known.id.uuid())).await?;
    let Ok(access) = tx.open::<Roster, Write>(&proof, known.child_id).await? else { return Ok(None) };
    let entries = rosters::of_child(tx, &access, known.team_id).await?;
    Ok(any(entries.into_iter().find(|entry| entry.id == known.id)))
}
