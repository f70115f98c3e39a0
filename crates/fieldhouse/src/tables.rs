//! Tables for people. On a terminal, each record stays on one line: first columns are shortened between words, then the least important
//! columns are left out. Otherwise everything is printed, so that grep, sort and cut can be used.

use comfy_table::Width::Fixed;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table};

use crate::output::clean;

/// A column of a table: its heading, width and content. Columns are in the order of importance; the last one, a record's id, is never left
/// out.
pub(crate) type Column<T> = (&'static str, Width, fn(&T) -> String);

/// The width of a column.
#[derive(Clone, Copy)]
pub(crate) enum Width {
    /// As wide as its longest value: a part of an id or a date is useless.
    Whole,
    /// At least this wide if there is too little room.
    Least(u16),
}

/// The gap between two columns.
const GAP: u16 = 2;

/// Records as a table, one in each line, and the headings of columns that were left out.
pub(crate) fn list<T>(
    records: &[T],
    columns: &[Column<T>],
    room: Option<u16>,
) -> (String, Vec<&'static str>) {
    let mut table = of_records(records, columns);
    let Some(room) = room else { return (table.trim_fmt(), Vec::new()) };
    let natural = table.column_max_content_widths();
    let wanted: Vec<_> = columns.iter().map(|(_, width, _)| *width).zip(natural.iter().copied()).collect();
    let widths = widths(&wanted, room);
    for (column, (width, natural)) in table.column_iter_mut().zip(widths.iter().zip(natural)) {
        let constraint = match *width {
            None => ColumnConstraint::Hidden,
            Some(width) if width < natural => ColumnConstraint::Absolute(Fixed(width + GAP)),
            Some(_) => continue,
        };
        column.set_constraint(constraint);
    }
    table.set_truncation_indicator("…");
    for row in table.row_iter_mut() {
        row.max_height(1);
    }
    let left_out = columns.iter().zip(&widths).filter(|(_, width)| width.is_none());
    let left_out = left_out.map(|((heading, ..), _)| *heading).collect();
    (table.trim_fmt(), left_out)
}

/// Records as a table with all columns; long values continue in the next line.
pub(crate) fn wrapped<T>(records: &[T], columns: &[Column<T>], room: Option<u16>) -> String {
    wrap(of_records(records, columns), room)
}

/// Fields of one record, one in each line.
pub(crate) fn fields(rows: &[(&str, String)], room: Option<u16>) -> String {
    let mut table = empty();
    table.add_rows(rows.iter().map(|(name, value)| [(*name).to_owned(), clean(value)]));
    wrap(table, room)
}

fn wrap(mut table: Table, room: Option<u16>) -> String {
    pad(&mut table);
    if let Some(room) = room {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(room);
    }
    table.trim_fmt()
}

fn of_records<T>(records: &[T], columns: &[Column<T>]) -> Table {
    let mut table = empty();
    table.set_header(columns.iter().map(|(heading, ..)| *heading));
    table.add_rows(records.iter().map(|record| columns.iter().map(|(.., show)| clean(&show(record)))));
    pad(&mut table);
    table
}

fn empty() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled).force_no_tty();
    table
}

fn pad(table: &mut Table) {
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
}

/// The width of each column; `None` for those that are left out.
fn widths(columns: &[(Width, u16)], room: u16) -> Vec<Option<u16>> {
    let least = |place: usize| match columns[place] {
        (Width::Whole, natural) => natural,
        (Width::Least(least), natural) => natural.min(least),
    };
    let total = |widths: &mut dyn Iterator<Item = u16>| {
        widths.map(|width| u32::from(width + GAP)).sum::<u32>().saturating_sub(GAP.into())
    };
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    while shown.len() > 2 && total(&mut shown.iter().map(|place| least(*place))) > room.into() {
        shown.remove(shown.len() - 2);
    }
    let mut widths = vec![None; columns.len()];
    for place in &shown {
        widths[*place] = Some(columns[*place].1);
    }
    while total(&mut widths.iter().copied().flatten()) > room.into() {
        let longest = shown.iter().copied().filter(|place| widths[*place] > Some(least(*place)));
        let Some(longest) = longest.max_by_key(|place| widths[*place]) else { break };
        widths[longest] = widths[longest].map(|width| width - 1);
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column<[&str; 4]>] = &[
        ("STARTS", Width::Whole, |it| it[0].to_owned()),
        ("HOME", Width::Least(12), |it| it[1].to_owned()),
        ("STATUS", Width::Whole, |it| it[2].to_owned()),
        ("ID", Width::Whole, |it| it[3].to_owned()),
    ];

    fn at(room: Option<u16>) -> (String, Vec<&'static str>) {
        let game = ["Sat 2026-11-28 08:30", "Newlands U8 Mixed BULLANTS", "scheduled", "gam_01m7y3mjr2"];
        list(&[game, ["", "Panthers", "", ""]], COLUMNS, room)
    }

    #[test]
    fn every_column_is_shown_if_there_is_room_or_no_terminal() {
        let whole = "\
STARTS                HOME                        STATUS     ID
Sat 2026-11-28 08:30  Newlands U8 Mixed BULLANTS  scheduled  gam_01m7y3mjr2
                      Panthers";
        assert_eq!(at(None), (whole.to_owned(), vec![]));
        assert_eq!(at(Some(75)), (whole.to_owned(), vec![]));
    }

    #[test]
    fn names_are_shortened_between_words_before_columns_are_left_out() {
        let shorter = "\
STARTS                HOME                STATUS     ID
Sat 2026-11-28 08:30  Newlands U8 Mixed…  scheduled  gam_01m7y3mjr2
                      Panthers";
        assert_eq!(at(Some(67)), (shorter.to_owned(), vec![]));
        let shortest = "\
STARTS                HOME          ID
Sat 2026-11-28 08:30  Newlands U8…  gam_01m7y3mjr2
                      Panthers";
        assert_eq!(at(Some(50)), (shortest.to_owned(), vec!["STATUS"]));
        assert_eq!(at(Some(10)).1, ["HOME", "STATUS"], "the id is always shown");
    }
}
