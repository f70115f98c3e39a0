//! The seasons of a file: which records they are, and their first and last days.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use super::Options;
use super::fixtures::{FixtureSeason, Timed};
use super::records::Found;
use crate::BadRow;
use fieldhouse_domain::Moment;
use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::seasons::{Scoring, Season, SeasonStatus, Tiebreaker};

/// What a file says of one season as a whole.
struct Outline {
    season: FixtureSeason,
    starts_on: Date,
    ends_on: Date,
    games: u64,
    open: u64,
}

/// Enters the seasons of a file in a ledger by their keys, with their days. What exists is found by its external id, or else by its
/// folded name, and is the record of one season of the file at most. The rows of a season whose name is taken by another one become bad.
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
    let mut ledger = Found::new(Vec::new(), |_: &Season| String::new());
    let mut refused = HashSet::new();
    for (outline, season) in outlines.into_iter().zip(matched) {
        let key = outline.season.key();
        match season {
            Some(season) => ledger.adopt(key.clone(), season),
            None if !taken.insert(outline.season.name.folded()) => {
                refused.insert(key);
                continue;
            }
            None => {}
        }
        widen(ledger.name(key, || created(moment, options, &outline)), &outline);
    }
    fixtures.retain(|timed| {
        let refused = refused.contains(&timed.fixture.season.key());
        if refused {
            bad.push(name_taken(timed));
        }
        !refused
    });
    ledger
}

/// The seasons in the order in which the file first names them.
fn outlines(fixtures: &[Timed]) -> Vec<Outline> {
    let mut outlines: Vec<Outline> = Vec::new();
    let mut places = HashMap::new();
    for Timed { fixture, .. } in fixtures {
        let place = *places.entry(fixture.season.key()).or_insert(outlines.len());
        if place == outlines.len() {
            let season = fixture.season.clone();
            outlines.push(Outline {
                season,
                starts_on: fixture.date,
                ends_on: fixture.date,
                games: 0,
                open: 0,
            });
        }
        let outline = &mut outlines[place];
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

/// The existing season of each outline. An id is surer than a name, so that all ids are looked for first.
fn matched(outlines: &[Outline], existing: Vec<Season>) -> Vec<Option<Season>> {
    let mut by_id = HashMap::new();
    let mut by_name = HashMap::new();
    for (place, season) in existing.iter().enumerate() {
        season.external_id.clone().map(|id| by_id.entry(id).or_insert(place));
        by_name.entry(season.name.folded()).or_insert(place);
    }
    let mut free: Vec<Option<Season>> = existing.into_iter().map(Some).collect();
    let id = |outline: &Outline| outline.season.external_id.as_ref().and_then(|id| by_id.get(id));
    let mut matched: Vec<_> =
        outlines.iter().map(|outline| id(outline).and_then(|place| free[*place].take())).collect();
    for (outline, slot) in outlines.iter().zip(&mut matched).filter(|(_, slot)| slot.is_none()) {
        let place = by_name.get(&outline.season.name.folded());
        *slot = place.and_then(|place| free[*place].take_if(|season| may_be(season, outline)));
    }
    matched
}

/// Two different ids are two seasons, whatever their names.
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

/// Days are widened and never narrowed: a file may hold a part of a season only, and people may have set the days by hand.
fn widen(season: &mut Season, outline: &Outline) {
    season.starts_on = Some(season.starts_on.map_or(outline.starts_on, |day| day.min(outline.starts_on)));
    season.ends_on = Some(season.ends_on.map_or(outline.ends_on, |day| day.max(outline.ends_on)));
    if season.external_id.is_none() {
        season.external_id.clone_from(&outline.season.external_id);
    }
}

fn name_taken(timed: &Timed) -> BadRow {
    let season = &timed.fixture.season.name;
    let reason = format!("belongs to a season named \"{season}\", and another season has that name already");
    BadRow { line: timed.fixture.line, column: None, reason }
}
