//! The audit log.

use fieldhouse_api::audit::AuditLogQuery;

use crate::resources::resource;

resource! {
    /// The audit log.
    Audit {
        /// Lists what changed in the organization, the newest first.
        list(query: AuditLogQuery) => AuditLog;
    }
}
