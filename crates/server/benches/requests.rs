//! Criterion benches of requests past the network, and of the checks of a credential.
//!
//! `cargo bench -p fieldhouse-server` runs them on SQLite.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::ApiKeyId;
use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_domain::policy::{self, Facts, VerifiedCredential};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_server::auth::callers::Known;
use fieldhouse_server::auth::credentials::{self, API_KEY};
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::auth::tokens::Subject;
use fieldhouse_server::router::{self, Api};
use fieldhouse_server::{App, Clock, KeyRing};
use fieldhouse_store::Store;
use fieldhouse_testing::clubs::{ANY_MEMBER, Club, NOW, Person, moment};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::{families, leagues};
use jiff::SignedDuration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tower::Service as _;
use uuid::Uuid;

/// What the list and the upcoming games have.
const SEASONS: usize = 20;
const GAMES: usize = 25;
/// The children of the club, and those whose team the coach is staff of.
const CHILDREN: usize = 1_000;
const VISIBLE: usize = 50;
/// More tokens than the server remembers, so that each has to be verified.
const TOKENS: usize = 20_000;

const LIST: &str = "/api/v1/seasons?limit=20";

/// A server without a listener, with a club.
struct Server {
    runtime: Runtime,
    app: App,
    router: Api,
    club: Club,
    season: String,
    _database: Database,
    _folder: TempDir,
}

impl Server {
    /// A server that keeps responses and callers in memory, or neither.
    fn new(keeps: bool) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        let database = databases::sqlite();
        let clock = Clock::held(NOW, 1);
        let key_ring = KeyRing::open(folder.path(), &clock).expect("a key ring");
        let limits = LimitOptions {
            key: NonZeroU32::MAX,
            user: NonZeroU32::MAX,
            organization: NonZeroU32::MAX,
            address: NonZeroU32::MAX,
            cache_bytes: if keeps { 1 << 20 } else { 0 },
            keeps_callers: keeps,
            ..LimitOptions::default()
        };
        let store = Arc::new(runtime.block_on(database.open()));
        let (club, season) = runtime.block_on(league(&store));
        let app = App::new(store, key_ring, "http://localhost", limits, clock, NOTIFY_HOLD).expect("an app");
        let router = router::router(app.clone()).expect("a handler for every operation");
        Self { runtime, app, router, club, season, _database: database, _folder: folder }
    }

    /// A request with a header.
    fn request(path: &str, header: Option<&(HeaderName, HeaderValue)>) -> Request<Body> {
        let mut request = Request::builder().uri(path).body(Body::empty()).expect("a request");
        request.headers_mut().extend(header.map(|(name, value)| (Some(name.clone()), value.clone())));
        request
    }

    /// Sends a request, and returns the status and the body.
    fn send(&self, request: Request<Body>) -> (StatusCode, Vec<u8>) {
        self.runtime.block_on(async {
            let response = self.router.clone().call(request).await.expect("a response");
            let status = response.status();
            (status, to_bytes(response.into_body(), 1 << 20).await.expect("a body").to_vec())
        })
    }

    fn token(&self, person: &Person) -> String {
        let subject = Subject {
            user: person.user.id,
            organization: person.organization,
            session: person.session.id,
            authenticated_at: NOW,
        };
        self.app.tokens.issue(&subject, NOW, Uuid::now_v7()).expect("a token").0
    }

    fn bearer(&self, role: Role) -> (HeaderName, HeaderValue) {
        let text = format!("Bearer {}", self.token(self.club.person(role)));
        (header::AUTHORIZATION, HeaderValue::from_str(&text).expect("a header"))
    }

    /// A new API key of the owner.
    fn key(&self) -> (HeaderName, HeaderValue) {
        let mut request = Self::request("/api/v1/api-keys", Some(&self.bearer(Role::Owner)));
        *request.method_mut() = Method::POST;
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Body::from(r#"{"name":"Bench"}"#);
        let (status, body) = self.send(request);
        let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        let key = body["data"]["key"].as_str().unwrap_or_else(|| panic!("{status}: {body}"));
        (API_KEY, HeaderValue::from_str(key).expect("a header"))
    }
}

/// Founds a club with seasons, games and children, and returns it with the id of a season.
async fn league(store: &Store) -> (Club, String) {
    let club = Club::found(store, "Bench").await;
    let mut all: Vec<AnyRecord> = Vec::new();
    let seasons: Vec<_> =
        (0..SEASONS).map(|number| leagues::season(&format!("Season {number:02}"))).collect();
    for season in &seasons {
        all.push(season.clone().into());
        all.extend(["Boys", "Girls"].map(|name| leagues::division(season, name).into()));
    }
    let division = leagues::division(&seasons[0], "Open");
    let teams: Vec<_> = (0..10).map(|number| leagues::team(&division, &format!("Team {number}"))).collect();
    let venue = leagues::venue("Park");
    all.extend([division.clone().into(), venue.clone().into()]);
    all.extend(teams.iter().cloned().map(AnyRecord::from));
    for number in 0..GAMES {
        let hours = i64::try_from(number + 1).expect("few games") * 6;
        let starts_at = NOW + SignedDuration::from_hours(hours);
        let (home, away) = (teams[number % 10].id, teams[(number + 3) % 10].id);
        let game = leagues::game(&division, home, away, starts_at);
        all.push(fieldhouse_domain::games::Game { venue_id: Some(venue.id), ..game }.into());
    }
    let coach = club.person(Role::Coach).user.id;
    all.push(
        Staff { state: StaffState::Confirmed, confirmed_at: Some(NOW), ..leagues::staff(&teams[0], coach) }
            .into(),
    );
    for number in 0..CHILDREN {
        let child = families::child(&format!("Invented {number}"));
        let team = &teams[if number < VISIBLE { 0 } else { 1 + number % 9 }];
        all.extend([child.clone().into(), families::roster_entry(team, &child).into()]);
    }
    for part in all.chunks(500) {
        club.create(store, part.to_vec()).await;
    }
    (club, seasons[0].id.to_string())
}

/// Requests of each kind.
fn requests(criterion: &mut Criterion) {
    let [memory, store] = [true, false].map(Server::new);
    let (key, read_key) = (memory.key(), store.key());
    let season = format!("/api/v1/seasons/{}", store.season);
    let (coach, owner) = (store.bearer(Role::Coach), store.bearer(Role::Owner));
    let mut group = criterion.benchmark_group("request");
    for (name, server, path, header, expected) in [
        ("a probe", &memory, "/healthz", None, 200),
        ("refused by the guard", &memory, LIST, None, 401),
        ("list from memory", &memory, LIST, Some(&key), 200),
        ("list to bytes, key", &store, LIST, Some(&read_key), 200),
        ("list to bytes, token", &store, LIST, Some(&owner), 200),
        ("one season", &store, &season, Some(&read_key), 200),
        ("upcoming games", &store, "/api/v1/games/upcoming", Some(&read_key), 200),
        ("profile", &store, "/api/v1/profile/me", Some(&owner), 200),
        ("child list", &store, "/api/v1/children?limit=50", Some(&coach), 200),
    ] {
        let request = || Server::request(path, header);
        let (status, body) = server.send(request());
        assert_eq!(status, expected, "{name}: {}", String::from_utf8_lossy(&body));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(request, |request| black_box(server.send(request)), BatchSize::SmallInput);
        });
    }
    group.finish();
}

/// The checks of a credential, apart from a request.
fn checks(criterion: &mut Criterion) {
    let [memory, store] = [true, false].map(Server::new);
    let mut group = criterion.benchmark_group("check");
    for (name, server) in [("key, in memory", &memory), ("key, in the store", &store)] {
        let (header, value) = server.key();
        let headers = HeaderMap::from_iter([(header, value)]);
        let app = &server.app;
        let check = || {
            let sent = credentials::read(&headers, &app.key_ring, &app.tokens, NOW).ok().flatten();
            let sent = sent.expect("a well-formed key");
            match app.callers.known(&app.store, &sent, NOW) {
                Known::Current(current) => current.expect("a valid key").caller.clone(),
                Known::Remembered(_) | Known::Nothing => {
                    let identified = server.runtime.block_on(app.callers.identify(app, &sent, NOW));
                    identified.expect("an answer").expect("a valid key").caller.clone()
                }
            }
        };
        check();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(check())));
    }
    let owner = memory.club.owner();
    let tokens: Vec<_> = (0..TOKENS).map(|_| memory.token(owner)).collect();
    let mut next = tokens.iter().cycle();
    group.bench_function("token, signature", |bencher| {
        bencher.iter(|| memory.app.tokens.verify(next.next().expect("a token"), NOW).expect("a valid token"));
    });
    group.bench_function("token, in memory", |bencher| {
        bencher.iter(|| memory.app.tokens.verify(&tokens[0], NOW).expect("a valid token"));
    });
    let credential = VerifiedCredential::ApiKey {
        id: moment().id::<ApiKeyId>(),
        issued_role: Role::Manager,
        scopes: Vec::new(),
        agent: false,
        allowed_ips: Vec::new(),
    };
    let facts = Facts {
        organization: owner.organization,
        user: owner.user.id,
        credential,
        expires_at: NOW + SignedDuration::from_hours(1),
        revoked_at: None,
        role: Some(Role::Owner),
        suspended: false,
        organization_suspended: false,
    };
    group.bench_function("policy decision", |bencher| {
        bencher.iter(|| policy::decide(black_box(&ANY_MEMBER), black_box(&facts), NOW, None).is_ok());
    });
    group.finish();
}

fn short() -> Criterion {
    Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3))
}

criterion_group! { name = benches; config = short(); targets = requests, checks }
criterion_main!(benches);
