//! Sealed columns: each has a cell, sealed for its record and field.

use std::borrow::Cow;
use std::result::Result;

use fieldhouse_domain::record::{Bytes, Cell, Cells, Column, Record};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{ChildKey, Place, SealError};
use crate::error::Error;
use crate::row::Row;

/// The column that names the child whom a record is about, unless the record has the UUID of the child.
pub(crate) const CHILD: &str = "child_id";

/// Whether a record has a column that names its child. A child has several such records.
pub(crate) const fn names_its_child<R: Record>() -> bool {
    let mut at = 0;
    while at < R::FIELDS.len() {
        if is_equal(R::FIELDS[at], CHILD) {
            return true;
        }
        at += 1;
    }
    false
}

/// The position of the column with the UUID of the child.
pub(crate) fn child_at<R: Record>() -> usize {
    R::FIELDS.iter().position(|field| *field == CHILD).unwrap_or_default()
}

const fn is_equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// The place of a sealed field. Sealed data of one of a child's records does not open in another one.
fn place<R: Record>(field: &'static str, id: Uuid) -> Place<'static> {
    if names_its_child::<R>() { Place::FieldOf(R::KIND, field, id) } else { Place::Field(R::KIND, field) }
}

/// Seals the fields of a record that are stored sealed. `cells` has its columns in the order of its fields, the id first.
pub(crate) fn seal_all<R: Record>(key: &ChildKey, cells: &mut [Cell<'_>]) -> Result<(), SealError> {
    let Some(Cell::Uuid(id)) = cells.first() else { return Err(SealError::Damaged) };
    let id = *id;
    for (field, cell) in R::FIELDS.iter().zip(cells).filter(|(field, _)| R::SEALED.contains(field)) {
        let sealed = key.seal(place::<R>(field, id), &encoded(cell))?;
        *cell = Cell::Bytes(Cow::Owned(sealed));
    }
    Ok(())
}

/// A record's columns, some of which are sealed. It opens these on the way.
pub(crate) struct Opening<'r, 'a, R> {
    row: &'r mut Row<'a>,
    key: ChildKey,
    id: Uuid,
    record: std::marker::PhantomData<fn() -> R>,
}

impl<'r, 'a, R: Record> Opening<'r, 'a, R> {
    pub(crate) fn new(row: &'r mut Row<'a>, key: ChildKey, id: Uuid) -> Self {
        Self { row, key, id, record: std::marker::PhantomData }
    }
}

impl<R: Record> Cells for Opening<'_, '_, R> {
    type Error = Error;
    fn next<C: Column>(&mut self, name: &'static str) -> Result<C, Error> {
        if !R::SEALED.contains(&name) {
            return Cells::next(self.row, name);
        }
        let sealed: Bytes = Cells::next(self.row, name)?;
        let plain = self.key.open(place::<R>(name, self.id), &sealed.0);
        // The reason of a column that cannot be read is not passed on, because it could quote the data.
        let read = plain.and_then(|plain| C::from_cell(decoded(&plain)?).map_err(|_| SealError::Damaged));
        read.map_err(|error| self.row.unsealed(name, error))
    }
}

/// A cell as bytes: its type, then its value.
fn encoded(cell: &Cell<'_>) -> Zeroizing<Vec<u8>> {
    let (tag, value): (u8, Cow<'_, [u8]>) = match cell {
        Cell::Null => (0, Cow::Borrowed(&[])),
        Cell::Bool(value) => (1, Cow::Owned(vec![u8::from(*value)])),
        Cell::Int(value) => (2, Cow::Owned(value.to_be_bytes().to_vec())),
        Cell::Real(value) => (3, Cow::Owned(value.to_be_bytes().to_vec())),
        Cell::Text(text) => (4, Cow::Borrowed(text.as_bytes())),
        Cell::Bytes(bytes) => (5, Cow::Borrowed(bytes)),
        Cell::Uuid(value) => (6, Cow::Borrowed(value.as_bytes())),
    };
    Zeroizing::new([&[tag][..], &value].concat())
}

fn decoded(bytes: &[u8]) -> Result<Cell<'_>, SealError> {
    let read = || {
        let (tag, value) = bytes.split_first()?;
        Some(match tag {
            0 if value.is_empty() => Cell::Null,
            1 => Cell::Bool(*value.first_chunk::<1>()? == [1]),
            2 => Cell::Int(i64::from_be_bytes(value.try_into().ok()?)),
            3 => Cell::Real(f64::from_be_bytes(value.try_into().ok()?)),
            4 => Cell::from(std::str::from_utf8(value).ok()?),
            5 => Cell::Bytes(Cow::Borrowed(value)),
            6 => Cell::Uuid(Uuid::from_slice(value).ok()?),
            _ => return None,
        })
    };
    read().ok_or(SealError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_cell_is_read_as_it_was_written() {
        let bytes = [0, 128, 255, 0];
        for cell in [
            Cell::Null,
            Cell::Bool(true),
            Cell::Bool(false),
            Cell::Int(i64::MIN),
            Cell::Real(-0.1),
            Cell::from(""),
            Cell::from("Zoë"),
            Cell::Bytes(Cow::Borrowed(&bytes)),
            Cell::Uuid(Uuid::from_u128(u128::MAX)),
        ] {
            assert_eq!(decoded(&encoded(&cell)), Ok(cell));
        }
    }

    #[test]
    fn other_bytes_are_no_cell() {
        for bytes in [&[][..], &[0, 1], &[1], &[2, 1], &[4, 0xff], &[6, 1], &[7]] {
            assert_eq!(decoded(bytes), Err(SealError::Damaged), "{bytes:?}");
        }
    }
}
