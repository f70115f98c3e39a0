//! Callers who are remembered: their facts were read for an earlier request, and are read again in the flight of the first data.
//!
//! What was read counts only if the facts are still the same, so [`Confirmation::is_confirmed`] must be asked before a response is sent.
//! This saves PostgreSQL a round trip. On SQLite a generation proves the same without a read.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::{Caller, Found, OrgScope};
use crate::engine::{Engine, Reader, Store, first};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::value::Value;

/// Nothing has read the facts again to the end.
const OPEN: u8 = 0;
/// The first read of data reads them.
const BEGUN: u8 = 1;
const CONFIRMED: u8 = 2;
const CHANGED: u8 = 3;

/// Whether the facts about a remembered caller are still the same.
#[derive(Debug)]
pub struct Confirmation {
    caller: Arc<Caller>,
    state: AtomicU8,
}

impl Confirmation {
    /// The confirmation of a remembered caller, which is open.
    pub fn of(caller: Arc<Caller>) -> Self {
        Self { caller, state: AtomicU8::new(OPEN) }
    }

    /// Whether the facts are still the same. Reads them, unless a read of data already has.
    pub async fn is_confirmed(&self, store: &Store) -> Result<bool> {
        match self.state.load(Ordering::Acquire) {
            CONFIRMED => return Ok(true),
            CHANGED => return Ok(false),
            _ => {}
        }
        self.read(&mut &*store).await
    }

    /// Reads the facts again. Returns whether they are still the same.
    async fn read(&self, reader: &mut impl Reader) -> Result<bool> {
        let (query, values) = self.caller.sent.lookup(true);
        let found = first(reader, query, &values, |row| self.caller.sent.found(row)).await?;
        Ok(self.settle(found.flatten()))
    }

    /// Whether the caller is the first to ask.
    fn begin(&self) -> bool {
        self.state.compare_exchange(OPEN, BEGUN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Compares the facts as they are now. When a key was last used is none of them.
    fn settle(&self, found: Option<Found>) -> bool {
        let Caller { facts, time_zone, ties, .. } = &*self.caller;
        let is_same =
            found.is_some_and(|now| (&now.facts, &now.time_zone, &now.ties) == (facts, time_zone, ties));
        self.state.store(if is_same { CONFIRMED } else { CHANGED }, Ordering::Release);
        is_same
    }
}

/// The store, as a request reads it. The first read confirms a remembered caller in the same flight, and fails if the facts have changed.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    store: &'a Store,
    confirmation: Option<&'a Confirmation>,
}

impl<'a> Reading<'a> {
    /// Reads the store for a caller, who may be a remembered one.
    pub fn of(store: &'a Store, confirmation: Option<&'a Confirmation>) -> Self {
        Self { store, confirmation }
    }
}

impl Deref for Reading<'_> {
    type Target = Store;
    fn deref(&self) -> &Store {
        self.store
    }
}

impl Reader for Reading<'_> {
    fn engine(&self) -> Engine {
        self.store.engine()
    }

    fn sealer(&self) -> &Sealer {
        self.store.sealer()
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut store = self.store;
        let Some(confirmation) = self.confirmation.filter(|confirmation| confirmation.begin()) else {
            return store.rows(query, values, each).await;
        };
        let sent = &confirmation.caller.sent;
        let (facts, keys) = sent.lookup(true);
        let (found, rows) = store
            .rows_of_both((facts, &keys, |row: &mut Row<'_>| sent.found(row)), (query, values, each))
            .await?;
        if !confirmation.settle(found.into_iter().next().flatten()) {
            return Err(changed());
        }
        Ok(rows)
    }
}

impl OrgScope {
    /// Confirms a remembered caller with a read of its own, for the flight of other reads that it is awaited with. Fails if the facts have
    /// changed. Does nothing if they are current, or if another read confirms them.
    pub async fn confirm(&self, reader: &mut impl Reader) -> Result<()> {
        match self.confirmation.as_deref().filter(|confirmation| confirmation.begin()) {
            Some(confirmation) if !confirmation.read(reader).await? => Err(changed()),
            _ => Ok(()),
        }
    }
}

fn changed() -> Error {
    Error::Unavailable("the caller's permissions have changed".to_owned())
}
