//! Secrets: entered without an echo, or piped in.

use std::io::{self, IsTerminal};

use anyhow::Context as _;

use crate::failure::Failure;

/// Asks for a secret on the terminal.
pub(crate) fn ask(question: &str, instead: &str) -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(format!("{question} is missing")).next(instead).into());
    }
    rpassword::prompt_password(format!("{question}: ")).context("the terminal cannot be read")
}

/// Asks for a new secret twice, because typos are not visible.
pub(crate) fn ask_for_new(question: &str, instead: &str) -> anyhow::Result<String> {
    twice(question, |question| ask(question, instead))
}

fn twice(question: &str, ask: impl Fn(&str) -> anyhow::Result<String>) -> anyhow::Result<String> {
    let secret = ask(question)?;
    if ask("Repeat it")? != secret {
        return Err(Failure::new("the passwords do not match").next("type it again").into());
    }
    Ok(secret)
}

/// Reads a secret from standard input: its first line.
pub(crate) fn piped() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line).context("standard input cannot be read")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_secret_is_entered_twice() {
        let typed = |answers: [&'static str; 2]| {
            twice("Password", move |question| Ok(answers[usize::from(question != "Password")].to_owned()))
        };
        assert_eq!(typed(["right", "right"]).expect("a secret"), "right");
        assert!(typed(["right", "rihgt"]).is_err());
    }
}
