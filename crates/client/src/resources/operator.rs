//! What the operator does on the server's own machine.

use fieldhouse_api::operator::{
    ArchiveImport, CatalogueImport, FoundOrganization, MailListQuery, OrganizationListQuery,
    PasswordLinkRequest, SuspendOrganization,
};
use fieldhouse_domain::ids::{MailId, OrganizationId};

use crate::resources::resource;

resource! {
    /// What the operator does on the server's own machine: see [`Builder::operator`](crate::Builder::operator).
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::api::operator::OrganizationListQuery;
    /// for organization in client.operator().organizations(&OrganizationListQuery::default()).await?.data {
    ///     println!("{}", organization.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Operator {
        /// Lists the organizations of the server, earliest first.
        organizations(query: OrganizationListQuery) => OperatorOrganizationList;
        /// Founds an organization with its owner.
        create_organization(body: FoundOrganization) => OperatorOrganizationCreate;
        /// Suspends or resumes an organization.
        suspend_organization(id: OrganizationId, body: SuspendOrganization) => OperatorOrganizationChange;
        /// Updates the college catalogue from a file.
        catalogue(body: CatalogueImport) => OperatorCatalogue;
        /// Imports the archive of an organization into one that has only members.
        import_organization(body: ArchiveImport) => OperatorImportOrganization;
        /// Creates a link with which a user sets a new password.
        reset_password(body: PasswordLinkRequest) => OperatorPasswordReset;
        /// Lists the messages of the server, newest first.
        mail(query: MailListQuery) => OperatorMailList;
        /// Reads a message with its text.
        read_mail(id: MailId) => OperatorMailRead;
    }
}
