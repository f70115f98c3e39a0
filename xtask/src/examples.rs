//! A test of the commands in the documents: the tool knows each command and each option that they show.
//!
//! It runs the tool that was built with the tests of the workspace. `cargo test -p xtask` alone builds none, and then uses an earlier one
//! if there is one.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::documents;

/// Commands that a document describes before they exist. Remove one when it does.
const NOT_YET: &[&str] = &[];

const TOOL: &str = "fieldhouse";

/// The tool, next to the folder of this test.
fn tool() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.parent()?.to_owned();
    Some(folder.join(format!("{TOOL}{}", std::env::consts::EXE_SUFFIX))).filter(|path| path.is_file())
}

/// The commands of a document as they are typed, with the numbers of their first lines: lines after a prompt in a `console` block, with
/// their continuations.
fn typed(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut continues = false;
    for line in documents::lines(text).filter(|line| line.block == Some("console")) {
        let command = ["$ ", "# "].iter().find_map(|prompt| line.text.strip_prefix(prompt));
        let part = line.text.strip_suffix('\\').unwrap_or(line.text);
        match (command, found.last_mut()) {
            (_, Some((_, last))) if continues => last.push_str(part),
            (Some(command), _) => {
                found.push((line.number, command.strip_suffix('\\').unwrap_or(command).to_owned()));
            }
            (None, _) => continue,
        }
        continues = line.text.ends_with('\\');
    }
    found
}

/// The arguments of the tool in a command, up to a pipe or a redirection. `None` if the command does not run the tool.
fn arguments(command: &str) -> Option<Vec<String>> {
    let words = shlex::split(command)?;
    let mut words = words.into_iter().skip_while(|word| word == "runuser" || word == "-u").peekable();
    // `runuser -u fieldhouse -- fieldhouse init`: the first name is the user's.
    if words.peek()? != TOOL {
        return None;
    }
    words.next();
    let mut words: Vec<_> =
        words.take_while(|word| !["|", ">", "<", "&&"].contains(&word.as_str())).collect();
    if words.first().is_some_and(|word| word == "--") {
        words.drain(..2);
    }
    // Names such as ID take the place of a value, which the tool would refuse.
    words.retain(|word| !word.chars().all(|letter| letter.is_ascii_uppercase()));
    Some(words)
}

/// Whether the tool can parse the arguments. Missing arguments are not noticed, because `--help` is printed first.
fn is_known(tool: &Path, arguments: &[String]) -> bool {
    let mut command = Command::new(tool);
    command.args(arguments).arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("the tool runs").success()
}

#[test]
fn the_tool_knows_the_commands_of_the_documents() {
    let Some(tool) = tool() else { return };
    let mut unknown = Vec::new();
    for document in documents::all() {
        for (line, command) in typed(&document.text) {
            let Some(arguments) = arguments(&command) else { continue };
            let is_planned = arguments.first().is_some_and(|word| NOT_YET.contains(&word.as_str()));
            if !is_planned && !is_known(&tool, &arguments) {
                unknown.push(format!("{}: {command}", document.place(line)));
            }
        }
    }
    assert!(unknown.is_empty(), "the tool does not know these commands:\n{}", unknown.join("\n"));
    for planned in NOT_YET {
        assert!(!is_known(&tool, &[(*planned).to_owned()]), "{planned} exists: remove it from NOT_YET");
    }
}

#[test]
fn commands_are_found_with_their_continuations() {
    let text = "```console\n$ fieldhouse games list \\\n    --all | cat\nSTARTS\n# runuser -u fieldhouse -- fieldhouse migrate\n```\n\
                ```sh\n$ fieldhouse not\n```\n";
    let found = typed(text);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 5]);
    let found: Vec<_> = found.iter().map(|(_, command)| arguments(command).expect("arguments")).collect();
    assert_eq!(found, [vec!["games", "list", "--all"], vec!["migrate"]]);
    assert_eq!(arguments("curl -s http://127.0.0.1/fieldhouse"), None);
    assert_eq!(
        arguments("fieldhouse members remove ID"),
        Some(vec!["members".to_owned(), "remove".to_owned()])
    );
}
