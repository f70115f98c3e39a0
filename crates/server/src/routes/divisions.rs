//! Divisions.

use fieldhouse_api::op;
use fieldhouse_commands::divisions as commands;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::Id;
use fieldhouse_store::{divisions, records};
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

pub(crate) async fn list(call: Call<op::DivisionList>) -> Result<Answered<op::DivisionList>, Failure> {
    let query = &call.query;
    if let Some(since) = call.since(&query.records, &[("season_id", query.season_id.is_some())])? {
        return call.changed(since, &query.records, |division: Division| division).await;
    }
    let part = call.synced_part::<(String, Uuid)>(&query.records).await?;
    let words = call.words(query.records.q.as_deref())?;
    let after = part.after.as_ref().map(|after| &after.point);
    let filter = (query.season_id, words.as_slice());
    let found = divisions::list(&mut call.store(), call.scope()?, filter, after, part.reach()).await?;
    let point = |division: &Division| (division.name.folded(), division.id.uuid());
    call.synced_page(&part, found, point, |division| division)
}

pub(crate) async fn read(call: Call<op::DivisionRead>) -> Result<Answered<op::DivisionRead>, Failure> {
    let found: Option<Division> = records::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    Answered::record(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(call: Call<op::DivisionCreate>) -> Result<Answered<op::DivisionCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, division| Answered::record(division)).await
}

pub(crate) async fn change(call: Call<op::DivisionChange>) -> Result<Answered<op::DivisionChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body.clone() };
    call.run(command, |_, division| Answered::record(division)).await
}

pub(crate) async fn delete(call: Call<op::DivisionDelete>) -> Result<Answered<op::DivisionDelete>, Failure> {
    let command = commands::Delete(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn history(
    call: Call<op::DivisionHistory>,
) -> Result<Answered<op::DivisionHistory>, Failure> {
    super::audit::history(call, Kind::Division).await
}
