//! The service itself: health, documents, public keys.

use crate::resources::resource;

resource! {
    /// The service itself. None of it needs a credential.
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
        /// The keys that verify the server's access tokens.
        jwks() => JsonWebKeys;
        /// The configuration for OpenID Connect clients.
        openid_configuration() => OpenIdConfiguration;
        /// Which authorization server issues tokens for the API.
        protected_resource() => ProtectedResource;
    }
}
