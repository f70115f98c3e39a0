//! Operations from a spreadsheet: one in each row. The heading names the fields.

use clap::ValueEnum;
use csv::ReaderBuilder;
use fieldhouse_domain::changesets::operations::{ChangeRole, Changeable};
use fieldhouse_domain::divisions::{ChangeDivision, NewDivision};
use fieldhouse_domain::games::{ChangeGame, NewGame};
use fieldhouse_domain::rosters::{ChangeRosterEntry, NewRosterEntry};
use fieldhouse_domain::seasons::{ChangeSeason, NewSeason};
use fieldhouse_domain::staff::{ChangeStaff, NewStaff};
use fieldhouse_domain::teams::{ChangeTeam, NewTeam};
use fieldhouse_domain::venues::{ChangeVenue, NewVenue};
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::fields::cell;

/// What the rows do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Op {
    /// Each row is a new record
    Create,
    /// Each row changes the record with its id
    Update,
    /// Each row deletes the record with its id
    Delete,
}

impl Op {
    const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    /// The columns that are members of the operation itself.
    const fn members(self) -> &'static [&'static str] {
        match self {
            Self::Create => &["ref"],
            Self::Update | Self::Delete => &["id", "if_version"],
        }
    }
}

/// Reads a table of operations. Empty cells are left out.
pub(super) fn read(text: &str, resource: Changeable, op: Op) -> Result<Vec<Value>, Failure> {
    let mut reader =
        ReaderBuilder::new().flexible(false).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let broken = |error: csv::Error| Failure::usage(format!("it is not CSV: {error}"));
    let heading: Vec<String> =
        reader.headers().map_err(broken)?.iter().map(|name| name.trim().to_owned()).collect();
    if op != Op::Create && !heading.iter().any(|name| name == "id") {
        let next = "the first line names the columns: id, if_version, and the fields to change";
        return Err(Failure::usage("the heading has no column id").next(next));
    }
    let mut operations = Vec::new();
    for (at, row) in reader.records().enumerate() {
        let row = row.map_err(broken)?;
        let line = row
            .position()
            .map_or_else(|| at + 2, |position| usize::try_from(position.line()).unwrap_or(at + 2));
        let cells = heading.iter().zip(row.iter().map(str::trim)).filter(|(_, cell)| !cell.is_empty());
        let operation = operation(cells, resource, op);
        operations.push(operation.map_err(|what| Failure::usage(format!("line {line}: {what}")))?);
    }
    if operations.is_empty() {
        return Err(Failure::usage("it has no rows below the heading"));
    }
    Ok(operations)
}

fn operation<'a>(
    cells: impl Iterator<Item = (&'a String, &'a str)>,
    resource: Changeable,
    op: Op,
) -> Result<Value, String> {
    let mut operation = Map::new();
    operation.insert("op".to_owned(), json!(op.name()));
    operation.insert("resource".to_owned(), json!(resource.name()));
    let mut fields = Map::new();
    for (name, text) in cells {
        match name.as_str() {
            "if_version" if op != Op::Create => {
                let version: i64 =
                    text.parse().map_err(|_| format!("if_version {text:?} is not a version"))?;
                operation.insert(name.clone(), json!(version));
            }
            member if op.members().contains(&member) => {
                operation.insert(name.clone(), json!(text));
            }
            "team_id"
                if op == Op::Create && matches!(resource, Changeable::RosterEntries | Changeable::Staff) =>
            {
                fields.insert(name.clone(), json!(text));
            }
            _ if op == Op::Delete => return Err(format!("{name} is no column of a deletion")),
            _ => {
                let value = value(resource, op, name, text);
                let value = value.ok_or_else(|| format!("{name} is no field that this can set"))?;
                fields.insert(name.clone(), value);
            }
        }
    }
    match op {
        Op::Create => operation.insert("data".to_owned(), Value::Object(fields)),
        Op::Update if fields.is_empty() => return Err("it changes nothing".to_owned()),
        Op::Update => operation.insert("set".to_owned(), Value::Object(fields)),
        Op::Delete => None,
    };
    Ok(Value::Object(operation))
}

/// The value of a cell, by the type of its field. `None` if the body has no such field.
fn value(resource: Changeable, op: Op, name: &str, text: &str) -> Option<Value> {
    let new = op == Op::Create;
    match resource {
        Changeable::Seasons if new => cell::<NewSeason>(name, text),
        Changeable::Seasons => cell::<ChangeSeason>(name, text),
        Changeable::Divisions if new => cell::<NewDivision>(name, text),
        Changeable::Divisions => cell::<ChangeDivision>(name, text),
        Changeable::Teams if new => cell::<NewTeam>(name, text),
        Changeable::Teams => cell::<ChangeTeam>(name, text),
        Changeable::Venues if new => cell::<NewVenue>(name, text),
        Changeable::Venues => cell::<ChangeVenue>(name, text),
        Changeable::Games if new => cell::<NewGame>(name, text),
        Changeable::Games => cell::<ChangeGame>(name, text),
        Changeable::RosterEntries if new => cell::<NewRosterEntry>(name, text),
        Changeable::RosterEntries => cell::<ChangeRosterEntry>(name, text),
        Changeable::Staff if new => cell::<NewStaff>(name, text),
        Changeable::Staff => cell::<ChangeStaff>(name, text),
        Changeable::Members if new => None,
        Changeable::Members => cell::<ChangeRole>(name, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str, op: Op) -> String {
        read(text, Changeable::Games, op).expect_err("a failure").what
    }

    #[test]
    fn each_row_is_an_operation_without_its_empty_cells() {
        let text = "id,if_version,status,home_score,time_tbd,round\n\
            gam_1,3,postponed,,,\ngam_2,,,7,true,\"Round 1, again\"\n";
        let expected = [
            json!({"op": "update", "resource": "games", "id": "gam_1", "if_version": 3, "set": {"status": "postponed"}}),
            json!({"op": "update", "resource": "games", "id": "gam_2",
                "set": {"home_score": 7, "time_tbd": true, "round": "Round 1, again"}}),
        ];
        assert_eq!(read(text, Changeable::Games, Op::Update).expect("operations"), expected);
        let deleted = read("id,if_version\ngam_1,2\n", Changeable::Games, Op::Delete).expect("operations");
        assert_eq!(deleted, [json!({"op": "delete", "resource": "games", "id": "gam_1", "if_version": 2})]);
        let text = "ref,name,time_zone,fields\nv1,Town Hall,UTC,\"[\"\"Court 1\"\"]\"\n";
        let created = read(text, Changeable::Venues, Op::Create).expect("operations");
        let data = json!({"name": "Town Hall", "time_zone": "UTC", "fields": ["Court 1"]});
        assert_eq!(created, [json!({"op": "create", "resource": "venues", "ref": "v1", "data": data})]);
        let staff = "team_id,user_id,kind\ntea_1,usr_1,coach\n";
        let created = read(staff, Changeable::Staff, Op::Create).expect("operations");
        assert_eq!(created[0]["data"]["team_id"], "tea_1");
    }

    #[test]
    fn errors_name_the_line_and_the_column() {
        assert_eq!(wrong("status\npostponed\n", Op::Update), "the heading has no column id");
        assert_eq!(
            wrong("id,weather\ngam_1,rain\n", Op::Update),
            "line 2: weather is no field that this can set"
        );
        assert_eq!(
            wrong("id,if_version\ngam_1,a\n", Op::Delete),
            "line 2: if_version \"a\" is not a version"
        );
        assert_eq!(wrong("id,status\ngam_1,\n", Op::Update), "line 2: it changes nothing");
        assert_eq!(wrong("id,status\ngam_1,over\n", Op::Delete), "line 2: status is no column of a deletion");
        assert_eq!(wrong("id\n", Op::Delete), "it has no rows below the heading");
        assert!(wrong("id,status\ngam_1\n", Op::Update).starts_with("it is not CSV"));
    }
}
