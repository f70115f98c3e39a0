use jiff::SignedDuration;
use serde_json::json;

use super::*;
use crate::Moment;
use crate::games::{GameKind, GameStatus};
use crate::ids::{DivisionId, Id, SeasonId, VenueId};
use crate::members::Member;
use crate::roles::Role;
use crate::rosters::RosterEntry;
use crate::text::Name;
use crate::time::TimeZoneName;
use crate::venues::Venue;

/// Noon of Sunday, 1 March 2026 in UTC.
fn now() -> Timestamp {
    Timestamp::from_second(1_772_366_400).expect("a time")
}

fn after(hours: i64) -> Timestamp {
    now().saturating_add(SignedDuration::from_hours(hours)).expect("a time")
}

fn id<I: Id>(number: u128) -> I {
    I::from_uuid(uuid::Uuid::from_u128(number))
}

const BLUE: u128 = 1;
const HAWKS: u128 = 2;
const LIONS: u128 = 3;

/// A game of Blue and the Hawks that takes two hours.
fn game(number: u128, hours: i64) -> Game {
    Game {
        id: id(number),
        season_id: id::<SeasonId>(9),
        division_id: id::<DivisionId>(9),
        round: None,
        kind: GameKind::Game,
        status: GameStatus::Scheduled,
        starts_at: after(hours),
        time_tbd: false,
        ends_at: Some(after(hours + 2)),
        local_start: None,
        time_zone: TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
        venue_id: None,
        field: None,
        home_team_id: Some(id(BLUE)),
        home_score: None,
        away_team_id: Some(id(HAWKS)),
        away_score: None,
        last_change: None,
        external_id: None,
        created_at: now(),
        updated_at: now(),
        version: 1,
    }
}

fn names() -> Names {
    let teams = [(BLUE, "U12 Blue"), (HAWKS, "Red Hawks"), (LIONS, "Lions")];
    let venues = [(7, "Town Hall"), (8, "East Park")];
    Names {
        teams: teams.map(|(number, name)| (id(number), name.to_owned())).into(),
        venues: venues.map(|(number, name)| (id(number), name.to_owned())).into(),
    }
}

fn update(before: &Game, change: impl Fn(&mut Game)) -> Effect {
    let mut after = before.clone();
    change(&mut after);
    Effect { before: Some(before.clone().into()), after: Some(after.into()) }
}

fn of(effects: &[Effect]) -> Impact {
    Impact::of(effects, now(), &Surroundings { names: names(), ..Surroundings::default() })
}

#[test]
fn games_are_added_moved_or_cancelled() {
    use GameChange::{Added, Cancelled, Moved};
    let (soon, past) = (game(10, 5), game(11, -5));
    let off = Game { status: GameStatus::Cancelled, ..soon.clone() };
    let postponed = Game { status: GameStatus::Postponed, ..soon.clone() };
    let bye = Game { kind: GameKind::Bye, away_team_id: None, ..soon.clone() };
    let status = |before: &Game, status| update(before, |it| it.status = status);
    let cases = vec![
        ("created", Effect::create(soon.clone()), Some(Added)),
        ("created in the past", Effect::create(past.clone()), None),
        ("created now", Effect::create(game(10, 0)), None),
        ("created as cancelled", Effect::create(off.clone()), None),
        ("a bye", Effect::create(bye.clone()), None),
        ("a bye that is deleted", Effect::delete(bye), None),
        ("deleted", Effect::delete(soon.clone()), Some(Cancelled)),
        ("deleted after it was postponed", Effect::delete(postponed.clone()), Some(Cancelled)),
        ("deleted after it was cancelled", Effect::delete(off.clone()), None),
        ("deleted in the past", Effect::delete(past.clone()), None),
        ("cancelled", status(&soon, GameStatus::Cancelled), Some(Cancelled)),
        ("postponed", status(&soon, GameStatus::Postponed), Some(Cancelled)),
        ("cancelled after it was postponed", status(&postponed, GameStatus::Cancelled), Some(Cancelled)),
        ("scheduled again", status(&off, GameStatus::Scheduled), Some(Added)),
        ("final", status(&soon, GameStatus::Final), None),
        ("another start", update(&soon, |it| it.starts_at = after(6)), Some(Moved)),
        ("another end", update(&soon, |it| it.ends_at = None), Some(Moved)),
        ("a known time", update(&soon, |it| it.time_tbd = true), Some(Moved)),
        ("another venue", update(&soon, |it| it.venue_id = Some(id(7))), Some(Moved)),
        ("another field", update(&soon, |it| it.field = Name::parse("A").ok()), Some(Moved)),
        ("another home team", update(&soon, |it| it.home_team_id = Some(id(LIONS))), Some(Moved)),
        ("no away team", update(&soon, |it| it.away_team_id = None), Some(Moved)),
        ("another round", update(&soon, |it| it.round = Name::parse("2").ok()), None),
        ("from the past", update(&past, |it| it.starts_at = after(6)), Some(Moved)),
        ("into the past", update(&soon, |it| it.starts_at = after(-6)), Some(Moved)),
        ("within the past", update(&past, |it| it.starts_at = after(-6)), None),
        ("still postponed", update(&postponed, |it| it.starts_at = after(6)), None),
        ("not a game", Effect::create(Member::new(&Moment::new(now(), 1), id(5), Role::Coach)), None),
    ];
    for (what, effect, expected) in cases {
        let effects = [effect];
        let found: Vec<_> = changed_games(&effects, now()).iter().map(|game| game.change).collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{what}");
        let impact = of(&effects);
        let counts = [&impact.games_added, &impact.games_moved, &impact.games_cancelled];
        let expected = [Added, Moved, Cancelled].map(|change| usize::from(expected == Some(change)));
        assert_eq!(counts.map(|games| games.count), expected, "{what}");
    }
}

#[test]
fn teams_are_those_before_and_after_with_the_days_of_their_games() {
    let effects = [
        update(&game(10, 5), |it| {
            it.home_team_id = Some(id(LIONS));
            it.starts_at = after(29);
        }),
        Effect::create(Game { home_team_id: None, away_team_id: None, ..game(11, 3) }),
        Effect::create(Game { home_team_id: Some(id(4)), ..game(12, -3) }),
    ];
    let teams = affected_teams(&effects, now());
    assert_eq!(teams, [BLUE, HAWKS, LIONS].map(id).into());
    let days = days_of_teams(&effects, now());
    // 5 hours after noon in UTC is the next day in Melbourne.
    let expected = [jiff::civil::date(2026, 3, 2), jiff::civil::date(2026, 3, 3)];
    assert_eq!(days[&id(HAWKS)], expected.into());
    let impact = of(&effects);
    assert_eq!(impact.first_game, Some(after(3)), "the first one, before or after");
    let named: Vec<_> = impact.teams.samples.iter().map(|team| team.text.as_str()).collect();
    assert_eq!((impact.teams.count, named), (3, vec!["Lions", "Red Hawks", "U12 Blue"]));
    let past = [update(&game(10, -5), |it| it.starts_at = after(6))];
    assert_eq!(of(&past).first_game, Some(after(6)));
}

#[test]
fn samples_are_limited_soonest_first_and_in_the_games_time_zone() {
    let games = (0..150).rev().map(|at| Effect::create(game(100 + at, 5 + i64::try_from(at).unwrap_or(0))));
    let impact = of(&games.collect::<Vec<_>>());
    assert_eq!((impact.games_added.count, impact.games_added.samples.len()), (150, SAMPLES));
    let first = &impact.games_added.samples[0];
    assert_eq!((first.id, first.text.as_str()), (id(100), "U12 Blue – Red Hawks, Mon 2026-03-02 04:00"));
    let text = |game: &Game| names().sample(game).text;
    let day = Game { time_tbd: true, away_team_id: None, ..game(1, 5) };
    assert_eq!(text(&day), "U12 Blue – to be decided, Mon 2026-03-02");
    let unknown = Game { home_team_id: Some(id(77)), ..game(1, 5) };
    assert!(text(&unknown).starts_with("tea_"), "an id, if the name is not known");
}

#[test]
fn an_impact_counts_people_and_what_an_undo_does_not_bring_back() {
    let moment = Moment::new(now(), 1);
    let entry = RosterEntry {
        id: id(1),
        team_id: id(BLUE),
        child_id: id(50),
        jersey_number: None,
        position: None,
        starts_on: jiff::civil::date(2026, 3, 1),
        ends_on: None,
        created_at: now(),
        updated_at: now(),
        version: 1,
    };
    let member = Member::new(&moment, id(5), Role::Coach);
    let raised = Member { role: Role::Manager, ..member.clone() };
    let role = |before: &Member, after: &Member| Effect {
        before: Some(before.clone().into()),
        after: Some(after.clone().into()),
    };
    let effects = [Effect::delete(entry.clone()), role(&member, &raised), Effect::create(game(10, 5))];
    let read = Surroundings {
        names: names(),
        families: 3,
        children: [id(50), id(51)].into(),
        ..Surroundings::default()
    };
    let impact = Impact::of(&effects, now(), &read);
    assert_eq!((impact.records, impact.created, impact.updated, impact.deleted), (3, 1, 1, 1));
    assert_eq!((impact.families, impact.children), (3, 2), "a child counts once");
    let staff_sees = ["roster", "profile", "contact", "emergency", "performance"];
    let classes: Vec<_> = impact.child_classes.iter().map(|class| class.name()).collect();
    assert_eq!(classes, staff_sees);
    assert!(impact.raises_role && !impact.whole_season);
    assert!(!of(&[role(&raised, &member)]).raises_role, "a lower one");
    assert_eq!(impact.cannot_be_undone, [LastingCount { what: Lasting::Messages, count: 3 }]);
    let written = serde_json::to_value(&impact).expect("JSON");
    assert_eq!(serde_json::from_value::<Impact>(written).expect("an impact"), impact);
    assert_eq!(Impact::of(&[], now(), &Surroundings::default()), Impact::default());
}

fn venues(fields: &[&str]) -> BTreeMap<VenueId, Venue> {
    let venue = Venue {
        id: id(7),
        name: Name::stored("Town Hall".to_owned()),
        address: None,
        latitude: None,
        longitude: None,
        time_zone: TimeZoneName::utc(),
        fields: fields.iter().map(|field| Name::stored((*field).to_owned())).collect(),
        created_at: now(),
        updated_at: now(),
        version: 1,
    };
    [(venue.id, venue)].into()
}

#[test]
fn only_overlaps_that_did_not_exist_before_are_new() {
    let here = |number, hours, home: u128, away: u128| Game {
        venue_id: Some(id(7)),
        home_team_id: Some(id(home)),
        away_team_id: Some(id(away)),
        ..game(number, hours)
    };
    let (mine, other) = (here(10, 5, BLUE, HAWKS), here(11, 6, LIONS, 4));
    let far = Game { starts_at: after(50), ends_at: Some(after(52)), ..mine.clone() };
    let to = |before: &Game, after: &Game| Effect {
        before: Some(before.clone().into()),
        after: Some(after.clone().into()),
    };
    let whole = venues(&[]);
    let found = |effects: &[Effect], others: &[Game], venues: &BTreeMap<_, _>| {
        new_overlaps(&mine, others, venues, &Earlier::of(effects)).len()
    };
    let others = std::slice::from_ref(&other);
    assert_eq!(found(&[to(&far, &mine)], others, &whole), 1, "moved onto it");
    assert_eq!(found(&[Effect::create(mine.clone())], others, &whole), 1, "created");
    assert_eq!(found(&[Effect::create(other.clone())], others, &whole), 1, "the other one was created");
    let shifted = Game { starts_at: after(4), ..mine.clone() };
    assert_eq!(found(&[to(&shifted, &mine)], others, &whole), 0, "it overlapped already");
    let off = Game { status: GameStatus::Cancelled, ..other.clone() };
    assert_eq!(found(&[to(&shifted, &mine), to(&off, &other)], others, &whole), 1, "it was cancelled");
    let elsewhere = Game { venue_id: None, ..mine.clone() };
    assert_eq!(found(&[to(&elsewhere, &mine)], others, &whole), 1, "at another place");
    assert_eq!(found(&[to(&far, &mine)], others, &venues(&["A", "B"])), 0, "there is room for both");
    let fewer = Effect {
        before: venues(&["A", "B"]).remove(&id(7)).map(AnyRecord::from),
        after: whole.get(&id(7)).cloned().map(AnyRecord::from),
    };
    assert_eq!(found(&[to(&shifted, &mine), fewer], others, &whole), 1, "there was room before");
    assert_eq!(found(&[to(&far, &mine)], std::slice::from_ref(&far), &whole), 0, "not with itself");
}

#[test]
fn staff_clash_at_games_of_two_teams_at_the_same_time() {
    let mine = game(10, 5);
    let at = |hours, home: u128| Elsewhere {
        user: id(5),
        team: id(BLUE),
        other_team: id(LIONS),
        other: Game { home_team_id: Some(id(home)), away_team_id: Some(id(LIONS)), ..game(11, hours) },
    };
    let far = Game { starts_at: after(50), ends_at: Some(after(52)), ..mine.clone() };
    let shifted = Game { starts_at: after(4), ..mine.clone() };
    let without = Game { home_team_id: Some(id(4)), ..mine.clone() };
    let of = |before: &Game| {
        vec![Effect { before: Some(before.clone().into()), after: Some(mine.clone().into()) }]
    };
    let cases = [
        ("moved onto it", of(&far), at(6, 4), true),
        ("they do not meet", of(&far), at(7, 4), false),
        ("they share a team", of(&far), at(6, HAWKS), false),
        ("it existed", of(&shifted), at(6, 4), false),
        ("it was another team's", of(&without), at(6, 4), true),
    ];
    for (what, effects, elsewhere, expected) in cases {
        assert_eq!(is_new_clash(&mine, &elsewhere, &Earlier::of(&effects)), expected, "{what}");
    }
}

#[test]
fn messages_tell_the_games_of_a_familys_teams_in_plain_words() {
    let home = Game { venue_id: Some(id(7)), field: Name::parse("Court 1").ok(), ..game(10, 5) };
    let lions = Game { home_team_id: Some(id(LIONS)), away_team_id: None, ..game(13, 9) };
    let effects = [
        update(&home, |it| {
            it.starts_at = after(30);
            it.venue_id = Some(id(8));
            it.field = None;
        }),
        update(&game(11, 6), |it| it.status = GameStatus::Cancelled),
        Effect::delete(game(12, 7)),
        Effect::create(Game { time_tbd: true, ..game(14, 8) }),
        Effect::create(lions),
        update(&game(15, 90), |it| it.status = GameStatus::Postponed),
        update(&game(16, 91), |it| it.away_team_id = Some(id(LIONS))),
    ];
    let of_blue = |team: TeamId, _| team == id(BLUE);
    let games = told(&effects, now(), &names(), of_blue);
    let expected = "\
U12 Blue – Red Hawks
    before: Monday, 2 March 2026 at 05:00 (AEDT)
    now:    cancelled

U12 Blue – Red Hawks
    before: Monday, 2 March 2026 at 06:00 (AEDT)
    now:    cancelled

U12 Blue – Red Hawks
    new:    Monday, 2 March 2026

U12 Blue – Red Hawks
    before: Monday, 2 March 2026 at 04:00 (AEDT), Town Hall, Court 1
    now:    Tuesday, 3 March 2026 at 05:00 (AEDT), East Park

U12 Blue – Red Hawks
    before: Thursday, 5 March 2026 at 17:00 (AEDT)
    now:    postponed; the new time is not known yet

U12 Blue – Lions
    before: U12 Blue – Red Hawks, Thursday, 5 March 2026 at 18:00 (AEDT)
    now:    Thursday, 5 March 2026 at 18:00 (AEDT)

";
    assert_eq!(lines(&games), expected);
    let of_lions = told(&effects, now(), &names(), |team, _| team == id(LIONS));
    assert_eq!(of_lions.len(), 2);
    let third = jiff::civil::date(2026, 3, 3);
    let on_a_day = told(&effects, now(), &names(), |team, day| team == id(HAWKS) && day == third);
    assert_eq!(on_a_day.len(), 1, "only on the days on which the child is in the team");
    let many = |count: usize| lines(&vec![games[0].clone(); count]);
    assert!(!many(TOLD).contains("more") && many(TOLD + 1).ends_with("And 1 more game.\n\n"));
    assert!(many(TOLD + 5).ends_with("And 5 more games.\n\n"));
}

#[test]
fn a_game_is_read_back_from_its_image() {
    let full = Game {
        round: Name::parse("Round 1").ok(),
        venue_id: Some(id(7)),
        field: Name::parse("Court 1").ok(),
        home_score: Some(3),
        ..game(10, 5)
    };
    let image = AnyRecord::from(full.clone()).image();
    assert_eq!(game_of_image(&image), Some(full));
    assert_eq!(game_of_image(json!({"id": "x"}).as_object().expect("an object")), None);
    assert_eq!(game_of_image(&serde_json::Map::new()), None);
}
