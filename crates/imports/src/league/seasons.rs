//! The seasons of a file: their records, and their first and last days.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use super::fixtures::{FixtureSeason, Timed};
use super::records::Found;
use super::report::MatchHow;
use super::{GameChange, Options};
use crate::BadRow;
use fieldhouse_domain::Moment;
use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::seasons::{Scoring, Season, SeasonStatus, Tiebreaker};

/// The facts about a season, from all its rows.
struct Outline {
    season: FixtureSeason,
    starts_on: Date,
    ends_on: Date,
    games: u64,
    open: u64,
}

/// Adds the seasons of a file by key, with their dates. An existing season is found by external id or else by folded name, and matches at
/// most one season of the file. If another season already has the name, the rows become bad rows.
pub(super) fn resolve(
    moment: &Moment,
    options: &Options,
    fixtures: &mut Vec<Timed>,
    existing: Vec<Season>,
    bad: &mut Vec<BadRow>,
) -> Found<String, Season> {
    let outlines = outlines(fixtures);
    let mut taken: HashSet<String> = existing.iter().map(|season| season.name.folded()).collect();
    let matched = matched(&outlines, existing);
    let mut lookup = Found::new(Vec::new(), |_: &Season| String::new());
    let mut refused = HashSet::new();
    for (outline, season) in outlines.into_iter().zip(matched) {
        let key = outline.season.key();
        let mut how = MatchHow::Name;
        match season {
            Some(season) => {
                if season.external_id.is_some() && season.external_id == outline.season.external_id {
                    how = MatchHow::ExternalId;
                }
                lookup.adopt(key.clone(), season);
            }
            None if !taken.insert(outline.season.name.folded()) => {
                refused.insert(key);
                continue;
            }
            None => {}
        }
        let season = lookup.name(key, (&outline.season.name, how), || created(moment, options, &outline));
        widen(season, &outline);
    }
    fixtures.retain(|timed| {
        let refused = refused.contains(&timed.fixture.season.key());
        if refused {
            bad.push(name_taken(timed));
        }
        !refused
    });
    lookup
}

/// A completed season that gains an open game is active again.
pub(super) fn reopen(seasons: &mut Found<String, Season>, games: &[GameChange]) {
    let new = games.iter().filter(|change| change.before.is_none()).map(|change| &change.after);
    let open = new.filter(|game| game.kind == GameKind::Game && is_open(game.status));
    let open: HashSet<SeasonId> = open.map(|game| game.season_id).collect();
    seasons.review(|before, season| {
        let completed = before.is_some_and(|before| before.status == SeasonStatus::Completed);
        if completed && open.contains(&season.id) {
            season.status = SeasonStatus::Active;
        }
    });
}

/// The seasons in the order of the file.
fn outlines(fixtures: &[Timed]) -> Vec<Outline> {
    let mut outlines: Vec<Outline> = Vec::new();
    let mut indexes = HashMap::new();
    for Timed { fixture, .. } in fixtures {
        let index = *indexes.entry(fixture.season.key()).or_insert(outlines.len());
        if index == outlines.len() {
            let season = fixture.season.clone();
            outlines.push(Outline {
                season,
                starts_on: fixture.date,
                ends_on: fixture.date,
                games: 0,
                open: 0,
            });
        }
        let outline = &mut outlines[index];
        outline.starts_on = outline.starts_on.min(fixture.date);
        outline.ends_on = outline.ends_on.max(fixture.date);
        if fixture.kind() == GameKind::Game {
            outline.games += 1;
            outline.open += u64::from(is_open(fixture.status));
        }
    }
    outlines
}

fn is_open(status: GameStatus) -> bool {
    matches!(status, GameStatus::Scheduled | GameStatus::Postponed | GameStatus::InProgress)
}

/// The existing record of each season. External ids are surer than names, so that they are matched first.
fn matched(outlines: &[Outline], existing: Vec<Season>) -> Vec<Option<Season>> {
    let mut by_id = HashMap::new();
    let mut by_name = HashMap::new();
    for (index, season) in existing.iter().enumerate() {
        season.external_id.clone().map(|id| by_id.entry(id).or_insert(index));
        by_name.entry(season.name.folded()).or_insert(index);
    }
    let mut free: Vec<Option<Season>> = existing.into_iter().map(Some).collect();
    let id = |outline: &Outline| outline.season.external_id.as_ref().and_then(|id| by_id.get(id));
    let mut matched: Vec<_> =
        outlines.iter().map(|outline| id(outline).and_then(|index| free[*index].take())).collect();
    for (outline, slot) in outlines.iter().zip(&mut matched).filter(|(_, slot)| slot.is_none()) {
        let index = by_name.get(&outline.season.name.folded());
        *slot = index.and_then(|index| free[*index].take_if(|season| may_be(season, outline)));
    }
    matched
}

/// Two different external ids are two seasons, whatever their names.
fn may_be(season: &Season, outline: &Outline) -> bool {
    season.external_id.is_none() || outline.season.external_id.is_none()
}

fn created(moment: &Moment, options: &Options, outline: &Outline) -> Season {
    let played = outline.games > 0 && outline.open == 0;
    Season {
        id: moment.id(),
        name: outline.season.name.clone(),
        sport: options.sport.clone(),
        status: if played { SeasonStatus::Completed } else { SeasonStatus::Active },
        starts_on: None,
        ends_on: None,
        time_zone: options.time_zone.clone(),
        scoring: Scoring::default(),
        tiebreakers: Tiebreaker::ALL.to_vec(),
        external_id: None,
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    }
}

/// Dates are only widened: a file may contain a part of a season, and managers may have set the dates.
fn widen(season: &mut Season, outline: &Outline) {
    season.starts_on = Some(season.starts_on.map_or(outline.starts_on, |day| day.min(outline.starts_on)));
    season.ends_on = Some(season.ends_on.map_or(outline.ends_on, |day| day.max(outline.ends_on)));
    if season.external_id.is_none() {
        season.external_id.clone_from(&outline.season.external_id);
    }
}

fn name_taken(timed: &Timed) -> BadRow {
    let season = &timed.fixture.season.name;
    let reason = format!("belongs to the season \"{season}\", but another season already has this name");
    BadRow { line: timed.fixture.line, column: None, reason }
}
