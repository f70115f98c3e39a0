//! Search by words: the parameters of a search.

use fieldhouse_domain::search::MAX_WORDS;
use fieldhouse_domain::text;

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
    std::array::from_fn(|at| words.get(at).map_or_else(|| "%".to_owned(), |word| format!("% {word}%")))
}

/// The range of words that start with the longest of these.
pub(crate) fn range(words: &[String]) -> (String, String) {
    let longest = words.iter().max_by_key(|word| word.len()).cloned().unwrap_or_default();
    let end = format!("{longest}\u{10ffff}");
    (longest, end)
}

/// Whether a name contains words that start with these.
pub(crate) fn has_words(name: &str, words: &[String]) -> bool {
    let folded = format!(" {}", text::fold(name));
    words.iter().all(|word| folded.contains(&format!(" {word}")))
}
