//! Running the operations of a changeset: the same commands as the direct routes, each with its own permission, in a part of the transaction
//! that is kept or rolled back as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fieldhouse_api::{Code, Operation as Of};
use fieldhouse_domain::changesets::impact::Impact;
use fieldhouse_domain::changesets::operations::{self, Act, Change, ChangeRole, Changeable, Operation};
use fieldhouse_domain::changesets::outcome::{self, Net, Pin};
use fieldhouse_domain::changesets::{MAX_EFFECTS, Refused};
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::games::{self as game_rules, Game};
use fieldhouse_domain::ids::{
    ApiKeyId, ChangesetId, ChildId, DivisionId, GameId, Id, MemberId, OrganizationId, RosterEntryId,
    SeasonId, StaffId, TeamId, UserId, VenueId,
};
use fieldhouse_domain::members::{ChangeMember, Member};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::record::Body;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::venues::Venue;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::access::children::{ChildAccess, Read, Roster, Write};
use fieldhouse_store::{Error as StoreError, OrgWrite, Principal, Tx, Watched, games, rosters};
use fieldhouse_store::{impact, records};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use crate::{Authority, Command, Error, WriteContext};
use crate::{divisions, imports, members, seasons, staff, teams, venues};

/// As whom, and with which ids, operations run.
#[derive(Clone, Debug)]
pub(crate) struct As<'a> {
    /// The organization.
    pub organization: OrganizationId,
    /// The person.
    pub user: UserId,
    /// The key that they used.
    pub key: Option<ApiKeyId>,
    /// The time of the change.
    pub now: Timestamp,
    /// The time in new ids: that of the changeset.
    pub dated: Timestamp,
    /// The random bytes from which new ids follow.
    pub salt: [u8; 16],
    /// Whether the operations undo something.
    pub undoes: bool,
    /// Why, for what follows from the operations.
    pub reason: Option<&'a str>,
}

impl As<'_> {
    fn principal(&self) -> Principal<'static> {
        Principal::Absent { organization: self.organization, user: self.user, key: self.key }
    }
}

/// Why operations cannot run.
#[derive(Debug)]
pub(crate) enum Broken {
    /// One of them is refused.
    Problem(usize, Error),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What runs.
#[derive(Debug)]
pub(crate) enum Work {
    /// Operations, in their order.
    Operations(Vec<Operation>),
    /// The import of the file that is stored with a changeset.
    Import(ChangesetId),
}

impl Work {
    /// How many operations it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Operations(operations) => operations.len(),
            Self::Import(_) => 1,
        }
    }
}

/// What running it found besides its effects.
#[derive(Debug, Default)]
struct Aside {
    pins: Vec<Pin>,
    skipped: usize,
}

/// What operations did.
#[derive(Debug)]
pub(crate) struct Ran {
    /// What happens to each record in the end.
    pub nets: Vec<Net>,
    /// What was read and written.
    pub pins: BTreeSet<Pin>,
    /// What it means for people.
    pub impact: Impact,
    /// How many rows of a file are not imported, because they are invalid.
    pub skipped: usize,
}

/// A problem as it is stored and shown.
pub(crate) fn shown(index: usize, error: &Error) -> Json {
    let (code, detail, more) = match error {
        Error::Refused(refusal) => {
            let more = match refusal {
                Refusal::Invalid(errors) => json!({"errors": errors.iter().map(|error| {
                    json!({"pointer": error.pointer, "code": error.code, "message": error.message, "fix": error.fix})
                }).collect::<Vec<_>>()}),
                Refusal::Overlap(conflicts) => json!({"conflicts": conflicts.iter().map(|conflict| {
                    json!({"id": conflict.id, "starts_at": conflict.starts_at, "ends_at": conflict.ends_at})
                }).collect::<Vec<_>>()}),
                Refusal::VersionMismatch { current } => json!({"current_version": current}),
                Refusal::Changeset(refused) => match &**refused {
                    Refused::Invalid { pointer, .. } => json!({"pointer": pointer}),
                    _ => json!({}),
                },
                _ => json!({}),
            };
            (Code::from(refusal), refusal.to_string(), more)
        }
        Error::Denied(denial) => (Code::OperationForbidden, why(*denial), json!({})),
        Error::Stale => (Code::Conflict, "records changed at the same time".to_owned(), json!({})),
        Error::Store(StoreError::Duplicate(taken)) => {
            let field = taken.field.as_deref().unwrap_or("id");
            (Code::Duplicate, format!("another record has the same {field}"), json!({"field": field}))
        }
        Error::Store(error) => (Code::Conflict, error.to_string(), json!({})),
    };
    let mut shown = json!({"index": index, "code": code.name(), "detail": detail});
    if let (Some(shown), Json::Object(more)) = (shown.as_object_mut(), more) {
        shown.extend(more);
    }
    shown
}

/// Why someone may not do an operation.
pub(crate) fn why(denial: Denial) -> String {
    match denial {
        Denial::RoleInsufficient(role) => format!("it needs the role {role} or higher"),
        Denial::KeyRevoked => "the key was revoked".to_owned(),
        Denial::Unknown => "the person is not an active member".to_owned(),
        Denial::NotOnDuty(kind) => format!("it needs the duty {kind}"),
        Denial::ChildHidden | Denial::RelationshipInsufficient => "no relation opens the record".to_owned(),
        _ => "it is not permitted".to_owned(),
    }
}

/// Whether a failed statement says that the operation is impossible, not that the store has failed.
fn is_answer(error: &StoreError) -> bool {
    matches!(error, StoreError::Duplicate(_) | StoreError::Reference(_))
}

/// Runs operations and rolls them back.
pub(crate) async fn rehearse<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    work: &Work,
) -> Result<Result<Ran, (usize, Error)>, Error> {
    let part = tx.savepoint("changesets.rehearse").await?;
    let ran = attempt(tx, who, work).await;
    let rolled: Result<(), RolledBack> = tx.end(part, Err(RolledBack::AsPlanned)).await;
    if let Err(RolledBack::Store(error)) = rolled {
        return Err(error.into());
    }
    sorted(ran)
}

/// Runs operations, and keeps what they do unless one is refused.
pub(crate) async fn carry_out<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    work: &Work,
    agrees: impl FnOnce(&Ran) -> bool,
) -> Result<Result<(Ran, bool), (usize, Error)>, Error> {
    let part = tx.savepoint("changesets.carry_out").await?;
    let ran = attempt(tx, who, work).await;
    match ran {
        Ok(ran) => {
            let is_agreed = agrees(&ran);
            let end = if is_agreed { Ok(()) } else { Err(RolledBack::AsPlanned) };
            match tx.end(part, end).await {
                Err(RolledBack::Store(error)) => Err(error.into()),
                _ => Ok(Ok((ran, is_agreed))),
            }
        }
        broken => {
            let rolled: Result<(), RolledBack> = tx.end(part, Err(RolledBack::AsPlanned)).await;
            match rolled {
                Err(RolledBack::Store(error)) => Err(error.into()),
                _ => sorted(broken).map(|ran| ran.map(|ran| (ran, false))),
            }
        }
    }
}

/// Why a part is rolled back.
enum RolledBack {
    AsPlanned,
    Store(StoreError),
}

impl From<StoreError> for RolledBack {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Separates refusals from failures of the store.
fn sorted(ran: Result<Ran, Broken>) -> Result<Result<Ran, (usize, Error)>, Error> {
    match ran {
        Ok(ran) => Ok(Ok(ran)),
        Err(Broken::Store(error)) => Err(error.into()),
        Err(Broken::Problem(index, Error::Store(error))) if !is_answer(&error) => {
            let _ = index;
            Err(error.into())
        }
        Err(Broken::Problem(index, error)) => Ok(Err((index, error))),
    }
}

/// The future is boxed, because it holds those of all commands.
fn attempt<'a, 'tx: 'a>(
    tx: &'a mut Tx<'tx>,
    who: &'a As<'_>,
    work: &'a Work,
) -> std::pin::Pin<Box<dyn Future<Output = Result<Ran, Broken>> + Send + 'a>> {
    Box::pin(watched(tx, who, work))
}

async fn watched<'tx>(tx: &mut Tx<'tx>, who: &As<'_>, work: &Work) -> Result<Ran, Broken> {
    tx.watch();
    let ran = match work {
        Work::Operations(operations) => run_all(tx, who, operations).await,
        Work::Import(changeset) => import(tx, who, *changeset).await,
    };
    let seen = tx.unwatch();
    let aside = ran?;
    let Watched { applied, read, .. } = seen;
    let nets = outcome::fold(applied);
    if nets.len() > MAX_EFFECTS {
        let large =
            Refused::TooLarge(format!("it has {} effects; {MAX_EFFECTS} are the maximum", nets.len()));
        return Err(Broken::Problem(work.len(), Refusal::from(large).into()));
    }
    let mut pins = outcome::pins(&read, &nets);
    pins.extend(aside.pins);
    let effects: Vec<Effect> = nets.iter().map(|net| net.effect.clone()).collect();
    let proof = permit(tx, who, Of::GameRead, None).await;
    let proof = proof.map_err(|error| Broken::Problem(work.len(), error))?;
    // What counts must not change by waiting, so it is what starts after the changeset was written.
    let impact = impact::of(tx, &proof, &effects, who.dated).await?;
    Ok(Ran { nets, pins, impact, skipped: aside.skipped })
}

/// Imports the file of a changeset, which is compared with the records as they are now. As in a direct import, games may overlap.
async fn import<'tx>(tx: &mut Tx<'tx>, who: &As<'_>, changeset: ChangesetId) -> Result<Aside, Broken> {
    let wrong = |error: Error| match error {
        Error::Store(error) if !is_answer(&error) => Broken::Store(error),
        error => Broken::Problem(0, error),
    };
    let file = Arc::new(imports::stored(tx, who.organization, changeset).await.map_err(wrong)?);
    let proof = permit(tx, who, Of::LeagueImport, None).await.map_err(wrong)?;
    tx.watch_operation(0);
    let pins = imports::pins(tx, &proof, &file).await.map_err(wrong)?;
    let command = imports::League { file, planned: None, dry_run: false };
    match perform(tx, who, 0, command, None).await.map_err(wrong)? {
        imports::Imported::Done(plan) => Ok(Aside { pins, skipped: plan.bad.len() }),
        imports::Imported::Refused(bad) => {
            let rows =
                format!("the file has invalid rows now: {}. Correct them, and propose it again", bad.len());
            Err(Broken::Problem(0, Refusal::State(rows).into()))
        }
        imports::Imported::Checked { .. } => Ok(Aside { pins, skipped: 0 }),
    }
}

/// Runs a command with its own permission.
async fn perform<'tx, C: Command>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    index: usize,
    command: C,
    if_version: Option<i64>,
) -> Result<C::Output, Error> {
    let proof = permit(tx, who, C::OPERATION, command.target()).await?;
    let random = outcome::randomness(&who.salt, index);
    let moment = Moment::fixed(who.now, who.dated, random);
    let cx = WriteContext::new(Authority::Organization(proof), C::OPERATION, &moment);
    let mut cx = cx.of_operation(if_version, who.reason);
    Box::pin(command.run(tx, &mut cx)).await
}

async fn run_all<'tx>(tx: &mut Tx<'tx>, who: &As<'_>, operations: &[Operation]) -> Result<Aside, Broken> {
    let mut names = BTreeMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let seen = tx.watch_operation(index);
        let step = Step { who, index, operation, undoes: who.undoes, names: &names };
        Box::pin(step.run(tx)).await.map_err(|error| Broken::Problem(index, error))?;
        if let Act::Create { name: Some(name), .. } = &operation.act {
            let kind = operation.resource.kind();
            let applied = tx.watched().map(|watched| &watched.applied[seen..]).unwrap_or_default();
            let created =
                applied.iter().find_map(|applied| match (&applied.effect.before, &applied.effect.after) {
                    (None, Some(record)) if record.kind() == kind => Some(record.id()),
                    _ => None,
                });
            names.extend(created.map(|id| (name.clone(), id)));
        }
    }
    Ok(Aside { pins: refuse_overlaps(tx, who, operations).await?, skipped: 0 })
}

/// Checks at the end that no game overlaps with another: only then do all games have their new places.
async fn refuse_overlaps<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    operations: &[Operation],
) -> Result<Vec<Pin>, Broken> {
    let applied = tx.watched().map(|watched| watched.applied.clone()).unwrap_or_default();
    let nets = outcome::fold(applied);
    let mut around = Vec::new();
    let changed: BTreeSet<Uuid> = nets
        .iter()
        .filter_map(|net| net.effect.record())
        .filter(|record| record.kind() == Kind::Game)
        .map(AnyRecord::uuid)
        .collect();
    let moved: Vec<(&Game, usize)> = nets
        .iter()
        .filter_map(|net| match (&net.effect.before, &net.effect.after) {
            (None, Some(AnyRecord::Game(after))) => Some((after, net.operation)),
            (Some(AnyRecord::Game(before)), Some(AnyRecord::Game(after)))
                if game_rules::is_moved(before, after) =>
            {
                Some((after, net.operation))
            }
            _ => None,
        })
        .collect();
    if moved.is_empty() {
        return Ok(around);
    }
    let last = operations.len();
    let proof = permit(tx, who, Of::GameRead, None).await.map_err(|error| Broken::Problem(last, error))?;
    let mut places: BTreeMap<VenueId, Option<Venue>> = BTreeMap::new();
    for (game, index) in moved {
        let venue = match game.venue_id {
            None => None,
            Some(id) => {
                if !places.contains_key(&id) {
                    places.insert(id, records::read(tx, &proof, id).await?);
                }
                places.get(&id).and_then(Option::as_ref)
            }
        };
        let nearby = games::nearby(tx, &proof, game).await?;
        let others = nearby.iter().filter(|other| !changed.contains(&other.id.uuid()));
        let seen: Vec<String> = others.map(|other| format!("{}@{}", other.id, other.version)).collect();
        around.push(Pin {
            of: "games_nearby".to_owned(),
            id: game.id.to_string(),
            seen: (!seen.is_empty()).then(|| seen.join(" ")),
        });
        let conflicts = game_rules::conflicts(game, venue, &nearby);
        if conflicts.is_empty() {
            continue;
        }
        let allows = operations.get(index).is_some_and(|operation| {
            matches!(
                operation.act,
                Act::Create { allow_overlap: true, .. } | Act::Update { allow_overlap: true, .. }
            )
        });
        if !allows {
            return Err(Broken::Problem(index, Refusal::Overlap(conflicts).into()));
        }
    }
    Ok(around)
}

pub(crate) async fn permit<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    operation: Of,
    target: Option<Uuid>,
) -> Result<OrgWrite<'tx>, Error> {
    let requirement = crate::requirement(operation);
    Ok(tx.permit(who.principal(), requirement, target, who.now).await??)
}

/// One operation that runs.
struct Step<'a> {
    who: &'a As<'a>,
    index: usize,
    operation: &'a Operation,
    /// Whether it undoes something, so that it may also lift or repeat the suspension of a member.
    undoes: bool,
    names: &'a BTreeMap<String, String>,
}

impl Step<'_> {
    /// The table of commands: what each resource and verb runs. `data` and `set` are the bodies of the direct routes.
    async fn run<'tx>(&self, tx: &mut Tx<'tx>) -> Result<(), Error> {
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
            Act::Update { id, if_version, change, .. } => {
                let (set, version) = (self.set(tx, *id, change).await?, *if_version);
                let within = if matches!(change, Change::Set(_)) { "/set" } else { "/patch" };
                match resource {
                    Seasons => {
                        let (id, change) = (SeasonId::from_uuid(*id), self.body(&set, within)?);
                        self.command(tx, seasons::Change { id, change }, version).await
                    }
                    Divisions => {
                        let (id, change) = (DivisionId::from_uuid(*id), self.body(&set, within)?);
                        self.command(tx, divisions::Change { id, change }, version).await
                    }
                    Teams => {
                        let (id, change) = (TeamId::from_uuid(*id), self.body(&set, within)?);
                        self.command(tx, teams::Change { id, change }, version).await
                    }
                    Venues => {
                        let (id, change) = (VenueId::from_uuid(*id), self.body(&set, within)?);
                        self.command(tx, venues::Change { id, change }, version).await
                    }
                    Games => {
                        let (id, change) = (GameId::from_uuid(*id), self.body(&set, within)?);
                        let command = crate::games::Change { id, change, reason: None, allow_overlap: true };
                        self.command(tx, command, version).await
                    }
                    RosterEntries => {
                        let id = RosterEntryId::from_uuid(*id);
                        let place = (self.team_of_entry(tx, id).await?, id);
                        self.command(
                            tx,
                            crate::rosters::Change { place, change: self.body(&set, within)? },
                            version,
                        )
                        .await
                    }
                    Staff => {
                        let id = StaffId::from_uuid(*id);
                        let place = (self.team_of_staff(tx, id).await?, id);
                        self.command(tx, staff::Change { place, change: self.body(&set, within)? }, version)
                            .await
                    }
                    Members => {
                        let id = MemberId::from_uuid(*id);
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
            Act::Restore(record) => match (**record).clone() {
                AnyRecord::Season(season) => self.command(tx, seasons::Restore(season), None).await,
                AnyRecord::Division(division) => self.command(tx, divisions::Restore(division), None).await,
                AnyRecord::Team(team) => self.command(tx, teams::Restore(team), None).await,
                AnyRecord::Venue(venue) => self.command(tx, venues::Restore(venue), None).await,
                AnyRecord::Game(game) => self.command(tx, crate::games::Restore(game), None).await,
                AnyRecord::RosterEntry(entry) => self.command(tx, crate::rosters::Restore(entry), None).await,
                AnyRecord::Staff(entry) => self.command(tx, staff::Restore(entry), None).await,
                AnyRecord::Member(member) => self.command(tx, members::Restore(member), None).await,
                other => Err(Refusal::from(Refused::NotChangeable(vec![other.kind().to_string()])).into()),
            },
        }
    }

    async fn delete<'tx>(
        &self,
        tx: &mut Tx<'tx>,
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
    async fn command<'tx, C: Command>(
        &self,
        tx: &mut Tx<'tx>,
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
    async fn set<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        id: Uuid,
        change: &Change,
    ) -> Result<Map<String, Json>, Error> {
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

    async fn team_of_entry<'tx>(&self, tx: &mut Tx<'tx>, id: RosterEntryId) -> Result<TeamId, Error> {
        let proof = permit(tx, self.who, Of::RosterList, None).await?;
        let place = rosters::place_of(tx, &proof, id).await?;
        place.map(|(team, _)| team).ok_or_else(Error::not_found)
    }

    async fn team_of_staff<'tx>(&self, tx: &mut Tx<'tx>, id: StaffId) -> Result<TeamId, Error> {
        let proof = permit(tx, self.who, Of::StaffList, None).await?;
        let entry: Option<Staff> = records::read(tx, &proof, id).await?;
        entry.map(|entry| entry.team_id).ok_or_else(Error::not_found)
    }
}

fn any<R: Into<AnyRecord>>(record: Option<R>) -> Option<AnyRecord> {
    record.map(Into::into)
}

/// The operation that reads a resource.
const fn reads(resource: Changeable) -> Of {
    match resource {
        Changeable::Seasons => Of::SeasonRead,
        Changeable::Divisions => Of::DivisionRead,
        Changeable::Teams => Of::TeamRead,
        Changeable::Venues => Of::VenueRead,
        Changeable::Games => Of::GameRead,
        Changeable::RosterEntries => Of::RosterList,
        Changeable::Staff => Of::StaffList,
        Changeable::Members => Of::MemberRead,
    }
}

/// The operation whose permission a step needs.
pub(crate) const fn operation_of(resource: Changeable, act: &Act) -> Option<Of> {
    Some(match (resource, act) {
        (resource, Act::Assert { .. }) => reads(resource),
        (Changeable::Seasons, Act::Create { .. } | Act::Restore(_)) => Of::SeasonCreate,
        (Changeable::Seasons, Act::Update { .. }) => Of::SeasonChange,
        (Changeable::Seasons, Act::Delete { .. }) => Of::SeasonDelete,
        (Changeable::Divisions, Act::Create { .. } | Act::Restore(_)) => Of::DivisionCreate,
        (Changeable::Divisions, Act::Update { .. }) => Of::DivisionChange,
        (Changeable::Divisions, Act::Delete { .. }) => Of::DivisionDelete,
        (Changeable::Teams, Act::Create { .. } | Act::Restore(_)) => Of::TeamCreate,
        (Changeable::Teams, Act::Update { .. }) => Of::TeamChange,
        (Changeable::Teams, Act::Delete { .. }) => Of::TeamDelete,
        (Changeable::Venues, Act::Create { .. } | Act::Restore(_)) => Of::VenueCreate,
        (Changeable::Venues, Act::Update { .. }) => Of::VenueChange,
        (Changeable::Venues, Act::Delete { .. }) => Of::VenueDelete,
        (Changeable::Games, Act::Create { .. } | Act::Restore(_)) => Of::GameCreate,
        (Changeable::Games, Act::Update { .. }) => Of::GameChange,
        (Changeable::Games, Act::Delete { .. }) => Of::GameDelete,
        (Changeable::RosterEntries, Act::Create { .. } | Act::Restore(_)) => Of::RosterAdd,
        (Changeable::RosterEntries, Act::Update { .. }) => Of::RosterChange,
        (Changeable::RosterEntries, Act::Delete { .. }) => Of::RosterRemove,
        (Changeable::Staff, Act::Create { .. } | Act::Restore(_)) => Of::StaffAdd,
        (Changeable::Staff, Act::Update { .. }) => Of::StaffChange,
        (Changeable::Staff, Act::Delete { .. }) => Of::StaffRemove,
        (Changeable::Members, Act::Update { .. }) => Of::MemberChange,
        (Changeable::Members, Act::Restore(_)) => Of::MemberRemove,
        (Changeable::Members, Act::Create { .. } | Act::Delete { .. }) => return None,
    })
}

/// The child whom an operation is about, if the person may write its place in a team. An operation about any other child is refused, in the
/// same way as one about a child that does not exist.
pub(crate) async fn child_of<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    (index, operation): (usize, &Operation),
) -> Result<Option<ChildId>, Error> {
    if operation.resource != Changeable::RosterEntries {
        return Ok(None);
    }
    let (of, pointer) = match &operation.act {
        Act::Create { .. } => (Of::RosterAdd, "/data/child_id"),
        _ => (Of::RosterChange, "/id"),
    };
    let proof = permit(tx, who, of, operation.target()).await?;
    let child = match &operation.act {
        Act::Create { data, .. } => {
            data.get("child_id").and_then(Json::as_str).and_then(|text| text.parse::<ChildId>().ok())
        }
        act => match operation.target().filter(|_| !matches!(act, Act::Restore(_))) {
            Some(id) => {
                let place = rosters::place_of(tx, &proof, RosterEntryId::from_uuid(id)).await?;
                place.map(|(_, child)| child)
            }
            None => None,
        },
    };
    if let Some(child) = child
        && tx.open::<Roster, Write>(&proof, child).await?.is_ok()
    {
        return Ok(Some(child));
    }
    let (pointer, message) = (pointer.to_owned(), "does not exist".to_owned());
    let fix = Some("Send the id of a record that exists and that a relation opens to you.".to_owned());
    Err(Refusal::from(Refused::Invalid { index, pointer, message, fix }).into())
}

/// Whether a person may do all of the operations now, by their role and duties, and by running those that depend on who they are.
pub(crate) async fn entitled<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    work: &Work,
) -> Result<Result<(), (usize, String)>, Error> {
    let operations = match work {
        Work::Operations(operations) => operations,
        Work::Import(_) => {
            return match permit(tx, who, Of::LeagueImport, None).await {
                Ok(_) => Ok(Ok(())),
                Err(Error::Denied(denial)) => Ok(Err((0, why(denial)))),
                Err(error) => Err(error),
            };
        }
    };
    let mut asked = BTreeSet::new();
    for (index, operation) in operations.iter().enumerate() {
        let Some(of) = operation_of(operation.resource, &operation.act) else { continue };
        if !asked.insert(of) {
            continue;
        }
        match permit(tx, who, of, operation.target()).await {
            Ok(_) => {}
            Err(Error::Denied(denial)) => return Ok(Err((index, why(denial)))),
            Err(error) => return Err(error),
        }
    }
    let is_personal = |operation: &Operation| {
        matches!(operation.resource, Changeable::RosterEntries | Changeable::Staff | Changeable::Members)
    };
    if !operations.iter().any(is_personal) {
        return Ok(Ok(()));
    }
    Ok(match rehearse(tx, who, work).await? {
        Ok(_) => Ok(()),
        Err((index, Error::Denied(denial))) => Err((index, why(denial))),
        Err((index, Error::Refused(refusal))) => Err((index, refusal.to_string())),
        Err((index, _)) => Err((index, "it cannot be done".to_owned())),
    })
}

/// An entry of a roster as it is now, if the person may see it.
pub(crate) async fn entry_now<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    known: &RosterEntry,
) -> Result<Option<AnyRecord>, Error> {
    let proof = permit(tx, who, Of::RosterChange, Some(known.id.uuid())).await?;
    let Ok(access) = tx.open::<Roster, Write>(&proof, known.child_id).await? else { return Ok(None) };
    let entries = rosters::of_child(tx, &access, known.team_id).await?;
    Ok(any(entries.into_iter().find(|entry| entry.id == known.id)))
}
