//! Seasons.

use fieldhouse_api::seasons::{Division, Season};
use fieldhouse_api::{Code, Data, Page, Tombstone, op};
use fieldhouse_commands::seasons as commands;
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_store::audit;
use fieldhouse_store::seasons::{Filter, Listed};
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
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

/// Answers with one season.
fn one<O>(listed: Listed) -> Result<Answered<O>, Failure>
where
    O: fieldhouse_api::Op<Answer = Data<Season>>,
{
    let version = listed.season.version;
    Ok(Answered::json(&Data { data: view(listed) })?.version(version))
}

pub(crate) async fn list(call: Call<op::SeasonList>) -> Result<Answered<op::SeasonList>, Failure> {
    if let Some(since) = call.query.updated_since {
        return changed(call, since).await;
    }
    let query = &call.query;
    let part = call.part::<(Date, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let filter = Filter {
        status: query.status,
        sport: query.sport.clone(),
        year: query.year,
        words: call.words(query.q.as_deref())?,
    };
    let scope = call.scope()?;
    let mut found =
        fieldhouse_store::seasons::list(&mut call.store(), scope, &filter, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |listed| (listed.listed_on(), listed.season.id.uuid()))?;
    let data = found.into_iter().map(view).collect();
    call.page(Page { data, deleted: None, page })
}

/// What changed and what went since a time, in one order: by time, then id.
async fn changed(call: Call<op::SeasonList>, since: Timestamp) -> Result<Answered<op::SeasonList>, Failure> {
    let query = &call.query;
    if query.status.is_some() || query.sport.is_some() || query.year.is_some() || query.q.is_some() {
        // A season that changed so that a filter no longer lets it through would otherwise never be heard of again.
        let fix = "leave the filters out and apply them to what comes";
        return Err(Failure::parameter(Code::InvalidParameter, "updated_since", "goes with no filter", fix));
    }
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let scope = call.scope()?;
    // Just before the first instant that counts, so that it counts itself.
    let start = Timestamp::from_microsecond(since.as_microsecond() - 1).unwrap_or(Timestamp::MIN);
    let after = part.after.unwrap_or((start, Uuid::max()));
    let mut store = call.store();
    let changed = fieldhouse_store::seasons::changed(&mut store, scope, after, part.reach()).await?;
    let gone = audit::tombstones(&mut store, scope, "season", after, part.reach()).await?;
    let mut both: Vec<(Timestamp, Uuid, Option<Season>)> = changed
        .into_iter()
        .map(|listed| (listed.season.updated_at, listed.season.id.uuid(), Some(view(listed))))
        .chain(gone.into_iter().map(|(id, at)| (at, id, None)))
        .collect();
    both.sort_by_key(|(at, id, _)| (*at, *id));
    let page = call.page_info(&part, &mut both, |(at, id, _)| (*at, *id))?;
    let (mut data, mut deleted) = (Vec::new(), Vec::new());
    for (at, id, season) in both {
        match season {
            Some(season) => data.push(season),
            None => deleted.push(Tombstone { id: SeasonId::from_uuid(id).to_string(), deleted_at: at }),
        }
    }
    call.page(Page { data, deleted: Some(deleted), page })
}

pub(crate) async fn read(call: Call<op::SeasonRead>) -> Result<Answered<op::SeasonRead>, Failure> {
    let found = fieldhouse_store::seasons::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    one(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(call: Call<op::SeasonCreate>) -> Result<Answered<op::SeasonCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, listed| {
        let id = listed.season.id;
        Ok(one(listed)?.made(id))
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
