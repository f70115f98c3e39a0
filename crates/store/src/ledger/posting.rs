//! Posting: how entries get their position in the ledger. On SQLite this is the last thing that their transaction does, and their rows are
//! written with those of others. On PostgreSQL they wait in the journal until a worker, a writer with too many waiting entries or a reader
//! of history posts them.

mod posted;

use std::borrow::Cow;
use std::time::Duration;

use fieldhouse_domain::ids::{Id, OrganizationId};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::chain::{self, Link};
use super::clearing;
use super::entries::{ERASED, Salt, Written, WrittenEffect};
use super::heads::{self, Generation, Head};
use super::journal::{self, Taken};
use crate::access::OrgScope;
use crate::engine::{Engine, Reader, Store, Tx};
use crate::error::Result;
use crate::postgres::Postgres;
use crate::query::queries;
use crate::value::{Value, id, values};
pub(crate) use posted::{Posted, TABLES};

queries! {
    ENTRY "ledger.entry" "INSERT INTO ledger_entries (org_id, seq, id, at, posted_at, user_id, key_id, on_behalf_of, operation, request_id,
            changeset_id, reason, reason_salt, reason_digest, chain)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    EFFECT "ledger.effect" "INSERT INTO ledger_effects (org_id, seq, position, kind, record_id, verb, version, clears_to, changed, before,
            after, salt, digest, child_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
}

/// The operation of an entry whose journal row cannot be read.
pub(crate) const UNREADABLE: &str = "ledger.unreadable";
/// The number of waiting entries of an organization above which its writers help to post them.
const CROWD: u64 = 1000;
/// How long a reader of history may spend on posting.
const READERS_TIME: Duration = Duration::from_millis(500);

/// Appends an entry to the ledger (SQLite). Its posting time is after its own time and after the previous entry's.
pub(crate) async fn append(tx: &mut Tx<'_>, organization: OrganizationId, entry: Written) -> Result<()> {
    let head = heads::lock(tx, organization).await?;
    append_now(tx, organization, head, entry).await
}

/// Appends an entry to the ledger in a transaction that has locked its head, on either engine.
pub(super) async fn append_now(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    head: Head,
    entry: Written,
) -> Result<()> {
    let at = Timestamp::from_microsecond(entry.at).unwrap_or(Timestamp::MAX);
    let earliest = match tx.engine() {
        Engine::Sqlite => after(at),
        Engine::Postgres => {
            let (now, newest) = journal::clock(tx, organization).await?;
            now.max(after(newest.map_or(at, |newest| newest.max(at))))
        }
    };
    append_all(tx, organization, head, earliest, vec![entry]).await
}

/// Posts waiting entries of an organization (PostgreSQL). Returns their number, and whether more are waiting.
async fn post_some(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<(usize, bool)> {
    let mark = journal::mark(tx).await?;
    let head = heads::lock(tx, organization).await?;
    let (taken, is_cut) = journal::take(tx, organization).await?;
    if let Some(mark) = mark.filter(|_| !is_cut) {
        journal::raise_floor(tx, organization, &mark).await?;
    }
    let entries = taken.into_iter().map(|taken| match taken {
        Taken::Entry(entry) => *entry,
        Taken::Unreadable(at, text) => unreadable(organization, at, text),
    });
    let entries: Vec<Written> = entries.collect();
    // The clock is read last, because the rows that were taken may have been committed just before.
    let (now, waiting) = journal::clock(tx, organization).await?;
    let taken = entries.iter().filter_map(|entry| Timestamp::from_microsecond(entry.at).ok());
    let Some(newest) = taken.chain(waiting).max() else { return Ok((0, false)) };
    let count = entries.len();
    append_all(tx, organization, head, now.max(after(newest)), entries).await?;
    Ok((count, is_cut))
}

/// The next microsecond.
pub(super) fn after(time: Timestamp) -> Timestamp {
    time.saturating_add(SignedDuration::from_micros(1)).unwrap_or(Timestamp::MAX)
}

/// Writes entries after the head and advances it. None is posted before `earliest` or before the previous entry.
async fn append_all(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    head: Head,
    earliest: Timestamp,
    entries: Vec<Written>,
) -> Result<()> {
    let (from, mut head) = (head.seq, head);
    let mut posted = Vec::new();
    for mut entry in entries {
        head.seq += 1;
        for erased in entry.effects.iter_mut().filter(|effect| effect.verb == ERASED) {
            erased.clears_to = Some(head.seq);
        }
        head.posted_at = earliest.max(after(head.posted_at));
        let entry = Placed::new(organization, &head, entry);
        head.chain = entry.chain;
        posted.push(entry);
    }
    let erased: Vec<_> = posted.iter().flat_map(Placed::erased).collect();
    if tx.engine() == Engine::Sqlite {
        write_later(tx, organization, posted)?;
    } else {
        let entries = posted.iter().map(|entry| entry.row(organization).into());
        tx.run_each(ENTRY, &entries.collect::<Vec<_>>()).await?;
        let effects = posted.iter().flat_map(|entry| entry.effect_rows(organization)).map(Vec::from);
        tx.run_each(EFFECT, &effects.collect::<Vec<_>>()).await?;
    }
    for (seq, record) in erased {
        clearing::clear(tx, organization, seq, record).await?;
    }
    heads::advance(tx, organization, from, head).await
}

/// Leaves entries to be written with those of other transactions (SQLite), unless they are many.
fn write_later(tx: &mut Tx<'_>, organization: OrganizationId, entries: Vec<Placed>) -> Result<()> {
    for query in [ENTRY, EFFECT] {
        tx.note_later(query, values![id(organization)]);
    }
    for entry in entries {
        if tx.posted().is_some_and(|posted| posted.add(organization, entry)) {
            tx.write_posted()?;
        }
    }
    Ok(())
}

/// An entry with its position and digests.
struct Placed {
    entry: Written,
    seq: i64,
    posted_at: Timestamp,
    reason_digest: Option<Link>,
    digests: Vec<Link>,
    chain: Link,
}

impl Placed {
    fn new(organization: OrganizationId, head: &Head, entry: Written) -> Self {
        let reason_digest = entry
            .reason_salt
            .as_ref()
            .zip(entry.reason.as_deref())
            .map(|(salt, reason)| chain::reason(salt, reason));
        let digests: Vec<Link> = entry.effects.iter().map(digest).collect();
        let chain = chain::link(
            &head.chain,
            organization,
            (head.seq, head.posted_at.as_microsecond()),
            &entry,
            reason_digest.as_ref(),
            entry.effects.iter().zip(&digests),
        );
        Self { entry, seq: head.seq, posted_at: head.posted_at, reason_digest, digests, chain }
    }

    /// The number of effects.
    fn effects(&self) -> usize {
        self.entry.effects.len()
    }

    /// The records whose images it erases, with its number.
    fn erased(&self) -> impl Iterator<Item = (i64, (Cow<'static, str>, Uuid))> {
        let erased = self.entry.effects.iter().filter(|effect| effect.verb == ERASED);
        erased.map(|effect| (self.seq, (effect.kind.clone(), effect.record_id)))
    }

    /// The values of [`ENTRY`].
    fn row(&self, organization: OrganizationId) -> [Value<'_>; 15] {
        let Written { id: entry_id, at, user_id, key_id, on_behalf_of, .. } = &self.entry;
        [
            id(organization),
            self.seq.into(),
            (*entry_id).into(),
            (*at).into(),
            self.posted_at.into(),
            (*user_id).into(),
            (*key_id).into(),
            (*on_behalf_of).into(),
            (&*self.entry.operation).into(),
            (&self.entry.request_id).into(),
            self.entry.changeset_id.into(),
            self.entry.reason.as_ref().into(),
            self.entry.reason_salt.as_ref().into(),
            self.reason_digest.as_ref().into(),
            (&self.chain).into(),
        ]
    }

    /// The values of [`EFFECT`] for each effect.
    fn effect_rows(&self, organization: OrganizationId) -> impl Iterator<Item = [Value<'_>; 14]> {
        let effects = self.entry.effects.iter().zip(&self.digests).zip(0_u32..);
        effects.map(move |((effect, digest), position)| {
            [
                id(organization),
                self.seq.into(),
                position.into(),
                (&*effect.kind).into(),
                effect.record_id.into(),
                (&*effect.verb).into(),
                effect.version.into(),
                effect.clears_to.into(),
                (&effect.changed).into(),
                effect.before.as_ref().into(),
                effect.after.as_ref().into(),
                effect.salt.as_ref().into(),
                digest.into(),
                effect.child_id.into(),
            ]
        })
    }
}

fn digest(effect: &WrittenEffect) -> Link {
    let none = Salt::default();
    chain::images(effect.salt.as_ref().unwrap_or(&none), effect.before.as_deref(), effect.after.as_deref())
}

/// The entry for a journal row that cannot be read, so that it does not block its organization.
fn unreadable(organization: OrganizationId, at: i64, text: String) -> Written {
    tracing::error!(%organization, "a journal row cannot be read and is posted as text");
    let digest: [u8; 32] = Sha256::digest([organization.uuid().as_bytes(), text.as_bytes()].concat()).into();
    Written {
        id: Uuid::new_v8(std::array::from_fn(|byte| digest[byte])),
        at,
        user_id: None,
        key_id: None,
        on_behalf_of: None,
        operation: UNREADABLE.into(),
        request_id: String::new(),
        changeset_id: None,
        reason_salt: Some(std::array::from_fn(|byte| digest[16 + byte])),
        reason: Some(text),
        effects: Vec::new(),
    }
}

impl Store {
    /// Posts all waiting entries of an organization, and returns their number. On SQLite none ever wait.
    pub async fn post(&self, organization: OrganizationId) -> Result<usize> {
        match self.postgres() {
            Some(postgres) => Box::pin(post_all(postgres, organization)).await,
            None => Ok(0),
        }
    }

    /// Posts the waiting entries of every organization, and returns their number.
    pub async fn post_everything(&self) -> Result<usize> {
        let Some(postgres) = self.postgres() else { return Ok(0) };
        let mut posted = 0;
        for organization in journal::organizations(&mut &*self).await? {
            posted += post_all(postgres, organization).await?;
        }
        Ok(posted)
    }

    /// Waits until a transaction of this process commits an entry to the journal, then posts. On SQLite this never happens.
    pub async fn post_when_committed(&self) -> Result<usize> {
        let Some(postgres) = self.postgres() else { return std::future::pending().await };
        postgres.waiting.committed().await;
        let mut posted = 0;
        for posting in postgres.waiting.take(0) {
            posted += post_all(postgres, posting.organization).await?;
        }
        Ok(posted)
    }

    /// Posts before history is read, for a limited time. Entries that are still waiting are read next time. Returns whether none is.
    pub(super) async fn post_for_reader(&self, organization: OrganizationId) -> Result<bool> {
        match tokio::time::timeout(READERS_TIME, self.post(organization)).await {
            Ok(posted) => posted.map(|_| true),
            Err(_) => Ok(false),
        }
    }

    /// Posts the entries of an organization that this process has committed, so that a list's position includes what its reader has done.
    /// Those of other processes are posted within a second.
    pub async fn catch_up(&self, scope: &OrgScope) -> Result<()> {
        let organization = scope.organization();
        match self.postgres() {
            Some(postgres) if postgres.waiting.has(organization) => {
                self.post_for_reader(organization).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The generation of an organization. Read it before the data or in the same snapshot, and from the same server.
    pub async fn generation(&self, organization: OrganizationId) -> Result<Generation> {
        if let Some(postgres) = self.postgres() {
            return super::reading::generation(postgres, organization).await;
        }
        let head = heads::read(&mut &*self, organization).await?;
        Ok(Generation { epoch: head.epoch, commits: head.seq })
    }
}

/// Posts for organizations with too many waiting entries of this process. This slows writers to the pace of posting.
pub(crate) async fn help(postgres: &Postgres) {
    for posting in postgres.waiting.take(CROWD) {
        let organization = posting.organization;
        if let Err(error) = post_all(postgres, organization).await {
            tracing::warn!(%organization, %error, "waiting entries could not be posted");
        }
    }
}

/// Posts the entries that are waiting now. Later ones wait for the next call, so that this ends under any load.
async fn post_all(postgres: &Postgres, organization: OrganizationId) -> Result<usize> {
    let mut posted = 0;
    loop {
        let post = postgres.post("ledger.post", async move |tx| post_some(tx, organization).await);
        let (some, is_cut) = post.await?;
        posted += some;
        if !is_cut {
            return Ok(posted);
        }
    }
}
