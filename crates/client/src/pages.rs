//! Lists as streams: one request a page, each with the cursor of the page before.

use fieldhouse_api::Page;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;

use crate::addresses;
use crate::client::Client;
use crate::drafts::{Draft, Pending};
use crate::errors::Error;

/// Every page from the pending one to the end.
pub(crate) fn pages<T: DeserializeOwned + Send + 'static>(
    pending: Pending,
) -> impl Stream<Item = Result<Page<T>, Error>> + Send + Unpin + use<T> {
    let Pending { client, draft } = pending;
    let first = stream::once(std::future::ready(draft));
    first.map_ok(move |draft| following(client.clone(), draft)).try_flatten().boxed()
}

/// List every record of these pages.
pub(crate) fn records<T: DeserializeOwned + Send + 'static>(
    pending: Pending,
) -> impl Stream<Item = Result<T, Error>> + Send + Unpin + use<T> {
    pages(pending).map_ok(|page| stream::iter(page.data.into_iter().map(Ok))).try_flatten()
}

fn following<T: DeserializeOwned + Send + 'static>(
    client: Client,
    first: Draft,
) -> impl Stream<Item = Result<Page<T>, Error>> + Send {
    stream::try_unfold(Some(first), move |draft| {
        let client = client.clone();
        async move {
            let Some(mut draft) = draft else { return Ok(None) };
            let page: Page<T> = client.exchange(draft.clone()).await?.success()?.json()?;
            let next = page.page.next_cursor.as_deref().map(|cursor| {
                addresses::set_cursor(&mut draft.url, cursor);
                draft
            });
            Ok(Some((page, next)))
        }
    })
}
