//! The service itself: health, documents, public keys.

use crate::resources::resource;

resource! {
    /// The service itself. None of it needs a credential.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// client.service().ready().await?;
    /// println!("The server can serve requests.");
    /// # Ok(())
    /// # }
    /// ```
    Service {
        /// Whether the process is running.
        health() => Health;
        /// Whether the server can serve requests.
        ready() => Ready;
        /// The OpenAPI document.
        openapi() => OpenApi;
        /// The documentation page.
        docs() => Docs;
        /// A file of the documentation page.
        docs_asset(name: str) => DocsAsset;
        /// The page that explains an error code.
        problem_page(name: str) => ProblemPage;
        /// How long the server keeps data that it removes by itself.
        retention_policy() => RetentionPolicy;
        /// The same as a page.
        retention_page() => RetentionPage;
        /// The keys that verify the server's access tokens.
        jwks() => JsonWebKeys;
        /// The configuration for OpenID Connect clients.
        openid_configuration() => OpenIdConfiguration;
        /// Which authorization server issues tokens for the API.
        protected_resource() => ProtectedResource;
    }
}
