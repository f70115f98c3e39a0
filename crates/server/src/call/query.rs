//! Query parameters: unknown ones are refused by name, for a silent typo costs people hours.

use std::collections::HashMap;
use std::sync::LazyLock;

use fieldhouse_api::operations::{self, Visitor};
use fieldhouse_api::{Code, Op, Operation};
use fieldhouse_domain::record::{self, Properties};
use utoipa::openapi::{RefOr, Schema};

use super::{Context, plus};
use crate::failure::Failure;

/// The query parameters of a call. One response names every wrong one.
pub(crate) fn parse<O: Op>(context: &Context) -> Result<O::Query, Failure> {
    plus::refuse_unescaped(&context.query)?;
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&context.query).map_err(|_| {
        Failure::new(
            Code::InvalidParameter,
            "The query is invalid: it is not application/x-www-form-urlencoded.",
        )
    })?;
    record::read_pairs(&pairs, "").map_err(Failure::of_query)
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
        let names = match Properties::of::<O::Query>() {
            RefOr::T(Schema::Object(object)) => object.properties.keys().cloned().collect(),
            _ => Vec::new(),
        };
        self.0.insert(O::OPERATION, names);
    }
}
