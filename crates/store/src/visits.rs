//! Visits: in which organizations a job has something to do.
//!
//! A server may have many thousands of organizations, and a job has nothing to do in most of them. One statement looks at many of them, so that
//! only the others are visited, and a transaction begins only where it will change something.

use fieldhouse_domain::ids::OrganizationId;

use crate::engine::{Reader as _, Store};
use crate::error::Result;
use crate::query::{Query, queries};
use crate::value::{Value, id, values};

queries! {
    ALL "visits.all" "SELECT org_id FROM ledger_heads ORDER BY org_id";
}

/// A query for the organizations from $1 to $2 that have a row of `$rest`: a table `r` and conditions, which may name the organization `h.org_id`
/// and a value $3, such as a time. As a subquery, it is one look-up for each organization on both engines, however many rows the table has.
macro_rules! having {
    ($($rest:expr),+) => {
        constcat::concat!("SELECT h.org_id FROM ledger_heads h WHERE h.org_id >= $1 AND h.org_id <= $2
            AND (SELECT 1 FROM ", $($rest,)+ " LIMIT 1) IS NOT NULL ORDER BY h.org_id")
    };
}
pub(crate) use having;

/// How many organizations one statement looks at. Others run in between.
const TOGETHER: usize = 500;

impl Store {
    /// All organizations, for jobs that visit each.
    pub async fn organizations(&self) -> Result<Vec<OrganizationId>> {
        (&mut &*self).rows(ALL, values![], |row| row.next()).await
    }

    /// The organizations for which a query of [`having!`] finds something with a value.
    pub(crate) async fn organizations_having(
        &self,
        query: &'static Query,
        value: impl Into<Value<'_>>,
    ) -> Result<Vec<OrganizationId>> {
        let (value, mut found) = (value.into(), Vec::new());
        for together in self.organizations().await?.chunks(TOGETHER) {
            let (Some(first), Some(last)) = (together.first(), together.last()) else { continue };
            let values = values![id(*first), id(*last), value.clone()];
            found.extend((&mut &*self).rows(query, values, |row| row.next::<OrganizationId>()).await?);
            tokio::task::yield_now().await;
        }
        Ok(found)
    }
}
