//! Exports of the organization.

use fieldhouse_api::exports::{ExportLink, NewExport};
use fieldhouse_domain::ids::ExportId;

use crate::resources::resource;

resource! {
    /// Exports of the whole organization.
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
    }
}
