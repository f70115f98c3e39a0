//! Exports of a child, for its family.

use fieldhouse_api::exports::{ChildCopy, RequestedExport};
use fieldhouse_api::request::Parameters;
use fieldhouse_api::{Code, Data, op};
use fieldhouse_commands::exports as commands;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::exports::{self, OfChild};
use jiff::Timestamp;

use super::children::{View, seen};
use super::exports::view;
use super::{consents, favorites, guardian_invitations, registrations, relations, rosters};
use crate::answer::Answered;
use crate::auth::links;
use crate::call::Call;
use crate::failure::Failure;

pub(crate) async fn create(
    call: Call<op::ChildExportCreate>,
) -> Result<Answered<op::ChildExportCreate>, Failure> {
    let child = *call.path()?;
    call.run(commands::CreateOfChild(child), move |call, export| {
        let token = links::export_token(&call.app.key_ring, call.scope()?.organization(), export.id);
        let (base, id) = (&call.app.base_url, export.id);
        let content_url = format!("{base}/api/v1/children/{child}/exports/{id}/content?token={token}");
        let data = RequestedExport { export: view(&export, call.now()), token, content_url };
        Ok(Answered::json(&Data { data })?.created(export.id).secret())
    })
    .await
}

pub(crate) async fn read(call: Call<op::ChildExportRead>) -> Result<Answered<op::ChildExportRead>, Failure> {
    let (scope, Parameters(place)) = (call.children::<Records>()?, *call.path()?);
    let Some(found) = exports::read_of_child(&mut call.store(), &scope, place).await? else {
        return Err(scope.denial(&mut call.store(), place.0).await?.into());
    };
    let export = found.ok_or_else(Failure::not_found)?;
    Ok(Answered::json(&Data { data: view(&export, call.now()) })?.version(export.version))
}

pub(crate) async fn content(
    call: Call<op::ChildExportContent>,
) -> Result<Answered<op::ChildExportContent>, Failure> {
    let expired = || Failure::from(Denial::LinkExpired);
    let Parameters((child, id)) = *call.path()?;
    let organization = links::export(&call.app.key_ring, id, &call.query.token)?;
    let export = exports::of_link(&mut call.store(), organization, id).await?.ok_or_else(expired)?;
    // What this process has read is in the log.
    call.app.access_log.flush(&call.store()).await?;
    let command = commands::OpenOfChild { child, export: id };
    let opened = call.run_as(export.requested_by, organization, command, move |call, copy| {
        Answered::json(&Data { data: document(child, copy, call.now()) })
    });
    // The user who requested it may no longer be a member.
    opened
        .await
        .map_err(|failure| if failure.code() == Code::InvalidCredentials { expired() } else { failure })
}

fn document(child_id: ChildId, copy: commands::Copy, now: Timestamp) -> ChildCopy {
    let commands::Copy { today, rest, .. } = copy;
    let OfChild { relations, registrations, roster, access_log } = rest;
    let name = copy.profile.as_ref().map(|profile| profile.display_name.to_string()).unwrap_or_default();
    let registered = |registration| {
        registrations::view(fieldhouse_store::registrations::Listed {
            registration,
            display_name: name.clone(),
        })
    };
    let placed =
        |entry| rosters::view(fieldhouse_store::rosters::Listed { entry, display_name: name.clone() });
    ChildCopy {
        child_id,
        exported_at: now,
        profile: copy.profile.as_ref().map(|it| it.view(today)),
        identity: copy.identity.map(|it| it.view(today)),
        contact: copy.contact.map(|it| it.view(today)),
        emergency: copy.emergency.map(|it| it.view(today)),
        medical: copy.medical.map(|it| it.view(today)),
        performance: copy.performance.map(|it| it.view(today)),
        relations: relations.iter().map(|it| relations::view(it, now)).collect(),
        guardian_invitations: copy
            .guardian_invitations
            .iter()
            .map(|it| guardian_invitations::view(it, now))
            .collect(),
        consents: copy.consents.iter().map(|it| consents::view(it, now)).collect(),
        registrations: registrations.into_iter().map(registered).collect(),
        roster: roster.into_iter().map(placed).collect(),
        favorites: favorites::views(&copy.favorites),
        access_log: access_log.into_iter().map(seen).collect(),
    }
}
