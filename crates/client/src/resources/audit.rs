//! The audit log.

use fieldhouse_api::audit::AuditLogQuery;

use crate::resources::resource;

resource! {
    /// The audit log.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::audit::AuditLogQuery;
    /// use futures_util::TryStreamExt;
    /// let mut entries = client.audit().list(&AuditLogQuery::default()).stream();
    /// while let Some(entry) = entries.try_next().await? {
    ///     println!("{} {}", entry.at, entry.operation);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Audit {
        /// Lists the changes in the organization, newest first.
        list(query: AuditLogQuery) => AuditLog;
    }
}
