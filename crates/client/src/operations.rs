//! Builds the operations of a changeset, with references between the records that they create.

use std::collections::BTreeMap;

use fieldhouse_api::changesets::{NewChangeset, Operation};
use fieldhouse_domain::changesets::operations::{ChangeRole, Changeable};
use fieldhouse_domain::divisions::{ChangeDivision, NewDivision};
use fieldhouse_domain::games::{ChangeGame, NewGame};
use fieldhouse_domain::ids::{
    DivisionId, GameId, Id, MemberId, RosterEntryId, SeasonId, StaffId, TeamId, VenueId,
};
use fieldhouse_domain::place::Place;
use fieldhouse_domain::rosters::{ChangeRosterEntry, NewRosterEntry};
use fieldhouse_domain::seasons::{ChangeSeason, NewSeason};
use fieldhouse_domain::staff::{ChangeStaff, NewStaff};
use fieldhouse_domain::teams::{ChangeTeam, NewTeam};
use fieldhouse_domain::text::Name;
use fieldhouse_domain::venues::{ChangeVenue, NewVenue};
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::errors::Error;

/// The id of a kind of record that a changeset can change, and the body that changes it.
pub trait InChangeset: Id {
    /// How operations name the kind.
    const RESOURCE: Changeable;
    /// The body of a change.
    type Change: Serialize;
}

macro_rules! in_changesets {
    ($($id:ident $resource:ident $change:ident;)*) => { $(impl InChangeset for $id {
        const RESOURCE: Changeable = Changeable::$resource;
        type Change = $change;
    })* };
}
in_changesets! {
    SeasonId Seasons ChangeSeason;
    DivisionId Divisions ChangeDivision;
    TeamId Teams ChangeTeam;
    VenueId Venues ChangeVenue;
    GameId Games ChangeGame;
    RosterEntryId RosterEntries ChangeRosterEntry;
    StaffId Staff ChangeStaff;
    MemberId Members ChangeRole;
}

/// A record that an operation creates, in later operations of the same list.
///
/// [`Ref::id`] is a placeholder with the type of an id, so that a team cannot be named where a venue is meant. The list replaces it by a
/// reference. It is not the id that the record gets, and means nothing outside the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ref<I>(I);

impl<I: Copy> Ref<I> {
    /// The placeholder for the record's id.
    pub fn id(&self) -> I {
        self.0
    }
}

/// The operations of a changeset, in their order.
///
/// ```
/// use fieldhouse_client::Operations;
/// use fieldhouse_client::domain::games::{ChangeGame, NewGame};
/// use fieldhouse_client::domain::ids::{DivisionId, GameId, SeasonId};
/// use fieldhouse_client::domain::teams::NewTeam;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let season: SeasonId = "sea_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
/// let division: DivisionId = "div_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
/// let game: GameId = "gam_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
///
/// let mut operations = Operations::new();
/// let team = operations.create_team(&NewTeam::new(season, division, "U12 Blue".parse()?))?;
/// let change = ChangeGame { away_team_id: Some(Some(team.id())), ..ChangeGame::default() };
/// operations.update(game, &change)?.if_version(12);
/// let new = operations.changeset("A new team takes the place of another".parse()?);
/// assert_eq!(new.operations.map(|all| all.len()), Some(2));
/// # Ok(())
/// # }
/// ```
///
/// ```compile_fail
/// # use fieldhouse_client::Operations;
/// # use fieldhouse_client::domain::games::ChangeGame;
/// # use fieldhouse_client::domain::teams::NewTeam;
/// # fn example(operations: &mut Operations, new: &NewTeam) -> Result<(), fieldhouse_client::Error> {
/// let team = operations.create_team(new)?;
/// // A team is not a venue:
/// let change = ChangeGame { venue_id: Some(Some(team.id())), ..ChangeGame::default() };
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Operations {
    list: Vec<Map<String, Value>>,
    /// The references, by their placeholders as they are written.
    names: BTreeMap<String, String>,
}

macro_rules! creations {
    ($($(#[$doc:meta])* $method:ident($body:ident) -> $id:ident;)*) => { $(
        $(#[$doc])*
        pub fn $method(&mut self, new: &$body) -> Result<Ref<$id>, Error> {
            Ok(self.create(fields(new)?))
        }
    )* };
}

impl Operations {
    /// No operations.
    pub fn new() -> Self {
        Self::default()
    }

    creations! {
        /// Creates a season.
        create_season(NewSeason) -> SeasonId;
        /// Creates a division.
        create_division(NewDivision) -> DivisionId;
        /// Creates a team.
        create_team(NewTeam) -> TeamId;
        /// Creates a venue.
        create_venue(NewVenue) -> VenueId;
        /// Creates a game or a bye.
        create_game(NewGame) -> GameId;
    }

    /// Adds a child to a team.
    pub fn create_roster_entry(
        &mut self,
        team: TeamId,
        new: &NewRosterEntry,
    ) -> Result<Ref<RosterEntryId>, Error> {
        Ok(self.create(of_team(team, fields(new)?)))
    }

    /// Proposes someone as staff of a team.
    pub fn create_staff(&mut self, team: TeamId, new: &NewStaff) -> Result<Ref<StaffId>, Error> {
        Ok(self.create(of_team(team, fields(new)?)))
    }

    fn create<I: InChangeset>(&mut self, data: Map<String, Value>) -> Ref<I> {
        // Ids of records are of version 7, so that no record has a placeholder's id.
        let placeholder = I::from_uuid(Uuid::new_v4());
        let name = format!("{}{}", I::PREFIX, self.names.len() + 1);
        let data = self.with_references(Value::Object(data));
        self.list.push(operation::<I>("create", [("ref", json!(name)), ("data", data)]));
        self.names.insert(placeholder.to_string(), name);
        Ref(placeholder)
    }

    /// Changes a record. Fields that the body leaves out keep their values.
    pub fn update<I: InChangeset>(&mut self, id: I, change: &I::Change) -> Result<Update<'_>, Error> {
        let set = self.with_references(Value::Object(fields(change)?));
        Ok(Update(self.push(operation::<I>("update", [("id", json!(id.to_string())), ("set", set)]))))
    }

    /// Changes a record by a JSON patch (RFC 6902) of its fields.
    pub fn patch<I: InChangeset>(&mut self, id: I, patch: &[Value]) -> Update<'_> {
        let patch = self.with_references(patch.into());
        Update(self.push(operation::<I>("update", [("id", json!(id.to_string())), ("patch", patch)])))
    }

    /// Deletes a record. It fails if other records refer to it, unless [`Delete::dependent`] names all of them.
    pub fn delete<I: InChangeset>(&mut self, id: I) -> Delete<'_> {
        Delete(self.push(operation::<I>("delete", [("id", json!(id.to_string()))])))
    }

    /// Changes nothing, and fails unless fields of a record have these values.
    pub fn assert<I: InChangeset>(&mut self, id: I, values: &[(&str, Value)]) {
        let test = |(field, value): &(&str, Value)| {
            let path = Place::Member(&Place::Root(""), "/", field).pointer();
            json!({"op": "test", "path": path, "value": value})
        };
        let test = values.iter().map(test).collect();
        self.push(operation::<I>("assert", [("id", json!(id.to_string())), ("test", test)]));
    }

    /// Permits the game of the latest operation to overlap with others.
    pub fn allow_overlap(&mut self) -> &mut Self {
        if let Some(latest) = self.list.last_mut() {
            latest.insert("allow_overlap".to_owned(), json!(true));
        }
        self
    }

    /// The operations, as requests contain them.
    pub fn into_list(self) -> Vec<Operation> {
        self.list.into_iter().map(|operation| Operation(Value::Object(operation))).collect()
    }

    /// A new changeset with these operations.
    pub fn changeset(self, title: Name) -> NewChangeset {
        NewChangeset {
            title: Some(title),
            reason: None,
            operations: Some(self.into_list()),
            undo: None,
            drift_policy: None,
        }
    }

    fn push(&mut self, operation: Map<String, Value>) -> &mut Map<String, Value> {
        self.list.push(operation);
        let latest = self.list.len() - 1;
        &mut self.list[latest]
    }

    /// A value with references instead of placeholders.
    fn with_references(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.names.get(&text) {
                Some(name) => json!({"$ref": name}),
                None => Value::String(text),
            },
            Value::Array(items) => items.into_iter().map(|item| self.with_references(item)).collect(),
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, value)| (name, self.with_references(value)));
                Value::Object(members.collect())
            }
            other => other,
        }
    }
}

/// A change of a record, in a list of operations.
#[derive(Debug)]
pub struct Update<'a>(&'a mut Map<String, Value>);

impl Update<'_> {
    /// The version that the record must have.
    pub fn if_version(self, version: i64) -> Self {
        self.0.insert("if_version".to_owned(), json!(version));
        self
    }
}

/// A deletion of a record, in a list of operations.
#[derive(Debug)]
pub struct Delete<'a>(&'a mut Map<String, Value>);

impl Delete<'_> {
    /// The version that the record must have.
    pub fn if_version(self, version: i64) -> Self {
        self.0.insert("if_version".to_owned(), json!(version));
        self
    }

    /// A record that refers to it, which is deleted before it. All of them have to be named.
    pub fn dependent<I: InChangeset>(self, id: I) -> Self {
        self.0.insert("dependents".to_owned(), json!("list"));
        let ids = self.0.entry("ids").or_insert_with(|| json!([]));
        if let Value::Array(ids) = ids {
            ids.push(json!(id.to_string()));
        }
        self
    }
}

fn operation<I: InChangeset>(
    verb: &str,
    members: impl IntoIterator<Item = (&'static str, Value)>,
) -> Map<String, Value> {
    let head = [("op", json!(verb)), ("resource", json!(I::RESOURCE.name()))];
    head.into_iter().chain(members).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The fields of a body.
fn fields(body: &impl Serialize) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::Request("the body is not an object".to_owned())),
        Err(error) => Err(Error::Request(format!("the body cannot be encoded: {error}"))),
    }
}

/// The body of a record of a team: in other requests, the path names the team.
fn of_team(team: TeamId, mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.insert("team_id".to_owned(), json!(team.to_string()));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use fieldhouse_domain::changesets::operations::read;
    use fieldhouse_domain::games::GameStatus;
    use fieldhouse_domain::roles::Role;
    use fieldhouse_domain::staff::StaffKind;

    fn id<I: Id>(number: u128) -> I {
        I::from_uuid(Uuid::from_u128(0x7000_8000_0000_0000_0000 + number))
    }

    fn values(operations: Operations) -> Vec<Value> {
        operations.into_list().into_iter().map(|operation| operation.0).collect()
    }

    #[test]
    fn later_operations_refer_to_created_records() {
        let mut operations = Operations::new();
        let name = |text: &str| text.parse::<Name>().expect("a name");
        let team = NewTeam::new(id(1), id(2), name("U12 Blue"));
        let blue = operations.create_team(&team).expect("a team");
        let red = operations.create_team(&NewTeam { name: name("U12 Red"), ..team }).expect("a team");
        let zone = "Australia/Melbourne".parse().expect("a zone");
        let start = "2026-03-07T09:00:00Z".parse().expect("a time");
        let mut game = NewGame::new(id(1), id(2), start, zone);
        (game.home_team_id, game.away_team_id) = (Some(blue.id()), Some(red.id()));
        operations.create_game(&game).expect("a game");
        operations.allow_overlap();
        let coach = NewStaff::new(id(7), StaffKind::Coach);
        operations.create_staff(blue.id(), &coach).expect("staff");
        let list = values(operations);
        read(&list).expect("operations that the server reads");
        assert_eq!(list[0]["ref"], "tea1");
        assert_eq!(list[2]["data"]["home_team_id"], json!({"$ref": "tea1"}));
        assert_eq!(list[2]["data"]["away_team_id"], json!({"$ref": "tea2"}));
        assert_eq!(list[2]["allow_overlap"], true);
        assert_eq!(list[3]["data"]["team_id"], json!({"$ref": "tea1"}));
        assert_eq!(list[2]["data"]["season_id"], json!(id::<SeasonId>(1)));
    }

    #[test]
    fn records_are_changed_deleted_and_tested() {
        let mut operations = Operations::new();
        let off = ChangeGame { status: Some(GameStatus::Postponed), ..ChangeGame::default() };
        operations.update(id::<GameId>(1), &off).expect("a change").if_version(12);
        let replace = json!({"op": "replace", "path": "/round", "value": "Round 2"});
        operations.patch(id::<GameId>(2), &[replace]).if_version(3);
        operations.update(id::<MemberId>(3), &ChangeRole { role: Role::Coach }).expect("a role");
        let deleted = operations.delete(id::<TeamId>(4)).if_version(1);
        deleted.dependent(id::<GameId>(5)).dependent(id::<StaffId>(6));
        operations.assert(id::<SeasonId>(7), &[("status", json!("active")), ("a/b", json!(1))]);
        let list = values(operations);
        read(&list).expect("operations that the server reads");
        assert_eq!(
            list[0],
            json!({"op": "update", "resource": "games", "id": id::<GameId>(1), "if_version": 12,
                "set": {"status": "postponed"}})
        );
        assert_eq!((&list[1]["patch"][0]["path"], &list[1]["if_version"]), (&json!("/round"), &json!(3)));
        assert_eq!(list[2]["set"], json!({"role": "coach"}));
        assert_eq!(list[3]["dependents"], "list");
        assert_eq!(list[3]["ids"], json!([id::<GameId>(5), id::<StaffId>(6)]));
        assert_eq!(list[4]["test"][1], json!({"op": "test", "path": "/a~1b", "value": 1}));
    }
}
