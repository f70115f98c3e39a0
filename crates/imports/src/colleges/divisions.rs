//! Divisions of programs in one spelling.

/// The beginnings of the Department's names of divisions, folded, longest first, and what the programs' tables call them.
const SHORT: [(&str, &str); 10] = [
    ("ncaa division iii", "NCAA D3"),
    ("ncaa division ii", "NCAA D2"),
    ("ncaa division i", "NCAA D1"),
    ("njcaa division iii", "NJCAA D3"),
    ("njcaa division ii", "NJCAA D2"),
    ("njcaa division i", "NJCAA D1"),
    ("nccaa", "NCCAA"),
    ("cccaa", "CCCAA (JC)"),
    ("naia", "NAIA"),
    ("nwac", "NWAC (JC)"),
];

/// What a program's table calls a division that the Department names at length: `NCAA D1` for `NCAA Division I-FCS`, whose second
/// part is about football only. Others keep their name.
pub(super) fn short(division: &str) -> String {
    let folded = fieldhouse_domain::text::fold(division);
    let short = SHORT.iter().find(|(beginning, _)| folded.starts_with(beginning));
    short.map_or(division, |(_, short)| short).to_owned()
}
