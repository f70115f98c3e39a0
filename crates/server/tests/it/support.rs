//! Test support: a club with a member of every role, who sends requests and checks responses.

use std::borrow::Borrow;
use std::sync::Arc;

use fieldhouse_api::{Operation, Row};
use fieldhouse_domain::ids::{Id, OrganizationId, UserId};
use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_domain::organizations::Slug;
use fieldhouse_domain::policy;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Name;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::auth::operators;
use fieldhouse_server::listener::{self, ConnectionOptions};
use fieldhouse_server::{App, Clock, KeyRing, router};
use fieldhouse_testing::databases::{Database, both};
use jiff::SignedDuration;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

use self::fixtures::Fixture;

/// The password of every user.
pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// Runs a test on both engines, each with its own database and club.
pub(crate) async fn on_both(test: impl AsyncFn(Club)) {
    for database in both() {
        test(Club::open(database, LimitOptions::default(), Clock::system()).await).await;
    }
    marker::is_not_logged();
}

/// Runs a test on both engines with a clock that stops until the test moves it: see [`Club::pass`].
pub(crate) async fn on_both_in_held_time(test: impl AsyncFn(Club)) {
    let start = "2026-03-01T09:00:00Z".parse().expect("a time");
    for database in both() {
        test(Club::open(database, LimitOptions::default(), Clock::held(start, 1)).await).await;
    }
}

/// A server with one organization, and a member of every role with a session.
pub(crate) struct Club {
    pub(crate) app: App,
    pub(crate) base_url: String,
    pub(crate) organization: OrganizationId,
    people: Vec<Person>,
    http: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    _serving: JoinHandle<()>,
    /// The folder of the key ring.
    pub(crate) folder: tempfile::TempDir,
    pub(crate) database: Database,
}

impl Club {
    /// Starts a server on a database.
    pub(crate) async fn open(database: Database, limits: LimitOptions, clock: Clock) -> Self {
        Self::start(database, limits, clock, ConnectionOptions::default(), None).await
    }

    /// Starts a server with these connection options.
    pub(crate) async fn open_with(
        database: Database,
        limits: LimitOptions,
        connections: ConnectionOptions,
    ) -> Self {
        Self::start(database, limits, Clock::system(), connections, None).await
    }

    /// Starts a server that uses another URL than its real one.
    pub(crate) async fn open_as(
        database: Database,
        limits: LimitOptions,
        clock: Clock,
        public_url: Option<&str>,
    ) -> Self {
        Self::start(database, limits, clock, ConnectionOptions::default(), public_url).await
    }

    async fn start(
        database: Database,
        limits: LimitOptions,
        clock: Clock,
        connections: ConnectionOptions,
        public_url: Option<&str>,
    ) -> Self {
        marker::watch();
        let folder = tempfile::tempdir().expect("a folder for the key ring");
        let key_ring = KeyRing::open(folder.path(), &clock).expect("a key ring");
        let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base_url = format!("http://{}", socket.local_addr().expect("an address"));
        let store = Arc::new(database.open().await);
        let app = App::new(store, key_ring, public_url.unwrap_or(&base_url), limits, clock, NOTIFY_HOLD)
            .expect("an app");
        app.erasures.keep_in(folder.path()).expect("the list of erasures");
        let router = router::router(app.clone()).expect("a handler for every operation");
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(listener::serve(socket, router, connections, async {
            let _ = stopped.await;
        }));
        // No TLS is used, and reading the machine's certificates takes longer than most tests.
        let http = reqwest::Client::builder().tls_certs_only([]).build().expect("a client");
        let mut club = Self {
            app,
            base_url,
            organization: OrganizationId::from_uuid(Uuid::nil()),
            people: Vec::new(),
            http,
            stop: Some(stop),
            _serving: serving,
            folder,
            database,
        };
        (club.organization, club.people) = club.found("Riverside Club").await;
        club
    }

    /// Founds another organization on the same server and returns its owner, who has a session.
    pub(crate) async fn neighbours(&self) -> Person {
        self.found("Neighbour Club").await.1.pop().expect("an owner")
    }

    /// Founds an organization with a member of every role, lowest first, who have sessions.
    async fn found(&self, name: &str) -> (OrganizationId, Vec<Person>) {
        let (organization, people) = Fixture::found(&self.app, name).await;
        let slug = Slug::of(&Name::parse(name).expect("a name")).expect("a short name");
        let people = Role::ALL.into_iter().zip(people);
        let people = people.map(|(role, (member, session))| Person {
            role,
            email: address(slug.as_str(), role),
            user: Some(member.user),
            refresh_token: session.refresh_token,
            ..self.person(Credential::Session(session.access_token))
        });
        (organization, people.collect())
    }

    /// Creates another session of the member with a role, without a sign-in.
    pub(crate) async fn another_session(&self, role: Role) -> Person {
        let person = self.member(role);
        let mut fixture = Fixture::new(self, SignedDuration::ZERO).await;
        let session = fixture.session(person.user.expect("a user"));
        fixture.write().await;
        let credential = Credential::Session(session.access_token);
        Person { refresh_token: session.refresh_token, credential, ..person.clone() }
    }

    /// Signs in with the password. This is slow: only for tests of signing in.
    pub(crate) async fn sign_in(&self, role: Role) -> Person {
        let person = self.member(role);
        let body = json!({"email": person.email, "password": PASSWORD});
        let answer = self.anonymous().post("/api/v1/auth/login", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let text = |name: &str| answer.body["data"][name].as_str().expect("a string").to_owned();
        let credential = Credential::Session(text("access_token"));
        Person { refresh_token: text("refresh_token"), credential, ..person.clone() }
    }

    fn person(&self, credential: Credential) -> Person {
        Person {
            role: Role::Viewer,
            email: String::new(),
            user: None,
            refresh_token: String::new(),
            credential,
            http: self.http.clone(),
            base_url: self.base_url.clone(),
        }
    }

    /// A caller without a credential.
    pub(crate) fn anonymous(&self) -> Person {
        self.person(Credential::None)
    }

    /// A caller with an API key.
    pub(crate) fn with_key(&self, key: &str) -> Person {
        self.person(Credential::Key(key.to_owned()))
    }

    /// The operator of the server.
    pub(crate) fn operator(&self) -> Person {
        self.person(Credential::Operator(self.app.clone()))
    }

    /// Someone who may call an operation: the operator, or an owner.
    pub(crate) fn permitted(&self, operation: Operation) -> Person {
        match row(operation).requirement.credential {
            policy::Credential::Operator => self.operator(),
            _ => self.member(Role::Owner).clone(),
        }
    }

    /// The member with a role.
    pub(crate) fn member(&self, role: Role) -> &Person {
        self.people.iter().find(|person| person.role == role).expect("a person of every role")
    }

    /// All members, lowest role first.
    pub(crate) fn everyone(&self) -> &[Person] {
        &self.people
    }

    /// Moves the server's clock forward.
    pub(crate) fn pass(&self, time: SignedDuration) {
        self.app.clock.advance(time);
    }

    /// Stops the server.
    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

/// The e-mail address of the member with a role.
pub(crate) fn address(club: &str, role: Role) -> String {
    format!("{role}@{club}.example")
}

/// The credential of a caller.
#[derive(Clone)]
pub(crate) enum Credential {
    None,
    Session(String),
    Key(String),
    /// The operator of this server.
    Operator(App),
}

/// A new token of the operator of this server.
pub(crate) fn operator_token(app: &App) -> String {
    let id = Uuid::from_bytes(app.clock.random());
    operators::token(&app.key_ring, app.process, app.clock.now(), id)
}

/// A caller who sends requests.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) role: Role,
    pub(crate) email: String,
    pub(crate) user: Option<UserId>,
    pub(crate) refresh_token: String,
    pub(crate) credential: Credential,
    http: reqwest::Client,
    base_url: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    /// The body as JSON; null if it is not JSON.
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Answer {
    /// Parses a raw response with its head and its whole body.
    pub(crate) fn parse(raw: &str) -> Self {
        let (head, text) = raw.split_once("\r\n\r\n").expect("a head");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.parse().expect("a name"), value.parse().expect("a value"))
        };
        let body = serde_json::from_str(text).unwrap_or_default();
        Self { status, headers: lines.map(header).collect(), body, text: text.to_owned() }
    }

    /// The value of a header; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The code of a problem; empty for other responses.
    pub(crate) fn code(&self) -> &str {
        let on_page = || self.text.split_once("data-code=\"")?.1.split('"').next();
        self.body["code"].as_str().or_else(on_page).unwrap_or_default()
    }

    /// The id of the record in `data`.
    pub(crate) fn id(&self) -> &str {
        self.body["data"]["id"].as_str().unwrap_or_default()
    }
}

impl Person {
    /// A request with the caller's credential, to complete and pass to [`send`].
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        match &self.credential {
            Credential::None => request,
            Credential::Session(token) => request.bearer_auth(token),
            Credential::Key(key) => request.header("x-api-key", key),
            Credential::Operator(app) => request.bearer_auth(operator_token(app)),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        send(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        send(self.request(Method::PATCH, path).json(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        send(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        send(self.request(Method::DELETE, path)).await
    }

    /// Creates an API key of the user.
    pub(crate) async fn issue_key(&self, wanted: &Value) -> String {
        let answer = self.post("/api/v1/api-keys", wanted).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.body["data"]["key"].as_str().expect("a key").to_owned()
    }
}

/// Sends a request and checks the response against the contract.
pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let (http, request) = request.build_split();
    let request = request.expect("a request");
    let (method, path) = (request.method().as_str().to_owned(), request.url().path().to_owned());
    let response = http.execute(request).await.expect("the server answers");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.expect("a body");
    let body = serde_json::from_str(&text).unwrap_or_default();
    let answer = Answer { status, headers, body, text };
    if let Err(wrong) = contract::CONTRACT.check(&method, &path, &answer) {
        panic!("{method} {path} breaks the contract: {wrong}\n{}", answer.text);
    }
    answer
}

/// Checks every response against the OpenAPI document.
pub(crate) mod changesets;
pub(crate) mod contract;
/// Records written to the store directly, not through the API.
pub(crate) mod families;
pub(crate) mod fixtures;
/// A season with a division and teams, created through the API.
pub(crate) mod league;
/// The messages that the server sends.
pub(crate) mod mail;
pub(crate) mod marker;

/// The row of an operation of the API.
pub(crate) fn row(operation: impl Borrow<Operation>) -> &'static Row {
    operation.borrow().row().expect("an operation with HTTP")
}
