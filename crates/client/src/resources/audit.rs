//! The audit log.

use fieldhouse_api::audit::AuditLogQuery;

use crate::resources::resource;

resource! {
    /// The audit log.
    Audit {
        /// Lists the changes in the organization, newest first.
        list(query: AuditLogQuery) => AuditLog;
    }
}
