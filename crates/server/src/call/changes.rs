//! Changes since an earlier request: the tokens and cursors of lists of records that have a history.
//!
//! A token is a position in the organization's ledger, signed for the list and the organization. The cursor of a page of changes contains
//! the token of the first page, so that the client knows where to start the next time.

use fieldhouse_api::request::RecordListQuery;
use fieldhouse_api::{Answer, Code, Op, Page, PageInfo, Tombstone};
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::rendered::Rendered;
use fieldhouse_store::ledger::{self, Changed, Following, Listing, Point, Position};
use fieldhouse_store::records::{self, Stored};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Bounds, Call, Part};
use crate::answer::Answered;
use crate::failure::Failure;

/// The position of the next page of a list, and the position of its first page in the ledger.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Synced<P> {
    /// The position in the list.
    pub point: P,
    /// The position in the ledger.
    pub sync: Position,
}

/// The start of the requested changes.
#[derive(Clone, Debug)]
pub enum Since {
    /// An earlier list.
    Token(String),
    /// A time.
    Time(Timestamp),
}

/// Requested changes. Entries are posted when [`Reading::page`] is called, not before.
pub struct Reading<'a> {
    /// The transaction to read in.
    pub following: Following<'a>,
    /// The position to start after.
    pub after: Point,
    part: Part<Synced<Point>>,
    sync: Position,
}

impl<O: Op> Call<O> {
    /// The start of the requested changes. `None` if the request is for records. Changes cannot be filtered: the client would not learn
    /// about a record that no longer matches the filter.
    pub fn since(&self, query: &RecordListQuery, filters: &[(&str, bool)]) -> Result<Option<Since>, Failure> {
        let (name, wanted) = match (&query.since, query.updated_since) {
            (None, None) => return Ok(None),
            (Some(token), _) => ("since", Since::Token(token.clone())),
            (None, Some(time)) => ("updated_since", Since::Time(time)),
        };
        let both = query.since.is_some() && query.updated_since.is_some();
        let common = [("updated_since", both), ("q", query.q.is_some())];
        if let Some((filter, _)) = common.iter().chain(filters).find(|(_, sent)| *sent) {
            let fix = format!("Leave {filter} out and filter the response instead.");
            return Err(Failure::parameter(
                Code::InvalidParameter,
                name,
                "cannot be combined with a filter",
                fix,
            ));
        }
        Ok(Some(wanted))
    }

    /// The requested part of a list of records that have a history. Before the first page, what the caller has changed enters the ledger.
    pub async fn synced_part<P: DeserializeOwned>(
        &self,
        query: &RecordListQuery,
    ) -> Result<Part<Synced<P>>, Failure> {
        let part = self.part(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
        if part.after.is_none() {
            self.store().catch_up(self.scope()?).await?;
        }
        Ok(part)
    }

    /// Responds with a page of records and the token of its position in the ledger, which is that of the first page. `point` is the position
    /// of a record in the list.
    pub fn synced_page<P, R, T, N: Serialize>(
        &self,
        part: &Part<Synced<P>>,
        listing: Listing<R>,
        point: impl Fn(&R) -> N,
        view: impl Fn(R) -> T,
    ) -> Result<Answered<O>, Failure>
    where
        O: Op<Answer = Page<T>>,
        Page<T>: Serialize,
    {
        let (records, page) = self.synced_part_of(part, listing, point)?;
        self.page(Page { data: records.into_iter().map(view).collect(), deleted: None, page })
    }

    /// The same for records that are JSON already.
    pub fn synced_lines<P, L: Rendered, N: Serialize>(
        &self,
        part: &Part<Synced<P>>,
        listing: Listing<L>,
        point: impl Fn(&L) -> N,
    ) -> Result<Answered<O>, Failure>
    where
        O: Op<Answer = Page<L::Shown>>,
        Page<L::Shown>: Answer,
    {
        let (records, page) = self.synced_part_of(part, listing, point)?;
        Ok(self.linked(Answered::rendered_page(&records, &page)?, &page))
    }

    /// The records of a page, and its position in the list and in the ledger.
    fn synced_part_of<P, R, N: Serialize>(
        &self,
        part: &Part<Synced<P>>,
        Listing { position, mut records }: Listing<R>,
        point: impl Fn(&R) -> N,
    ) -> Result<(Vec<R>, PageInfo), Failure> {
        let sync = part.after.as_ref().map_or(position, |after| after.sync);
        let mut page = self.page_info(part, &mut records, |record| Synced { point: point(record), sync })?;
        page.sync = Some(self.sync_token(sync)?);
        Ok((records, page))
    }

    /// Responds with a page of changes, for records of one table.
    pub async fn changed<S: Stored, T>(
        &self,
        since: Since,
        query: &RecordListQuery,
        view: impl Fn(S) -> T,
    ) -> Result<Answered<O>, Failure>
    where
        O: Op<Answer = Page<T>>,
        Page<T>: Serialize,
    {
        let mut reading = self.changes(since, query).await?;
        let (after, reach) = (reading.after, reading.reach());
        let changes = records::changed::<S, _>(&mut reading.following, self.scope()?, after, reach).await?;
        let page = reading.page(self, changes, view, |id| S::Id::from_uuid(id).to_string()).await?;
        self.page(page)
    }

    /// The token of a position in the ledger.
    fn sync_token(&self, sync: Position) -> Result<String, Failure> {
        self.seal(&self.sync_scope()?, &sync)
    }

    /// Starts to read changes.
    pub async fn changes(&self, since: Since, query: &RecordListQuery) -> Result<Reading<'_>, Failure> {
        let scope = self.scope()?;
        let part = self.part::<Synced<Point>>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
        let wanted = match &since {
            Since::Token(token) => Some(self.place(token)?),
            Since::Time(_) => None,
        };
        let mut following = ledger::following(&self.app.store, scope).await?;
        let head = ledger::head(&mut following, scope).await?;
        let sync = part.after.as_ref().map_or_else(|| head.position(), |after| after.sync);
        if sync.epoch != head.epoch || wanted.is_some_and(|wanted| wanted.epoch != head.epoch) {
            let detail = "This part of the history no longer exists, because the organization was restored. Read the list again.";
            return Err(Failure::new(Code::InvalidCursor, detail));
        }
        let after = match (&part.after, since) {
            (Some(after), _) => after.point,
            (None, Since::Token(_)) => Point::behind(wanted.map_or(0, |wanted| wanted.seq)),
            (None, Since::Time(time)) => {
                let seq = ledger::posted_until(&mut following, scope, time).await?;
                Point::behind(seq.min(head.seq))
            }
        };
        Ok(Reading { following, after, part, sync })
    }

    fn place(&self, token: &str) -> Result<Position, Failure> {
        self.unseal(&self.sync_scope()?, token)
    }

    /// A token is valid for the list, for every member of the organization.
    fn sync_scope(&self) -> Result<String, Failure> {
        Ok(format!("sync\n{}\n{}\n", O::OPERATION.id(), self.scope()?.organization()))
    }
}

impl Reading<'_> {
    /// The number of changes to read.
    pub fn reach(&self) -> u32 {
        self.part.reach()
    }

    /// Finishes the reading and creates a page. `view` converts a record and `id` writes the id of a deleted one.
    pub async fn page<O: Op, T, R>(
        self,
        call: &Call<O>,
        mut changes: Vec<Changed<R>>,
        view: impl Fn(R) -> T,
        id: impl Fn(uuid::Uuid) -> String,
    ) -> Result<Page<T>, Failure> {
        self.following.finish().await?;
        let sync = self.sync;
        let mut page =
            call.page_info(&self.part, &mut changes, |change| Synced { point: change.point, sync })?;
        page.sync = Some(call.sync_token(sync)?);
        let (mut data, mut deleted) = (Vec::new(), Vec::new());
        for change in changes {
            match change.record {
                Some(record) => data.push(view(record)),
                None => deleted.push(Tombstone { id: id(change.id), deleted_at: change.at }),
            }
        }
        Ok(Page { data, deleted: Some(deleted), page })
    }
}
