//! Lists: one page or all of them, as a table or as JSON.

use clap::Args;
use fieldhouse_client::api::envelope::Tombstone;
use fieldhouse_client::api::spreadsheet::Sheet;
use fieldhouse_client::api::{Op, Page};
use fieldhouse_client::{Call, Error};
use futures_util::{Stream, TryStreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::context::Context;
use crate::output::{Column, note};

/// The maximum page size.
const LARGEST_PAGE: u32 = 100;

/// What is noted under a page that is not the last one.
pub(crate) const MORE: &str = "There are more: use --all to list all of them.";

/// How many records to list.
#[derive(Args)]
pub(crate) struct Paging {
    /// Maximum number of records, 1 to 100
    #[arg(long, value_name = "N", conflicts_with = "all", value_parser = clap::value_parser!(u32).range(1..=i64::from(LARGEST_PAGE)))]
    limit: Option<u32>,
    /// List every record
    #[arg(long)]
    all: bool,
}

impl Paging {
    /// The limit of each request.
    pub(crate) fn limit(&self) -> Option<u32> {
        if self.all { Some(LARGEST_PAGE) } else { self.limit }
    }

    /// Whether to list every record.
    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// Gets the records and prints them. Returns whether the list is complete.
    pub(crate) async fn show<T, O>(
        &self,
        context: &Context,
        call: Call<O>,
        columns: &[Column<T>],
    ) -> anyhow::Result<bool>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        O: Op<Answer = Page<T>>,
    {
        let (listed, whole) = if self.all {
            (joined(call.pages()).await?, true)
        } else {
            let Page { data, deleted, page } = call.await?;
            (Listed { data, deleted }, !page.has_more)
        };
        listed.show(context, columns, O::ROW.answer.sheet)?;
        if !whole {
            note(MORE);
        }
        Ok(whole)
    }
}

/// The listed records. A list of changes also has deleted records; its JSON output contains both.
#[derive(Serialize)]
pub(crate) struct Listed<T> {
    pub(crate) data: Vec<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<Vec<Tombstone>>,
}

impl<T: Serialize> Listed<T> {
    /// Prints the records. `sheet` has the columns of CSV, if they are those of the API.
    fn show(&self, context: &Context, columns: &[Column<T>], sheet: Option<Sheet>) -> anyhow::Result<()> {
        match &self.deleted {
            _ if let Some(sheet) = sheet.filter(|_| context.output.is_csv()) => {
                context.output.csv(sheet, &json!({"data": self.data}))?;
            }
            Some(deleted) if context.output.is_json() => {
                let records = context.output.select(&self.data)?;
                context.output.selected(&json!({"data": records, "deleted": deleted}))?;
            }
            _ => context.output.list(&self.data, columns)?,
        }
        let deleted = self.deleted.as_ref().map_or(0, Vec::len);
        if deleted > 0 {
            note(&format!("Deleted since then: {deleted}. Use --output json to list them."));
        }
        Ok(())
    }
}

/// All pages as one list.
pub(crate) async fn joined<T>(
    mut pages: impl Stream<Item = Result<Page<T>, Error>> + Unpin,
) -> Result<Listed<T>, Error> {
    let mut listed = Listed { data: Vec::new(), deleted: None };
    while let Some(page) = pages.try_next().await? {
        listed.data.extend(page.data);
        if let Some(deleted) = page.deleted {
            listed.deleted.get_or_insert_default().extend(deleted);
        }
    }
    Ok(listed)
}
