//! The college catalogue, which the operator updates.

use fieldhouse_api::operator::CatalogueReport;
use fieldhouse_api::{Data, op};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::text::InvalidValue;
use fieldhouse_imports::BadFile;
use fieldhouse_imports::colleges::{self, academic_year};

use super::imports;
use crate::answer::Answered;
use crate::background;
use crate::call::Call;
use crate::failure::Failure;
use crate::operator::{self, OperatorError};

pub(crate) async fn import(
    mut call: Call<op::OperatorCatalogue>,
) -> Result<Answered<op::OperatorCatalogue>, Failure> {
    let (dry_run, skip_bad) = (call.body.dry_run.unwrap_or(false), call.body.skip_bad.unwrap_or(false));
    let (content, year) = (std::mem::take(&mut call.body.content), call.body.year.take());
    let year = year.map(|year| academic_year(&year)).transpose();
    let year = year.map_err(|wrong| invalid("/year", "not_a_year", wrong.to_string()))?;
    let read = background::run(move || colleges::read(content.as_bytes(), year.as_deref())).await?;
    let catalogue =
        read.map_err(|bad: BadFile| invalid("/content", "bad_file", format!("cannot be imported: {bad}")))?;
    if !catalogue.bad.is_empty() && !skip_bad {
        return Err(imports::refused(&catalogue.bad));
    }
    let loaded = operator::load_colleges(&call.store(), &call.app.clock, catalogue, dry_run, |_, _| {}).await;
    let plan = loaded.map_err(|error| match error {
        OperatorError::Store(error) => error.into(),
        other => Failure::internal(other.to_string()),
    })?;
    let bad_rows = imports::some(&plan.bad);
    Answered::json(&Data { data: CatalogueReport { dry_run, counts: plan.counts, bad_rows } })
}

fn invalid(pointer: &str, code: &'static str, message: String) -> Refusal {
    let fix =
        "Send a file of the catalogue: the colleges, the programs, or the EADA's Schools with its year.";
    Refusal::field(pointer, InvalidValue::new(code, message, fix))
}
