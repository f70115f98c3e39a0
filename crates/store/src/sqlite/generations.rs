//! Generations: how often the records of an organization have been written by this process, to prove that something that was read earlier
//! is still current.
//!
//! Only one process writes to an embedded database, so that numbers in memory are enough. They are raised after COMMIT has returned and
//! before any transaction of the batch is acknowledged: a client that knows of a write is served with its generation. The facts behind
//! credentials have numbers of their own, because most writes change none of them.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use fieldhouse_domain::ids::{Id as _, OrganizationId};

use crate::query::{Said, Writes};
use crate::value::Value;

/// How many numbers there are. Organizations that share one only cause each other's records to be read again.
const SLOTS: usize = 1 << 14;

/// The state of an organization's records, or of the facts behind its credentials. Something that was read after it was taken is current
/// while it stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalGeneration {
    of_all: u64,
    of_one: u64,
}

/// The generations of all organizations.
#[derive(Default)]
pub(crate) struct Generations {
    hasher: RandomState,
    records: Numbers,
    credentials: Numbers,
    /// How often transactions have been committed.
    commits: AtomicU64,
}

/// How often something was written, in each organization.
struct Numbers {
    /// Raised by writes that are not limited to one organization: a user may be a member of many.
    all: AtomicU64,
    slots: Box<[AtomicU64]>,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { all: AtomicU64::new(0), slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Numbers {
    fn at(&self, slot: usize) -> LocalGeneration {
        LocalGeneration {
            of_all: self.all.load(Ordering::Acquire),
            of_one: self.slots[slot].load(Ordering::Acquire),
        }
    }

    fn raise(&self, written: &Organizations, slot: impl Fn(OrganizationId) -> usize) {
        if written.all {
            self.all.fetch_add(1, Ordering::Release);
        }
        for organization in &written.some {
            self.slots[slot(*organization)].fetch_add(1, Ordering::Release);
        }
    }
}

impl Generations {
    /// The generation of an organization's records.
    pub(crate) fn of_records(&self, organization: OrganizationId) -> LocalGeneration {
        self.records.at(self.slot(organization))
    }

    /// The generation of the facts behind an organization's credentials.
    pub(crate) fn of_credentials(&self, organization: OrganizationId) -> LocalGeneration {
        self.credentials.at(self.slot(organization))
    }

    /// How often this process has committed transactions.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    /// Notes that transactions are committed, or may be.
    pub(super) fn raise(&self, touched: &Touched) {
        self.commits.fetch_add(1, Ordering::Release);
        self.records.raise(&touched.records, |organization| self.slot(organization));
        self.credentials.raise(&touched.credentials, |organization| self.slot(organization));
    }

    fn slot(&self, organization: OrganizationId) -> usize {
        let hash = self.hasher.hash_one(organization.uuid());
        usize::try_from(hash % SLOTS as u64).unwrap_or_default()
    }
}

/// What transactions have written: records, and facts behind credentials.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    records: Organizations,
    credentials: Organizations,
    /// How often something began that SQLite does not count as a change: savepoints, what is posted, and statements other than those of records.
    pub(crate) uncounted: usize,
}

/// Some organizations, or all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Organizations {
    all: bool,
    some: Vec<OrganizationId>,
}

impl Organizations {
    /// Adds one, or all.
    fn add(&mut self, organization: Option<OrganizationId>) {
        match organization {
            None => self.all = true,
            Some(organization) if self.some.contains(&organization) => {}
            Some(organization) => self.some.push(organization),
        }
    }
}

impl Touched {
    /// Notes that anything may have been written.
    pub(super) fn note_everything(&mut self) {
        (self.records.all, self.credentials.all) = (true, true);
        self.uncounted += 1;
    }

    /// Notes a statement by its SQL, with its values.
    pub(crate) fn note(&mut self, said: Said, values: &[Value<'_>]) {
        let organization = match said.writes {
            Writes::Nothing => return,
            Writes::OneOrganization => values.first().and_then(Value::as_uuid),
            Writes::Anything => None,
        };
        let organization = organization.map(OrganizationId::from_uuid);
        self.records.add(organization);
        if said.writes_credentials {
            self.credentials.add(organization);
        }
    }

    /// Whether facts behind an organization's credentials were written.
    pub(super) fn has_credentials(&self, organization: OrganizationId) -> bool {
        self.credentials.all || self.credentials.some.contains(&organization)
    }
}
