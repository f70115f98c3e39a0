//! Divisions, teams and venues.

use std::collections::BTreeSet;

use fieldhouse_domain::divisions::{Division, DivisionGender};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::teams::{Team, TeamSort};
use fieldhouse_domain::text::{Address, ExternalId, Name};
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::teams::Filter;
use fieldhouse_store::{Error, Store, divisions, seasons, teams, venues};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::leagues::{division, game, season, team, venue};
use jiff::SignedDuration;

async fn stored(
    store: &Store,
    club: &Club,
    season: fieldhouse_domain::ids::SeasonId,
) -> (Vec<Division>, Vec<Team>) {
    let read = clubs::write(store, club.id(), async move |tx, proof| {
        let mut divisions = divisions::of_season(tx, proof, season).await?;
        let mut teams = teams::of_season(tx, proof, season).await?;
        divisions.sort_by_key(|division| division.id);
        teams.sort_by_key(|team| team.id);
        Ok((divisions, teams))
    });
    read.await.unwrap()
}

async fn named(store: &Store, club: &Club, names: &[&str]) -> Vec<Venue> {
    let names: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let found = clubs::write(store, club.id(), async move |tx, proof| {
        let mut found = Vec::new();
        for name in &names {
            found.extend(venues::by_name(tx, proof, name).await?);
        }
        Ok(found)
    });
    let mut found = found.await.unwrap();
    found.sort_by_key(|venue| venue.id);
    found
}

pub(crate) async fn divisions_teams_and_venues_are_read_and_changed(store: &Store) {
    let (club, other) = (Club::found(store, "Leagues One").await, Club::found(store, "Leagues Two").await);
    let (winter, summer) = (season("Winter"), season("Summer"));
    let (boys, girls) = (division(&winter, "Boys"), division(&winter, "Girls"));
    let eagles = Team {
        short_name: Some(Name::parse("EAG").unwrap()),
        external_id: Some(ExternalId::parse("t-1").unwrap()),
        ..team(&boys, "Eagles")
    };
    let hall = Venue {
        address: Some(Address::parse("1 Hall St, Coburg").unwrap()),
        latitude: Some(-37.743_212_345_678_9),
        longitude: Some(144.966),
        fields: vec![Name::parse("Court \"1\"").unwrap(), Name::parse("Cour été").unwrap()],
        ..venue("Town Hall")
    };
    let of_winter =
        [AnyRecord::from(winter.clone()), AnyRecord::from(boys.clone()), AnyRecord::from(girls.clone())];
    let rest =
        [AnyRecord::from(eagles.clone()), AnyRecord::from(hall.clone()), AnyRecord::from(summer.clone())];
    club.create(store, of_winter.into_iter().chain(rest).collect()).await;

    assert_eq!(
        stored(store, &club, winter.id).await,
        (vec![boys.clone(), girls.clone()], vec![eagles.clone()])
    );
    assert_eq!(stored(store, &club, summer.id).await, (Vec::new(), Vec::new()));
    assert_eq!(
        stored(store, &other, winter.id).await,
        (Vec::new(), Vec::new()),
        "another club's records do not exist"
    );
    assert_eq!(
        named(store, &club, &["town hall", "nowhere", "town hall"]).await,
        std::slice::from_ref(&hall)
    );
    assert_eq!(named(store, &other, &["town hall"]).await, []);

    let scope = club.owner().scope(store).await;
    let reader = &mut &*store;
    let mut names = seasons::names(reader, &scope).await.unwrap();
    names.sort();
    let mut expected = [(winter.id, winter.name.clone()), (summer.id, summer.name.clone())];
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(venues::names(reader, &scope).await.unwrap(), [(hall.id, hall.name.clone())]);
    assert_eq!(venues::names(reader, &other.owner().scope(store).await).await.unwrap(), []);

    let mixed = Division {
        name: Name::parse("Mixed").unwrap(),
        age_group: Some(Name::parse("U14").unwrap()),
        gender: Some(DivisionGender::Mixed),
        ..boys.clone()
    };
    let moved = Team { division_id: girls.id, short_name: None, external_id: None, ..eagles.clone() };
    let bare = Venue { address: None, latitude: None, longitude: None, fields: Vec::new(), ..hall.clone() };
    let changes = [
        (AnyRecord::from(boys.clone()), AnyRecord::from(mixed.clone())),
        (AnyRecord::from(eagles), AnyRecord::from(moved.clone())),
        (AnyRecord::from(hall), AnyRecord::from(bare.clone())),
    ];
    let moment = clubs::moment_at(NOW.saturating_add(SignedDuration::from_hours(1)).unwrap());
    let effects: Vec<_> =
        changes.into_iter().filter_map(|(old, new)| Effect::update(&moment, old, new)).collect();
    clubs::apply(store, club.id(), effects).await.unwrap();
    let (divisions, teams) = stored(store, &club, winter.id).await;
    assert_eq!(divisions, [Division { version: 2, updated_at: moment.now(), ..mixed }, girls]);
    assert_eq!(teams, [Team { version: 2, updated_at: moment.now(), ..moved }]);
    assert_eq!(
        named(store, &club, &["town hall"]).await,
        [Venue { version: 2, updated_at: moment.now(), ..bare }]
    );

    let again = Effect::create(AnyRecord::from(division(&winter, "MIXED")));
    let taken = clubs::apply(store, club.id(), vec![again]).await;
    assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
}

/// The position of a list that was read to the end of its first page.
type Place = Option<(String, uuid::Uuid)>;

pub(crate) async fn divisions_and_teams_are_listed_by_name_and_know_their_games(store: &Store) {
    let (club, other) = (Club::found(store, "Leagues Three").await, Club::found(store, "Leagues Four").await);
    let (scope, foreign) = (club.owner().scope(store).await, other.owner().scope(store).await);
    let (winter, summer) = (season("Winter"), season("Summer"));
    let (boys, girls, open) =
        (division(&winter, "Été Boys"), division(&winter, "Girls"), division(&summer, "Girls"));
    let (eagles, hawks, owls) = (team(&boys, "Eagles"), team(&boys, "Hawks"), team(&open, "Éagles"));
    let played = game(&boys, eagles.id, hawks.id, NOW);
    let itself = game(&boys, eagles.id, eagles.id, NOW);
    let seasons = [AnyRecord::from(winter.clone()), AnyRecord::from(summer.clone())];
    let divisions = [&boys, &girls, &open].map(|division| AnyRecord::from(division.clone()));
    let teams = [&eagles, &hawks, &owls].map(|team| AnyRecord::from(team.clone()));
    let games = [played, itself].map(AnyRecord::from);
    club.create(store, seasons.into_iter().chain(divisions).chain(teams).chain(games).collect()).await;

    let reader = &mut &*store;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let place = |name: &str, id: uuid::Uuid| -> Place { Some((name.to_owned(), id)) };
    for (season, named, after, expected) in [
        (None, &[][..], None, vec![boys.id, girls.id, open.id]),
        (None, &[], place("girls", girls.id.uuid()), vec![open.id]),
        (Some(summer.id), &[], None, vec![open.id]),
        (Some(winter.id), &["boy"], None, vec![boys.id]),
    ] {
        let named = words(named);
        let found = divisions::list(reader, &scope, (season, &named), after.as_ref(), 10).await.unwrap();
        assert_eq!(
            found.records.iter().map(|it| it.id).collect::<Vec<_>>(),
            expected,
            "{season:?} {named:?}"
        );
    }
    let by_name = vec![eagles.id, owls.id, hawks.id];
    let reversed: Vec<_> = by_name.iter().rev().copied().collect();
    let of = |season, division| Filter { season, division, ..Filter::default() };
    let backwards = Filter { sort: Some(TeamSort::NameReversed), ..Filter::default() };
    for (filter, after, expected) in [
        (Filter::default(), None, by_name),
        (Filter::default(), place("eagles", owls.id.uuid()), vec![hawks.id]),
        (backwards.clone(), None, reversed),
        (backwards, place("eagles", owls.id.uuid()), vec![eagles.id]),
        (of(Some(winter.id), None), None, vec![eagles.id, hawks.id]),
        (of(None, Some(open.id)), None, vec![owls.id]),
        (Filter { words: words(&["haw"]), ..of(None, Some(boys.id)) }, None, vec![hawks.id]),
    ] {
        let found = teams::list(reader, &scope, &filter, after.as_ref(), 10).await.unwrap();
        assert_eq!(found.records.iter().map(|it| it.id).collect::<Vec<_>>(), expected, "{filter:?}");
    }
    let theirs = divisions::list(reader, &foreign, (None, &[]), None, 10).await.unwrap();
    assert_eq!(theirs.records, [], "another club's");
    assert_eq!(teams::list(reader, &foreign, &Filter::default(), None, 10).await.unwrap().records, []);
    assert_eq!(divisions::dependents(reader, &scope, boys.id).await.unwrap(), 4, "teams and games");
    assert_eq!(divisions::dependents(reader, &foreign, boys.id).await.unwrap(), 0);
    assert_eq!(teams::dependents(reader, &scope, eagles.id, NOW).await.unwrap(), 2, "each game once");
    assert_eq!(teams::dependents(reader, &scope, owls.id, NOW).await.unwrap(), 0);
    assert_eq!(teams::dependents(reader, &foreign, eagles.id, NOW).await.unwrap(), 0);
}
