//! What the transactions of a batch have posted on SQLite and its tables do not have yet: entries, and the heads that they have advanced.
//!
//! It is written before the batch is committed, and before another statement names a table of the ledger, so that everything reads what it
//! would read without this. One statement writes a head once for all transactions, and inserts the rows of several.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fieldhouse_domain::ids::OrganizationId;

use super::{EFFECT, ENTRY, Placed};
use crate::error::Result;
use crate::ledger::heads::{self, Advance, Head};
use crate::query::Query;
use crate::value::Value;

/// The tables of the ledger.
pub(crate) const TABLES: [&str; 3] = [heads::TABLE, "ledger_entries", "ledger_effects"];

/// How many rows may wait. More are written at once, so that a large entry is not kept in memory until the commit.
const MOST_WAITING: usize = 64;
/// How many rows one statement inserts: the largest of these numbers of which so many are left. Four entries have 60 parameters.
const TOGETHER: [usize; 3] = [4, 2, 1];

static ENTRIES: LazyLock<[Query; TOGETHER.len()]> =
    LazyLock::new(|| TOGETHER.map(|rows| ENTRY.of_rows(rows)));
static EFFECTS: LazyLock<[Query; TOGETHER.len()]> =
    LazyLock::new(|| TOGETHER.map(|rows| EFFECT.of_rows(rows)));

/// What is posted and not written yet.
#[derive(Default)]
pub(crate) struct Posted {
    heads: BTreeMap<OrganizationId, Advance>,
    entries: Vec<(OrganizationId, Placed)>,
    /// The number of rows that wait.
    rows: usize,
}

impl Posted {
    /// The head of an organization, if it was advanced.
    pub(in crate::ledger) fn head(&self, organization: OrganizationId) -> Option<&Head> {
        self.heads.get(&organization).map(|advance| &advance.head)
    }

    /// Advances a head from the one that was read.
    pub(in crate::ledger) fn advance(&mut self, organization: OrganizationId, from: i64, head: Head) {
        let before = self.heads.remove(&organization);
        let from = before.map_or(from, |before| before.from);
        self.heads.insert(organization, Advance { from, head });
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.heads.is_empty() && self.entries.is_empty()
    }

    /// Adds an entry. Returns whether so many rows wait that they must be written now.
    pub(super) fn add(&mut self, organization: OrganizationId, entry: Placed) -> bool {
        self.rows += 1 + entry.effects();
        self.entries.push((organization, entry));
        self.rows > MOST_WAITING
    }

    /// Writes everything. `run` runs a statement, and returns how many rows it changed.
    pub(crate) fn write(
        &mut self,
        mut run: impl FnMut(&'static Query, &[Value<'_>]) -> Result<u64>,
    ) -> Result<()> {
        let Self { heads, entries, .. } = std::mem::take(self);
        let rows: Vec<_> = entries.iter().map(|(organization, entry)| entry.row(*organization)).collect();
        insert(&rows, &ENTRIES, &mut run)?;
        let effects = entries.iter().flat_map(|(organization, entry)| entry.effect_rows(*organization));
        insert(&effects.collect::<Vec<_>>(), &EFFECTS, &mut run)?;
        heads.into_iter().try_for_each(|(organization, advance)| {
            let (query, values) = advance.statement(organization);
            heads::check_changed(organization, run(query, &values)?)
        })
    }

    /// Forgets everything, because it was rolled back.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Inserts rows with as few statements as possible.
fn insert<const COLUMNS: usize>(
    mut rows: &[[Value<'_>; COLUMNS]],
    statements: &'static [Query; TOGETHER.len()],
    run: &mut impl FnMut(&'static Query, &[Value<'_>]) -> Result<u64>,
) -> Result<()> {
    for (query, together) in statements.iter().zip(TOGETHER) {
        while let Some((some, others)) = rows.split_at_checked(together) {
            run(query, some.as_flattened())?;
            rows = others;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use fieldhouse_domain::ids::Id as _;
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::super::unreadable;
    use super::*;
    use crate::ledger::chain;
    use crate::ledger::entries::{Written, WrittenEffect};

    fn club(number: u128) -> OrganizationId {
        OrganizationId::from_uuid(Uuid::from_u128(number))
    }

    fn effect(number: u128) -> WrittenEffect {
        WrittenEffect {
            kind: "season".into(),
            record_id: Uuid::from_u128(number),
            verb: "created".into(),
            version: 1,
            clears_to: None,
            changed: "[]".to_owned(),
            before: None,
            after: Some("{}".to_owned()),
            salt: None,
            child_id: None,
        }
    }

    /// Posts an entry with a number of effects after a head. Returns whether so many rows wait that they must be written.
    fn post(posted: &mut Posted, organization: OrganizationId, seq: i64, effects: u128) -> bool {
        let entry = unreadable(organization, seq, String::new());
        let entry = Written { effects: (0..effects).map(effect).collect(), ..entry };
        let mut head =
            Head { epoch: 0, seq, posted_at: Timestamp::UNIX_EPOCH, chain: chain::genesis(organization) };
        let entry = Placed::new(organization, &head, entry);
        head.chain = entry.chain;
        posted.advance(organization, seq - 1, head);
        posted.add(organization, entry)
    }

    /// Writes what waits. Returns the name of each statement with the organization and the first number of each of its rows.
    fn written(posted: &mut Posted) -> Vec<(&'static str, Vec<(OrganizationId, String)>)> {
        let mut ran = Vec::new();
        let run = |query: &'static Query, values: &[Value<'_>]| {
            assert_eq!(query.parameters().len(), values.len(), "{}", query.sql);
            let columns = match query.name {
                "ledger.entry" => 15,
                "ledger.effect" => 14,
                _ => values.len(),
            };
            let row = |row: &[Value<'_>]| {
                let organization = row[0].as_uuid().map(OrganizationId::from_uuid).expect("an id");
                (organization, format!("{:?}", row[1].as_key_part().expect("a number")))
            };
            ran.push((query.name, values.chunks(columns).map(row).collect()));
            Ok(1)
        };
        posted.write(run).expect("everything is written");
        ran
    }

    #[test]
    fn rows_of_many_entries_are_written_together_and_in_order() {
        let mut posted = Posted::default();
        for seq in 1..=7 {
            assert!(!post(&mut posted, club(1), seq, 1));
        }
        post(&mut posted, club(2), 1, 3);
        let numbers = |numbers: &[(u128, i64)]| -> Vec<_> {
            numbers.iter().map(|(of, seq)| (club(*of), format!("Int({seq})"))).collect()
        };
        assert_eq!(
            written(&mut posted),
            [
                ("ledger.entry", numbers(&[(1, 1), (1, 2), (1, 3), (1, 4)])),
                ("ledger.entry", numbers(&[(1, 5), (1, 6), (1, 7), (2, 1)])),
                ("ledger.effect", numbers(&[(1, 1), (1, 2), (1, 3), (1, 4)])),
                ("ledger.effect", numbers(&[(1, 5), (1, 6), (1, 7), (2, 1)])),
                ("ledger.effect", numbers(&[(2, 1), (2, 1)])),
                ("ledger.advance", numbers(&[(1, 7)])),
                ("ledger.advance", numbers(&[(2, 1)])),
            ]
        );
        assert_eq!(written(&mut posted), [], "nothing is written twice");
    }

    #[test]
    fn what_is_forgotten_is_not_written() {
        let mut posted = Posted::default();
        post(&mut posted, club(1), 1, 1);
        posted.forget();
        assert_eq!(posted.head(club(1)), None);
        assert_eq!(written(&mut posted), []);
    }

    #[test]
    fn a_large_entry_does_not_wait() {
        let mut posted = Posted::default();
        assert!(!post(&mut posted, club(1), 1, 1));
        assert!(post(&mut posted, club(1), 2, 1_000));
        assert_eq!(written(&mut posted).len(), 1 + 251 + 1);
        assert!(!post(&mut posted, club(1), 3, 1), "what was written is not counted");
    }
}
