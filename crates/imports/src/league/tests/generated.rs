//! Generated files: any file can be imported repeatedly.

use proptest::prelude::*;

use super::*;

fn any_fixture() -> impl Strategy<Value = Fixture> {
    let round = proptest::option::of(0..2u8);
    let clock = proptest::option::of(0..3i8);
    let venue_and_court = proptest::option::of((0..2u8, proptest::option::of(0..2u8)));
    let id = proptest::option::of(0..12u8);
    let teams = (0..4u8, proptest::option::of(0..4u8));
    let scores = (proptest::option::of(0..3i64), proptest::option::of(0..3i64));
    let status = proptest::sample::select(GameStatus::ALL);
    (teams, scores, status, round, (0..3i8, clock), venue_and_court, id).prop_map(
        |(teams, scores, status, round, (day, clock), venue_and_court, id)| {
            let team = |team: u8| named(&format!("Team {team}"));
            let sides = match teams {
                (team_resting, None) => Sides::Bye { team: team(team_resting) },
                (one, Some(other)) => Sides::Game {
                    home: FixtureSide { team: team(one), score: scores.0, external_id: None },
                    away: FixtureSide { team: team(other), score: scores.1, external_id: None },
                },
            };
            Fixture {
                sides,
                status,
                round: round.map(|round| named(&format!("Round {round}"))),
                date: date(2022, 4, 1 + day),
                time: clock.map(|hour| time(hour, 30, 0, 0)),
                place: venue_and_court.map(|(venue, court)| {
                    place(
                        &format!("Venue {venue}"),
                        &court.map(|court| format!("Court {court}")).unwrap_or_default(),
                    )
                }),
                external_id: id.map(|id| ExternalId::parse(&id.to_string()).expect("an id")),
                ..game("Magic", "Rebels")
            }
        },
    )
}

pub(super) fn any_file() -> impl Strategy<Value = Schedule> {
    proptest::collection::vec(any_fixture(), 0..24).prop_map(file)
}

proptest! {
    #[test]
    fn a_file_imported_again_changes_nothing(first in any_file(), second in any_file()) {
        let mut organization = Organization::default();
        organization.import(first);
        let games = organization.has.games.len();
        let plan = organization.import(second.clone());
        let counts = plan.counts;
        prop_assert_eq!(counts.games_created + counts.games_updated + counts.games_unchanged + counts.bad_rows, counts.rows);
        prop_assert_eq!(organization.has.games.len() as u64, games as u64 + counts.games_created);
        let again = organization.import(second);
        prop_assert_eq!(again.counts.games_created, 0);
        prop_assert_eq!(again.effects, vec![]);
        prop_assert_eq!(again.bad, plan.bad);
    }

    #[test]
    fn ids_are_unique_and_no_game_is_lost(first in any_file(), second in any_file()) {
        let mut organization = Organization::default();
        organization.import(first);
        let before: Vec<_> = organization.has.games.iter().map(|game| game.id).collect();
        organization.import(second);
        let mut after: Vec<_> = organization.has.games.iter().map(|game| game.id).collect();
        prop_assert!(before.iter().all(|id| after.contains(id)));
        after.sort_unstable();
        prop_assert!(after.windows(2).all(|pair| pair[0] != pair[1]));
        let mut external: Vec<_> = organization.has.games.iter().filter_map(|game| game.external_id.clone()).collect();
        let count = external.len();
        external.sort_unstable();
        external.dedup();
        prop_assert_eq!(external.len(), count);
    }
}
