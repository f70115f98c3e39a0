//! Archives: an organization that is imported is the one that was exported.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fieldhouse_api::Code;
use fieldhouse_domain::Moment;
use fieldhouse_domain::games::{GameKind, GameStatus, LastChange};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{Country, Slug};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::text::{Email, ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_imports::archive::{Archive, ArchiveCounts, Entry, Heading, Person as ArchivedPerson, Writer};
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_testing::{clubs, leagues};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::{archive_of, downloaded, requested};
use crate::imports::import_coburg;
use crate::shapes::is_problem;
use crate::support::fixtures::Fixture;
use crate::support::league::{League, TEAMS, created};
use crate::support::{Answer, Club, Person, on_both};

/// The number of random organizations on each engine.
const CASES: usize = 8;

/// A league with two zones, byes, games without end, and names that a spreadsheet would run.
async fn play(club: &Club) {
    let manager = club.member(Role::Manager);
    import_coburg(manager).await;
    let league = League::create(manager, "=HYPERLINK(\"x\") Été 東京").await;
    let venue =
        json!({"name": "+Hall", "time_zone": "America/St_Johns", "fields": ["-1", "@2"], "latitude": -37.5});
    let venue = created(manager, "/api/v1/venues", &venue).await;
    for game in [
        json!({"kind": "bye", "home_team_id": league.home}),
        json!({"home_team_id": league.home, "away_team_id": league.away, "time_zone": "America/St_Johns",
            "venue_id": venue.id(), "field": "@2", "ends_at": "2026-05-01T10:00:00Z", "status": "final",
            "home_score": 3, "away_score": 0}),
        json!({"round": "=1+1"}),
    ] {
        let mut wanted = json!({"season_id": league.season, "division_id": league.division,
            "starts_at": "2026-05-01T09:00:00Z", "time_zone": "Australia/Melbourne"});
        wanted.as_object_mut().expect("an object").extend(game.as_object().expect("an object").clone());
        created(manager, "/api/v1/games", &wanted).await;
    }
    let members = manager.get("/api/v1/members").await;
    let coach =
        members.body["data"].as_array().expect("members").iter().find(|member| member["role"] == "coach");
    let coach = coach.expect("a coach")["user"]["id"].clone();
    let staff = json!({"user_id": coach, "kind": "coach"});
    let staff = created(manager, &format!("{TEAMS}/{}/staff", league.home), &staff).await;
    let path = format!("{TEAMS}/{}/staff/{}/confirm", league.home, staff.id());
    assert_eq!(club.member(Role::Admin).post(&path, &json!(null)).await.status, 200);
}

/// An archive's records, with users named by their addresses.
fn records(archive: &Archive) -> Vec<String> {
    let mut text = format!("{:?}", archive.entries);
    for entry in &archive.entries {
        if let Entry::Member(_, person) = entry {
            text = text.replace(&person.id.to_string(), person.email.as_str());
        }
    }
    let mut records: Vec<String> = text.split("), ").map(str::to_owned).collect();
    records.sort();
    records
}

async fn import(club: &Club, into: &str, packed: &[u8], dry_run: bool) -> Answer {
    let import = json!({"organization_id": into, "archive": STANDARD.encode(packed), "dry_run": dry_run});
    club.operator().post("/operator/imports/organization", &import).await
}

fn written(archive: &Archive) -> Vec<u8> {
    let mut writer = Writer::new(&archive.heading).expect("a writer");
    for entry in &archive.entries {
        writer.add(entry).expect("a record");
    }
    writer.finish().expect("an end")
}

/// The archive of an organization without records, in base64.
pub(crate) fn empty() -> String {
    STANDARD.encode(written(&Archive {
        heading: heading("Harbour Hoops"),
        entries: Vec::new(),
        counts: ArchiveCounts::default(),
    }))
}

fn heading(name: &str) -> Heading {
    Heading {
        exported_at: clubs::NOW,
        name: Name::parse(name).expect("a name"),
        slug: Slug::parse("elsewhere").expect("a short name"),
        country: Country::parse("CA").ok(),
        time_zone: TimeZoneName::parse("America/Toronto").expect("a zone"),
    }
}

async fn organization(person: &Person) -> String {
    person.get("/api/v1/organization").await.id().to_owned()
}

#[tokio::test]
async fn an_imported_organization_is_the_exported_one() {
    on_both(async |club| {
        play(&club).await;
        let before = archive_of(&club).await;
        assert_eq!((before.counts.seasons, before.counts.games, before.counts.staff), (2, 322, 1));
        let elsewhere = Club::open(
            fieldhouse_testing::databases::sqlite(),
            LimitOptions::default(),
            fieldhouse_server::Clock::system(),
        )
        .await;
        let owner = elsewhere.neighbours().await;
        let into = organization(&owner).await;
        let imported = import(&elsewhere, &into, &written(&before), false).await;
        assert_eq!(imported.status, 200, "{}", imported.text);
        assert_eq!(imported.body["data"]["counts"], json!(before.counts));
        let owner_of_copy = owner.clone();
        let requested = requested(&owner_of_copy).await;
        let token = requested.body["data"]["token"].as_str().expect("a token");
        let mut after = downloaded(&owner, requested.id(), token).await;
        // Besides those who founded it.
        after.entries.retain(|entry| match entry {
            Entry::Member(_, person) => !person.email.as_str().ends_with("@neighbour-club.example"),
            _ => true,
        });
        assert_eq!(records(&after), records(&before));
        assert_eq!(
            (&after.heading.name, &after.heading.time_zone),
            (&before.heading.name, &before.heading.time_zone)
        );
        let entries = owner.get("/api/v1/audit-log?operation=operator.import_organization&limit=1").await;
        assert_eq!(entries.body["data"].as_array().map(Vec::len), Some(1), "one entry: {}", entries.status);
        let games = owner.get("/api/v1/games?limit=1").await;
        assert_eq!(games.status, 200);
        let standings = before.entries.iter().find_map(|entry| match entry {
            Entry::Season(season) => Some(season.id),
            _ => None,
        });
        let standings = format!("/api/v1/seasons/{}/standings", standings.expect("a season"));
        let rows = async |person: &Person| person.get(&standings).await.body["data"]["rows"].clone();
        assert_eq!(rows(&owner).await, rows(club.member(Role::Viewer)).await);
    })
    .await;
}

#[tokio::test]
async fn an_organization_that_is_in_use_is_refused_and_nothing_is_half_done() {
    on_both(async |club| {
        play(&club).await;
        let archive = archive_of(&club).await;
        let refused = import(&club, &club.organization.to_string(), &written(&archive), false).await;
        is_problem(&refused, Code::State, "it is in use");
        assert!(refused.text.contains("has seasons, venues or invitations"), "{}", refused.text);
        let owner = club.neighbours().await;
        let into = organization(&owner).await;
        let mut twice = archive.clone();
        let season = archive.entries.iter().find_map(|entry| match entry {
            Entry::Season(season) => Some(season.clone()),
            _ => None,
        });
        let copy = Season { id: Moment::new(Timestamp::UNIX_EPOCH, 1).id(), ..season.expect("a season") };
        twice.entries.push(Entry::Season(copy));
        let refused = import(&club, &into, &written(&twice), false).await;
        is_problem(&refused, Code::Duplicate, "two seasons have the same name");
        assert!(refused.text.contains("two seasons with the same"), "{}", refused.text);
        let whole = written(&archive);
        let damaged = import(&club, &into, &whole[..whole.len() / 2], false).await;
        is_problem(&damaged, Code::ValidationFailed, "half of an archive");
        assert!(damaged.text.contains("Copy or export it again"), "{}", damaged.text);
        let no_base64 = json!({"organization_id": into, "archive": "H4sI\n"});
        let no_base64 = club.operator().post("/operator/imports/organization", &no_base64).await;
        is_problem(&no_base64, Code::ValidationFailed, "a line break in base64");
        let nowhere = "org_01h2xcejqtf2nbrexx3vqjhp41";
        for dry_run in [false, true] {
            is_problem(&import(&club, nowhere, &whole, dry_run).await, Code::NotFound, "no organization");
        }
        for path in ["seasons", "teams", "venues", "games"] {
            let listed = owner.get(&format!("/api/v1/{path}")).await;
            assert_eq!(listed.body["data"], json!([]), "{path}");
        }
        let dry = import(&club, &into, &whole, true).await;
        assert_eq!(dry.body["data"], json!({"dry_run": true, "counts": archive.counts}), "{}", dry.text);
        assert_eq!(owner.get("/api/v1/seasons").await.body["data"], json!([]));
        // The same people are members of both organizations then.
        assert_eq!(import(&club, &into, &whole, false).await.status, 200);
        let members = owner.get("/api/v1/members?limit=100").await;
        let members = members.body["data"].as_array().expect("members").len();
        assert_eq!(members, 2 * Role::ALL.len());
    })
    .await;
}

/// A random league of a club with one member: unicode and formulas in names, byes, games without end, teams or time, and two zones.
fn league(names: &[String], games: &[(u8, i64)], email: &str) -> Archive {
    let moment = clubs::moment();
    let text = |at: usize, kind: &str| format!("{} {kind}{at}", names[at % names.len()]);
    let name = |at, kind| Name::parse(&text(at, kind)).expect("a name");
    let owner = Member::new(&moment, moment.id(), Role::Coach);
    let person = ArchivedPerson {
        id: owner.user_id,
        email: Email::parse(email).expect("an address"),
        name: name(0, "p"),
    };
    let mut season = leagues::season(&text(1, "s"));
    season.external_id = ExternalId::parse(&names[0]).ok();
    let division = leagues::division(&season, &text(2, "d"));
    let (home, away) = (leagues::team(&division, &text(3, "t")), leagues::team(&division, &text(4, "t")));
    let mut venue = leagues::venue(&text(5, "v"));
    (venue.latitude, venue.fields) = (Some(-37.743_212_345_678_9), vec![name(6, "f"), name(7, "f")]);
    let staff = leagues::staff(&home, owner.user_id);
    let games = games.iter().map(|(kind, minutes)| {
        let starts_at = moment.now().saturating_add(SignedDuration::from_mins(*minutes)).expect("a time");
        let mut game = leagues::game(&division, home.id, away.id, starts_at);
        if kind % 3 == 0 {
            game.time_zone = TimeZoneName::parse("America/St_Johns").expect("a zone");
            game.local_start = Some(game.time_zone.local(starts_at));
        }
        let fields = vec!["status".to_owned()];
        game.last_change = Some(LastChange { at: starts_at, fields, reason: names.first().cloned() });
        match kind % 4 {
            0 => (game.kind, game.away_team_id) = (GameKind::Bye, None),
            1 => {
                (game.away_score, game.home_score, game.status) = (Some(0), Some(10_000), GameStatus::Final);
                (game.venue_id, game.field) = (Some(venue.id), venue.fields.first().cloned());
                game.ends_at = starts_at.saturating_add(SignedDuration::from_mins(90)).ok();
            }
            2 => (game.home_team_id, game.away_team_id) = (None, None),
            _ => game.round = Some(name(8, "r")),
        }
        Entry::Game(game)
    });
    let first = [
        Entry::Member(owner, person),
        Entry::Season(season),
        Entry::Division(division.clone()),
        Entry::Team(home.clone()),
        Entry::Team(away.clone()),
        Entry::Venue(venue.clone()),
    ];
    let entries = first.into_iter().chain(games).chain([Entry::Staff(staff)]).collect();
    Archive { heading: heading(&text(9, "o")), entries, counts: ArchiveCounts::default() }
}

/// Founds an organization of the owner of the club, and returns it with their session there.
async fn another(club: &Club, at: usize) -> (String, Person) {
    let owner = club.member(Role::Owner);
    let wanted = json!({"name": format!("Copy {at}"), "time_zone": "UTC", "owner": owner.email});
    let founded = club.operator().post("/operator/organizations", &wanted).await;
    assert_eq!(founded.status, 201, "{}", founded.text);
    let id = founded.body["data"]["organization"]["id"].as_str().expect("an id").to_owned();
    let mut fixture = Fixture::in_organization(club, id.parse().expect("an id"), SignedDuration::ZERO).await;
    let session = fixture.session(owner.user.expect("a member"));
    fixture.write().await;
    (id, club.with_token(&session.access_token))
}

#[tokio::test]
async fn what_is_imported_is_exported() {
    let names = prop::collection::vec("[=+@'-]?[a-zA-Zäßñ東京🏀0-9]{1,12}", 1..5);
    let games = prop::collection::vec((any::<u8>(), 0..500_000_i64), 0..20);
    let strategy = (names, games);
    on_both(async |club| {
        let mut runner = TestRunner::default();
        for at in 0..CASES {
            let (names, games) = strategy.new_tree(&mut runner).expect("a league").current();
            let imported = league(&names, &games, &format!("zoe{at}@club.example"));
            let (id, owner) = another(&club, at).await;
            let answer = import(&club, &id, &written(&imported), false).await;
            assert_eq!(answer.status, 200, "{names:?} {games:?}: {}", answer.text);
            let requested = requested(&owner).await;
            let token = requested.body["data"]["token"].as_str().expect("a token");
            let mut exported = downloaded(&owner, requested.id(), token).await;
            exported.entries.retain(
                |entry| !matches!(entry, Entry::Member(_, person) if person.email.as_str() == club.member(Role::Owner).email),
            );
            assert_eq!(records(&exported), records(&imported), "{names:?} {games:?}");
            let heading = |archive: &Archive| {
                (archive.heading.name.clone(), archive.heading.country.clone(), archive.heading.time_zone.clone())
            };
            assert_eq!(heading(&exported), heading(&imported));
        }
    })
    .await;
}
