//! How a table is written: its delimiter, and the order of day, month and year in its dates. Both are detected unless the caller sets them.

use std::collections::BTreeSet;

use fieldhouse_domain::record::enumeration;

enumeration! {
    /// The character between the columns of a table.
    Delimiter {
        /// A comma.
        Comma "comma",
        /// A semicolon.
        Semicolon "semicolon",
        /// A tab.
        Tab "tab",
    }
}

enumeration! {
    /// The order of day, month and year in a date.
    DateOrder {
        /// Day, month, year: `31/05/2026`.
        Dmy "dmy",
        /// Month, day, year: `05/31/2026`.
        Mdy "mdy",
        /// Year, month, day: `2026-05-31`. Such dates are read correctly with every order.
        Ymd "ymd",
    }
}

impl Delimiter {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }

    /// The delimiter that splits the header into the most columns.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        let columns = |delimiter: Self| {
            let mut first = csv::ByteRecord::new();
            let read = delimiter.reader(bytes).read_byte_record(&mut first);
            read.map_or(0, |_| first.len())
        };
        // `max_by_key` returns the last maximum, and a comma is the most likely.
        [Self::Tab, Self::Semicolon, Self::Comma]
            .into_iter()
            .max_by_key(|it| columns(*it))
            .unwrap_or(Self::Comma)
    }

    pub(crate) fn reader(self, bytes: &[u8]) -> csv::Reader<&[u8]> {
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(self.byte()).from_reader(bytes)
    }
}

impl DateOrder {
    /// How a date in this order is written, for a person.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Dmy => "DD/MM/YYYY",
            Self::Mdy => "MM/DD/YYYY",
            Self::Ymd => "YYYY-MM-DD",
        }
    }
}

/// What a date reveals about the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Clue {
    YearFirst,
    /// A number above 12 comes first.
    DayFirst,
    /// A number above 12 comes second.
    MonthFirst,
    /// Both numbers could be the month.
    Either,
}

/// What the dates of a file reveal about their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DateClues(BTreeSet<Clue>);

impl DateClues {
    /// Adds a date. Other text is ignored.
    pub(crate) fn add(&mut self, text: &str) {
        let parts: Vec<&str> = text.split(['/', '.', '-']).map(str::trim).collect();
        let [first, second, _] = parts[..] else { return };
        self.0.extend(match (first.len(), first.parse::<u8>(), second.parse::<u8>()) {
            (4, ..) => Some(Clue::YearFirst),
            (_, Ok(13..), _) => Some(Clue::DayFirst),
            (_, _, Ok(13..)) => Some(Clue::MonthFirst),
            (_, Ok(_), Ok(_)) => Some(Clue::Either),
            _ => None,
        });
    }

    /// The order, and whether it is only assumed because no date reveals it. Where the dates contradict each other, the default order makes
    /// some of them bad rows.
    pub(crate) fn order(&self, default: DateOrder) -> (DateOrder, bool) {
        let has = |clue| self.0.contains(&clue);
        match (has(Clue::DayFirst), has(Clue::MonthFirst)) {
            (true, false) => (DateOrder::Dmy, false),
            (false, true) => (DateOrder::Mdy, false),
            (false, false) if has(Clue::Either) => (default, true),
            (false, false) if has(Clue::YearFirst) => (DateOrder::Ymd, false),
            _ => (default, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_of_the_header_is_detected() {
        for (text, delimiter) in [
            ("a,b,c\n1;2;3;4\n", Delimiter::Comma),
            ("a;b\n1,2,3\n", Delimiter::Semicolon),
            ("a\tb\n", Delimiter::Tab),
            ("\"a;b;c\",d\n", Delimiter::Comma),
            ("one\n", Delimiter::Comma),
            ("\n\na;b\n", Delimiter::Semicolon),
        ] {
            assert_eq!(Delimiter::detect(text.as_bytes()), delimiter, "{text:?}");
        }
    }

    #[test]
    fn the_order_of_dates_is_detected_from_a_day_above_12() {
        use DateOrder::{Dmy, Mdy, Ymd};
        for (dates, order) in [
            (&["01/02/2026", "31/01/2026"][..], (Dmy, false)),
            (&["01/02/2026", "1/31/2026"], (Mdy, false)),
            (&["01.02.2026", "12-12-2026"], (Mdy, true)),
            (&["2026-05-31"], (Ymd, false)),
            (&["2026-05-31", "31/05/2026"], (Dmy, false)),
            (&["2026-05-31", "01/05/2026"], (Mdy, true)),
            (&["31/05/2026", "05/31/2026"], (Mdy, false)),
            (&["TBD", ""], (Mdy, false)),
        ] {
            let mut clues = DateClues::default();
            for date in dates {
                clues.add(date);
            }
            assert_eq!(clues.order(Mdy), order, "{dates:?}");
        }
    }
}
