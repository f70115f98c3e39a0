//! The client: the state of its server and caller, and the function that sends every request.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use fieldhouse_api::request::Payload;
use fieldhouse_api::{Code, Op};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::addresses;
use crate::builder::Builder;
use crate::call::Call;
use crate::credentials::Caller;
use crate::errors::Error;
use crate::request::Request;
use crate::request_builder::{API_KEY, Attach, GUEST_TOKEN, Pending, RequestBuilder};
use crate::responses::RawResponse;
use crate::retries::{Retries, Setback};

/// The time limit of a download.
const DOWNLOAD_TIME: Duration = Duration::from_hours(1);
/// How often one call renews the session: once for itself, and once more if the tokens from another process had expired too.
const MAX_RENEWALS: u32 = 2;

/// A client of one Fieldhouse server, with one caller. Clones are cheap and share connections and session.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// The state that clones share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) http: reqwest::Client,
    pub(crate) base: Url,
    pub(crate) caller: Caller,
    pub(crate) guest_token: RwLock<Option<SecretString>>,
    pub(crate) retries: Retries,
}

impl Client {
    /// Starts to build a client of the server at this URL, such as `https://api.example.org`.
    pub fn builder(base_url: impl Into<String>) -> Builder {
        Builder::new(base_url.into())
    }

    /// The server's URL.
    pub fn base_url(&self) -> &str {
        self.shared.base.as_str()
    }

    /// The guest token of this client: passed to the builder, or received from the server for the first saved program. Store it to remain
    /// the same guest.
    pub fn guest_token(&self) -> Option<SecretString> {
        self.shared.guest_token.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls any operation of the table, as the methods of the resource groups do.
    pub fn call<O: Op>(
        &self,
        path: impl Into<O::Path>,
        query: &O::Query,
        body: &<O::Body as Payload>::Content,
    ) -> Call<O> {
        let request = RequestBuilder::of::<O>(&self.shared.base, &path.into(), query, body);
        Call::new(Pending { client: self.clone(), request })
    }

    /// Requests any path on the server, relative to its URL (`/api/v1/seasons`, with or without a query). `T` is the whole body of the
    /// response: `Data<Season>`, `Page<Game>`, `serde_json::Value`.
    pub fn request<T: DeserializeOwned>(&self, method: Method, path: &str) -> Request<T> {
        let request =
            addresses::anywhere(&self.shared.base, path).map(|url| RequestBuilder::new(method, url));
        Request::new(Pending { client: self.clone(), request })
    }

    /// Sends a request; renews the session and retries if that is safe. Every call goes through here.
    pub(crate) async fn exchange(&self, mut request: RequestBuilder) -> Result<RawResponse, Error> {
        request.set_idempotency_key();
        let (mut tried, mut renewed) = (0, 0);
        loop {
            let access = self.access(request.attach).await;
            let outcome = self.attempt(&request, access.as_ref()).await;
            if let (Caller::Session(session), Some(stale), Ok(answer)) =
                (&self.shared.caller, access, &outcome)
                && renewed < MAX_RENEWALS
                && answer.is(Code::TokenExpired)
            {
                session.renew(self, stale).await?;
                renewed += 1;
                continue;
            }
            let Some(wait) = self.wait(tried, &request, &outcome) else { return outcome };
            tokio::time::sleep(wait).await;
            tried += 1;
        }
    }

    /// Sends a request once, and returns its response before the body is read. Reading the body may take an hour.
    pub(crate) async fn open(&self, request: RequestBuilder) -> Result<reqwest::Response, Error> {
        let access = self.access(request.attach).await;
        let response = self.send(&request, access.as_ref(), Some(DOWNLOAD_TIME)).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let answer = received(response).await?;
        Err(answer
            .success()
            .err()
            .unwrap_or_else(|| Error::Request("the response is not a success".to_owned())))
    }

    fn wait(
        &self,
        tried: u32,
        request: &RequestBuilder,
        outcome: &Result<RawResponse, Error>,
    ) -> Option<std::time::Duration> {
        let (_, chance) = Uuid::new_v4().as_u64_pair();
        self.shared.retries.wait(tried, request.repeatable(), Setback::of(outcome)?, chance)
    }

    async fn access(&self, attach: Attach) -> Option<SecretString> {
        match &self.shared.caller {
            Caller::Session(session) if matches!(attach, Attach::Caller | Attach::CallerAndGuest) => {
                Some(session.access().await)
            }
            Caller::Operator(tokens) if attach == Attach::Caller => Some((tokens.0)()),
            _ => None,
        }
    }

    async fn attempt(
        &self,
        request: &RequestBuilder,
        access: Option<&SecretString>,
    ) -> Result<RawResponse, Error> {
        let answer = received(self.send(request, access, None).await?).await?;
        self.store_guest_token(&answer.headers);
        Ok(answer)
    }

    async fn send(
        &self,
        request: &RequestBuilder,
        access: Option<&SecretString>,
        longest: Option<Duration>,
    ) -> Result<reqwest::Response, Error> {
        let mut headers = request.headers.clone();
        self.attach(request.attach, access, &mut headers)?;
        let mut built =
            self.shared.http.request(request.method.clone(), request.url.clone()).headers(headers);
        if let Some(body) = &request.body {
            built = built.body(body.clone());
        }
        if let Some(longest) = longest {
            built = built.timeout(longest);
        }
        built.send().await.map_err(Error::Transport)
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

    /// Stores the token that a guest gets with the first saved program.
    fn store_guest_token(&self, headers: &HeaderMap) {
        let token = headers.get(GUEST_TOKEN).and_then(|token| token.to_str().ok());
        if let (Caller::Anonymous, Some(token)) = (&self.shared.caller, token) {
            *self.shared.guest_token.write().unwrap_or_else(PoisonError::into_inner) = Some(token.into());
        }
    }
}

/// A response with its whole body.
async fn received(response: reqwest::Response) -> Result<RawResponse, Error> {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.bytes().await.map_err(Error::Transport)?;
    Ok(RawResponse { status, headers, body })
}

/// Adds a header whose value `Debug` does not show.
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
