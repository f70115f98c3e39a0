//! A workload: a kind of request, with what is expected of its response and of its speed. The workloads themselves are in `workloads.rs`.
//!
//! A request of another kind of caller needs a line in [`Who`] and in `site.rs`; a response that is checked in another way, one in
//! [`Expected`] and in `checks.rs`.

/// The server that a workload runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Fieldhouse as it is by default. On SQLite it keeps responses in memory.
    Default,
    /// Fieldhouse with `--cache-bytes 0`: it keeps no responses, only verified callers. On PostgreSQL, which keeps no responses anyway, it is
    /// the default one.
    Uncached,
    /// The same with one organization.
    One,
    /// The same with 500,000 organizations.
    Large,
}

/// Who sends the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// 2,000 people of 500 organizations, at random.
    Kept,
    /// One person of each of 5,000 organizations, at random.
    Everyone,
    /// One person.
    Manager,
    /// A manager of an organization whose seasons no one lists.
    Writer,
    /// A guardian of two children.
    Guardian,
    /// A coach who sees some of 1,000 children.
    Coach,
    /// A guest, a new one with every request.
    Guest,
}

/// What the requests carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// An API key.
    Key,
    /// An access token.
    Bearer,
    /// An API key, and the `ETag` of the response.
    Condition,
}

/// What is expected of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The seasons of the organization, with their divisions.
    Seasons,
    /// A season of the organization.
    Season,
    /// The upcoming games of the organization, with teams and venue.
    Games,
    /// 304 without a body.
    NotModified,
    /// The profile of someone with two children.
    Profile,
    /// A page of 50 children.
    Children,
    /// 403: a higher role is required.
    Refused,
    /// A created record.
    Created,
}

/// A ratio to reach, and one to stay above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    /// The target.
    pub(crate) target: f64,
    /// The floor.
    pub(crate) floor: f64,
}

/// What a ratio is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    /// The limit with the same bytes on SQLite, and the same statements by hand on PostgreSQL.
    Limit,
    /// Another workload.
    Workload(&'static str),
}

/// A kind of request.
#[derive(Debug)]
pub(crate) struct Workload {
    /// Its name in files and options.
    pub(crate) name: &'static str,
    /// Its name in tables.
    pub(crate) title: &'static str,
    /// The server.
    pub(crate) on: On,
    /// Who sends it.
    pub(crate) who: Who,
    /// What it carries.
    pub(crate) by: By,
    /// The path with the query; `{season}` is a season of the organization.
    pub(crate) path: &'static str,
    /// The body of a POST; empty otherwise.
    pub(crate) body: &'static str,
    /// What is expected of the response.
    pub(crate) expected: Expected,
    /// The response of the limit that is measured beside it: the name of the first workload with the same bytes.
    pub(crate) limit: &'static str,
    /// What the ratio is to.
    pub(crate) against: Against,
    /// The goal on SQLite.
    pub(crate) goal: Goal,
    /// The goal on PostgreSQL, if it runs there.
    pub(crate) postgres: Option<Goal>,
}

impl Workload {
    /// Whether it writes.
    pub(crate) fn writes(&self) -> bool {
        !self.body.is_empty()
    }

    /// Whether its responses are errors.
    pub(crate) fn is_refused(&self) -> bool {
        self.expected == Expected::Refused
    }
}
