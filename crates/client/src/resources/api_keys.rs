//! API keys: creating, reading and revoking them.

use fieldhouse_api::api_keys::IssueApiKey;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::ApiKeyId;

use crate::resources::resource;

resource! {
    /// Keys for scripts, servers and agents.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::domain::api_keys::{IssueApiKey, NewApiKey};
    /// let new = IssueApiKey { key: NewApiKey::new("scores".parse()?), expires_at: None };
    /// let issued = client.api_keys().create(&new).await?;
    /// println!("{}", issued.key); // It is shown once.
    /// client.api_keys().revoke(issued.record.id).await?;
    /// # Ok(())
    /// # }
    /// ```
    ApiKeys {
        /// Creates a key, which is shown only once. Requires a session whose user signed in less than 15 minutes ago.
        create(body: IssueApiKey) => ApiKeyCreate;
        /// Lists the caller's keys, newest first; for an admin, all keys of the organization.
        list(query: ListQuery) => ApiKeyList;
        /// Reads a key's record.
        read(id: ApiKeyId) => ApiKeyRead;
        /// Reads the record of this client's key.
        current() => ApiKeyCurrent;
        /// Revokes a key. The next request with it is refused.
        revoke(id: ApiKeyId) => ApiKeyRevoke;
    }
}
