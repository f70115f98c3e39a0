//! The generic request: any method on any path, for requests that the typed methods do not cover.

use std::fmt;
use std::marker::PhantomData;

use fieldhouse_api::Page;
use futures_util::Stream;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::Error;
use crate::pages;
use crate::request_builder::Pending;
use crate::responses::RawResponse;

/// A request whose response is read as `T`.
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
        Self::new(self.pending.with(|request| request.add_query(query)))
    }

    /// Sets the JSON body. A PATCH sends it as a merge patch.
    pub fn body(self, body: &impl Serialize) -> Self {
        Self::new(self.pending.with(|request| request.set_body(body)))
    }

    /// Sets a header. `x-api-key` or `Authorization` replaces the client's credential, `Idempotency-Key` the random one.
    pub fn header(self, name: &str, value: &str) -> Self {
        Self::new(self.pending.with(|request| request.set_header(name, value)))
    }

    /// Sends the request and returns the response, whatever its status.
    pub async fn send_raw(self) -> Result<RawResponse, Error> {
        self.pending.send().await
    }
}

impl<T: DeserializeOwned> Request<T> {
    /// Sends the request and reads the response.
    pub async fn send(self) -> Result<T, Error> {
        self.pending.send().await?.success()?.json()
    }
}

impl<T: DeserializeOwned + Send + 'static> Request<Page<T>> {
    /// Every page from here to the end of the list. With `updated_since` they include deleted records.
    pub fn pages(self) -> impl Stream<Item = Result<Page<T>, Error>> + Send + Unpin + use<T> {
        pages::pages(self.pending)
    }

    /// Every record from here to the end of the list.
    pub fn stream(self) -> impl Stream<Item = Result<T, Error>> + Send + Unpin + use<T> {
        pages::records(self.pending)
    }
}
