//! Rows that are not records of an organization: stored responses, failed sign-in attempts, and fingerprints of the key ring.

use fieldhouse_domain::attempts::Attempts;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_store::idempotency::{self, Slot, StoredResponse};
use fieldhouse_store::key_ring::{self, Fingerprint};
use fieldhouse_store::sign_ins::{self, Attempted};
use fieldhouse_store::{Error, Store, Tx};
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
    let found = store.write("testing.find", async move |tx| {
        let found = idempotency::find(tx, &slot, NOW).await?;
        if found.is_none() {
            idempotency::release(tx, &slot).await?;
        }
        Ok::<_, Error>(found)
    });
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

pub(crate) async fn failed_sign_ins_are_counted_for_each_source_until_one_succeeds(store: &Store) {
    let of = |subject, source| Attempted { subject: [subject; 32], source: [source; 32] };
    let (here, elsewhere, other) = (of(11, 1), of(11, 2), of(12, 1));
    let read =
        async |attempted: &Attempted| sign_ins::read(&mut &*store, attempted, after(20)).await.unwrap();
    let seen = |failures, last: Option<i64>, of_account, signed_in: Option<i64>| Attempts {
        failures,
        last_failed_at: last.map(after),
        of_account,
        last_signed_in_at: signed_in.map(after),
    };
    assert_eq!(read(&here).await, Attempts::default());
    for (attempted, hour) in [(here, -5), (here, 2), (elsewhere, 3), (other, 4)] {
        store.note_failed_sign_in(attempted, after(hour)).await.unwrap();
    }
    assert_eq!(read(&here).await, seen(2, Some(2), 3, None));
    assert_eq!(read(&elsewhere).await, seen(1, Some(3), 3, None));
    assert_eq!(read(&other).await, seen(1, Some(4), 1, None));
    let late = sign_ins::read(&mut &*store, &here, after(27)).await.unwrap();
    assert_eq!(late, seen(2, Some(2), 0, None), "older than a day");
    store.note_sign_in(here, after(5)).await.unwrap();
    store.note_sign_in(here, after(6)).await.unwrap();
    assert_eq!(read(&here).await, seen(0, None, 1, Some(6)));
    assert_eq!(read(&elsewhere).await, seen(1, Some(3), 1, None), "known only from there");
    for (hour, failures) in [(3, 0), (4, 1)] {
        assert_eq!(store.purge_failed_sign_ins(after(hour)).await.unwrap(), failures, "before it, not at it");
    }
    for (hour, sources) in [(6, 0), (7, 1)] {
        assert_eq!(store.purge_sign_in_sources(after(hour)).await.unwrap(), sources, "before it, not at it");
    }
    assert_eq!(read(&here).await, Attempts::default());
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
