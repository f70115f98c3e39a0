//! The fields that `--json` can select. They come from the response of the command's operation in the operation table, so that a new
//! command needs no line here if its name is the operation's: `seasons list` is `seasons.list`.

use fieldhouse_client::api::{Operation, Row};
use serde_json::{Map, Value, json};

/// Commands that have another name than their operation.
const OPERATIONS: &[(&str, &str)] = &[
    ("whoami", "profile.me"),
    ("standings", "seasons.standings"),
    ("colleges programs", "programs.search"),
    ("colleges favorites add", "favorites.save"),
    ("changesets new", "changesets.create"),
    ("changesets watch", "changesets.read"),
    ("undo", "changesets.undo"),
    ("users reset-password", "operator.users.password_reset"),
    ("admin mail list", "operator.mail.list"),
    ("admin mail show", "operator.mail.read"),
    ("organizations list", "operator.organizations.list"),
    ("organizations create", "operator.organizations.create"),
    ("organizations suspend", "operator.organizations.change"),
    ("organizations resume", "operator.organizations.change"),
];

const CONTEXT: &[&str] = &["name", "current", "base_url", "organization", "method", "session_expires_at"];
const ARCHIVE: &[&str] = &["members", "seasons", "divisions", "teams", "venues", "games", "staff"];
/// Commands that print what no operation returns.
const OTHERS: &[(&str, &[&str])] = &[
    ("login", &["base_url", "context", "method", "email", "organization", "role"]),
    ("logout", &["base_url", "signed_out"]),
    ("context list", CONTEXT),
    ("context use", CONTEXT),
    ("context show", CONTEXT),
    ("context remove", CONTEXT),
    (
        "import formats",
        &[
            "format",
            "title",
            "columns",
            "optional_columns",
            "date_order",
            "sport",
            "names_season",
            "names_division",
            "rules",
        ],
    ),
    ("retention", &["data", "description", "days", "since"]),
    ("export organization", ARCHIVE),
    ("import organization", ARCHIVE),
    ("children export", &["relations", "consents", "registrations", "roster", "access_log"]),
    ("admin audit verify", &["intact", "entries", "cleared_effects"]),
];

/// Whether a command prints records of a known form. Unlike [`of`] it does not build their schemas.
pub(crate) fn are_known(command: &str) -> bool {
    OTHERS.iter().any(|(name, _)| *name == command) || operation(command).is_some()
}

/// The fields of the records that a command prints. `None` if it prints no records of a known form.
pub(crate) fn of(command: &str) -> Option<Vec<String>> {
    let others = OTHERS.iter().find(|(name, _)| *name == command);
    others
        .map(|(_, fields)| fields.iter().map(|field| (*field).to_owned()).collect())
        .or_else(|| Some(record(operation(command)?)))
        .filter(|fields: &Vec<String>| !fields.is_empty())
}

/// The operation of a command. Groups of the tool that the API does not have are left out: `admin api-keys list` is `api_keys.list`.
pub(crate) fn operation(command: &str) -> Option<&'static Row> {
    let other = OPERATIONS.iter().find(|(name, _)| *name == command).map(|(_, id)| (*id).to_owned());
    let id = other.unwrap_or_else(|| match command.strip_suffix(" show") {
        Some(group) => format!("{group}.read"),
        None => command.to_owned(),
    });
    let id = id.replace(' ', ".").replace('-', "_");
    let rows = Operation::ROUTES.iter().filter_map(|operation| operation.row());
    let mut rows = rows.filter(|row| row.id.contains('.'));
    rows.find(|row| id.strip_suffix(row.id).is_some_and(|groups| groups.is_empty() || groups.ends_with('.')))
}

/// The fields of the record, or of each record of the list, that an operation returns.
fn record(row: &Row) -> Vec<String> {
    let mut named = Vec::new();
    (row.answer.schemas)(&mut named);
    let named: Map<String, Value> = named.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    let body = (row.answer.schema)().map(|schema| json!(schema)).unwrap_or_default();
    let body = resolved(&body, &named).clone();
    let data = &body["properties"]["data"];
    let mut fields = Vec::new();
    collect(if data.is_null() { &body } else { data }, &named, &mut fields);
    fields
}

/// The names of a schema's properties, with those of the schemas that it consists of.
fn collect(schema: &Value, named: &Map<String, Value>, fields: &mut Vec<String>) {
    let schema = resolved(schema, named);
    if schema["items"].is_object() {
        return collect(&schema["items"], named, fields);
    }
    let parts = ["allOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten();
    parts.for_each(|part| collect(part, named, fields));
    for name in schema["properties"].as_object().into_iter().flat_map(Map::keys) {
        if !fields.contains(name) {
            fields.push(name.clone());
        }
    }
}

fn resolved<'a>(schema: &'a Value, named: &'a Map<String, Value>) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    name.and_then(|name| named.get(name)).unwrap_or(schema)
}

/// The value with only these fields: of each record of a list, or of the one record. Absent fields are null.
pub(crate) fn select(value: Value, fields: &[String]) -> Value {
    match value {
        Value::Array(records) => records.into_iter().map(|record| select(record, fields)).collect(),
        Value::Object(mut record) => {
            let picked = fields.iter().map(|name| (name.clone(), record.remove(name).unwrap_or(Value::Null)));
            Value::Object(picked.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_those_of_the_operations_record() {
        let starts = |command: &str| of(command).map(|fields| fields[..2].join(","));
        assert_eq!(starts("seasons list").as_deref(), Some("id,name"));
        assert_eq!(starts("seasons show").as_deref(), Some("id,name"));
        assert_eq!(starts("venues delete").as_deref(), Some("id,deleted"));
        assert_eq!(starts("admin api-keys list").as_deref(), Some("id,name"));
        assert_eq!(starts("colleges favorites list").as_deref(), Some("id,program"));
        assert_eq!(of("serve"), None);
        let created = of("admin api-keys create").expect("fields");
        assert!(created.contains(&"key".to_owned()) && created.contains(&"expires_at".to_owned()));
    }

    #[test]
    fn fields_are_selected_in_the_order_given() {
        let fields = ["b".to_owned(), "c".to_owned()];
        let selected = select(json!([{"a": 1, "b": 2}]), &fields);
        assert_eq!(selected.to_string(), r#"[{"b":2,"c":null}]"#);
    }

    /// Commands that print the counts of an import, or the response of any operation.
    const WITHOUT_FIELDS: &[&str] = &["import league", "import colleges", "api"];

    fn check(command: &clap::Command, name: &str) {
        for below in command.get_subcommands() {
            check(below, format!("{name} {}", below.get_name()).trim_start());
        }
        let shows = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id && !arg.is_hide_set());
        if !command.has_subcommands() && shows("output") && !WITHOUT_FIELDS.contains(&name) {
            let advice = "name the command as its operation, or add it to OPERATIONS or OTHERS";
            assert!(of(name).is_some(), "{name} has no fields for --json: {advice}");
        }
    }

    #[test]
    fn every_command_that_prints_records_has_fields() {
        check(&crate::commands::command(), "");
    }
}
