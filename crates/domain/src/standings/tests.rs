//! Tests of the table: known cases, and random seasons against a slow, obvious implementation.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::Moment;
use crate::games::NewGame;
use crate::ids::Id;
use crate::time::TimeZoneName;
use jiff::Timestamp;

const ALL: &[Tiebreaker] = Tiebreaker::ALL;
const WITHOUT_NAME: &[Tiebreaker] = &[Tiebreaker::HeadToHead, Tiebreaker::Difference, Tiebreaker::Scored];

fn team(number: usize) -> TeamId {
    TeamId::from_uuid(Uuid::from_u128(number as u128))
}

/// Teams called `a`, `b`, `c`, ...
fn teams(count: usize) -> Vec<Entrant> {
    let name = |number| char::from(b'a' + u8::try_from(number).expect("few teams")).to_string();
    (0..count).map(|number| Entrant { id: team(number), name: name(number) }).collect()
}

fn game(home: usize, away: usize, scores: (Option<i64>, Option<i64>), status: GameStatus) -> Game {
    let moment = Moment::new(Timestamp::UNIX_EPOCH, 7);
    let zone = TimeZoneName::parse("UTC").expect("a zone");
    let wanted = NewGame::new(moment.id(), moment.id(), moment.now(), zone);
    let mut game = Game::create(&moment, wanted);
    (game.home_team_id, game.away_team_id) = (Some(team(home)), Some(team(away)));
    (game.home_score, game.away_score, game.status) = (scores.0, scores.1, status);
    game
}

fn played(home: usize, away: usize, home_score: i64, away_score: i64) -> Game {
    game(home, away, (Some(home_score), Some(away_score)), GameStatus::Final)
}

/// The rank, the team's name and what decided it, of each row.
fn shown(table: &Table, teams: &[Entrant]) -> Vec<(i64, String, Option<Criterion>)> {
    let name = |row: &Row| teams.iter().find(|team| team.id == row.team).expect("a team").name.clone();
    table.rows.iter().map(|row| (row.rank, name(row), row.decided_by)).collect()
}

fn row(rank: i64, name: &str, decided_by: Option<Criterion>) -> (i64, String, Option<Criterion>) {
    (rank, name.to_owned(), decided_by)
}

#[test]
fn points_come_first_and_each_row_says_what_decided_it() {
    let teams = teams(4);
    let games = [played(0, 1, 1, 0), played(1, 2, 5, 0), played(2, 0, 1, 0), played(3, 0, 0, 0)];
    let table = table(&teams, &games, Scoring::default(), ALL);
    let expected = [
        row(1, "a", None),
        // b and c have three points each, and b beat c.
        row(2, "b", Some(Criterion::Points)),
        row(3, "c", Some(Criterion::HeadToHead)),
        row(4, "d", Some(Criterion::Points)),
    ];
    assert_eq!(shown(&table, &teams), expected);
    let first = Tally { played: 3, won: 1, drawn: 1, lost: 1, scored: 1, conceded: 1, points: 4 };
    assert_eq!((table.rows[0].tally, table.rows[1].tally.difference()), (first, 4));
}

#[test]
fn head_to_head_is_skipped_unless_all_tied_teams_have_met() {
    let teams = teams(4);
    // a, b and c have three points each; a beat b, and c met neither.
    let games = [played(0, 1, 1, 0), played(1, 3, 9, 0), played(2, 3, 2, 0)];
    let table = table(&teams, &games, Scoring::default(), ALL);
    let expected = [
        row(1, "b", None),
        row(2, "c", Some(Criterion::Difference)),
        row(3, "a", Some(Criterion::Difference)),
        row(4, "d", Some(Criterion::Points)),
    ];
    assert_eq!(shown(&table, &teams), expected);
}

#[test]
fn teams_still_tied_after_their_games_form_a_new_table_of_them() {
    let teams = teams(3);
    // Among three, a and b are level and c is behind; among two, b has beaten a.
    let games =
        [played(0, 1, 0, 1), played(0, 2, 3, 0), played(2, 1, 2, 1), played(2, 0, 0, 0), played(1, 2, 2, 0)];
    let scoring = Scoring { win: 2, draw: 1, loss: 0 };
    let between = table(&teams, &games, scoring, WITHOUT_NAME);
    let points: Vec<_> = between.rows.iter().map(|row| row.tally.points).collect();
    assert_eq!(points, [4, 3, 3]);
    let expected =
        [row(1, "b", None), row(2, "a", Some(Criterion::Points)), row(3, "c", Some(Criterion::HeadToHead))];
    assert_eq!(shown(&between, &teams), expected);
}

#[test]
fn teams_equal_in_everything_share_a_rank_unless_the_name_decides() {
    let teams = teams(3);
    let games = [played(0, 1, 1, 1), played(1, 2, 1, 1), played(2, 0, 1, 1)];
    let shared = table(&teams, &games, Scoring::default(), WITHOUT_NAME);
    assert_eq!(shown(&shared, &teams), [row(1, "a", None), row(1, "b", None), row(1, "c", None)]);
    let named = table(&teams, &games, Scoring::default(), ALL);
    let by_name = Some(Criterion::Name);
    assert_eq!(shown(&named, &teams), [row(1, "a", None), row(2, "b", by_name), row(3, "c", by_name)]);
    assert_eq!(table(&[], &games, Scoring::default(), ALL).rows, []);
}

#[test]
fn only_final_games_and_forfeits_count() {
    let teams = teams(2);
    for (status, scores, expected) in [
        (GameStatus::Final, (Some(2), Some(1)), (1, 3, 2, 0)),
        (GameStatus::Final, (Some(2), None), (0, 0, 0, 1)),
        (GameStatus::Forfeit, (Some(20), Some(0)), (1, 3, 20, 0)),
        (GameStatus::Forfeit, (Some(0), None), (1, 3, 0, 0)),
        (GameStatus::Forfeit, (None, None), (0, 0, 0, 1)),
        (GameStatus::Abandoned, (Some(2), Some(1)), (0, 0, 0, 1)),
        (GameStatus::Cancelled, (None, None), (0, 0, 0, 1)),
        (GameStatus::InProgress, (Some(2), Some(1)), (0, 0, 0, 0)),
        (GameStatus::Postponed, (None, None), (0, 0, 0, 0)),
        (GameStatus::Scheduled, (None, None), (0, 0, 0, 0)),
    ] {
        let table = table(&teams, &[game(0, 1, scores, status)], Scoring::default(), ALL);
        let first = table.rows[0].tally;
        let found = (first.played, first.points, first.scored, table.excluded_games);
        assert_eq!(found, expected, "{status} {scores:?}");
    }
    let bye = Game { kind: GameKind::Bye, away_team_id: None, ..played(0, 1, 1, 0) };
    assert_eq!(table(&teams, &[bye], Scoring::default(), ALL).excluded_games, 0);
    let unknown = Game { away_team_id: None, ..game(0, 1, (None, None), GameStatus::Cancelled) };
    assert_eq!(table(&teams, &[unknown], Scoring::default(), ALL).excluded_games, 1);
}

/// The results of a team in the games that `among` accepts, counted one by one.
fn slow_tally(team: TeamId, games: &[Game], scoring: Scoring, among: &[TeamId]) -> Tally {
    let mut tally = Tally::default();
    for game in games.iter().filter(|game| game.status == GameStatus::Final) {
        let (Some(home), Some(away)) = (game.home_team_id, game.away_team_id) else { continue };
        let (Some(at_home), Some(abroad)) = (game.home_score, game.away_score) else { continue };
        if !among.contains(&home) || !among.contains(&away) || ![home, away].contains(&team) {
            continue;
        }
        let (own, theirs) = if team == home { (at_home, abroad) } else { (abroad, at_home) };
        tally.played += 1;
        tally.scored += own;
        tally.conceded += theirs;
        let (count, points) = match own.cmp(&theirs) {
            std::cmp::Ordering::Greater => (&mut tally.won, scoring.win),
            std::cmp::Ordering::Equal => (&mut tally.drawn, scoring.draw),
            std::cmp::Ordering::Less => (&mut tally.lost, scoring.loss),
        };
        *count += 1;
        tally.points += points;
    }
    tally
}

/// The rank of each team: one more than the number of teams that are better, found by comparing one group of tied teams after the other.
fn slow_ranks(
    teams: &[Entrant],
    games: &[Game],
    scoring: Scoring,
    tiebreakers: &[Tiebreaker],
) -> Vec<(TeamId, usize)> {
    let all: Vec<TeamId> = teams.iter().map(|team| team.id).collect();
    let whole = |team: TeamId| slow_tally(team, games, scoring, &all);
    // Each group with the tiebreakers that are left for it.
    let by_points = slow_split(&all, |team| vec![whole(team).points]);
    let mut groups: Vec<(Vec<TeamId>, usize)> = by_points.into_iter().map(|group| (group, 0)).collect();
    'again: loop {
        for (at, (group, tried)) in groups.iter().enumerate().filter(|(_, (group, _))| group.len() > 1) {
            for (place, tiebreaker) in tiebreakers.iter().enumerate().skip(*tried) {
                let finer = match tiebreaker {
                    Tiebreaker::HeadToHead if !all_have_met(group, games) => continue,
                    Tiebreaker::HeadToHead => slow_split(group, |team| {
                        let tally = slow_tally(team, games, scoring, group);
                        vec![tally.points, tally.difference(), tally.scored]
                    }),
                    Tiebreaker::Difference => slow_split(group, |team| vec![whole(team).difference()]),
                    Tiebreaker::Scored => slow_split(group, |team| vec![whole(team).scored]),
                    Tiebreaker::Name => {
                        let after =
                            |team| teams.iter().filter(|other| other.name > name(teams, team)).count();
                        slow_split(group, |team| vec![i64::try_from(after(team)).expect("few teams")])
                    }
                };
                if finer.len() > 1 {
                    let left = if *tiebreaker == Tiebreaker::HeadToHead { place } else { place + 1 };
                    groups.splice(at..=at, finer.into_iter().map(|group| (group, left)));
                    continue 'again;
                }
            }
        }
        break;
    }
    let mut ranks = Vec::new();
    let mut better = 0;
    for (group, _) in groups {
        ranks.extend(group.iter().map(|team| (*team, better + 1)));
        better += group.len();
    }
    ranks
}

fn name(teams: &[Entrant], id: TeamId) -> String {
    teams.iter().find(|team| team.id == id).expect("a team").name.clone()
}

fn all_have_met(group: &[TeamId], games: &[Game]) -> bool {
    let met = |one: TeamId, other: TeamId| {
        games.iter().any(|game| {
            let sides = [game.home_team_id, game.away_team_id];
            game.status == GameStatus::Final && sides.contains(&Some(one)) && sides.contains(&Some(other))
        })
    };
    group.iter().all(|one| group.iter().all(|other| one == other || met(*one, *other)))
}

/// Groups with equal keys, the highest first, by looking for the highest key again and again.
fn slow_split(teams: &[TeamId], key: impl Fn(TeamId) -> Vec<i64>) -> Vec<Vec<TeamId>> {
    let mut left = teams.to_vec();
    let mut groups = Vec::new();
    while let Some(highest) = left.iter().map(|team| key(*team)).max() {
        let (group, rest): (Vec<_>, Vec<_>) = left.iter().partition(|team| key(**team) == highest);
        groups.push(group);
        left = rest;
    }
    groups
}

prop_compose! {
    /// A season of a few teams with small scores, so that many are tied.
    fn season()(
        games in proptest::collection::vec((0..5_usize, 0..5_usize, 0..3_i64, 0..3_i64, 0..8_u8), 0..14),
        scoring in prop_oneof![Just((3, 1, 0)), Just((2, 1, 0)), Just((1, 1, 1)), Just((0, 0, 0))],
    ) -> (Vec<Game>, Scoring) {
        let games = games.into_iter().filter(|(home, away, ..)| home != away);
        let games = games.map(|(home, away, one, other, status)| {
            let status = if status == 0 { GameStatus::Abandoned } else { GameStatus::Final };
            game(home, away, (Some(one), Some(other)), status)
        });
        let (win, draw, loss) = scoring;
        (games.collect(), Scoring { win, draw, loss })
    }
}

/// Some tiebreakers in any order.
fn tiebreakers() -> impl Strategy<Value = Vec<Tiebreaker>> {
    proptest::sample::subsequence(ALL.to_vec(), 0..=ALL.len()).prop_shuffle()
}

proptest! {
    #[test]
    fn ranks_agree_with_a_slow_implementation((games, scoring) in season(), by in tiebreakers()) {
        let teams = teams(5);
        let table = table(&teams, &games, scoring, &by);
        let mut expected = slow_ranks(&teams, &games, scoring, &by);
        let mut found: Vec<_> =
            table.rows.iter().map(|row| (row.team, usize::try_from(row.rank).expect("a rank"))).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
        let all: Vec<TeamId> = teams.iter().map(|team| team.id).collect();
        for row in &table.rows {
            prop_assert_eq!(row.tally, slow_tally(row.team, &games, scoring, &all));
        }
    }

    #[test]
    fn the_order_of_the_input_makes_no_difference(
        (games, scoring) in season(),
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
        reversed in any::<bool>(),
        by_name in any::<bool>(),
    ) {
        let by = if by_name { ALL } else { WITHOUT_NAME };
        let sorted = teams(5);
        let shuffled: Vec<Entrant> = order.iter().map(|at| sorted[*at].clone()).collect();
        let mut other = games.clone();
        if reversed {
            other.reverse();
        } else {
            other.sort_by_key(|game| (game.home_score, game.away_team_id));
        }
        prop_assert_eq!(table(&sorted, &games, scoring, by), table(&shuffled, &other, scoring, by));
    }

    #[test]
    fn a_row_is_decided_exactly_if_its_rank_differs_from_the_one_above((games, scoring) in season()) {
        for by in [ALL, WITHOUT_NAME] {
            let table = table(&teams(5), &games, scoring, by);
            prop_assert_eq!((table.rows.len(), table.rows[0].rank, table.rows[0].decided_by), (5, 1, None));
            for (at, pair) in table.rows.windows(2).enumerate() {
                let separated = pair[0].rank != pair[1].rank;
                prop_assert_eq!(pair[1].decided_by.is_some(), separated);
                prop_assert!(!separated || usize::try_from(pair[1].rank).expect("a rank") == at + 2);
                let by_points = pair[0].tally.points != pair[1].tally.points;
                prop_assert_eq!(pair[1].decided_by == Some(Criterion::Points), by_points);
                prop_assert!(pair[0].tally.points >= pair[1].tally.points);
            }
        }
    }
}
