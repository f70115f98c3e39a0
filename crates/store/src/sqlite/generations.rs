//! Generations: how often the records of an organization have been written by this process, to prove that something that was read earlier
//! is still current.
//!
//! Only one process writes to an embedded database, so that numbers in memory are enough. They are raised after COMMIT has returned and
//! before any transaction of the batch is acknowledged: a client that knows of a write is served with its generation.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use fieldhouse_domain::ids::{Id as _, OrganizationId};

use crate::query::{Query, Writes};
use crate::value::Value;

/// How many numbers there are. Organizations that share one only cause each other's records to be read again.
const SLOTS: usize = 1 << 14;

/// The state of an organization's records. Something that was read after it was taken is current while it stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalGeneration {
    of_all: u64,
    of_one: u64,
}

/// The generations of all organizations.
pub(crate) struct Generations {
    hasher: RandomState,
    /// Raised by writes that are not limited to one organization: a user may be a member of many.
    all: AtomicU64,
    slots: Box<[AtomicU64]>,
    /// How often transactions have been committed.
    commits: AtomicU64,
}

impl Default for Generations {
    fn default() -> Self {
        let slots = (0..SLOTS).map(|_| AtomicU64::new(0)).collect();
        Self { hasher: RandomState::new(), all: AtomicU64::new(0), slots, commits: AtomicU64::new(0) }
    }
}

impl Generations {
    pub(crate) fn of(&self, organization: OrganizationId) -> LocalGeneration {
        LocalGeneration {
            of_all: self.all.load(Ordering::Acquire),
            of_one: self.slot(organization).load(Ordering::Acquire),
        }
    }

    /// How often this process has committed transactions.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    /// Notes that transactions are committed, or may be.
    pub(super) fn raise(&self, touched: &Touched) {
        self.commits.fetch_add(1, Ordering::Release);
        if touched.all {
            self.all.fetch_add(1, Ordering::Release);
        }
        for organization in &touched.organizations {
            self.slot(*organization).fetch_add(1, Ordering::Release);
        }
    }

    fn slot(&self, organization: OrganizationId) -> &AtomicU64 {
        let hash = self.hasher.hash_one(organization.uuid());
        &self.slots[usize::try_from(hash % SLOTS as u64).unwrap_or_default()]
    }
}

/// The organizations whose records a transaction has written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    all: bool,
    organizations: Vec<OrganizationId>,
}

impl Touched {
    /// All organizations.
    pub(crate) fn everything() -> Self {
        Self { all: true, organizations: Vec::new() }
    }

    /// Adds what another transaction has written.
    pub(super) fn add(&mut self, other: Self) {
        self.all |= other.all;
        self.organizations.extend(other.organizations);
    }

    /// Notes a statement with its values.
    pub(crate) fn note(&mut self, query: &'static Query, values: &[Value<'_>]) {
        let organization = match query.said().writes {
            Writes::Nothing => return,
            Writes::OneOrganization => values.first().and_then(Value::as_uuid),
            Writes::Anything => None,
        };
        match organization.map(OrganizationId::from_uuid) {
            None => self.all = true,
            Some(organization) if self.organizations.contains(&organization) => {}
            Some(organization) => self.organizations.push(organization),
        }
    }
}
