//! Building a client.

use std::fmt;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use reqwest::redirect::Policy;
use secrecy::SecretString;

use crate::addresses;
use crate::client::{Client, Shared};
use crate::credentials::{Caller, Session, SessionStore, SessionTokens, Tell};
use crate::errors::Error;
use crate::retries::Retries;

const TIMEOUT: Duration = Duration::from_mins(1);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const USER_AGENT: &str = concat!("fieldhouse-client/", env!("CARGO_PKG_VERSION"));

/// Builds a [`Client`]. Without a key or a session it is anonymous, which the college catalogue and a guest's saved programs allow.
pub struct Builder {
    base_url: String,
    identity: Identity,
    guest_token: Option<SecretString>,
    store: Option<Arc<dyn SessionStore>>,
    user_agent: String,
    timeout: Duration,
    retries: Retries,
}

enum Identity {
    Anonymous,
    ApiKey(SecretString),
    Session(SessionTokens),
}

/// Shows the address; what else it holds is secret, or of no interest.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Builder {
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            identity: Identity::Anonymous,
            guest_token: None,
            store: None,
            user_agent: USER_AGENT.to_owned(),
            timeout: TIMEOUT,
            retries: Retries { most: 3, longest_wait: LONGEST_WAIT },
        }
    }

    /// Calls with an API key, in the place of a session.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.identity = Identity::ApiKey(key.into());
        self
    }

    /// Calls with a session, in the place of a key. Takes what signing in answered, or tokens kept from an earlier run. When the access token
    /// runs out, the session is renewed by itself.
    pub fn session(mut self, tokens: impl Into<SessionTokens>) -> Self {
        self.identity = Identity::Session(tokens.into());
        self
    }

    /// Calls as the guest of this token. With a key or a session it is sent only where the guest's list is claimed.
    pub fn guest_token(mut self, token: impl Into<SecretString>) -> Self {
        self.guest_token = Some(token.into());
        self
    }

    /// Is told the session's new tokens each time it is renewed: the old ones are good for nothing then.
    pub fn on_refresh(self, callback: impl Fn(&SessionTokens) + Send + Sync + 'static) -> Self {
        self.session_store(Tell(Arc::new(callback)))
    }

    /// Keeps the session's tokens where other processes use them too, in the place of [`Builder::on_refresh`].
    pub fn session_store(mut self, store: impl SessionStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// The client's name, which is shown in the list of sessions.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// How long one attempt may take: a minute unless said otherwise.
    pub fn timeout(mut self, longest: Duration) -> Self {
        self.timeout = longest;
        self
    }

    /// How often a request is repeated at most that met a connection error, 429 or 503: three times unless said otherwise. Only what may
    /// safely happen twice is repeated.
    pub fn retries(mut self, most: u32) -> Self {
        self.retries.most = most;
        self
    }

    /// The longest wait before a repetition: half a minute unless said otherwise. Where the server asks for more, its answer is returned at
    /// once.
    pub fn longest_wait(mut self, longest: Duration) -> Self {
        self.retries.longest_wait = longest;
        self
    }

    /// The client. Fails where the address is none or where TLS cannot be set up.
    pub fn build(self) -> Result<Client, Error> {
        let base = addresses::base(&self.base_url)?;
        let mut http = reqwest::Client::builder()
            .user_agent(self.user_agent)
            .timeout(self.timeout)
            .connect_timeout(CONNECT_TIMEOUT)
            // The API never redirects, and a redirect elsewhere would take the x-api-key header along.
            .redirect(Policy::none());
        if base.scheme() == "http" {
            // No certificate will be looked at, so a machine without root certificates is good enough.
            http = http.tls_certs_only([]);
        }
        let caller = match self.identity {
            Identity::Anonymous => Caller::Anonymous,
            Identity::ApiKey(key) => Caller::ApiKey(key),
            Identity::Session(tokens) => Caller::Session(Arc::new(Session::new(tokens, self.store))),
        };
        let shared = Shared {
            http: http.build().map_err(Error::Setup)?,
            base,
            caller,
            guest_token: RwLock::new(self.guest_token),
            retries: self.retries,
        };
        Ok(Client { shared: Arc::new(shared) })
    }
}
