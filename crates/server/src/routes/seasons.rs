//! Seasons.

use fieldhouse_api::seasons::{Division, Season};
use fieldhouse_api::{Code, Data, Page, op};
use fieldhouse_commands::seasons as commands;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_store::ledger;
use fieldhouse_store::seasons::{Filter, Listed};
use jiff::civil::Date;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call, Since, Synced};
use crate::failure::Failure;

fn view(Listed { season, divisions }: Listed) -> Season {
    Season {
        id: season.id,
        name: season.name.into(),
        sport: season.sport.into(),
        status: season.status,
        starts_on: season.starts_on,
        ends_on: season.ends_on,
        time_zone: season.time_zone.into(),
        divisions: divisions
            .into_iter()
            .map(|division| Division {
                id: division.id,
                name: division.name.into(),
                age_group: division.age_group.map(String::from),
                gender: division.gender,
            })
            .collect(),
        scoring: season.scoring,
        tiebreakers: season.tiebreakers,
        external_id: season.external_id.map(String::from),
        created_at: season.created_at,
        updated_at: season.updated_at,
        version: season.version,
    }
}

/// Responds with one season.
fn one<O>(listed: Listed) -> Result<Answered<O>, Failure>
where
    O: fieldhouse_api::Op<Answer = Data<Season>>,
{
    let version = listed.season.version;
    Ok(Answered::json(&Data { data: view(listed) })?.version(version))
}

pub(crate) async fn list(call: Call<op::SeasonList>) -> Result<Answered<op::SeasonList>, Failure> {
    match (call.query.since.clone(), call.query.updated_since) {
        (None, None) => {}
        (Some(token), None) => return changed(call, Since::Token(&token)).await,
        (None, Some(time)) => return changed(call, Since::Time(time)).await,
        (Some(_), Some(_)) => return Err(filter_refused("since", "updated_since")),
    }
    let query = &call.query;
    let (part, sync) = call.synced_part::<(Date, Uuid)>(query.limit, query.cursor.as_deref()).await?;
    let filter = Filter {
        status: query.status,
        sport: query.sport.clone(),
        year: query.year,
        words: call.words(query.q.as_deref())?,
    };
    let scope = call.scope()?;
    let mut found =
        fieldhouse_store::seasons::list(&mut call.store(), scope, &filter, part.after, part.reach()).await?;
    let mut page = call.page_info(&part, &mut found, |listed| Synced {
        point: (listed.listed_on(), listed.season.id.uuid()),
        sync,
    })?;
    page.sync = Some(call.sync_token(sync)?);
    let data = found.into_iter().map(view).collect();
    call.page(Page { data, deleted: None, page })
}

fn filter_refused(since: &str, filter: &str) -> Failure {
    // Otherwise the client would not learn about a season that no longer matches the filter.
    let fix = format!("Leave {filter} out and filter the response instead.");
    Failure::parameter(Code::InvalidParameter, since, "cannot be combined with a filter", fix)
}

/// Changed and deleted seasons, in the order of the ledger.
async fn changed(call: Call<op::SeasonList>, since: Since<'_>) -> Result<Answered<op::SeasonList>, Failure> {
    let query = &call.query;
    let name = if matches!(since, Since::Token(_)) { "since" } else { "updated_since" };
    let filters = [
        ("status", query.status.is_some()),
        ("sport", query.sport.is_some()),
        ("year", query.year.is_some()),
        ("q", query.q.is_some()),
    ];
    if let Some((filter, _)) = filters.iter().find(|(_, sent)| *sent) {
        return Err(filter_refused(name, filter));
    }
    let mut reading = call.changes(since, query.limit, query.cursor.as_deref()).await?;
    let (after, reach) = (reading.after, reading.reach());
    let changes = fieldhouse_store::seasons::changed(&mut reading.following, call.scope()?, after, reach);
    let changes = changes.await?;
    let page = reading.page(&call, changes, view, |id| SeasonId::from_uuid(id).to_string()).await?;
    call.page(page)
}

pub(crate) async fn read(call: Call<op::SeasonRead>) -> Result<Answered<op::SeasonRead>, Failure> {
    let found = fieldhouse_store::seasons::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    one(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(call: Call<op::SeasonCreate>) -> Result<Answered<op::SeasonCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, listed| {
        let id = listed.season.id;
        Ok(one(listed)?.created(id))
    })
    .await
}

pub(crate) async fn change(call: Call<op::SeasonChange>) -> Result<Answered<op::SeasonChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body.clone() };
    call.run(command, |_, listed| one(listed)).await
}

pub(crate) async fn delete(call: Call<op::SeasonDelete>) -> Result<Answered<op::SeasonDelete>, Failure> {
    let command = commands::Delete(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

/// The changes of a season, the newest first. An unknown season has none.
pub(crate) async fn history(call: Call<op::SeasonHistory>) -> Result<Answered<op::SeasonHistory>, Failure> {
    let query = &call.query;
    let part = call.part::<i64>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let (scope, record) = (call.scope()?, (Kind::Season, call.path()?.uuid()));
    ledger::latest(call.store(), scope).await?;
    let found = ledger::history(&mut call.store(), scope, record, part.after, part.reach()).await?;
    if found.is_empty() && part.after.is_none() {
        return Err(Failure::not_found());
    }
    let page = super::audit::page(&call, &part, found)?;
    call.page(page)
}
