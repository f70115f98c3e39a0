//! What the SQL of each query says about it, found out once: what it writes, and which tables the rows that a transaction keeps depend on.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::{Once, Query, Writes, Written, every};
use crate::access;
use crate::ledger::posting;

/// A set of tables, each a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables(u128);

impl Tables {
    /// All tables, also those that have no bit.
    const ALL: Self = Self(u128::MAX);

    /// Whether a table is in both.
    pub(crate) fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The names of a query's columns.
pub(crate) type Columns = Cow<'static, [String]>;

/// What the SQL of a query says about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    /// What it writes.
    pub(crate) written: Written,
    /// Whose records it writes.
    pub(crate) writes: Writes,
    /// Whether it may write facts behind credentials.
    pub(crate) writes_credentials: bool,
    /// The table that it writes, if it is one.
    pub(crate) table: Tables,
    /// The tables that it names, if its rows are kept.
    pub(crate) names: Tables,
    /// Whether it names a table of the ledger.
    pub(crate) names_ledger: bool,
}

/// The tables that queries write, in the order of their bits.
static TABLES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut tables: Vec<&str> = every().filter_map(table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
});

/// What is known about a query that is listed.
struct Listed {
    said: Said,
    columns: OnceLock<Vec<String>>,
}

static ALL: LazyLock<HashMap<&'static str, Listed>> = LazyLock::new(|| {
    let listed = |query| Listed { said: said(query), columns: OnceLock::new() };
    every().map(|query| (query.name, listed(query))).collect()
});

/// The table that a query writes, if it is one.
fn table(query: &'static Query) -> Option<&'static str> {
    match query.written() {
        Written::Table { name, .. } => Some(name),
        Written::Nothing | Written::Anything => None,
    }
}

/// The bit of a table. One without a bit counts as all of them.
fn bit(at: Option<usize>) -> Tables {
    let bit = at.and_then(|at| 1_u128.checked_shl(u32::try_from(at).ok()?));
    bit.map_or(Tables::ALL, Tables)
}

fn said(query: &'static Query) -> Said {
    let table = table(query);
    let table = table.map_or(Tables::default(), |name| bit(TABLES.binary_search(&name).ok()));
    let kept = TABLES.iter().enumerate().filter(|(_, name)| query.once != Once::Never && query.names(name));
    let names = Tables(kept.fold(0, |all, (at, _)| all | bit(Some(at)).0));
    let written = query.written();
    let writes_credentials = match written {
        Written::Nothing => false,
        Written::Table { name, .. } => access::FACTS.iter().any(|facts| facts.names(name)),
        Written::Anything => true,
    };
    let names_ledger = posting::TABLES.iter().any(|table| query.names(table));
    Said { written, writes: query.writes(), writes_credentials, table, names, names_ledger }
}

impl Query {
    /// What its SQL says about it.
    pub(crate) fn said(&'static self) -> Said {
        // Every query is listed, except some of tests.
        ALL.get(self.name).map_or_else(|| said(self), |listed| listed.said)
    }

    /// The names of its columns, as `read` returns them when it is first run.
    pub(crate) fn columns(&'static self, read: impl FnOnce() -> Vec<String>) -> Columns {
        match ALL.get(self.name) {
            Some(listed) => Cow::Borrowed(listed.columns.get_or_init(read)),
            None => Cow::Owned(read()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::query::of;

    #[test]
    fn every_table_has_a_bit_of_its_own() {
        let mut of_tables: HashMap<&str, Tables> = HashMap::new();
        for query in of(Engine::Postgres) {
            if let Written::Table { name, .. } = query.written() {
                let table = query.said().table;
                assert_eq!(table.0.count_ones(), 1, "{name}");
                assert_eq!(*of_tables.entry(name).or_insert(table), table, "{name}");
            }
        }
        let all = of_tables.values().fold(0, |all, table| all | table.0);
        assert_eq!(all.count_ones() as usize, of_tables.len());
    }

    #[test]
    fn a_query_that_is_kept_names_the_tables_of_its_sql() {
        for query in of(Engine::Postgres).filter(|query| query.once != Once::Never) {
            for other in of(Engine::Postgres) {
                if let Written::Table { name, .. } = other.written() {
                    let is_named = query.said().names.meet(other.said().table);
                    assert_eq!(is_named, query.names(name), "{} {name}", query.name);
                }
            }
        }
    }
}
