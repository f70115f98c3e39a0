//! Responses kept in memory: those of operations whose row says so, a record once for all and a page for each caller.
//!
//! The caller is admitted before this is asked. A response is used only while the generation of the organization proves that nothing has
//! been written there since it was read, and before the time that alone changes it, so that it is the response that the handler would give
//! now.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Response, header};
use fieldhouse_api::{Operation, Row};
use fieldhouse_domain::ids::{OrganizationId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_store::{Engine, LocalGeneration, OrgScope, Store};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use crate::answer::Prepared;
use crate::call::Head;

/// The bytes of a kept response besides what is counted, roughly.
const OVERHEAD: u64 = 1024;
/// The bytes that a response has on average, roughly.
const AVERAGE: u64 = 4096;

/// What a response depends on besides the records. A kept one owns its path and query, one that is looked for borrows them.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key<Text> {
    organization: OrganizationId,
    /// The caller, if the response is a page: its cursors are valid for one user only. One record is shown alike to all who may read it.
    caller: Option<(UserId, Role)>,
    operation: Operation,
    media_type: &'static str,
    path: Text,
    query: Text,
}

impl Key<String> {
    fn borrowed(&self) -> Key<&str> {
        let Self { organization, caller, operation, media_type, ref path, ref query } = *self;
        Key { organization, caller, operation, media_type, path, query }
    }
}

impl<'a> Key<&'a str> {
    fn of(row: &Row, scope: &OrgScope, head: Head<'a>, media_type: &'static str) -> Self {
        let caller = row.answer.is_page.then(|| (scope.user(), scope.role()));
        let (organization, operation) = (scope.organization(), row.operation);
        Self { organization, caller, operation, media_type, path: head.path, query: head.query }
    }

    fn owned(self) -> Key<String> {
        let Self { organization, caller, operation, media_type, path, query } = self;
        Key { organization, caller, operation, media_type, path: path.to_owned(), query: query.to_owned() }
    }
}

impl Equivalent<Key<String>> for Key<&str> {
    fn equivalent(&self, key: &Key<String>) -> bool {
        *self == key.borrowed()
    }
}

#[derive(Clone)]
struct Kept {
    generation: LocalGeneration,
    response: Arc<Prepared>,
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Key<String>, Kept> for Bytes {
    fn weight(&self, key: &Key<String>, kept: &Kept) -> u64 {
        OVERHEAD + (key.path.len() + key.query.len() + kept.response.size()) as u64
    }
}

/// The responses that are kept.
pub struct Responses(Option<Cache<Key<String>, Kept, Bytes>>);

/// The place of a response, which is empty or out of date.
pub(crate) struct Place {
    generation: LocalGeneration,
    key: Key<String>,
}

/// What is in the place of a response.
pub(crate) enum Found {
    /// A current response.
    Current(Response<Body>),
    /// None. The response of the handler can be kept there.
    Place(Place),
    /// It has no place.
    Nowhere,
}

impl Responses {
    /// Keeps at most this many bytes; none if that is 0.
    pub fn new(bytes: u64) -> Self {
        let count = usize::try_from(bytes / AVERAGE).unwrap_or(usize::MAX);
        Self((bytes > 0).then(|| Cache::with_weighter(count, bytes, Bytes)))
    }

    /// Whether any responses are kept.
    pub(crate) fn keeps_any(&self, store: &Store) -> bool {
        self.0.is_some() && store.engine() == Engine::Sqlite
    }

    /// Whether responses of an operation to a member are kept.
    pub(crate) fn keeps(&self, store: &Store, row: &Row, scope: &OrgScope) -> bool {
        self.generation(store, row, scope).is_some()
    }

    /// The generation under which responses of an operation to a member are kept. `None` if they are not.
    fn generation(&self, store: &Store, row: &Row, scope: &OrgScope) -> Option<LocalGeneration> {
        let is_kept = self.0.is_some() && row.kept.includes(scope.ties().relations);
        is_kept.then(|| store.local_generation(scope.organization())).flatten()
    }

    /// The response in memory to a request of an admitted member, if there is a current one.
    pub(crate) fn recall(
        &self,
        store: &Store,
        row: &Row,
        scope: &OrgScope,
        (head, media_type): (Head<'_>, &'static str),
    ) -> Option<Response<Body>> {
        let generation = self.generation(store, row, scope)?;
        self.current(&Key::of(row, scope, head, media_type), generation, head)
    }

    /// Looks for the response to a request, and otherwise for its place.
    pub(crate) fn find(
        &self,
        store: &Store,
        row: &Row,
        scope: Option<&OrgScope>,
        (head, media_type): (Head<'_>, &'static str),
    ) -> Found {
        let Some(scope) = scope else { return Found::Nowhere };
        let Some(generation) = self.generation(store, row, scope) else { return Found::Nowhere };
        let key = Key::of(row, scope, head, media_type);
        match self.current(&key, generation, head) {
            Some(response) => Found::Current(response),
            None => Found::Place(Place { generation, key: key.owned() }),
        }
    }

    fn current(
        &self,
        key: &Key<&str>,
        generation: LocalGeneration,
        head: Head<'_>,
    ) -> Option<Response<Body>> {
        let kept = self.0.as_ref()?.get(key)?;
        let is_current = kept.generation == generation && kept.response.is_current(head.now);
        is_current.then(|| kept.response.respond(head.headers.get(header::IF_NONE_MATCH)))
    }

    /// Keeps a response that was read after its place was found.
    pub(crate) fn keep(&self, Place { generation, key }: Place, response: &Prepared) {
        if let Some(cache) = self.0.as_ref().filter(|_| response.can_be_kept()) {
            cache.insert(key, Kept { generation, response: Arc::new(response.compact()) });
        }
    }
}
