//! Identities of children: legal names and date of birth.

use jiff::Timestamp;
use jiff::civil::Date;

use super::sealed_class;
use crate::ids::{ChildId, ChildIdentityId, Id as _};
use crate::record::Record;
use crate::text::Name;

/// The identity of a child.
#[derive(Clone, PartialEq, Record)]
#[record(table = "child_identities", alias = "ci")]
pub struct ChildIdentity {
    /// The id: the child's UUID.
    #[field(server)]
    pub id: ChildIdentityId,
    /// The first name in documents.
    #[field(client, sealed)]
    pub legal_first_name: Option<Name>,
    /// The last name in documents.
    #[field(client, sealed)]
    pub legal_last_name: Option<Name>,
    /// The date of birth.
    #[field(client, sealed)]
    pub birth_date: Option<Date>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

sealed_class! { ChildIdentity ChildIdentityId { legal_first_name, legal_last_name, birth_date } }
