//! Names that look like different spellings of one: `Liverpool` and `Liverpool FC`, `U12 Red` and `U12 Reds`, `Sea Hawks` and `Seahawks`.
//!
//! Numbers and single letters are never ignored: `U12 Red` and `U14 Red`, `Eagles A` and `Eagles B` are different teams.

use std::collections::HashMap;

use fieldhouse_domain::text::fold;

/// Words that clubs add to their name or leave out.
const CLUB_WORDS: [&str; 12] = ["fc", "sc", "cf", "afc", "ac", "bc", "cc", "fk", "sk", "club", "the", "team"];
/// Beyond this many names in a group, typing errors are not looked for, because each name is compared with all others.
const MAX_COMPARED: usize = 500;
/// The shortest word in which a typing error is assumed.
const SHORTEST_TYPED: usize = 5;

/// Names in one group, each with a value.
pub(super) struct Spellings<T> {
    names: Vec<(String, String, T)>,
    by_key: HashMap<(Way, String), Vec<usize>>,
}

/// A way in which two spellings differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    Club,
    Plural,
    Spaces,
    Order,
}

impl Way {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Club, "They differ only in a word such as FC or Club."),
        (Self::Plural, "They differ only in a final s."),
        (Self::Spaces, "They differ only in spaces."),
        (Self::Order, "They have the same words in another order."),
    ];

    /// What two spellings that differ in this way have in common.
    fn key(self, folded: &str) -> String {
        let words = folded.split(' ');
        match self {
            Self::Club => {
                let kept: Vec<&str> = words.filter(|word| !CLUB_WORDS.contains(word)).collect();
                if kept.is_empty() { folded.to_owned() } else { kept.join(" ") }
            }
            Self::Plural => words.map(singular).collect::<Vec<_>>().join(" "),
            Self::Spaces => words.collect(),
            Self::Order => {
                let mut words: Vec<&str> = words.collect();
                words.sort_unstable();
                words.join(" ")
            }
        }
    }
}

fn singular(word: &str) -> &str {
    if word.len() > 2 { word.strip_suffix('s').unwrap_or(word) } else { word }
}

impl<T> Default for Spellings<T> {
    fn default() -> Self {
        Self { names: Vec::new(), by_key: HashMap::new() }
    }
}

impl<T> Spellings<T> {
    /// Adds a name.
    pub(super) fn add(&mut self, name: &str, value: T) {
        let folded = fold(name);
        for (way, _) in Way::ALL {
            self.by_key.entry((way, way.key(&folded))).or_default().push(self.names.len());
        }
        self.names.push((name.to_owned(), folded, value));
    }

    /// The names that look like this one, each with the reason. Names that are equal when folded are the same, not alike.
    pub(super) fn like(&self, name: &str) -> impl Iterator<Item = (&str, &T, &'static str)> {
        let folded = fold(name);
        let mut found: Vec<(usize, &'static str)> = Vec::new();
        let mut add = |index: usize, reason| {
            let is_known = found.iter().any(|(known, _)| *known == index);
            if !is_known && self.names[index].1 != folded {
                found.push((index, reason));
            }
        };
        for (way, reason) in Way::ALL {
            let same = self.by_key.get(&(way, way.key(&folded)));
            same.into_iter().flatten().for_each(|index| add(*index, reason));
        }
        if self.names.len() <= MAX_COMPARED {
            for (index, (_, other, _)) in self.names.iter().enumerate() {
                if is_typing_error(&folded, other) {
                    add(index, "They differ only in one letter.");
                }
            }
        }
        found.into_iter().map(|(index, reason)| {
            let (name, _, value) = &self.names[index];
            (name.as_str(), value, reason)
        })
    }
}

/// Whether two names differ in one word, by one letter that is missing, added, wrong or exchanged with its neighbour.
fn is_typing_error(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    if one.len() != other.len() {
        return false;
    }
    let mut different = one.iter().zip(&other).filter(|(one, other)| one != other);
    match (different.next(), different.next()) {
        (Some((one, other)), None) => differ_by_one_letter(one, other),
        _ => false,
    }
}

fn differ_by_one_letter(one: &str, other: &str) -> bool {
    let (mut one, mut other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len() > other.len() {
        std::mem::swap(&mut one, &mut other);
    }
    let typed = |word: &[char]| word.len() >= SHORTEST_TYPED && !word.iter().any(char::is_ascii_digit);
    if !typed(&one) || !typed(&other) || other.len() - one.len() > 1 {
        return false;
    }
    let start = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let (rest, longer) = (&one[start..], &other[start..]);
    if rest.len() < longer.len() {
        return rest == &longer[1..];
    }
    let exchanged =
        rest.len() >= 2 && rest[0] == longer[1] && rest[1] == longer[0] && rest[2..] == longer[2..];
    rest[1..] == longer[1..] || exchanged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(known: &str, name: &str) -> Vec<&'static str> {
        let mut spellings = Spellings::default();
        spellings.add(known, ());
        spellings.like(name).map(|(_, (), reason)| reason).collect()
    }

    #[test]
    fn spellings_of_one_club_are_found() {
        for (one, other, reason) in [
            ("Liverpool", "Liverpool FC", "FC or Club"),
            ("AFC Bournemouth", "Bournemouth", "FC or Club"),
            ("U12 Red", "U12 Reds", "final s"),
            ("Seahawks", "Sea Hawks", "spaces"),
            ("Red U12 Girls", "U12 Girls Red", "another order"),
            ("Newlands Bullants", "Newlands Bulants", "one letter"),
            ("Newlands Bullants", "Newlands Bulalnts", "one letter"),
            ("Panthers White", "Panthers Wihte", "one letter"),
        ] {
            for (known, name) in [(one, other), (other, one)] {
                let found = reasons(known, name);
                assert!(found.len() == 1 && found[0].contains(reason), "{known}, {name}: {found:?}");
            }
        }
    }

    #[test]
    fn different_teams_are_not_alike() {
        for (one, other) in [
            ("U12 Red", "U14 Red"),
            ("Eagles A", "Eagles B"),
            ("Court 1", "Court 2"),
            ("Magic Gold", "Magic Blue"),
            ("Red", "Rod"),
            ("FC", "SC"),
            ("Magic", "magic!"),
            ("W73", "W74"),
            ("1A", "2A"),
        ] {
            assert_eq!(reasons(one, other), [""; 0], "{one}, {other}");
        }
    }
}
