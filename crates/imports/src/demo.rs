//! Moves a real season to the present, for a demonstration.

use jiff::ToSpan;
use jiff::civil::Date;

use super::league::Fixture;
use fieldhouse_domain::games::GameStatus;

/// Moves all fixtures by whole weeks, so that each game keeps its weekday and time. The last day with a result becomes the latest such
/// weekday before `today`; without results, the first day becomes the next such weekday from `today` on. Scores do not change, and no game
/// with a result moves into the future. Returns the number of weeks, negative if the season moves back.
pub fn demo_shift(fixtures: &mut [Fixture], today: Date) -> i64 {
    let played =
        fixtures.iter().filter(|fixture| has_result(fixture.status)).map(|fixture| fixture.date).max();
    let first = fixtures.iter().map(|fixture| fixture.date).min();
    let weeks = match (played, first) {
        (Some(played), _) => (days(played, today) - 1).div_euclid(7),
        (None, Some(first)) => -(-days(first, today)).div_euclid(7),
        (None, None) => 0,
    };
    for fixture in fixtures {
        fixture.date = fixture.date.saturating_add(weeks.weeks());
    }
    weeks
}

fn has_result(status: GameStatus) -> bool {
    matches!(status, GameStatus::Final | GameStatus::Forfeit | GameStatus::Abandoned)
}

fn days(from: Date, to: Date) -> i64 {
    from.duration_until(to).as_hours() / 24
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;
    use crate::playhq;

    fn coburg() -> Vec<Fixture> {
        let bytes = include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../data/leagues/playhq/coburg-basketball-winter-2022.csv"
        ));
        playhq::read(bytes).expect("an export").fixtures
    }

    #[test]
    fn rounds_keep_their_results() {
        let mut fixtures = coburg();
        // 30 April 2022, the day of round 1, and 6 September 2025 are Saturdays 175 weeks apart.
        assert_eq!(demo_shift(&mut fixtures, date(2025, 9, 10)), 175);
        let day = |round: &str| {
            let named =
                |fixture: &&Fixture| fixture.round.as_ref().is_some_and(|name| name.as_str() == round);
            fixtures.iter().find(named).map(|fixture| fixture.date)
        };
        assert_eq!(day("Round 1"), Some(date(2025, 9, 6)));
        assert_eq!(day("Round 2"), Some(date(2025, 9, 13)));
        assert_eq!(day("Round 18"), Some(date(2026, 1, 17)));
    }

    #[test]
    fn a_season_without_results_starts_today_or_later() {
        let mut fixtures = coburg();
        fixtures.retain(|fixture| fixture.status == GameStatus::Scheduled && fixture.date > date(2022, 5, 1));
        assert_eq!(demo_shift(&mut fixtures, date(2022, 5, 7)), 0, "round 2 is today");
        assert_eq!(demo_shift(&mut fixtures, date(2022, 5, 8)), 1);
        assert_eq!(demo_shift(&mut [], date(2022, 5, 8)), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn results_are_in_the_past_and_other_games_in_the_future(days in -40_000i64..40_000) {
            let today = date(2022, 5, 1).saturating_add(days.days());
            let before = coburg();
            let mut fixtures = before.clone();
            demo_shift(&mut fixtures, today);
            for (old, new) in before.iter().zip(&fixtures) {
                prop_assert_eq!(old.date.weekday(), new.date.weekday());
                let played = old.date == date(2022, 4, 30);
                prop_assert_eq!(new.date < today, played);
                let moved = Fixture { date: new.date, ..old.clone() };
                prop_assert_eq!(new, &moved);
            }
        }
    }
}
