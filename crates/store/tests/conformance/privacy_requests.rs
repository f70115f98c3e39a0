//! Requests about children's data, and the erasure of a child.

use fieldhouse_domain::children::guardian_invitations::GuardianInvitation;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::privacy_requests::{PrivacyRequest, PrivacyRequestKind, PrivacyRequestState};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::text::{Email, Reason};
use fieldhouse_store::access::children::Records;
use fieldhouse_store::ledger::{self, Filter, Verdict};
use fieldhouse_store::privacy_requests::{self, Erasure};
use fieldhouse_store::{Change, Store, cases, favorites};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::families::{
    break_glass, case, child, classes, consent, favorite, filled, guardian, guardian_invitation,
    privacy_request, registration, restriction, roster_entry,
};
use fieldhouse_testing::leagues::{division, season, team};
use jiff::SignedDuration;
use jiff::civil::date;

pub(crate) async fn are_listed_for_their_people_and_admins(store: &Store) {
    let (club, other) = (Club::found(store, "Privacy One").await, Club::found(store, "Privacy Two").await);
    let (parent, admin) = (club.person(Role::Member), club.person(Role::Admin));
    let kim = child("Kim K.");
    let later = NOW.saturating_add(SignedDuration::from_hours(1)).unwrap();
    let own = privacy_request(&kim, parent.user.id);
    let copy = PrivacyRequest { kind: PrivacyRequestKind::Export, created_at: later, ..own.clone() };
    let copy = PrivacyRequest { id: clubs::moment().id(), requested_by: admin.user.id, ..copy };
    club.create(store, vec![kim.clone().into(), own.clone().into(), copy.clone().into()]).await;

    let list = async |person: &clubs::Person, after| {
        let scope = person.scope(store).await;
        privacy_requests::list(&mut &*store, &scope, after, 10).await.unwrap()
    };
    assert_eq!(list(parent, None).await, std::slice::from_ref(&own), "their own");
    assert_eq!(list(admin, None).await, [copy.clone(), own.clone()], "all, newest first");
    let after = Some((copy.created_at, copy.id.uuid()));
    assert_eq!(list(admin, after).await, std::slice::from_ref(&own));
    assert_eq!(list(parent, Some((own.created_at, own.id.uuid()))).await, []);
    assert_eq!(list(other.person(Role::Owner), None).await, []);

    let (found, named) = privacy_requests::of_mail(&mut &*store, club.id(), own.id).await.unwrap().unwrap();
    assert_eq!((found, named.name.as_str()), (own.clone(), "Privacy One"));
    assert_eq!(named.requester, "member");
    assert_eq!(privacy_requests::of_mail(&mut &*store, other.id(), own.id).await.unwrap(), None);
    let (request, about) = (own.id, kim.id);
    let read = clubs::write(store, club.id(), async move |tx, proof| {
        let read = privacy_requests::read(tx, proof, request).await?;
        Ok((read, privacy_requests::of_child(tx, proof, about).await?))
    });
    assert_eq!(read.await.unwrap(), (Some(own.clone()), vec![own.clone(), copy]));

    assert_eq!(store.erasures_of(club.id()).await.unwrap(), []);
    let decided = PrivacyRequest { state: PrivacyRequestState::Done, decided_at: Some(later), ..own.clone() };
    let change = Effect::update(&clubs::moment(), own.clone(), decided);
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    let erasure = Erasure { organization: club.id(), request: own.id, child: kim.id, at: later };
    assert_eq!(store.erasures_of(club.id()).await.unwrap(), [erasure]);
    assert!(store.erasures().await.unwrap().contains(&erasure));
}

pub(crate) async fn an_erasure_leaves_nothing_that_opens(store: &Store) {
    let club = Club::found(store, "Privacy Three").await;
    let scope = club.owner().scope(store).await;
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    let (zoe, kim) = (child("Zoë Erased"), child("Kim Kept"));
    let filled = filled(&classes(&zoe), NOW);
    let block = Restriction { reason: Reason::parse("Zoë Erased, a concern").unwrap(), ..restriction(&zoe) };
    let email = Email::parse("Zoë.Erased@invited.example").unwrap();
    let worry = case(&zoe, club.person(Role::Coach).user.id);
    let left = RosterEntry {
        starts_on: date(2025, 1, 1),
        ends_on: Some(date(2025, 2, 1)),
        ..roster_entry(&eagles, &zoe)
    };
    let records: Vec<AnyRecord> = vec![
        winter.clone().into(),
        open.into(),
        eagles.clone().into(),
        zoe.clone().into(),
        filled.identity.into(),
        filled.contact.into(),
        filled.emergency.into(),
        filled.medical.into(),
        filled.performance.into(),
        guardian(&zoe, club.owner().user.id).into(),
        GuardianInvitation { email, ..guardian_invitation(&zoe, club.owner().user.id) }.into(),
        block.into(),
        break_glass(&zoe, club.owner().user.id).into(),
        worry.clone().into(),
        consent(&zoe).into(),
        favorite(&zoe, club.owner().user.id).into(),
        registration(&zoe, &winter).into(),
        roster_entry(&eagles, &zoe).into(),
        left.clone().into(),
        kim.clone().into(),
        consent(&kim).into(),
    ];
    club.create(store, records).await;
    let listed = async || {
        let scope = crate::children::scope::<Records>(store, club.owner()).await;
        favorites::list_of_child(&mut &*store, &scope, zoe.id).await.unwrap()
    };
    assert_eq!(listed().await.map(|list| list.len()), Some(1));
    // Its images are only in the ledger when the child is erased.
    clubs::apply(store, club.id(), vec![Effect::delete(left.clone())]).await.unwrap();
    store.post_everything().await.unwrap();

    let erase = async || {
        let child = zoe.id;
        let erased = clubs::write(store, club.id(), async move |tx, proof| {
            let moment = clubs::moment();
            let reason = Some("Zoë Erased wants it");
            let change = Change { moment: &moment, operation: "tests.erase", request_id: "erase", reason };
            tx.erase_child(proof, change, child).await
        });
        erased.await.unwrap()
    };
    assert!(store.has_child(club.id(), zoe.id).await.unwrap());
    let case_of_owner = async || cases::read(&mut &*store, &scope, NOW, worry.id).await.unwrap();
    assert_eq!(case_of_owner().await, Some(None), "the owner is the child's guardian");
    assert!(erase().await, "there was something to erase");
    assert_eq!(listed().await, None);
    store.post_everything().await.unwrap();
    assert!(!store.has_child(club.id(), zoe.id).await.unwrap());
    assert!(store.has_child(club.id(), kim.id).await.unwrap());
    let entries = ledger::entries(&mut &*store, &scope, &Filter::default(), None, 100).await.unwrap();
    assert!(!format!("{entries:?}").contains("Zoë"), "{entries:?}");
    assert_eq!(case_of_owner().await, Some(None), "also after no relation says so any more");
    let newest = &entries[0];
    assert_eq!(newest.reason, None, "a reason about an erased child is not stored");
    let of_child = |it: &&ledger::EntryEffect| it.record_id == zoe.id.uuid();
    let verbs: Vec<&str> = newest.effects.iter().filter(of_child).map(|it| it.verb.as_str()).collect();
    assert!(verbs.contains(&"deleted") && verbs.contains(&"erased"), "{verbs:?}");
    assert!(newest.effects.iter().any(|it| it.record_id == left.id.uuid() && it.verb == "erased"));
    let earlier = entries.iter().skip(1).flat_map(|entry| &entry.effects);
    let images: Vec<_> =
        earlier.filter(|it| it.child == Some(zoe.id) && (it.sealed || it.after.is_some())).collect();
    assert_eq!(images, Vec::<&ledger::EntryEffect>::new(), "no image is left that is sealed for the child");
    assert!(matches!(ledger::verify(store, &scope).await.unwrap(), Verdict::Intact { cleared: 15.., .. }));

    assert!(!erase().await, "nothing is left to erase");
    assert!(store.forget_deleted().await.unwrap());
}
