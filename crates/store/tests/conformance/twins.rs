//! Two clubs whose records have the same ids, which the schema permits: a change in one does not affect the other.

use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::favorites::{ChangeFavorite, Favorite, ListOwner};
use fieldhouse_domain::games::shown as games_shown;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::record::Shared;
use fieldhouse_domain::seasons::{Season, shown};
use fieldhouse_domain::sessions::Session;
use fieldhouse_domain::text::Name;
use fieldhouse_store::games::Upcoming;
use fieldhouse_store::ledger::{self, Point};
use fieldhouse_store::{OrgScope, Store, divisions, favorites, games, members, records, seasons, teams};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::leagues::{division, game, parsed, season, team, venue};
use jiff::SignedDuration;

use crate::favorites::{custom, saved};

/// Renames records that have a name.
fn called(mut record: AnyRecord, name: &str) -> AnyRecord {
    let name = Name::stored(name.to_owned());
    match &mut record {
        AnyRecord::Season(season) => Shared::make_mut(season).name = name,
        AnyRecord::Division(division) => Shared::make_mut(division).name = name,
        AnyRecord::Team(team) => Shared::make_mut(team).name = name,
        AnyRecord::Venue(venue) => Shared::make_mut(venue).name = name,
        _ => {}
    }
    record
}

/// A league with one record of each kind.
struct League {
    season: Season,
    records: Vec<AnyRecord>,
}

fn league() -> League {
    let season = season("Winter");
    let (open, hall) = (division(&season, "Open"), venue("Hall"));
    let eagles = team(&open, "Eagles");
    let mut first = game(&open, eagles.id, eagles.id, NOW);
    first.venue_id = Some(hall.id);
    let records = vec![
        AnyRecord::from(season.clone()),
        AnyRecord::from(open),
        AnyRecord::from(eagles),
        AnyRecord::from(hall),
        AnyRecord::from(first),
    ];
    League { season, records }
}

/// The names that a club sees in its league, through every query.
async fn seen(store: &Store, club: &Club, scope: &OrgScope, league: &League) -> Vec<Vec<String>> {
    let reader = &mut &*store;
    let id = league.season.id;
    let Some(AnyRecord::Game(first)) = league.records.last() else { panic!("the game is the last") };
    let mut following = ledger::following(store, scope).await.unwrap();
    let changed = seasons::changed(&mut following, scope, Point::behind(0), 10).await.unwrap();
    following.finish().await.unwrap();
    let of_seasons = |seasons: Vec<shown::Season>| {
        let names = |season: shown::Season| {
            let divisions = season.divisions.into_iter().map(|division| division.name);
            [season.name].into_iter().chain(divisions).collect::<Vec<_>>()
        };
        seasons.into_iter().flat_map(names).collect()
    };
    let listed = seasons::list(reader, scope, &seasons::Filter::default(), None, 10).await.unwrap().records;
    let line: Vec<_> = seasons::line(reader, scope, id).await.unwrap().into_iter().collect();
    let read = seasons::read(reader, scope, id).await.unwrap();
    let mut seen = vec![
        of_seasons(parsed(&listed)),
        of_seasons(parsed(&line)),
        of_seasons(changed.into_iter().filter_map(|change| change.record).map(shown::Season::from).collect()),
        of_seasons(read.into_iter().map(shown::Season::from).collect()),
    ];
    let to = NOW.saturating_add(SignedDuration::from_hours(1)).unwrap();
    let week = Upcoming { from: NOW, to, ..Upcoming::default() };
    let of_team = Upcoming { team: first.home_team_id, ..week.clone() };
    let of_season = Upcoming { season: Some(id), ..week.clone() };
    let read = games::read(reader, scope, first.id).await.unwrap();
    let mut listed: Vec<_> = games::line(reader, scope, first.id).await.unwrap().into_iter().collect();
    for wanted in [week, of_team, of_season] {
        listed.extend(games::upcoming(reader, scope, &wanted, None, 10).await.unwrap());
    }
    let of_games = parsed(&listed).into_iter().chain(read.map(games_shown::Game::from));
    seen.extend(of_games.map(|game| {
        let sides = [game.home, game.away].into_iter().flatten().map(|side| side.name);
        sides.chain(game.venue.map(|venue| venue.name)).collect()
    }));
    let inside = clubs::write(store, club.id(), async move |tx, proof| {
        let divisions =
            divisions::of_season(tx, proof, id).await?.into_iter().map(|division| division.name.to_string());
        let teams = teams::of_season(tx, proof, id).await?.into_iter().map(|team| team.name.to_string());
        let games = games::of_season(tx, proof, id).await?.len();
        let counts = [games.to_string(), seasons::contents(tx, proof, id).await?.len().to_string()];
        Ok(divisions.chain(teams).chain(counts).collect::<Vec<_>>())
    });
    seen.push(inside.await.unwrap());
    seen
}

fn all_called(name: &str) -> Vec<Vec<String>> {
    let names = |count: usize| vec![name.to_owned(); count];
    let inside = [name, name, "1", "3"].map(str::to_owned).to_vec();
    let of_seasons = vec![names(2); 4];
    let of_games = vec![names(3); 5];
    [of_seasons, of_games, vec![inside]].concat()
}

pub(crate) async fn a_league_is_read_and_changed_in_its_own_club(store: &Store) {
    let clubs = [Club::found(store, "Twins One").await, Club::found(store, "Twins Two").await];
    let league = league();
    let mut scopes = Vec::new();
    for (club, name) in clubs.iter().zip(["One", "Two"]) {
        club.create(store, league.records.iter().map(|record| called(record.clone(), name)).collect()).await;
        scopes.push(club.owner().scope(store).await);
    }
    assert_eq!(seen(store, &clubs[0], &scopes[0], &league).await, all_called("One"));
    assert_eq!(seen(store, &clubs[1], &scopes[1], &league).await, all_called("Two"));

    let change = |record: &AnyRecord| {
        let (mut before, mut after) = (called(record.clone(), "One"), called(record.clone(), "Changed"));
        if let (AnyRecord::Game(_), AnyRecord::Game(after)) = (&mut before, &mut after) {
            Shared::make_mut(after).round = Some(Name::stored("Changed".to_owned()));
        }
        Effect::update(&clubs::moment(), before, after).expect("something differs")
    };
    clubs::apply(store, clubs[0].id(), league.records.iter().map(change).collect()).await.unwrap();
    assert_eq!(seen(store, &clubs[0], &scopes[0], &league).await, all_called("Changed"));
    assert_eq!(seen(store, &clubs[1], &scopes[1], &league).await, all_called("Two"));

    let lonely = season("Lonely");
    for club in &clubs {
        club.create(store, vec![AnyRecord::from(lonely.clone())]).await;
    }
    clubs::apply(store, clubs[0].id(), vec![Effect::delete(AnyRecord::from(lonely.clone()))]).await.unwrap();
    let stored =
        async |at: usize| seasons::read(&mut &*store, &scopes[at], lonely.id).await.unwrap().is_some();
    assert_eq!((stored(0).await, stored(1).await), (false, true));
}

pub(crate) async fn records_of_users_are_changed_in_their_own_club(store: &Store) {
    let clubs = [Club::found(store, "Twins Three").await, Club::found(store, "Twins Four").await];
    let [one, two] = [&clubs[0], &clubs[1]];
    // The first club's owner is a member of the second with the same ids, and so are their records; the second's admin likewise in the
    // first.
    let (owner, admin) = (one.owner(), one.person(fieldhouse_domain::roles::Role::Admin));
    let twins = [AnyRecord::from(owner.member.clone()), AnyRecord::from(owner.session.clone())];
    two.create(store, twins.into()).await;
    let favorite = saved(ListOwner::User(owner.user.id), &[], custom("Isla"), ChangeFavorite::default());
    let admins = Favorite { owner_id: ListOwner::User(admin.user.id).into(), ..favorite.clone() };
    one.create(store, vec![AnyRecord::from(favorite.clone()), AnyRecord::from(admins)]).await;
    two.create(store, vec![AnyRecord::from(favorite.clone())]).await;

    let scopes = [owner.scope(store).await, two.owner().scope(store).await, admin.scope(store).await];
    let favorites_in = async |club: &Club| {
        let user = owner.user.id;
        let list =
            clubs::write_as(store, club.id(), user, async move |tx, proof| favorites::list(tx, proof).await);
        list.await.unwrap()
    };
    let moment = clubs::moment();
    let rated = Favorite { interest: Some(5), ..favorite.clone() };
    let changes = [
        (
            AnyRecord::from(owner.member.clone()),
            AnyRecord::from(Member { role: fieldhouse_domain::roles::Role::Admin, ..owner.member.clone() }),
        ),
        (
            AnyRecord::from(owner.session.clone()),
            AnyRecord::from(Session { retried: true, ..owner.session.clone() }),
        ),
        (AnyRecord::from(favorite.clone()), AnyRecord::from(rated)),
    ];
    let effects: Vec<_> =
        changes.into_iter().filter_map(|(old, new)| Effect::update(&moment, old, new)).collect();
    // The member last: a change of the membership ends the sessions.
    for effect in effects.iter().rev() {
        clubs::apply(store, one.id(), vec![effect.clone()]).await.unwrap();
    }
    let member =
        members::read(&mut &*store, &scopes[1], owner.member.id).await.unwrap().expect("the twin").member;
    assert_eq!(member, owner.member);
    let id = owner.session.id;
    let session = clubs::write_as(store, two.id(), owner.user.id, async move |tx, proof| {
        records::read::<Session, _>(tx, proof, id).await
    });
    let session = session.await.unwrap();
    assert_eq!(session.as_ref(), Some(&owner.session));
    assert_eq!(favorites_in(two).await[0].favorite, favorite);
    let of_admin = async || favorites::list(&mut &*store, &scopes[2]).await.unwrap();
    assert_eq!((of_admin().await[0].favorite.interest, of_admin().await.len()), (None, 1));

    let gone = |kind: Kind| {
        let of_kind =
            effects.iter().filter_map(|effect| effect.after.clone()).find(|after| after.kind() == kind);
        clubs::apply(store, one.id(), vec![Effect::delete(of_kind.expect("a record of this kind"))])
    };
    gone(Kind::Favorite).await.unwrap();
    assert_eq!(favorites_in(one).await.len(), 0);
    gone(Kind::Member).await.unwrap();
    assert!(members::read(&mut &*store, &scopes[0], owner.member.id).await.unwrap().is_none());
    assert!(members::read(&mut &*store, &scopes[1], owner.member.id).await.unwrap().is_some());
    assert_eq!((favorites_in(two).await.len(), of_admin().await.len()), (1, 1));
}
