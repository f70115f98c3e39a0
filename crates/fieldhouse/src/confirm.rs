//! Confirmation before something is deleted. Every command whose name is one of these verbs asks, without a line of its own.

use std::io::{self, IsTerminal, Write};

use clap::{Arg, ArgAction};

use crate::applies::Typed;
use crate::failure::Failure;

/// The names of commands that cannot be undone.
const VERBS: &[&str] = &["delete", "remove", "revoke"];
const YES: &str = "yes";

/// Whether a command asks for confirmation.
pub(crate) fn is_needed(command: &str) -> bool {
    command.rsplit(' ').next().is_some_and(|verb| VERBS.contains(&verb))
}

/// The option that confirms in advance.
pub(crate) fn yes() -> Arg {
    Arg::new(YES).long(YES).short('y').action(ArgAction::SetTrue).help("Do not ask for confirmation")
}

/// Asks the user to confirm, if the command needs it.
pub(crate) fn ask(typed: &Typed) -> anyhow::Result<()> {
    if !is_needed(&typed.name) || typed.matches.get_flag(YES) {
        return Ok(());
    }
    let question = question(typed);
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(format!("{question} There is no terminal to ask on"))
            .next("confirm with --yes")
            .into());
    }
    write!(io::stderr(), "{question} [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new("not confirmed, so nothing was changed").into()),
    }
}

/// Such as `Delete season sea_1?`.
fn question(typed: &Typed) -> String {
    let mut words = typed.name.rsplit(' ');
    let verb = words.next().unwrap_or_default();
    let group = words.next().unwrap_or_default();
    let noun = group.strip_suffix('s').unwrap_or(group).replace('-', " ");
    let positional =
        typed.command.get_positionals().filter_map(|arg| typed.matches.get_raw(arg.get_id().as_str()));
    let names: Vec<_> = positional.flatten().map(|name| name.to_string_lossy()).collect();
    let (first, rest) = verb.split_at(1);
    format!("{}{rest} {noun} {}?", first.to_uppercase(), names.join(" "))
}
