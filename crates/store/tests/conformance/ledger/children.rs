//! What the ledger says about children.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::roles::Role;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::ledger::{self, Entry, Filter};
use fieldhouse_store::{Error, Store};
use fieldhouse_testing::clubs::{Club, NOW, Person};
use fieldhouse_testing::families::{child, consent, guardian, restriction, with_classes};

use crate::children::scope;

/// The history of a child, with what is open of it, as a person reads it.
async fn history(
    store: &Store,
    person: &Person,
    child: &Child,
    before: Option<i64>,
    limit: u32,
) -> Option<Vec<Entry>> {
    let scope = scope::<Records>(store, person).await;
    let read = store.read("tests.history", async move |tx| {
        let found = ledger::history_of_child(tx, &scope, child.id, before, limit).await?;
        let Some(mut found) = found else { return Ok(None) };
        let _ = ledger::open_images(tx, &scope.images(), &mut found).await?;
        Ok::<_, Error>(Some(found))
    });
    read.await.unwrap()
}

pub(crate) async fn their_history_is_for_the_family(store: &Store) {
    let club = Club::found(store, "Families Four").await;
    let (parent, owner) = (club.person(Role::Member), club.owner());
    let (kim, lee) = (child("Kim K."), child("Lee L."));
    let lifted =
        fieldhouse_domain::children::restrictions::Restriction { lifted_at: Some(NOW), ..restriction(&kim) };
    let guardians = [&kim, &lee].map(|child| AnyRecord::from(guardian(child, parent.user.id)));
    let both = with_classes(&kim).into_iter().chain(with_classes(&lee)).chain(guardians);
    club.create(store, both.chain([lifted.into()]).collect()).await;
    club.create(store, vec![consent(&kim).into()]).await;
    store.post_everything().await.unwrap();

    let all = history(store, parent, &kim, None, 10).await.unwrap();
    let kinds = all.iter().map(|entry| {
        let kinds = entry.effects.iter().map(|effect| effect.kind.name());
        kinds.collect::<Vec<_>>().join(" ")
    });
    let of_kim =
        "child child_identity child_contact child_emergency child_medical child_performance relation";
    assert_eq!(kinds.collect::<Vec<_>>(), ["consent", of_kim], "not the sibling, and no restriction");
    assert!(all.iter().flat_map(|entry| &entry.effects).all(|effect| effect.after.is_some()));
    assert_eq!(history(store, parent, &kim, None, 1).await.unwrap(), all[..1]);
    assert_eq!(history(store, parent, &kim, Some(all[0].seq), 1).await.unwrap(), all[1..]);
    assert_eq!(history(store, owner, &kim, None, 10).await, None);
}

pub(crate) async fn images_of_many_open_together(store: &Store) {
    let club = Club::found(store, "Families Five").await;
    let parent = club.person(Role::Member);
    let (kim, lee, mia) = (child("Kim K."), child("Lee L."), child("Mia M."));
    let guardians = [&kim, &lee].map(|child| AnyRecord::from(guardian(child, parent.user.id)));
    let all = [&kim, &lee, &mia].into_iter().flat_map(with_classes).chain(guardians);
    club.create(store, all.collect()).await;
    store.post_everything().await.unwrap();
    let scope = parent.scope(store).await;
    let closed = ledger::entries(&mut &*store, &scope, &Filter::default(), None, 1).await.unwrap();
    let (opened, shown) = parent.open_images(store, &closed).await.unwrap();
    for effect in opened.iter().flat_map(|entry| &entry.effects) {
        let is_open = effect.child != Some(mia.id);
        assert_eq!((effect.after.is_some(), effect.sealed), (is_open, !is_open), "{effect:?}");
    }
    let mut both = [(kim.id, Capacity::Guardian), (lee.id, Capacity::Guardian)];
    both.sort_unstable_by_key(|(child, _)| *child);
    for (class, children) in &shown.0 {
        assert_eq!(children[..], both, "{class}");
    }
    let classes: Vec<DataClass> = shown.0.iter().map(|(class, _)| *class).collect();
    let unused = [DataClass::Roster];
    let expected = DataClass::ALL.iter().copied().filter(|class| !unused.contains(class));
    assert_eq!(classes, expected.collect::<Vec<_>>());
}
