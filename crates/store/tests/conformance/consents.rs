//! Consents about children.

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::consents::{Consent, Purpose};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::roles::Role;
use fieldhouse_store::access::children::{Read, Records};
use fieldhouse_store::{Principal, Store, consents};
use fieldhouse_testing::clubs::{Club, NOW};
use fieldhouse_testing::families::{child, consent, guardian, with_classes};
use jiff::SignedDuration;

use crate::children::{requirement, scope};

pub(crate) async fn are_listed_newest_first_to_the_family(store: &Store) {
    let club = Club::found(store, "Families Three").await;
    let (parent, owner) = (club.person(Role::Member), club.owner());
    let (kim, lee) = (child("Kim K."), child("Lee L."));
    let later = NOW.saturating_add(SignedDuration::from_hours(1)).unwrap();
    let photos = Consent { purpose: Purpose::Photos, ..consent(&kim) };
    let care = Consent { purpose: Purpose::MedicalCare, created_at: later, ..consent(&kim) };
    let guardians = [&kim, &lee].map(|child| AnyRecord::from(guardian(child, parent.user.id)));
    let given = [AnyRecord::from(photos.clone()), care.clone().into()];
    let records = with_classes(&kim).into_iter().chain(with_classes(&lee)).chain(guardians).chain(given);
    club.create(store, records.collect()).await;

    let scope_of_parent = scope::<Records>(store, parent).await;
    let list = async |child, after, limit| {
        consents::list(&mut &*store, &scope_of_parent, child, after, limit).await.unwrap()
    };
    assert_eq!(list(kim.id, None, 10).await, Some(vec![care.clone(), photos.clone()]));
    let after_the_first = Some((care.created_at, care.id.uuid()));
    assert_eq!(list(kim.id, after_the_first, 10).await, Some(vec![photos.clone()]));
    assert_eq!(list(kim.id, Some((photos.created_at, photos.id.uuid())), 10).await, Some(vec![]));
    assert_eq!(list(lee.id, None, 10).await, Some(vec![]), "a child without consents");
    let child = kim.id;
    let requested = std::sync::Arc::new(parent.scope_for(store, requirement(DataClass::Records)).await);
    let all = store.write("tests.consents", async move |tx| {
        let wanted = requirement(DataClass::Records);
        let proof = tx.permit(Principal::Caller(&requested), wanted, Some(child.uuid()), NOW).await?;
        let access =
            tx.open::<Records, Read>(&proof.expect("a guardian"), child).await?.expect("a guardian's");
        consents::of_child(tx, &access).await
    });
    assert_eq!(all.await.unwrap(), [photos, care], "earliest first");
    let closed = scope::<Records>(store, owner).await;
    assert_eq!(consents::list(&mut &*store, &closed, child, None, 10).await.unwrap(), None);
}
