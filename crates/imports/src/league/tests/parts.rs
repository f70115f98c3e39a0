//! Parts of a file and other orders of its rows lead to the same records.

use proptest::prelude::*;

use super::generated::any_file;
use super::*;

/// All records by name, without ids, versions and times of change.
fn records(organization: &Organization) -> Vec<String> {
    let has = &organization.has;
    let season = |id| has.seasons.iter().find(|season| season.id == id).map(|season| season.name.to_string());
    let division = |id| {
        let found = has.divisions.iter().find(|division| division.id == id).expect("a division");
        format!("{:?}/{}", season(found.season_id), found.name)
    };
    let team = |id| has.teams.iter().find(|team| Some(team.id) == id).map(|team| team.name.to_string());
    let venue = |id| has.venues.iter().find(|venue| Some(venue.id) == id).map(|venue| venue.name.to_string());
    let mut records: Vec<String> = Vec::new();
    records.extend(has.seasons.iter().map(|season| {
        let (name, status, days) = (&season.name, season.status, (season.starts_on, season.ends_on));
        format!("season {name} {status} {days:?} {:?}", season.external_id)
    }));
    records.extend(has.divisions.iter().map(|found| format!("division {}", division(found.id))));
    records.extend(has.teams.iter().map(|team| format!("team {} {}", division(team.division_id), team.name)));
    records.extend(has.venues.iter().map(|venue| format!("venue {} {:?}", venue.name, venue.fields)));
    records.extend(has.games.iter().map(|game| {
        format!(
            "game {} {:?} {} {} {} {} {:?} {:?} {:?} {:?}:{:?} {:?}:{:?} {:?}",
            division(game.division_id),
            game.round,
            game.kind,
            game.status,
            game.starts_at,
            game.time_tbd,
            game.ends_at,
            venue(game.venue_id),
            game.field,
            team(game.home_team_id),
            game.home_score,
            team(game.away_team_id),
            game.away_score,
            game.external_id,
        )
    }));
    records.sort();
    records
}

fn imported(files: impl IntoIterator<Item = Schedule>) -> Vec<String> {
    let mut organization = Organization::default();
    for file in files {
        organization.import(file);
    }
    records(&organization)
}

fn first(schedule: &Schedule, rows: usize) -> Schedule {
    file(schedule.fixtures.iter().take(rows).cloned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_part_of_any_file_and_then_the_whole_give_the_records_of_the_whole(whole in any_file(), rows in 0usize..24) {
        let part = first(&whole, rows);
        // A season with byes only is active, because it was not played.
        let mut organization = Organization::default();
        organization.import(part.clone());
        let played = organization.has.games.iter().any(|game| game.kind == GameKind::Game);
        prop_assume!(played || organization.has.games.is_empty());
        prop_assert_eq!(imported([part, whole.clone()]), imported([whole]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_part_of_the_real_file_and_then_the_whole_give_the_records_of_the_whole(rows in 0usize..319) {
        let whole = read(COBURG);
        prop_assert_eq!(imported([first(&whole, rows), whole.clone()]), imported([whole]));
    }

    #[test]
    fn rows_in_another_order_give_the_same_records(order in Just((0..319usize).collect::<Vec<_>>()).prop_shuffle()) {
        let whole = read(COBURG);
        let shuffled = file(order.iter().map(|row| whole.fixtures[*row].clone()));
        prop_assert_eq!(imported([shuffled]), imported([whole]));
    }
}
