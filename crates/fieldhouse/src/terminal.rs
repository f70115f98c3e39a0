//! The terminal that results are printed to, if it is one.

use std::io::{self, IsTerminal};

use comfy_table::Table;

/// Prints to anything as to a terminal: a number is its width, another value means 80 columns.
pub(crate) const FORCE_TTY: &str = "FIELDHOUSE_FORCE_TTY";
const USUAL_WIDTH: u16 = 80;

/// How results may look.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terminal {
    /// The number of columns; none without a terminal.
    pub(crate) width: Option<u16>,
    /// Whether there is colour: never without a terminal, with `NO_COLOR`, or with `TERM=dumb`.
    pub(crate) color: bool,
    /// Whether a pager can be used.
    pub(crate) pager: bool,
}

impl Terminal {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        let real = io::stdout().is_terminal();
        match variable(FORCE_TTY) {
            Some(forced) => {
                let width = forced.parse().ok().filter(|width| *width > 0).unwrap_or(USUAL_WIDTH);
                Self { width: Some(width), color: variable("NO_COLOR").is_none(), pager: real }
            }
            None if real => {
                let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
                Self { width: Some(Table::new().width().unwrap_or(USUAL_WIDTH)), color, pager: true }
            }
            None => Self::default(),
        }
    }
}

/// A variable of the environment that is not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
