//! Normalized names of programs' divisions.

/// The first words of the Department's names of divisions, folded, longest first, with the names in tables of programs.
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

/// The name of a division in tables of programs: `NCAA D1` for `NCAA Division I-FCS`, whose second part is about football only. Other names
/// stay unchanged.
pub(super) fn short(division: &str) -> String {
    let folded = fieldhouse_domain::text::fold(division);
    let short = SHORT.iter().find(|(beginning, _)| folded.starts_with(beginning));
    short.map_or(division, |(_, short)| short).to_owned()
}
