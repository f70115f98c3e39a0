//! Who runs a command: a member, the operator or a job.

use fieldhouse_api::Operation;
use fieldhouse_commands::{Acting, Error, venues::Change, venues::Create};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::venues::ChangeVenue;
use fieldhouse_store::Store;
use fieldhouse_store::ledger::{self, Filter};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::{databases, leagues};

use crate::{body, job, new_venue, permitted, request, venues};

#[expect(clippy::disallowed_methods, reason = "the test acts as the operator")]
async fn operator(store: &Store, club: &Club, command: Create) {
    let acting = Acting::Operator(store.operator(), club.id());
    fieldhouse_commands::run(store, acting, clubs::moment(), command).await.unwrap();
}

#[tokio::test]
async fn a_command_does_the_same_for_every_actor_and_the_ledger_names_them() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Acting").await;
        let manager = club.person(Role::Manager);
        operator(store, &club, Create(new_venue("Operator"))).await;
        job(store, &club, Create(new_venue("Job"))).await.unwrap();
        request(store, manager, None, Create(new_venue("Member"))).await.unwrap();
        assert_eq!(venues(store, &club).await, ["Job", "Member", "Operator"]);

        store.post(club.id()).await.unwrap();
        let scope = club.owner().scope(store).await;
        let mut left = ledger::entries(&mut &*store, &scope, &Filter::default(), None, 3).await.unwrap();
        left.sort_by_key(|entry| entry.seq);
        let told = left.iter().map(|entry| {
            (entry.operation.as_str(), entry.request_id.as_str(), entry.user_id, entry.effects.len())
        });
        let of_member = ("venues.create", "request", Some(manager.user.id), 1);
        let of_server = ("venues.create", "", None, 1);
        assert_eq!(told.collect::<Vec<_>>(), [of_server, of_server, of_member]);
    }
}

#[tokio::test]
async fn a_member_needs_the_role_of_the_operation() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Roles").await;
        for role in Role::ALL {
            let created = request(store, club.person(role), None, Create(new_venue(role.name()))).await;
            match created {
                Ok(venue) => assert!(role >= Role::Manager, "{venue:?}"),
                Err(Error::Denied(denial)) => {
                    assert_eq!(denial, Denial::RoleInsufficient(Role::Manager));
                    assert!(role < Role::Manager, "{role}");
                }
                Err(error) => panic!("{role}: {error}"),
            }
        }
        assert_eq!(venues(store, &club).await, ["admin", "manager", "owner"]);
    }
}

#[tokio::test]
async fn a_permission_that_does_not_cover_what_a_command_writes_is_refused() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Reach").await;
        let (mine, another) = (leagues::venue("Mine"), leagues::venue("Another"));
        club.create(store, vec![mine.clone().into(), another.clone().into()]).await;
        let requirement = |operation: Operation| operation.row().unwrap().requirement;
        let refused = |result: Result<_, Error>, what: &str| match result {
            Err(Error::Store(fieldhouse_store::Error::Internal(why))) => {
                assert!(why.ends_with("has no permission to write this venue"), "{what}: {why}");
            }
            other => panic!("{what}: {other:?}"),
        };
        let scope = club.owner().scope(store).await;
        let of_season = requirement(Operation::SeasonCreate);
        let created = permitted(store, scope, of_season, None, Create(new_venue("New"))).await;
        refused(created, "another kind");
        let scope = club.owner().scope(store).await;
        let only_target = requirement(Operation::VenueChange);
        // Creating a venue has no target, so that nothing is within reach.
        let created = permitted(store, scope, only_target, None, Create(new_venue("New"))).await;
        refused(created, "no target");
        assert_eq!(venues(store, &club).await, ["Another", "Mine"]);

        let change: ChangeVenue = body(&[("name", "Changed")]);
        let changed = request(store, club.owner(), None, Change { id: mine.id, change }).await.unwrap();
        assert_eq!((changed.id.uuid(), changed.version), (mine.id.uuid(), 2));
        assert_eq!(venues(store, &club).await, ["Another", "Changed"]);
    }
}
