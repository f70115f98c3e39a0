//! Registrations of children in requests and responses.

use fieldhouse_domain::ids::{ChildId, DivisionId, RegistrationId, SeasonId, UserId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::ListQuery;

pub use fieldhouse_domain::registrations::{ChangeRegistration, NewRegistration, RegistrationStatus};

/// The query parameters of the list of registrations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct RegistrationListQuery {
    /// Only registrations with this status.
    pub status: Option<RegistrationStatus>,
    /// The page.
    #[body(flatten)]
    pub page: ListQuery,
}

/// A registration of a child for a season.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Registration {
    /// The id.
    pub id: RegistrationId,
    /// The child.
    pub child_id: ChildId,
    /// The name by which the child is known in its teams.
    pub display_name: String,
    /// The season.
    pub season_id: SeasonId,
    /// The division.
    pub division_id: Option<DivisionId>,
    /// The status.
    pub status: RegistrationStatus,
    /// Who applied.
    pub applied_by: Option<UserId>,
    /// Who accepted or withdrew it.
    pub decided_by: Option<UserId>,
    /// When it was accepted or withdrawn.
    pub decided_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}
