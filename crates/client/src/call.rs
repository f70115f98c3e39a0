//! One call of one operation: its options, and the ways to get its response.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;

use fieldhouse_api::changesets::{Changeset, DiffAnswer, TEXT};
use fieldhouse_api::envelope::ArchiveFile;
use fieldhouse_api::imports::{LeagueAnswer, LeagueImportQuery};
use fieldhouse_api::request::{Query, ValidateOnly};
use fieldhouse_api::spreadsheet::CSV;
use fieldhouse_api::{Data, Op, Page};
use futures_util::Stream;
use http::header::{ACCEPT, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::de::DeserializeOwned;

use crate::errors::Error;
use crate::pages::{self, CsvPage};
use crate::request_builder::{IDEMPOTENCY_KEY, Pending};
use crate::responses::{Download, ETag, Reply, Versioned};

/// A call of the operation `O`. It is sent when it is awaited:
///
/// - `call.await` returns the value;
/// - [`Call::versioned`] returns it with its version, for a later [`Call::if_match`];
/// - [`Call::if_none_match`] returns it only if it has changed;
/// - [`Call::stream`] returns every record of a list, page by page;
/// - [`Call::csv`] returns a list as CSV, and [`Call::text`] a diff as text.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<O> {
    pending: Pending,
    operation: PhantomData<O>,
}

impl<O> fmt::Debug for Call<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.pending).finish()
    }
}

impl<O: Op> Call<O> {
    pub(crate) fn new(pending: Pending) -> Self {
        Self { pending, operation: PhantomData }
    }

    /// Adds query parameters to those of the method.
    pub fn query(self, query: &O::Query) -> Self {
        Self::new(self.pending.with(|request| request.add_query(query)))
    }

    /// Changes or deletes the record only if it still has this version; otherwise the error is `version_mismatch`.
    pub fn if_match(self, version: &ETag) -> Self {
        self.header(IF_MATCH, version.0.clone())
    }

    /// Uses this idempotency key instead of a random one. Calls with the same key and body have one effect, so that a stored key makes a
    /// call safe to repeat after a crash. 1 to 255 printable ASCII characters.
    pub fn idempotency_key(self, key: &str) -> Self {
        Self::new(self.pending.with(|request| request.set_header(IDEMPOTENCY_KEY.as_str(), key)))
    }

    fn header(self, name: HeaderName, value: HeaderValue) -> Self {
        Self::new(self.pending.with(|request| {
            request.headers.insert(name, value);
            Ok(())
        }))
    }
}

impl<Q: Query + Default, O: Op<Query = ValidateOnly<Q>>> Call<O> {
    /// Checks everything as usual and stores nothing.
    pub fn validate_only(self) -> Self {
        self.query(&ValidateOnly { validate_only: Some(true), ..Default::default() })
    }
}

impl<O: Op> Call<O>
where
    O::Answer: Reply,
{
    /// The value with its version.
    pub async fn versioned(self) -> Result<Versioned<<O::Answer as Reply>::Value>, Error> {
        let answer = self.pending.send().await?.success()?;
        Ok(Versioned { etag: answer.etag(), value: O::Answer::read(&answer)? })
    }

    /// The value with its version, if it differs from this version; `None` if it has not changed.
    pub async fn if_none_match(
        self,
        version: &ETag,
    ) -> Result<Option<Versioned<<O::Answer as Reply>::Value>>, Error> {
        let call = self.header(IF_NONE_MATCH, version.0.clone());
        match call.versioned().await {
            Err(Error::Status { status: StatusCode::NOT_MODIFIED, .. }) => Ok(None),
            other => other.map(Some),
        }
    }
}

impl<O: Op> IntoFuture for Call<O>
where
    O::Answer: Reply,
{
    type Output = Result<<O::Answer as Reply>::Value, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.versioned().await?.value) })
    }
}

impl<O: Op<Answer = ArchiveFile>> Call<O> {
    /// Downloads the archive without holding all of it in memory: its chunks in order. It is not retried, because its link works once.
    pub async fn download(self) -> Result<Download, Error> {
        let Pending { client, request } = self.pending;
        Ok(Download(client.open(request?).await?))
    }
}

impl<O: Op<Answer = DiffAnswer>> Call<O> {
    /// The diff as text for people: what it means for them, and a block for each record.
    pub async fn text(self) -> Result<String, Error> {
        let call = self.header(ACCEPT, HeaderValue::from_static(TEXT));
        let answer = call.pending.send().await?.success()?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }
}

impl<O: Op<Answer = LeagueAnswer, Query = LeagueImportQuery>> Call<O> {
    /// Proposes the import as a changeset, which is simulated, and imports nothing yet.
    pub async fn as_changeset(self) -> Result<Changeset, Error> {
        let call = self.query(&LeagueImportQuery { as_changeset: Some(true) });
        let answer = call.pending.send().await?.success()?;
        <Data<Changeset> as Reply>::read(&answer)
    }
}

impl<O: Op> Call<O> {
    /// A list as CSV, page by page, from here to its end. Each page starts with the heading. If the operation has no CSV, the error is
    /// `not_acceptable`.
    pub fn csv(self) -> impl Stream<Item = Result<CsvPage, Error>> + Send + Unpin + use<O> {
        pages::csv(self.header(ACCEPT, HeaderValue::from_static(CSV)).pending)
    }
}

impl<T: DeserializeOwned + Send + 'static, O: Op<Answer = Page<T>>> Call<O> {
    /// Every page from here to the end of the list. With `updated_since` they include deleted records. `limit` is the size of each page.
    pub fn pages(self) -> impl Stream<Item = Result<Page<T>, Error>> + Send + Unpin + use<T, O> {
        pages::pages(self.pending)
    }

    /// Every record from here to the end of the list.
    pub fn stream(self) -> impl Stream<Item = Result<T, Error>> + Send + Unpin + use<T, O> {
        pages::records(self.pending)
    }
}
