//! Exports of an organization. Those of children are in `child_exports.rs`.

use axum::body::Body;
use fieldhouse_api::exports::{Export, RequestedExport};
use fieldhouse_api::{Code, Data, op};
use fieldhouse_commands::exports as commands;
use fieldhouse_domain::exports::Export as Record;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::{exports, records};
use jiff::Timestamp;

use crate::answer::Answered;
use crate::archive;
use crate::auth::links;
use crate::call::Call;
use crate::failure::Failure;

pub(super) fn view(export: &Record, now: Timestamp) -> Export {
    Export {
        id: export.id,
        kind: export.kind,
        child_id: export.child_id,
        status: export.status(now),
        requested_by: export.requested_by,
        expires_at: export.expires_at,
        opened_at: export.opened_at,
        created_at: export.created_at,
        updated_at: export.updated_at,
        version: export.version,
    }
}

pub(crate) async fn create(call: Call<op::ExportCreate>) -> Result<Answered<op::ExportCreate>, Failure> {
    let command = commands::Create(call.body);
    call.run(command, |call, export| {
        let token = links::export_token(&call.app.key_ring, call.scope()?.organization(), export.id);
        let content_url = format!("{}/api/v1/exports/{}/content?token={token}", call.app.base_url, export.id);
        let data = RequestedExport { export: view(&export, call.now()), token, content_url };
        Ok(Answered::json(&Data { data })?.created(export.id).secret())
    })
    .await
}

pub(crate) async fn read(call: Call<op::ExportRead>) -> Result<Answered<op::ExportRead>, Failure> {
    let found: Option<Record> = records::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    // An owner knows nothing of the exports of children.
    let export = found.filter(|export| export.child_id.is_none()).ok_or_else(Failure::not_found)?;
    Ok(Answered::json(&Data { data: view(&export, call.now()) })?.version(export.version))
}

pub(crate) async fn content(call: Call<op::ExportContent>) -> Result<Answered<op::ExportContent>, Failure> {
    let expired = || Failure::from(Denial::LinkExpired);
    let id = *call.path()?;
    let organization = links::export(&call.app.key_ring, id, &call.query.token)?;
    let export = exports::of_link(&mut call.store(), organization, id).await?.ok_or_else(expired)?;
    let opened =
        call.run_as(export.requested_by, organization, commands::Open(id), move |call, exporting| {
            let now = call.now();
            let chunks = archive::chunks(&call.store(), exporting, now)
                .map_err(|error| Failure::internal(error.to_string()))?;
            let name = format!("{id}.jsonl.gz");
            Ok(Answered::archive(Body::from_stream(chunks), &name))
        });
    // The user who requested it may no longer be a member.
    opened
        .await
        .map_err(|failure| if failure.code() == Code::InvalidCredentials { expired() } else { failure })
}
