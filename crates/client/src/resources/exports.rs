//! Exports of the organization.

use fieldhouse_api::exports::{ExportLink, NewExport};
use fieldhouse_domain::ids::ExportId;

use crate::resources::resource;

resource! {
    /// Exports of the whole organization.
    Exports {
        /// Requests an archive of the organization. Its token opens it once, within 24 hours.
        create(body: NewExport) => ExportCreate;
        /// Reads an export.
        read(id: ExportId) => ExportRead;
        /// Downloads the archive of an export. [`crate::Call::download`] writes it chunk by chunk.
        content(id: ExportId, query: ExportLink) => ExportContent;
    }
}
