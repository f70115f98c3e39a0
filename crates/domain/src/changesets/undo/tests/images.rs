//! Records of every kind that an undo writes, rebuilt from their images; and bodies of change that set their fields back.

use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::*;
use crate::divisions::{Division, DivisionGender};
use crate::games::{ChangeGame, Game, GameKind, GameStatus, LastChange};
use crate::members::{ChangeMember, MemberSource};
use crate::record::{Body, ImageError, Record, read_json};
use crate::rosters::{ChangeRosterEntry, RosterEntry};
use crate::seasons::{Scoring, Season, SeasonStatus, Tiebreaker};
use crate::sports::Sport;
use crate::text::{Address, ExternalId};

fn id<I: Id + std::fmt::Debug>() -> impl Strategy<Value = I> {
    any::<u128>().prop_map(|id| I::from_uuid(Uuid::from_u128(id)))
}

fn names() -> impl Strategy<Value = Name> {
    "[A-Za-zÄÖé][A-Za-zÄÖé0-9']{0,12}".prop_map(|text| name(&text))
}

fn times() -> impl Strategy<Value = Timestamp> {
    (0..4_000_000_000_000_000_i64).prop_map(|at| Timestamp::from_microsecond(at).expect("a time"))
}

fn days() -> impl Strategy<Value = Date> {
    (0..80_000_i64).prop_map(|day| date(1970, 1, 1).saturating_add(jiff::Span::new().days(day)))
}

fn zones() -> impl Strategy<Value = TimeZoneName> {
    prop::sample::select(vec!["UTC", "Australia/Melbourne", "America/New_York"])
        .prop_map(|zone| TimeZoneName::parse(zone).expect("a zone"))
}

fn maybe<S: Strategy>(strategy: S) -> impl Strategy<Value = Option<S::Value>> {
    proptest::option::of(strategy)
}

fn external() -> impl Strategy<Value = Option<ExternalId>> {
    maybe("[a-z0-9-]{1,12}".prop_map(|text| ExternalId::parse(&text).expect("an id")))
}

fn one<T: Clone + std::fmt::Debug + 'static>(of: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(of.to_vec())
}

fn some_of<T: Clone + std::fmt::Debug + 'static>(of: &'static [T]) -> impl Strategy<Value = Vec<T>> {
    prop::sample::subsequence(of.to_vec(), 0..=of.len())
}

prop_compose! {
    fn seasons()(
        (id, name, status) in (id(), names(), one(SeasonStatus::ALL)),
        (starts_on, ends_on, time_zone) in (maybe(days()), maybe(days()), zones()),
        (win, draw, loss) in (-100..=100_i64, -100..=100_i64, -100..=100_i64),
        (tiebreakers, external_id) in (some_of(Tiebreaker::ALL), external()),
        (created_at, updated_at, version) in (times(), times(), 1..1000_i64),
    ) -> Season {
        let (sport, scoring) = (Sport::stored("netball".to_owned()), Scoring { win, draw, loss });
        Season {
            id, name, sport, status, starts_on, ends_on, time_zone, scoring, tiebreakers, external_id, created_at,
            updated_at, version,
        }
    }
}

prop_compose! {
    fn divisions()(
        (id, season_id, name, age_group) in (id(), id(), names(), maybe(names())),
        (gender, external_id) in (maybe(one(DivisionGender::ALL)), external()),
        (created_at, updated_at, version) in (times(), times(), 1..1000_i64),
    ) -> Division {
        Division { id, season_id, name, age_group, gender, external_id, created_at, updated_at, version }
    }
}

prop_compose! {
    fn teams()(
        (id, season_id, division_id) in (id(), id(), id()),
        (name, short_name, external_id) in (names(), maybe(names()), external()),
        (created_at, updated_at, version) in (times(), times(), 1..1000_i64),
    ) -> Team {
        Team { id, season_id, division_id, name, short_name, external_id, created_at, updated_at, version }
    }
}

prop_compose! {
    fn venues()(
        (id, name, time_zone) in (id(), names(), zones()),
        address in maybe("[A-Z][a-z]{1,9} [0-9]{1,3}"),
        (latitude, longitude) in (maybe(-90_000..=90_000_i32), maybe(-180_000..=180_000_i32)),
        fields in proptest::collection::vec(names(), 0..3),
        (created_at, updated_at, version) in (times(), times(), 1..1000_i64),
    ) -> Venue {
        let address = address.map(|text| Address::parse(&text).expect("an address"));
        let [latitude, longitude] = [latitude, longitude].map(|it| it.map(|it| f64::from(it) / 1000.0));
        Venue {
            id, name, address, latitude, longitude, time_zone, fields, created_at, updated_at, version,
        }
    }
}

prop_compose! {
    fn games()(
        (id, season_id, division_id, round) in (id(), id(), id(), maybe(names())),
        (kind, status, time_tbd) in (one(GameKind::ALL), one(GameStatus::ALL), any::<bool>()),
        (starts_at, ends_at, time_zone) in (times(), maybe(times()), zones()),
        (venue_id, field, external_id) in (maybe(id()), maybe(names()), external()),
        (home_team_id, away_team_id) in (maybe(id()), maybe(id())),
        (home_score, away_score) in (maybe(0..99_i64), maybe(0..99_i64)),
        change in maybe((times(), maybe("[a-z ]{1,9}"))),
        (created_at, updated_at, version, keeps) in (times(), times(), 1..1000_i64, any::<bool>()),
    ) -> Game {
        let fields = vec!["starts_at".to_owned()];
        let last_change = change.map(|(at, reason)| LastChange { at, fields, reason });
        let local_start = keeps.then(|| time_zone.local(starts_at));
        Game {
            id, season_id, division_id, round, kind, status, starts_at, time_tbd, ends_at, local_start, time_zone,
            venue_id, field, home_team_id, home_score, away_team_id, away_score, last_change, external_id,
            created_at, updated_at, version,
        }
    }
}

prop_compose! {
    fn entries()(
        (id, team_id, child_id) in (id(), id(), id()),
        (jersey_number, position) in (maybe(0..999_i64), maybe(names())),
        (starts_on, ends_on) in (days(), maybe(days())),
        (created_at, updated_at, version) in (times(), times(), 1..1000_i64),
    ) -> RosterEntry {
        RosterEntry {
            id, team_id, child_id, jersey_number, position, starts_on, ends_on, created_at, updated_at, version,
        }
    }
}

prop_compose! {
    fn staff()(
        (id, team_id, user_id) in (id(), id(), id()),
        (kind, state) in (one(StaffKind::ALL), one(StaffState::ALL)),
        (starts_on, ends_on) in (maybe(days()), maybe(days())),
        (proposed_by, proposed_at) in (maybe(id()), times()),
        (confirmed_by, confirmed_at, confirmed_alone) in (maybe(id()), maybe(times()), any::<bool>()),
        (created_at, updated_at, version) in (times(), times(), 1..1000_i64),
    ) -> Staff {
        Staff {
            id, team_id, user_id, kind, state, starts_on, ends_on, proposed_by, proposed_at, confirmed_by,
            confirmed_at, confirmed_alone, created_at, updated_at, version,
        }
    }
}

prop_compose! {
    fn members()(
        (id, user_id, role) in (id(), id(), one(&Role::ALL)),
        (source, role_given_by, role_given_at) in (one(MemberSource::ALL), maybe(id()), maybe(times())),
        (joined_at, suspended_at) in (times(), maybe(times())),
        (updated_at, version) in (times(), 1..1000_i64),
    ) -> Member {
        Member { id, user_id, role, source, role_given_by, role_given_at, joined_at, suspended_at, updated_at, version }
    }
}

/// A record of one of the kinds that changesets change.
pub(in crate::changesets) fn records() -> impl Strategy<Value = AnyRecord> {
    prop_oneof![
        seasons().prop_map(AnyRecord::from),
        divisions().prop_map(AnyRecord::from),
        teams().prop_map(AnyRecord::from),
        venues().prop_map(AnyRecord::from),
        games().prop_map(AnyRecord::from),
        entries().prop_map(AnyRecord::from),
        staff().prop_map(AnyRecord::from),
        members().prop_map(AnyRecord::from),
    ]
}

/// The image as the ledger returns it.
fn stored(record: &AnyRecord) -> Map<String, Json> {
    serde_json::from_str(&Json::Object(record.image()).to_string()).expect("JSON")
}

/// The codes of what is wrong with a body of change.
fn wrong<B: Body>(set: &Map<String, Json>) -> Vec<&'static str> {
    match read_json::<B>(&Json::Object(set.clone()), Vec::new()) {
        Err(Refusal::Invalid(errors)) => errors.into_iter().map(|error| error.code).collect(),
        _ => Vec::new(),
    }
}

/// Random values break rules between fields, but every field is known and each value is of its type.
const RULES: [&str; 6] =
    ["before_start", "too_long", "no_score_yet", "no_team", "time_unknown", "not_midnight"];

proptest! {
    #[test]
    fn a_record_is_rebuilt_from_its_image(record in records()) {
        prop_assert!(CHANGEABLE.contains(&record.kind()));
        prop_assert_eq!(AnyRecord::of_image(record.kind(), &stored(&record)), Ok(record));
    }

    #[test]
    fn a_field_that_an_old_image_lacks_is_null_or_has_its_default_or_is_named(record in records()) {
        const DEFAULTS: [&str; 6] = ["status", "scoring", "tiebreakers", "fields", "kind", "time_tbd"];
        for field in record.kind().fields() {
            let mut image = stored(&record);
            image.remove(*field);
            match AnyRecord::of_image(record.kind(), &image) {
                Ok(rebuilt) => {
                    prop_assert!(rebuilt.changed(&record).iter().all(|other| other == field), "{}", field);
                    let is_null = rebuilt.get(field) == Some(Json::Null);
                    prop_assert!(is_null || DEFAULTS.contains(field), "{}", field);
                }
                Err(error) => {
                    prop_assert_eq!(error, ImageError::Missing { kind: record.kind(), field });
                }
            }
        }
    }

    #[test]
    fn each_field_that_is_set_back_is_in_the_body_of_change(record in records()) {
        let mut set = Map::new();
        let fields = record.kind().fields().iter().filter(|field| put(&mut set, &record, field));
        prop_assert!(fields.count() > 0);
        let wrong = match &record {
            AnyRecord::Season(_) => wrong::<crate::seasons::ChangeSeason>(&set),
            AnyRecord::Division(_) => wrong::<crate::divisions::ChangeDivision>(&set),
            AnyRecord::Team(_) => wrong::<crate::teams::ChangeTeam>(&set),
            AnyRecord::Venue(_) => wrong::<crate::venues::ChangeVenue>(&set),
            AnyRecord::Game(_) => wrong::<ChangeGame>(&set),
            AnyRecord::RosterEntry(_) => wrong::<ChangeRosterEntry>(&set),
            AnyRecord::Staff(_) => wrong::<crate::staff::ChangeStaff>(&set),
            AnyRecord::Member(_) => wrong::<ChangeMember>(&set),
            other => panic!("{other:?}"),
        };
        prop_assert!(wrong.iter().all(|code| RULES.contains(code)), "{:?}", wrong);
    }
}

#[test]
fn images_without_their_secrets_and_unreadable_ones_are_refused() {
    let empty = Map::new();
    for kind in Kind::ALL {
        let refused = AnyRecord::of_image(*kind, &empty).expect_err("an empty image");
        let expected = match kind {
            Kind::User | Kind::Session | Kind::ApiKey => ImageError::Secret(*kind),
            Kind::College | Kind::Program => ImageError::NoRecord(*kind),
            _ => ImageError::Missing { kind: *kind, field: kind.fields()[0] },
        };
        assert_eq!(refused, expected);
    }
    let mut image = Record::image(&venue("Oval"));
    image.insert("name".to_owned(), json!(7));
    let refused = Venue::of_image(&image).expect_err("a number");
    assert_eq!(refused.to_string(), "the image of a venue has a name that cannot be read");
    image.insert("name".to_owned(), json!("Oval"));
    image.insert("no_longer".to_owned(), json!("a field"));
    assert_eq!(Venue::of_image(&image), Ok(venue("Oval")));
}
