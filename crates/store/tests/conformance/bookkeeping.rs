//! Rows that are not records of an organization: stored responses, failed sign-in attempts, and fingerprints of the key ring.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_store::idempotency::{self, Slot, StoredResponse};
use fieldhouse_store::key_ring::{self, Fingerprint};
use fieldhouse_store::login_failures::Wait;
use fieldhouse_store::{Error, Store, Tx, login_failures};
use fieldhouse_testing::clubs::{Club, NOW};
use jiff::{SignedDuration, Timestamp};

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

fn slot(organization: Option<OrganizationId>, key: &str) -> Slot {
    Slot { organization, caller: [5; 32], operation: "seasons.create", key: key.to_owned() }
}

async fn find(store: &Store, slot: &Slot) -> Option<StoredResponse> {
    let slot = slot.clone();
    let found =
        store.write("testing.find", async move |tx| Ok::<_, Error>(idempotency::find(tx, &slot).await?));
    found.await.unwrap()
}

async fn keep(store: &Store, slot: &Slot, kept: &StoredResponse) {
    let (slot, kept) = (slot.clone(), kept.clone());
    let done = store.write("testing.keep", async move |tx| idempotency::insert(tx, &slot, &kept).await);
    done.await.unwrap();
}

pub(crate) async fn responses_are_stored_replaced_and_purged(store: &Store) {
    let club = Club::found(store, "Bookkeeping").await;
    let (ours, without_organization) = (slot(Some(club.id()), "k"), slot(None, "k"));
    let kept = StoredResponse {
        request_digest: [6; 32],
        status: 201,
        headers: r#"{"etag":"\"1\""}"#.to_owned(),
        body: Some(vec![0, 255, 10, 34]),
        created_id: Some("sea_1".to_owned()),
        created_at: NOW,
    };
    assert_eq!(find(store, &ours).await, None);
    keep(store, &ours, &kept).await;
    assert_eq!(find(store, &ours).await.as_ref(), Some(&kept));
    assert_eq!(find(store, &without_organization).await, None, "stored for each organization");
    let others = [
        Slot { caller: [7; 32], ..ours.clone() },
        Slot { operation: "seasons.update", ..ours.clone() },
        Slot { key: "K".to_owned(), ..ours.clone() },
    ];
    for other in others {
        assert_eq!(find(store, &other).await, None, "{other:?}");
    }
    let newer = StoredResponse {
        request_digest: [8; 32],
        status: 200,
        body: None,
        created_id: None,
        created_at: after(25),
        ..kept
    };
    keep(store, &ours, &newer).await;
    assert_eq!(find(store, &ours).await.as_ref(), Some(&newer), "replaced");
    keep(store, &without_organization, &StoredResponse { created_at: after(1), ..newer.clone() }).await;
    assert_eq!(
        store.purge_idempotency_keys(after(1)).await.unwrap(),
        0,
        "stored at that time, not before it"
    );
    assert_eq!(store.purge_idempotency_keys(after(2)).await.unwrap(), 1);
    assert_eq!((find(store, &without_organization).await, find(store, &ours).await), (None, Some(newer)));
}

pub(crate) async fn failed_sign_ins_are_counted_until_one_succeeds(store: &Store) {
    let (subject, other) = ([11; 32], [12; 32]);
    let read = async |subject: [u8; 32]| login_failures::read(&mut &*store, &subject).await.unwrap();
    assert_eq!(read(subject).await, None);
    let begin = async |subject, hour| {
        let wait = |failures| SignedDuration::from_hours(if failures < 3 { 0 } else { 5 });
        store.begin_login(subject, after(hour), wait).await.unwrap()
    };
    for hour in 1..=3 {
        assert_eq!(begin(subject, hour).await, Ok(()));
    }
    let wait = Wait { failures: 3, ends: after(8) };
    assert_eq!(begin(subject, 7).await, Err(wait), "not counted");
    assert_eq!(begin(other, 9).await, Ok(()));
    assert_eq!((read(subject).await, read(other).await), (Some((3, after(3))), Some((1, after(9)))));
    assert_eq!(store.purge_login_failures(after(3)).await.unwrap(), 0, "failed at that time, not before it");
    store.clear_login_failures(subject).await.unwrap();
    assert_eq!((read(subject).await, read(other).await), (None, Some((1, after(9)))));
    assert_eq!(store.purge_login_failures(after(10)).await.unwrap(), 1);
    assert_eq!(read(other).await, None);
}

pub(crate) async fn fingerprints_are_stored_once(store: &Store) {
    let read = async || key_ring::read(&mut &*store).await.unwrap();
    assert_eq!(read().await, Vec::new());
    let fingerprint = Fingerprint { purpose: "cursor".to_owned(), digest: [9; 32] };
    for _ in 0..2 {
        let remembered = fingerprint.clone();
        let done = async move |tx: &mut Tx<'_>| key_ring::remember(tx, &remembered).await;
        store.write("testing.remember", done).await.unwrap();
        assert_eq!(read().await, std::slice::from_ref(&fingerprint));
    }
}
