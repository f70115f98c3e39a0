//! The expectation: a table written by hand, with a strict parser.

use std::collections::BTreeMap;

/// What is expected, by operation and caller: `200`, or `403 role_insufficient`.
#[derive(Debug)]
pub(crate) struct Expectation {
    pub(crate) callers: Vec<String>,
    pub(crate) rows: BTreeMap<String, Vec<String>>,
}

impl Expectation {
    /// Parses the table: words with their meaning, a line with the callers, a line for each operation.
    pub(crate) fn parse(text: &str) -> Self {
        let mut words = BTreeMap::new();
        let mut callers = Vec::new();
        let mut rows = BTreeMap::new();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        for line in lines {
            if let Some((word, meaning)) = line.split_once(" = ") {
                words.insert(word.trim().to_owned(), meaning.trim().to_owned());
                continue;
            }
            let mut cells = line.split_whitespace().map(str::to_owned);
            let operation = cells.next().expect("a line that is not blank");
            let cells: Vec<_> = cells.collect();
            if operation == "operation" {
                callers = cells;
                continue;
            }
            assert_eq!(cells.len(), callers.len(), "{operation} must have one cell for each caller");
            let cells = cells.into_iter().map(|cell| {
                let meaning = words.get(&cell).cloned();
                let known = meaning.is_some() || cell.parse::<u16>().is_ok();
                assert!(known, "{operation}: {cell} is neither a status nor a word");
                meaning.unwrap_or(cell)
            });
            let before = rows.insert(operation.clone(), cells.collect());
            assert!(before.is_none(), "{operation} is in the table twice");
        }
        Self { callers, rows }
    }
}
