//! Matching of games, and rows that are refused.

use super::*;

/// Imports two files: the games after the first, and the plan of the second.
fn import_twice(first: Schedule, second: Schedule) -> (Vec<Game>, Organization, Plan) {
    let mut organization = Organization::default();
    organization.import(first);
    let before = organization.has.games.clone();
    let plan = organization.import(second);
    (before, organization, plan)
}

fn with_id(id: &str, fixture: Fixture) -> Fixture {
    Fixture { external_id: Some(ExternalId::parse(id).expect("an id")), ..fixture }
}

fn later(fixture: Fixture) -> Fixture {
    Fixture { time: Some(time(12, 0, 0, 0)), ..fixture }
}

fn scored(fixture: Fixture, scores: [i64; 2]) -> Fixture {
    let Sides::Game { mut home, mut away } = fixture.sides else { panic!("a game") };
    (home.score, away.score) = (Some(scores[0]), Some(scores[1]));
    Fixture { sides: Sides::Game { home, away }, status: GameStatus::Final, ..fixture }
}

#[test]
fn a_placeholder_becomes_a_team_and_keeps_the_game() {
    let (before, organization, plan) =
        import_twice(file([game("Winner of 1", "Winner of 2")]), file([game("Magic", "Rebels")]));
    assert_eq!((plan.counts.games_updated, plan.counts.teams_created), (1, 2));
    assert_eq!(organization.has.games[0].id, before[0].id);
    let change = organization.has.games[0].last_change.clone().expect("a change for families");
    assert_eq!(change.fields, ["home", "away"]);
}

#[test]
fn a_moved_game_is_matched_even_if_another_takes_its_time() {
    let first = file([game("Magic", "Rebels"), later(game("Stars", "Thunder"))]);
    let swapped = file([game("Stars", "Thunder"), later(game("Magic", "Rebels"))]);
    let (before, organization, plan) = import_twice(first, swapped);
    assert_eq!(plan.counts.games_updated, 2);
    for (old, new) in before.iter().zip(&organization.has.games) {
        assert_eq!((old.id, old.home(), old.away()), (new.id, new.home(), new.away()));
        assert_ne!(old.starts_at, new.starts_at);
    }
}

#[test]
fn scores_move_with_their_teams() {
    let (before, organization, _) =
        import_twice(file([scored(game("Magic", "Rebels"), [20, 8])]), file([game("Rebels", "Magic")]));
    let game = &organization.has.games[0];
    assert_eq!(
        (game.home(), game.away(), game.status),
        (before[0].away(), before[0].home(), GameStatus::Final)
    );
}

#[test]
fn a_score_is_removed_with_its_team() {
    let (_, organization, _) =
        import_twice(file([scored(game("Magic", "Rebels"), [20, 8])]), file([game("Magic", "Stars")]));
    let scores = [organization.has.games[0].home(), organization.has.games[0].away()].map(|side| side?.score);
    assert_eq!(scores, [Some(20), None]);
}

#[test]
fn an_id_takes_precedence_over_the_place_and_two_ids_are_two_games() {
    let first = file([with_id("a", game("Magic", "Rebels")), with_id("b", later(game("Stars", "Thunder")))]);
    let second = file([with_id("c", game("Magic", "Rebels")), with_id("a", later(game("Stars", "Thunder")))]);
    let (before, organization, plan) = import_twice(first, second);
    assert_eq!((plan.counts.games_created, plan.counts.games_updated), (1, 1));
    assert_eq!(organization.game("a").id, before[0].id);
    assert_eq!(organization.game("b"), &before[1], "what the file does not name stays");
}

#[test]
fn a_game_with_another_id_is_another_game() {
    let with = |id| file([with_id(id, game("Magic", "Rebels"))]);
    let (before, organization, plan) = import_twice(with("a"), with("b"));
    assert_eq!((plan.counts.games_created, organization.game("a")), (1, &before[0]));
}

#[test]
fn an_end_moves_with_its_start() {
    let mut organization = Organization::default();
    organization.import(file([game("Magic", "Rebels")]));
    let end = |game: &Game| game.starts_at.checked_add(jiff::SignedDuration::from_mins(45)).expect("a time");
    organization.has.games[0].ends_at = Some(end(&organization.has.games[0]));
    organization.import(file([later(game("Magic", "Rebels"))]));
    let game = &organization.has.games[0];
    assert_eq!(
        (game.starts_at.to_string().as_str(), game.ends_at),
        ("2022-04-30T02:00:00Z", Some(end(game)))
    );
}

#[test]
fn games_are_matched_if_only_one_side_has_ids() {
    let with = file([with_id("a", game("Magic", "Rebels"))]);
    let without = file([game("Magic", "Rebels")]);
    let (_, organization, plan) = import_twice(with.clone(), without.clone());
    assert_eq!((plan.effects.len(), organization.has.games.len()), (0, 1));
    let (_, organization, plan) = import_twice(without, with);
    assert_eq!((plan.counts.games_updated, organization.has.games.len()), (1, 1));
    assert_eq!(organization.game("a").last_change, None, "an id is no news for families");
}

#[test]
fn two_games_of_the_same_teams_in_one_round_stay_two() {
    let both = file([game("Magic", "Rebels"), later(game("Magic", "Rebels"))]);
    let (before, organization, plan) =
        import_twice(both.clone(), file([later(game("Rebels", "Magic")), game("Magic", "Rebels")]));
    assert_eq!((plan.counts.games_updated, plan.counts.games_unchanged), (1, 1));
    assert_eq!(organization.has.games[0], before[0]);
    assert_eq!(import_twice(both.clone(), both).2.effects, []);
}

#[test]
fn a_bye_is_found_by_its_team_and_round() {
    let bye = |day| Fixture {
        sides: Sides::Bye { team: named("Magic") },
        date: day,
        time: None,
        place: None,
        ..game("Magic", "Rebels")
    };
    let (before, organization, plan) = import_twice(file([bye(SATURDAY)]), file([bye(date(2022, 5, 7))]));
    assert_eq!((plan.counts.games_updated, plan.counts.byes), (1, 1));
    assert_eq!((organization.has.games[0].id, organization.has.games[0].away()), (before[0].id, None));
}

#[test]
fn names_are_compared_folded_and_keep_their_spelling() {
    let respelt = Fixture {
        season: FixtureSeason {
            name: named("CUP  2022"),
            external_id: Some(ExternalId::parse("x:cup").expect("an id")),
        },
        division: named("u12 girls"),
        round: Some(named("ROUND 1")),
        place: Some(place("oak park", "COURT 1")),
        ..game("MAGIC", "rebels")
    };
    let (_, organization, plan) = import_twice(file([game("Magic", "Rebels")]), file([respelt.clone()]));
    let changed: Vec<_> = plan.effects.iter().map(Effect::fields).collect();
    assert_eq!(changed, [["external_id"]], "the season gains its id");
    assert_eq!(organization.has.teams[0].name.as_str(), "Magic");
    assert_eq!(organization.has.venues[0].fields, [named("Court 1")]);
    let (_, _, plan) = import_twice(file([respelt.clone()]), file([respelt]));
    assert_eq!(plan.effects, []);
}

#[test]
fn several_seasons_in_one_file_are_several_seasons() {
    let of = |season: &str, id: Option<&str>| {
        let external_id = id.map(|id| ExternalId::parse(id).expect("an id"));
        Fixture { season: FixtureSeason { name: named(season), external_id }, ..game("Magic", "Rebels") }
    };
    let mut organization = Organization::default();
    let plan =
        organization.import(file([of("Cup", Some("1")), of("League", Some("2")), of("CUP", Some("3"))]));
    assert_eq!(
        (plan.counts.seasons_created, plan.counts.games_created, plan.counts.teams_created),
        (2, 2, 4)
    );
    assert_eq!((plan.counts.bad_rows, plan.bad[0].line), (1, 4));
    assert!(plan.bad[0].reason.contains("another season already has this name"), "{}", plan.bad[0].reason);
    let renamed = organization.import(file([of("Cup of 2022", Some("1")), of("Cup", None)]));
    assert_eq!((renamed.counts.seasons_unchanged, renamed.counts.bad_rows), (1, 1), "found by its id first");
}

#[test]
fn repeated_and_impossible_rows_are_skipped() {
    let bye = |team| Fixture { sides: Sides::Bye { team: named(team) }, ..game("Magic", "Rebels") };
    let rows = [
        game("Magic", "Rebels"),
        game("rebels", "Magic"),
        bye("Stars"),
        bye("STARS"),
        with_id("a", later(game("Magic", "Stars"))),
        with_id("a", later(game("Magic", "Thunder"))),
        game("Magic", "MAGIC"),
        Fixture { date: Date::MAX, time: Some(time(23, 59, 0, 0)), ..game("Magic", "Thunder") },
    ];
    let plan = Organization::default().import(file(rows));
    let bad: Vec<_> = plan.bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect();
    assert_eq!(
        bad,
        [
            (3, "repeats the game or bye of line 2"),
            (5, "repeats the game or bye of line 4"),
            (7, "repeats the game or bye of line 6"),
            (8, "has the same team on both sides"),
            (9, "has an impossible time"),
        ]
    );
    assert_eq!((plan.counts.games_created, plan.counts.byes, plan.counts.teams_created), (3, 1, 3));
    assert_eq!((plan.counts.rows, plan.counts.bad_rows), (8, 5));
}

#[test]
fn seasons_with_different_ids_are_different_even_with_one_name() {
    let of = |league: &str| {
        let external_id = Some(ExternalId::parse(league).expect("an id"));
        let season = FixtureSeason { name: named("Winter 2022"), external_id };
        Fixture { season, ..game("Magic", "Rebels") }
    };
    let (before, organization, plan) = import_twice(file([of("coburg")]), file([of("brunswick")]));
    assert_eq!(organization.has.games, before, "nothing of the one goes into the other");
    assert_eq!((plan.counts.bad_rows, plan.effects.len()), (1, 0));
    assert!(plan.bad[0].reason.contains("another season already has this name"), "{}", plan.bad[0].reason);
}

#[test]
fn of_two_similar_games_each_row_matches_the_one_at_its_venue() {
    let elsewhere = || Fixture { place: None, ..game("Rebels", "Magic") };
    let slot = || Fixture { round: None, ..game("Magic", "Rebels") };
    let (_, mut organization, plan) =
        import_twice(file([game("Winner", "Magic")]), file([elsewhere(), slot()]));
    assert_eq!((plan.counts.games_created, plan.counts.games_updated), (1, 1));
    let again = organization.import(file([elsewhere(), slot()]));
    assert_eq!((again.counts.games_unchanged, again.effects), (2, Vec::new()));
}
