//! A diff as text: what it means for people first, then a block for each record. The server sends it as plain text, the tool colours it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use fieldhouse_domain::changesets::impact::{Impact, Lasting};
use fieldhouse_domain::changesets::outcome::EffectCause;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{ChangesetDiff, ChangesetEffect, Simulation};

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Ordinary text.
    Plain,
    /// What it means for people, and the name of a record.
    Strong,
    /// Something new.
    Added,
    /// Something that is gone.
    Removed,
    /// Something that is different.
    Changed,
    /// Details, such as ids.
    Faint,
    /// What a reviewer should look at.
    Warning,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub mark: Mark,
    /// Its text, without control characters.
    pub text: String,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(pub Vec<Span>);

impl Line {
    fn of(mark: Mark, text: impl AsRef<str>) -> Self {
        Self::default().and(mark, text)
    }

    fn and(mut self, mark: Mark, text: impl AsRef<str>) -> Self {
        // Text of others must neither control a terminal nor start a line of its own.
        let text = text.as_ref().chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        self.0.push(Span { mark, text: text.collect() });
        self
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|span| f.write_str(&span.text))
    }
}

/// Lines without their marks, each with its end.
pub fn plain(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        line.0.iter().for_each(|span| text.push_str(&span.text));
        text.push('\n');
    }
    text
}

/// What a record is called in the diff if the caller may not see it.
pub const NOT_SHOWN: &str = "(not shown: about a child)";
/// Fields that every record has, and no reviewer looks for.
const BOOKKEEPING: [&str; 6] = ["id", "created_at", "updated_at", "version", "joined_at", "last_change"];

/// The text of a diff, as of `now`. Redacted effects show what kind of record they are about and nothing else.
pub fn diff(diff: &ChangesetDiff, simulation: &Simulation, now: Timestamp) -> Vec<Line> {
    let impact: Option<Impact> = serde_json::from_value(simulation.impact.clone()).ok();
    let mut lines = people(simulation, now);
    let games: BTreeMap<String, &str> = impact
        .iter()
        .flat_map(|impact| [&impact.games_added, &impact.games_moved, &impact.games_cancelled])
        .flat_map(|games| &games.samples)
        .map(|game| (game.id.to_string(), game.text.as_str()))
        .collect();
    for effect in &diff.effects {
        lines.push(Line::default());
        lines.extend(block(effect, &games));
    }
    lines
}

/// What a simulation means for people: the start of its diff.
pub fn people(simulation: &Simulation, now: Timestamp) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Ok(impact) = serde_json::from_value::<Impact>(simulation.impact.clone()) {
        lines.push(Line::of(Mark::Strong, summary(&impact, now)));
        lines.push(Line::of(Mark::Plain, records(&impact)));
        lines.extend(attention(&impact).into_iter().map(|text| Line::of(Mark::Warning, text)));
    }
    for problem in &simulation.problems {
        let index = problem["index"].as_u64().unwrap_or_default();
        let text = format!("Operation {index} cannot be done: {}", told(problem, "detail"));
        lines.push(Line::of(Mark::Removed, text));
    }
    for conflict in &simulation.conflicts {
        let field = conflict["field"].as_str().map(|field| format!(" {field}")).unwrap_or_default();
        let text = format!("Conflict at {}{field}: {}", told(conflict, "record"), told(conflict, "why"));
        lines.push(Line::of(Mark::Warning, text));
    }
    lines
}

fn told<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

/// One sentence: the games, the families, and when it begins to matter.
pub fn summary(impact: &Impact, now: Timestamp) -> String {
    let mut parts = Vec::new();
    let counts = [
        (impact.games_moved.count, "moves", "move"),
        (impact.games_cancelled.count, "is called off", "are called off"),
        (impact.games_added.count, "is added", "are added"),
    ];
    for (count, one, more) in counts {
        if count > 0 {
            let verb = if count == 1 { one } else { more };
            let noun = if parts.is_empty() { if count == 1 { " game" } else { " games" } } else { "" };
            parts.push(format!("{count}{noun} {verb}"));
        }
    }
    if parts.is_empty() {
        parts.push("No upcoming game changes".to_owned());
    }
    match impact.families {
        0 => {}
        1 => parts.push("1 family hears of it".to_owned()),
        families => parts.push(format!("{families} families hear of it")),
    }
    parts.extend(impact.first_game.map(|first| format!("first game {}", distance(first, now))));
    parts.join(", ")
}

/// How far away a time is, in hours up to three days.
fn distance(time: Timestamp, now: Timestamp) -> String {
    let minutes = time.duration_since(now).as_mins();
    match minutes {
        ..=0 => "has started".to_owned(),
        1..120 => format!("in {minutes} min"),
        120..4320 => format!("in {} h", minutes / 60),
        _ => format!("in {} days", minutes / 1440),
    }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// One sentence: how many records, and what happens to them.
pub fn records(impact: &Impact) -> String {
    let parts = [(impact.created, "created"), (impact.updated, "updated"), (impact.deleted, "deleted")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts.map(|(count, verb)| format!("{count} {verb}")).collect();
    format!("{}: {}", counted(impact.records, "record", "records"), parts.join(", "))
}

/// What a reviewer should look at.
fn attention(impact: &Impact) -> Vec<String> {
    let mut found = Vec::new();
    for (clashes, one, more) in [
        (&impact.double_bookings, "new double booking", "new double bookings"),
        (&impact.coach_clashes, "new clash for a coach", "new clashes for coaches"),
    ] {
        if clashes.count > 0 {
            found.push(counted(clashes.count, one, more));
            let pair = |clash: &fieldhouse_domain::changesets::impact::ClashSample| {
                format!("  {} / {}", clash.game.text, clash.other.text)
            };
            found.extend(clashes.samples.iter().take(5).map(pair));
        }
    }
    if impact.children > 0 {
        let who = counted(
            impact.children,
            "child changes team or gets other staff",
            "children change team or get other staff",
        );
        found.push(who);
    }
    if impact.raises_role {
        found.push("someone gets a higher role".to_owned());
    }
    if impact.whole_season {
        found.push("a whole season changes".to_owned());
    }
    for lasting in &impact.cannot_be_undone {
        let what = match lasting.what {
            Lasting::Messages => {
                let families = counted(lasting.count, "family", "families");
                format!("messages to {families}, once they are sent")
            }
            other => format!("{} {}", lasting.count, other.name().replace('_', " ")),
        };
        found.push(format!("cannot be undone: {what}"));
    }
    found
}

/// The lines about one record.
fn block(effect: &ChangesetEffect, games: &BTreeMap<String, &str>) -> Vec<Line> {
    let (sign, mark) = match effect.verb.as_str() {
        "created" => ("+", Mark::Added),
        "deleted" => ("-", Mark::Removed),
        _ => ("~", Mark::Changed),
    };
    let kind = effect.kind.name().replace('_', " ");
    let head = Line::of(mark, format!("{sign} {kind} "));
    let why = match effect.cause {
        EffectCause::Operation => "",
        EffectCause::Cascade => " (deleted with a record that it refers to)",
        EffectCause::Derived => " by a rule",
    };
    let id = format!("{}{why}", effect.id);
    if effect.redacted {
        return vec![head.and(Mark::Faint, id), Line::of(Mark::Faint, format!("    {NOT_SHOWN}"))];
    }
    let name = games.get(&effect.id).copied().or_else(|| name(effect));
    let head = match name {
        Some(name) => head.and(Mark::Strong, format!("{name} ")),
        None => head,
    };
    let mut lines = vec![head.and(Mark::Faint, id)];
    let changes: Vec<_> = match (&effect.before, &effect.after) {
        (Some(before), Some(after)) => effect
            .patch
            .iter()
            .filter_map(|one| one["path"].as_str())
            .filter(|path| !path.split('/').nth(1).is_some_and(|name| BOOKKEEPING.contains(&name)))
            .map(|path| (field(path), before.pointer(path), after.pointer(path)))
            .collect(),
        (None, Some(Value::Object(image))) => {
            all(image).map(|(name, value)| (name, None, Some(value))).collect()
        }
        (Some(Value::Object(image)), None) => {
            all(image).map(|(name, value)| (name, Some(value), None)).collect()
        }
        _ => Vec::new(),
    };
    let width = changes.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default();
    for (name, before, after) in changes {
        let line = Line::of(Mark::Plain, format!("    {name:width$}  "));
        lines.push(match (before, after) {
            (None, Some(after)) => line.and(Mark::Added, shown(after)),
            (Some(before), None) => line.and(Mark::Removed, shown(before)),
            (before, after) => line
                .and(Mark::Removed, before.map_or(Cow::Borrowed("-"), shown))
                .and(Mark::Plain, " -> ")
                .and(Mark::Added, after.map_or(Cow::Borrowed("-"), shown)),
        });
    }
    lines
}

fn name(effect: &ChangesetEffect) -> Option<&str> {
    let image = effect.after.as_ref().or(effect.before.as_ref())?;
    image.get("name")?.as_str()
}

/// A path (RFC 6901) as the name of a field, such as `scoring.win`.
fn field(path: &str) -> String {
    let parts: Vec<_> =
        path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    parts.join(".")
}

/// The fields of a record that say something.
fn all(image: &Map<String, Value>) -> impl Iterator<Item = (String, &Value)> {
    let says = |(name, value): &(&String, &Value)| !value.is_null() && !BOOKKEEPING.contains(&name.as_str());
    image.iter().filter(says).map(|(name, value)| (name.clone(), value))
}

fn shown(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed("-"),
        other => Cow::Owned(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GAME: &str = "gam_01h2xcejqtf2nbrexx3vqjhp41";

    fn now() -> Timestamp {
        "2026-03-06T07:00:00Z".parse().expect("a time")
    }

    fn simulation() -> Simulation {
        let sample = json!({"id": GAME, "text": "U12 Blue – Red Hawks, Sat 2026-03-07 09:00"});
        let mut impact =
            json!(Impact { records: 3, updated: 2, deleted: 1, families: 310, ..Impact::default() });
        impact["games_moved"] = json!({"count": 42, "samples": [sample]});
        impact["first_game"] = json!("2026-03-07T09:30:00Z");
        impact["cannot_be_undone"] = json!([{"what": "messages", "count": 310}]);
        serde_json::from_value(json!({
            "id": "sim_01h2xcejqtf2nbrexx3vqjhp41", "hash": "h", "effect_digest": "d", "at": "2026-03-06T06:00:00Z",
            "expires_at": "2026-03-07T06:00:00Z", "impact": impact, "conflicts": [], "warnings": [], "problems": [],
        }))
        .expect("a simulation")
    }

    #[test]
    fn people_come_first_and_each_record_is_a_block() {
        let effects = json!([
            {"kind": "game", "id": GAME, "verb": "updated", "operation": 0, "cause": "operation", "redacted": false,
             "before": {"id": GAME, "venue_id": null, "starts_at": "a", "version": 1},
             "after": {"id": GAME, "venue_id": "ven_1", "starts_at": "b\u{1b}[31m", "version": 2},
             "patch": [{"op": "replace", "path": "/starts_at", "value": "b"},
                       {"op": "replace", "path": "/venue_id", "value": "ven_1"},
                       {"op": "add", "path": "/last_change/at", "value": "now"}]},
            {"kind": "venue", "id": "ven_1", "verb": "deleted", "operation": 1, "cause": "cascade", "redacted": false,
             "before": {"id": "ven_1", "name": "Town Hall", "address": null, "fields": ["1"], "version": 1},
             "after": null, "patch": []},
            {"kind": "roster_entry", "id": "ros_1", "verb": "updated", "operation": 2, "cause": "derived",
             "redacted": true, "before": null, "after": null, "patch": []},
        ]);
        let diff: ChangesetDiff = serde_json::from_value(json!({
            "changeset_id": "chg_01h2xcejqtf2nbrexx3vqjhp41", "simulation_id": "sim_01h2xcejqtf2nbrexx3vqjhp41",
            "hash": "h", "effects": effects, "redacted": 1,
        }))
        .expect("a diff");
        let expected = "\
42 games move, 310 families hear of it, first game in 26 h
3 records: 2 updated, 1 deleted
cannot be undone: messages to 310 families, once they are sent

~ game U12 Blue – Red Hawks, Sat 2026-03-07 09:00 gam_01h2xcejqtf2nbrexx3vqjhp41
    starts_at  a -> b [31m
    venue_id   - -> ven_1

- venue Town Hall ven_1 (deleted with a record that it refers to)
    name    Town Hall
    fields  [\"1\"]

~ roster entry ros_1 by a rule
    (not shown: about a child)
";
        assert_eq!(plain(&super::diff(&diff, &simulation(), now())), expected);
    }

    #[test]
    fn a_summary_counts_in_plain_words() {
        let impact = Impact { families: 1, ..Impact::default() };
        assert_eq!(summary(&impact, now()), "No upcoming game changes, 1 family hears of it");
        let mut impact = Impact::default();
        (impact.games_cancelled.count, impact.games_added.count) = (1, 2);
        for (first, expected) in [
            ("2026-03-06T06:59:00Z", "has started"),
            ("2026-03-06T08:30:00Z", "in 90 min"),
            ("2026-03-09T06:59:00Z", "in 71 h"),
            ("2026-03-16T07:00:00Z", "in 10 days"),
        ] {
            impact.first_game = first.parse().ok();
            let expected = format!("1 game is called off, 2 are added, first game {expected}");
            assert_eq!(summary(&impact, now()), expected);
        }
    }

    #[test]
    fn problems_and_conflicts_are_listed_without_values() {
        let mut simulation = simulation();
        simulation.impact = json!({});
        simulation.problems = vec![json!({"index": 3, "code": "in_use", "detail": "games refer to it"})];
        simulation.conflicts = vec![json!({
            "kind": "field_changed", "record": "gam_1", "field": "round", "ours": "secret",
            "why": "someone has changed this field since",
        })];
        let expected = "Operation 3 cannot be done: games refer to it\n\
            Conflict at gam_1 round: someone has changed this field since\n";
        assert_eq!(plain(&people(&simulation, now())), expected);
    }
}
