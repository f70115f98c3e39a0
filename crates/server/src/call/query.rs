//! Query parameters. Unknown ones are refused by name, so that a typo is noticed.

use fieldhouse_api::{Code, Op};
use fieldhouse_domain::record;

use super::{Context, plus};
use crate::failure::Failure;

/// The query parameters of a call. One response reports every invalid one.
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
