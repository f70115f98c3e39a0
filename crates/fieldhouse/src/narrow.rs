//! Which columns of a table are shown if there is too little room for all of them.
//!
//! Columns without values are left out first, then the ids of other records, then the details after the status. A record's own id stays
//! longer than details if it fits beside what comes up to the status: it is needed to do something with the record.

use crate::tables::{GAP, Grid, Width};

/// The headings of statuses.
pub(crate) const STATUSES: &[&str] = &["STATUS", "STATE"];
/// The heading of the result of a game.
pub(crate) const SCORE: &str = "SCORE";
const OWN_ID: &str = "ID";

/// Columns in the order in which they are left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    WithoutValues,
    IdOfAnother,
    IdWithoutRoom,
    Detail,
    Id,
    Main,
    /// Never left out: without its status and score, a cancelled or finished game looks like any other.
    Kept,
}

/// The width of each column in this room; `None` for those that are left out. `natural` are the widths of their values.
pub(crate) fn widths(grid: &Grid, natural: &[u16], room: u16) -> Vec<Option<u16>> {
    let least: Vec<u16> =
        grid.widths.iter().zip(natural).map(|(width, natural)| least(*width, *natural)).collect();
    let mut shown: Vec<usize> = (0..natural.len()).collect();
    for place in order(grid, &least, room) {
        if total(shown.iter().map(|place| least[*place])) <= room.into() {
            break;
        }
        shown.retain(|shown| *shown != place);
    }
    let mut widths = vec![None; natural.len()];
    for place in &shown {
        widths[*place] = Some(natural[*place]);
    }
    while total(widths.iter().copied().flatten()) > room.into() {
        let longest = shown.iter().copied().filter(|place| widths[*place] > Some(least[*place]));
        let Some(longest) = longest.max_by_key(|place| widths[*place]) else { break };
        widths[longest] = widths[longest].map(|width| width - 1);
    }
    widths
}

fn least(width: Width, natural: u16) -> u16 {
    match width {
        Width::Whole => natural,
        Width::Least(least) => natural.min(least),
    }
}

/// The width of columns beside each other.
fn total(widths: impl Iterator<Item = u16>) -> u32 {
    widths.map(|width| u32::from(width + GAP)).sum::<u32>().saturating_sub(GAP.into())
}

/// The columns that can be left out, in their order. Of equal ones, the last is left out first.
fn order(grid: &Grid, least: &[u16], room: u16) -> Vec<usize> {
    let kinds = kinds(grid, least, room);
    let mut places: Vec<usize> = (0..kinds.len()).rev().filter(|place| kinds[*place] != Kind::Kept).collect();
    places.sort_by_key(|place| kinds[*place]);
    places
}

fn kinds(grid: &Grid, least: &[u16], room: u16) -> Vec<Kind> {
    let status = grid.headings.iter().position(|heading| STATUSES.contains(heading)).unwrap_or(0);
    let mut kinds: Vec<Kind> = (0..grid.headings.len()).map(|place| kind(grid, place, status)).collect();
    let own = grid.headings.iter().position(|heading| *heading == OWN_ID);
    if let Some(own) = own.filter(|own| *own > 0) {
        let beside =
            kinds.iter().zip(least).filter(|(kind, _)| **kind >= Kind::Main).map(|(_, least)| *least);
        let fits = total(beside.chain([least[own]])) <= room.into();
        kinds[own] = if fits { Kind::Id } else { Kind::IdWithoutRoom };
    }
    kinds
}

fn kind(grid: &Grid, place: usize, status: usize) -> Kind {
    let heading = grid.headings[place];
    match values(grid, place).next() {
        _ if place == 0 || STATUSES.contains(&heading) => Kind::Kept,
        None => Kind::WithoutValues,
        Some(_) if heading == SCORE => Kind::Kept,
        Some(value) if is_id(value) => Kind::IdOfAnother,
        Some(_) if place < status => Kind::Main,
        Some(_) => Kind::Detail,
    }
}

/// Whether any record has a value in this column.
pub(crate) fn has_values(grid: &Grid, place: usize) -> bool {
    values(grid, place).next().is_some()
}

fn values(grid: &Grid, place: usize) -> impl Iterator<Item = &str> {
    grid.rows.iter().map(move |row| row[place].as_str()).filter(|cell| !matches!(*cell, "" | "-"))
}

/// Whether a cell is the id of a record, such as `gam_01h2xcejqtf2nbrexx3vqjhp41`.
fn is_id(cell: &str) -> bool {
    let letters =
        |text: &str| text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    cell.rsplit_once('_')
        .is_some_and(|(kind, id)| id.len() == 26 && letters(id) && letters(&kind.replace('_', "")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Column;

    const ID: &str = "tea_01h2xcejqtf2nbrexx3vqjhp41";

    /// The headings that are shown in this room.
    fn shown<'a, const N: usize>(
        columns: &[Column<[&'a str; N]>],
        row: [&'a str; N],
        room: u16,
    ) -> Vec<&'static str> {
        let grid = Grid::of(&[row], columns);
        let natural = |place: usize| grid.headings[place].len().max(row[place].len());
        let natural: Vec<u16> = (0..N).map(|place| u16::try_from(natural(place)).expect("a width")).collect();
        let widths = widths(&grid, &natural, room);
        grid.headings
            .iter()
            .zip(widths)
            .filter(|(_, width)| width.is_some())
            .map(|(heading, _)| *heading)
            .collect()
    }

    #[test]
    fn the_own_id_outlasts_ids_of_other_records_and_details() {
        const TEAMS: &[Column<[&str; 5]>] = &[
            ("NAME", Width::Least(16), |it| it[0].to_owned()),
            ("SHORT NAME", Width::Whole, |it| it[1].to_owned()),
            ("DIVISION", Width::Whole, |it| it[2].to_owned()),
            ("SEASON", Width::Whole, |it| it[3].to_owned()),
            ("ID", Width::Whole, |it| it[4].to_owned()),
        ];
        let team = ["Newlands U8 Mixed BULLANTS", "BUL", ID, ID, ID];
        assert_eq!(shown(TEAMS, team, 100), ["NAME", "SHORT NAME", "DIVISION", "ID"]);
        assert_eq!(shown(TEAMS, team, 80), ["NAME", "SHORT NAME", "ID"]);
        assert_eq!(shown(TEAMS, team, 50), ["NAME", "ID"]);
        assert_eq!(shown(TEAMS, team, 40), ["NAME", "SHORT NAME"]);
        let unnamed = ["Newlands U8 Mixed BULLANTS", "-", ID, ID, ID];
        assert_eq!(shown(TEAMS, unnamed, 114), ["NAME", "DIVISION", "SEASON", "ID"], "nothing is lost");
    }

    #[test]
    fn a_score_and_a_status_are_never_left_out() {
        const GAMES: &[Column<[&str; 7]>] = &[
            ("STARTS", Width::Whole, |it| it[0].to_owned()),
            ("HOME", Width::Least(14), |it| it[1].to_owned()),
            ("AWAY", Width::Least(14), |it| it[2].to_owned()),
            ("SCORE", Width::Whole, |it| it[3].to_owned()),
            ("STATUS", Width::Whole, |it| it[4].to_owned()),
            ("VENUE", Width::Least(12), |it| it[5].to_owned()),
            ("ID", Width::Whole, |it| it[6].to_owned()),
        ];
        let start = "Sat 2026-11-28 08:30";
        let game =
            |score| [start, "Newlands U8 Mixed BULLANTS", "Panthers", score, "cancelled", "Town Hall", ID];
        assert_eq!(shown(GAMES, game("3-1"), 120).len(), 7);
        assert_eq!(shown(GAMES, game("3-1"), 80), ["STARTS", "HOME", "AWAY", "SCORE", "STATUS", "VENUE"]);
        assert_eq!(shown(GAMES, game("3-1"), 60), ["STARTS", "HOME", "SCORE", "STATUS"]);
        assert_eq!(shown(GAMES, game("3-1"), 10), ["STARTS", "SCORE", "STATUS"]);
        assert_eq!(shown(GAMES, game("-"), 70), ["STARTS", "HOME", "AWAY", "STATUS", "VENUE"]);
    }

    #[test]
    fn ids_are_recognized() {
        assert!(is_id(ID) && !is_id("in_progress") && !is_id("-") && !is_id("Newlands U8"));
    }
}
