//! Tests of the rules between fields, with other records and between games.

use jiff::SignedDuration;
use jiff::civil::date;

use super::*;
use crate::Refusal;
use crate::divisions::{Division, NewDivision};
use crate::teams::{NewTeam, Team};
use crate::venues::{NewVenue, Venue};

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

fn codes<T: std::fmt::Debug>(result: Result<T, Refusal>) -> Vec<(String, &'static str)> {
    match result {
        Ok(_) => Vec::new(),
        Err(Refusal::Invalid(errors)) => {
            errors.into_iter().map(|error| (error.pointer, error.code)).collect()
        }
        Err(other) => panic!("{other}"),
    }
}

fn changed(change: ChangeGame) -> Vec<(String, &'static str)> {
    codes(game().with(change))
}

fn error(pointer: &str, code: &'static str) -> (String, &'static str) {
    (pointer.to_owned(), code)
}

#[test]
fn a_game_ends_after_its_start_and_within_two_weeks() {
    let start = game().starts_at;
    let ends = |hours: i64| {
        let end = start.saturating_add(SignedDuration::from_hours(hours)).expect("a time");
        changed(ChangeGame { ends_at: Some(Some(end)), ..ChangeGame::default() })
    };
    assert_eq!(ends(0), [error("/ends_at", "before_start")]);
    assert_eq!(ends(1), []);
    assert_eq!(ends(14 * 24), []);
    assert_eq!(ends(14 * 24 + 1), [error("/ends_at", "too_long")]);
}

#[test]
fn a_game_without_a_time_starts_at_midnight_and_has_no_end() {
    let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
    let midnight = zone.instant(date(2026, 10, 4).at(0, 0, 0, 0)).expect("an instant");
    let change = |starts_at, ends_at| {
        let ends_at: Option<Timestamp> = ends_at;
        changed(ChangeGame {
            time_tbd: Some(true),
            starts_at: Some(starts_at),
            ends_at: Some(ends_at),
            ..ChangeGame::default()
        })
    };
    assert_eq!(change(midnight, None), []);
    let later = midnight.saturating_add(SignedDuration::from_mins(1)).expect("a time");
    let expected = [error("/ends_at", "time_unknown"), error("/starts_at", "not_midnight")];
    assert_eq!(
        change(later, later.checked_add(SignedDuration::from_hours(1)).ok()),
        expected,
        "both at once"
    );
}

#[test]
fn scores_need_a_status_that_has_them_and_a_team() {
    let scored = |status, home_team_id| {
        let home_score = Some(Some(3));
        changed(ChangeGame { status: Some(status), home_score, home_team_id, ..ChangeGame::default() })
    };
    for status in GameStatus::ALL {
        let has = !matches!(status, GameStatus::Scheduled | GameStatus::Postponed | GameStatus::Cancelled);
        let expected = if has { vec![] } else { vec![error("/home_score", "no_score_yet")] };
        assert_eq!(scored(*status, None), expected, "{status}");
    }
    assert_eq!(scored(GameStatus::Final, Some(None)), [error("/home_score", "no_team")]);
    let itself = ChangeGame { away_team_id: Some(game().home_team_id), ..ChangeGame::default() };
    assert_eq!(changed(itself), [error("/away_team_id", "same_team")]);
}

/// A division with two teams and a venue, as places of a game between them.
fn league(moment: &Moment) -> (Game, Places) {
    let division = Division::create(moment, NewDivision::new(moment.id(), name("U12")));
    let team =
        |called: &str| Team::create(moment, NewTeam::new(division.season_id, division.id, name(called)));
    let (home, away) = (team("Eagles"), team("Hawks"));
    let zone = TimeZoneName::parse("UTC").expect("a zone");
    let venue = Venue::create(moment, NewVenue::new(name("Hall"), zone.clone()));
    let mut wanted = NewGame::new(division.season_id, division.id, moment.now(), zone);
    wanted.home_team_id = Some(home.id);
    wanted.away_team_id = Some(away.id);
    wanted.venue_id = Some(venue.id);
    wanted.ends_at = moment.now().checked_add(SignedDuration::from_hours(1)).ok();
    let places = Places { division: Some(division), home: Some(home), away: Some(away), venue: Some(venue) };
    (Game::create(moment, wanted), places)
}

#[test]
fn every_wrong_reference_is_refused_at_once() {
    let moment = Moment::new(Timestamp::UNIX_EPOCH, 9);
    let (game, places) = league(&moment);
    assert_eq!(codes(refuse_wrong_places(None, &game, &places)), []);
    let expected = ["/division_id", "/home_team_id", "/away_team_id", "/venue_id"]
        .map(|field| error(field, "not_found"));
    assert_eq!(codes(refuse_wrong_places(None, &game, &Places::default())), expected);
    let (_, others) = league(&moment);
    let expected =
        ["/division_id", "/home_team_id", "/away_team_id"].map(|field| error(field, "other_season"));
    assert_eq!(codes(refuse_wrong_places(None, &game, &others)), expected);

    let moved = |team: &Option<Team>| team.clone().map(|team| Team { division_id: moment.id(), ..team });
    let graded = Places { home: moved(&places.home), ..places };
    let refused = [error("/home_team_id", "other_division")];
    assert_eq!(codes(refuse_wrong_places(None, &game, &graded)), refused, "a new game");
    let renamed = Game { round: Some(name("Final")), ..game.clone() };
    assert_eq!(codes(refuse_wrong_places(Some(&game), &renamed, &graded)), [], "a team moved later");
    let before = Game { home_team_id: None, ..game.clone() };
    assert_eq!(codes(refuse_wrong_places(Some(&before), &game, &graded)), refused, "a new team of the game");
}

#[test]
fn a_bye_has_one_side_and_no_score() {
    let (game, places) = league(&Moment::new(Timestamp::UNIX_EPOCH, 11));
    let bye = Game { kind: GameKind::Bye, away_team_id: None, ..game.clone() };
    assert_eq!(codes(refuse_wrong_places(None, &bye, &places)), []);
    let wrong = Game { kind: GameKind::Bye, home_team_id: None, home_score: Some(1), ..game };
    let expected =
        [error("/home_team_id", "required"), error("/away_team_id", "bye"), error("/home_score", "bye")];
    assert_eq!(codes(refuse_wrong_places(None, &wrong, &places)), expected);
}

#[test]
fn games_overlap_if_they_share_a_team_or_a_field_at_the_same_time() {
    let moment = Moment::new(Timestamp::UNIX_EPOCH, 13);
    let (game, places) = league(&moment);
    let (other, _) = league(&moment);
    let venue = |fields: &[&str]| {
        let fields = fields.iter().map(|field| name(field)).collect();
        places.venue.clone().map(|venue| Venue { fields, ..venue })
    };
    let here =
        |field: Option<&str>| Game { venue_id: game.venue_id, field: field.map(name), ..other.clone() };
    let clash = |fields: &[&str], mine: Option<&str>, other: &Game| {
        let game = Game { field: mine.map(name), ..game.clone() };
        !conflicts(&game, venue(fields).as_ref(), std::slice::from_ref(other)).is_empty()
    };
    assert!(!clash(&[], None, &other), "another venue and other teams");
    assert!(clash(&[], None, &here(None)), "the whole venue");
    assert!(clash(&["A"], None, &here(Some("A"))), "a venue with one field");
    assert!(!clash(&["A", "B"], None, &here(Some("A"))), "one of several fields, which is not known");
    assert!(
        clash(&["A", "B"], Some("Court 1"), &here(Some("court-1"))),
        "the same field in another spelling"
    );
    assert!(!clash(&["A", "B"], Some("A"), &here(Some("B"))));
    let shared = Game { away_team_id: game.home_team_id, ..other.clone() };
    assert!(clash(&[], None, &shared), "a team of both");

    let one = |other: Game| conflicts(&game, venue(&[]).as_ref(), &[other]).len();
    let later = |game: &Game, minutes| Game {
        starts_at: game.starts_at.saturating_add(SignedDuration::from_mins(minutes)).expect("a time"),
        ends_at: game.starts_at.checked_add(SignedDuration::from_mins(minutes + 60)).ok(),
        ..game.clone()
    };
    let beside = here(None);
    for (minutes, expected) in [(-60, 0), (-59, 1), (0, 1), (59, 1), (60, 0)] {
        assert_eq!(one(later(&beside, minutes)), expected, "{minutes} minutes later");
    }
    assert_eq!(one(game.clone()), 0, "itself");
    for status in GameStatus::ALL {
        let is_played = !matches!(status, GameStatus::Postponed | GameStatus::Cancelled);
        assert_eq!(one(Game { status: *status, ..beside.clone() }), usize::from(is_played), "{status}");
    }
    assert_eq!(one(Game { kind: GameKind::Bye, ..beside.clone() }), 0);
    assert_eq!(one(Game { ends_at: None, ..beside.clone() }), 0, "an end is not guessed");
    assert_eq!(one(Game { time_tbd: true, ..beside }), 0);
    let open = Game { ends_at: None, ..game.clone() };
    assert_eq!(conflicts(&open, venue(&[]).as_ref(), &[game]), []);
}

#[test]
fn a_game_moves_with_the_rules_of_its_time_zone() {
    let set = game();
    assert_eq!(set.by_rules_now(), None, "nothing has changed");
    let local = set.local_start();
    // As if clocks had been an hour behind when the game was set.
    let end = |game: &Game, hours| game.starts_at.checked_add(SignedDuration::from_hours(hours)).ok();
    let before = Game { starts_at: end(&set, -1).expect("a time"), ends_at: end(&set, 1), ..set.clone() };
    let after = before.by_rules_now().expect("it moves");
    assert_eq!(
        (after.starts_at, after.ends_at),
        (set.starts_at, end(&set, 2)),
        "the end moves with the start"
    );
    assert_eq!(after.local_start, Some(local));
    let mut told = after.clone();
    told.note_change(&before, Timestamp::UNIX_EPOCH, Some("rules"));
    assert_eq!(told.last_change, None, "it starts when families expect it");
    let old = Game { local_start: None, ..set.clone() };
    assert_eq!(old.by_rules_now(), Some(set), "the local start of an old game is filled in");
}

#[test]
fn a_local_start_that_clocks_skip_or_repeat_stays_as_it_was_set() {
    let zone = game().time_zone;
    let skipped = date(2026, 10, 4).at(2, 30, 0, 0);
    let first = zone.instant(date(2026, 4, 5).at(2, 30, 0, 0)).expect("an instant");
    let second = first.saturating_add(SignedDuration::from_hours(1)).expect("a time");
    let at = |starts_at, local_start| {
        let mut game = Game { starts_at, local_start, ..game() };
        game.note_local_start();
        game
    };
    let in_gap = at(zone.instant(skipped).expect("an instant"), Some(skipped));
    assert_eq!((in_gap.local_start, in_gap.by_rules_now()), (Some(skipped), None));
    let repeated = at(second, None);
    assert_eq!(repeated.local_start, Some(date(2026, 4, 5).at(2, 30, 0, 0)));
    assert_eq!(repeated.by_rules_now(), None, "the second time that clocks show it");
}
