//! Tables for people. On a terminal, each record stays on one line: first columns are shortened between words, then the least important
//! columns are left out. Otherwise everything is printed, so that grep, sort and cut can be used.

use comfy_table::Width::Fixed;
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table};

use crate::output::clean;

/// A column of a table: its heading, width and content. Columns are in the order of importance; the last one is a record's id.
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
/// The column that is never left out: without it, a cancelled game looks like any other.
const STATUS: &str = "STATUS";

/// A heading and rows.
pub(crate) struct Grid {
    pub(crate) headings: Vec<&'static str>,
    widths: Vec<Width>,
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

impl Grid {
    /// The places of columns in the order in which they are left out: ids first, then from the last one on. The first column and the status
    /// are never left out.
    fn dispensable(&self) -> Vec<usize> {
        let places = (1..self.headings.len()).rev().filter(|place| self.headings[*place] != STATUS);
        let (ids, others): (Vec<_>, Vec<_>) = places.partition(|place| self.has_ids(*place));
        ids.into_iter().chain(others).collect()
    }

    fn has_ids(&self, place: usize) -> bool {
        let mut cells =
            self.rows.iter().map(|row| row[place].as_str()).filter(|cell| !matches!(*cell, "" | "-"));
        self.headings[place] == "ID" || cells.next().is_some_and(is_id)
    }
}

/// Whether a cell is the id of a record, such as `gam_01h2xcejqtf2nbrexx3vqjhp41`.
fn is_id(cell: &str) -> bool {
    let letters =
        |text: &str| text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    cell.rsplit_once('_')
        .is_some_and(|(kind, id)| id.len() == 26 && letters(id) && letters(&kind.replace('_', "")))
}

/// The colour of a status that needs attention.
fn shade(heading: &str, status: &str) -> Option<Color> {
    match status {
        _ if heading != STATUS => None,
        "cancelled" | "abandoned" | "forfeit" | "revoked" | "expired" | "suspended" | "removed" => {
            Some(Color::Red)
        }
        "postponed" | "paused" | "draft" | "invited" | "pending" => Some(Color::Yellow),
        "in_progress" => Some(Color::Green),
        _ => None,
    }
}

/// Records as a table, one in each line, and the headings of columns that were left out.
pub(crate) fn list(grid: &Grid, room: Option<u16>, color: bool) -> (String, Vec<&'static str>) {
    let mut table = grid.table(color);
    let Some(room) = room else { return (table.trim_fmt(), Vec::new()) };
    let natural = table.column_max_content_widths();
    let wanted: Vec<_> = grid.widths.iter().copied().zip(natural.iter().copied()).collect();
    let widths = widths(&wanted, &grid.dispensable(), room);
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
    let left_out = grid.headings.iter().zip(&widths).filter(|(_, width)| width.is_none());
    let left_out = left_out.map(|(heading, _)| *heading).collect();
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

/// The width of each column; `None` for those that are left out. `dispensable` says which may be, in their order.
fn widths(columns: &[(Width, u16)], dispensable: &[usize], room: u16) -> Vec<Option<u16>> {
    let least = |place: usize| match columns[place] {
        (Width::Whole, natural) => natural,
        (Width::Least(least), natural) => natural.min(least),
    };
    let total = |widths: &mut dyn Iterator<Item = u16>| {
        widths.map(|width| u32::from(width + GAP)).sum::<u32>().saturating_sub(GAP.into())
    };
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    for place in dispensable {
        if total(&mut shown.iter().map(|place| least(*place))) <= room.into() {
            break;
        }
        shown.retain(|shown| shown != place);
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
    fn ids_of_other_records_are_left_out_before_the_rest() {
        const TEAMS: &[Column<[&str; 3]>] = &[
            ("NAME", Width::Whole, |it| it[0].to_owned()),
            ("SEASON", Width::Whole, |it| it[1].to_owned()),
            ("SHORT NAME", Width::Whole, |it| it[2].to_owned()),
        ];
        let teams = Grid::of(&[["Panthers", "sea_01h2xcejqtf2nbrexx3vqjhp41", "PAN"]], TEAMS);
        assert_eq!(list(&teams, Some(30), false).1, ["SEASON"]);
        assert!(!is_id("in_progress") && !is_id("-") && !is_id("Newlands U8"));
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
