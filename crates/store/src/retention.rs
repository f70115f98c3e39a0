//! What the rules of retention remove from the tables of all organizations. Rows of bookkeeping leave no entry in the ledger.

use constcat::concat;
use jiff::Timestamp;

use crate::engine::{Store, Tx};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::value::{id, values};
use crate::visits::having;

/// Defines the deletions of old rows in each organization that has some, and of rows that nothing needs then. A condition ends before the time.
macro_rules! purges {
    ($($(#[$doc:meta])* $function:ident $table:literal $old:literal
        $query:ident $name:literal $having:ident $having_name:literal
        $(then $rest:ident $rest_name:literal $rest_sql:literal)?;)+) => {
        queries! {
            $(
                $query $name concat!("DELETE FROM ", $table, " WHERE org_id = $1 AND ", $old, " $2");
                $having $having_name having!($table, " r WHERE r.org_id = h.org_id AND ", $old, " $3");
                $($rest $rest_name $rest_sql;)?
            )+
        }

        impl Store {
            $(
                $(#[$doc])*
                pub async fn $function(&self, before: Timestamp) -> Result<u64> {
                    let mut purged = 0;
                    for organization in self.organizations_having($having, before).await? {
                        let purge = async move |tx: &mut Tx<'_>| {
                            let purged = tx.run($query, values![id(organization), before]).await?;
                            $(if purged > 0 {
                                tx.run($rest, values![id(organization)]).await?;
                            })?
                            Ok::<u64, Error>(purged)
                        };
                        purged += self.write($name, purge).await?;
                    }
                    Ok(purged)
                }
            )+
        }
    };
}
purges! {
    /// Deletes the reads in the access log before a time, and returns their number.
    purge_access_reads "access_reads" "at <"
        ACCESS_READS "retention.access_reads" WITH_ACCESS_READS "retention.with_access_reads"
        then ACCESS_GROUPS "retention.access_groups" "DELETE FROM access_groups WHERE org_id = $1
            AND NOT EXISTS (SELECT 1 FROM access_reads a WHERE a.org_id = $1 AND a.group_id = access_groups.id)";
    /// Deletes the sessions that expired before a time, and returns their number.
    purge_sessions "sessions" "expires_at <"
        SESSIONS "retention.sessions" WITH_SESSIONS "retention.with_sessions";
    /// Deletes the exports whose links expired before a time, and returns their number.
    purge_exports "exports" "expires_at <"
        EXPORTS "retention.exports" WITH_EXPORTS "retention.with_exports";
    /// Deletes the privacy requests that were refused or done before a time, and returns their number.
    purge_privacy_requests "privacy_requests" "state IN ('refused', 'done') AND updated_at <"
        REQUESTS "retention.privacy_requests" WITH_REQUESTS "retention.with_privacy_requests";
}
