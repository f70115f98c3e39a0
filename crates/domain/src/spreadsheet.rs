//! Cells of spreadsheets: text that a spreadsheet would run as a formula is escaped, and can be read back.
//!
//! Every export and every import of CSV follows this rule (OWASP, "CSV injection").

use std::borrow::Cow;

/// What starts a formula: some programs accept full-width signs, and skip tabs and line ends before them.
const STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The text of a cell that no spreadsheet runs as a formula: an apostrophe is put before it if necessary. Numbers stay as they are.
pub fn escape(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}").into() } else { text.into() }
}

/// The text that [`escape`] wrote as this cell.
pub fn unescape(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest.trim_start_matches('\''))).unwrap_or(cell)
}

fn is_formula(text: &str) -> bool {
    text.starts_with(STARTS) && !is_number(text)
}

/// Whether a cell is a number, such as -3 or +1.5e3. `inf` and `nan` are text.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_are_escaped_and_numbers_are_not() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+61 3 9000", "'+61 3 9000"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r\n=1", "'\r\n=1"),
            ("＝1+1", "'＝1+1"),
            ("-inf", "'-inf"),
            ("'=1", "''=1"),
            ("'tis", "'tis"),
            ("-37.75", "-37.75"),
            ("-.5", "-.5"),
            ("+1e3", "+1e3"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(escape(text), cell);
            assert_eq!(unescape(cell), text);
        }
        assert_eq!(unescape("'tis"), "'tis", "an apostrophe that was not put there stays");
        assert_eq!(unescape("'-3"), "'-3");
    }

    proptest! {
        #[test]
        fn every_text_is_read_back_and_none_is_a_formula(text in "['=+@a1. \\t\\r-]{0,6}|\\PC{0,12}") {
            let cell = escape(&text);
            prop_assert_eq!(unescape(&cell), &text);
            prop_assert!(!is_formula(&cell));
        }
    }
}
