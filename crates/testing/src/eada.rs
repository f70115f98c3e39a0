//! A catalogue of invented institutions, as large as that of the EADA and in the layout of its tables, to measure searches. It is always the
//! same.

use std::fmt::Write as _;

/// The number of institutions.
pub const COLLEGES: usize = 2_040;
/// The number of programs.
pub const PROGRAMS: usize = 17_900;

const FIRST: [&str; 24] = [
    "Alder", "Bel", "Cald", "Dun", "East", "Fair", "Glen", "Hart", "Iron", "Juniper", "Kings", "Lake",
    "Maple", "North", "Oak", "Pine", "Quarry", "River", "Stone", "Thorn", "Union", "Vale", "West", "Yar",
];
const SECOND: [&str; 12] =
    ["bridge", "brook", "bury", "dale", "field", "ford", "haven", "mont", "port", "ton", "view", "wood"];
const STATES: [&str; 50] = [
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
    "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND",
    "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
];
const DIVISIONS: [&str; 6] = [
    "NCAA Division I-FBS",
    "NCAA Division I-FCS",
    "NCAA Division II with football",
    "NCAA Division III without football",
    "NAIA Division I",
    "NJCAA Division I",
];
const SPORTS: [(&str, &str); 24] = [
    ("Basketball", "men"),
    ("Basketball", "women"),
    ("Softball", "women"),
    ("Baseball", "men"),
    ("Soccer", "men"),
    ("Soccer", "women"),
    ("Volleyball", "women"),
    ("Golf", "men"),
    ("Golf", "women"),
    ("Tennis", "men"),
    ("Tennis", "women"),
    ("Football", "men"),
    ("Swimming", "women"),
    ("Swimming", "men"),
    ("Lacrosse", "men"),
    ("Lacrosse", "women"),
    ("Field Hockey", "women"),
    ("Ice Hockey", "men"),
    ("Wrestling", "men"),
    ("Rowing", "women"),
    ("Fencing", "women"),
    ("Gymnastics", "women"),
    ("Rifle", "coed"),
    ("Skiing", "women"),
];

/// Numbers in a fixed order (a linear congruential generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }
}

struct Institution {
    unitid: usize,
    name: String,
    city: String,
    state: &'static str,
    division: &'static str,
}

fn institutions() -> Vec<Institution> {
    let mut numbers = Numbers(7);
    let institution = |at: usize| {
        let place = format!("{}{}", FIRST[at % 24], SECOND[at / 24 % 12]);
        let state = STATES[numbers.below(50)];
        let kind = at / 288;
        let name = match (kind, numbers.below(10)) {
            (0, 0..5) => format!("{place} College"),
            (0, _) => format!("University of {place}"),
            (1, _) => format!("{place} State University"),
            (2, _) => format!("{place} Community College"),
            (3, _) => format!("Saint {place}'s College"),
            (4, _) => format!("{place} Institute of Technology"),
            (5, _) => format!("{place} Junior College, {state} Campus"),
            (_, _) => format!("{place} Christian University at {}", FIRST[numbers.below(24)]),
        };
        let division = DIVISIONS[numbers.below(6)];
        Institution { unitid: 900_000 + at, name, city: place, state, division }
    };
    (0..COLLEGES).map(institution).collect()
}

/// The table of colleges.
pub fn colleges() -> String {
    let mut table = String::from(
        "unitid,institution,city,state,zip,division,sector,enrollment_men,enrollment_women,enrollment_total\n",
    );
    let mut numbers = Numbers(11);
    for Institution { unitid, name, city, state, division } in institutions() {
        let (men, women) = (200 + numbers.below(9_000), 200 + numbers.below(9_000));
        // Writing to a string does not fail.
        let _ = writeln!(
            table,
            "{unitid},\"{name}\",{city},{state},{:05},{division},\"Public, 4-year or above\",{men},{women},{}",
            numbers.below(99_999),
            men + women
        );
    }
    table
}

/// The table of programs.
pub fn programs() -> String {
    let mut table =
        String::from("unitid,institution,city,state,division,sport,gender,participants,academic_year\n");
    let mut numbers = Numbers(13);
    for (at, Institution { unitid, name, city, state, division }) in institutions().into_iter().enumerate() {
        let count = PROGRAMS * (at + 1) / COLLEGES - PROGRAMS * at / COLLEGES;
        let first = numbers.below(3);
        for (sport, gender) in (0..count).map(|number| SPORTS[(first + number * 5) % SPORTS.len()]) {
            let _ = writeln!(
                table,
                "{unitid},\"{name}\",{city},{state},{division},{sport},{gender},{},2024-25",
                8 + numbers.below(40)
            );
        }
    }
    table
}
