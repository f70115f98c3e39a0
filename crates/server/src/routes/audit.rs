//! The audit log: entries of the organization's ledger.

use fieldhouse_api::audit::{Actor, Effect, Entry};
use fieldhouse_api::request::ListQuery;
use fieldhouse_api::{Code, Op, Page, op};
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ChangesetId, Id};
use fieldhouse_store::access::ImageScope;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::ledger::{self, Filter};
use fieldhouse_store::{Error as StoreError, ReadTx};
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call, Part};
use crate::failure::Failure;

fn view(entry: ledger::Entry) -> Result<Entry, Failure> {
    let actor = Actor {
        user_id: entry.user_id,
        name: entry.user_name,
        key_id: entry.key_id,
        on_behalf_of: entry.on_behalf_of,
    };
    Ok(Entry {
        id: entry.id,
        seq: entry.seq,
        at: entry.at,
        actor,
        operation: entry.operation,
        request_id: entry.request_id,
        changeset_id: entry.changeset_id.map(ChangesetId::from_uuid),
        reason: entry.reason,
        effects: entry.effects.into_iter().map(effect).collect::<Result<_, _>>()?,
    })
}

fn effect(effect: ledger::EntryEffect) -> Result<Effect, Failure> {
    let image = |image: Option<String>| {
        let read = image.map(|image| serde_json::from_str(&image)).transpose();
        read.map_err(|error| Failure::internal(format!("an invalid image in the ledger: {error}")))
    };
    Ok(Effect {
        kind: effect.kind,
        id: effect.kind.written_id(effect.record_id),
        verb: effect.verb,
        version: effect.version,
        changed: effect.changed,
        before: image(effect.before)?,
        after: image(effect.after)?,
        cleared: effect.cleared,
        redacted: effect.sealed,
    })
}

/// Responds with a page of entries about records that are not about children, newest first.
fn page<O: Op<Answer = Page<Entry>>>(
    call: &Call<O>,
    part: &Part<i64>,
    mut found: Vec<ledger::Entry>,
) -> Result<Answered<O>, Failure> {
    let page = call.page_info(part, &mut found, |entry| entry.seq)?;
    let data = found.into_iter().map(view).collect::<Result<_, _>>()?;
    call.page(Page { data, deleted: None, page })
}

/// Responds with a page of entries, newest first, with the images of children's records that are open to the caller.
async fn page_with_images<O: Op<Answer = Page<Entry>>>(
    call: &Call<O>,
    tx: &ReadTx<'_>,
    images: &ImageScope,
    part: &Part<i64>,
    mut found: Vec<ledger::Entry>,
) -> Result<Answered<O>, Failure> {
    let page = call.page_info(part, &mut found, |entry| entry.seq)?;
    let shown = ledger::open_images(tx, images, &mut found).await?;
    call.note_images(shown).await?;
    let data = found.into_iter().map(view).collect::<Result<_, _>>()?;
    call.page(Page { data, deleted: None, page })
}

/// Responds with the changes of the record in the path, newest first. A record that never existed is not found.
pub(super) async fn history<O>(call: Call<O>, kind: Kind) -> Result<Answered<O>, Failure>
where
    O: Op<Path: Id, Query = ListQuery, Answer = Page<Entry>>,
{
    let record = (kind, call.path()?.uuid());
    entries(call, record).await
}

/// Responds with the changes of the caller's organization itself.
pub(crate) async fn of_organization(
    call: Call<op::OrganizationHistory>,
) -> Result<Answered<op::OrganizationHistory>, Failure> {
    let record = (Kind::Organization, call.scope()?.organization().uuid());
    entries(call, record).await
}

async fn entries<O>(call: Call<O>, record: (Kind, Uuid)) -> Result<Answered<O>, Failure>
where
    O: Op<Query = ListQuery, Answer = Page<Entry>>,
{
    let query = &call.query;
    let part = call.part::<i64>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let scope = call.scope()?;
    let is_complete = ledger::latest(&call.store(), scope).await?;
    let found = ledger::history(&mut call.store(), scope, record, part.after, part.reach()).await?;
    if found.is_empty() && part.after.is_none() {
        // An entry that waits on a busy server may be the record's first.
        return Err(if is_complete { Failure::not_found() } else { StoreError::Timeout.into() });
    }
    page(&call, &part, found)
}

pub(crate) async fn list(call: Call<op::AuditLog>) -> Result<Answered<op::AuditLog>, Failure> {
    let query = &call.query;
    let part = call.part::<i64>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let record = |text: &String| {
        let fix = "Send the id of a record, such as sea_01h455vb4pex5vsknk084sn02q.";
        Kind::of_written_id(text)
            .ok_or_else(|| Failure::parameter(Code::InvalidParameter, "record_id", "is not an id", fix))
    };
    let filter = Filter {
        user: query.actor,
        key: query.key_id,
        operation: query.operation.clone(),
        record: query.record_id.as_ref().map(record).transpose()?,
        from: query.since,
        to: query.until,
    };
    ledger::latest(&call.store(), call.scope()?).await?;
    let store = call.app.store.clone();
    let read = store.read(op::AuditLog::OPERATION.id(), async move |tx| {
        let (tx, scope) = (&*tx, call.scope()?);
        let mut reader = tx;
        let found = ledger::entries(&mut reader, scope, &filter, part.after, part.reach()).await?;
        page_with_images(&call, tx, &scope.images(call.now())?, &part, found).await
    });
    read.await
}

pub(crate) async fn of_child(call: Call<op::ChildHistory>) -> Result<Answered<op::ChildHistory>, Failure> {
    let query = &call.query;
    let part = call.part::<i64>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let child = *call.path()?;
    let is_complete = ledger::latest(&call.store(), call.scope()?).await?;
    let store = call.app.store.clone();
    let read = store.read(op::ChildHistory::OPERATION.id(), async move |tx| {
        let (tx, scope) = (&*tx, call.children::<Records>()?);
        let mut reader = tx;
        match ledger::history_of_child(tx, &scope, child, part.after, part.reach()).await? {
            Some(found) if found.is_empty() && part.after.is_none() && !is_complete => {
                Err(StoreError::Timeout.into())
            }
            Some(found) => page_with_images(&call, tx, &scope.images(), &part, found).await,
            None => Err(scope.denial(&mut reader, child).await?.into()),
        }
    });
    read.await
}
