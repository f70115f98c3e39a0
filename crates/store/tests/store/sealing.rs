//! Children's data is sealed wherever it is stored, and opens only with the child's key and at its place.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::BreakGlassGrant;
use fieldhouse_domain::children::identities::ChildIdentity;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::ChildFavorite;
use fieldhouse_domain::ids::{ChildId, Id};
use fieldhouse_domain::text::{Name, Reason};
use fieldhouse_store::ledger::{self, Entry, EntryEffect, Filter, Verdict};
use fieldhouse_store::{Change, Error, Result, SealError, Store, records};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::databases;
use fieldhouse_testing::families::{
    Classes, break_glass, child, classes, favorite, filled, guardian, restriction,
};
use serde_json::{Value as Json, json};

use crate::raw;

/// A word in every sealed field, and in a reason.
const MARKER: &str = "marker";

/// A child and the records of its classes.
fn family(name: &str) -> (Child, Classes) {
    let child = child(name);
    let classes = filled(&classes(&child), NOW);
    (child, classes)
}

fn records((child, classes): &(Child, Classes)) -> Vec<AnyRecord> {
    let Classes { identity, contact, emergency, medical, performance } = classes.clone();
    vec![
        child.clone().into(),
        identity.into(),
        contact.into(),
        emergency.into(),
        medical.into(),
        performance.into(),
    ]
}

async fn apply(store: &Store, club: &Club, effects: Vec<Effect>, reason: &'static str) -> Result<()> {
    let moment = clubs::moment();
    let applied = clubs::write(store, club.id(), async move |tx, proof| {
        let moment = moment.again();
        let reason = Some(reason);
        let change = Change { moment: &moment, operation: "testing.apply", request_id: "test", reason };
        tx.apply(proof, change, &effects).await.map(drop)
    });
    applied.await
}

async fn identity(store: &Store, club: &Club, child: ChildId) -> Result<Option<ChildIdentity>> {
    let id = fieldhouse_domain::ids::ChildIdentityId::from_uuid(child.uuid());
    clubs::write(store, club.id(), async move |tx, proof| records::read(tx, proof, id).await).await
}

/// Makes the owner of a club a guardian of a child.
async fn relate(store: &Store, club: &Club, (child, _): &(Child, Classes)) {
    club.create(store, vec![guardian(child, club.owner().user.id).into()]).await;
}

/// An entry with what is open to the owner.
async fn open(store: &Store, club: &Club, entry: &Entry) -> Result<Entry> {
    let (mut opened, _) = club.owner().open_images(store, std::slice::from_ref(entry)).await?;
    Ok(opened.remove(0))
}

/// The newest entry of a club.
async fn newest(store: &Store, club: &Club) -> Entry {
    store.post_everything().await.unwrap();
    let scope = club.owner().scope(store).await;
    ledger::entries(&mut &*store, &scope, &Filter::default(), None, 1).await.unwrap().remove(0)
}

#[tokio::test]
async fn no_table_file_ledger_or_journal_has_a_sealed_field_in_the_clear() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Sealed").await;
        let zoe = family("Zoë from Visibletown");
        let created = records(&zoe).into_iter().map(Effect::create).collect();
        apply(&store, &club, created, "the marker moved here").await.unwrap();
        let changed = ChildIdentity { birth_date: None, ..zoe.1.identity.clone() };
        let changed = Effect::update(&clubs::moment(), zoe.1.identity.clone(), changed).unwrap();
        apply(&store, &club, vec![changed], "marker").await.unwrap();
        // On PostgreSQL the entries wait in the journal the first time.
        for _ in 0..2 {
            assert!(!database.places_with("visibletown").is_empty(), "the search finds what is not sealed");
            assert!(database.places_with(MARKER).is_empty());
            assert!(
                database.places_with("491570006").is_empty() && database.places_with("2013-05-06").is_empty()
            );
            store.post_everything().await.unwrap();
        }
    }
}

#[tokio::test]
async fn what_was_decided_about_a_child_and_saved_for_it_is_sealed_too() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Decided").await;
        let zoe = family("Zoë from Visibletown");
        let (reason, folder) =
            (Reason::stored("marker order".to_owned()), Name::stored("marker 7".to_owned()));
        let order = Restriction { reason: reason.clone(), document_ref: Some(folder), ..restriction(&zoe.0) };
        let user = club.owner().user.id;
        let grant = BreakGlassGrant { note: Some(reason.clone()), reason, ..break_glass(&zoe.0, user) };
        let saved = favorite(&zoe.0, user);
        let decided: [AnyRecord; 3] = [order.clone().into(), grant.into(), saved.clone().into()];
        let created = records(&zoe).into_iter().chain(decided).map(Effect::create).collect();
        apply(&store, &club, created, "marker").await.unwrap();
        let id = order.id;
        let read = clubs::write(&store, club.id(), async move |tx, proof| records::read(tx, proof, id).await);
        assert_eq!(read.await.unwrap(), Some(order));
        let id = saved.id;
        let read = clubs::write(&store, club.id(), async move |tx, proof| {
            records::read::<ChildFavorite, _>(tx, proof, id).await
        });
        assert_eq!(read.await.unwrap(), Some(saved));
        for _ in 0..2 {
            assert!(
                !database.places_with("visibletown").is_empty() && database.places_with(MARKER).is_empty()
            );
            store.post_everything().await.unwrap();
        }
    }
}

#[tokio::test]
async fn images_and_reasons_open_only_for_the_child_whom_they_are_about() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Opened").await;
        let (zoe, kim) = (family("Zoë"), family("Kim"));
        let both = records(&zoe).into_iter().chain(records(&kim)).map(Effect::create).collect();
        apply(&store, &club, both, "marker").await.unwrap();
        let mut entry = newest(&store, &club).await;
        let closed = entry.clone();
        assert_eq!((entry.reason.as_deref(), entry.effects.len()), (None, 12));
        for effect in &entry.effects {
            assert_eq!((&effect.before, &effect.after, effect.sealed), (&None, &None, true), "{effect:?}");
        }
        let stored = format!("sealed:{}", zoe.0.id.uuid());
        assert!(!format!("{entry:?}").contains(&stored), "sealed text is not even printed");

        assert_eq!(open(&store, &club, &closed).await.unwrap(), closed, "for an owner without a relation");
        relate(&store, &club, &kim).await;
        entry = open(&store, &club, &closed).await.unwrap();
        assert_eq!(entry.reason, None, "it is sealed with the key of the first child");
        let of_kim = |effect: &&EntryEffect| effect.child == Some(kim.0.id);
        assert!(entry.effects.iter().filter(of_kim).all(|effect| !effect.sealed && effect.after.is_some()));
        assert_eq!(entry.effects.iter().filter(|effect| effect.sealed).count(), 6);
        relate(&store, &club, &zoe).await;
        entry = open(&store, &club, &closed).await.unwrap();
        assert_eq!(entry.reason.as_deref(), Some("marker"));
        for (effect, record) in
            entry.effects.iter().filter(|effect| effect.child == Some(zoe.0.id)).zip(records(&zoe))
        {
            let after: Json = serde_json::from_str(effect.after.as_ref().unwrap()).unwrap();
            assert_eq!((after, effect.before.as_ref(), effect.sealed), (json!(record.image()), None, false));
        }
        assert!(entry.effects.iter().all(|effect| !effect.sealed && effect.after.is_some()));
    }
}

#[tokio::test]
async fn moved_and_altered_data_does_not_open_and_is_not_shown() {
    let alterations = [
        "UPDATE child_identities SET legal_first_name = legal_last_name",
        "UPDATE child_identities SET legal_first_name = (SELECT legal_first_name FROM child_identities o WHERE o.id <> child_identities.id)",
        "UPDATE child_identities SET legal_first_name = (SELECT position FROM child_performances p WHERE p.id = child_identities.id)",
        "UPDATE child_identities SET legal_first_name = (SELECT wrapped FROM child_keys k WHERE k.child_id = child_identities.id)",
        "UPDATE child_keys SET wrapped = (SELECT wrapped FROM child_keys o WHERE o.child_id <> child_keys.child_id)",
    ];
    for database in databases::both() {
        for alteration in alterations {
            let store = database.open().await;
            let club = Club::found(&store, &format!("Moved {}", alteration.len())).await;
            let (zoe, kim) = (family("Zoë"), family("Kim"));
            raw::execute(&database, "DELETE FROM child_keys; DELETE FROM child_identities").await;
            let both = records(&zoe).into_iter().chain(records(&kim)).map(Effect::create).collect();
            apply(&store, &club, both, "moved").await.unwrap();
            assert_eq!(identity(&store, &club, zoe.0.id).await.unwrap().as_ref(), Some(&zoe.1.identity));
            raw::execute(&database, alteration).await;
            let refused = identity(&store, &club, zoe.0.id).await;
            assert!(matches!(refused, Err(Error::Corrupt { .. })), "{alteration}: {refused:?}");
            assert!(!format!("{refused:?}").to_lowercase().contains(MARKER), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn without_its_key_a_childs_data_is_gone_and_the_chain_is_whole() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Erased").await;
        let zoe = family("Zoë");
        apply(&store, &club, records(&zoe).into_iter().map(Effect::create).collect(), "marker")
            .await
            .unwrap();
        raw::execute(&database, "DELETE FROM child_keys").await;
        assert_eq!(identity(&store, &club, zoe.0.id).await.unwrap(), None);
        let closed = newest(&store, &club).await;
        relate(&store, &club, &zoe).await;
        assert_eq!(open(&store, &club, &closed).await.unwrap(), closed);

        let renamed = Child { display_name: Name::stored("Marker".to_owned()), ..zoe.0.clone() };
        let renamed = Effect::update(&clubs::moment(), zoe.0.clone(), renamed).unwrap();
        apply(&store, &club, vec![renamed], "marker").await.unwrap();
        let entry = newest(&store, &club).await;
        let [effect] = &entry.effects[..] else { panic!("one effect") };
        assert_eq!((&effect.before, &effect.after, &entry.reason), (&None, &None, &None), "nothing is kept");
        let moved = Effect::create(classes(&child("Kim")).identity);
        assert!(matches!(
            apply(&store, &club, vec![moved], "x").await,
            Err(Error::Sealing(SealError::Erased))
        ));
        let scope = club.owner().scope(&store).await;
        let verdict = ledger::verify(&store, &scope).await.unwrap();
        assert_eq!(verdict, Verdict::Intact { entries: 4, cleared: 0 });
    }
}

#[tokio::test]
async fn a_deleted_child_has_no_key_and_no_images() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Deleted").await;
        let zoe = family("Zoë");
        apply(&store, &club, records(&zoe).into_iter().map(Effect::create).collect(), "in").await.unwrap();
        apply(&store, &club, records(&zoe).into_iter().map(Effect::delete).collect(), "out").await.unwrap();
        let entry = newest(&store, &club).await;
        assert_eq!((entry.effects.len(), entry.reason), (6, None));
        assert!(entry.effects.iter().all(|effect| effect.before.is_none() && !effect.sealed));
        apply(&store, &club, records(&zoe).into_iter().map(Effect::create).collect(), "in").await.unwrap();
        assert!(identity(&store, &club, zoe.0.id).await.unwrap().is_some(), "with another key");
    }
}

#[tokio::test]
async fn a_key_of_an_undone_part_is_forgotten() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Undone").await;
        let zoe = family("Zoë");
        let (id, made): (_, Vec<Effect>) =
            (zoe.0.id, records(&zoe).into_iter().map(Effect::create).collect());
        let moment = clubs::moment();
        let written = clubs::write(&store, club.id(), async move |tx, proof| {
            let moment = moment.again();
            let change =
                Change { moment: &moment, operation: "testing.part", request_id: "test", reason: None };
            let part = tx.savepoint("testing.part").await?;
            let result = match tx.apply(proof, change, &made).await {
                Ok(_) => Err::<(), _>(Error::Internal("undone".to_owned())),
                Err(error) => panic!("{error}"),
            };
            assert!(tx.end(part, result).await.is_err());
            tx.apply(proof, change, &made).await.map(drop)
        });
        written.await.unwrap();
        assert_eq!(identity(&store, &club, id).await.unwrap(), Some(zoe.1.identity.clone()));
        let closed = newest(&store, &club).await;
        relate(&store, &club, &zoe).await;
        let entry = open(&store, &club, &closed).await.unwrap();
        assert!(entry.effects.iter().all(|effect| effect.after.is_some()), "{entry:?}");
    }
}

#[tokio::test]
async fn a_store_without_secrets_says_so_and_still_reads_the_ledger() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Secretless").await;
        let (zoe, kim) = (family("Zoë"), family("Kim"));
        apply(&store, &club, records(&zoe).into_iter().map(Effect::create).collect(), "in").await.unwrap();
        let entry = newest(&store, &club).await;
        relate(&store, &club, &zoe).await;
        store.post_everything().await.unwrap();
        drop(store);
        let store = Store::open(&database.options()).await.unwrap();
        let made = records(&kim).into_iter().map(Effect::create).collect();
        for refused in
            [apply(&store, &club, made, "in").await, identity(&store, &club, zoe.0.id).await.map(drop)]
        {
            assert!(matches!(refused, Err(Error::Sealing(SealError::NoSealer))), "{refused:?}");
        }
        assert_eq!(entry.effects.len(), 6);
        let opened = open(&store, &club, &entry).await;
        assert!(matches!(opened, Err(Error::Sealing(SealError::NoSealer))), "{opened:?}");
        let scope = club.owner().scope(&store).await;
        let verdict = ledger::verify(&store, &scope).await.unwrap();
        assert_eq!(verdict, Verdict::Intact { entries: 3, cleared: 0 });
    }
}
