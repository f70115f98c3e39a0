//! Which common options a command has: the others are neither shown in its help nor accepted. A new command needs no line here unless it
//! runs on the server's machine and prints no records.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use crate::failure::Failure;
use crate::global::Global;
use crate::{completion, confirm, examples, json_fields};

/// Commands that print no records.
const WITHOUT_RECORDS: &[&str] = &["serve", "init", "migrate", "backup", "key-ring rotate", "completions"];
/// Commands that need no server, besides those that open the data folder.
const WITHOUT_SERVER: &[&str] =
    &["completions", "context list", "context use", "context show", "context remove"];
/// The widest that help is wrapped.
const HELP_WIDTH: usize = 100;

/// The command that the user has typed, below all groups.
pub(crate) struct Typed<'a> {
    /// Its name with those of its groups, such as `seasons list`; empty for the program itself.
    pub(crate) name: String,
    pub(crate) command: &'a Command,
    pub(crate) matches: &'a ArgMatches,
}

impl<'a> Typed<'a> {
    /// Finds the command in what was parsed.
    pub(crate) fn of(command: &'a Command, matches: &'a ArgMatches) -> Self {
        let mut typed = Self { name: String::new(), command, matches };
        while let Some((name, matches)) = typed.matches.subcommand() {
            let Some(command) = typed.command.find_subcommand(name) else { break };
            typed = Self { name: below(&typed.name, name), command, matches };
        }
        typed
    }

    /// What was typed for an argument, such as a file's name.
    pub(crate) fn value(&self, argument: &Arg) -> Option<String> {
        let value = self.matches.get_raw(argument.get_id().as_str())?.next()?;
        Some(if value == "-" { "standard input".to_owned() } else { value.to_string_lossy().into_owned() })
    }

    /// Refuses common options that the command does not have.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let given =
            |arg: &&Arg| self.matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let common = common();
        let unsuitable =
            common.iter().filter(given).find(|arg| !applies(arg.get_id().as_str(), self.command, &self.name));
        unsuitable.map_or(Ok(()), |arg| {
            let long = arg.get_long().unwrap_or_default();
            Err(Failure::usage(format!("--{long} has no effect on `fieldhouse {}`", self.name))
                .next("omit it"))
        })
    }
}

/// The common options.
fn common() -> Vec<Arg> {
    Global::augment_args(Command::new("")).get_arguments().cloned().collect()
}

/// Completes a command and those below it: hides the common options that they do not have, adds examples and `--yes`.
pub(crate) fn complete(command: Command, name: &str) -> Command {
    if name.is_empty() {
        let command = command.max_term_width(HELP_WIDTH);
        return command.mut_subcommands(|below| {
            let name = below.get_name().to_owned();
            complete(below, &name)
        });
    }
    // Each command gets its own, because a group would pass on its hidden ones.
    let own: Vec<Arg> = common()
        .into_iter()
        .map(|arg| {
            let hide = !applies(arg.get_id().as_str(), &command, name);
            let is_json = arg.get_id() == "json" && !hide;
            if is_json { arg.add(completion::fields(name.to_owned())) } else { arg.hide(hide) }
        })
        .collect();
    let command = command.args(own);
    if command.has_subcommands() {
        return command.mut_subcommands(|lower| {
            let name = below(name, lower.get_name());
            complete(lower, &name)
        });
    }
    let command = if confirm::is_needed(name) { command.arg(confirm::yes()) } else { command };
    match examples::of(name) {
        Some(examples) => command.after_help(examples),
        None => command,
    }
}

fn below(group: &str, name: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{group} {name}") }
}

fn applies(option: &str, command: &Command, name: &str) -> bool {
    let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
    // A command that opens the data folder is about this machine.
    let local = has("data_dir");
    let records = !WITHOUT_RECORDS.contains(&name);
    match option {
        _ if command.has_subcommands() => false,
        "base_url" | "context" => !local && !WITHOUT_SERVER.contains(&name),
        "output" | "jq" => records,
        "json" => records && json_fields::are_known(name),
        "no_pager" => records && (has("limit") || name.ends_with("list")),
        _ => true,
    }
}
