//! Lists: one page or all of them, as a table or as JSON.

use clap::Args;
use fieldhouse_client::Call;
use fieldhouse_client::api::{Op, Page};
use futures_util::TryStreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::output::{Column, note};

/// The most records that one request may ask for.
const LARGEST_PAGE: u32 = 100;

/// How much of a list is wanted.
#[derive(Args)]
pub(crate) struct Paging {
    /// How many records at most, 1 to 100
    #[arg(long, value_name = "N", conflicts_with = "all")]
    limit: Option<u32>,
    /// Every record
    #[arg(long)]
    all: bool,
}

impl Paging {
    /// The limit that each request carries.
    pub(crate) fn limit(&self) -> Option<u32> {
        if self.all { Some(LARGEST_PAGE) } else { self.limit }
    }

    /// Gets as much of the list as is wanted, and writes it.
    pub(crate) async fn show<T, O>(
        &self,
        context: &Context,
        call: Call<O>,
        columns: &[Column<T>],
    ) -> anyhow::Result<()>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        O: Op<Answer = Page<T>>,
    {
        if self.all {
            let records: Vec<T> = call.stream().try_collect().await?;
            return Ok(context.output.list(&records, columns)?);
        }
        let page = call.await?;
        context.output.list(&page.data, columns)?;
        if page.page.has_more {
            note("There are more: --all lists every one.");
        }
        Ok(())
    }
}
