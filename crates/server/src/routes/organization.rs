//! The caller's organization.

use fieldhouse_api::op;
use fieldhouse_commands::organizations::Change;

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

pub(crate) async fn read(
    call: Call<op::OrganizationRead>,
) -> Result<Answered<op::OrganizationRead>, Failure> {
    let found = fieldhouse_store::organizations::read(&mut call.store(), call.scope()?).await?;
    Answered::record(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn change(
    call: Call<op::OrganizationChange>,
) -> Result<Answered<op::OrganizationChange>, Failure> {
    let command = Change(call.body.clone());
    call.run(command, |_, organization| Answered::record(organization)).await
}
