//! `fieldhouse import colleges`: updates the college catalogue from a file, on the server's machine.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::operator::CatalogueImport;
use fieldhouse_imports::colleges::{self, academic_year};

use crate::arguments::read_file;
use crate::database::Database;
use crate::failure::Failure;
use crate::import_report::BAD_ROWS;
use crate::output::{Output, note, note_list};
use crate::progress;

#[derive(Args)]
pub(crate) struct Options {
    /// The file: the catalogue's own colleges or programs (CSV), or the EADA's Schools table saved as CSV; - for standard input
    file: PathBuf,
    /// The academic year of a Schools table, which does not include it, such as 2024-25
    #[arg(long, value_name = "YEAR", value_parser = |text: &str| academic_year(text).map_err(|wrong| wrong.to_string()))]
    year: Option<String>,
    /// Check and count everything, but store nothing
    #[arg(long)]
    dry_run: bool,
    /// Skip invalid rows; by default one invalid row rejects the whole file
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    database: Database,
}

pub(crate) async fn run(output: &Output, options: Options) -> anyhow::Result<()> {
    let file = options.file.display();
    let bytes = read_file(&options.file).with_context(|| format!("{file} cannot be read"))?;
    let catalogue = colleges::read(&bytes, options.year.as_deref()).with_context(|| file.to_string())?;
    if !catalogue.bad.is_empty() {
        note_list(&catalogue.bad, BAD_ROWS);
    }
    if !catalogue.bad.is_empty() && !options.skip_bad {
        let what = format!("{} rows of {file} are invalid, so nothing was imported", catalogue.bad.len());
        return Err(Failure::new(what).next("correct them, or skip them with --skip-bad").into());
    }
    if options.year.is_some() && colleges::read(&bytes, None)? == catalogue {
        return Err(Failure::usage(format!("--year has no effect on {file}: omit it")).into());
    }
    let import = CatalogueImport {
        content: fieldhouse_imports::utf8(&bytes)?.to_owned(),
        year: options.year,
        dry_run: options.dry_run.then_some(true),
        skip_bad: options.skip_bad.then_some(true),
    };
    let operating = options.database.operate(None).await?;
    // The file reaches the server in a moment; what takes time is the update.
    let what = format!("Updating the catalogue from {} kB", bytes.len().div_ceil(1000));
    let spinner = progress::spinner(progress::ELAPSED, what);
    let imported = operating.client.operator().catalogue(&import).await;
    spinner.finish_and_clear();
    let report = imported?;
    operating.end().await?;
    if options.dry_run {
        note("Dry run: nothing was stored.");
    }
    Ok(output.counts(&report.counts)?)
}
