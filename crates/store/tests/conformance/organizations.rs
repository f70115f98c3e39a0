//! Organizations.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::text::Name;
use fieldhouse_store::{Error, Store, organizations};
use fieldhouse_testing::clubs::{self, Club};

pub(crate) async fn a_new_store_has_none(store: &Store) {
    assert!(!organizations::any(&mut &*store).await.unwrap());
}

pub(crate) async fn one_is_read_found_and_changed(store: &Store) {
    let club = Club::found(store, "Harbour Hoops").await;
    let scope = club.owner().scope(store).await;
    let read = async || organizations::read(&mut &*store, &scope).await.unwrap().expect("the organization");
    assert!(organizations::any(&mut &*store).await.unwrap());
    assert_eq!(read().await, club.organization);
    let by_slug = async |slug| organizations::by_slug(&mut &*store, slug).await.unwrap();
    assert_eq!(by_slug("harbour-hoops").await, Some(club.id()));
    assert_eq!(by_slug("unknown").await, None);

    let before = club.organization.clone();
    let after = Organization {
        name: Name::parse("Harbour Höops 🏀").unwrap(),
        slug: "harbour".to_owned(),
        country: None,
        ..before.clone()
    };
    let change =
        Effect::update(&clubs::moment(), AnyRecord::Organization(before), AnyRecord::Organization(after));
    let change = change.expect("something differs");
    clubs::apply(store, club.id(), vec![change.clone()]).await.unwrap();
    let now = read().await;
    assert_eq!(
        (now.name.as_str(), &*now.slug, now.country.as_deref(), now.version),
        ("Harbour Höops 🏀", "harbour", None, 2)
    );

    let again = clubs::apply(store, club.id(), vec![change]).await;
    assert!(matches!(again, Err(Error::Internal(_))), "the version has changed: {again:?}");
    let twin = Organization { id: clubs::moment().id(), ..now };
    let taken = clubs::apply(store, twin.id, vec![Effect::create(AnyRecord::Organization(twin))]).await;
    assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
}
