//! The real file, and what its league might export later. The expected numbers were counted independently.

use super::*;
use fieldhouse_domain::divisions::DivisionGender;
use fieldhouse_domain::games::Side;
use fieldhouse_domain::seasons::SeasonStatus;

const FIRST_GAME: &str = "18e7c402-5162-4b58-84b4-c4b445c86f5d";
const GROUNDLESS: &str = "7bfab7d9-21fc-4bc3-846a-a670ed48675f";

#[test]
fn a_league_is_imported_into_an_empty_organization() {
    let mut organization = Organization::default();
    let plan = organization.import(read(COBURG));
    let expected = Counts {
        seasons_created: 1,
        divisions_created: 15,
        teams_created: 144,
        venues_created: 8,
        games_created: 319,
        byes: 20,
        rows: 319,
        ..Counts::default()
    };
    assert_eq!((plan.counts, plan.bad), (expected, vec![]));
    let season = &organization.has.seasons[0];
    assert_eq!((season.name.as_str(), season.sport.as_str()), ("Junior Domestic Winter 2022", "basketball"));
    assert_eq!((season.starts_on, season.ends_on), (Some(SATURDAY), Some(date(2022, 9, 10))));
    assert_eq!(season.status, SeasonStatus::Active);
    let stadium = venue(&organization, "Coburg Basketball Stadium");
    assert_eq!(courts(stadium), ["Court 1", "Court 2", "Court 3", "Court 4"]);
    let girls = |division: &&Division| division.gender == Some(DivisionGender::Girls);
    assert_eq!(organization.has.divisions.iter().filter(girls).count(), 5);
    assert!(organization.has.divisions.iter().all(|division| division.age_group.is_some()));
}

#[test]
fn a_game_starts_at_its_local_time() {
    let organization = Organization::of_coburg();
    let game = organization.game(FIRST_GAME);
    assert_eq!(game.starts_at.to_string(), "2022-04-29T23:15:00Z");
    assert_eq!((game.time_tbd, game.ends_at, game.status), (false, None, GameStatus::Final));
    assert_eq!(
        (game.home().and_then(|side| side.score), game.field.as_ref()),
        (Some(10), Some(&named("Court 1")))
    );
    let without_place = organization.game(GROUNDLESS);
    assert_eq!(without_place.starts_at.to_string(), "2022-04-29T14:00:00Z", "midnight in Melbourne");
    assert_eq!(
        (without_place.time_tbd, without_place.venue_id, without_place.field.as_ref()),
        (true, None, None)
    );
}

#[test]
fn the_same_file_again_changes_nothing() {
    let mut organization = Organization::of_coburg();
    let plan = organization.import(read(&format!("\u{feff}{}", COBURG.replace('\n', "\r\n"))));
    assert_eq!(plan.effects, []);
    let expected = Counts {
        seasons_unchanged: 1,
        divisions_unchanged: 15,
        teams_unchanged: 144,
        venues_unchanged: 8,
        games_unchanged: 319,
        byes: 20,
        rows: 319,
        ..Counts::default()
    };
    assert_eq!(plan.counts, expected);
}

#[test]
fn a_later_file_updates_changed_games() {
    let mut organization = Organization::of_coburg();
    let before = organization.has.games.clone();
    let upcoming = line_of(",UPCOMING,Coburg Basketball Stadium,Court 4,09:15:00,");
    let moved = line_of(",UPCOMING,Oak Park Stadium,Court 1,10:00:00,");
    let without_place = line_of(GROUNDLESS);
    let new = line_of(FIRST_GAME)
        .replace("30/04/2022", "17/09/2022")
        .replace("Round 1,", "Grand Final,")
        .replace(FIRST_GAME, "new-game")
        .replace("Coburg Senior High School,Court 1", "Coburg Senior High School,Court 10");
    let later = COBURG
        .replace(upcoming, &upcoming.replace(",,,", ",31,DREW,").replace("UPCOMING", "FINAL"))
        .replace(moved, &moved.replace("10:00:00", "10:45:00"))
        .replace(
            without_place,
            &without_place.replace(",FINAL,,,,", ",FINAL,Mercy College,Court 2,08:30:00,"),
        )
        + &new
        + "\n";
    let plan = organization.import(read(&later));
    assert_eq!(plan.bad, []);
    let verbs: Vec<_> = plan
        .effects
        .iter()
        .map(|effect| (effect.record().map(|record| record.kind().name()), effect.verb()))
        .collect();
    let updated = |kind| (Some(kind), "updated");
    assert_eq!(
        verbs,
        [
            updated("venue"),
            updated("venue"),
            updated("season"),
            updated("game"),
            updated("game"),
            updated("game"),
            (Some("game"), "created"),
        ]
    );
    let mut fields: Vec<_> = plan.effects[3..6].iter().map(Effect::fields).collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            vec!["starts_at", "local_start"],
            vec!["starts_at", "time_tbd", "local_start", "venue_id", "field"],
            vec!["status", "home_score", "away_score"],
        ]
    );
    let game = organization.game(GROUNDLESS);
    let change = game.last_change.as_ref().expect("a change for families");
    assert_eq!(change.reason.as_deref(), Some("import"));
    assert_eq!(change.fields, ["starts_at", "time_tbd", "venue_id", "field"]);
    assert!(
        before.iter().all(|old| organization.has.games.iter().any(|new| new.id == old.id)),
        "ids are kept"
    );
    assert_eq!(courts(venue(&organization, "Coburg Senior High School")), ["Court 1", "Court 10"]);
    assert_eq!(courts(venue(&organization, "Mercy College")), ["Court 1", "Court 2"]);
    assert_eq!(organization.has.seasons[0].ends_on, Some(date(2022, 9, 17)));
    assert_eq!(
        (plan.counts.games_updated, plan.counts.games_unchanged, plan.counts.games_created),
        (3, 316, 1)
    );
    assert_eq!(organization.import(read(&later)).effects, []);
}

#[test]
fn an_older_file_removes_no_result_and_clears_nothing() {
    let mut organization = Organization::of_coburg();
    let blank = |game: &Game| game.external_id.as_ref().is_some_and(|id| id.as_str() == FIRST_GAME);
    let index = organization.has.games.iter().position(blank).expect("the game");
    let older = line_of(FIRST_GAME)
        .replace(",10,DREW,", ",,,")
        .replace("FINAL,Coburg Senior High School,Court 1,09:15:00", "UPCOMING,,,");
    let known = organization.has.games[index].clone();
    let plan = organization.import(read(&COBURG.replace(line_of(FIRST_GAME), &older)));
    assert_eq!((plan.effects, plan.counts.games_unchanged), (vec![], 319));
    let other_day = older.replace("30/04/2022", "07/05/2022");
    organization.import(read(&COBURG.replace(line_of(FIRST_GAME), &other_day)));
    let game = &organization.has.games[index];
    assert_eq!(
        (game.time_tbd, game.venue_id, game.home()),
        (true, known.venue_id, known.home()),
        "a time is of its day"
    );
}

#[test]
fn a_part_of_a_season_keeps_the_dates_and_counts_only_its_records() {
    let mut organization = Organization::of_coburg();
    organization.has.seasons[0].name = named("Our Winter");
    organization.has.seasons[0].status = SeasonStatus::Archived;
    for (day, games, divisions, teams, venues) in [("30/04/2022", 17, 15, 33, 8), ("10/09/2022", 4, 2, 8, 3)]
    {
        let of_day = |line: &&str| line.starts_with("game date") || line.starts_with(day);
        let plan = organization.import(read(&COBURG.lines().filter(of_day).collect::<Vec<_>>().join("\n")));
        assert_eq!(plan.effects, [], "{day}");
        let counts = Counts { byes: 0, ..plan.counts };
        let expected = Counts {
            seasons_unchanged: 1,
            divisions_unchanged: divisions,
            teams_unchanged: teams,
            venues_unchanged: venues,
            games_unchanged: games,
            rows: games,
            ..Counts::default()
        };
        assert_eq!(counts, expected, "{day}");
    }
}

#[test]
fn a_season_without_open_games_is_completed() {
    let only_final = COBURG.lines().filter(|line| !line.contains("UPCOMING")).collect::<Vec<_>>().join("\n");
    let mut organization = Organization::default();
    assert_eq!(organization.import(read(&only_final)).counts.games_created, 36);
    assert_eq!(organization.has.seasons[0].status, SeasonStatus::Completed);
}

#[test]
fn the_plan_needs_one_season_and_eight_venues() {
    let wanted = wanted(&read(COBURG).fixtures);
    assert_eq!((wanted.season_external_ids.len(), wanted.venue_names.len()), (1, 8));
    assert_eq!(wanted.season_names.into_iter().collect::<Vec<_>>(), ["junior domestic winter 2022"]);
    assert!(wanted.venue_names.contains("st johns college preston"));
}

#[test]
fn each_row_becomes_a_game_of_its_teams() {
    let organization = Organization::of_coburg();
    let team = |side: Option<Side>| {
        let id = side?.team_id;
        organization.has.teams.iter().find(|team| team.id == id).map(|team| team.name.to_string())
    };
    let game = organization.game(FIRST_GAME);
    assert_eq!(team(game.home()).as_deref(), Some("Rebels U10 Boys Blue"));
    assert_eq!(team(game.away()).as_deref(), Some("Magic U10 Boys Gold"));
    let byes = organization.has.games.iter().filter(|game| game.kind == GameKind::Bye);
    let resting: BTreeSet<_> = byes.map(|bye| (team(bye.home()), bye.away())).map(|(home, _)| home).collect();
    assert_eq!(resting.len(), 11);
}

/// The first line of the real file that holds a string.
fn line_of(text: &str) -> &'static str {
    COBURG.lines().find(|line| line.contains(text)).expect("a line")
}

fn venue<'o>(organization: &'o Organization, name: &str) -> &'o Venue {
    organization.has.venues.iter().find(|venue| venue.name.as_str() == name).expect("the venue")
}

fn courts(venue: &Venue) -> Vec<&str> {
    venue.fields.iter().map(Name::as_str).collect()
}
