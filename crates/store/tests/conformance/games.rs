//! Games and byes.

pub(crate) mod lists;

use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::games::shown::{self, Names};
use fieldhouse_domain::games::{Game, GameKind, GameStatus, LastChange};
use fieldhouse_domain::ids::{GameId, Id};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::games::{Line, Listed, Upcoming};
use fieldhouse_store::places::Stay;
use fieldhouse_store::{Engine, OrgScope, Store, games};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::databases::Database;
use fieldhouse_testing::leagues::{division, game, parsed, season, team, venue};
use jiff::{SignedDuration, Timestamp};

use crate::paging::{PAGE, pages};

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

/// A club with a season of one division and two teams.
struct League {
    club: Club,
    scope: OrgScope,
    season: Season,
    division: Division,
    home: Team,
    away: Team,
}

impl League {
    async fn found(store: &Store, name: &str) -> Self {
        let club = Club::found(store, name).await;
        let season = season("Winter");
        let division = division(&season, "U12");
        let (home, away) = (team(&division, "Eagles"), team(&division, "Éclairs"));
        let records = [AnyRecord::from(season.clone()), AnyRecord::from(division.clone())];
        let teams = [AnyRecord::from(home.clone()), AnyRecord::from(away.clone())];
        club.create(store, records.into_iter().chain(teams).collect()).await;
        let scope = club.owner().scope(store).await;
        Self { club, scope, season, division, home, away }
    }

    fn game(&self, hours: i64) -> Game {
        game(&self.division, self.home.id, self.away.id, after(hours))
    }

    async fn upcoming(&self, store: &Store, wanted: &Upcoming) -> Vec<Line> {
        games::upcoming(&mut &*store, &self.scope, wanted, None, 100).await.unwrap()
    }
}

fn week() -> Upcoming {
    Upcoming { from: NOW, to: after(7 * 24), ..Upcoming::default() }
}

fn ids(lines: &[Line]) -> Vec<GameId> {
    lines.iter().map(|line| line.id).collect()
}

pub(crate) async fn show_the_names_that_their_teams_and_venue_have_now(store: &Store) {
    let league = League::found(store, "Games Names").await;
    let [hall, park] = ["Hall", "Park"].map(venue);
    let (first, bye) = (
        Game { venue_id: Some(hall.id), ..league.game(1) },
        Game { kind: GameKind::Bye, away_team_id: None, ..league.game(2) },
    );
    let records: [AnyRecord; 4] =
        [hall.clone().into(), park.clone().into(), first.clone().into(), bye.clone().into()];
    league.club.create(store, records.into()).await;
    let shown = async || {
        let mut all = Vec::new();
        for id in [first.id, bye.id] {
            let listed = games::read(&mut &*store, &league.scope, id).await.unwrap().expect("a game");
            let line = games::line(&mut &*store, &league.scope, id).await.unwrap();
            let [shown] = &parsed(line.as_slice())[..] else { panic!("a game: {line:?}") };
            assert_eq!(*shown, shown::Game::from(listed.clone()), "in both forms");
            let Names { home, away, venue } = listed.names;
            all.push([home, away, venue].map(Option::unwrap_or_default).join(" | "));
        }
        all
    };
    let update = async |effect: Option<Effect>| {
        let effects = vec![effect.expect("a change")];
        clubs::apply(store, league.club.id(), effects).await.unwrap();
    };
    assert_eq!(shown().await, ["Eagles | Éclairs | Hall", "Eagles |  | "]);
    let name = |name: &str| Name::parse(name).unwrap();
    let moment = &clubs::moment();
    update(Effect::update(moment, league.home.clone(), Team { name: name("Owls"), ..league.home.clone() }))
        .await;
    update(Effect::update(moment, league.away.clone(), Team { name: name("Swans"), ..league.away.clone() }))
        .await;
    update(Effect::update(moment, hall.clone(), Venue { name: name("Town Hall"), ..hall.clone() })).await;
    assert_eq!(shown().await, ["Owls | Swans | Town Hall", "Owls |  | "]);

    let swapped = Game {
        venue_id: Some(park.id),
        home_team_id: first.away_team_id,
        away_team_id: first.home_team_id,
        ..first.clone()
    };
    update(Effect::update(moment, first.clone(), swapped.clone())).await;
    assert_eq!(shown().await, ["Swans | Owls | Park", "Owls |  | "]);
    let swapped = Game { version: 2, ..swapped };
    let nowhere = Game { venue_id: None, home_team_id: None, ..swapped.clone() };
    update(Effect::update(moment, swapped, nowhere)).await;
    assert_eq!(shown().await, [" | Owls | ", "Owls |  | "]);
}

pub(crate) async fn are_read_with_the_names_of_teams_and_venue(store: &Store) {
    let league = League::found(store, "Games One").await;
    let hall = venue("Town Hall");
    let full = Game {
        round: Some(Name::parse("Round 1").unwrap()),
        status: GameStatus::Final,
        ends_at: Some(after(2)),
        venue_id: Some(hall.id),
        field: Some(Name::parse("Court 1").unwrap()),
        home_team_id: Some(league.home.id),
        home_score: Some(41),
        away_team_id: Some(league.away.id),
        away_score: Some(0),
        last_change: Some(LastChange {
            at: after(-1),
            fields: vec!["starts_at".to_owned(), "field".to_owned()],
            reason: Some("the \"hall\" was flooded ☔".to_owned()),
        }),
        external_id: Some(ExternalId::parse("g-1").unwrap()),
        ..league.game(1)
    };
    let bye = Game { kind: GameKind::Bye, away_team_id: None, time_tbd: true, ..league.game(1) };
    league
        .club
        .create(
            store,
            vec![AnyRecord::from(hall), AnyRecord::from(full.clone()), AnyRecord::from(bye.clone())],
        )
        .await;
    let read = async |id| games::read(&mut &*store, &league.scope, id).await.unwrap();
    let name = |name: &str| Some(name.to_owned());
    let names = Names { home: name("Eagles"), away: name("Éclairs"), venue: name("Town Hall") };
    let of_bye = Names { home: name("Eagles"), ..Names::default() };
    for (game, names) in [(&full, names), (&bye, of_bye)] {
        let listed = Listed { game: game.clone(), names };
        assert_eq!(read(game.id).await, Some(listed.clone()));
        let line = games::line(&mut &*store, &league.scope, game.id).await.unwrap();
        assert_eq!(line, Some(Line::from(listed)), "as JSON");
    }
    let other = League::found(store, "Games Two").await;
    assert_eq!(games::read(&mut &*store, &other.scope, full.id).await.unwrap(), None, "only in its own club");
    assert_eq!(games::line(&mut &*store, &other.scope, full.id).await.unwrap(), None, "only in its own club");

    let season = league.season.id;
    let of_season = clubs::write(store, league.club.id(), async move |tx, proof| {
        let mut found = games::of_season(tx, proof, season).await?;
        found.sort_by_key(|game| game.id);
        Ok(found)
    });
    let bye_id = bye.id;
    assert_eq!(of_season.await.unwrap(), [full.clone(), bye]);
    let mut versions = games::versions(&mut &*store, &league.scope, season).await.unwrap();
    versions.sort_unstable();
    assert_eq!(versions, [(full.id, 1), (bye_id, 1)]);
    assert_eq!(games::versions(&mut &*store, &other.scope, season).await.unwrap(), [], "another club's");
    let after = Game {
        status: GameStatus::Postponed,
        home_team_id: Some(league.away.id),
        home_score: None,
        away_team_id: None,
        away_score: None,
        local_start: Some(jiff::civil::date(2026, 3, 1).at(14, 0, 0, 0)),
        time_zone: TimeZoneName::parse("Europe/Vienna").unwrap(),
        ..full.clone()
    };
    let later = clubs::moment_at(NOW.saturating_add(SignedDuration::from_hours(1)).unwrap());
    let change = Effect::update(&later, AnyRecord::from(full.clone()), AnyRecord::from(after.clone()));
    clubs::apply(store, league.club.id(), change.into_iter().collect()).await.unwrap();
    let fields = ["status", "home", "away"].map(str::to_owned).into();
    let last_change = Some(LastChange { at: clubs::moment().now(), fields, reason: None });
    assert_eq!(
        read(full.id).await.expect("the game").game,
        Game { version: 2, updated_at: later.now(), last_change, ..after },
        "changes for families are recorded"
    );
}

pub(crate) async fn upcoming_are_listed_soonest_first_and_games_without_a_time_until_the_day_is_over(
    store: &Store,
) {
    let league = League::found(store, "Games Three").await;
    let day = |hours| Game { time_tbd: true, ..league.game(hours) };
    let over = league.game(-1);
    let now = league.game(0);
    let (soon, twin) = (league.game(2), league.game(2));
    let soon = Game { home_team_id: soon.away_team_id, away_team_id: soon.home_team_id, ..soon };
    let last = league.game(7 * 24);
    // Midnight of today and of two days ago, without a time.
    let (today, long_ago) = (day(-24), day(-26));
    let cancelled = Game { status: GameStatus::Cancelled, ..league.game(3) };
    let all = [&over, &now, &soon, &twin, &last, &today, &long_ago, &cancelled];
    league.club.create(store, all.map(|game| AnyRecord::from(game.clone())).into()).await;

    let expected = [today.id, now.id, soon.id, twin.id, cancelled.id];
    let of_season = Upcoming { season: Some(league.season.id), ..week() };
    let of_team = Upcoming { team: Some(league.home.id), ..week() };
    for wanted in [week(), of_season, of_team] {
        let listed = league.upcoming(store, &wanted).await;
        assert_eq!(ids(&listed), expected, "from now to before the week's end");
        let read =
            async |after| games::upcoming(&mut &*store, &league.scope, &wanted, after, PAGE).await.unwrap();
        let read_through = pages(Line::point, read).await;
        let paged: Vec<_> = read_through.iter().flat_map(|page| ids(page)).collect();
        assert_eq!(paged, expected, "in pages");
        let cancelled_only = Upcoming { status: Some(GameStatus::Cancelled), ..wanted };
        assert_eq!(ids(&league.upcoming(store, &cancelled_only).await), [cancelled.id]);
    }
    let other = League::found(store, "Games Four").await;
    assert_eq!(other.upcoming(store, &week()).await, []);
    let next = async |hours| games::next_start(&mut &*store, &league.scope, after(hours)).await.unwrap();
    assert_eq!((next(4).await, next(7 * 24).await), (Some(last.starts_at), Some(last.starts_at)));
    assert_eq!(next(7 * 24 + 1).await, None);
    let listed = league.upcoming(store, &week()).await;
    let leaves = |id| listed.iter().find(|line| line.id == id).map(Line::leaves);
    assert_eq!((leaves(soon.id), leaves(today.id)), (Some(soon.starts_at), Some(after(1))));
    let with_games = async |hours| store.organizations_with_games(after(hours)).await.unwrap();
    assert!(
        with_games(4).await.contains(&league.club.id()) && !with_games(4).await.contains(&other.club.id())
    );
    assert!(!with_games(7 * 24).await.contains(&league.club.id()), "none starts later");
}

pub(crate) async fn are_filtered_by_team_and_season(store: &Store) {
    let league = League::found(store, "Games Five").await;
    let summer = season("Summer");
    let open = division(&summer, "Open");
    let hawks = team(&open, "Hawks");
    let of_summer = game(&open, hawks.id, hawks.id, after(1));
    let (first, second) = (league.game(1), league.game(2));
    let swapped =
        Game { home_team_id: second.away_team_id, away_team_id: second.home_team_id, ..second.clone() };
    let day = Game { time_tbd: true, ..league.game(-20) };
    let over = league.game(-2);
    let setting = [AnyRecord::from(summer.clone()), AnyRecord::from(open), AnyRecord::from(hawks.clone())];
    let games = [&of_summer, &first, &swapped, &day, &over].map(|game| AnyRecord::from(game.clone()));
    league.club.create(store, setting.into_iter().chain(games).collect()).await;

    let of_season = Upcoming { season: Some(summer.id), ..week() };
    assert_eq!(ids(&league.upcoming(store, &of_season).await), [of_summer.id]);
    let of_team = Upcoming { team: Some(league.home.id), ..week() };
    let expected = [day.id, first.id, swapped.id];
    assert_eq!(ids(&league.upcoming(store, &of_team).await), expected, "at home and away, each once");
    let both = Upcoming { season: Some(league.season.id), ..of_team.clone() };
    assert_eq!(ids(&league.upcoming(store, &both).await), expected);
    let neither = Upcoming { season: Some(summer.id), ..of_team };
    assert_eq!(league.upcoming(store, &neither).await, []);

    let stay = |team, from, until| Stay { team, from: after(from), until: after(until) };
    for (stays, expected) in [
        (
            vec![Stay::always(league.home.id), Stay::always(hawks.id)],
            vec![day.id, first.id, of_summer.id, swapped.id],
        ),
        (vec![stay(league.home.id, 0, 2)], vec![first.id]),
        (vec![stay(league.home.id, -1, 2), stay(league.home.id, 2, 3)], vec![first.id, swapped.id]),
        (vec![], vec![]),
    ] {
        let wanted = Upcoming { stays: Some(stays), ..week() };
        let mut found = ids(&league.upcoming(store, &wanted).await);
        let mut expected = expected;
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{:?}", wanted.stays);
        let page = games::upcoming(&mut &*store, &league.scope, &wanted, None, 1).await.unwrap();
        assert_eq!(page.len(), found.len().min(1));
    }
    let point = Some((first.starts_at, first.id.uuid()));
    let of_hawks = Upcoming { team: Some(hawks.id), ..week() };
    assert_eq!(
        ids(&league.upcoming(store, &of_hawks).await),
        [of_summer.id],
        "once, even if it plays itself"
    );
    let rest = games::upcoming(&mut &*store, &league.scope, &both, point, 1).await.unwrap();
    assert_eq!(ids(&rest), [swapped.id]);
}

pub(crate) async fn of_another_version_are_rendered_again(store: &Store, database: &Database) {
    let league = League::found(store, "Games Rendered").await;
    let (first, second) = (league.game(1), Game { local_start: None, ..league.game(2) });
    let games = [&first, &second].map(|game| AnyRecord::from(game.clone()));
    league.club.create(store, games.into()).await;
    let read = async || {
        let filter = games::Filter::default();
        let listing = games::list(&mut &*store, &league.scope, &filter, None, 10).await.unwrap();
        let line = games::line(&mut &*store, &league.scope, first.id).await.unwrap();
        (league.upcoming(store, &week()).await, listing.records, line)
    };
    let before = read().await;
    assert_eq!((ids(&before.0), ids(&before.1)), (vec![first.id, second.id], vec![first.id, second.id]));
    assert_eq!(store.render_games(league.club.id()).await.unwrap(), 0);
    for other in ["", "0{}"] {
        database.execute(&format!("UPDATE games SET shown = '{other}'"));
        assert_eq!(read().await, before, "rendered when they are read");
    }
    database.execute("UPDATE games SET shown = ''");
    let is_to_render = async || store.organizations_to_render().await.unwrap().contains(&league.club.id());
    assert!(is_to_render().await);
    assert_eq!(store.render_games(league.club.id()).await.unwrap(), 2);
    assert_eq!(read().await, before);
    assert_eq!(store.render_games(league.club.id()).await.unwrap(), 0);
    assert!(!is_to_render().await);

    // A program of before they were rendered changes a game, and does not know what is shown of it.
    let id = first.id.uuid().simple().to_string();
    let id = if store.engine() == Engine::Sqlite { format!("X'{id}'") } else { format!("'{id}'") };
    database
        .execute(&format!("UPDATE games SET status = 'cancelled', version = version + 1 WHERE id = {id}"));
    let (upcoming, listed, line) = read().await;
    let lines: Vec<_> = [&upcoming[..1], &listed[..1], line.as_slice()].concat();
    let statuses: Vec<_> = parsed(&lines).iter().map(|game| game.status).collect();
    assert_eq!(statuses, [GameStatus::Cancelled; 3], "not what was rendered before");
}
