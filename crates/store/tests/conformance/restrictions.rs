//! Restrictions on children's data.

use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{ChildId, Id as _, UserId};
use fieldhouse_domain::policy::{Denial, Relation, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_store::restrictions::{self, Found, Listed};
use fieldhouse_store::{Principal, Store, members};
use fieldhouse_testing::clubs::{ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, restriction, with_classes};
use fieldhouse_testing::leagues::duty;
use jiff::SignedDuration;
use uuid::Uuid;

const KIND: DutyKind = DutyKind::SafeguardingLead;

fn lead(user: UserId) -> AnyRecord {
    let ends_at = NOW.saturating_add(SignedDuration::from_hours(24)).unwrap();
    Duty { kind: KIND, state: DutyState::Accepted, ends_at, ..duty(user) }.into()
}

pub(crate) async fn are_listed_for_leads_who_are_not_of_the_family(store: &Store) {
    let club = Club::found(store, "Restrictions One").await;
    let (coach, parent) = (club.person(Role::Coach), club.person(Role::Member));
    let (kim, lee) = (child("Kim K."), child("Lee L."));
    let later = NOW.saturating_add(SignedDuration::from_hours(1)).unwrap();
    let for_all = restriction(&kim);
    let order = Restriction { user_id: Some(parent.user.id), created_at: later, ..restriction(&kim) };
    let future = Restriction { user_id: Some(coach.user.id), starts_at: later, ..restriction(&lee) };
    let records: Vec<AnyRecord> = with_classes(&kim).into_iter().chain(with_classes(&lee)).collect();
    let opens: [AnyRecord; 3] =
        [guardian(&kim, parent.user.id).into(), lead(coach.user.id), lead(parent.user.id)];
    let closes: [AnyRecord; 3] = [for_all.clone().into(), order.clone().into(), future.into()];
    club.create(store, [records, opens.into(), closes.into()].concat()).await;

    let list = async |person: &Person, child: ChildId, after| {
        restrictions::list(&mut &*store, &person.scope(store).await, child, NOW, after, 10).await.unwrap()
    };
    let named = Listed { restriction: order.clone(), name: Some("member".to_owned()) };
    let unnamed = Listed { restriction: for_all.clone(), name: None };
    assert_eq!(list(coach, kim.id, None).await, Found::Restrictions(vec![named.clone(), unnamed.clone()]));
    let after = Some((order.created_at, order.id.uuid()));
    assert_eq!(list(coach, kim.id, after).await, Found::Restrictions(vec![unnamed]));
    assert_eq!(list(coach, kim.id, Some((NOW, Uuid::nil()))).await, Found::Restrictions(vec![]));
    assert_eq!(list(coach, ChildId::from_uuid(Uuid::nil()), None).await, Found::NoChild);
    assert_eq!(list(parent, kim.id, None).await, Found::NotOnDuty, "of the family");
    assert!(matches!(list(parent, lee.id, None).await, Found::Restrictions(_)), "of another family");
    assert_eq!(list(club.owner(), kim.id, None).await, Found::NotOnDuty, "no lead");

    let required = Requirement { relation: Relation::OnDuty { kind: KIND, unless: None }, ..ANY_MEMBER };
    for (person, expected) in [(coach, Ok(())), (club.owner(), Err(Denial::NotOnDuty(KIND)))] {
        let scope = std::sync::Arc::new(person.scope(store).await);
        let permitted = store.write("tests.restrictions", async move |tx| {
            Ok::<_, fieldhouse_store::Error>(
                tx.permit(Principal::Caller(&scope), required, None, NOW).await?.map(drop),
            )
        });
        assert_eq!(permitted.await.unwrap(), expected);
    }
    let scope = std::sync::Arc::new(coach.scope(store).await);
    let (kim, lee, order, people) = (kim.id, lee.id, named, [parent.user.id, UserId::from_uuid(Uuid::nil())]);
    let checked = store.write("tests.restrictions", async move |tx| {
        let proof = &tx.permit(Principal::Caller(&scope), ANY_MEMBER, None, NOW).await?.expect("a member");
        assert_eq!(restrictions::read(tx, proof, order.restriction.id).await?, Some(order.clone()));
        assert_eq!(restrictions::named(tx, proof, kim, NOW).await?, [people[0]]);
        assert_eq!(restrictions::named(tx, proof, lee, NOW).await?, [], "it has not started");
        assert!(
            tx.has_child(proof, kim).await? && !tx.has_child(proof, ChildId::from_uuid(Uuid::nil())).await?
        );
        let known =
            [members::is_known(tx, proof, people[0]).await?, members::is_known(tx, proof, people[1]).await?];
        assert_eq!(known, [true, false]);
        Ok::<_, fieldhouse_store::Error>(())
    });
    checked.await.unwrap();
}
