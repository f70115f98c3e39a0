//! What the derive generates for records: images, differences, and `Debug` without secrets.

use serde_json::json;

use super::*;
use crate::Moment;
use crate::api_keys::ApiKey;
use crate::effects::AnyRecord;
use crate::favorites::{self, ChangeFavorite, CustomProgram, Favorite, ListOwner, SavedProgram};
use crate::games::{Game, NewGame};
use crate::ids::{Id, UserId};
use crate::members::Member;
use crate::roles::Role;
use crate::seasons::{ChangeSeason, NewSeason, Season, SeasonStatus};
use crate::sessions::{Client, Session};
use crate::text::{Email, Name};
use crate::users::User;
use crate::venues::{ChangeVenue, NewVenue, Venue};

/// Two moments: records of the one differ from those of the other in every field that a moment sets.
fn moment(second: i64) -> Moment {
    let now = Timestamp::from_second(1_772_366_400 + second).expect("a time");
    Moment::new(now, u128::try_from(second).expect("a seed") << 20)
}

fn new<B: Body>(body: &Json) -> B {
    read_json(body, Vec::new()).expect("a body")
}

fn season(moment: &Moment, name: &str) -> Season {
    let body = json!({ "name": name, "sport": "basketball", "time_zone": "Australia/Melbourne" });
    Season::create(moment, new::<NewSeason>(&body))
}

fn venue(moment: &Moment, body: &Json) -> Venue {
    Venue::create(moment, new::<NewVenue>(body))
}

fn user(moment: &Moment) -> User {
    let (email, name) = (Email::parse("ada@example.org"), Name::parse("Ada"));
    let hash = Some("$argon2id$secret".to_owned());
    User::new(moment, email.expect("an address"), name.expect("a name"), hash)
}

fn session(moment: &Moment) -> Session {
    let client = Client { user_agent: Some("test".to_owned()), ip: "203.0.113.7".parse().ok() };
    let session = Session::open(moment, moment.id(), "password", client).with_token([251; 32]);
    Session { previous_digest: Some([252; 32]), ..session }
}

fn game(moment: &Moment) -> Game {
    let body = json!({
        "season_id": moment.id::<crate::ids::SeasonId>(), "division_id": moment.id::<crate::ids::DivisionId>(),
        "starts_at": moment.now().to_string(), "time_zone": "Australia/Melbourne", "home_score": 3,
        "status": "final", "home_team_id": moment.id::<crate::ids::TeamId>(),
    });
    let mut game = Game::create(moment, new::<NewGame>(&body));
    let before = game.clone();
    game.home_score = Some(4);
    game.note_change(&before, moment.now(), Some("Recount"));
    game
}

fn favorite(moment: &Moment, college: &str) -> Favorite {
    let custom: CustomProgram = new(&json!({ "college_name": college, "sport": "rowing", "state": "OH" }));
    let details: ChangeFavorite = new(&json!({ "tags": [college], "interest": 3, "notes": "A\nB" }));
    let owner = ListOwner::User(UserId::from_uuid(uuid::Uuid::nil()));
    let saved = favorites::save(moment, owner, &[], SavedProgram::Custom(custom), details);
    saved.expect("it is saved").0
}

/// Copies the image of one record to another and returns the names of the fields that still differ.
fn copied<R: Record>(from: &R, to: &R) -> Vec<&'static str> {
    let image = from.image();
    let names: Vec<&str> = image.keys().map(String::as_str).collect();
    let open: Vec<&str> = R::FIELDS.iter().copied().filter(|name| !R::SECRETS.contains(name)).collect();
    assert_eq!(names, open, "all fields but secrets, in the order of the declaration");
    let mut copy = to.clone();
    for (name, value) in &image {
        assert_eq!(from.get(name).as_ref(), Some(value), "{name}");
        copy.set(name, value).expect("an image is valid");
    }
    assert_eq!((copy.version(), copy.updated_at()), (from.version(), from.updated_at()));
    copy.changed(from)
}

#[test]
fn a_record_can_be_restored_from_an_image_except_its_secrets() {
    let (one, other) = (moment(1), moment(2));
    let with_coordinates =
        json!({ "name": "Oval", "time_zone": "UTC", "latitude": -37.5, "fields": ["1", "2"] });
    let bare = json!({ "name": "Hall", "time_zone": "Australia/Melbourne" });
    let none: [&str; 0] = [];
    assert_eq!(copied(&venue(&one, &with_coordinates), &venue(&other, &bare)), none);
    assert_eq!(copied(&venue(&one, &bare), &venue(&other, &with_coordinates)), none);
    assert_eq!(copied(&season(&one, "Winter"), &season(&other, "Summer")), none);
    assert_eq!(copied(&game(&one), &game(&other)), none);
    assert_eq!(copied(&favorite(&one, "Ohio"), &favorite(&other, "Iowa")), none);
    let (first, second) = (UserId::from_uuid(uuid::Uuid::nil()), other.id());
    let members = (Member::new(&one, first, Role::Coach), Member::new(&other, second, Role::Owner));
    assert_eq!(copied(&members.0, &members.1), none);
    let another = User { password_hash: Some("$argon2id$other".to_owned()), ..user(&other) };
    assert_eq!(copied(&user(&one), &another), ["password_hash"]);
    let another = Session { token_digest: [1; 32], previous_digest: None, ..session(&other) };
    assert_eq!(copied(&session(&one), &another), ["token_digest", "previous_digest"]);
}

#[test]
fn secrets_are_neither_read_nor_written_nor_shown() {
    let (mut user, session) = (user(&moment(1)), session(&moment(1)));
    assert_eq!((user.get("password_hash"), session.get("token_digest")), (None, None));
    let refused = errors(user.set("password_hash", &json!("$argon2id$mine")));
    assert_eq!(
        refused,
        ["/password_hash unknown_field: is not a field of this record. Name a field of this record."]
    );
    assert_eq!(user.password_hash.as_deref(), Some("$argon2id$secret"));
    let shown = format!("{user:?} {user:#?} {session:?} {:?}", AnyRecord::from(session.clone()));
    for secret in ["argon2id", "251, 251", "252, 252"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    for open in ["ada@example.org", "203.0.113.7", "password_hash"] {
        assert!(shown.contains(open), "{open} in {shown}");
    }
    assert_eq!(ApiKey::SECRETS, ["digest"]);
}

#[test]
fn a_value_of_another_type_is_refused_and_changes_nothing() {
    let mut season = season(&moment(1), "Winter");
    let before = season.clone();
    for (field, value) in [
        ("name", json!(7)),
        ("status", json!("over")),
        ("starts_on", json!("1.4.2026")),
        ("nickname", json!("W")),
    ] {
        assert!(season.set(field, &value).is_err(), "{field}");
    }
    assert_eq!(season, before);
    assert_eq!(season.get("nickname"), None);
}

#[test]
fn differences_are_named_in_order_without_bookkeeping() {
    let before = season(&moment(1), "Winter");
    let mut after = before.clone();
    after.set_version(9, moment(2).now());
    assert!(before.changed(&after).is_empty());
    after.external_id = crate::text::ExternalId::parse("ext").ok();
    after.name = Name::stored("winter".to_owned());
    assert_eq!(after.changed(&before), ["name", "external_id"], "the spelling of a name counts");
    let (user, mut another) = (user(&moment(1)), user(&moment(1)));
    another.password_hash = None;
    assert_eq!(another.changed(&user), ["password_hash"], "a secret too, by name");
}

#[test]
fn a_change_is_checked_against_the_fields_that_stay() {
    let starts = ChangeSeason { starts_on: Some(Some(jiff::civil::date(2026, 4, 2))), ..Default::default() };
    let season = season(&moment(1), "Winter").with(starts).expect("it has no last day yet");
    let ends = |day| {
        season
            .with(ChangeSeason { ends_on: Some(Some(jiff::civil::date(2026, 4, day))), ..Default::default() })
    };
    let before = "/ends_on before_start: is before the season starts. Send a day on or after starts_on.";
    assert_eq!(errors(ends(1)), [before]);
    assert_eq!(ends(2).map(|season| season.ends_on), Ok(Some(jiff::civil::date(2026, 4, 2))));
    assert_eq!(season.with(ChangeSeason::default()), Ok(season));
}

#[test]
fn a_change_sets_only_the_fields_that_it_names() {
    let body = json!({ "name": "Oval", "time_zone": "UTC", "latitude": -37.5, "address": "1 Street" });
    let venue = venue(&moment(1), &body);
    let change: ChangeVenue = new(&json!({ "address": null, "fields": ["North"] }));
    let after = venue.with(change).expect("a change");
    assert_eq!(after.changed(&venue), ["address", "fields"]);
    assert_eq!((after.address, after.version), (None, 1), "the version is the effect's business");
}

#[test]
fn the_server_sets_the_other_fields_of_a_new_record() {
    let moment = moment(5);
    let season = season(&moment, "Winter");
    assert_eq!((season.created_at, season.updated_at, season.version), (moment.now(), moment.now(), 1));
    assert_eq!(season.status, SeasonStatus::Draft);
    let fixed = errors(read_json::<ChangeSeason>(&json!({ "version": 2, "id": "x" }), Vec::new()));
    assert!(fixed.len() == 2 && fixed.iter().all(|error| error.contains("unknown_field")), "{fixed:?}");
}
