//! Organizations.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::organizations::{Organization, Slug};
use fieldhouse_domain::text::Name;
use fieldhouse_store::{Error, Store, organizations};
use fieldhouse_testing::clubs::{self, Club};
use uuid::Uuid;

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
        slug: Slug::parse("harbour").unwrap(),
        country: None,
        ..before.clone()
    };
    let change = Effect::update(&clubs::moment(), AnyRecord::from(before), AnyRecord::from(after));
    let change = change.expect("something differs");
    clubs::apply(store, club.id(), vec![change.clone()]).await.unwrap();
    let now = read().await;
    assert_eq!(
        (now.name.as_str(), now.slug.as_str(), now.country.as_ref(), now.version),
        ("Harbour Höops 🏀", "harbour", None, 2)
    );

    let again = clubs::apply(store, club.id(), vec![change]).await;
    assert!(matches!(again, Err(Error::Internal(_))), "the version has changed: {again:?}");
    let twin = Organization { id: clubs::moment().id(), ..now };
    let taken = clubs::apply(store, twin.id, vec![Effect::create(AnyRecord::from(twin))]).await;
    assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
}

#[expect(clippy::disallowed_methods, reason = "tests act as the operator")]
pub(crate) async fn are_listed_for_the_operator_earliest_first(store: &Store) {
    let clubs = [Club::found(store, "Listed One").await, Club::found(store, "Listed Two").await];
    let operator = store.operator();
    let list = async |slug: Option<&str>, after, limit| {
        let slug = slug.map(|slug| Slug::parse(slug).unwrap());
        let found = organizations::list(&mut &*store, &operator, slug.as_ref(), after, limit).await.unwrap();
        found.into_iter().map(|one| (one.created_at, one.id.uuid())).collect::<Vec<_>>()
    };
    let all = list(None, None, 1000).await;
    assert!(all.len() >= 2 && all.is_sorted(), "{all:?}");
    let of = |club: &Club| (club.organization.created_at, club.id().uuid());
    assert_eq!(list(Some("listed-two"), None, 1000).await, [of(&clubs[1])]);
    assert_eq!(list(Some("unlisted"), None, 1000).await, []);
    assert_eq!(list(None, Some(all[0]), 1).await, all[1..2]);
    assert_eq!(
        list(None, Some((all[0].0, Uuid::max())), 1000).await.first(),
        all.iter().find(|one| one.0 > all[0].0)
    );
}
