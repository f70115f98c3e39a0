//! The options that commands have in common. `applies.rs` says which command has which.

use clap::{Args, ValueEnum};
use fieldhouse_client::server_address;

use crate::completion::context_names;
use crate::contexts::ContextName;
use crate::failure::Failure;
use crate::jq::Expression;
use crate::json_fields;
use crate::output::line;
use crate::place::Asked;
use crate::terminal::variable;

/// The URL of a server that was started without options.
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:8080";
/// The environment variable with the name of a context.
const CONTEXT_VARIABLE: &str = "FIELDHOUSE_CONTEXT";
/// The environment variable with a server's URL.
const URL_VARIABLE: &str = "FIELDHOUSE_URL";
/// The position of common options in a command's help: last.
const LAST: usize = 900;

/// The common options.
#[derive(Args)]
pub(crate) struct Global {
    /// The named context to use: a server and a sign-in
    #[arg(long, global = true, value_name = "NAME", add = context_names(), display_order = LAST)]
    context: Option<ContextName>,
    /// The server's URL [default: that of the context]
    #[arg(long, global = true, value_name = "URL", value_parser = address, display_order = LAST)]
    base_url: Option<String>,
    #[command(flatten)]
    pub(crate) printing: Printing,
}

impl Global {
    /// The context or server that the user has asked for. An empty variable is none.
    pub(crate) fn asked(&self) -> anyhow::Result<Asked> {
        let given = |name, read: fn(&str) -> Result<String, String>| match variable(name)
            .map(|text| (read(&text), text))
        {
            None => Ok(None),
            Some((Ok(value), _)) => Ok(Some(value)),
            Some((Err(fix), text)) => Err(Failure::usage(format!("{name} is {text:?}")).next(fix)),
        };
        Ok(Asked {
            context: self.context.clone().map(|name| name.0),
            base_url: self.base_url.clone().filter(|url| !url.is_empty()),
            context_variable: given(CONTEXT_VARIABLE, |text| Ok(text.parse::<ContextName>()?.0))?,
            url_variable: given(URL_VARIABLE, address)?,
        })
    }
}

/// How records are printed.
#[derive(Args)]
pub(crate) struct Printing {
    /// Print a table, JSON or CSV [default: table]
    #[arg(long, short, global = true, value_enum, value_name = "FORMAT", hide_possible_values = true, display_order = LAST + 1)]
    output: Option<Format>,
    /// Print these fields as JSON, as in id,name; without FIELDS, list them
    #[arg(long, global = true, value_name = "FIELDS", num_args = 0..=1, default_missing_value = "", display_order = LAST + 2)]
    json: Option<String>,
    /// Print the results of this jq expression over the JSON
    #[arg(long, global = true, value_name = "EXPRESSION", value_parser = |code: &str| code.parse::<Expression>(), display_order = LAST + 3)]
    pub(crate) jq: Option<Expression>,
    /// Do not use a pager for long lists
    #[arg(long, global = true, display_order = LAST + 4)]
    pub(crate) no_pager: bool,
}

/// The format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// Every field
    Json,
    /// The table's columns, for spreadsheets
    Csv,
}

/// What the options ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// What the command prints.
    Records,
    /// The names of its fields, which are printed.
    FieldNames,
}

impl Printing {
    /// The format: --json and --jq imply JSON.
    pub(crate) fn format(&self) -> Format {
        let json = (self.json.is_some() || self.jq.is_some()).then_some(Format::Json);
        json.or(self.output).unwrap_or(Format::Table)
    }

    /// Checks the options before anything is sent, and lists the fields if --json has none.
    pub(crate) fn check(&self, command: &str) -> anyhow::Result<Wanted> {
        let json = self.json.as_ref().map(|_| "--json").or(self.jq.as_ref().map(|_| "--jq"));
        if let Some(json) = json.filter(|_| self.output.is_some_and(|format| format != Format::Json)) {
            let failure = Failure::usage(format!("{json} prints JSON, which contradicts --output"));
            return Err(failure.next("omit one of them").into());
        }
        let (Some(fields), Some(known)) = (self.fields(), json_fields::of(command)) else {
            return Ok(Wanted::Records);
        };
        if let Some(unknown) = fields.iter().find(|field| !known.contains(field)) {
            let failure = Failure::usage(format!("--json: {unknown} is not a field"));
            return Err(failure.next(format!("use some of: {}", known.join(", "))).into());
        }
        if fields.is_empty() {
            line(&known.join("\n"))?;
            return Ok(Wanted::FieldNames);
        }
        Ok(Wanted::Records)
    }

    /// The fields of --json: none if it was not given, empty to list them.
    pub(crate) fn fields(&self) -> Option<Vec<String>> {
        let names = self.json.as_deref()?.split(',').map(str::trim);
        Some(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }
}

/// Parses a server's URL. An empty string is none, so that a variable can be switched off.
pub(crate) fn address(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    server_address(text).map_err(|_| {
        let whole = format!("http://{text}");
        let lacks_a_scheme =
            !text.contains("//") && text.contains(['.', ':']) && server_address(&whole).is_ok();
        if lacks_a_scheme { format!("write {whole}") } else { format!("write a URL such as {DEFAULT_URL}") }
    })
}
