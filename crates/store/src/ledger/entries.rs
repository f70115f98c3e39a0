//! The changes that a transaction collects, and the entry that they become when it ends.

mod nested;

use std::borrow::Cow;
use std::collections::BTreeMap;

use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{ChangesetId, ChildId, EntryId, Id, OrganizationId, UserId};
use fieldhouse_domain::ledger::Trace;
use fieldhouse_domain::rendered;
use jiff::Timestamp;
use rand::Rng;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{journal, posting};
use crate::access::{Actor, OrgWrite};
use crate::apply::Change;
use crate::engine::{Engine, Reader, Tx};
use crate::error::{Error, Result};
use crate::sealing::keys::Held;
use crate::sealing::{ChildKey, Place};

/// Random bytes that are hashed with a value, so that the value cannot be guessed from its digest.
pub(crate) type Salt = [u8; 16];

/// An entry as it is written, without its position in the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) id: Uuid,
    /// In microseconds.
    pub(crate) at: i64,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) key_id: Option<Uuid>,
    pub(crate) on_behalf_of: Option<Uuid>,
    pub(crate) operation: Cow<'static, str>,
    pub(crate) request_id: String,
    pub(crate) changeset_id: Option<Uuid>,
    pub(crate) reason: Option<String>,
    pub(crate) reason_salt: Option<Salt>,
    pub(crate) effects: Vec<WrittenEffect>,
}

/// An effect as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenEffect {
    pub(crate) kind: Cow<'static, str>,
    pub(crate) record_id: Uuid,
    pub(crate) verb: Cow<'static, str>,
    pub(crate) version: i64,
    /// The newest entry whose images it clears. For an erasure this is its own entry, known only when it is posted.
    pub(crate) clears_to: Option<i64>,
    /// A JSON array of field names.
    pub(crate) changed: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) salt: Option<Salt>,
    /// The child whom the record is about.
    #[serde(default)]
    pub(crate) child_id: Option<Uuid>,
}

/// The verb of an effect that clears all earlier images of its record.
pub(crate) const ERASED: &str = "erased";
/// The verb of an effect with which retention clears images.
pub(crate) const CLEARED: &str = "cleared";

/// The changes of a transaction that are not recorded yet.
#[derive(Default)]
pub(crate) struct Unrecorded {
    drafts: Vec<Draft>,
    /// How many effects were written to tables, and for how many the ledger's record was decided.
    written: u64,
    decided: u64,
    journaled: Vec<OrganizationId>,
}

/// The entry of one organization.
struct Draft {
    organization: OrganizationId,
    id: EntryId,
    at: Timestamp,
    actor: Actor,
    operation: &'static str,
    request_id: String,
    reason: Option<String>,
    on_behalf_of: Option<UserId>,
    changeset: Option<ChangesetId>,
    effects: Vec<Collected>,
    by_record: BTreeMap<(Kind, Uuid), usize>,
}

/// How the ledger stores images of a record.
#[derive(Clone, Copy)]
enum Secrecy<'a> {
    /// In the clear: it is about no child.
    Open,
    /// Sealed with the key of its child.
    Sealed(&'a ChildKey),
    /// Not at all: its child has no key any more.
    Erased,
}

/// The change of one record in the whole transaction.
struct Collected {
    kind: Kind,
    record_id: Uuid,
    before: Option<AnyRecord>,
    after: Option<AnyRecord>,
    /// Whether the ledger stores images of the record before and after.
    images: bool,
    /// The changed fields of another record, because of which this one was touched.
    touched_for: Vec<&'static str>,
    erased: bool,
    /// The child whom an erased record is about.
    erased_of: Option<ChildId>,
}

impl Unrecorded {
    /// Notes that an effect was written to its table.
    pub(crate) fn note_written(&mut self) {
        self.written += 1;
    }

    /// Decides that the ledger records nothing for an effect.
    pub(crate) fn set_aside(&mut self) {
        self.decided += 1;
    }

    /// Collects an effect for the entry of an organization.
    pub(crate) fn collect(
        &mut self,
        organization: OrganizationId,
        actor: Actor,
        change: Change<'_>,
        effect: &Effect,
        trace: Trace,
    ) {
        self.decided += 1;
        if let Some(record) = effect.record()
            && matches!(trace, Trace::Images | Trace::Fields)
        {
            let draft = self.draft(organization, actor, change);
            let collected = draft.collected(record.kind(), record.uuid());
            collected.add(effect);
            collected.images |= trace == Trace::Images;
        }
    }

    /// Collects an effect on a record that was touched because fields of another one changed.
    pub(crate) fn collect_touched(
        &mut self,
        organization: OrganizationId,
        actor: Actor,
        change: Change<'_>,
        effect: &Effect,
        fields: &[&'static str],
    ) {
        self.decided += 1;
        if let Some(record) = effect.record() {
            let draft = self.draft(organization, actor, change);
            let collected = draft.collected(record.kind(), record.uuid());
            collected.add(effect);
            collected.touched_for.extend(fields);
        }
    }

    /// Makes the entry of an organization clear a record's images.
    pub(crate) fn erase(
        &mut self,
        organization: OrganizationId,
        actor: Actor,
        change: Change<'_>,
        (kind, record): (Kind, Uuid),
        child: Option<ChildId>,
    ) {
        let collected = self.draft(organization, actor, change).collected(kind, record);
        (collected.erased, collected.erased_of) = (true, child);
    }

    /// Takes the organizations whose entries were written to the journal.
    pub(crate) fn take_journaled(&mut self) -> Vec<OrganizationId> {
        std::mem::take(&mut self.journaled)
    }

    fn draft(&mut self, organization: OrganizationId, actor: Actor, change: Change<'_>) -> &mut Draft {
        let at = self.drafts.iter().position(|draft| draft.organization == organization);
        let at = at.unwrap_or_else(|| {
            self.drafts.push(Draft {
                organization,
                id: change.moment.id(),
                at: change.moment.now(),
                actor,
                operation: change.operation,
                request_id: change.request_id.to_owned(),
                reason: change.reason.map(str::to_owned),
                on_behalf_of: None,
                changeset: None,
                effects: Vec::new(),
                by_record: BTreeMap::new(),
            });
            self.drafts.len() - 1
        });
        &mut self.drafts[at]
    }

    fn take(&mut self, name: &'static str) -> Result<Vec<Draft>> {
        let (written, decided) = (std::mem::take(&mut self.written), std::mem::take(&mut self.decided));
        if written != decided {
            let reason = format!("{name} wrote {written} effects, of which {decided} were recorded");
            return Err(Error::Internal(reason));
        }
        let mut drafts = std::mem::take(&mut self.drafts);
        // Every transaction uses the same order, so that two never wait for each other.
        drafts.sort_by_key(|draft| draft.organization);
        Ok(drafts)
    }
}

impl Draft {
    fn collected(&mut self, kind: Kind, record_id: Uuid) -> &mut Collected {
        let at = *self.by_record.entry((kind, record_id)).or_insert_with(|| {
            self.effects.push(Collected {
                kind,
                record_id,
                before: None,
                after: None,
                images: false,
                touched_for: Vec::new(),
                erased: false,
                erased_of: None,
            });
            self.effects.len() - 1
        });
        &mut self.effects[at]
    }

    /// The children whom the entry is about, in the order of its effects.
    fn children(&self) -> Vec<ChildId> {
        let mut children: Vec<ChildId> = Vec::new();
        for child in self.effects.iter().filter_map(Collected::child) {
            if !children.contains(&child) {
                children.push(child);
            }
        }
        children
    }

    /// The entry as it is written. What it says about children is sealed, or left out if the child has no key.
    fn written(self, keys: &Held) -> Result<Written> {
        let mut random = random();
        let organization = self.organization;
        let key = |child: ChildId| keys.get(&(organization, child)).and_then(Option::as_deref);
        let children = self.children();
        let reason = match self.reason {
            Some(reason) if !children.is_empty() => match children.into_iter().find_map(key) {
                Some(key) => Some(key.seal_text(Place::Reason(self.id), &reason)?),
                None => None,
            },
            reason => reason,
        };
        let mut effects = Vec::with_capacity(self.effects.len());
        for effect in self.effects {
            let secrecy = match effect.child() {
                None => Secrecy::Open,
                Some(child) => key(child).map_or(Secrecy::Erased, Secrecy::Sealed),
            };
            effects.extend(effect.written(secrecy, &mut random)?);
        }
        Ok(Written {
            id: self.id.uuid(),
            at: self.at.as_microsecond(),
            user_id: self.actor.user.map(Id::uuid),
            key_id: self.actor.key.map(Id::uuid),
            on_behalf_of: self.on_behalf_of.map(Id::uuid),
            operation: self.operation.into(),
            request_id: self.request_id,
            changeset_id: self.changeset.map(Id::uuid),
            reason_salt: reason.as_ref().map(|_| salt(&mut random)),
            reason,
            effects,
        })
    }
}

impl Collected {
    /// Keeps the state before the first effect and after the last one.
    fn add(&mut self, effect: &Effect) {
        if self.before.is_none() && self.after.is_none() {
            self.before.clone_from(&effect.before);
        }
        self.after.clone_from(&effect.after);
    }

    /// The child whom the record is about.
    fn child(&self) -> Option<ChildId> {
        self.after.as_ref().or(self.before.as_ref()).and_then(AnyRecord::child).or(self.erased_of)
    }

    /// The JSON of a record, unless the ledger does not store it.
    fn image(&self, record: Option<&AnyRecord>, secrecy: Secrecy<'_>) -> Result<Option<String>> {
        let Some(record) = record.filter(|_| self.images && !self.erased) else { return Ok(None) };
        let image = record.image_text();
        Ok(match secrecy {
            Secrecy::Open => Some(image.into_owned()),
            Secrecy::Sealed(key) => Some(key.seal_text(Place::Image(self.kind, self.record_id), &image)?),
            Secrecy::Erased => None,
        })
    }

    fn written(self, secrecy: Secrecy<'_>, random: &mut impl Rng) -> Result<Vec<WrittenEffect>> {
        let (kind, record_id) = (Cow::Borrowed(self.kind.name()), self.record_id);
        let child_id = self.child().map(Id::uuid);
        let before = self.image(self.before.as_ref(), secrecy)?;
        let after = self.image(self.after.as_ref(), secrecy)?;
        let effect = Effect { before: self.before, after: self.after };
        let mut written = Vec::new();
        if effect.record().is_some() {
            let mut changed = effect.fields();
            changed.extend(self.touched_for);
            written.push(WrittenEffect {
                kind: kind.clone(),
                record_id,
                verb: effect.verb().into(),
                version: version(&effect),
                clears_to: None,
                changed: rendered::json(&changed),
                before,
                after,
                salt: Some(salt(random)),
                child_id,
            });
        }
        if self.erased {
            written.push(WrittenEffect {
                kind,
                record_id,
                verb: ERASED.into(),
                version: 0,
                clears_to: Some(0),
                changed: "[]".to_owned(),
                before: None,
                after: None,
                salt: Some(salt(random)),
                child_id,
            });
        }
        Ok(written)
    }
}

/// The record's version after the effect. A deletion counts as a change.
fn version(effect: &Effect) -> i64 {
    match (&effect.before, &effect.after) {
        (_, Some(after)) => after.version(),
        (Some(before), None) => before.version() + 1,
        (None, None) => 0,
    }
}

/// Creates a salt for an effect that does not come from a change of records.
pub(super) fn fresh_salt() -> Salt {
    salt(&mut random())
}

/// Random numbers for salts.
#[expect(clippy::disallowed_methods, reason = "a salt is a secret: a moment's numbers are seen in ids")]
fn random() -> impl Rng {
    rand::rng()
}

fn salt(random: &mut impl Rng) -> Salt {
    let mut salt = Salt::default();
    random.fill_bytes(&mut salt);
    salt
}

/// Who and what an entry names, if several commands of others make it.
#[derive(Clone, Debug)]
pub struct Attribution<'a> {
    /// The operation's id.
    pub operation: &'static str,
    /// Who acts. `None` for the server.
    pub user: Option<UserId>,
    /// The person on whose behalf they act: the author.
    pub on_behalf_of: UserId,
    /// The changeset.
    pub changeset: ChangesetId,
    /// Why.
    pub reason: Option<&'a str>,
}

impl Tx<'_> {
    /// Makes the entry of the organization name a changeset and its people, whatever commands have written it. Returns its id; `None` if
    /// nothing was changed.
    pub fn attribute(&mut self, proof: &OrgWrite<'_>, attribution: &Attribution<'_>) -> Option<EntryId> {
        let organization = proof.organization();
        let mut drafts = self.unrecorded.drafts.iter_mut();
        let draft = drafts.find(|draft| draft.organization == organization)?;
        draft.operation = attribution.operation;
        draft.actor = Actor { user: attribution.user, key: None };
        draft.on_behalf_of = Some(attribution.on_behalf_of);
        draft.changeset = Some(attribution.changeset);
        draft.reason = attribution.reason.map(str::to_owned);
        Some(draft.id)
    }

    /// Records the transaction's changes, in one entry for each organization. Nothing may be written afterwards.
    pub(crate) async fn record(&mut self, name: &'static str) -> Result<()> {
        for draft in self.unrecorded.take(name)? {
            let organization = draft.organization;
            for child in draft.children() {
                self.child_key((organization, child)).await?;
            }
            let entry = draft.written(&self.child_keys)?;
            if entry.effects.is_empty() {
                continue;
            }
            match self.engine() {
                Engine::Sqlite => posting::append(self, organization, entry).await?,
                Engine::Postgres => {
                    journal::write(self, organization, entry).await?;
                    self.unrecorded.journaled.push(organization);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
