//! Children: read through a relation, class by class, and the access log.

use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::children::{Child, shown};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::policy::{ChildTouch, Denial, Requirement};
use fieldhouse_domain::record::Record;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_store::access::children::{
    ChildScope, Class, Contact, Emergency, Identity, Medical, Performance, Profile, Read, Records, Roster,
};
use fieldhouse_store::access_log::{self, Access, AccessLog};
use fieldhouse_store::children::{self, ListedRecord};
use fieldhouse_store::{Error, Principal, Store};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, parsed, season, team};
use jiff::SignedDuration;

pub(crate) fn requirement(class: DataClass) -> Requirement {
    Requirement { child: ChildTouch::InPath { class, verb: Verb::Read, parameter: "id" }, ..ANY_MEMBER }
}

pub(crate) async fn scope<C: Class>(store: &Store, person: &Person) -> ChildScope<C> {
    person.scope_for(store, requirement(C::CLASS)).await.children(NOW).unwrap()
}

/// Creates a child with a guardian in a team, and returns it.
async fn family(store: &Store, club: &Club, parent: &Person) -> Child {
    let winter = season("Winter");
    let boys = division(&winter, "Boys");
    let eagles = team(&boys, "Eagles");
    let child = child("Kim K.");
    let around = [AnyRecord::from(winter), boys.into(), eagles.clone().into()];
    let of_child = [AnyRecord::from(guardian(&child, parent.user.id)), roster_entry(&eagles, &child).into()];
    let records = around.into_iter().chain(with_classes(&child)).chain(of_child).collect();
    club.create(store, records).await;
    child
}

async fn opens<C: ListedRecord>(store: &Store, parent: &Person, stranger: &Person, child: &Child) {
    let read = children::read(&mut &*store, &scope::<C>(store, parent).await, child.id).await.unwrap();
    let read = read.expect("a guardian's");
    assert_eq!((read.capacity, read.data.id().uuid()), (Capacity::Guardian, child.id.uuid()), "{}", C::CLASS);
    let closed = scope::<C>(store, stranger).await;
    assert_eq!(children::read(&mut &*store, &closed, child.id).await.unwrap().map(|it| it.capacity), None);
    assert_eq!(closed.denial(&mut &*store, child.id).await.unwrap(), Denial::ChildHidden);
}

pub(crate) async fn each_class_is_read_through_a_relation(store: &Store) {
    let club = Club::found(store, "Families One").await;
    let (parent, owner) = (club.person(Role::Member), club.owner());
    let child = family(store, &club, parent).await;
    opens::<Profile>(store, parent, owner, &child).await;
    opens::<Identity>(store, parent, owner, &child).await;
    opens::<Contact>(store, parent, owner, &child).await;
    opens::<Emergency>(store, parent, owner, &child).await;
    opens::<Performance>(store, parent, owner, &child).await;

    let (of_parent, of_owner) = (scope::<Roster>(store, parent).await, scope::<Roster>(store, owner).await);
    let list = children::list(&mut &*store, &of_parent, None, 10).await.unwrap().expect("a list");
    let line = children::read_line(&mut &*store, &of_parent, child.id).await.unwrap().expect("the line");
    assert_eq!(list, std::slice::from_ref(&line));
    let names = |child: &shown::Child| child.teams.iter().map(|team| team.name.clone()).collect::<Vec<_>>();
    assert_eq!(parsed(&list).iter().map(names).collect::<Vec<_>>(), [["Eagles"]]);
    assert_eq!(children::list(&mut &*store, &of_owner, None, 10).await.unwrap(), Some(vec![]));
    assert_eq!(store.render_children(club.id()).await.unwrap(), 0, "of this version");
    let rest = children::list(&mut &*store, &of_parent, Some(child.id.uuid()), 10).await.unwrap();
    assert_eq!(rest, Some(vec![]), "after the last child");
    let unknown = uuid::Uuid::from_u128(7);
    let gone = children::list(&mut &*store, &of_parent, Some(unknown), 10).await.unwrap();
    assert_eq!(gone, None, "the child of the cursor does not exist");

    let scope = std::sync::Arc::new(parent.scope_for(store, requirement(DataClass::Medical)).await);
    let id = child.id;
    let medical = store.write("tests.medical", async move |tx| {
        let wanted = requirement(DataClass::Medical);
        let proof =
            tx.permit(Principal::Caller(&scope), wanted, Some(id.uuid()), NOW).await?.expect("a guardian");
        let access = tx.open::<Medical, Read>(&proof, id).await?.expect("a guardian's");
        let record = children::record(tx, &access).await?;
        let read = access_of(&proof, &access);
        access_log::record(tx, read).await?;
        Ok::<_, Error>(record)
    });
    assert_eq!(medical.await.unwrap().child(), child.id);
}

fn access_of(
    proof: &fieldhouse_store::OrgWrite<'_>,
    access: &fieldhouse_store::access::children::ChildAccess<'_, Medical, Read>,
) -> Access {
    Access {
        id: clubs::moment().id(),
        organization: access.organization(),
        at: NOW,
        user: proof.actor().user.unwrap(),
        key: None,
        class: DataClass::Medical,
        operation: "children.medical.read",
        children: vec![(access.child(), access.capacity())],
    }
}

pub(crate) async fn reads_are_recorded_shown_to_the_family_and_purged(store: &Store) {
    let club = Club::found(store, "Families Two").await;
    let (parent, coach) = (club.person(Role::Member), club.person(Role::Coach));
    let child = family(store, &club, parent).await;
    let log = AccessLog::default();
    let read = |hours: i64, capacity| Access {
        id: clubs::moment().id(),
        organization: club.id(),
        at: NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap(),
        user: coach.user.id,
        key: None,
        class: DataClass::Contact,
        operation: "children.contact.read",
        children: vec![(child.id, capacity)],
    };
    for (hours, capacity) in [(0, Capacity::Staff), (1, Capacity::Guardian), (2, Capacity::Staff)] {
        log.note(store, read(hours, capacity)).await.unwrap();
    }
    let records = scope::<Records>(store, parent).await;
    let shown = async || {
        let events = access_log::of_child(&mut &*store, &records, child.id, None, 10).await.unwrap();
        events.expect("the family's").into_iter().map(|it| (it.at, it.name, it.capacity)).collect::<Vec<_>>()
    };
    assert_eq!(shown().await, [], "it waits to be written");
    log.flush(store).await.unwrap();
    let name = Some("coach".to_owned());
    let seen = |hours: i64| {
        (NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap(), name.clone(), Capacity::Staff)
    };
    assert_eq!(shown().await, [seen(2), seen(0)], "without the guardian's own reads");
    let closed = scope::<Records>(store, coach).await;
    assert_eq!(access_log::of_child(&mut &*store, &closed, child.id, None, 10).await.unwrap(), None);

    store.purge_access_reads(NOW.saturating_add(SignedDuration::from_hours(1)).unwrap()).await.unwrap();
    assert_eq!(shown().await, [seen(2)]);
}
