//! Tests of what families are told about changed games.

mod rules;

use super::*;
use crate::Moment;

fn game() -> Game {
    let moment = Moment::new(Timestamp::UNIX_EPOCH, 7);
    let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
    let mut wanted = NewGame::new(moment.id(), moment.id(), moment.now(), zone);
    wanted.home_team_id = Some(moment.id());
    wanted.away_team_id = Some(moment.id());
    Game::create(&moment, wanted)
}

fn noted(change: impl FnOnce(&mut Game)) -> Option<Vec<String>> {
    let (before, mut after) = (game(), game());
    change(&mut after);
    after.note_change(&before, Timestamp::UNIX_EPOCH, Some("rain"));
    after.last_change.map(|change| {
        assert_eq!((change.at, change.reason.as_deref()), (Timestamp::UNIX_EPOCH, Some("rain")));
        change.fields
    })
}

#[test]
fn families_are_told_what_changed_by_the_names_of_the_api() {
    let fields = noted(|game| {
        game.away_score = Some(2);
        game.home_score = Some(1);
        game.home_team_id = None;
        game.status = GameStatus::Final;
        game.field = Name::parse("2").ok();
        game.round = Name::parse("Final").ok();
    });
    let expected = ["field", "status", "home", "away"].map(str::to_owned);
    assert_eq!(fields, Some(expected.into()), "each side once, and nothing about the round");
    assert_eq!(noted(|game| game.time_tbd = true), Some(vec!["time_tbd".to_owned()]));
}

#[test]
fn a_change_that_families_need_not_know_keeps_the_last_one() {
    let last = LastChange { at: Timestamp::UNIX_EPOCH, fields: vec!["status".to_owned()], reason: None };
    let before = Game { last_change: Some(last.clone()), ..game() };
    let mut after = Game { round: Name::parse("Round 2").ok(), version: 2, ..before.clone() };
    after.note_change(&before, Timestamp::MAX, Some("renamed"));
    assert_eq!(after.last_change, Some(last));
    assert_eq!(noted(|_| ()), None);
}

#[test]
fn a_side_without_a_team_is_unknown_even_if_it_has_a_score() {
    let game = Game { home_score: Some(3), away_team_id: None, away_score: Some(1), ..game() };
    assert_eq!((game.home().and_then(|side| side.score), game.away()), (Some(3), None));
}
