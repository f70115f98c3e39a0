//! The access log: children who are seen together are stored once, and what was recorded before that is shown alike.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::access_log::{self, Access, AccessLog, Event, Seen};
use fieldhouse_store::{Store, migrations};
use fieldhouse_testing::clubs::{ANY_MEMBER, Club, NOW, moment};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::families::{child, guardian};
use jiff::{SignedDuration, Timestamp};

/// Kim and Lee have one guardian.
struct Family {
    club: Club,
    kim: Child,
    lee: Child,
}

impl Family {
    async fn found(store: &Store) -> Self {
        let club = Club::found(store, "Riverside").await;
        let (kim, lee) = (child("Kim K."), child("Lee L."));
        let parent = club.person(Role::Member).user.id;
        let of = |child: &Child| [AnyRecord::from(child.clone()), guardian(child, parent).into()];
        club.create(store, [of(&kim), of(&lee)].into_iter().flatten().collect()).await;
        Self { club, kim, lee }
    }

    /// The coach sees children, some hours from now.
    async fn sees(&self, store: &Store, hours: i64, children: Seen) {
        let access = Access {
            id: moment().id(),
            organization: self.club.id(),
            at: hours_from_now(hours),
            user: self.club.person(Role::Coach).user.id,
            key: None,
            class: DataClass::Roster,
            operation: "children.list",
            children,
        };
        let log = AccessLog::default();
        log.note(store, access).await.unwrap();
        log.flush(store).await.unwrap();
    }

    /// What the guardian reads of each child, latest first.
    async fn reads(&self, store: &Store) -> [Vec<Event>; 2] {
        let child = ChildTouch::InPath { class: DataClass::Records, verb: Verb::Read, parameter: "id" };
        let scope =
            self.club.person(Role::Member).scope_for(store, Requirement { child, ..ANY_MEMBER }).await;
        let scope = scope.children::<Records>(NOW).unwrap();
        let of = async |child: &Child| {
            access_log::of_child(&mut &*store, &scope, child.id, None, 10)
                .await
                .unwrap()
                .expect("the family's")
        };
        [of(&self.kim).await, of(&self.lee).await]
    }

    /// When each child was seen, in hours from now.
    async fn hours(&self, store: &Store) -> [Vec<i64>; 2] {
        let hours = |event: Event| event.at.duration_since(NOW).as_hours();
        self.reads(store).await.map(|events| events.into_iter().map(hours).collect())
    }
}

fn hours_from_now(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

/// How many children all groups have together, and how many reads there are.
fn stored(database: &Database) -> [usize; 2] {
    ["access_groups", "access_reads"].map(|table| database.dump().get(table).map_or(0, Vec::len))
}

#[tokio::test]
async fn children_who_are_seen_together_are_stored_once_and_purged_with_their_last_read() {
    for database in databases::both() {
        let store = database.open().await;
        let family = Family::found(&store).await;
        let (kim, lee) = (family.kim.id, family.lee.id);
        let both = vec![(kim, Capacity::Staff), (lee, Capacity::Staff)];
        let turned = vec![(lee, Capacity::Staff), (kim, Capacity::Staff)];
        for (hours, children) in [(1, both.clone()), (2, turned), (4, both)] {
            family.sees(&store, hours, children).await;
        }
        assert_eq!(stored(&database), [2, 3], "one group of two");
        family.sees(&store, 3, vec![(kim, Capacity::Staff)]).await;
        family.sees(&store, 5, vec![(kim, Capacity::Registrar), (lee, Capacity::Staff)]).await;
        assert_eq!(stored(&database), [5, 5], "alone, and in another capacity");
        assert_eq!(family.hours(&store).await, [vec![5, 4, 3, 2, 1], vec![5, 4, 2, 1]]);

        assert_eq!(store.purge_access_reads(hours_from_now(4)).await.unwrap(), 3);
        assert_eq!(family.hours(&store).await, [vec![5, 4], vec![5, 4]]);
        assert_eq!(stored(&database), [4, 2], "no one needs the group of Kim alone");
        store.purge_access_reads(hours_from_now(6)).await.unwrap();
        assert_eq!((family.hours(&store).await, stored(&database)), ([vec![], vec![]], [0, 0]));
    }
}

#[tokio::test]
async fn reads_of_before_there_were_groups_are_shown_as_those_of_today() {
    for database in databases::both() {
        let store = database.open().await;
        let family = Family::found(&store).await;
        let (kim, lee) = ((family.kim.id, Capacity::Staff), (family.lee.id, Capacity::Registrar));
        for (hours, children) in [(1, vec![kim, lee]), (2, vec![lee]), (3, vec![lee, kim])] {
            family.sees(&store, hours, children).await;
        }
        let before = family.reads(&store).await;
        let step = migrations::ALL.iter().find(|step| step.name == "access_groups").expect("the step");
        database.execute(
            "CREATE TABLE access_events AS SELECT r.org_id, r.id, g.child_id, r.at, r.user_id, r.key_id, g.capacity, r.class, r.operation
                FROM access_reads r JOIN access_groups g ON g.org_id = r.org_id AND g.id = r.group_id;
             DROP TABLE access_reads; DROP TABLE access_groups;",
        );
        database.execute(&step.sql(database.engine()));
        let store = database.open().await;
        assert_eq!((family.reads(&store).await, stored(&database)), (before, [5, 3]));
    }
}
