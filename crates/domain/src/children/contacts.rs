//! Contacts of children: addresses, telephone numbers and the people to call in an emergency.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::openapi::{RefOr, Schema};

use super::sealed_class;
use crate::ids::{ChildContactId, ChildId, Id as _};
use crate::record::{At, Body, Cell, CellKind, Column, Field, Input, Record, Schemas};
use crate::text::{Address, Email, Name, Phone};

/// How to reach a child's family.
#[derive(Clone, PartialEq, Record)]
#[record(table = "child_contacts", alias = "cc")]
pub struct ChildContact {
    /// The id: the child's UUID.
    #[field(server)]
    pub id: ChildContactId,
    /// E-mail addresses of the family, at most 5.
    #[field(client, sealed, max = 5)]
    pub emails: Vec<Email>,
    /// Telephone numbers of the family, at most 5.
    #[field(client, sealed, max = 5)]
    pub phones: Vec<Phone>,
    /// The postal address.
    #[field(client, sealed)]
    pub address: Option<Address>,
    /// The people to call in an emergency, in this order, at most 5.
    #[field(client, sealed, max = 5)]
    pub emergency_contacts: EmergencyContacts,
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

sealed_class! { ChildContact ChildContactId { emails, phones, address, emergency_contacts } }

/// Someone to call in an emergency.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, Body)]
#[body(title = "EmergencyContact")]
pub struct EmergencyContact {
    /// The name.
    pub name: Name,
    /// The telephone number.
    pub phone: Phone,
    /// Who they are to the child, such as an aunt.
    pub relationship: Option<Name>,
}

/// The people to call in an emergency, in this order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EmergencyContacts(pub Vec<EmergencyContact>);

/// Stored as JSON.
impl Column for EmergencyContacts {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Owned(crate::rendered::json(self)))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        let json = serde_json::from_str(cell.text()?).map_err(|error| error.to_string())?;
        let mut read = Self::default();
        // The reason is not passed on, because it could quote the text.
        crate::record::restore(&mut read, &json).map_err(|_| "is not a list of contacts".to_owned())?;
        Ok(read)
    }
}

impl Field for EmergencyContacts {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        Field::read(input, at).map(Self)
    }
    fn schema() -> RefOr<Schema> {
        Vec::<EmergencyContact>::schema()
    }
    fn schemas(schemas: &mut Schemas) {
        Vec::<EmergencyContact>::schemas(schemas);
    }
    fn measure(&self) -> Option<f64> {
        self.0.measure()
    }
    fn is_list(&self) -> bool {
        true
    }
}
