//! The documents that people read: the Markdown files of the root and of these folders. The tests of links and commands read them here.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose documents are read, with those below them.
const FOLDERS: &[&str] = &["data", "deploy", "docs"];

/// A document.
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All documents, in order.
pub(crate) fn all() -> Vec<Document> {
    let root = root();
    let mut paths = Vec::new();
    find(&root, false, &mut paths);
    for folder in FOLDERS {
        find(&root.join(folder), true, &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| Document { text: fs::read_to_string(&path).expect("a document"), path };
    paths.into_iter().map(read).collect()
}

fn find(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if deep && path.is_dir() {
            find(&path, deep, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// A line of a document.
pub(crate) struct Line<'a> {
    /// Its number, from 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    /// The language of the code block that it is in. `None` outside code blocks.
    pub(crate) block: Option<&'a str>,
}

/// The lines of a document, without those that start and end code blocks.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut block = None;
    text.lines().enumerate().filter_map(move |(at, text)| {
        if let Some(language) = text.trim_start().strip_prefix("```") {
            block = if block.is_none() { Some(language) } else { None };
            return None;
        }
        Some(Line { number: at + 1, text, block })
    })
}

impl Document {
    /// The place of a line, for messages.
    pub(crate) fn place(&self, line: usize) -> String {
        let file = self.path.strip_prefix(root()).unwrap_or(&self.path);
        format!("{}:{line}", file.display())
    }
}
