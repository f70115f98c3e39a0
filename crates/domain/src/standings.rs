//! Standings: the table of a season or a division, computed from its games.
//!
//! Final games and forfeits count. Teams with equal points are ordered by the season's tiebreakers; teams that are equal in everything share
//! a rank.

use std::collections::BTreeMap;

use crate::games::{Game, GameKind, GameStatus};
use crate::ids::TeamId;
use crate::record::enumeration;
use crate::seasons::{Scoring, Tiebreaker};

enumeration! {
    /// What separates a team from the one above it.
    Criterion {
        /// The points.
        Points "points",
        /// The results of the games between the tied teams.
        HeadToHead "head_to_head",
        /// Points scored minus points conceded.
        Difference "difference",
        /// Points scored.
        Scored "scored",
        /// The name.
        Name "name",
    }
}

/// The results of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that count.
    pub played: i64,
    /// Games won.
    pub won: i64,
    /// Games drawn.
    pub drawn: i64,
    /// Games lost.
    pub lost: i64,
    /// Points scored.
    pub scored: i64,
    /// Points conceded.
    pub conceded: i64,
    /// Points in the table.
    pub points: i64,
}

impl Tally {
    /// Points scored minus points conceded.
    pub fn difference(&self) -> i64 {
        self.scored - self.conceded
    }

    fn add(&mut self, own: i64, theirs: i64, goals: bool, scoring: Scoring) {
        self.played += 1;
        let (count, points) = match own.cmp(&theirs) {
            std::cmp::Ordering::Greater => (&mut self.won, scoring.win),
            std::cmp::Ordering::Equal => (&mut self.drawn, scoring.draw),
            std::cmp::Ordering::Less => (&mut self.lost, scoring.loss),
        };
        *count += 1;
        self.points += points;
        if goals {
            self.scored += own;
            self.conceded += theirs;
        }
    }
}

/// A team of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The team.
    pub id: TeamId,
    /// Its folded name.
    pub name: String,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rank: 1 is the best. Teams that are equal in everything share one.
    pub rank: i64,
    /// The team.
    pub team: TeamId,
    /// Its results.
    pub tally: Tally,
    /// What separates it from the team above. `None` for the first row, and for a team that shares its rank with the one above.
    pub decided_by: Option<Criterion>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its rows, the best team first.
    pub rows: Vec<Row>,
    /// The number of games that are over and do not count.
    pub excluded_games: i64,
}

/// A game that counts.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    teams: [TeamId; 2],
    scores: [i64; 2],
    /// Whether the scores count, and not only who won.
    goals: bool,
}

/// Whether and how a game counts.
enum Counted {
    Outcome(Outcome),
    /// It is over and does not count.
    Excluded,
    /// It is not over, or a bye.
    Open,
}

fn counted(game: &Game) -> Counted {
    use GameStatus::{Abandoned, Cancelled, Final, Forfeit, InProgress, Postponed, Scheduled};
    if game.kind == GameKind::Bye {
        return Counted::Open;
    }
    let (Some(home), Some(away)) = (game.home(), game.away()) else {
        let is_over = matches!(game.status, Final | Forfeit | Abandoned | Cancelled);
        return if is_over { Counted::Excluded } else { Counted::Open };
    };
    let result =
        |scores, goals| Counted::Outcome(Outcome { teams: [home.team_id, away.team_id], scores, goals });
    match (game.status, home.score, away.score) {
        (Scheduled | Postponed | InProgress, ..) => Counted::Open,
        (Final | Forfeit, Some(home), Some(away)) => result([home, away], true),
        // The side with a score has won, without goals.
        (Forfeit, Some(_), None) => result([1, 0], false),
        (Forfeit, None, Some(_)) => result([0, 1], false),
        (Cancelled | Abandoned | Final | Forfeit, ..) => Counted::Excluded,
    }
}

/// Computes the table of these teams. Games with other teams count for the teams of the table only.
pub fn table(teams: &[Entrant], games: &[Game], scoring: Scoring, tiebreakers: &[Tiebreaker]) -> Table {
    let (mut results, mut excluded_games) = (Vec::new(), 0);
    for game in games {
        match counted(game) {
            Counted::Outcome(result) => results.push(result),
            Counted::Excluded => excluded_games += 1,
            Counted::Open => {}
        }
    }
    let tallies = tallies(teams.iter().map(|team| team.id), &results, scoring);
    let ranking = Ranking { tallies: &tallies, results: &results, scoring };
    let mut rows = Vec::with_capacity(teams.len());
    let mut sorted: Vec<&Entrant> = teams.iter().collect();
    // The order of teams that share a rank.
    sorted.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    for (index, group) in split(sorted, |team| tallies[&team.id].points).into_iter().enumerate() {
        let start = rows.len();
        ranking.order(group, tiebreakers, &mut rows);
        if index > 0
            && let Some(first) = rows.get_mut(start)
        {
            first.decided_by = Some(Criterion::Points);
        }
    }
    Table { rows, excluded_games }
}

fn tallies(
    teams: impl Iterator<Item = TeamId>,
    results: &[Outcome],
    scoring: Scoring,
) -> BTreeMap<TeamId, Tally> {
    let mut tallies: BTreeMap<_, _> = teams.map(|team| (team, Tally::default())).collect();
    for Outcome { teams: [home, away], scores: [home_score, away_score], goals } in results {
        if let Some(tally) = tallies.get_mut(home) {
            tally.add(*home_score, *away_score, *goals, scoring);
        }
        if let Some(tally) = tallies.get_mut(away) {
            tally.add(*away_score, *home_score, *goals, scoring);
        }
    }
    tallies
}

/// Splits teams into groups with equal keys, the highest first. The order within a group stays.
fn split<K: Ord>(teams: Vec<&Entrant>, key: impl Fn(&Entrant) -> K) -> Vec<Vec<&Entrant>> {
    let mut groups: BTreeMap<K, Vec<&Entrant>> = BTreeMap::new();
    for team in teams {
        groups.entry(key(team)).or_default().push(team);
    }
    groups.into_values().rev().collect()
}

struct Ranking<'a> {
    tallies: &'a BTreeMap<TeamId, Tally>,
    results: &'a [Outcome],
    scoring: Scoring,
}

impl Ranking<'_> {
    /// Adds the rows of teams with equal points, ordered by tiebreakers.
    fn order(&self, teams: Vec<&Entrant>, tiebreakers: &[Tiebreaker], rows: &mut Vec<Row>) {
        let next = (teams.len() > 1).then(|| tiebreakers.split_first()).flatten();
        let Some((tiebreaker, rest)) = next else {
            let rank = i64::try_from(rows.len()).unwrap_or(i64::MAX).saturating_add(1);
            let row =
                |team: &Entrant| Row { rank, team: team.id, tally: self.tallies[&team.id], decided_by: None };
            rows.extend(teams.into_iter().map(row));
            return;
        };
        let (groups, criterion) = self.groups(teams, *tiebreaker);
        let separates = groups.len() > 1;
        // Teams that are still tied after their games among themselves form a new table of such games.
        let rest = if separates && *tiebreaker == Tiebreaker::HeadToHead { tiebreakers } else { rest };
        for (index, group) in groups.into_iter().enumerate() {
            let start = rows.len();
            self.order(group, rest, rows);
            if index > 0
                && let Some(first) = rows.get_mut(start)
            {
                first.decided_by = Some(criterion);
            }
        }
    }

    /// The teams in groups that a tiebreaker separates, the best first.
    fn groups<'b>(
        &self,
        teams: Vec<&'b Entrant>,
        tiebreaker: Tiebreaker,
    ) -> (Vec<Vec<&'b Entrant>>, Criterion) {
        match tiebreaker {
            Tiebreaker::HeadToHead => {
                let between = self.between(&teams);
                let groups = match between {
                    Some(among) => split(teams, |team| {
                        let tally = among[&team.id];
                        (tally.points, tally.difference(), tally.scored)
                    }),
                    None => vec![teams],
                };
                (groups, Criterion::HeadToHead)
            }
            Tiebreaker::Difference => {
                (split(teams, |team| self.tallies[&team.id].difference()), Criterion::Difference)
            }
            Tiebreaker::Scored => (split(teams, |team| self.tallies[&team.id].scored), Criterion::Scored),
            Tiebreaker::Name => (split(teams, |team| std::cmp::Reverse(team.name.clone())), Criterion::Name),
        }
    }

    /// The results of the games among some teams. `None` if not all of them have met.
    fn between(&self, teams: &[&Entrant]) -> Option<BTreeMap<TeamId, Tally>> {
        let is_in = |team: &TeamId| teams.iter().any(|entrant| entrant.id == *team);
        let among: Vec<Outcome> =
            self.results.iter().filter(|result| result.teams.iter().all(is_in)).copied().collect();
        let met = |one: TeamId, other: TeamId| {
            among.iter().any(|result| result.teams.contains(&one) && result.teams.contains(&other))
        };
        let all = teams
            .iter()
            .enumerate()
            .all(|(at, one)| teams[at + 1..].iter().all(|other| met(one.id, other.id)));
        all.then(|| tallies(teams.iter().map(|team| team.id), &among, self.scoring))
    }
}

#[cfg(test)]
mod tests;
