//! Search by words: what people type, as the words that names are compared with.

use crate::text::{NotText, fold};

/// The most words that a search may have.
pub const MAX_WORDS: usize = 6;
/// The most bytes that its folded words may have together.
const MAX_BYTES: usize = 200;

/// The folded words of a search. Any name whose words start with them, in any order, is found.
pub fn words(typed: &str) -> Result<Vec<String>, NotText> {
    let folded = fold(typed);
    let words: Vec<String> = folded.split_whitespace().map(str::to_owned).collect();
    if words.len() > MAX_WORDS || folded.len() > MAX_BYTES {
        let fix = format!("Search for at most {MAX_WORDS} words of {MAX_BYTES} letters in all.");
        return Err(NotText::new("too_long", "is too long", fix));
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
