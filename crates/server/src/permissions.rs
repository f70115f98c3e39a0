//! The permissions page: the operation table in words, for `docs/permissions.md`.

use std::fmt::Write as _;

use fieldhouse_api::Operation;
use fieldhouse_api::operations::Changeset;
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse};

/// Who may call what, as a table in Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Permissions\n\nGenerated from the table in `crates/api/src/operations.rs`; run `cargo xtask gen` after changing it.\n\n\
         A key never reaches beyond the role it was issued with, nor beyond its owner's role now. `POST /api/v1/api-keys` needs a\n\
         session that was signed in less than 15 minutes ago.\n\n\
         `writes` lists the records that an operation may write, besides those that follow from them: `any` of the organization, the\n\
         caller's `own`, or the `target` in the path.\n\n\
         | operation | method and path | credential | minimum role | API keys | scope | child data | changeset | writes |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for operation in Operation::ALL {
        let requirement = operation.requirement();
        let (credential, role) = match requirement.credential {
            Credential::Required(role) => ("required", role.name()),
            Credential::Optional(role) => ("optional", role.name()),
            Credential::Public => ("none", "-"),
        };
        let keys = match requirement.keys {
            _ if requirement.credential == Credential::Public => "-",
            KeyUse::Allowed => "allowed",
            KeyUse::Itself => "itself only",
            KeyUse::ProposeOnly => "propose only",
            KeyUse::SessionOnly => "session only",
            KeyUse::FreshSessionOnly => "fresh session only",
        };
        let child = match operation.child() {
            ChildTouch::Untouched => "-".to_owned(),
            ChildTouch::InPath(class, verb) => format!("{class:?} {verb}"),
        };
        let changeset = match operation.changeset() {
            Changeset::Never => "-",
            Changeset::Possible => "possible",
        };
        let writes = requirement.writes.iter().map(|(kind, reach)| format!("{kind} ({})", reach.name()));
        let writes = match writes.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "-".to_owned(),
            writes => writes,
        };
        let (id, method, path) = (operation.id(), operation.method().name(), operation.path());
        let scope = match keys {
            "allowed" | "propose only" => format!("`{}`", requirement.scope),
            _ => "-".to_owned(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "| `{id}` | `{method} {path}` | {credential} | {role} | {keys} | {scope} | {child} | {changeset} | {writes} |"
        );
    }
    page
}
