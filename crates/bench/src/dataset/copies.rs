//! Copies of the template in SQL: every row with another organization and other names.
//!
//! Most ids stay the same, because they are unique in an organization only. What is unique in the whole database gets another value: the
//! organization's id and slug, users with their addresses, and API keys. Copies have no history before their head of the ledger.

use anyhow::{Context, Result};
use fieldhouse_domain::ids::Id;
use fieldhouse_server::KeyRing;
use fieldhouse_server::key_ring::Purpose;
use indicatif::{ProgressBar, ProgressStyle};

use super::Size;
use super::database::Connection;
use super::template::{LABEL, Template};
use crate::identities::{END, Identity, MEASURED, key_id, label, measured, organization_id, people};

/// The number of organizations or people in one transaction.
const BATCH: u32 = 1_000;
/// The tables of all organizations, in the order of their references, with the column of the organization.
const OF_ALL: [(&str, &str); 4] =
    [("orgs", "id"), ("seasons", "org_id"), ("divisions", "org_id"), ("ledger_heads", "org_id")];
/// The tables that only measured organizations have.
const OF_MEASURED: [(&str, &str); 3] = [("venues", "org_id"), ("teams", "org_id"), ("games", "org_id")];
/// The columns whose text has the template's label.
const LABELLED: [&str; 11] = [
    "name",
    "name_folded",
    "slug",
    "email",
    "email_folded",
    "listed_folded",
    "divisions",
    "shown",
    "home_name",
    "away_name",
    "venue_name",
];

/// Makes all copies.
pub(super) async fn make(
    connection: &mut Connection,
    ring: &KeyRing,
    template: &Template,
    size: Size,
) -> Result<()> {
    let organizations = size.organizations();
    connection
        .run("CREATE TEMP TABLE copies (n BIGINT PRIMARY KEY, id {uuid} NOT NULL, label TEXT NOT NULL)")
        .await?;
    connection
        .run(
            "CREATE TEMP TABLE people (template {uuid}, org_id {uuid}, id {uuid}, session_id {uuid}, key_id {uuid},
            label TEXT, public_id TEXT, last4 TEXT, digest {bytes}, pepper_id TEXT)",
        )
        .await?;
    let progress = ProgressBar::new(u64::from(organizations));
    progress.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} organizations ({elapsed})")?);
    let all: Vec<u32> = (1..=organizations).collect();
    for numbers in all.chunks(BATCH as usize) {
        copy_organizations(connection, template, numbers, &OF_ALL).await?;
        progress.inc(numbers.len() as u64);
    }
    progress.finish();
    let numbers: Vec<u32> = measured(organizations).collect();
    debug_assert!(numbers.len() <= MEASURED as usize, "only those have users");
    for numbers in numbers.chunks(BATCH as usize) {
        copy_organizations(connection, template, numbers, &OF_MEASURED).await?;
    }
    let people: Vec<(u32, u32)> = people(organizations).collect();
    for people in people.chunks(BATCH as usize) {
        copy_people(connection, ring, template, people).await?;
    }
    extend_own(connection, ring, template).await
}

/// Copies the rows of some tables to some organizations.
async fn copy_organizations(
    connection: &mut Connection,
    template: &Template,
    numbers: &[u32],
    tables: &[(&str, &str)],
) -> Result<()> {
    let rows: Vec<String> = numbers
        .iter()
        .map(|n| format!("({n}, {}, '{}')", connection.uuid(organization_id(*n).uuid()), label(*n)))
        .collect();
    connection.run("BEGIN").await?;
    connection.run(&format!("DELETE FROM copies; INSERT INTO copies VALUES {}", rows.join(", "))).await?;
    let own = connection.uuid(template.organization);
    for (table, organization) in tables {
        let given = [(*organization, "c.id")];
        let from = format!("copies c CROSS JOIN {table} s WHERE s.{organization} = {own} ORDER BY c.n");
        copy(connection, table, &given, "c.label", &from).await?;
    }
    connection.run("COMMIT").await
}

/// Copies users, memberships, sessions and keys.
async fn copy_people(
    connection: &mut Connection,
    ring: &KeyRing,
    template: &Template,
    people: &[(u32, u32)],
) -> Result<()> {
    let mut rows = Vec::new();
    for (number, person) in people {
        let identity = Identity::of(*number, *person);
        let model = template.people.get(*person as usize).context("the template has such a person")?;
        let ids = [model.uuid(), identity.organization.uuid(), identity.user.uuid(), identity.session.uuid()];
        let ids: Vec<String> = ids.iter().map(|id| connection.uuid(*id)).collect();
        let key = key_columns(connection, ring, identity)?;
        rows.push(format!("({}, {}, '{}', {})", ids.join(", "), key[0], label(*number), key[1..].join(", ")));
    }
    let own = connection.uuid(template.organization);
    connection.run("BEGIN").await?;
    connection.run(&format!("DELETE FROM people; INSERT INTO people VALUES {}", rows.join(", "))).await?;
    let of_user = format!("people p CROSS JOIN {{}} s WHERE s.org_id = {own} AND s.user_id = p.template");
    let end = END.to_string();
    let from = "people p CROSS JOIN users s WHERE s.id = p.template";
    copy(connection, "users", &[("id", "p.id")], "p.label", from).await?;
    let member = [("org_id", "p.org_id"), ("user_id", "p.id")];
    copy(connection, "members", &member, "p.label", &of_user.replace("{}", "members")).await?;
    let session =
        [("org_id", "p.org_id"), ("user_id", "p.id"), ("id", "p.session_id"), ("expires_at", &*end)];
    copy(connection, "sessions", &session, "p.label", &of_user.replace("{}", "sessions")).await?;
    let key = [
        ("org_id", "p.org_id"),
        ("user_id", "p.id"),
        ("id", "p.key_id"),
        ("public_id", "p.public_id"),
        ("last4", "p.last4"),
        ("digest", "p.digest"),
        ("pepper_id", "p.pepper_id"),
        ("expires_at", &end),
    ];
    copy(connection, "api_keys", &key, "p.label", &of_user.replace("{}", "api_keys")).await?;
    connection.run("COMMIT").await
}

/// Gives the people who are not copied keys that the server accepts, and sessions that do not end.
async fn extend_own(connection: &mut Connection, ring: &KeyRing, template: &Template) -> Result<()> {
    connection.run(&format!("UPDATE sessions SET expires_at = {END}")).await?;
    for identity in [template.guardian, template.coach, template.writer] {
        let [id, public_id, last4, digest, pepper] = key_columns(connection, ring, identity)?;
        let (organization, user) =
            (connection.uuid(identity.organization.uuid()), connection.uuid(identity.user.uuid()));
        connection
            .run(&format!(
                "UPDATE api_keys SET id = {id}, public_id = {public_id}, last4 = {last4}, digest = {digest},
                pepper_id = {pepper}, expires_at = {END} WHERE org_id = {organization} AND user_id = {user}"
            ))
            .await?;
    }
    Ok(())
}

/// The id, public id, last letters, digest and pepper of a person's key, as SQL.
fn key_columns(connection: &Connection, ring: &KeyRing, identity: Identity) -> Result<[String; 5]> {
    let text = identity.key();
    let mut macs = ring.macs(Purpose::ApiKeyPepper, text.reveal().as_bytes());
    let (pepper, digest) = macs.next().context("the key ring has a pepper")?;
    let quoted = |text: &str| format!("'{text}'");
    Ok([
        connection.uuid(key_id(identity.key)),
        quoted(text.public_id()),
        quoted(text.last4()),
        connection.bytes(&digest),
        quoted(pepper),
    ])
}

/// Copies rows of a table. `given` are the columns with other values, `label` the text that replaces the template's label in names.
async fn copy(
    connection: &mut Connection,
    table: &str,
    given: &[(&str, &str)],
    label: &str,
    from: &str,
) -> Result<()> {
    let columns = connection.columns(table).await?;
    let value = |column: &String| match given.iter().find(|(known, _)| known == column) {
        Some((_, value)) => (*value).to_owned(),
        None if LABELLED.contains(&column.as_str()) => format!("replace(s.{column}, '{LABEL}', {label})"),
        None => format!("s.{column}"),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    let (columns, values) = (columns.join(", "), values.join(", "));
    connection.run(&format!("INSERT INTO {table} ({columns}) SELECT {values} FROM {from}")).await
}
