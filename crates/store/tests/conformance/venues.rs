//! Venues.

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::Game;
use fieldhouse_store::{Store, venues};
use fieldhouse_testing::clubs::{Club, NOW};
use fieldhouse_testing::leagues::{division, game, season, team, venue};

pub(crate) async fn are_listed_by_name_and_know_their_games(store: &Store) {
    let (club, other) = (Club::found(store, "Venues One").await, Club::found(store, "Venues Two").await);
    let (scope, foreign) = (club.owner().scope(store).await, other.owner().scope(store).await);
    let (hall, park, zoo) = (venue("Town Hall"), venue("Éden Park"), venue("Zoo"));
    let winter = season("Winter");
    let boys = division(&winter, "Boys");
    let (eagles, hawks) = (team(&boys, "Eagles"), team(&boys, "Hawks"));
    let played = Game { venue_id: Some(hall.id), ..game(&boys, eagles.id, hawks.id, NOW) };
    let records = vec![
        AnyRecord::from(zoo),
        AnyRecord::from(hall.clone()),
        AnyRecord::from(park.clone()),
        AnyRecord::from(winter),
        AnyRecord::from(boys),
        AnyRecord::from(eagles),
        AnyRecord::from(hawks),
        AnyRecord::from(played),
    ];
    club.create(store, records).await;

    let reader = &mut &*store;
    let names = async |reader: &mut &Store, words: &[&str], after, limit| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = venues::list(reader, &scope, &words, after, limit).await.unwrap().records;
        found.into_iter().map(|venue| venue.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(reader, &[], None, 10).await, ["Éden Park", "Town Hall", "Zoo"]);
    assert_eq!(names(reader, &[], Some("eden park"), 1).await, ["Town Hall"]);
    assert_eq!(names(reader, &["ha", "town"], None, 10).await, ["Town Hall"], "words, and prefixes of words");
    assert!(names(reader, &["all"], None, 10).await.is_empty());
    assert_eq!(venues::list(reader, &foreign, &[], None, 10).await.unwrap().records, [], "another club's");
    assert_eq!(venues::games(reader, &scope, hall.id).await.unwrap(), 1);
    assert_eq!(venues::games(reader, &scope, park.id).await.unwrap(), 0);
    assert_eq!(venues::games(reader, &foreign, hall.id).await.unwrap(), 0, "another club's");
}
