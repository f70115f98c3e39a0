//! Scopes, which limit what an API key may do.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};

use crate::record::{At, Field, Input, enumeration};
use crate::text::InvalidValue;

enumeration! {
    /// What a scope or an operation is about; also the groups of operations in the OpenAPI document, in reading order: the subject of the API
    /// first, then credentials, and the service's own documents last.
    Resource {
        /// Seasons of one sport, with their divisions.
        Seasons "seasons",
        /// Teams of a season.
        Teams "teams",
        /// The places where games are played.
        Venues "venues",
        /// Games and byes.
        Games "games",
        /// Children, and what opens their data.
        Children "children",
        /// Changes that are simulated, reviewed, approved, executed once, and undone.
        Changesets "changesets",
        /// Imports of league files that other products exported.
        Imports "imports",
        /// Exports of a whole organization.
        Exports "exports",
        /// College programs that the caller, a guest or a child's family has saved.
        Favorites "favorites",
        /// The catalogue of US colleges and their programs. Open to everyone.
        Colleges "colleges",
        /// The caller: who they are and what they belong to.
        Profile "profile",
        /// The caller's organization.
        Organization "organization",
        /// The members of the organization and their roles.
        Members "members",
        /// Who changed what, when and why.
        Audit "audit",
        /// Sign-in, sessions and passwords.
        Auth "auth",
        /// Credentials for scripts, servers and agents.
        ApiKeys "api_keys",
        /// What the operator of the server does from its own machine, through the command-line tool: organizations, the college catalogue,
        /// messages. Not for clients.
        Operator "operator",
        /// The service itself: documents, public keys, health.
        Service "service",
    }
}

impl Resource {
    /// Whether a caller's own cache may store the responses. Nothing about a person or a credential may be stored.
    pub const fn is_cacheable(self) -> bool {
        matches!(self, Self::Seasons | Self::Teams | Self::Venues | Self::Games | Self::Colleges)
    }
}

enumeration! {
    /// What a scope permits. Writing includes reading, and so does proposing; writing does not include proposing.
    Verb {
        /// Reading.
        Read "read",
        /// Reading and writing.
        Write "write",
        /// Reading, and proposing changes that people decide about.
        Propose "propose",
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

/// The scope for reading children's data.
pub const READS_CHILDREN: Scope = Scope { resource: Resource::Children, verb: Verb::Read };

impl Scope {
    /// Whether a key with this scope may do what requires `needed`.
    pub fn covers(self, needed: Self) -> bool {
        self.resource == needed.resource && (self.verb == needed.verb || needed.verb == Verb::Read)
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
                    "Send resource:read or resource:write, where resource is one of: {}; or changesets:propose.",
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
        let pattern = "^[a-z_]+:(read|write|propose)$";
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
    }
}
