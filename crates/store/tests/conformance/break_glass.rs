//! Break-glass grants.

use fieldhouse_domain::children::break_glass::BreakGlassGrant;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{BreakGlassGrantId, Id as _};
use fieldhouse_domain::mail::MailKind;
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::access_log::{self, Access, AccessLog};
use fieldhouse_store::break_glass::{self, Listed};
use fieldhouse_store::{Principal, Source, Store, mail};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{break_glass, child, guardian, restriction, with_classes};
use fieldhouse_testing::leagues::duty;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub(crate) async fn grants_are_listed_counted_and_told(store: &Store) {
    let club = Club::found(store, "Emergencies").await;
    let (coach, parent, member, manager) = (
        club.person(Role::Coach),
        club.person(Role::Member),
        club.person(Role::Viewer),
        club.person(Role::Manager),
    );
    let kim = child("Kim K.");
    let (kind, state, ends_at) = (DutyKind::SafeguardingLead, DutyState::Accepted, after(24));
    let lead = Duty { kind, state, ends_at, ..duty(manager.user.id) };
    let order = Restriction { user_id: Some(member.user.id), classes: Vec::new(), ..restriction(&kim) };
    let around: [AnyRecord; 4] = [
        guardian(&kim, parent.user.id).into(),
        guardian(&kim, member.user.id).into(),
        order.into(),
        lead.into(),
    ];
    club.create(store, [with_classes(&kim), around.into()].concat()).await;
    let first = BreakGlassGrant { reviewed_at: Some(NOW), ..break_glass(&kim, coach.user.id) };
    let second =
        BreakGlassGrant { starts_at: after(1), created_at: after(1), ..break_glass(&kim, coach.user.id) };
    club.create(store, vec![first.clone().into(), second.clone().into()]).await;

    let named = |grant: &BreakGlassGrant| Listed { grant: grant.clone(), name: "coach".to_owned() };
    let list = async |person: &Person, from| {
        break_glass::list(&mut &*store, &person.scope(store).await, NOW, from, 10).await.unwrap()
    };
    for person in [coach, manager, club.person(Role::Admin), club.owner()] {
        assert_eq!(list(person, None).await, [named(&second), named(&first)]);
    }
    assert_eq!(list(coach, Some((second.created_at, second.id.uuid()))).await, [named(&first)]);
    assert_eq!(list(parent, None).await, []);
    let read = async |person: &Person, id| {
        break_glass::read(&mut &*store, &person.scope(store).await, NOW, id).await.unwrap()
    };
    assert_eq!(read(coach, first.id).await, Some(named(&first)));
    assert_eq!(read(parent, first.id).await, None);
    assert_eq!(read(coach, BreakGlassGrantId::from_uuid(Uuid::nil())).await, None);

    let scope = std::sync::Arc::new(coach.scope(store).await);
    let id = kim.id;
    let checked = store.write("tests.break_glass", async move |tx| {
        let proof = &tx.permit(Principal::Caller(&scope), ANY_MEMBER, None, NOW).await?.expect("a member");
        for (now, expected) in [(after(2), 2), (after(24), 1), (after(400), 1)] {
            let earlier = break_glass::earlier(tx, proof, now).await?;
            assert_eq!(earlier.len(), expected, "those of the last day, and the one without a review");
        }
        assert!(break_glass::has_guardian(tx, proof, id, NOW).await?);
        Ok::<_, fieldhouse_store::Error>(())
    });
    checked.await.unwrap();

    let told = mail::list(&mut &*store, &store.operator(), None, None, 1_000).await.unwrap();
    let told = |kind| {
        let about = told.iter().filter(|mail| mail.kind == kind && mail.record == Some(first.id.uuid()));
        about.map(|mail| mail.recipient.clone()).collect::<Vec<_>>()
    };
    let (parents, owners) = (told(MailKind::BreakGlass), told(MailKind::BreakGlassReview));
    assert_eq!(parents, std::slice::from_ref(&parent.user.email), "not whom a restriction keeps away");
    assert_eq!(owners, std::slice::from_ref(&club.owner().user.email));
    let found = break_glass::of_mail(&mut &*store, club.id(), first.id).await.unwrap().expect("a grant");
    assert_eq!((found.holder.as_str(), found.reviewed_at), ("coach", Some(NOW)));

    // A read in an emergency is made in the transaction that records it.
    let access = Access {
        id: clubs::moment().id(),
        organization: club.id(),
        at: NOW,
        user: coach.user.id,
        key: None,
        class: DataClass::Roster,
        operation: "children.read",
        children: Vec::new(),
    };
    let (log, opened) = (AccessLog::default(), vec![(kim.id, Capacity::BreakGlass)]);
    for is_still_open in [false, true] {
        let opened = opened.clone();
        let read = log.read(store, access.clone(), async move |source| {
            let is_recorded = matches!(source, Source::Transaction(_));
            let seen = if is_recorded && !is_still_open { Vec::new() } else { opened.clone() };
            Ok((is_recorded, seen))
        });
        assert!(read.await.unwrap(), "what the transaction found");
    }
    let wanted = Requirement { child: ChildTouch::Listed { class: DataClass::Records }, ..ANY_MEMBER };
    let scope = parent.scope_for(store, wanted).await.children::<Records>(NOW).unwrap();
    let seen = access_log::of_child(&mut &*store, &scope, kim.id, None, 10).await.unwrap().expect("a family");
    assert_eq!(seen.len(), 1, "it is recorded already, and not if the transaction found nothing");
}
