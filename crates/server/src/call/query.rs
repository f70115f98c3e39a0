//! Query parameters. Unknown ones are refused by name, so that a typo is noticed.

use fieldhouse_api::Code;
use fieldhouse_domain::record;

use super::{Context, plus};
use crate::failure::Failure;

/// The query parameters of a request. One response reports every invalid one.
pub(crate) fn parse<Q: record::Body>(context: &Context) -> Result<Q, Failure> {
    record::read_pairs(&pairs(&context.query)?, "").map_err(Failure::of_query)
}

fn pairs(query: &str) -> Result<Vec<(String, String)>, Failure> {
    plus::refuse_unescaped(query)?;
    serde_urlencoded::from_str(query).map_err(|_| {
        let detail = "The query is invalid: it is not application/x-www-form-urlencoded.";
        Failure::new(Code::InvalidParameter, detail)
    })
}
