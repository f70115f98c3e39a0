//! Venues.

use fieldhouse_api::op;
use fieldhouse_commands::venues as commands;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::{records, venues};

use crate::answer::Answered;
use crate::call::Call;
use crate::failure::Failure;

pub(crate) async fn list(call: Call<op::VenueList>) -> Result<Answered<op::VenueList>, Failure> {
    if let Some(since) = call.since(&call.query, &[])? {
        return call.changed(since, &call.query, |venue: Venue| venue).await;
    }
    let part = call.synced_part::<String>(&call.query).await?;
    let words = call.words(call.query.q.as_deref())?;
    let after = part.after.as_ref().map(|after| &*after.point);
    let found = venues::list(&mut call.store(), call.scope()?, &words, after, part.reach()).await?;
    call.synced_page(&part, found, |venue| venue.name.folded(), |venue| venue)
}

pub(crate) async fn read(call: Call<op::VenueRead>) -> Result<Answered<op::VenueRead>, Failure> {
    let found: Option<Venue> = records::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    Answered::record(found.ok_or_else(Failure::not_found)?)
}

pub(crate) async fn create(call: Call<op::VenueCreate>) -> Result<Answered<op::VenueCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |_, venue| Answered::record(venue)).await
}

pub(crate) async fn change(call: Call<op::VenueChange>) -> Result<Answered<op::VenueChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body.clone() };
    call.run(command, |_, venue| Answered::record(venue)).await
}

pub(crate) async fn delete(call: Call<op::VenueDelete>) -> Result<Answered<op::VenueDelete>, Failure> {
    let command = commands::Delete(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn history(call: Call<op::VenueHistory>) -> Result<Answered<op::VenueHistory>, Failure> {
    super::audit::history(call, Kind::Venue).await
}
