//! Progress of long work, only on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A spinner with a message.
pub(crate) const MESSAGE: &str = "{spinner} {msg}";
/// The same with the time that has passed.
pub(crate) const ELAPSED: &str = "{spinner} {msg} ({elapsed})";
/// The same with the number of received bytes.
pub(crate) const BYTES: &str = "{spinner} {msg}: {bytes}";

/// Shows a spinner until it is cleared.
pub(crate) fn spinner(template: &str, message: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    if let Ok(style) = ProgressStyle::with_template(template) {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
