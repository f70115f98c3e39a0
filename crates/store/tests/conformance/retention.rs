//! Conformance of retention in the tables of all organizations.

use fieldhouse_store::Store;
use fieldhouse_testing::clubs::{Club, NOW};
use jiff::SignedDuration;

/// Runs last, because it removes what others have written.
pub(crate) async fn removes_what_is_old_and_writes_nothing_else(store: &Store) {
    let club = Club::found(store, "Retention One").await;
    club.owner().scope(store).await;
    let late = NOW.saturating_add(SignedDuration::from_hours(24 * 365 * 4)).unwrap();
    assert!(store.purge_sessions(late).await.unwrap() > 0);
    assert!(store.purge_exports(late).await.unwrap() > 0);
    assert!(store.purge_privacy_requests(late).await.unwrap() > 0);
    assert!(store.purge_access_reads(late).await.unwrap() > 0);
    let generation = store.local_generation(club.id());
    assert_eq!(store.purge_sessions(late).await.unwrap(), 0);
    assert_eq!(store.purge_exports(late).await.unwrap(), 0);
    assert_eq!(store.purge_privacy_requests(late).await.unwrap(), 0);
    assert_eq!(store.purge_access_reads(late).await.unwrap(), 0);
    assert_eq!(store.local_generation(club.id()), generation, "no transaction began");
}
