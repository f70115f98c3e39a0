//! The operations of a changeset: how they are read from a request, how a `$ref` becomes the id of a record that an earlier operation
//! creates, and how a patch becomes the body of a change.

use std::collections::BTreeMap;

use json_patch::{Patch, PatchOperation};
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::{MAX_OPERATIONS, Refused};
use crate::Refusal;
use crate::divisions::{ChangeDivision, NewDivision};
use crate::effects::{AnyRecord, Kind};
use crate::games::{ChangeGame, NewGame};
use crate::ids::{DivisionId, GameId, Id, MemberId, RosterEntryId, SeasonId, StaffId, TeamId, VenueId};
use crate::place::Place;
use crate::record::{Body, enumeration, read_json};
use crate::rosters::{ChangeRosterEntry, NewRosterEntry};
use crate::seasons::{ChangeSeason, NewSeason};
use crate::staff::{ChangeStaff, NewStaff};
use crate::teams::{ChangeTeam, NewTeam};
use crate::venues::{ChangeVenue, NewVenue};

enumeration! {
    /// What a changeset can change.
    Changeable {
        /// Seasons.
        Seasons "seasons",
        /// Divisions.
        Divisions "divisions",
        /// Teams.
        Teams "teams",
        /// Venues.
        Venues "venues",
        /// Games and byes.
        Games "games",
        /// Children in teams.
        RosterEntries "roster_entries",
        /// Staff of teams.
        Staff "staff",
        /// The roles of members.
        Members "members",
    }
}

enumeration! {
    /// What an operation does.
    OperationVerb {
        /// Creates a record.
        Create "create",
        /// Changes a record.
        Update "update",
        /// Deletes a record.
        Delete "delete",
        /// Changes nothing, and fails if a record is not as it says.
        Assert "assert",
    }
}

impl Changeable {
    /// The kind of record.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Seasons => Kind::Season,
            Self::Divisions => Kind::Division,
            Self::Teams => Kind::Team,
            Self::Venues => Kind::Venue,
            Self::Games => Kind::Game,
            Self::RosterEntries => Kind::RosterEntry,
            Self::Staff => Kind::Staff,
            Self::Members => Kind::Member,
        }
    }

    /// What records of a kind are in a changeset. `None` if it cannot change them.
    pub fn of(kind: Kind) -> Option<Self> {
        Self::ALL.iter().copied().find(|changeable| changeable.kind() == kind)
    }

    /// Whether the body of create is about a team that the path names in a direct request, so that `data` has `team_id` too.
    const fn is_of_team(self) -> bool {
        matches!(self, Self::RosterEntries | Self::Staff)
    }

    /// A written id in which no record is meant.
    fn placeholder(self) -> String {
        self.kind().written_id(Uuid::from_u128(0x7000_8000_0000_0000_0000))
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// What it changes.
    pub resource: Changeable,
    /// What it does.
    pub act: Act,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Creates a record.
    Create {
        /// The name by which later operations refer to it.
        name: Option<String>,
        /// The body of create, perhaps with references.
        data: Map<String, Json>,
        /// Whether a game may overlap with others.
        allow_overlap: bool,
    },
    /// Changes a record.
    Update {
        /// The record.
        id: Uuid,
        /// The version that it must have.
        if_version: Option<i64>,
        /// How it changes.
        change: Change,
        /// Whether a game may overlap with others.
        allow_overlap: bool,
    },
    /// Deletes a record.
    Delete {
        /// The record.
        id: Uuid,
        /// The version that it must have.
        if_version: Option<i64>,
        /// The records that refer to it, which are deleted before it.
        dependents: Vec<(Changeable, Uuid)>,
    },
    /// Tests a record.
    Assert {
        /// The record.
        id: Uuid,
        /// The tests.
        test: Patch,
    },
    /// Brings a deleted record back. Only an undo contains it.
    Restore(Box<AnyRecord>),
}

/// How a record changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A merge patch (RFC 7396): the body of a change.
    Set(Map<String, Json>),
    /// A JSON patch (RFC 6902) of the record's fields.
    Patch(Patch),
}

impl Act {
    /// What it does.
    pub const fn verb(&self) -> OperationVerb {
        match self {
            Self::Create { .. } | Self::Restore(_) => OperationVerb::Create,
            Self::Update { .. } => OperationVerb::Update,
            Self::Delete { .. } => OperationVerb::Delete,
            Self::Assert { .. } => OperationVerb::Assert,
        }
    }
}

/// Something wrong with an operation.
fn wrong(pointer: impl Into<String>, message: impl Into<String>, fix: &str) -> Refused {
    let fix = (!fix.is_empty()).then(|| fix.to_owned());
    Refused::Invalid { index: 0, pointer: pointer.into(), message: message.into(), fix }
}

/// Reads the operations of a request. Refuses the first one that is wrong.
pub fn read(list: &[Json]) -> Result<Vec<Operation>, Refusal> {
    if list.is_empty() || list.len() > MAX_OPERATIONS {
        let fix = "Send 1 to 500 operations.";
        let wrong = crate::text::InvalidValue::new("out_of_range", format!("has {} items", list.len()), fix);
        return Err(Refusal::field("/operations", wrong));
    }
    let mut names = BTreeMap::new();
    let read = list.iter().enumerate().map(|(index, json)| {
        let operation = read_one(json, &names).map_err(|refused| at(index, refused))?;
        if let Act::Create { name: Some(name), .. } = &operation.act {
            names.insert(name.clone(), operation.resource);
        }
        Ok(operation)
    });
    read.collect::<Result<_, Refused>>().map_err(Refusal::from)
}

fn at(index: usize, refused: Refused) -> Refused {
    match refused {
        Refused::Invalid { pointer, message, fix, .. } => Refused::Invalid { index, pointer, message, fix },
        refused => refused,
    }
}

/// The members of each verb, besides `op` and `resource`.
const fn members(verb: OperationVerb) -> &'static [&'static str] {
    match verb {
        OperationVerb::Create => &["ref", "data", "allow_overlap"],
        OperationVerb::Update => &["id", "if_version", "set", "patch", "allow_overlap"],
        OperationVerb::Delete => &["id", "if_version", "dependents", "ids"],
        OperationVerb::Assert => &["id", "test"],
    }
}

fn read_one(json: &Json, names: &BTreeMap<String, Changeable>) -> Result<Operation, Refused> {
    let object = json.as_object().ok_or_else(|| wrong("", "is not an object", "Send a JSON object."))?;
    let verb: OperationVerb = named(object, "op")?;
    let Some(resource) = object.get("resource").and_then(Json::as_str) else {
        return Err(wrong("/resource", "is missing", "Name what the operation changes, such as games."));
    };
    let resource: Changeable =
        resource.parse().map_err(|_| Refused::NotChangeable(vec![resource.to_owned()]))?;
    let known = members(verb);
    if let Some(name) = object
        .keys()
        .find(|name| !known.contains(&name.as_str()) && !["op", "resource"].contains(&name.as_str()))
    {
        let fix = format!("Leave it out, or use one of: {}.", known.join(", "));
        let pointer = Place::Member(&Place::Root(""), "/", name).pointer();
        return Err(wrong(pointer, "is not a member of this operation", &fix));
    }
    let allow_overlap = match object.get("allow_overlap") {
        None => false,
        Some(Json::Bool(allowed)) if resource == Changeable::Games => *allowed,
        Some(_) => {
            return Err(wrong(
                "/allow_overlap",
                "must be true or false, and is only for games",
                "Correct it or leave it out.",
            ));
        }
    };
    let act = match verb {
        OperationVerb::Create if resource == Changeable::Members => {
            return Err(Refused::NotChangeable(vec!["members: create".to_owned()]));
        }
        OperationVerb::Delete if resource == Changeable::Members => {
            return Err(Refused::NotChangeable(vec!["members: delete".to_owned()]));
        }
        OperationVerb::Create => {
            let data = map(object, "data")?;
            Act::Create { name: name_of(object, names)?, data, allow_overlap }
        }
        OperationVerb::Update => Act::Update {
            id: id_of(object, resource)?,
            if_version: version_of(object)?,
            change: change_of(object)?,
            allow_overlap,
        },
        OperationVerb::Delete => Act::Delete {
            id: id_of(object, resource)?,
            if_version: version_of(object)?,
            dependents: dependents_of(object)?,
        },
        OperationVerb::Assert => {
            let test = patch_of(object, "test")?;
            if let Some(at) = test.0.iter().position(|one| !matches!(one, PatchOperation::Test(_))) {
                return Err(wrong(format!("/test/{at}/op"), "is not test", "Send only tests here."));
            }
            Act::Assert { id: id_of(object, resource)?, test }
        }
    };
    let operation = Operation { resource, act };
    operation.check(names)?;
    Ok(operation)
}

fn named<T: std::str::FromStr<Err = crate::text::UnknownName>>(
    object: &Map<String, Json>,
    name: &str,
) -> Result<T, Refused> {
    let text = object.get(name).and_then(Json::as_str).unwrap_or_default();
    text.parse().map_err(|error: crate::text::UnknownName| {
        let names = error.0.join(", ");
        wrong(format!("/{name}"), format!("must be one of: {names}"), &format!("Send one of: {names}."))
    })
}

fn map(object: &Map<String, Json>, name: &str) -> Result<Map<String, Json>, Refused> {
    match object.get(name) {
        Some(Json::Object(map)) => Ok(map.clone()),
        _ => Err(wrong(format!("/{name}"), "is not an object", "Send a JSON object with the fields.")),
    }
}

fn name_of(
    object: &Map<String, Json>,
    names: &BTreeMap<String, Changeable>,
) -> Result<Option<String>, Refused> {
    let Some(name) = object.get("ref") else { return Ok(None) };
    let fix = "Send 1 to 64 letters, digits, hyphens and underscores.";
    let name = name.as_str().filter(|name| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    });
    let name = name.ok_or_else(|| wrong("/ref", "is not a name", fix))?;
    if names.contains_key(name) {
        return Err(wrong("/ref", "is used by an earlier operation", "Use each name once."));
    }
    Ok(Some(name.to_owned()))
}

fn id_of(object: &Map<String, Json>, resource: Changeable) -> Result<Uuid, Refused> {
    let fix = format!("Send the id of a record, such as {}.", resource.placeholder());
    let id = object.get("id").and_then(Json::as_str).and_then(Kind::of_written_id);
    match id {
        Some((kind, uuid)) if kind == resource.kind() => Ok(uuid),
        _ => Err(wrong("/id", format!("is not an id of {resource}"), &fix)),
    }
}

fn version_of(object: &Map<String, Json>) -> Result<Option<i64>, Refused> {
    match object.get("if_version") {
        None => Ok(None),
        Some(version) => match version.as_i64().filter(|version| *version > 0) {
            Some(version) => Ok(Some(version)),
            None => Err(wrong("/if_version", "is not a version", "Send an integer from 1.")),
        },
    }
}

fn change_of(object: &Map<String, Json>) -> Result<Change, Refused> {
    match (object.contains_key("set"), object.contains_key("patch")) {
        (true, false) => Ok(Change::Set(map(object, "set")?)),
        (false, true) => Ok(Change::Patch(patch_of(object, "patch")?)),
        _ => Err(wrong("/set", "or patch is required, and not both", "Send either set or patch.")),
    }
}

/// How many operations a JSON patch has at most.
const MAX_PATCH: usize = 100;

fn patch_of(object: &Map<String, Json>, name: &str) -> Result<Patch, Refused> {
    let pointer = format!("/{name}");
    let json = object.get(name).cloned().unwrap_or_default();
    let fix = "Send a JSON patch (RFC 6902): a list of operations.";
    let patch: Patch = serde_json::from_value(json)
        .map_err(|error| wrong(pointer.clone(), format!("is not a JSON patch: {error}"), fix))?;
    if patch.0.is_empty() {
        return Err(wrong(pointer, "is empty", fix));
    }
    if patch.0.len() > MAX_PATCH {
        let long = format!("has {} operations; {MAX_PATCH} are the maximum", patch.0.len());
        return Err(wrong(pointer, long, "Send the fields that change as `set`."));
    }
    for (at, operation) in patch.0.iter().enumerate() {
        let is_field = |pointer: &json_patch::jsonptr::PointerBuf| pointer.count() == 1;
        let copied = match operation {
            PatchOperation::Copy(copy) => is_field(&copy.from) && is_field(&copy.path),
            PatchOperation::Move(moved) => is_field(&moved.from) && is_field(&moved.path),
            _ => true,
        };
        if !copied {
            // A copy of the whole record into itself doubles it, and a few of them fill the memory.
            let fix = "Copy and move whole fields only, such as from /name to /short_name.";
            return Err(wrong(format!("{pointer}/{at}"), "copies something other than a field", fix));
        }
    }
    Ok(patch)
}

fn dependents_of(object: &Map<String, Json>) -> Result<Vec<(Changeable, Uuid)>, Refused> {
    let fix = "Send restrict, or list with ids: the id of each record that refers to this one.";
    match object.get("dependents").map(Json::as_str) {
        None | Some(Some("restrict")) if !object.contains_key("ids") => Ok(Vec::new()),
        Some(Some("list")) => {
            let ids = object.get("ids").and_then(Json::as_array).filter(|ids| !ids.is_empty());
            let ids = ids.ok_or_else(|| wrong("/ids", "is missing", fix))?;
            let read = ids.iter().enumerate().map(|(at, id)| {
                let found = id.as_str().and_then(Kind::of_written_id);
                let found = found.and_then(|(kind, uuid)| Some((Changeable::of(kind)?, uuid)));
                found.ok_or_else(|| wrong(format!("/ids/{at}"), "is not an id of such a record", fix))
            });
            read.collect()
        }
        _ => Err(wrong("/dependents", "must be restrict or list", fix)),
    }
}

/// A value with its references replaced. `resolve` returns the id of the record with a name.
fn resolved(value: &Json, pointer: &str, resolve: &impl Fn(&str) -> Option<String>) -> Result<Json, Refused> {
    let fix = "Refer to the ref of an earlier create.";
    Ok(match value {
        Json::Object(object) if object.contains_key("$ref") => {
            let name = object.get("$ref").and_then(Json::as_str).filter(|_| object.len() == 1);
            let found = name.and_then(resolve);
            Json::String(found.ok_or_else(|| wrong(pointer, "does not refer to an earlier operation", fix))?)
        }
        Json::Object(object) => {
            let mut read = Map::new();
            for (name, value) in object {
                read.insert(name.clone(), resolved(value, &format!("{pointer}/{name}"), resolve)?);
            }
            Json::Object(read)
        }
        Json::Array(items) => {
            let items = items.iter().enumerate();
            let read = items.map(|(at, item)| resolved(item, &format!("{pointer}/{at}"), resolve));
            Json::Array(read.collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    })
}

/// The fields of a body with its references replaced.
pub fn resolve(
    fields: &Map<String, Json>,
    within: &str,
    resolve: impl Fn(&str) -> Option<String>,
) -> Result<Map<String, Json>, Refused> {
    match resolved(&Json::Object(fields.clone()), within, &resolve)? {
        Json::Object(fields) => Ok(fields),
        _ => Err(wrong(within, "is not an object", "Send a JSON object with the fields.")),
    }
}

/// Reads a body, whose errors are at their place in the operation.
pub fn body<B: Body>(fields: &Map<String, Json>, within: &str) -> Result<B, Refused> {
    read_json(&Json::Object(fields.clone()), Vec::new()).map_err(|refusal| misread(refusal, within))
}

/// The first error of a refused body.
fn misread(refusal: Refusal, within: &str) -> Refused {
    match refusal {
        Refusal::Invalid(errors) => match errors.into_iter().next() {
            Some(error) => {
                let pointer = format!("{within}{}", error.pointer);
                Refused::Invalid { index: 0, pointer, message: error.message, fix: error.fix }
            }
            None => wrong(within, "is invalid", ""),
        },
        refusal => wrong(within, refusal.to_string(), ""),
    }
}

/// The team in `data`, and the other fields: in a direct request, the path names it.
pub fn of_team(mut data: Map<String, Json>) -> Result<(TeamId, Map<String, Json>), Refused> {
    let fix = "Send the id of the team.";
    let team = data.shift_remove("team_id");
    let team = team.as_ref().and_then(Json::as_str).and_then(|text| text.parse().ok());
    Ok((team.ok_or_else(|| wrong("/data/team_id", "is missing or not an id of a team", fix))?, data))
}

impl Operation {
    /// Reads its bodies with placeholders for references, so that mistakes are found when it is written, not when it is simulated.
    fn check(&self, names: &BTreeMap<String, Changeable>) -> Result<(), Refused> {
        // Each reference has its own, so that two new teams are not one team twice.
        let placeholder = |name: &str| {
            let (at, (_, resource)) = names.iter().enumerate().find(|(_, (known, _))| *known == name)?;
            let number = 0x7000_8000_0000_0000_0001 + u128::try_from(at).ok()?;
            Some(resource.kind().written_id(Uuid::from_u128(number)))
        };
        match &self.act {
            Act::Create { data, .. } => {
                let data = resolve(data, "/data", placeholder)?;
                let data = if self.resource.is_of_team() { of_team(data)?.1 } else { data };
                match self.resource {
                    Changeable::Seasons => body::<NewSeason>(&data, "/data").map(drop),
                    Changeable::Divisions => body::<NewDivision>(&data, "/data").map(drop),
                    Changeable::Teams => body::<NewTeam>(&data, "/data").map(drop),
                    Changeable::Venues => body::<NewVenue>(&data, "/data").map(drop),
                    Changeable::Games => body::<NewGame>(&data, "/data").map(drop),
                    Changeable::RosterEntries => body::<NewRosterEntry>(&data, "/data").map(drop),
                    Changeable::Staff => body::<NewStaff>(&data, "/data").map(drop),
                    Changeable::Members => Ok(()),
                }
            }
            Act::Update { change: Change::Set(set), .. } => {
                let set = resolve(set, "/set", placeholder)?;
                match self.resource {
                    Changeable::Seasons => body::<ChangeSeason>(&set, "/set").map(drop),
                    Changeable::Divisions => body::<ChangeDivision>(&set, "/set").map(drop),
                    Changeable::Teams => body::<ChangeTeam>(&set, "/set").map(drop),
                    Changeable::Venues => body::<ChangeVenue>(&set, "/set").map(drop),
                    Changeable::Games => body::<ChangeGame>(&set, "/set").map(drop),
                    Changeable::RosterEntries => body::<ChangeRosterEntry>(&set, "/set").map(drop),
                    Changeable::Staff => body::<ChangeStaff>(&set, "/set").map(drop),
                    Changeable::Members => body::<ChangeRole>(&set, "/set").map(drop),
                }
            }
            _ => Ok(()),
        }
    }

    /// The id of the record that it is about, if that exists before.
    pub fn target(&self) -> Option<Uuid> {
        match &self.act {
            Act::Create { .. } | Act::Restore(_) => None,
            Act::Update { id, .. } | Act::Delete { id, .. } | Act::Assert { id, .. } => Some(*id),
        }
    }
}

/// The change of a member's role: the only field of a member that a changeset can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Body)]
#[body(title = "MemberChangeRole")]
pub struct ChangeRole {
    /// The role.
    pub role: crate::roles::Role,
}

/// The body of a change that has the effect of a patch on a record. Its errors are at `/patch`.
pub fn patched(record: &AnyRecord, patch: &Patch) -> Result<Map<String, Json>, Refused> {
    let before = record.image();
    let mut after = Json::Object(before.clone());
    json_patch::patch(&mut after, patch).map_err(|error| {
        wrong(format!("/patch{}", place(patch, &error)), error.kind.to_string(), "Read the record again.")
    })?;
    let Json::Object(after) = after else {
        return Err(wrong("/patch", "replaces the whole record", "Name the fields that change."));
    };
    let mut set = Map::new();
    for (field, value) in &after {
        if before.get(field) != Some(value) {
            set.insert(field.clone(), value.clone());
        }
    }
    for field in before.keys().filter(|field| !after.contains_key(*field)) {
        set.insert(field.clone(), Json::Null);
    }
    Ok(set)
}

/// Fails if a record is not as the tests say.
pub fn tested(record: &AnyRecord, tests: &Patch) -> Result<(), Refused> {
    let mut image = Json::Object(record.image());
    json_patch::patch(&mut image, tests).map_err(|error| {
        let pointer = format!("/test{}", place(tests, &error));
        wrong(pointer, "no longer matches the record", "Read the record again.")
    })
}

/// The place of an error in a patch.
fn place(_: &Patch, error: &json_patch::PatchError) -> String {
    format!("/{}", error.operation)
}

/// The written id of a record.
pub fn written(resource: Changeable, id: Uuid) -> String {
    match resource {
        Changeable::Seasons => SeasonId::from_uuid(id).to_string(),
        Changeable::Divisions => DivisionId::from_uuid(id).to_string(),
        Changeable::Teams => TeamId::from_uuid(id).to_string(),
        Changeable::Venues => VenueId::from_uuid(id).to_string(),
        Changeable::Games => GameId::from_uuid(id).to_string(),
        Changeable::RosterEntries => RosterEntryId::from_uuid(id).to_string(),
        Changeable::Staff => StaffId::from_uuid(id).to_string(),
        Changeable::Members => MemberId::from_uuid(id).to_string(),
    }
}

/// An operation of an undo as it is shown.
pub fn shown(operation: &Operation) -> Json {
    let resource = operation.resource;
    match &operation.act {
        Act::Update { id, change: Change::Set(set), .. } => {
            json!({"op": "update", "resource": resource.name(), "id": written(resource, *id), "set": set})
        }
        Act::Delete { id, .. } => {
            json!({"op": "delete", "resource": resource.name(), "id": written(resource, *id)})
        }
        Act::Restore(record) => {
            json!({"op": "restore", "resource": resource.name(), "id": record.id()})
        }
        _ => json!({"op": operation.act.verb().name(), "resource": resource.name()}),
    }
}

#[cfg(test)]
mod tests;
