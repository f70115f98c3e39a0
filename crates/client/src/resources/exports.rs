//! Exports of the organization.

use fieldhouse_api::exports::{ExportLink, NewExport};
use fieldhouse_domain::ids::{ChildId, ExportId};

use crate::resources::resource;

resource! {
    /// Exports of the whole organization, and of what a club stores about a child.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::exports::{ExportLink, NewExport};
    /// use fieldhouse_client::domain::exports::ExportKind;
    /// let requested = client.exports().create(&NewExport { kind: ExportKind::Organization }).await?;
    /// let link = ExportLink { token: requested.token };
    /// let mut archive = client.exports().content(requested.export.id, &link).download().await?;
    /// while let Some(part) = archive.next().await? {
    ///     println!("{} bytes", part.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Exports {
        /// Requests an archive of the organization. Its token opens it once, within 24 hours.
        create(body: NewExport) => ExportCreate;
        /// Reads an export.
        read(id: ExportId) => ExportRead;
        /// Downloads the archive of an export. [`crate::Call::download`] writes it chunk by chunk.
        content(id: ExportId, query: ExportLink) => ExportContent;
        /// Requests a copy of a child's data. Its token opens it once, within 24 hours.
        create_of_child(id: ChildId) => ChildExportCreate;
        /// Reads an export of a child.
        read_of_child(id: ChildId, export_id: ExportId) => ChildExportRead;
        /// Downloads the copy of a child's data.
        content_of_child(id: ChildId, export_id: ExportId, query: ExportLink) => ChildExportContent;
    }
}
