//! Records that many hands share, with what they are stored as.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::{Cell, Record};

/// A record whose clones share it. What it is stored as can be made ahead of the transaction that stores it, for which others wait.
pub struct Shared<R>(Arc<Kept<R>>);

struct Kept<R> {
    record: R,
    stored: OnceLock<Stored>,
}

/// What a record is stored as.
struct Stored {
    cells: Vec<Cell<'static>>,
    image: String,
}

impl<R: Record> Shared<R> {
    /// Makes what the record is stored as. Nothing for a record with sealed fields: what is in them must not be kept in the clear.
    pub fn make_stored(&self) {
        if R::SEALED.is_empty() {
            self.0.stored.get_or_init(|| {
                let record = &self.0.record;
                let image = record.image_text();
                let cells = record.cells_with(&|| Cow::Borrowed(image.as_str()));
                let cells = cells.into_iter().map(Cell::into_owned).collect();
                Stored { cells, image }
            });
        }
    }

    /// The values of its columns, as [`Record::cells`] has them.
    pub fn stored_cells(&self) -> Cow<'_, [Cell<'_>]> {
        match self.0.stored.get() {
            Some(stored) => Cow::Borrowed(&stored.cells),
            None => Cow::Owned(self.0.record.cells()),
        }
    }

    /// Its image as text, as [`Record::image_text`] has it.
    pub fn stored_image(&self) -> Cow<'_, str> {
        match self.0.stored.get() {
            Some(stored) => Cow::Borrowed(&stored.image),
            None => Cow::Owned(self.0.record.image_text()),
        }
    }

    /// The record, to change it. If others share it, it becomes a copy.
    pub fn make_mut(this: &mut Self) -> &mut R {
        let kept = Arc::make_mut(&mut this.0);
        kept.stored = OnceLock::new();
        &mut kept.record
    }

    /// The record itself; a copy if others share it.
    pub fn into_record(this: Self) -> R {
        Arc::unwrap_or_clone(this.0).record
    }
}

impl<R> From<R> for Shared<R> {
    fn from(record: R) -> Self {
        Self(Arc::new(Kept { record, stored: OnceLock::new() }))
    }
}

impl<R> Deref for Shared<R> {
    type Target = R;
    fn deref(&self) -> &R {
        &self.0.record
    }
}

impl<R> Clone for Shared<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Clone> Clone for Kept<R> {
    /// A copy is made to be changed.
    fn clone(&self) -> Self {
        Self { record: self.record.clone(), stored: OnceLock::new() }
    }
}

impl<R: PartialEq> PartialEq for Shared<R> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl<R: fmt::Debug> fmt::Debug for Shared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
