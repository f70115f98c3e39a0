//! Building a client.

use std::fmt;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use reqwest::redirect::Policy;
use secrecy::SecretString;

use crate::addresses;
use crate::client::{Client, Shared};
use crate::credentials::{Caller, Notify, OperatorTokens, Session, SessionStore, SessionTokens};
use crate::errors::Error;
use crate::retries::Retries;

const TIMEOUT: Duration = Duration::from_mins(1);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const USER_AGENT: &str = concat!("fieldhouse-client/", env!("CARGO_PKG_VERSION"));

/// Builds a [`Client`]. Without a key or a session it is anonymous, which is enough for the college catalogue and a guest's saved programs.
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
    Operator(OperatorTokens),
}

/// Shows only the URL; the rest is secret or irrelevant.
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

    /// Uses an API key instead of a session.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.identity = Identity::ApiKey(key.into());
        self
    }

    /// Uses a session instead of a key: the result of a sign-in, or tokens stored by an earlier run. An expired access token is renewed
    /// automatically.
    pub fn session(mut self, tokens: impl Into<SessionTokens>) -> Self {
        self.identity = Identity::Session(tokens.into());
        self
    }

    /// Acts as the operator of the server, on its own machine. `token` signs a new token with the server's key ring each time.
    pub fn operator(mut self, token: impl Fn() -> SecretString + Send + Sync + 'static) -> Self {
        self.identity = Identity::Operator(OperatorTokens(Arc::new(token)));
        self
    }

    /// Uses the token of a guest. If there is also a key or a session, it is sent only to claim the guest's list.
    pub fn guest_token(mut self, token: impl Into<SecretString>) -> Self {
        self.guest_token = Some(token.into());
        self
    }

    /// Calls a function with the session's new tokens each time it is renewed. The old ones are no longer valid then.
    pub fn on_refresh(self, callback: impl Fn(&SessionTokens) + Send + Sync + 'static) -> Self {
        self.session_store(Notify(Arc::new(callback)))
    }

    /// Stores the session's tokens where other processes use them too, instead of [`Builder::on_refresh`].
    pub fn session_store(mut self, store: impl SessionStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// The client's name in the list of sessions.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// The time limit of one attempt; default one minute.
    pub fn timeout(mut self, longest: Duration) -> Self {
        self.timeout = longest;
        self
    }

    /// The maximum number of retries after a connection error, 429 or 503; default three. Only requests that may safely be carried out
    /// twice are retried.
    pub fn retries(mut self, most: u32) -> Self {
        self.retries.most = most;
        self
    }

    /// The maximum wait before a retry; default 30 seconds. If the server asks for a longer wait, its response is returned at once.
    pub fn longest_wait(mut self, longest: Duration) -> Self {
        self.retries.longest_wait = longest;
        self
    }

    /// Builds the client. Fails if the URL is invalid or TLS cannot be set up.
    pub fn build(self) -> Result<Client, Error> {
        let base = addresses::base(&self.base_url)?;
        let mut http = reqwest::Client::builder()
            .user_agent(self.user_agent)
            .timeout(self.timeout)
            .connect_timeout(CONNECT_TIMEOUT)
            // The API never redirects, and a redirect to another server would forward the x-api-key header.
            .redirect(Policy::none());
        if base.scheme() == "http" {
            // No certificate is verified, so that a machine without root certificates works too.
            http = http.tls_certs_only([]);
        }
        let caller = match self.identity {
            Identity::Anonymous => Caller::Anonymous,
            Identity::ApiKey(key) => Caller::ApiKey(key),
            Identity::Operator(tokens) => Caller::Operator(tokens),
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
