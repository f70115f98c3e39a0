//! What a server keeps in memory never differs from what a server that keeps nothing responds, while records, roles, keys and sessions change.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::router::Api;
use fieldhouse_server::{App, Clock, KeyRing, router};
use fieldhouse_store::Engine;
use fieldhouse_testing::databases::both;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::families::{Families, signed_in};
use crate::support::league::{League, created};
use crate::support::{Answer, Club, Credential, Person};

const GAMES: &str = "/api/v1/games";

/// How many changes are made.
const CHANGES: usize = 150;
/// How many responses are compared after each.
const READS: usize = 6;

/// A club, and a second server on the same store that keeps nothing in memory.
struct Pair {
    club: Club,
    plain: Api,
    /// On PostgreSQL, a node that learns of changes only from the database.
    other: Option<Api>,
    random: StdRng,
    /// Everyone who reads, also with credentials that are revoked meanwhile.
    readers: Vec<Person>,
    keys: Vec<String>,
    /// The paths that are read.
    paths: Vec<String>,
}

impl Pair {
    async fn new(club: Club) -> Self {
        let node = |store, limits| {
            let ring = KeyRing::open(club.folder.path(), &Clock::system()).expect("the key ring");
            let clock = club.app.clock.clone();
            let app = App::new(store, ring, &club.base_url, limits, clock, NOTIFY_HOLD).expect("an app");
            router::router(app).expect("a router")
        };
        let keeps_nothing = LimitOptions { cache_bytes: 0, keeps_callers: false, ..plenty() };
        let plain = node(club.app.store.clone(), keeps_nothing);
        let other = match club.app.store.engine() {
            Engine::Sqlite => None,
            Engine::Postgres => Some(node(Arc::new(club.database.open().await), plenty())),
        };
        let lists = [
            "seasons",
            "divisions",
            "teams",
            "venues",
            "seasons?limit=2",
            "teams?q=b",
            "seasons?status=active",
            "games",
            "games/upcoming",
        ];
        Self {
            plain,
            other,
            random: StdRng::seed_from_u64(11),
            readers: club.everyone().to_vec(),
            keys: Vec::new(),
            paths: lists.map(|list| format!("/api/v1/{list}")).to_vec(),
            club,
        }
    }

    fn owner(&self) -> Person {
        self.club.member(Role::Owner).clone()
    }

    /// Makes a random change, as the owner. One that is refused changes nothing, which is compared too.
    async fn change(&mut self) {
        let owner = self.owner();
        let name = format!("B {}", self.random.random_range(0..1_000_000));
        let record = self.paths.choose(&mut self.random).cloned().unwrap_or_default();
        match self.random.random_range(0..10) {
            0 => {
                let season = json!({"name": name, "sport": "soccer", "time_zone": "UTC"});
                let season = self.create("seasons", &season).await;
                let division = self.create("divisions", &json!({"season_id": season, "name": name})).await;
                let team = json!({"season_id": season, "division_id": division, "name": name});
                let team = self.create("teams", &team).await;
                let starts_at = self.club.app.clock.now() + SignedDuration::from_hours(24);
                let game = json!({"season_id": season, "division_id": division, "home_team_id": team, "starts_at": starts_at, "time_zone": "UTC"});
                self.create("games", &game).await;
                self.paths.push(format!("/api/v1/seasons/{season}/standings"));
            }
            1 => {
                self.create("venues", &json!({"name": name, "time_zone": "UTC"})).await;
            }
            2 | 3 => {
                owner.patch(&record, &json!({"name": name})).await;
            }
            4 => {
                owner.delete(&record).await;
            }
            5 => {
                // A change of role ends the sessions of before.
                let manager = self.club.another_session(Role::Manager).await;
                let issued = manager.post("/api/v1/api-keys", &json!({"name": name})).await;
                if let Some(key) = issued.body["data"]["key"].as_str() {
                    self.readers.push(self.club.with_key(key));
                    self.keys.extend(ids(&manager.get("/api/v1/api-keys?limit=100").await));
                }
            }
            6 => {
                if let Some(key) = self.keys.choose(&mut self.random) {
                    owner.delete(&format!("/api/v1/api-keys/{key}")).await;
                }
            }
            7 => {
                let member = self.member(Role::Manager).await;
                let role = ["manager", "viewer", "coach"].choose(&mut self.random).copied();
                owner.patch(&member, &json!({"role": role})).await;
            }
            8 => {
                let member = self.member(Role::Coach).await;
                let is_suspended = self.random.random_bool(0.5);
                owner.patch(&member, &json!({"suspended": is_suspended})).await;
                self.readers.push(self.club.another_session(Role::Coach).await);
            }
            _ => {
                let leaver = self.club.another_session(Role::Member).await;
                self.compare(&leaver, "/api/v1/seasons").await;
                leaver.post("/api/v1/auth/logout", &json!({})).await;
                self.readers.push(leaver);
            }
        }
    }

    async fn create(&mut self, collection: &str, body: &Value) -> String {
        let created = self.owner().post(&format!("/api/v1/{collection}"), body).await;
        assert_eq!(created.status, 201, "{}", created.text);
        self.paths.push(format!("/api/v1/{collection}/{}", created.id()));
        created.id().to_owned()
    }

    /// The path of the member who had a role when the club was founded.
    async fn member(&self, role: Role) -> String {
        let user = self.club.member(role).user.expect("a user").to_string();
        let members = self.owner().get("/api/v1/members?limit=100").await;
        let members = members.body["data"].as_array().expect("members").clone();
        let member = members.iter().find(|member| member["user"]["id"] == *user);
        format!("/api/v1/members/{}", member.expect("a member")["id"].as_str().expect("an id"))
    }

    /// Reads random paths twice, so that the second response may come from memory.
    async fn read(&mut self) -> (usize, usize) {
        let mut counts = (0, 0);
        for _ in 0..READS {
            let (reader, path) = (self.readers.choose(&mut self.random), self.paths.choose(&mut self.random));
            let (Some(reader), Some(path)) = (reader, path) else { continue };
            self.compare(reader, path).await;
            match self.compare(reader, path).await {
                200 => counts.0 += 1,
                _ => counts.1 += 1,
            }
        }
        counts
    }

    async fn compare(&self, reader: &Person, path: &str) -> u16 {
        let expected = asked(&self.plain, reader, path).await;
        let kept = reader.get(path).await;
        let mut all = vec![(kept.status, kept.headers, kept.text.into_bytes())];
        if let Some(other) = &self.other {
            all.push(asked(other, reader, path).await);
        }
        for (status, headers, body) in all {
            assert_eq!(status, expected.0, "{path}: {}", String::from_utf8_lossy(&body));
            for name in ["etag", "link", "cache-control", "content-type", "vary"] {
                let of = |headers: &HeaderMap| headers.get_all(name).iter().cloned().collect::<Vec<_>>();
                assert_eq!(of(&headers), of(&expected.1), "{path}: {name}");
            }
            if status == 200 {
                assert_eq!(body, expected.2, "{path}");
            } else {
                let code =
                    |body: &[u8]| serde_json::from_slice::<Value>(body).expect("a problem")["code"].clone();
                assert_eq!(code(&body), code(&expected.2), "{path}");
            }
        }
        expected.0
    }
}

/// The status, the headers and the body of a node's response.
async fn asked(node: &Api, reader: &Person, path: &str) -> (u16, HeaderMap, Vec<u8>) {
    let request = Request::builder().uri(path);
    let request = match &reader.credential {
        Credential::Session(token) => request.header("authorization", format!("Bearer {token}")),
        Credential::Key(key) => request.header("x-api-key", key),
        Credential::None | Credential::Operator(_) => request,
    };
    let request = request.body(Body::empty()).expect("a request");
    let (parts, body) = node.clone().oneshot(request).await.expect("a response").into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    (parts.status.as_u16(), parts.headers, body.to_vec())
}

fn ids(list: &Answer) -> Vec<String> {
    let data = list.body["data"].as_array().expect("a list");
    data.iter().filter_map(|record| Some(record["id"].as_str()?.to_owned())).collect()
}

fn plenty() -> LimitOptions {
    let many = NonZeroU32::MAX;
    LimitOptions { key: many, user: many, organization: many, address: many, ..LimitOptions::default() }
}

#[tokio::test]
async fn what_is_kept_in_memory_is_what_a_server_that_keeps_nothing_responds() {
    for database in both() {
        let mut pair = Pair::new(Club::open(database, plenty(), Clock::system()).await).await;
        let (mut granted, mut refused) = (0, 0);
        for _ in 0..CHANGES {
            pair.change().await;
            let (some, others) = pair.read().await;
            granted += some;
            refused += others;
        }
        assert!(granted > CHANGES && refused > CHANGES / 4, "{granted} granted, {refused} refused");
    }
}

/// Creates a game of a league.
async fn game(manager: &Person, league: &League, starts_at: Timestamp, more: Value) {
    let mut body = json!({
        "season_id": league.season, "division_id": league.division, "time_zone": "Australia/Melbourne",
        "starts_at": starts_at, "home_team_id": league.home, "away_team_id": league.away,
    });
    let fields = body.as_object_mut().expect("an object");
    fields.extend(more.as_object().cloned().unwrap_or_default());
    created(manager, GAMES, &body).await;
}

#[tokio::test]
async fn upcoming_games_leave_memory_when_time_changes_them() {
    let start: Timestamp = "2026-03-01T09:00:00Z".parse().expect("a time");
    let hours = |hours| SignedDuration::from_hours(hours);
    for database in both() {
        let club = Club::open(database, plenty(), Clock::held(start, 1)).await;
        let owner = club.member(Role::Owner);
        let league = League::create(owner, "Winter").await;
        for day in 0..16 {
            // Midnight in Melbourne, and other times.
            let (hour, more) =
                if day % 5 == 4 { (4, json!({"time_tbd": true})) } else { (day % 7, json!({})) };
            game(owner, &league, start + hours(day * 24 + hour), more).await;
        }
        let key = owner.post("/api/v1/api-keys", &json!({"name": "Reader"})).await;
        let reader = club.with_key(key.body["data"]["key"].as_str().expect("a key"));
        let mut pair = Pair::new(club).await;
        let queries = [
            String::new(),
            "?limit=3".to_owned(),
            "?status=scheduled&limit=1".to_owned(),
            format!("?season_id={}", league.season),
            format!("?team_id={}&limit=2", league.home),
            "?to=2026-03-06T12:00:00Z".to_owned(),
            "?from=2026-03-04T00:00:00Z".to_owned(),
            "?mine=true".to_owned(),
        ];
        let (mut texts, mut refused) = (BTreeSet::new(), 0);
        for _ in 0..120 {
            for query in &queries {
                let path = format!("{GAMES}/upcoming{query}");
                for _ in 0..2 {
                    refused += usize::from(pair.compare(&reader, &path).await != 200);
                }
                texts.insert(reader.get(&path).await.text);
            }
            let minutes = pair.random.random_range(1..400);
            pair.club.app.clock.advance(SignedDuration::from_mins(minutes));
        }
        assert!(texts.len() > 40 && refused > 0, "{} lists, {refused} refused", texts.len());
    }
}

#[tokio::test]
async fn a_parent_sees_their_children_in_games_that_others_get_from_memory() {
    let start: Timestamp = "2026-03-01T09:00:00Z".parse().expect("a time");
    for database in both() {
        let club = Club::open(database, plenty(), Clock::held(start, 1)).await;
        let families = Families::of(&club).await;
        let manager = club.member(Role::Manager);
        game(manager, &families.league, club.app.clock.now() + SignedDuration::from_hours(24), json!({}))
            .await;
        let paths = [GAMES.to_owned(), format!("{GAMES}/upcoming")];
        let pair = Pair::new(club).await;
        let readers = [
            signed_in(&pair.club, families.parent).await,
            signed_in(&pair.club, families.coach).await,
            pair.club.member(Role::Viewer).clone(),
        ];
        let with_children = async || {
            let mut seen = Vec::new();
            for reader in &readers {
                for path in &paths {
                    pair.compare(reader, path).await;
                    pair.compare(reader, path).await;
                    let games = reader.get(path).await;
                    seen.push(games.body["data"][0]["my_children"].as_array().expect("a list").len());
                }
            }
            seen
        };
        assert_eq!(with_children().await, [0; 6]);
        let (child, _) = families.accepted(&pair.club, "Kim", true).await;
        assert_eq!(with_children().await, [0; 6], "not on a team yet");
        let entry = families.added(&pair.club, &child, json!({"starts_on": "2026-02-20"})).await;
        assert_eq!(with_children().await, [1, 1, 0, 0, 0, 0]);
        let registrar = signed_in(&pair.club, families.registrar).await;
        let path = format!("{}/{}", families.roster(), entry.id());
        let ended = json!({"ends_on": "2026-02-28"});
        assert_eq!(registrar.patch(&path, &ended).await.status, 200);
        assert_eq!(with_children().await, [0; 6]);
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_by_a_node_that_remembers_it_whatever_it_asks() {
    for database in both() {
        let pair = Pair::new(Club::open(database, plenty(), Clock::system()).await).await;
        let (node, owner) = (pair.other.as_ref().unwrap_or(&pair.plain), pair.owner());
        let issued = owner.post("/api/v1/api-keys", &json!({"name": "Reader"})).await;
        let reader = pair.club.with_key(issued.body["data"]["key"].as_str().expect("a key"));
        let requests = [
            ("", 200),
            ("?limit=0", 400),
            ("?cursor=wrong", 400),
            ("/sea_wrong", 404),
            ("?since=wrong", 400),
        ]
        .map(|(rest, status)| (format!("/api/v1/seasons{rest}"), status));
        for (path, status) in &requests {
            assert_eq!(asked(node, &reader, path).await.0, *status, "{path}");
        }
        let key = format!("/api/v1/api-keys/{}", issued.id());
        assert_eq!(owner.delete(&key).await.status, 200);
        for (path, _) in &requests {
            assert_eq!(asked(node, &reader, path).await.0, 401, "{path}");
        }
    }
}
