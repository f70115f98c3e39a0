//! Tables for people. On a terminal, each record stays on one line: first columns are shortened between words, then some are left out, as
//! `narrow.rs` says. Otherwise everything is printed, so that grep, sort and cut can be used.

use comfy_table::Width::Fixed;
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table};

use crate::narrow::{STATUSES, has_values, widths};
use crate::output::clean;

/// A column of a table: its heading, width and content. Columns are in the order of importance, except the last one, a record's id.
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
pub(crate) const GAP: u16 = 2;

/// A heading and rows.
pub(crate) struct Grid {
    pub(crate) headings: Vec<&'static str>,
    pub(crate) widths: Vec<Width>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Grid {
    /// The rows of these records.
    pub(crate) fn of<T>(records: &[T], columns: &[Column<T>]) -> Self {
        let row = |record| columns.iter().map(|(.., show)| clean(&show(record))).collect();
        Self {
            headings: columns.iter().map(|(heading, ..)| *heading).collect(),
            widths: columns.iter().map(|(_, width, _)| *width).collect(),
            rows: records.iter().map(row).collect(),
        }
    }

    fn table(&self, color: bool) -> Table {
        let mut table = empty();
        let heading = |heading: &&'static str| {
            let cell = Cell::new(*heading);
            if color { cell.add_attribute(Attribute::Bold) } else { cell }
        };
        table.set_header(self.headings.iter().map(heading));
        for row in &self.rows {
            let cells = self.headings.iter().zip(row).map(|(heading, text)| {
                let shade = color.then(|| shade(heading, text)).flatten();
                shade.map_or_else(|| Cell::new(text), |shade| Cell::new(text).fg(shade))
            });
            table.add_row(cells);
        }
        if color {
            table.enforce_styling();
        }
        pad(&mut table);
        table
    }
}

/// The colour of a status that needs attention.
fn shade(heading: &str, status: &str) -> Option<Color> {
    match status {
        _ if !STATUSES.contains(&heading) => None,
        "cancelled" | "abandoned" | "forfeit" | "revoked" | "expired" | "suspended" | "removed" => {
            Some(Color::Red)
        }
        "postponed" | "paused" | "draft" | "invited" | "pending" => Some(Color::Yellow),
        "in_progress" => Some(Color::Green),
        _ => None,
    }
}

/// Records as a table, one in each line, and the headings of columns with values that were left out.
pub(crate) fn list(grid: &Grid, room: Option<u16>, color: bool) -> (String, Vec<&'static str>) {
    let mut table = grid.table(color);
    let Some(room) = room else { return (table.trim_fmt(), Vec::new()) };
    let natural = table.column_max_content_widths();
    let widths = widths(grid, &natural, room);
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
    let left_out = (0..widths.len()).filter(|place| widths[*place].is_none() && has_values(grid, *place));
    let left_out = left_out.map(|place| grid.headings[place]).collect();
    (table.trim_fmt(), left_out)
}

/// Records as a table with all columns; long values continue in the next line.
pub(crate) fn wrapped<T>(records: &[T], columns: &[Column<T>], room: Option<u16>) -> String {
    wrap(Grid::of(records, columns).table(false), room)
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

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column<[&str; 5]>] = &[
        ("STARTS", Width::Whole, |it| it[0].to_owned()),
        ("HOME", Width::Least(12), |it| it[1].to_owned()),
        ("STATUS", Width::Whole, |it| it[2].to_owned()),
        ("ROUND", Width::Whole, |it| it[3].to_owned()),
        ("ID", Width::Whole, |it| it[4].to_owned()),
    ];

    fn games() -> Grid {
        let game =
            ["Sat 2026-11-28 08:30", "Newlands U8 Mixed BULLANTS", "cancelled", "Round 1", "gam_01m7y3mjr2"];
        Grid::of(&[game, ["", "Panthers", "", "", ""]], COLUMNS)
    }

    fn at(room: Option<u16>) -> (String, Vec<&'static str>) {
        list(&games(), room, false)
    }

    #[test]
    fn every_column_is_shown_if_there_is_room_or_no_terminal() {
        let whole = "\
STARTS                HOME                        STATUS     ROUND    ID
Sat 2026-11-28 08:30  Newlands U8 Mixed BULLANTS  cancelled  Round 1  gam_01m7y3mjr2
                      Panthers";
        assert_eq!(at(None), (whole.to_owned(), vec![]));
        assert_eq!(at(Some(84)), (whole.to_owned(), vec![]));
    }

    #[test]
    fn names_are_shortened_between_words_before_columns_are_left_out() {
        let shorter = "\
STARTS                HOME                STATUS     ROUND    ID
Sat 2026-11-28 08:30  Newlands U8 Mixed…  cancelled  Round 1  gam_01m7y3mjr2
                      Panthers";
        assert_eq!(at(Some(76)), (shorter.to_owned(), vec![]));
    }

    #[test]
    fn the_id_is_left_out_first_and_the_status_never() {
        let narrow = "\
STARTS                HOME                STATUS     ROUND
Sat 2026-11-28 08:30  Newlands U8 Mixed…  cancelled  Round 1
                      Panthers";
        assert_eq!(at(Some(60)), (narrow.to_owned(), vec!["ID"]));
        assert_eq!(at(Some(50)).1, ["ROUND", "ID"]);
        let narrowest = "\
STARTS                STATUS
Sat 2026-11-28 08:30  cancelled";
        assert_eq!(at(Some(10)), (format!("{narrowest}\n"), vec!["HOME", "ROUND", "ID"]));
    }

    #[test]
    fn a_status_that_needs_attention_is_coloured() {
        let (table, _) = list(&games(), Some(100), true);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].starts_with("\u{1b}[1m"), "{table:?}");
        assert!(lines[1].contains("\u{1b}[38;5;9mcancelled"), "{table:?}");
        assert!(!lines[2].contains('\u{1b}'), "{table:?}");
    }
}
