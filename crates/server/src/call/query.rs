//! Query parameters: unknown ones are refused by name, for a silent typo costs people hours.

use std::collections::HashMap;
use std::sync::LazyLock;

use fieldhouse_api::operations::{self, Visitor};
use fieldhouse_api::{Code, Op, Operation};
use serde::de::DeserializeOwned;
use utoipa::PartialSchema;
use utoipa::openapi::{RefOr, Schema};

use super::wording::{self, Wording};
use super::{Context, plus};
use crate::failure::Failure;

/// The query parameters of a call.
pub(crate) fn parse<O: Op>(context: &Context) -> Result<O::Query, Failure> {
    if context.query.is_empty() {
        return from_text("");
    }
    plus::refuse_unescaped(&context.query)?;
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&context.query).map_err(|_| {
        Failure::new(
            Code::InvalidParameter,
            "The query cannot be read: it is not application/x-www-form-urlencoded.",
        )
    })?;
    let known = parameter_names(O::OPERATION);
    for (at, (name, _)) in pairs.iter().enumerate() {
        if !known.iter().any(|known| known == name) {
            let listed = if known.is_empty() {
                "takes none".to_owned()
            } else {
                format!("takes {}", known.join(", "))
            };
            return Err(Failure::parameter(
                Code::UnknownParameter,
                name,
                "is no parameter of this operation",
                listed,
            ));
        }
        if pairs[..at].iter().any(|(before, _)| before == name) {
            return Err(Failure::parameter(Code::InvalidParameter, name, "is given twice", "give it once"));
        }
    }
    from_text(&context.query)
}

fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    let pairs = serde_urlencoded::Deserializer::new(form_pairs(text));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let name = error.path().to_string();
        let Wording { message, fix } = wording::of(&error.inner().to_string());
        let fix = fix.unwrap_or_else(|| "see the operation's parameters at /docs".to_owned());
        Failure::parameter(Code::InvalidParameter, &name, message, fix)
    })
}

fn form_pairs(text: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(text.as_bytes())
}

/// The names of an operation's query parameters.
pub(crate) fn parameter_names(operation: Operation) -> &'static [String] {
    NAMES.get(&operation).map(Vec::as_slice).unwrap_or_default()
}

/// The names of every operation's query parameters, as their schemas tell them. Gathered once: building a schema costs more than a query.
static NAMES: LazyLock<HashMap<Operation, Vec<String>>> = LazyLock::new(|| {
    let mut names = Names::default();
    operations::visit(&mut names);
    names.0
});

#[derive(Default)]
struct Names(HashMap<Operation, Vec<String>>);

impl Visitor for Names {
    fn visit<O: Op>(&mut self) {
        let names = match O::Query::schema() {
            RefOr::T(Schema::Object(object)) => object.properties.keys().cloned().collect(),
            _ => Vec::new(),
        };
        self.0.insert(O::OPERATION, names);
    }
}
