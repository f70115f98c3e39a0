use std::io::Read as _;

use fieldhouse_domain::Moment;
use fieldhouse_domain::divisions::{DivisionGender, NewDivision};
use fieldhouse_domain::games::{GameKind, GameStatus, LastChange, NewGame};
use fieldhouse_domain::organizations::{Country, Slug};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::{NewSeason, Scoring, SeasonStatus};
use fieldhouse_domain::second_person::Actor;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::staff::{NewStaff, StaffKind, StaffState, propose};
use fieldhouse_domain::teams::NewTeam;
use fieldhouse_domain::text::ExternalId;
use fieldhouse_domain::venues::NewVenue;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn moment(seed: u128) -> Moment {
    Moment::new("2026-03-01T09:00:00.123456Z".parse().expect("a time"), seed)
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

fn heading() -> Heading {
    Heading {
        exported_at: moment(1).now(),
        name: name("Été & Söhne"),
        slug: Slug::parse("ete-sohne").expect("a short name"),
        country: Country::parse("CA").ok(),
        time_zone: zone("America/Toronto"),
    }
}

fn zone(text: &str) -> TimeZoneName {
    TimeZoneName::parse(text).expect("a zone")
}

/// A league whose records have these names, with games in two zones, byes, and games without end or teams.
fn league(seed: u128, names: &[String], games: &[(u8, i64)]) -> Vec<Entry> {
    let moment = moment(seed);
    let text = |at: usize, kind: &str| name(&format!("{} {kind}{at}", names[at % names.len()]));
    let mut owner = Member::new(&moment, moment.id(), Role::Owner);
    owner.suspended_at = Some(moment.now());
    let person = Person {
        id: owner.user_id,
        email: Email::parse("zoe@club.example").expect("an address"),
        name: text(0, "p"),
    };
    let sport = Sport::parse("ice hockey").expect("a sport");
    let mut season =
        Season::create(&moment, NewSeason::new(text(1, "s"), sport, zone("Australia/Melbourne")));
    season.status = SeasonStatus::Archived;
    season.scoring = Scoring { win: 2, draw: 1, loss: -1 };
    season.version = 7;
    season.external_id = ExternalId::parse(&names[0]).ok();
    let mut division = Division::create(&moment, NewDivision::new(season.id, text(2, "d")));
    division.gender = Some(DivisionGender::Mixed);
    let team = |at| Team::create(&moment, NewTeam::new(season.id, division.id, text(at, "t")));
    let (home, away) = (team(3), team(4));
    let mut venue = Venue::create(&moment, NewVenue::new(text(5, "v"), zone("Australia/Melbourne")));
    (venue.latitude, venue.fields) = (Some(-37.743_212_345_678_9), vec![text(6, "f"), text(7, "f")]);
    let actor = Actor { user: None, role: Role::Owner, role_given_by: None };
    let new = NewStaff { user_id: owner.user_id, kind: StaffKind::Coach, starts_on: None, ends_on: None };
    let mut staff = propose(&moment, actor, home.id, &new).expect("staff");
    (staff.state, staff.confirmed_by, staff.confirmed_alone) =
        (StaffState::Confirmed, Some(owner.user_id), true);
    let games: Vec<Game> = games
        .iter()
        .map(|(kind, minutes)| {
            let starts_at = moment.now().saturating_add(SignedDuration::from_mins(*minutes)).expect("a time");
            let zone = zone(if kind % 2 == 0 { "Australia/Melbourne" } else { "America/St_Johns" });
            let mut game = Game::create(&moment, NewGame::new(season.id, division.id, starts_at, zone));
            game.home_team_id = Some(home.id);
            game.last_change = Some(LastChange {
                at: starts_at,
                fields: vec!["status".to_owned()],
                reason: names.first().cloned(),
            });
            match kind % 4 {
                0 => game.kind = GameKind::Bye,
                1 => {
                    (game.away_team_id, game.away_score, game.home_score) =
                        (Some(away.id), Some(0), Some(10_000));
                    (game.status, game.venue_id) = (GameStatus::Final, Some(venue.id));
                    game.ends_at = starts_at.saturating_add(SignedDuration::from_mins(90)).ok();
                }
                2 => game.home_team_id = None,
                _ => game.round = Some(text(8, "r")),
            }
            game
        })
        .collect();
    let entries = [
        Entry::Member(owner, person),
        Entry::Season(season),
        Entry::Division(division),
        Entry::Team(home),
        Entry::Team(away),
        Entry::Venue(venue),
    ];
    entries.into_iter().chain(games.into_iter().map(Entry::Game)).chain([Entry::Staff(staff)]).collect()
}

fn written(entries: &[Entry]) -> Vec<u8> {
    let mut writer = Writer::new(&heading()).expect("a writer");
    let mut bytes = Vec::new();
    for entry in entries {
        writer.add(entry).expect("a record");
        bytes.extend(writer.take());
    }
    bytes.extend(writer.finish().expect("an end"));
    bytes
}

fn lines(packed: &[u8]) -> Vec<String> {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// An archive of these lines, whose end fits them.
fn packed(lines: &[String], counts: ArchiveCounts) -> Vec<u8> {
    use sha2::{Digest as _, Sha256};
    use std::io::Write as _;
    let text = [&lines.join("\n"), "\n"].concat();
    let end = json!({"end": counts, "sha256": writing::hex(Sha256::digest(&text))});
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(format!("{text}{end}\n").as_bytes()).expect("memory");
    out.finish().expect("memory")
}

fn simple() -> Vec<Entry> {
    league(7, &["Eagles".to_owned()], &[(0, 0), (1, 10), (2, 20), (3, 30)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(
        seed in any::<u128>(),
        names in prop::collection::vec("[=+@'-]?[a-zA-Zäßñ東京🏀0-9]{1,12}", 1..5),
        games in prop::collection::vec((any::<u8>(), 0..500_000_i64), 0..20),
    ) {
        let entries = league(seed, &names, &games);
        let archive = read(written(&entries).as_slice()).expect("an archive");
        prop_assert_eq!(archive.counts.all(), entries.len() as u64);
        prop_assert_eq!(archive.heading, heading());
        prop_assert_eq!(archive.entries, entries);
    }
}

#[test]
fn every_damage_is_noticed() {
    let whole = written(&simple());
    assert!(read(whole.as_slice()).is_ok());
    for end in 0..whole.len() {
        let refused = read(&whole[..end]).expect_err("incomplete");
        assert!(
            matches!(refused, BadArchive::Incomplete | BadArchive::NotAnArchive | BadArchive::Damaged(_)),
            "{end}: {refused}"
        );
    }
    let lines = lines(&whole);
    let counts = read(whole.as_slice()).expect("an archive").counts;
    let (last, others) = lines.split_last().expect("lines");
    assert!(read(packed(others, counts).as_slice()).is_ok());
    let without_end = {
        use std::io::Write as _;
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(format!("{}\n", others.join("\n")).as_bytes()).expect("memory");
        out.finish().expect("memory")
    };
    assert_eq!(read(without_end.as_slice()), Err(BadArchive::Incomplete));
    let mut edited = others.to_vec();
    edited[2] = edited[2].replace("Eagles", "Beagles");
    edited.push(last.clone());
    assert!(
        matches!(read(packed(&edited, counts).as_slice()), Err(BadArchive::Damaged(_))),
        "the old end is refused"
    );
    let fewer = ArchiveCounts { games: 3, ..counts };
    assert!(matches!(read(packed(others, fewer).as_slice()), Err(BadArchive::Damaged(_))));
}

#[test]
fn another_file_and_a_newer_version_are_named() {
    let line = |version: u32, format: &str| {
        let mut first = serde_json::to_value(heading()).expect("JSON");
        (first["format"], first["version"]) = (json!(format), json!(version));
        packed(&[first.to_string()], ArchiveCounts::default())
    };
    assert!(read(line(VERSION, FORMAT).as_slice()).is_ok(), "an organization without records");
    assert_eq!(read(line(2, FORMAT).as_slice()), Err(BadArchive::Newer(2)));
    for other in
        [line(1, "another"), b"round,home\n1,Eagles".to_vec(), Vec::new(), written(&[])[..4].to_vec()]
    {
        assert_eq!(read(other.as_slice()), Err(BadArchive::NotAnArchive));
    }
}

#[test]
fn an_invalid_record_is_named_with_its_line() {
    let whole = written(&simple());
    let counts = read(whole.as_slice()).expect("an archive").counts;
    let mut lines = lines(&whole);
    lines.pop();
    let changed = |line: usize, pointer: &str, value: Value| {
        let mut lines = lines.clone();
        let mut json: Value = serde_json::from_str(&lines[line]).expect("JSON");
        *json.pointer_mut(pointer).expect("a field") = value;
        lines[line] = json.to_string();
        match read(packed(&lines, counts).as_slice()) {
            Err(BadArchive::Invalid { line, reason }) => (line, reason),
            other => panic!("{pointer}: {other:?}"),
        }
    };
    let id = |entry: &Entry| match entry {
        Entry::Team(team) => team.id.to_string(),
        other => panic!("{other:?}"),
    };
    for (line, pointer, value, reason) in [
        (1, "/member/role", json!("king"), "must be one of"),
        (1, "/user/email", json!("zoe"), "user:"),
        (2, "/season/name", json!(""), "name must not be empty"),
        (2, "/season/scoring/win", json!(1000), "must be from -100 to 100"),
        (3, "/division/season_id", json!("sea_01h2xcejqtf2nbrexx3vqjhp41"), "its season is missing"),
        (5, "/team/id", json!(id(&simple()[3])), "it is there twice"),
        (6, "/venue/latitude", json!(91), "latitude"),
        (7, "/game/home_team_id", json!("tea_01h2xcejqtf2nbrexx3vqjhp41"), "home_team_id"),
        (8, "/game/ends_at", json!("2020-01-01T00:00:00Z"), "ends_at is not after the start"),
        (11, "/staff/user_id", json!("usr_01h2xcejqtf2nbrexx3vqjhp41"), "not a member"),
    ] {
        let (found, text) = changed(line, pointer, value);
        assert_eq!(found, line as u64 + 1, "{pointer}: {text}");
        assert!(text.contains(reason), "{pointer}: {text}");
    }
    for (line, text) in [
        (2, json!({"season": {"name": "x"}})),
        (2, json!({"child": {}})),
        (2, json!([1])),
        (2, json!({"season": {}, "user": {}})),
    ] {
        let mut lines = lines.clone();
        lines[line] = text.to_string();
        assert!(
            matches!(read(packed(&lines, counts).as_slice()), Err(BadArchive::Invalid { line: 3, .. })),
            "{text}"
        );
    }
}

#[test]
fn no_secret_is_written() {
    assert_eq!((Member::SECRETS.len(), Game::SECRETS.len(), Staff::SECRETS.len()), (0, 0, 0));
    let text = lines(&written(&simple())).concat();
    assert!(!text.contains("password") && !text.contains("digest\""), "{text}");
}

/// `members.role_given_at` was added after the first archives were written.
#[test]
fn a_field_that_was_added_later_is_null_and_any_other_is_missing() {
    let entries = simple();
    let counts = read(written(&entries).as_slice()).expect("an archive").counts;
    let without = |kind: &str, field: &str| {
        let mut all = lines(&written(&entries));
        all.pop();
        for line in &mut all {
            let mut object: Value = serde_json::from_str(line).expect("JSON");
            if let Some(image) = object.get_mut(kind).and_then(Value::as_object_mut) {
                assert!(image.remove(field).is_some(), "{kind}.{field}");
                *line = object.to_string();
            }
        }
        read(packed(&all, counts).as_slice())
    };
    let old = without("member", "role_given_at").expect("an archive of an earlier version");
    let expected: Vec<Entry> = entries
        .iter()
        .cloned()
        .map(|entry| match entry {
            Entry::Member(member, person) => Entry::Member(Member { role_given_at: None, ..member }, person),
            other => other,
        })
        .collect();
    assert_eq!(old.entries, expected);
    for (kind, field) in
        [("member", "role"), ("season", "status"), ("game", "starts_at"), ("staff", "user_id")]
    {
        let refused = without(kind, field).expect_err(field);
        assert!(
            matches!(&refused, BadArchive::Invalid { reason, .. } if reason.contains(field)),
            "{refused}"
        );
    }
}
