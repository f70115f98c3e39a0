//! Relations of people to children.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::relations::{Relation, RelationKind, RelationState};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, Id as _, OrganizationId, UserId};
use fieldhouse_domain::mail::{MailKind, MailStatus};
use fieldhouse_domain::policy::{ChildTouch, Denial, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::text::Email;
use fieldhouse_store::access::children::{ChildScope, Class, Records, Roster};
use fieldhouse_store::relations::Listed;
use fieldhouse_store::{Error, Principal, Store, children, mail, relations};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, restriction, with_classes};
use jiff::{SignedDuration, Timestamp};

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

fn requirement(child: ChildTouch) -> Requirement {
    Requirement { child, ..ANY_MEMBER }
}

async fn scope<C: Class>(store: &Store, person: &Person) -> ChildScope<C> {
    let touch = ChildTouch::Listed { class: C::CLASS };
    person.scope_for(store, requirement(touch)).await.children(NOW).unwrap()
}

/// A relation that waits for a second person, created some hours later.
fn waiting(child: &Child, user: UserId, hours: i64) -> Relation {
    let state = RelationState::Proposed;
    Relation { state, accepted_at: None, created_at: after(hours), ..guardian(child, user) }
}

fn found(list: Vec<Listed>) -> Vec<Relation> {
    list.into_iter().map(|it| it.relation).collect()
}

pub(crate) async fn are_listed_for_their_people_managers_and_the_family(store: &Store) {
    let (club, other) =
        (Club::found(store, "Relations One").await, Club::found(store, "Relations Two").await);
    let (parent, coach, manager) =
        (club.person(Role::Member), club.person(Role::Coach), club.person(Role::Manager));
    let (zoe, theirs) = (child("Zoë M."), child("Kim K."));
    let own = Relation { created_at: after(1), ..guardian(&zoe, parent.user.id) };
    let proposed = waiting(&zoe, coach.user.id, 2);
    let ending = Relation {
        kind: RelationKind::Support,
        expires_at: Some(after(10)),
        ..waiting(&zoe, coach.user.id, 3)
    };
    let of_manager = waiting(&zoe, manager.user.id, 4);
    let of_others: [AnyRecord; 4] = [&own, &proposed, &ending, &of_manager].map(|it| it.clone().into());
    club.create(store, with_classes(&zoe).into_iter().chain(of_others).collect()).await;
    let neighbour = waiting(&theirs, other.person(Role::Coach).user.id, 5);
    other.create(store, with_classes(&theirs).into_iter().chain([neighbour.into()]).collect()).await;

    let reader = &mut &*store;
    for (person, hours, expected) in [
        (parent, 0, vec![&own]),
        (coach, 0, vec![&ending, &proposed]),
        (manager, 0, vec![&of_manager, &ending, &proposed]),
        (manager, 10, vec![&of_manager, &proposed]),
        (club.owner(), 0, vec![&of_manager, &ending, &proposed]),
    ] {
        let scope = person.scope(store).await;
        let list = relations::list(reader, &scope, after(hours), None, 10).await.unwrap();
        assert_eq!(found(list).iter().collect::<Vec<_>>(), expected, "{} after {hours}", person.user.name);
    }
    let scope_of_manager = manager.scope(store).await;
    let position = Some((ending.created_at, ending.id.uuid()));
    let rest = relations::list(reader, &scope_of_manager, NOW, position, 10).await.unwrap();
    assert_eq!(rest.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["coach"]);
    assert_eq!(found(rest), std::slice::from_ref(&proposed));
    assert_eq!(relations::list(reader, &scope_of_manager, NOW, None, 2).await.unwrap().len(), 2);

    let records = scope::<Records>(store, parent).await;
    let all = relations::of_child_listed(reader, &records, zoe.id, None, 10).await.unwrap();
    let expected = [of_manager.clone(), ending.clone(), proposed.clone(), own.clone()];
    assert_eq!(all.map(found), Some(expected.to_vec()));
    let rest = relations::of_child_listed(reader, &records, zoe.id, position, 1).await.unwrap();
    assert_eq!(rest.map(found), Some(vec![proposed]));
    let first = Some((own.created_at, own.id.uuid()));
    let none = relations::of_child_listed(reader, &records, zoe.id, first, 1).await.unwrap();
    assert_eq!(none, Some(vec![]), "the child is open, and no relation is older");
    for person in [manager, club.owner(), coach] {
        let closed = scope::<Records>(store, person).await;
        let all = relations::of_child_listed(reader, &closed, zoe.id, None, 10).await.unwrap();
        assert_eq!(all, None, "no role opens a child's records");
    }
    let missing = relations::of_child_listed(reader, &records, theirs.id, None, 10).await.unwrap();
    assert_eq!(missing, None, "another club's");
}

pub(crate) async fn are_a_family_while_they_are_open(store: &Store) {
    let club = Club::found(store, "Relations Three").await;
    let parent = club.person(Role::Member);
    let user = parent.user.id;
    let [zoe, kim, sam, alex] = ["Zoë M.", "Kim K.", "Sam S.", "Alex A."].map(child);
    let active = [
        guardian(&zoe, user),
        Relation { kind: RelationKind::Itself, ..guardian(&kim, user) },
        Relation { kind: RelationKind::MedicalStaff, expires_at: Some(after(9)), ..guardian(&sam, user) },
        waiting(&alex, user, 0),
    ];
    // The table derives the capacity from the kind.
    let records = [&zoe, &kim, &sam, &alex].into_iter().flat_map(with_classes);
    club.create(store, records.chain(active.map(AnyRecord::from)).collect()).await;
    let family = async || {
        let scope = scope::<Roster>(store, parent).await;
        let own = children::family(&mut &*store, &scope).await.unwrap();
        own.into_iter().map(|it| (it.display_name, it.kind)).collect::<Vec<_>>()
    };
    let expected =
        [("Kim K.".to_owned(), RelationKind::Itself), ("Zoë M.".to_owned(), RelationKind::Guardian)];
    assert_eq!(family().await, expected, "by name");
    let touch = ChildTouch::Listed { class: DataClass::Roster };
    let of_parent = std::sync::Arc::new(parent.scope_for(store, requirement(touch)).await);
    let within = store.write("tests.family", async move |tx| {
        let permitted = tx.permit(Principal::Caller(&of_parent), requirement(touch), None, NOW).await?;
        let proof = permitted.expect("a member");
        Ok::<_, Error>(children::family_of(tx, &proof).await?.len())
    });
    assert_eq!(within.await.unwrap(), 2, "the same in a transaction");
    let order = Restriction { user_id: Some(user), classes: Vec::new(), ..restriction(&zoe) };
    club.create(store, vec![order.into()]).await;
    assert_eq!(family().await, expected[..1], "a restriction overrides every relation");
}

/// What a manager and a member, who have no relation, may do by a child's id.
async fn permitted(store: &Store, person: &Person, child: ChildId) -> Result<(), Denial> {
    let (class, verb) = (DataClass::Records, Verb::Write);
    let touch = ChildTouch::InPathUnless { class, verb, parameter: "id", unless: Role::Manager };
    let scope = std::sync::Arc::new(person.scope_for(store, requirement(touch)).await);
    let permitted = store.write("tests.propose", async move |tx| {
        let wanted = requirement(touch);
        let permitted = tx.permit(Principal::Caller(&scope), wanted, Some(child.uuid()), NOW).await?;
        Ok::<_, Error>(permitted.map(drop))
    });
    permitted.await.unwrap()
}

pub(crate) async fn are_proposed_decided_and_told(store: &Store) {
    let (club, other) =
        (Club::found(store, "Relations Four").await, Club::found(store, "Relations Five").await);
    let (parent, coach, manager) =
        (club.person(Role::Member), club.person(Role::Coach), club.person(Role::Manager));
    let zoe = child("Zoë M.");
    let own = guardian(&zoe, parent.user.id);
    let proposed = Relation { proposed_by: Some(parent.user.id), ..waiting(&zoe, coach.user.id, 0) };
    let related = [own.clone().into(), proposed.clone().into()];
    club.create(store, with_classes(&zoe).into_iter().chain(related).collect()).await;
    assert_eq!(permitted(store, parent, zoe.id).await, Ok(()));
    assert_eq!(permitted(store, manager, zoe.id).await, Ok(()), "by the child's id");
    assert_eq!(permitted(store, coach, zoe.id).await, Err(Denial::ChildHidden));
    let unknown = ChildId::from_uuid(uuid::Uuid::from_u128(7));
    assert_eq!(permitted(store, manager, unknown).await, Err(Denial::ChildHidden));
    assert_eq!(permitted(store, other.owner(), zoe.id).await, Err(Denial::ChildHidden), "another club's");

    let change = Relation { state: RelationState::Confirmed, ..proposed.clone() };
    let change = Effect::update(&clubs::moment(), proposed.clone(), change);
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    let told = |kind, person: &Person| (kind, Some(club.id()), person.user.email.clone());
    let expected = [told(MailKind::RelationProposed, club.owner()), told(MailKind::RelationWaiting, coach)];
    assert_eq!(messages(store, &proposed).await, expected);
    let (listed, proposing) =
        relations::of_mail(&mut &*store, club.id(), proposed.id).await.unwrap().expect("the message's");
    assert_eq!((listed.name.as_str(), proposing.organization.as_str()), ("coach", "Relations Four"));
    assert_eq!(proposing.proposer.as_deref(), Some("member"));
    assert_eq!(relations::of_mail(&mut &*store, other.id(), proposed.id).await.unwrap(), None);

    clubs::apply(store, club.id(), vec![Effect::delete(coach.member.clone())]).await.unwrap();
    let (child, user, id) = (zoe.id, coach.user.id, proposed.id);
    let read = clubs::write(store, club.id(), async move |tx, proof| {
        let read = relations::read(tx, proof, id).await?.map(|it| it.relation);
        let (of_child, of_user) =
            (relations::of_child(tx, proof, child).await?, relations::of_user(tx, proof, user).await?);
        Ok((read, of_child, of_user))
    });
    let (read, of_child, of_user) = read.await.unwrap();
    let expired = read.expect("it is kept");
    assert_eq!(expired.state, RelationState::Expired, "its person was removed");
    assert_eq!(of_user, std::slice::from_ref(&expired));
    assert_eq!(of_child.iter().map(|it| it.id).collect::<Vec<_>>(), [own.id, expired.id]);
    let again = waiting(&zoe, user, 6);
    club.create(store, vec![again.into()]).await;
}

/// The messages about a relation that wait, by their kind.
#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
async fn messages(store: &Store, relation: &Relation) -> Vec<(MailKind, Option<OrganizationId>, Email)> {
    let operator = store.operator();
    let all = mail::list(&mut &*store, &operator, Some(MailStatus::Waiting), None, 1_000).await.unwrap();
    let about = all.into_iter().filter(|mail| mail.record == Some(relation.id.uuid()));
    let mut about: Vec<_> = about.map(|mail| (mail.kind, mail.organization, mail.recipient)).collect();
    about.sort_by_key(|(kind, ..)| *kind);
    about
}
