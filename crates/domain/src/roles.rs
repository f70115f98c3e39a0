//! Roles. Their ranks have gaps, and a minimum role is one comparison.

use std::fmt;
use std::str::FromStr;

use utoipa::openapi::{RefOr, Schema};

use crate::record::{At, Cell, CellKind, Column, Field, Input, Properties, Schemas};

/// A member's role in one organization. A higher role includes the permissions of lower ones, except those that come from a relation or a
/// duty.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// May see what the organization publishes to its members.
    Viewer = 10,
    /// Parents and athletes.
    Member = 20,
    /// Coaches and team staff.
    Coach = 30,
    /// Runs seasons, teams and games.
    Manager = 40,
    /// Runs the organization.
    Admin = 50,
    /// Is responsible for the organization.
    Owner = 60,
}

/// A string or number that is not a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a role: use one of viewer, member, coach, manager, admin, owner")]
pub struct UnknownRole;

impl Role {
    /// Every role, lowest first.
    pub const ALL: [Self; 6] =
        [Self::Viewer, Self::Member, Self::Coach, Self::Manager, Self::Admin, Self::Owner];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Coach => "coach",
            Self::Manager => "manager",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// The stored rank: 10 to 60.
    pub const fn rank(self) -> i64 {
        self as i64
    }

    /// The role with a stored rank.
    pub fn from_rank(rank: i64) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.rank() == rank).ok_or(UnknownRole)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;
    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or(UnknownRole)
    }
}

impl Column for Role {
    const KIND: CellKind = CellKind::Int;
    fn cell(&self) -> Cell<'_> {
        Cell::Int(self.rank())
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        Self::from_rank(cell.int()?).map_err(|error| error.to_string())
    }
}

impl Field for Role {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        at.one_of(input, &Self::ALL.map(Self::name))
    }
    fn schema() -> RefOr<Schema> {
        Properties::reference::<Self>()
    }
    fn schemas(schemas: &mut Schemas) {
        Properties::gather::<Self>(schemas);
    }
}
