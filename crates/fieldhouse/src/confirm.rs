//! Confirmation before something is deleted. Every command whose name is one of these verbs asks, without a line of its own.

use std::io::{self, IsTerminal, Write};

use clap::{Arg, ArgAction};
use fieldhouse_client::Method;
use serde_json::Value;

use crate::applies::Typed;
use crate::context::Context;
use crate::failure::Failure;
use crate::json_fields;
use crate::output::clean;

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
pub(crate) async fn ask(context: &Context, typed: &Typed<'_>) -> anyhow::Result<()> {
    if !is_needed(&typed.name) || typed.matches.get_flag(YES) {
        return Ok(());
    }
    let deletion = Deletion::of(typed);
    let name = if has_terminal() { deletion.name(context).await } else { None };
    agree(&deletion.question(name.as_deref()))
}

/// Whether there is a terminal to ask on.
pub(crate) fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks the user a question. Fails unless the answer is yes, or if there is no terminal to ask on.
pub(crate) fn agree(question: &str) -> anyhow::Result<()> {
    if !has_terminal() {
        let what = format!("{question} There is no terminal to ask on");
        return Err(Failure::usage(what).next("confirm with --yes").into());
    }
    write!(io::stderr(), "{} [y/N] ", clean(question))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new("not confirmed, so nothing was changed").into()),
    }
}

/// What is about to be deleted.
struct Deletion<'a> {
    /// The command without its verb, such as `admin api-keys`.
    group: &'a str,
    verb: &'a str,
    /// The record's id, or whatever the command names it by.
    id: String,
}

impl<'a> Deletion<'a> {
    fn of(typed: &'a Typed) -> Self {
        let (group, verb) = typed.name.rsplit_once(' ').unwrap_or(("", &typed.name));
        let positional = typed.command.get_positionals().map(|arg| arg.get_id().as_str());
        let names: Vec<_> = positional.filter_map(|id| typed.matches.get_raw(id)).flatten().collect();
        let names: Vec<_> = names.into_iter().map(|name| name.to_string_lossy()).collect();
        Self { group, verb, id: names.join(" ") }
    }

    /// Such as `Delete venue Town Hall (ven_1)?`.
    fn question(&self, name: Option<&str>) -> String {
        let noun = self.group.rsplit(' ').next().unwrap_or_default();
        let noun = match noun.strip_suffix("ies") {
            Some(start) => format!("{start}y"),
            None => noun.strip_suffix('s').unwrap_or(noun).to_owned(),
        };
        let noun = noun.replace('-', " ").replace("api", "API");
        let (first, rest) = self.verb.split_at(1);
        let what = name.map_or_else(|| self.id.clone(), |name| format!("{name} ({})", self.id));
        format!("{}{rest} {noun} {what}?", first.to_uppercase())
    }

    /// The record's name, if the API can read it: people do not recognise ids.
    async fn name(&self, context: &Context) -> Option<String> {
        let row =
            json_fields::operation(&format!("{} show", self.group)).filter(|row| row.parameter_count == 1)?;
        let path = row.path.replace("{id}", &self.id);
        let request = context.client().ok()?.request::<Value>(Method::GET, &path);
        request.send().await.ok()?["data"]["name"].as_str().map(str::to_owned)
    }
}
