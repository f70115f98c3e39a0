//! Search by words: the parameters of a search.

use fieldhouse_domain::search::MAX_WORDS;

/// The SQL conditions that `name_folded`, or another column, matches the patterns in these parameters.
macro_rules! name_matches {
    ($column:ident: $($parameter:literal)+) => {
        constcat::concat!($(" AND (' ' || ", stringify!($column), ") LIKE $", $parameter),+)
    };
    ($($parameter:literal)+) => { $crate::search::name_matches!(name_folded: $($parameter)+) };
}
pub(crate) use name_matches;

/// Patterns that match a folded name, with a space before it, if it contains words that start with these.
pub(crate) fn patterns(words: &[String]) -> [String; MAX_WORDS] {
    optional_patterns(words).map(|pattern| pattern.unwrap_or_else(|| "%".to_owned()))
}

/// The same, with nothing for absent words.
pub(crate) fn optional_patterns(words: &[String]) -> [Option<String>; MAX_WORDS] {
    std::array::from_fn(|at| words.get(at).map(|word| format!("% {word}%")))
}
