//! Lists as streams: one request for each page, with the cursor of the previous one.

use fieldhouse_api::Page;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;

use crate::addresses;
use crate::client::Client;
use crate::errors::Error;
use crate::request_builder::{Pending, RequestBuilder};

/// Every page from the pending one to the end.
pub(crate) fn pages<T: DeserializeOwned + Send + 'static>(
    pending: Pending,
) -> impl Stream<Item = Result<Page<T>, Error>> + Send + Unpin + use<T> {
    let Pending { client, request } = pending;
    let first = stream::once(std::future::ready(request));
    first.map_ok(move |request| following(client.clone(), request)).try_flatten().boxed()
}

/// Every record of these pages.
pub(crate) fn records<T: DeserializeOwned + Send + 'static>(
    pending: Pending,
) -> impl Stream<Item = Result<T, Error>> + Send + Unpin + use<T> {
    pages(pending).map_ok(|page| stream::iter(page.data.into_iter().map(Ok))).try_flatten()
}

fn following<T: DeserializeOwned + Send + 'static>(
    client: Client,
    first: RequestBuilder,
) -> impl Stream<Item = Result<Page<T>, Error>> + Send {
    stream::try_unfold(Some(first), move |request| {
        let client = client.clone();
        async move {
            let Some(mut request) = request else { return Ok(None) };
            let page: Page<T> = client.exchange(request.clone()).await?.success()?.json()?;
            let next = page.page.next_cursor.as_deref().map(|cursor| {
                addresses::set_cursor(&mut request.url, cursor);
                request
            });
            Ok(Some((page, next)))
        }
    })
}

/// A page of a list as CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvPage {
    /// The heading and the rows.
    pub text: String,
    /// Whether more pages follow.
    pub has_more: bool,
}

impl CsvPage {
    /// The rows without the heading, to add them to those of the previous page.
    pub fn rows(&self) -> &str {
        self.text.split_once("\r\n").map_or("", |(_, rows)| rows)
    }
}

/// Every page of CSV from the pending one to the end.
pub(crate) fn csv(pending: Pending) -> impl Stream<Item = Result<CsvPage, Error>> + Send + Unpin {
    let Pending { client, request } = pending;
    let first = stream::once(std::future::ready(request));
    let following = move |first: RequestBuilder| {
        let client = client.clone();
        stream::try_unfold(Some(first), move |request| next_csv(client.clone(), request))
    };
    first.map_ok(following).try_flatten().boxed()
}

async fn next_csv(
    client: Client,
    request: Option<RequestBuilder>,
) -> Result<Option<(CsvPage, Option<RequestBuilder>)>, Error> {
    let Some(mut request) = request else { return Ok(None) };
    let answer = client.exchange(request.clone()).await?.success()?;
    let next = answer.header("link").and_then(addresses::cursor_of_link).map(|cursor| {
        addresses::set_cursor(&mut request.url, &cursor);
        request
    });
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    Ok(Some((CsvPage { text, has_more: next.is_some() }, next)))
}
