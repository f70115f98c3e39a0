//! Flags for the fields of a body, made from the body's own schema: a field that a record gains is a flag of the tool without a line
//! here.
//!
//! A list is one flag for each item, named in the singular; an object is written as JSON. The body checks the values, so that the tool
//! and the server give the same reasons.

use std::str::FromStr;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::ids::InvalidId;
use fieldhouse_domain::record::{Body, Properties, read_json};
use serde_json::{Map, Value, json};

/// The flag that empties fields.
const CLEAR: &str = "clear";

/// The body of create, from flags.
pub(crate) type Created<B> = Flags<B, false>;
/// The body of change, from flags. `--clear` empties fields.
pub(crate) type Changed<B> = Flags<B, true>;

/// A change of one record.
#[derive(Args)]
pub(crate) struct ChangeOptions<I: FromStr<Err = InvalidId> + Clone + Send + Sync + 'static, B: Body> {
    /// The record's id
    pub(crate) id: I,
    #[command(flatten)]
    pub(crate) fields: Changed<B>,
}

/// A body from flags.
#[derive(Clone, Debug)]
pub(crate) struct Flags<B, const CHANGE: bool> {
    pub(crate) body: B,
}

/// A field of a body, as its schema describes it.
struct Field {
    name: String,
    help: String,
    kind: Kind,
    required: bool,
    nullable: bool,
}

/// How a field is typed.
enum Kind {
    Text,
    Number,
    Flag,
    Object,
    Objects,
    List,
    Choice(Vec<String>),
}

/// The fields of a body, in the order of its declaration.
fn fields<B: Body>() -> Vec<Field> {
    let mut named = Vec::new();
    B::schemas(&mut named);
    let named: Map<String, Value> = named.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    let schema = json!(Properties::of::<B>());
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, schema)| field(name, schema, required.contains(&name.as_str()), &named)).collect()
}

/// The value of a field that is written as one text, as in a cell of a table. `None` if the body has no such field.
pub(crate) fn cell<B: Body>(name: &str, text: &str) -> Option<Value> {
    let field = fields::<B>().into_iter().find(|field| field.name == name)?;
    Some(match field.kind {
        Kind::Text | Kind::Choice(_) => json!(text),
        Kind::Number | Kind::Flag | Kind::Object => parsed(text),
        Kind::List | Kind::Objects => match parsed(text) {
            list @ Value::Array(_) => list,
            item => json!([item]),
        },
    })
}

fn field(name: &str, schema: &Value, required: bool, named: &Map<String, Value>) -> Field {
    let alternatives = schema["oneOf"].as_array();
    let main = alternatives.and_then(|all| all.iter().find(|one| one["type"] != "null")).unwrap_or(schema);
    let resolved = main["$ref"].as_str().and_then(|reference| named.get(reference.rsplit('/').next()?));
    let main = resolved.unwrap_or(main);
    let types: Vec<&str> = match &main["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    let kind = match types.first() {
        _ if main["enum"].is_array() => {
            let members = main["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
            Kind::Choice(members.map(str::to_owned).collect())
        }
        Some(&"number" | &"integer") => Kind::Number,
        Some(&"boolean") => Kind::Flag,
        Some(&"object") => Kind::Object,
        Some(&"array") if is_object(&main["items"], named) => Kind::Objects,
        Some(&"array") => Kind::List,
        _ => Kind::Text,
    };
    let help = schema["description"].as_str().unwrap_or_default();
    let first = help.split(". ").next().unwrap_or_default().trim_end_matches('.');
    let nullable = alternatives.is_some() || types.contains(&"null");
    Field { name: name.to_owned(), help: first.to_owned(), kind, required, nullable }
}

fn is_object(items: &Value, named: &Map<String, Value>) -> bool {
    let resolved = items["$ref"].as_str().and_then(|reference| named.get(reference.rsplit('/').next()?));
    resolved.unwrap_or(items)["type"] == "object"
}

/// The value of a flag that is written as JSON. What is not JSON is passed on as text, which the body refuses.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

impl Field {
    /// The flag's name: `allowed_ips` is `--allowed-ip`, once for each item.
    fn flag(&self) -> String {
        let name = self.name.replace('_', "-");
        match self.kind {
            Kind::List | Kind::Objects => {
                let ending = if name.ends_with("sses") { "es" } else { "s" };
                name.strip_suffix(ending).map(str::to_owned).unwrap_or(name)
            }
            _ => name,
        }
    }

    fn arg(&self, change: bool) -> Arg {
        let flag = self.flag();
        let mut help = self.help.clone();
        let arg = Arg::new(self.name.clone()).long(flag.clone()).required(self.required);
        let arg = arg.value_name(flag.to_uppercase().replace('-', "_"));
        let arg = match &self.kind {
            Kind::Text => arg,
            Kind::Number => arg.value_name("NUMBER").allow_negative_numbers(true),
            Kind::Flag => arg
                .value_name("true|false")
                .value_parser(PossibleValuesParser::new(["true", "false"]))
                .hide_possible_values(true),
            Kind::Object => arg.value_name("JSON"),
            Kind::List | Kind::Objects => {
                help.push_str("; can be repeated");
                help.push_str(if change { ", and replaces the whole list" } else { "" });
                let arg = if matches!(self.kind, Kind::Objects) { arg.value_name("JSON") } else { arg };
                arg.action(ArgAction::Append)
            }
            Kind::Choice(names) => arg.value_parser(PossibleValuesParser::new(names.clone())),
        };
        arg.help(help)
    }

    /// The value that was typed; none if the flag was not given.
    fn value(&self, matches: &ArgMatches) -> Option<Value> {
        let mut typed = matches.get_many::<String>(&self.name)?;
        Some(match self.kind {
            Kind::List => json!(typed.collect::<Vec<_>>()),
            Kind::Objects => typed.map(|text| parsed(text)).collect(),
            Kind::Number | Kind::Flag | Kind::Object => parsed(typed.next()?),
            Kind::Text | Kind::Choice(_) => json!(typed.next()?),
        })
    }

    /// What empties it; none if it cannot be empty.
    fn empty(&self) -> Option<Value> {
        match self.kind {
            Kind::List | Kind::Objects => Some(json!([])),
            _ => self.nullable.then_some(Value::Null),
        }
    }
}

impl<B: Body, const CHANGE: bool> Args for Flags<B, CHANGE> {
    fn augment_args(command: Command) -> Command {
        let fields = fields::<B>();
        let command = command.args(fields.iter().map(|field| field.arg(CHANGE)));
        let clearable: Vec<String> =
            fields.iter().filter(|field| field.empty().is_some()).map(|field| field.name.clone()).collect();
        if !CHANGE || clearable.is_empty() {
            return command;
        }
        let clear = Arg::new(CLEAR).long(CLEAR).value_name("FIELD").action(ArgAction::Append);
        command.arg(
            clear
                .value_parser(PossibleValuesParser::new(clearable))
                .help("A field to empty; can be repeated"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<B: Body, const CHANGE: bool> FromArgMatches for Flags<B, CHANGE> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let fields = fields::<B>();
        let mut object: Map<String, Value> =
            fields.iter().filter_map(|field| Some((field.name.clone(), field.value(matches)?))).collect();
        let cleared = matches.try_get_many::<String>(CLEAR).ok().flatten().into_iter().flatten();
        for name in cleared {
            let field = fields.iter().find(|field| field.name == *name);
            if let (Some(field), true) = (field, object.contains_key(name)) {
                let message = format!("--{} and --{CLEAR} {name} exclude each other\n", field.flag());
                return Err(Error::raw(ErrorKind::ArgumentConflict, message));
            }
            object.extend(field.and_then(|field| Some((name.clone(), field.empty()?))));
        }
        if CHANGE && object.is_empty() {
            let message = "nothing to change: give at least one field\n";
            return Err(Error::raw(ErrorKind::MissingRequiredArgument, message));
        }
        let body = read_json(&Value::Object(object), Vec::new());
        body.map(|body| Self { body }).map_err(|refusal| explain(&fields, &refusal))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The errors of a body, each at its flag.
fn explain(fields: &[Field], refusal: &Refusal) -> Error {
    let Refusal::Invalid(errors) = refusal else {
        return Error::raw(ErrorKind::ValueValidation, format!("{refusal}\n"));
    };
    let line = |error: &fieldhouse_domain::FieldError| {
        let name = error.pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        let field = fields.iter().find(|field| field.name == name);
        let flag = field.map_or_else(|| error.pointer.clone(), |field| format!("--{}", field.flag()));
        let fix = error.fix.as_deref().unwrap_or_default();
        format!("{flag} {}. {fix}", error.message).trim_end().to_owned() + "\n"
    };
    Error::raw(ErrorKind::ValueValidation, errors.iter().map(line).collect::<String>())
}
