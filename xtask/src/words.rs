//! A test of the words in names, comments, docs, help and the OpenAPI document: they are plain technical English.
//!
//! The list says what not to write, and what to write instead. A file that has not been edited yet is in [`NOT_YET`], which may only get
//! shorter.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

/// What not to write, compared as whole words regardless of case, and what to write instead.
const WORDS: &[(&[&str], &str)] = &[
    (&["leave to", "whose leave"], "permission, authority"),
    (&["he", "his", "him", "himself", "whoever", "whosever"], "they; the caller, the user, the member"),
    (&["stands", "stand on", "hangs on"], "is, depends on, belongs to"),
    (&["what was made", "what is made"], "the created record"),
    (&["what went"], "deleted records"),
    (&["hears"], "receives"),
    (&["cannot be taken"], "is invalid"),
    (&["none of the values"], "must be one of: a, b, c"),
    (&["no such thing", "that you may see"], "not found"),
    (&["not good"], "invalid"),
    (&["too low", "least role"], "requires the role X or higher; minimum role"),
    (&["tries of"], "failed sign-in attempts"),
    (&["tried out", "tries out", "TryOut"], "validated only, validate_only, dry run"),
    (&["kept answer", "kept answers"], "stored response"),
    (&["look round", "looks round", "sweep out", "what is over"], "purge expired rows; expired"),
    (&["a text", "whole number", "whole numbers"], "a string, an integer"),
    (
        &["somebody", "nobody", "anybody", "everybody"],
        "a caller, no caller; \"a key cannot create another key\"",
    ),
    (&["lest", "but for", "for want of"], "so that ... not; except; without"),
    (&["anew"], "again"),
    (&["goes on", "went on", "going on", "under way"], "continues; running"),
    (&["unless said otherwise", "unless asked otherwise"], "by default"),
    (&["what comes of", "what came of", "what becomes of", "what became of"], "the result of"),
    (&["as it came", "as they came"], "as received, unchanged"),
    (&["tells of", "told of", "hears of", "heard of"], "reports; receives; learns about"),
    (&["good for nothing", "is no good"], "invalid"),
    (&["in force"], "effective"),
    (&["proved who they are", "prove who they are"], "proved their identity"),
    (&["throw-away"], "temporary"),
    (&["none where"], "`None` if, or null if"),
    (&["had in time", "be had"], "acquired, obtained"),
];

/// What is said of people in this sentence only: the summary of a changeset, beside "310 families hear of it".
const SUMMARY: &str = "1 family hears of it";

/// Files and folders that have not been edited yet. Remove one when it has been; do not add any.
const NOT_YET: &[&str] = &[
    // The system's user `nobody`: this one stays.
    "xtask/src/account.rs",
];

/// What is searched: sources, their snapshots, and documents. The data files and Swagger UI come from others.
const SEARCHED: &[&str] =
    &["crates", "deploy", "docs", "xtask", "README.md", "CONTRIBUTING.md", "SECURITY.md"];
const ENDINGS: &[&str] = &["rs", "md", "sql", "toml", "txt", "json", "service", "conf"];

/// One line with something not to write.
struct Finding {
    file: String,
    line: usize,
    wrong: &'static str,
    instead: &'static str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            files(&entry.expect("an entry").path(), found);
        }
    } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
        found.push(path.to_owned());
    }
}

/// Whether a text contains these words, as whole words.
fn contains(text: &str, words: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !is_word(before.chars().next_back()) && !is_word(after.chars().next())
    })
}

fn wrong_words(text: &str) -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    text.lines().enumerate().flat_map(|(at, line)| {
        let line = line.to_lowercase().replace(SUMMARY, "");
        let words = WORDS.iter().flat_map(|(words, instead)| words.iter().map(move |word| (*word, *instead)));
        let wrong = words.filter(move |(word, _)| contains(&line, &word.to_lowercase()));
        wrong.map(move |(word, instead)| (at + 1, word, instead))
    })
}

fn findings() -> Vec<Finding> {
    let root = root();
    let mut paths = Vec::new();
    for path in SEARCHED {
        files(&root.join(path), &mut paths);
    }
    paths.sort();
    let mut findings = Vec::new();
    for path in paths.iter().filter(|path| !path.ends_with("xtask/src/words.rs")) {
        let file = path.strip_prefix(&root).expect("below the root").display().to_string();
        let text = fs::read_to_string(path).unwrap_or_default();
        findings.extend(wrong_words(&text).map(|(line, wrong, instead)| Finding {
            file: file.clone(),
            line,
            wrong,
            instead,
        }));
    }
    findings
}

fn is_below(file: &str, place: &str) -> bool {
    Path::new(file).starts_with(place)
}

#[test]
fn everything_a_person_reads_is_plain_english() {
    let findings = findings();
    let new = findings.iter().filter(|found| !NOT_YET.iter().any(|place| is_below(&found.file, place)));
    let new: Vec<_> = new
        .map(|found| format!("{}:{}: \"{}\": write {}", found.file, found.line, found.wrong, found.instead))
        .collect();
    assert!(new.is_empty(), "not plain English:\n{}", new.join("\n"));
    for place in NOT_YET {
        let needed = findings.iter().any(|found| is_below(&found.file, place));
        assert!(needed, "{place} has been edited: remove it from NOT_YET");
    }
}

#[test]
fn words_are_found_as_whole_words_in_any_case() {
    let wrong = |text: &str| wrong_words(text).map(|(line, wrong, _)| (line, wrong)).collect::<Vec<_>>();
    assert_eq!(wrong("fine\nNobody is here"), [(2, "nobody")]);
    assert_eq!(wrong("a key of his.\n"), [(1, "his")]);
    assert_eq!(wrong("history, the shell, latest, TryOutside, understands"), []);
    assert_eq!(wrong("`TryOut` cannot be taken"), [(1, "cannot be taken"), (1, "TryOut")]);
}
