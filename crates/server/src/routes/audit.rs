//! The audit log: entries of the organization's ledger.

use fieldhouse_api::audit::{Actor, Effect, Entry};
use fieldhouse_api::{Code, Op, Page, op};
use fieldhouse_domain::effects::Kind;
use fieldhouse_store::ledger::{self, Filter};

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
    })
}

/// A page of entries, the newest first.
pub(super) fn page<O: Op>(
    call: &Call<O>,
    part: &Part<i64>,
    mut found: Vec<ledger::Entry>,
) -> Result<Page<Entry>, Failure> {
    let page = call.page_info(part, &mut found, |entry| entry.seq)?;
    let data = found.into_iter().map(view).collect::<Result<_, _>>()?;
    Ok(Page { data, deleted: None, page })
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
    let scope = call.scope()?;
    ledger::latest(call.store(), scope).await?;
    let found = ledger::entries(&mut call.store(), scope, &filter, part.after, part.reach()).await?;
    let page = page(&call, &part, found)?;
    call.page(page)
}
