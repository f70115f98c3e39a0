//! What the rules of retention remove from the tables of all organizations. Rows of bookkeeping leave no entry in the ledger.

use jiff::Timestamp;

use crate::engine::{Store, Tx};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::value::{id, values};

/// Defines the deletions of old rows in each organization, and of rows that nothing needs then.
macro_rules! purges {
    ($($(#[$doc:meta])* $function:ident $query:ident $name:literal $sql:literal $(then $rest:ident $rest_name:literal $rest_sql:literal)?;)+) => {
        queries! { $($query $name $sql; $($rest $rest_name $rest_sql;)?)+ }

        impl Store {
            $(
                $(#[$doc])*
                pub async fn $function(&self, before: Timestamp) -> Result<u64> {
                    let mut purged = 0;
                    for organization in self.organizations().await? {
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
    purge_access_reads ACCESS_READS "retention.access_reads" "DELETE FROM access_reads WHERE org_id = $1 AND at < $2"
        then ACCESS_GROUPS "retention.access_groups" "DELETE FROM access_groups WHERE org_id = $1
            AND NOT EXISTS (SELECT 1 FROM access_reads a WHERE a.org_id = $1 AND a.group_id = access_groups.id)";
    /// Deletes the sessions that expired before a time, and returns their number.
    purge_sessions SESSIONS "retention.sessions" "DELETE FROM sessions WHERE org_id = $1 AND expires_at < $2";
    /// Deletes the exports whose links expired before a time, and returns their number.
    purge_exports EXPORTS "retention.exports" "DELETE FROM exports WHERE org_id = $1 AND expires_at < $2";
    /// Deletes the privacy requests that were refused or done before a time, and returns their number.
    purge_privacy_requests REQUESTS "retention.privacy_requests" "DELETE FROM privacy_requests
        WHERE org_id = $1 AND state IN ('refused', 'done') AND updated_at < $2";
}
