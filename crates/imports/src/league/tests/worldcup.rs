//! A tournament before it starts and in the middle: placeholders become teams, and every game keeps its id. The numbers were counted from
//! the two files with another program.

use super::*;
use crate::formats::{self, Reading};

const BEFORE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../data/leagues/worldcup/2026_worldcup.before-kickoff.json"
));
const MIDWAY: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../data/leagues/worldcup/2026_worldcup.mid-tournament.json"
));

fn tournament(text: &str) -> Schedule {
    let reading = Reading::auto(TimeZoneName::parse("UTC").expect("a zone"));
    formats::read(text.as_bytes(), &reading).expect("a season").schedule
}

/// Without the numbers of games.
fn unnumbered(schedule: Schedule) -> Schedule {
    file(schedule.fixtures.into_iter().map(|fixture| Fixture { external_id: None, ..fixture }))
}

fn team(organization: &Organization, id: Option<fieldhouse_domain::ids::TeamId>) -> &str {
    organization.has.teams.iter().find(|team| Some(team.id) == id).expect("a team").name.as_str()
}

#[test]
fn games_keep_their_ids_when_placeholders_become_teams() {
    let mut organization = Organization::default();
    let plan = organization.import(tournament(BEFORE));
    assert_eq!(
        (plan.counts.teams_created, plan.counts.venues_created, plan.counts.games_created),
        (112, 16, 104)
    );
    let before = organization.has.games.clone();
    let final_game =
        before.iter().find(|game| team(&organization, game.home_team_id) == "W101").expect("the final");
    assert_eq!(final_game.starts_at.to_string(), "2026-07-19T19:00:00Z");
    assert_eq!(final_game.time_zone.as_str(), "Etc/GMT+4");

    let plan = organization.import(tournament(MIDWAY));
    let counts = plan.counts;
    assert_eq!((counts.games_updated, counts.games_unchanged, counts.games_created), (91, 13, 0));
    assert_eq!((counts.teams_created, counts.teams_unchanged, counts.venues_unchanged), (0, 79, 16));
    for (old, new) in before.iter().zip(&organization.has.games) {
        assert_eq!((old.id, old.starts_at, old.venue_id), (new.id, new.starts_at, new.venue_id));
    }
    let germany = organization.game("74");
    assert_eq!(team(&organization, germany.home_team_id), "Germany");
    assert_eq!(team(&organization, germany.away_team_id), "Paraguay");
    assert_eq!((germany.status, germany.home_score), (GameStatus::Final, Some(1)));
    assert_eq!(organization.import(tournament(MIDWAY)).effects, []);
}

#[test]
fn without_numbers_games_are_found_by_time_and_place_and_reported() {
    let mut organization = Organization::default();
    organization.import(unnumbered(tournament(BEFORE)));
    let before: Vec<_> = organization.has.games.iter().map(|game| game.id).collect();
    let plan = organization.import(unnumbered(tournament(MIDWAY)));
    assert_eq!((plan.counts.games_updated, plan.counts.games_created), (89, 0));
    let slots: Vec<&Match> =
        plan.matches.iter().filter(|found| found.how == MatchHow::TimeAndPlace).collect();
    assert_eq!(slots.len(), 17, "the round of 32, and one game of the round of 16");
    let germany = slots.iter().find(|found| found.file_value.starts_with("Germany")).expect("a match");
    assert_eq!(germany.file_value, "Germany v Paraguay, 2026-06-29 16:30");
    assert_eq!(germany.name.as_deref(), Some("1E v 3A/B/C/D/F, 2026-06-29 16:30"));
    assert_eq!(organization.has.games.iter().map(|game| game.id).collect::<Vec<_>>(), before);
}

#[test]
fn names_are_matched_and_new_spellings_are_suggested() {
    let mut organization = Organization::of_coburg();
    let respelt = COBURG
        .replace("Rebels U10 Boys Blue", "Rebels U10 Boys Blues")
        .replace("Magic U10 Boys Gold", "MAGIC U10 BOYS GOLD");
    let plan = organization.import(read(&respelt));
    assert_eq!((plan.counts.teams_created, plan.counts.teams_unchanged), (1, 143));
    let found = |value: &str| plan.matches.iter().find(|found| found.file_value == value).expect("a match");
    let season = found("Junior Domestic Winter 2022");
    assert_eq!(
        (season.kind, season.how, season.record_id.is_some()),
        (MatchKind::Season, MatchHow::ExternalId, true)
    );
    let magic = found("MAGIC U10 BOYS GOLD");
    assert_eq!((magic.name.as_deref(), magic.how), (Some("Magic U10 Boys Gold"), MatchHow::Name));
    let rebels = found("Rebels U10 Boys Blues");
    assert_eq!((rebels.record_id.as_ref(), rebels.how), (None, MatchHow::Created));
    let [suggestion] = &plan.suggestions[..] else { panic!("{:?}", plan.suggestions) };
    assert_eq!((suggestion.kind, suggestion.name.as_str()), (MatchKind::Team, "Rebels U10 Boys Blue"));
    assert_eq!(suggestion.reason, "They differ only in a final s.");
}

#[test]
fn a_team_with_an_external_id_is_found_under_another_name() {
    let with = |name: &str, id: &str| FixtureSide {
        team: named(name),
        score: None,
        external_id: ExternalId::parse(id).ok(),
    };
    let meeting = |names: [&str; 2]| Fixture {
        sides: Sides::Game { home: with(names[0], "101"), away: with(names[1], "102") },
        ..game("x", "y")
    };
    let mut organization = Organization::default();
    organization.import(file([meeting(["Team 101", "Team 102"])]));
    organization.has.teams[0].name = named("Red Dragons");
    let plan = organization.import(file([meeting(["Team 101", "Team 102"])]));
    assert_eq!((plan.effects, plan.counts.teams_unchanged), (vec![], 2));
    let dragons = plan.matches.iter().find(|found| found.name.as_deref() == Some("Red Dragons"));
    assert_eq!(dragons.map(|found| found.how), Some(MatchHow::ExternalId));
}

#[test]
fn a_completed_season_that_gains_an_open_game_is_active_again() {
    use fieldhouse_domain::seasons::SeasonStatus;
    let mut organization = Organization::default();
    let played = Fixture { status: GameStatus::Final, ..game("Magic", "Rebels") };
    organization.import(file([played.clone()]));
    assert_eq!(organization.has.seasons[0].status, SeasonStatus::Completed);
    let open = Fixture { round: Some(named("Round 2")), ..game("Magic", "Rebels") };
    organization.import(file([played, open]));
    assert_eq!(organization.has.seasons[0].status, SeasonStatus::Active);
}
