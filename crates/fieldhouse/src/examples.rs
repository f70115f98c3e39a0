//! The examples of commands' help, from `examples.txt`: command lines, each after a comment that says what it does.

const EXAMPLES: &str = include_str!("examples.txt");

/// Each comment with its command line, which continues after a backslash at the end of a line.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let entries = EXAMPLES.split("# ").skip(1).filter_map(|entry| entry.split_once('\n'));
    entries.map(|(about, command)| (about, command.trim_end()))
}

/// The examples of a command, as its help shows them.
pub(crate) fn of(command: &str) -> Option<String> {
    let start = format!("fieldhouse {command}");
    let mut text = vec!["Examples:".to_owned()];
    for (about, line) in examples() {
        if line.strip_prefix(&start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) {
            text.push(format!("  # {about}"));
            text.extend(line.lines().map(|line| format!("  {line}")));
        }
    }
    (text.len() > 1).then(|| text.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::commands;

    /// The words of a command line up to a pipe, without quotes.
    fn words(line: &str) -> Vec<String> {
        let line = line.replace("\\\n", "");
        let (mut words, mut quote) = (vec![String::new()], None);
        for letter in line.chars() {
            match letter {
                '|' | '>' | '<' if quote.is_none() => break,
                ' ' if quote.is_none() => words.push(String::new()),
                '\'' | '"' if quote.is_none() => quote = Some(letter),
                _ if quote == Some(letter) => quote = None,
                _ => words.last_mut().expect("a word").push(letter),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn no_example_is_wrapped() {
        let widest = EXAMPLES.lines().max_by_key(|line| line.chars().count()).expect("examples");
        assert!(widest.chars().count() <= 98, "{widest}");
    }

    #[test]
    fn every_example_can_be_parsed() {
        for (_, line) in examples() {
            if let Err(error) = commands::command().try_get_matches_from(words(line)) {
                panic!("{line}\n{error}");
            }
        }
    }

    #[test]
    fn every_command_has_an_example() {
        fn without(command: &Command, name: &str, found: &mut Vec<String>) {
            for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
                without(below, format!("{name} {}", below.get_name()).trim_start(), found);
            }
            if !command.has_subcommands() && of(name).is_none() {
                found.push(name.to_owned());
            }
        }
        let mut found = Vec::new();
        without(&commands::command(), "", &mut found);
        assert_eq!(found, [""; 0], "add an example to examples.txt");
    }
}
