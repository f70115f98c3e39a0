//! Search by words, compared with the words of names.

use crate::text::{InvalidValue, fold};

/// The maximum number of words in a search.
pub const MAX_WORDS: usize = 6;
/// The maximum length of the folded words together, in bytes.
const MAX_BYTES: usize = 200;

/// The folded words of a search. It finds names that contain a word starting with each of them, in any order.
pub fn words(query: &str) -> Result<Vec<String>, InvalidValue> {
    let folded = fold(query);
    let words: Vec<String> = folded.split_whitespace().map(str::to_owned).collect();
    if words.len() > MAX_WORDS || folded.len() > MAX_BYTES {
        let fix = format!("Search for at most {MAX_WORDS} words and {MAX_BYTES} bytes.");
        return Err(InvalidValue::new("too_long", "is too long", fix));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_folded_and_bounded() {
        assert_eq!(words("  Été  A&M "), Ok(["ete", "a", "and", "m"].map(str::to_owned).into()));
        assert_eq!(words("a b c d e f g").map_err(|wrong| wrong.code), Err("too_long"));
        assert_eq!(words(&"a".repeat(201)).map_err(|wrong| wrong.code), Err("too_long"));
        assert_eq!(words(""), Ok(Vec::new()));
    }
}
