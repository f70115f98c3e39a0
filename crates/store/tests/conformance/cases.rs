//! Safeguarding cases.

use std::sync::Arc;

use fieldhouse_domain::children::cases::{CaseState, SafeguardingCase};
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{Id as _, SafeguardingCaseId, UserId};
use fieldhouse_domain::mail::MailKind;
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_store::access::children::{Read, Records};
use fieldhouse_store::access_log::{self, Access};
use fieldhouse_store::{Principal, Store, cases, exports, mail, relations};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{case, child, guardian, with_classes};
use fieldhouse_testing::leagues::duty;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::children::requirement;

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

fn lead(user: UserId) -> AnyRecord {
    let (kind, ends_at) = (DutyKind::SafeguardingLead, after(24 * 100));
    Duty { kind, state: DutyState::Accepted, ends_at, ..duty(user) }.into()
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub(crate) async fn are_seen_by_leads_and_admins_who_are_not_of_the_family(store: &Store) {
    let club = Club::found(store, "Cases One").await;
    let (coach, admin, member) =
        (club.person(Role::Coach), club.person(Role::Admin), club.person(Role::Member));
    let (kim, lee) = (child("Kim K."), child("Lee L."));
    let first = SafeguardingCase { state: CaseState::Proposed, ends_at: None, ..case(&kim, coach.user.id) };
    let closed =
        SafeguardingCase { state: CaseState::Closed, created_at: after(1), ..case(&lee, coach.user.id) };
    let records: Vec<AnyRecord> = with_classes(&kim).into_iter().chain(with_classes(&lee)).collect();
    let owner = club.owner().user.id;
    let around: [AnyRecord; 3] = [guardian(&kim, owner).into(), lead(coach.user.id), lead(owner)];
    let both: [AnyRecord; 2] = [first.clone().into(), closed.clone().into()];
    club.create(store, [records, around.into(), both.into()].concat()).await;

    let list = async |person: &Person, from| {
        cases::list(&mut &*store, &person.scope(store).await, NOW, from, 10).await.unwrap()
    };
    assert_eq!(list(coach, None).await, Some(vec![closed.clone(), first.clone()]));
    assert_eq!(list(coach, Some((closed.created_at, closed.id.uuid()))).await, Some(vec![first.clone()]));
    assert_eq!(list(coach, Some((NOW, Uuid::nil()))).await, Some(vec![]));
    assert_eq!(list(admin, None).await, Some(vec![first.clone()]), "not closed");
    assert_eq!(list(club.owner(), None).await, Some(vec![closed.clone()]), "not of their own child");
    assert_eq!(list(member, None).await, None, "neither a lead nor an admin");
    let read = async |person: &Person, id| {
        cases::read(&mut &*store, &person.scope(store).await, NOW, id).await.unwrap()
    };
    assert_eq!(read(coach, closed.id).await, Some(Some(closed.clone())));
    assert_eq!(read(admin, closed.id).await, Some(None));
    assert_eq!(read(club.owner(), first.id).await, Some(None));
    assert_eq!(read(member, first.id).await, None);
    assert_eq!(read(coach, SafeguardingCaseId::from_uuid(Uuid::nil())).await, Some(None));

    let scope = std::sync::Arc::new(coach.scope(store).await);
    let (kim, people) = (kim.id, [coach.user.id, owner]);
    let checked = store.write("tests.cases", async move |tx| {
        let proof = &tx.permit(Principal::Caller(&scope), ANY_MEMBER, None, NOW).await?.expect("a member");
        assert_eq!(relations::family(tx, proof, kim).await?, [people[1]]);
        let mut leads = cases::leads(tx, proof, NOW).await?;
        leads.sort_unstable_by_key(|lead| *lead != people[0]);
        assert_eq!(leads, people);
        Ok::<_, fieldhouse_store::Error>(())
    });
    checked.await.unwrap();
    let told = mail::list(&mut &*store, &store.operator(), None, None, 1_000).await.unwrap();
    let told: Vec<_> = told.into_iter().filter(|mail| mail.kind == MailKind::CaseProposed).collect();
    assert!(told.is_empty(), "the only owner is of the family: {told:?}");
    let found = cases::of_mail(&mut &*store, club.id(), first.id).await.unwrap().expect("a case");
    assert_eq!((found.0, found.1.organization.as_str()), (first, "Cases One"));
}

pub(crate) async fn hide_what_was_read_for_them_until_they_are_closed(store: &Store) {
    let club = Club::found(store, "Cases Two").await;
    let (coach, parent) = (club.person(Role::Coach), club.person(Role::Member));
    let kim = child("Kim K.");
    let open = case(&kim, coach.user.id);
    let around: [AnyRecord; 3] =
        [guardian(&kim, parent.user.id).into(), lead(coach.user.id), open.clone().into()];
    club.create(store, [with_classes(&kim), around.into()].concat()).await;
    let mut ids = Vec::new();
    for (minutes, capacity) in
        [(-1, Capacity::Safeguarding), (0, Capacity::Safeguarding), (1, Capacity::Staff)]
    {
        let access = Access {
            id: clubs::moment().id(),
            organization: club.id(),
            at: NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap(),
            user: coach.user.id,
            key: None,
            class: DataClass::Contact,
            operation: "children.contact.read",
            children: vec![(kim.id, capacity)],
        };
        ids.push(access.id);
        let written =
            store.write("tests.cases", async move |tx| access_log::record(tx, access.clone()).await);
        written.await.unwrap();
    }
    let class = DataClass::Records;
    let wanted = Requirement { child: ChildTouch::Listed { class }, ..ANY_MEMBER };
    let scope = parent.scope_for(store, wanted).await;
    let seen = async |now| {
        let scope = scope.children::<Records>(now).unwrap();
        let events = access_log::of_child(&mut &*store, &scope, kim.id, None, 10).await.unwrap();
        events.unwrap().into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let all: Vec<_> = ids.iter().rev().copied().collect();
    let hidden = vec![ids[2], ids[0]];
    assert_eq!(seen(NOW).await, hidden, "what was read before the case, and as staff");
    let requested = Arc::new(parent.scope_for(store, requirement(class)).await);
    let copied = store.write("tests.export", async move |tx| {
        let caller = Principal::Caller(&requested);
        let proof = tx.permit(caller, requirement(class), Some(kim.id.uuid()), NOW).await?;
        let access = tx.open::<Records, Read>(&proof.expect("a guardian"), kim.id).await?;
        exports::of_child(tx, &access.expect("a guardian's"), NOW).await
    });
    let copied: Vec<_> = copied.await.unwrap().access_log.into_iter().rev().map(|event| event.id).collect();
    assert_eq!(copied, hidden, "nor in a copy of the child's data");
    assert_eq!(seen(after(1 + 30 * 24 - 1)).await, hidden, "it has ended, and may be confirmed again");
    assert_eq!(seen(after(1 + 30 * 24)).await, all, "it ended long ago");
    let is_open = async || {
        clubs::write(store, club.id(), async move |tx, proof| cases::is_open_about(tx, proof, kim.id).await)
            .await
            .unwrap()
    };
    assert!(is_open().await);
    let closed = SafeguardingCase { state: CaseState::Closed, closed_at: Some(NOW), ..open.clone() };
    let close = Effect::update(&clubs::moment(), open, closed).expect("a change");
    clubs::apply(store, club.id(), vec![close]).await.unwrap();
    assert_eq!(seen(NOW).await, all, "closed");
    assert!(!is_open().await);
}
