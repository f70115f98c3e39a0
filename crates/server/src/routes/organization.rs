//! The caller's organization.

use fieldhouse_api::organization::Organization;
use fieldhouse_api::{Data, op};

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

pub(crate) async fn read(
    call: Call<op::OrganizationRead>,
) -> Result<Answered<op::OrganizationRead>, Failure> {
    let found = fieldhouse_store::organizations::read(&mut call.store(), call.scope()?).await?;
    let organization = found.ok_or_else(Failure::not_found)?;
    let version = organization.version;
    let data = Organization {
        id: organization.id,
        name: organization.name.to_string(),
        slug: organization.slug,
        country: organization.country,
        time_zone: organization.time_zone.to_string(),
        created_at: organization.created_at,
        updated_at: organization.updated_at,
        version,
    };
    Ok(Answered::json(&Data { data })?.version(version))
}
