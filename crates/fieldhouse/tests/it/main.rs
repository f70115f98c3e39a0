//! Tests of the command-line tool: its output, its exit codes, and its requests to a stub server.

#![expect(clippy::needless_raw_string_hashes, reason = "snapbox writes its snapshots so")]

#[path = "../../../client/tests/support/mod.rs"]
mod support;

mod api;
mod api_keys;
mod break_glass;
mod cases;
mod changesets;
mod child_exports;
mod children;
mod colleges;
mod contexts;
mod duties;
mod help;
mod hints;
mod league;
mod output;
mod people;
mod privacy_requests;
mod records;
mod registrations;
mod relations;
mod rosters;
mod schedule;
mod sign_in;
#[cfg(unix)]
mod terminal;
mod usage;
mod venues;

use serde_json::{Value, json};
use snapbox::cmd::{Command, cargo_bin};
use support::{Reply, Seen, Stub};
use tempfile::TempDir;

/// A user at a command line: their home folder, and a server.
struct Person {
    home: TempDir,
    stub: Stub,
}

impl Person {
    /// A user whose server responds like this.
    fn new(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self { home: tempfile::tempdir().expect("a home"), stub: Stub::new(answer) }
    }

    /// A command as typed; its words are separated by spaces.
    fn types(&self, words: &str) -> Command {
        let home = self.home.path().to_str().expect("a path");
        fieldhouse(words).env("XDG_CONFIG_HOME", home).env("FIELDHOUSE_URL", self.stub.url())
    }

    /// The same with an API key in the environment.
    fn types_with_key(&self, words: &str) -> Command {
        self.types(words).env("FIELDHOUSE_API_KEY", "fhk_env")
    }

    /// The requests that the server received.
    fn calls(&self) -> Vec<String> {
        self.stub.seen().into_iter().map(|seen| seen.call).collect()
    }
}

/// The tool, independent of the environment of the tests.
fn fieldhouse(words: &str) -> Command {
    Command::new(cargo_bin!("fieldhouse")).env_clear().env("TZ", "UTC").args(words.split_whitespace())
}

/// The response to signing in and refreshing.
fn tokens(generation: u32) -> Reply {
    Reply::json(
        200,
        &json!({"data": {
            "access_token": format!("access-{generation}"), "token_type": "Bearer", "expires_in": 600,
            "refresh_token": format!("refresh-{generation}"), "session_expires_at": "2026-02-01T00:00:00Z",
            "session_id": "ses_01h2xcejqtf2nbrexx3vqjhp41", "role": "owner",
            "organization": {"id": "org_01h2xcejqtf2nbrexx3vqjhp41", "name": "Coburg Basketball", "slug": "coburg"},
        }}),
    )
}

/// A profile.
fn profile() -> Value {
    json!({"data": {
        "id": "usr_01h2xcejqtf2nbrexx3vqjhp41", "email": "olga@coburg.test", "name": "Olga", "locale": null,
        "time_zone": null, "role": "owner", "memberships": [], "children": [], "teams": [], "duties": [], "version": 1,
        "organization": {"id": "org_01h2xcejqtf2nbrexx3vqjhp41", "name": "Coburg Basketball", "slug": "coburg"},
        "auth": {"method": "api_key", "key_id": "key_01h2xcejqtf2nbrexx3vqjhp41", "session_id": null,
            "scopes": ["seasons:read"], "expires_at": "2026-04-01T00:00:00Z"},
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
    }})
}

/// The organization.
fn organization() -> Reply {
    Reply::json(
        200,
        &json!({"data": {
            "id": "org_01h2xcejqtf2nbrexx3vqjhp41", "name": "Coburg Basketball", "slug": "coburg", "country": "AU",
            "time_zone": "Australia/Melbourne", "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z", "version": 1,
        }}),
    )
}

/// A list of records, complete unless there is a cursor.
fn list(data: &Value, next_cursor: Option<&str>) -> Reply {
    let page = json!({"limit": 25, "has_more": next_cursor.is_some(), "next_cursor": next_cursor});
    Reply::json(200, &json!({"data": data, "page": page}))
}
