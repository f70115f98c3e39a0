//! Seasons.

use fieldhouse_api::seasons::{Division, Season};
use fieldhouse_api::{Code, Data, Deleted, Page, op};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_domain::text::{ExternalId, Name, fold};
use fieldhouse_domain::{Refusal, seasons};
use fieldhouse_store::seasons::{Filter, Listed};
use fieldhouse_store::{OrgWrite, Tx};
use jiff::civil::Date;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Call, Since, Synced};
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
    match (call.query.since.clone(), call.query.updated_since) {
        (None, None) => {}
        (Some(token), None) => return changed(call, Since::Token(&token)).await,
        (None, Some(time)) => return changed(call, Since::Time(time)).await,
        (Some(_), Some(_)) => return Err(takes_no_filter("since", "updated_since")),
    }
    let query = &call.query;
    let (part, sync) = call.synced_part::<(Date, Uuid)>(query.limit, query.cursor.as_deref()).await?;
    let filter = Filter {
        status: query.status,
        sport: query.sport.clone(),
        year: query.year,
        words: words(query.q.as_deref())?,
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

fn takes_no_filter(since: &str, filter: &str) -> Failure {
    // A season that changed so that a filter no longer lets it through would otherwise never be heard of again.
    let fix = format!("Leave {filter} out and apply it to what is returned.");
    Failure::parameter(Code::InvalidParameter, since, "cannot be combined with a filter", fix)
}

/// What changed and what was deleted, in the order of the ledger.
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
        return Err(takes_no_filter(name, filter));
    }
    let mut reading = call.changes(since, query.limit, query.cursor.as_deref()).await?;
    let (after, reach) = (reading.after, reading.reach());
    let changes = fieldhouse_store::seasons::changed(&mut reading.following, call.scope()?, after, reach);
    let changes = changes.await?;
    let page = reading.page(&call, changes, view, |id| SeasonId::from_uuid(id).to_string()).await?;
    call.page(page)
}

/// The folded words of a search.
pub(super) fn words(q: Option<&str>) -> Result<Vec<String>, Failure> {
    use fieldhouse_domain::colleges::MOST_SEARCH_WORDS;
    let folded = fold(q.unwrap_or_default());
    let words: Vec<String> = folded.split_whitespace().map(str::to_owned).collect();
    if words.len() > MOST_SEARCH_WORDS || folded.len() > 200 {
        let fix = format!("search for at most {MOST_SEARCH_WORDS} words of 200 letters in all");
        return Err(Failure::parameter(Code::InvalidParameter, "q", "is too long", fix));
    }
    Ok(words)
}

pub(crate) async fn read(call: Call<op::SeasonRead>) -> Result<Answered<op::SeasonRead>, Failure> {
    let found = fieldhouse_store::seasons::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    one(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(call: Call<op::SeasonCreate>) -> Result<Answered<op::SeasonCreate>, Failure> {
    let wanted = call.body.clone();
    call.write(wanted, |tx, acting, _, wanted| {
        Box::pin(async move {
            refuse_taken(tx, &acting.proof, Some(&wanted.name), wanted.external_id.as_ref(), None).await?;
            let season = seasons::Season::create(acting.moment, wanted.clone());
            acting.apply(tx, &[Effect::create(season.clone())]).await?;
            let id = season.id;
            Ok(one(Listed { season, divisions: Vec::new() })?.made(id))
        })
    })
    .await
}

/// Refuses a name or an external id that another season has.
async fn refuse_taken<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    name: Option<&Name>,
    external_id: Option<&ExternalId>,
    own: Option<SeasonId>,
) -> Result<(), Failure> {
    if let Some(name) = name {
        let holder = fieldhouse_store::seasons::by_name(tx, proof, &name.folded()).await?;
        if holder.is_some() && holder != own {
            return Err(Refusal::Duplicate(format!("there is a season {name} already")).into());
        }
    }
    if let Some(external_id) = external_id {
        let holder = fieldhouse_store::seasons::by_external_id(tx, proof, external_id).await?;
        if holder.is_some() && holder != own {
            return Err(
                Refusal::Duplicate(format!("there is a season with the external id {external_id}")).into()
            );
        }
    }
    Ok(())
}

pub(crate) async fn change(call: Call<op::SeasonChange>) -> Result<Answered<op::SeasonChange>, Failure> {
    let wanted = call.body.clone();
    call.write(wanted, |tx, acting, call, wanted| {
        Box::pin(async move {
            let found = fieldhouse_store::seasons::read(tx, call.scope()?, *call.path()?).await?;
            let mut listed = found.ok_or_else(Failure::not_found)?;
            call.precondition(listed.season.version)?;
            let external_id = wanted.external_id.as_ref().and_then(Option::as_ref);
            let own = Some(listed.season.id);
            refuse_taken(tx, &acting.proof, wanted.name.as_ref(), external_id, own).await?;
            let effect = seasons::change(acting.moment, listed.season.clone(), wanted.clone())?;
            if let Some(effect) = effect {
                acting.apply(tx, std::slice::from_ref(&effect)).await?;
                if let Some(AnyRecord::Season(season)) = effect.after {
                    listed.season = season;
                }
            }
            one(listed)
        })
    })
    .await
}

pub(crate) async fn delete(call: Call<op::SeasonDelete>) -> Result<Answered<op::SeasonDelete>, Failure> {
    call.write((), |tx, acting, call, ()| {
        Box::pin(async move {
            let found = fieldhouse_store::seasons::read(tx, call.scope()?, *call.path()?).await?;
            let season = found.ok_or_else(Failure::not_found)?.season;
            call.precondition(season.version)?;
            let dependents = fieldhouse_store::seasons::dependents(tx, &acting.proof, season.id).await?;
            let id = season.id.to_string();
            acting.apply(tx, &[seasons::delete(season, dependents)?]).await?;
            Answered::json(&Data { data: Deleted { id, deleted: true } })
        })
    })
    .await
}
