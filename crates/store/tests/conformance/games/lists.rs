//! Lists of games past and future, changed games, and games at the same time.

use fieldhouse_domain::games::GameSort;
use fieldhouse_store::games::Filter;
use fieldhouse_store::ledger::Point;
use uuid::Uuid;

use super::*;

pub(crate) async fn are_listed_by_start_in_both_directions_and_filtered(store: &Store) {
    let league = League::found(store, "Games Six").await;
    let (hall, open) = (venue("Town Hall"), division(&league.season, "Open"));
    let owls = team(&open, "Owls");
    let at_hall = Game { venue_id: Some(hall.id), ..league.game(-100) };
    let (early, late) = (league.game(-200), Game { status: GameStatus::Final, ..league.game(300) });
    let round = Name::parse("Round 1").ok();
    let of_owls = Game { round, ..game(&open, owls.id, league.home.id, after(5)) };
    let setting =
        [AnyRecord::from(hall.clone()), AnyRecord::from(open.clone()), AnyRecord::from(owls.clone())];
    let games = [&at_hall, &early, &late, &of_owls].map(|game| AnyRecord::from(game.clone()));
    league.club.create(store, setting.into_iter().chain(games).collect()).await;
    let all = vec![early.id, at_hall.id, of_owls.id, late.id];
    let none = Filter::default;
    for (filter, expected) in [
        (none(), all.clone()),
        (Filter { from: Some(after(-100)), to: Some(after(300)), ..none() }, vec![at_hall.id, of_owls.id]),
        (Filter { season: Some(league.season.id), ..none() }, all.clone()),
        (Filter { season: Some(season("Other").id), ..none() }, vec![]),
        (Filter { division: Some(open.id), ..none() }, vec![of_owls.id]),
        (Filter { venue: Some(hall.id), ..none() }, vec![at_hall.id]),
        (Filter { venue: Some(hall.id), division: Some(open.id), ..none() }, vec![]),
        (Filter { team: Some(league.home.id), ..none() }, all.clone()),
        (Filter { team: Some(owls.id), ..none() }, vec![of_owls.id]),
        (Filter { team: Some(league.away.id), status: Some(GameStatus::Final), ..none() }, vec![late.id]),
        (
            Filter { team: Some(league.home.id), round: Some("Round 1".to_owned()), ..none() },
            vec![of_owls.id],
        ),
    ] {
        let read = async |filter: &Filter, limit, after| {
            games::list(&mut &*store, &league.scope, filter, after, limit).await.unwrap().records
        };
        assert_eq!(ids(&read(&filter, 10, None).await), expected, "{filter:?}");
        let reversed = Filter { sort: Some(GameSort::StartsAtReversed), ..filter.clone() };
        let backwards: Vec<GameId> = expected.iter().rev().copied().collect();
        assert_eq!(ids(&read(&reversed, 10, None).await), backwards, "{reversed:?}");
        let paged = pages(Line::point, async |after| read(&reversed, PAGE, after).await).await;
        let paged: Vec<_> = paged.iter().flat_map(|page| ids(page)).collect();
        assert_eq!(paged, backwards, "{reversed:?} in pages");
        let (before, behind) = ((Timestamp::MIN, Uuid::nil()), (Timestamp::MAX, Uuid::max()));
        assert_eq!(ids(&read(&filter, 10, Some(before)).await), expected, "{filter:?} from before the range");
        assert_eq!(ids(&read(&reversed, 10, Some(behind)).await), backwards, "{reversed:?} from behind it");
    }
    let other = League::found(store, "Games Seven").await;
    let theirs = games::list(&mut &*store, &other.scope, &none(), None, 10).await.unwrap();
    assert_eq!(theirs.records, [], "another club's");
    let first = clubs::write(store, league.club.id(), async move |tx, proof| {
        games::from(tx, proof, (after(-100), at_hall.id.uuid()), 1).await
    });
    assert_eq!(first.await.unwrap()[0].id, of_owls.id, "after a position");
}

pub(crate) async fn changed_games_have_names_and_are_listed_once(store: &Store) {
    let league = League::found(store, "Games Eight").await;
    let (one, two) = (league.game(1), league.game(2));
    let games = [&one, &two].map(|game| AnyRecord::from(game.clone()));
    league.club.create(store, games.into()).await;
    let later = clubs::moment_at(after(1));
    let moved = Game { starts_at: after(9), ..one.clone() };
    let change = Effect::update(&later, one.clone(), moved);
    let effects = change.into_iter().chain([Effect::delete(two.clone())]).collect();
    clubs::apply(store, league.club.id(), effects).await.unwrap();
    store.post_everything().await.unwrap();
    let changes = games::changed(&mut &*store, &league.scope, Point::behind(0), 10).await.unwrap();
    let gone = changes.iter().find(|change| change.id == two.id.uuid()).expect("the deletion");
    assert_eq!(gone.record, None);
    let listed = changes.iter().find_map(|change| change.record.as_ref()).expect("the change");
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(listed.names, Names { home: name("Eagles"), away: name("Éclairs"), venue: None });
    let local = listed.game.time_zone.local(after(9));
    assert_eq!(
        (listed.game.starts_at, listed.game.local_start),
        (after(9), Some(local)),
        "it moves with the start"
    );
}

pub(crate) async fn games_nearby_share_the_venue_or_a_team(store: &Store) {
    let league = League::found(store, "Games Nine").await;
    let (hall, park) = (venue("Hall"), venue("Park"));
    let (owls, gulls) = (team(&league.division, "Owls"), team(&league.division, "Gulls"));
    let long = |game: Game, hours| {
        let ends_at = game.starts_at.checked_add(SignedDuration::from_hours(hours)).ok();
        Game { ends_at, ..game }
    };
    let between = |starts, at: &fieldhouse_domain::venues::Venue, home: &Team| Game {
        venue_id: Some(at.id),
        ..long(game(&league.division, home.id, gulls.id, after(starts)), 2)
    };
    let asked = Game { venue_id: Some(hall.id), away_team_id: None, ..long(league.game(10), 2) };
    let same_place = between(11, &hall, &owls);
    let same_team =
        Game { home_team_id: Some(owls.id), away_team_id: Some(league.home.id), ..between(9, &park, &owls) };
    let before = between(8, &hall, &owls);
    let elsewhere = between(10, &park, &owls);
    let open = Game { ends_at: None, ..between(10, &hall, &owls) };
    let days = long(between(-200, &hall, &owls), 300);
    let setting =
        [AnyRecord::from(hall), AnyRecord::from(park), AnyRecord::from(owls), AnyRecord::from(gulls)];
    let games = [&asked, &same_place, &same_team, &before, &elsewhere, &open, &days];
    let games = games.map(|game| AnyRecord::from(game.clone()));
    league.club.create(store, setting.into_iter().chain(games).collect()).await;
    let mut found = games::nearby(&mut &*store, &league.scope, &asked).await.unwrap();
    found.sort_by_key(|game| game.starts_at);
    let found: Vec<_> = found.iter().map(|game| game.id).collect();
    assert_eq!(found, [days.id, same_team.id, asked.id, same_place.id]);
    let other = League::found(store, "Games Ten").await;
    assert_eq!(games::nearby(&mut &*store, &other.scope, &asked).await.unwrap(), [], "another club's");
    assert_eq!(games::nearby(&mut &*store, &league.scope, &open).await.unwrap(), [], "an end is not guessed");
}
