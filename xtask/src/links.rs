//! A test of the links in the documents: each file that a link names exists, and so does the heading after `#`. Links to other sites are
//! not followed.

#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::documents;

/// The targets of the links outside code blocks, with the numbers of their lines.
fn targets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    documents::lines(text).filter(|line| line.block.is_none()).flat_map(|line| {
        let links = line.text.match_indices("](");
        links.filter_map(move |(at, start)| {
            let (target, _) = line.text[at + start.len()..].split_once(')')?;
            Some((line.number, target))
        })
    })
}

/// The name that GitHub gives a heading in links.
fn anchor(heading: &str) -> String {
    let heading = heading.to_lowercase();
    let letters = heading.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    letters.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = documents::lines(text).filter(|line| line.block.is_none() && line.text.starts_with('#'));
    headings.map(|line| anchor(line.text.trim_start_matches('#').trim())).collect()
}

/// What is wrong with a link of a document.
fn wrong(document: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { document.to_owned() } else { document.with_file_name(file) };
    if !path.exists() {
        return Some("the file does not exist");
    }
    let has_heading = || anchors(&fs::read_to_string(&path).unwrap_or_default()).contains(heading);
    (!heading.is_empty() && !has_heading()).then_some("the heading does not exist")
}

#[test]
fn the_links_of_the_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for document in documents::all() {
        broken.extend(targets(&document.text).filter_map(|(line, target)| {
            let why = wrong(&document.path, target)?;
            Some(format!("{}: {target}: {why}", document.place(line)))
        }));
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn links_and_headings_are_found() {
    let text = "# The key ring\n\n[a](b.md) and [c](d.md#e-f)\n\n```\n# [no](link)\n```\n## `init`, once\n";
    assert_eq!(targets(text).collect::<Vec<_>>(), [(3, "b.md"), (3, "d.md#e-f")]);
    assert_eq!(anchors(text), BTreeSet::from(["init-once", "the-key-ring"].map(str::to_owned)));
}

#[test]
fn a_missing_file_or_heading_is_wrong() {
    let document = documents::root().join("README.md");
    let reason = |target| wrong(&document, target);
    assert_eq!(reason("https://example.org/missing"), None);
    assert_eq!(reason("docs/architecture.md"), None);
    assert_eq!(reason("#install"), None);
    assert_eq!(reason("docs/missing.md"), Some("the file does not exist"));
    assert_eq!(reason("docs/architecture.md#missing"), Some("the heading does not exist"));
}
