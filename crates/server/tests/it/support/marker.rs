//! A word in the names and the data of children, which no line of the log may have.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// The word. It is long, because ids and sealed images are random letters: a word of five was found in them once in thirty runs.
pub(crate) const MARKER: &str = "Zzyzxgrove";

/// Lines of a log that have the word.
#[derive(Clone, Default)]
struct Found(Arc<Mutex<Vec<String>>>);

/// The lines of all tests of this process.
static LOGGED: LazyLock<Found> = LazyLock::new(|| {
    let found = Found::default();
    tracing::subscriber::set_global_default(subscriber(found.clone())).expect("no test sets another one");
    found
});

impl Found {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Write for Found {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        if text.to_lowercase().contains(&MARKER.to_lowercase()) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.into_owned());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Found {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Everything that this program logs, and what is worth a warning of its libraries.
fn subscriber(found: Found) -> impl tracing::Subscriber + Send + Sync {
    let targets =
        Targets::new().with_default(LevelFilter::WARN).with_target("fieldhouse", LevelFilter::TRACE);
    tracing_subscriber::registry().with(targets).with(tracing_subscriber::fmt::layer().with_writer(found))
}

/// Starts to watch the log, once for all tests.
pub(crate) fn watch() {
    LazyLock::force(&LOGGED);
}

/// Fails if a line so far had the word.
pub(crate) fn is_not_logged() {
    assert_eq!(LOGGED.lines(), Vec::<String>::new());
}

#[test]
fn a_line_with_the_word_is_noticed() {
    let found = Found::default();
    tracing::subscriber::with_default(subscriber(found.clone()), || {
        tracing::info!(target: "fieldhouse_server", name = "Kim", "a line without it");
        assert_eq!(found.lines().len(), 0);
        tracing::trace!(target: "fieldhouse_store", name = MARKER.to_lowercase(), "a line with it");
        assert_eq!(found.lines().len(), 1);
    });
}
