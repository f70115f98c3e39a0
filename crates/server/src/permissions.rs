//! The permissions page, `docs/permissions.md`: the operation table in words.

use std::fmt::Write as _;

use fieldhouse_api::operations::rows;
use fieldhouse_api::rows::{Changeset, IfMatch, Kept, Row};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Relation};

/// Who may call what, as a Markdown table.
pub fn markdown() -> String {
    of(rows())
}

/// The page of some rows.
pub(crate) fn of(rows: &[Row]) -> String {
    let mut page = String::from(
        "# Permissions\n\nGenerated from the table in `crates/api/src/operations.rs`; run `cargo xtask gen` after changing it.\n\n\
         A key never has a higher role than the one it was issued with, or than its owner's role now. `POST /api/v1/api-keys` requires\n\
         a session whose user signed in less than 15 minutes ago. The credential `operator` is a token that `fieldhouse` signs with the\n\
         key ring on the server's own machine; every other credential gets 401, and every other machine 404.\n\n\
         `If-Match` is optional or required on PATCH and DELETE. `changeset` says whether a changeset may contain the operation; `as one`, that\n\
         `as_changeset=true` proposes the whole request, for which a key needs `changesets:propose`. `from memory` says whether a response may be\n\
         one that was sent to the same caller before, if nothing of the organization has been written since and time has changed nothing in it;\n\
         `without relations` means only for callers who never had a relation to a child. On PostgreSQL such responses are read each time.\n\
         `writes` lists the kinds of record that an operation may write: `any` record of the organization, the caller's `own`, or the\n\
         `target` in the path. Changes that follow from these, such as the end of a removed member's sessions, are not listed.\n\n\
         | operation | method and path | credential | minimum role | API keys | scope | child data | If-Match | changeset | from memory | writes |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let requirement = row.requirement;
        let (credential, role) = match requirement.credential {
            Credential::Required(role) => ("required", role.name()),
            Credential::Optional(role) => ("optional", role.name()),
            Credential::Public => ("none", "-"),
            Credential::Operator => ("operator", "-"),
        };
        let keys = match requirement.keys {
            _ if matches!(requirement.credential, Credential::Public | Credential::Operator) => "-",
            KeyUse::Allowed => "allowed",
            KeyUse::Itself => "itself only",
            KeyUse::ProposeOnly => "propose only",
            KeyUse::SessionOnly => "session only",
            KeyUse::FreshSessionOnly => "fresh session only",
        };
        let child = match row.requirement.child {
            ChildTouch::Untouched => "-".to_owned(),
            ChildTouch::Created => "creates one".to_owned(),
            ChildTouch::Listed { class } => format!("{class} read of those related"),
            ChildTouch::Images => "images to those related".to_owned(),
            ChildTouch::InPath { class, verb, parameter } => format!("{class} {verb} of `{{{parameter}}}`"),
            ChildTouch::InPathUnless { class, verb, parameter, unless } => {
                format!("{class} {verb} of `{{{parameter}}}`, or {unless}")
            }
            ChildTouch::AllOfLink => "all classes open to the person of the link".to_owned(),
            ChildTouch::OfRecord { class, verb } => format!("{class} {verb} of the record's child"),
            ChildTouch::IfNamed { class, verb } => format!("{class} {verb} of the child, if it is about one"),
            ChildTouch::InBody { class, verb } => format!("{class} {verb} of the child in the body"),
        };
        let if_match = match row.if_match {
            IfMatch::None => "-",
            IfMatch::Honoured => "optional",
            IfMatch::Required => "required",
        };
        let changeset = match row.changeset {
            Changeset::Never => "-",
            Changeset::Possible => "possible",
            Changeset::AsOne => "as one",
        };
        let role = match requirement.relation {
            Relation::Unrelated => role.to_owned(),
            Relation::StaffOfGame { parameter, unless } => {
                format!("{role} who is staff of a team of `{{{parameter}}}`, or {unless}")
            }
            Relation::OnDuty { kind, unless: None } => format!("{role} with the duty {kind}"),
            Relation::OnDuty { kind, unless: Some(unless) } => {
                format!("{role} with the duty {kind}, or {unless}")
            }
        };
        let writes = requirement.writes.iter().map(|(kind, reach)| format!("{kind} ({})", reach.name()));
        let writes = match writes.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "-".to_owned(),
            writes => writes,
        };
        let (id, method, path) = (row.id, row.method.name(), row.path);
        let scope = match keys {
            "allowed" | "propose only" => format!("`{}`", requirement.scope),
            _ => "-".to_owned(),
        };
        let kept = match row.kept {
            Kept::None => "-",
            Kept::All => "yes",
            Kept::Unrelated => "without relations",
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "| `{id}` | `{method} {path}` | {credential} | {role} | {keys} | {scope} | {child} | {if_match} | {changeset} | {kept} | {writes} |"
        );
    }
    page
}
