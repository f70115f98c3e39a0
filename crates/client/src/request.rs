//! The generic request: any method on any path, for what the typed methods do not reach.

use std::fmt;
use std::marker::PhantomData;

use fieldhouse_api::Page;
use futures_util::Stream;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answers::RawAnswer;
use crate::drafts::Pending;
use crate::errors::Error;
use crate::pages;

/// A request whose answer is read as `T`.
#[must_use = "a request does nothing until it is sent"]
pub struct Request<T> {
    pending: Pending,
    answer: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Request").field(&self.pending).finish()
    }
}

impl<T> Request<T> {
    pub(crate) fn new(pending: Pending) -> Self {
        Self { pending, answer: PhantomData }
    }

    /// Adds query parameters: a struct, or pairs.
    pub fn query(self, query: &impl Serialize) -> Self {
        Self::new(self.pending.with(|draft| draft.add_query(query)))
    }

    /// Sends this as the JSON body; a PATCH sends it as a merge patch.
    pub fn body(self, body: &impl Serialize) -> Self {
        Self::new(self.pending.with(|draft| draft.set_body(body)))
    }

    /// Sets a header. An `x-api-key` or `Authorization` takes the place of the client's credential, an `Idempotency-Key` that of the random
    /// one.
    pub fn header(self, name: &str, value: &str) -> Self {
        Self::new(self.pending.with(|draft| draft.set_header(name, value)))
    }

    /// Sends it; answers whatever comes back, whatever its status.
    pub async fn send_raw(self) -> Result<RawAnswer, Error> {
        self.pending.send().await
    }
}

impl<T: DeserializeOwned> Request<T> {
    /// Sends it and reads the answer.
    pub async fn send(self) -> Result<T, Error> {
        self.pending.send().await?.success()?.json()
    }
}

impl<T: DeserializeOwned + Send + 'static> Request<Page<T>> {
    /// Every page from here to the end of the list; with `updated_since` they tell what was deleted, too.
    pub fn pages(self) -> impl Stream<Item = Result<Page<T>, Error>> + Send + Unpin + use<T> {
        pages::pages(self.pending)
    }

    /// List every record from here to the end of the list.
    pub fn stream(self) -> impl Stream<Item = Result<T, Error>> + Send + Unpin + use<T> {
        pages::records(self.pending)
    }
}
