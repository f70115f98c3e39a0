//! Readers: each thread's own read-only connections. A thread needs one per store, and one more per nested read transaction.

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rusqlite::Connection;

use super::writer::poll_once;
use super::{Sqlite, control, open_reader, rows};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

thread_local! {
    pub(super) static READERS: RefCell<Vec<Reader>> = const { RefCell::new(Vec::new()) };
}

/// A thread's connection to one store.
pub(super) struct Reader {
    store: Weak<()>,
    connection: Box<Mutex<Connection>>,
}

impl Reader {
    fn is_of(&self, life: &Arc<()>) -> bool {
        std::ptr::eq(self.store.as_ptr(), Arc::as_ptr(life))
    }
}

/// A reader in use, which returns to the thread on drop. Reads within the body of a read transaction use another one.
struct Lease(Option<Reader>);

impl Lease {
    fn take(life: &Arc<()>, file: &Path) -> Result<Self> {
        let kept = READERS.with_borrow_mut(|readers| {
            let kept =
                readers.iter().rposition(|reader| reader.is_of(life)).map(|at| readers.swap_remove(at));
            if kept.is_none() {
                // Stores that were closed on another thread leave their readers here.
                readers.retain(|reader| reader.store.strong_count() > 0);
            }
            kept
        });
        let reader = if let Some(reader) = kept {
            reader
        } else {
            let connection = Box::new(Mutex::new(open_reader(file)?));
            Reader { store: Arc::downgrade(life), connection }
        };
        Ok(Self(Some(reader)))
    }

    fn connection(&self) -> Result<&Mutex<Connection>> {
        let reader = self.0.as_ref().ok_or_else(|| Error::Internal("the reader was returned".to_owned()))?;
        Ok(&reader.connection)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(reader) = self.0.take() else { return };
        let is_idle = {
            let connection = reader.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.is_autocommit() || control(&connection, "ROLLBACK").is_ok()
        };
        // Once its store is closed or its thread is ending, no read asks for it again.
        if is_idle && reader.store.strong_count() > 0 {
            let _ = READERS.try_with(|readers| readers.borrow_mut().push(reader));
        }
    }
}

impl Sqlite {
    /// Reads rows on this thread's own connection.
    pub(crate) fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let lease = Lease::take(&self.life, &self.file)?;
        let connection = lease.connection()?.lock().unwrap_or_else(PoisonError::into_inner);
        rows(&connection, None, query, values, &mut each)
    }

    /// Runs a read transaction on the calling thread. Its body must not wait for anything but the transaction.
    pub(crate) fn read_together<T, E, F>(&self, name: &'static str, body: &F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        let _span = tracing::debug_span!("read", name).entered();
        let deadline = Deadline::of(name);
        let lease = Lease::take(&self.life, &self.file)?;
        let connection = lease.connection()?;
        control(&connection.lock().unwrap_or_else(PoisonError::into_inner), "BEGIN")?;
        let mut tx = ReadTx::sqlite(connection, deadline, &self.sealer);
        poll_once(body(&mut tx)).unwrap_or_else(|| {
            let reason = format!("{name} waited for something other than its transaction");
            Err(Error::Internal(reason).into())
        })
    }

    /// Closes this thread's readers. If the thread is ending, they are closed already.
    pub(super) fn close_readers(&self) {
        let others = |reader: &Reader| !reader.is_of(&self.life);
        let _ = READERS.try_with(|readers| readers.borrow_mut().retain(others));
    }
}
