//! Seasons.

use fieldhouse_api::seasons::{PurgedSeason, Season};
use fieldhouse_api::{Data, Op, op};
use fieldhouse_commands::seasons as commands;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_store::seasons::{self, Filter, Line};
use jiff::civil::Date;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Call, Since};
use crate::failure::Failure;

/// Responds with one season.
fn one<O: Op<Answer = Data<Season>>>(line: impl Into<Line>) -> Answered<O> {
    let line = line.into();
    Answered::rendered(&line).version(line.version)
}

pub(crate) async fn list(call: Call<op::SeasonList>) -> Result<Answered<op::SeasonList>, Failure> {
    let query = &call.query;
    let filters = [
        ("status", query.status.is_some()),
        ("sport", query.sport.is_some()),
        ("year", query.year.is_some()),
    ];
    if let Some(since) = call.since(&query.records, &filters)? {
        return Box::pin(changed(&call, since)).await;
    }
    let part = call.synced_part::<(Date, Uuid)>(&query.records).await?;
    let filter = Filter {
        status: query.status,
        sport: query.sport.clone(),
        year: query.year,
        words: call.words(query.records.q.as_deref())?,
    };
    let after = part.after.map(|after| after.point);
    let found = seasons::list(&mut call.store(), call.scope()?, &filter, after, part.reach()).await?;
    call.synced_lines(&part, found, |line| (line.listed_on, line.id.uuid()))
}

/// Changed and deleted seasons, in the order of the ledger.
async fn changed(call: &Call<op::SeasonList>, since: Since) -> Result<Answered<op::SeasonList>, Failure> {
    let mut reading = call.changes(since, &call.query.records).await?;
    let (after, reach) = (reading.after, reading.reach());
    let changes = seasons::changed(&mut reading.following, call.scope()?, after, reach).await?;
    let page = reading.page(call, changes, Season::from, |id| SeasonId::from_uuid(id).to_string()).await?;
    call.page(page)
}

pub(crate) async fn read(call: Call<op::SeasonRead>) -> Result<Answered<op::SeasonRead>, Failure> {
    let found = seasons::line(&mut call.store(), call.scope()?, *call.path()?).await?;
    Ok(one(found.ok_or_else(Failure::not_found)?))
}

pub(crate) async fn create(call: Call<op::SeasonCreate>) -> Result<Answered<op::SeasonCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, season| {
        let id = season.id;
        Ok(one(season).created(id))
    })
    .await
}

pub(crate) async fn change(call: Call<op::SeasonChange>) -> Result<Answered<op::SeasonChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body.clone() };
    call.run(command, |_, listed| Ok(one(listed))).await
}

pub(crate) async fn delete(call: Call<op::SeasonDelete>) -> Result<Answered<op::SeasonDelete>, Failure> {
    let command = commands::Delete(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn purge(call: Call<op::SeasonPurge>) -> Result<Answered<op::SeasonPurge>, Failure> {
    let id = *call.path()?;
    let command = commands::Purge { id, confirm: call.body.confirm.clone() };
    call.run(command, move |_, counts| {
        Answered::json(&Data { data: PurgedSeason { id, deleted: true, counts } })
    })
    .await
}

pub(crate) async fn history(call: Call<op::SeasonHistory>) -> Result<Answered<op::SeasonHistory>, Failure> {
    super::audit::history(call, Kind::Season).await
}
