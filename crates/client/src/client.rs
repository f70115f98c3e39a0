//! The client: what it knows of its server and its caller, and the one way by which every request goes out and comes back.

use std::sync::{Arc, PoisonError, RwLock};

use fieldhouse_api::request::Payload;
use fieldhouse_api::{Code, Op};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::addresses;
use crate::answers::RawAnswer;
use crate::builder::Builder;
use crate::call::Call;
use crate::credentials::Caller;
use crate::drafts::{API_KEY, Attach, Draft, GUEST_TOKEN, Pending};
use crate::errors::Error;
use crate::request::Request;
use crate::retries::{Retries, Setback};

/// How often one call renews the session: once for itself, and once more where the tokens that another process left had run out too.
const MOST_RENEWALS: u32 = 2;

/// A client of one Fieldhouse server, as one caller. Cloning it is cheap; clones share connections and session.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// What clones share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) http: reqwest::Client,
    pub(crate) base: Url,
    pub(crate) caller: Caller,
    pub(crate) guest_token: RwLock<Option<SecretString>>,
    pub(crate) retries: Retries,
}

impl Client {
    /// Starts to build a client of the server at this address: `https://api.example.org`.
    pub fn builder(base_url: impl Into<String>) -> Builder {
        Builder::new(base_url.into())
    }

    /// The server's address.
    pub fn base_url(&self) -> &str {
        self.shared.base.as_str()
    }

    /// The token of the guest that this client is, where it has one: given when it was built, or by the server when the guest first saved
    /// a program. Keep it to stay the same guest.
    pub fn guest_token(&self) -> Option<SecretString> {
        self.shared.guest_token.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls any operation of the table: what every method of the resource groups does.
    pub fn call<O: Op>(
        &self,
        path: impl Into<O::Path>,
        query: &O::Query,
        body: &<O::Body as Payload>::Content,
    ) -> Call<O> {
        let draft = Draft::of::<O>(&self.shared.base, &path.into(), query, body);
        Call::new(Pending { client: self.clone(), draft })
    }

    /// Requests any path on the server, relative to its address (`/api/v1/seasons`, with or without a query); `T` is the whole body of the
    /// answer: `Data<Season>`, `Page<Game>`, `serde_json::Value`.
    pub fn request<T: DeserializeOwned>(&self, method: Method, path: &str) -> Request<T> {
        let draft = addresses::anywhere(&self.shared.base, path).map(|url| Draft::new(method, url));
        Request::new(Pending { client: self.clone(), draft })
    }

    /// Sends a draft until it is answered, renewing the session and repeating the request where that is safe. Every call goes through here.
    pub(crate) async fn exchange(&self, mut draft: Draft) -> Result<RawAnswer, Error> {
        draft.name_once();
        let (mut tried, mut renewed) = (0, 0);
        loop {
            let access = self.access(draft.attach).await;
            let outcome = self.attempt(&draft, access.as_ref()).await;
            if let (Caller::Session(session), Some(stale), Ok(answer)) =
                (&self.shared.caller, access, &outcome)
                && renewed < MOST_RENEWALS
                && answer.is(Code::TokenExpired)
            {
                session.renew(self, stale).await?;
                renewed += 1;
                continue;
            }
            let Some(wait) = self.wait(tried, &draft, &outcome) else { return outcome };
            tokio::time::sleep(wait).await;
            tried += 1;
        }
    }

    fn wait(
        &self,
        tried: u32,
        draft: &Draft,
        outcome: &Result<RawAnswer, Error>,
    ) -> Option<std::time::Duration> {
        let (_, chance) = Uuid::new_v4().as_u64_pair();
        self.shared.retries.wait(tried, draft.repeatable(), Setback::of(outcome)?, chance)
    }

    async fn access(&self, attach: Attach) -> Option<SecretString> {
        match &self.shared.caller {
            Caller::Session(session) if matches!(attach, Attach::Caller | Attach::CallerAndGuest) => {
                Some(session.access().await)
            }
            _ => None,
        }
    }

    async fn attempt(&self, draft: &Draft, access: Option<&SecretString>) -> Result<RawAnswer, Error> {
        let mut headers = draft.headers.clone();
        self.attach(draft.attach, access, &mut headers)?;
        let mut request = self.shared.http.request(draft.method.clone(), draft.url.clone()).headers(headers);
        if let Some(body) = &draft.body {
            request = request.body(body.clone());
        }
        let response = request.send().await.map_err(Error::Transport)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.map_err(Error::Transport)?;
        self.adopt_guest(&headers);
        Ok(RawAnswer { status, headers, body })
    }

    fn attach(
        &self,
        attach: Attach,
        access: Option<&SecretString>,
        headers: &mut HeaderMap,
    ) -> Result<(), Error> {
        let anonymous = matches!(self.shared.caller, Caller::Anonymous);
        if attach == Attach::CallerAndGuest || (attach == Attach::Caller && anonymous) {
            add_secret(headers, GUEST_TOKEN, "", self.guest_token().as_ref())?;
        }
        if matches!(attach, Attach::Caller | Attach::CallerAndGuest) {
            add_secret(headers, AUTHORIZATION, "Bearer ", access)?;
            if let Caller::ApiKey(key) = &self.shared.caller {
                add_secret(headers, API_KEY, "", Some(key))?;
            }
        }
        Ok(())
    }

    /// A guest gets a token with their first saved program and is known by it from then on.
    fn adopt_guest(&self, headers: &HeaderMap) {
        let token = headers.get(GUEST_TOKEN).and_then(|token| token.to_str().ok());
        if let (Caller::Anonymous, Some(token)) = (&self.shared.caller, token) {
            *self.shared.guest_token.write().unwrap_or_else(PoisonError::into_inner) = Some(token.into());
        }
    }
}

/// Adds a header whose value is not shown by `Debug`.
fn add_secret(
    headers: &mut HeaderMap,
    name: HeaderName,
    before: &str,
    secret: Option<&SecretString>,
) -> Result<(), Error> {
    let Some(secret) = secret else { return Ok(()) };
    let mut value = HeaderValue::try_from(format!("{before}{}", secret.expose_secret()))
        .map_err(|_| Error::Request(format!("the credential cannot be sent as {name}")))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}
