//! Scopes, which limit what an API key may do.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};

use crate::record::{At, Field, Input, enumeration};
use crate::text::InvalidValue;

enumeration! {
    /// What a scope or an operation is about.
    Resource {
        /// API keys.
        ApiKeys "api_keys",
        /// The audit log.
        Audit "audit",
        /// Sign-in and sessions.
        Auth "auth",
        /// The college catalogue.
        Colleges "colleges",
        /// Saved college programs.
        Favorites "favorites",
        /// Games.
        Games "games",
        /// Imports of leagues.
        Imports "imports",
        /// Members of the organization.
        Members "members",
        /// The organization itself.
        Organization "organization",
        /// The caller's own profile.
        Profile "profile",
        /// Seasons.
        Seasons "seasons",
        /// The service itself: documents and health.
        Service "service",
    }
}

enumeration! {
    /// What a scope permits. Writing includes reading.
    Verb {
        /// Reading.
        Read "read",
        /// Reading and writing.
        Write "write",
    }
}

/// One scope, written `resource:verb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// What it is about.
    pub resource: Resource,
    /// What it permits.
    pub verb: Verb,
}

impl Scope {
    /// Whether a key with this scope may do what requires `needed`.
    pub fn covers(self, needed: Self) -> bool {
        self.resource == needed.resource && self.verb >= needed.verb
    }

    /// Parses `resource:verb`.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl FromStr for Scope {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        text.split_once(':')
            .and_then(|(resource, verb)| {
                Some(Self { resource: resource.parse().ok()?, verb: verb.parse().ok()? })
            })
            .ok_or_else(|| {
                let names: Vec<_> = Resource::ALL.iter().map(|resource| resource.name()).collect();
                let fix = format!(
                    "Send resource:read or resource:write, where resource is one of: {}.",
                    names.join(", ")
                );
                InvalidValue::new("unknown_scope", "is not a scope", fix)
            })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.resource, self.verb)
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Field for Scope {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let text = at.text(input)?;
        at.parsed(Self::parse(text))
    }
    fn schema() -> RefOr<Schema> {
        let pattern = "^[a-z_]+:(read|write)$";
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
    }
}
