//! Completion in shells: the names of contexts and of fields, which only a running program knows. The shell runs this program for each
//! completion.

use std::ffi::OsStr;

use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};

use crate::{commands, context, json_fields};

/// The variable with which the shell asks for completions.
pub(crate) const VARIABLE: &str = "FIELDHOUSE_COMPLETE";

/// Answers the shell if it asks for completions, and ends the program then.
pub(crate) fn answer() {
    CompleteEnv::with_factory(commands::command).var(VARIABLE).complete();
}

/// The names of the user's contexts.
pub(crate) fn context_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        // Without a readable file there are no names to offer.
        let stored = context::read().ok().into_iter();
        stored.flat_map(|stored| stored.named.into_keys()).map(CompletionCandidate::new).collect()
    })
}

/// The fields of a command's records, in a list separated by commas.
pub(crate) fn fields(command: String) -> ArgValueCompleter {
    ArgValueCompleter::new(move |typed: &OsStr| {
        let known = json_fields::of(&command).unwrap_or_default();
        let typed = typed.to_string_lossy();
        let (before, last) = typed.rsplit_once(',').map_or(("", &*typed), |(before, last)| (before, last));
        let comma = if before.is_empty() { "" } else { "," };
        let fitting = known.iter().filter(|name| name.starts_with(last));
        fitting.map(|name| CompletionCandidate::new(format!("{before}{comma}{name}"))).collect()
    })
}
