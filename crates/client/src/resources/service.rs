//! The service itself: health, documents, public keys.

use crate::resources::resource;

resource! {
    /// The service itself. None of it needs a credential.
    Service {
        /// Whether the process lives.
        health() => Health;
        /// Whether the server can answer requests.
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
        /// What an OpenID Connect client needs to know.
        openid_configuration() => OpenIdConfiguration;
        /// Where a client of the API gets its tokens.
        protected_resource() => ProtectedResource;
    }
}
