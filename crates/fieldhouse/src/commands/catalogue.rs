//! `fieldhouse import colleges`: updates the college catalogue from a file, on the server's machine.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_imports::colleges::{self, academic_year};
use fieldhouse_server::{Clock, operator};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::read_file;
use crate::database::Database;
use crate::failure::Failure;
use crate::import_report::BAD_ROWS;
use crate::output::{Output, note, note_list};

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
    options.database.must_exist()?;
    let opened = options.database.open().await?;
    let bar = progress_bar();
    let seen = bar.clone();
    let progress = move |done, all| {
        seen.set_length(all);
        seen.set_position(done);
    };
    let plan = operator::load_colleges(&opened.store, &Clock::system(), catalogue, options.dry_run, progress)
        .await?;
    bar.finish_and_clear();
    opened.created.keep();
    if options.dry_run {
        note("Dry run: nothing was stored.");
    }
    Ok(output.counts(&plan.counts)?)
}

/// A progress bar, only on a terminal.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} records") {
        bar.set_style(style);
    }
    bar
}
