//! The SQL of a record's table. Every statement that writes contains every column, so that none can be left out.

use crate::declaration::Declaration;

/// The statements of one table, with parameters numbered from $1.
pub(crate) struct Statements {
    /// The columns of a SELECT list, in the order of the fields, with the table's alias.
    pub(crate) columns: String,
    /// Inserts a row: the organization if there is one, then the fields, then the derived columns.
    pub(crate) insert: String,
    /// Updates every column of a row that is at the version before. It has the same values in the same order.
    pub(crate) update: String,
    /// Deletes a row by the organization, the key and the version.
    pub(crate) delete: String,
    /// Reads a row by the organization and the key.
    pub(crate) read: String,
}

/// The statements of a table. `tenant` says whether its rows belong to an organization.
pub(crate) fn of(record: &Declaration, table: &str, tenant: bool) -> Statements {
    let org: &[&str] = if tenant { &["org_id"] } else { &[] };
    let fields: Vec<String> = record.fields.iter().map(|field| field.text()).collect();
    let derived = record.derived.iter().map(|(name, _)| name.to_string());
    let all: Vec<String> =
        org.iter().map(|name| (*name).to_owned()).chain(fields.iter().cloned()).chain(derived).collect();
    let key: Vec<&str> = org.iter().copied().chain(record.owner.as_deref()).chain(["id"]).collect();
    let marks: Vec<String> = (1..=all.len()).map(|number| format!("${number}")).collect();
    let numbered = || all.iter().zip(1..).map(|(name, number)| (name.as_str(), number));
    let sets: Vec<String> = numbered()
        .filter(|(name, _)| !key.contains(name))
        .map(|(name, number)| format!("{name} = ${number}"))
        .collect();
    let whose: Vec<String> = numbered()
        .filter(|(name, _)| key.contains(name))
        .map(|(name, number)| format!("{name} = ${number}"))
        .collect();
    let version = numbered().find(|(name, _)| *name == "version").map_or(0, |(_, number)| number);
    let by_key: Vec<String> =
        key.iter().zip(1..).map(|(name, number): (_, usize)| format!("{name} = ${number}")).collect();
    let alias = &record.alias;
    let columns: Vec<String> = fields.iter().map(|name| format!("{alias}.{name}")).collect();
    let columns = columns.join(", ");
    Statements {
        insert: format!("INSERT INTO {table} ({}) VALUES ({})", all.join(", "), marks.join(", ")),
        update: format!(
            "UPDATE {table} SET {} WHERE {} AND version = ${version} - 1",
            sets.join(", "),
            whose.join(" AND ")
        ),
        delete: format!(
            "DELETE FROM {table} WHERE {} AND version = ${}",
            by_key.join(" AND "),
            key.len() + 1
        ),
        read: format!("SELECT {columns} FROM {table} {alias} WHERE {}", by_key.join(" AND ")),
        columns,
    }
}
