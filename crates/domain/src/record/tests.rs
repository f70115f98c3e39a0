//! Reading bodies and query parameters without HTTP, and what the derive generates for records.

mod bodies;
mod records;
mod values;

use super::*;

/// The errors of a refusal, each as `pointer code: message. fix`.
fn errors<T: fmt::Debug>(read: Result<T, Refusal>) -> Vec<String> {
    match read {
        Err(Refusal::Invalid(errors)) => errors
            .into_iter()
            .map(|error| {
                let fix = error.fix.unwrap_or_default();
                format!("{} {}: {}. {fix}", error.pointer, error.code, error.message)
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}
