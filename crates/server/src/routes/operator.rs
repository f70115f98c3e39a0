//! What the operator does with organizations, on the server's own machine.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fieldhouse_api::operator::{ArchiveReport, FoundOrganization, FoundedOrganization};
use fieldhouse_api::{Data, Page, op};
use fieldhouse_commands::{exports, organizations as commands};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::organizations::{NewOrganization, Organization, Slug};
use fieldhouse_domain::text::{InvalidValue, Name};
use fieldhouse_domain::users::User;
use fieldhouse_imports::archive::{self, Archive};
use fieldhouse_store::organizations;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::background;
use crate::call::{Bounds, Call};
use crate::failure::Failure;
use crate::mail;

pub(crate) async fn organizations(
    call: Call<op::OperatorOrganizationList>,
) -> Result<Answered<op::OperatorOrganizationList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let slug = query.slug.as_ref();
    let mut found =
        organizations::list(&mut call.store(), call.operator()?, slug, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |one| (one.created_at, one.id.uuid()))?;
    call.page(Page { data: found, deleted: None, page })
}

pub(crate) async fn create_organization(
    call: Call<op::OperatorOrganizationCreate>,
) -> Result<Answered<op::OperatorOrganizationCreate>, Failure> {
    let FoundOrganization { name, slug, country, time_zone, owner, owner_name } = call.body.clone();
    let moment = call.app.clock.moment();
    let slug = slug.or_else(|| Slug::of(&name)).ok_or_else(|| {
        let fix = "Send a short name, such as riverside-club.";
        let message = "is required, because the name has no letter or digit";
        Refusal::field("/slug", InvalidValue::new("required", message, fix))
    })?;
    let organization = Organization::create(&moment, NewOrganization { name, slug, country, time_zone });
    let owner_name = owner_name.unwrap_or_else(|| Name::stored(owner.to_string()));
    let owner = User::new(&moment, owner, owner_name, None);
    let (id, operator) = (organization.id, *call.operator()?);
    let command = commands::FoundWithOwner { organization, owner, operator };
    call.run_as_operator(id, command, move |call, founded| {
        let data = FoundedOrganization {
            organization: founded.organization,
            owner: founded.owner.email.to_string(),
            link_expires_at: founded.reset.as_ref().and_then(|reset| reset.expires_at),
            link: founded.reset.map(|reset| mail::link(&call.app, &reset)),
        };
        Ok(Answered::json(&Data { data })?.created(id).secret())
    })
    .await
}

pub(crate) async fn change_organization(
    call: Call<op::OperatorOrganizationChange>,
) -> Result<Answered<op::OperatorOrganizationChange>, Failure> {
    let id = *call.path()?;
    let command = commands::Suspend { id, suspended: call.body.suspended };
    call.run_as_operator(id, command, |_, organization| Answered::record(organization)).await
}

pub(crate) async fn import_organization(
    mut call: Call<op::OperatorImportOrganization>,
) -> Result<Answered<op::OperatorImportOrganization>, Failure> {
    let (id, dry_run) = (call.body.organization_id, call.body.dry_run.unwrap_or(false));
    let sent = std::mem::take(&mut call.body.archive);
    let archive = background::run(move || unpacked(&sent)).await??;
    let command = exports::Import { archive: Arc::new(archive), dry_run };
    call.run_as_operator(id, command, move |_, counts| {
        Answered::json(&Data { data: ArchiveReport { dry_run, counts } })
    })
    .await
}

fn unpacked(sent: &str) -> Result<Archive, Refusal> {
    let wrong =
        |code, message: String, fix| Refusal::field("/archive", InvalidValue::new(code, message, fix));
    let fix = "Encode the file with the standard alphabet, with padding and without line breaks.";
    let packed = STANDARD.decode(sent).map_err(|_| wrong("not_base64", "is not base64".to_owned(), fix))?;
    archive::read(&packed[..]).map_err(|bad| {
        let fix = "Send a file that the export of an organization wrote.";
        wrong("bad_archive", format!("cannot be imported: {bad}"), fix)
    })
}
