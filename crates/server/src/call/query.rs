//! Query parameters: unknown ones are refused by name, for a silent typo costs people hours.

use fieldhouse_api::{Code, Op};
use fieldhouse_domain::record;

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
