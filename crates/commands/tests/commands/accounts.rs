//! Members, passwords and sessions: what happens between the check of a fact and the transaction.

use fieldhouse_commands::auth::{ChangePassword, SignIn};
use fieldhouse_commands::members::{Change, Remove};
use fieldhouse_commands::{Authority, Command, Error, WriteContext};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::members::{ChangeMember, Member};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sessions::Client;
use fieldhouse_domain::users::User;
use fieldhouse_store::{Principal, Store, access};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::databases;

use crate::{job, request};

/// Signs in a user whose password was verified when they were as `user` says.
async fn sign_in(store: &Store, person: &Person, user: User) -> Result<Role, Error> {
    let (organization, user_id) = (person.organization, person.user.id);
    let mint = Box::new(|_, generation| (format!("token {generation}"), [9; 32]));
    let client = Client { user_agent: None, ip: None };
    let command = SignIn { user, client, mint };
    let moment = clubs::moment();
    store
        .write("auth.login", async move |tx| {
            let moment = moment.again();
            let proven = Principal::Proven(user_id, organization);
            let requirement = SignIn::OPERATION.row().unwrap().requirement;
            let proof = tx.permit(proven, requirement, None, NOW).await?;
            let mut cx = WriteContext::new(Authority::Organization(proof?), SignIn::OPERATION, &moment);
            Ok(command.run(tx, &mut cx).await?.role)
        })
        .await
}

fn password(person: &Person, verified: Option<&str>, hash: &str) -> ChangePassword {
    ChangePassword {
        verified: verified.map(str::to_owned),
        hash: hash.to_owned(),
        session: Some(person.session.id),
    }
}

async fn is_valid(store: &Store, person: &Person) -> bool {
    access::identify(&mut &*store, &person.by_session(), NOW).await.unwrap().is_ok()
}

#[tokio::test]
async fn a_password_that_changed_since_it_was_verified_is_not_accepted() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Passwords").await;
        let coach = club.person(Role::Coach);
        assert_eq!(sign_in(store, coach, coach.user.clone()).await.unwrap(), Role::Coach);
        let ended = request(store, coach, None, password(coach, None, "first")).await.unwrap();
        assert_eq!(ended, Some(1), "the session just opened, but not that of the request");
        assert!(is_valid(store, coach).await);

        let stale = sign_in(store, coach, coach.user.clone()).await;
        assert!(matches!(stale, Err(Error::Denied(Denial::Unknown))), "{stale:?}");
        let stale = request(store, coach, None, password(coach, None, "second")).await.unwrap();
        assert_eq!(stale, None, "changed in the meantime");
        let now = User { password_hash: Some("first".to_owned()), ..coach.user.clone() };
        assert_eq!(sign_in(store, coach, now).await.unwrap(), Role::Coach, "still the first");
    }
}

#[tokio::test]
async fn members_are_changed_by_those_with_at_least_their_role_and_an_owner_stays() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Members").await;
        let (owner, admin, coach) = (club.owner(), club.person(Role::Admin), club.person(Role::Coach));
        let role = |member: &Member, role| Change {
            id: member.id,
            change: ChangeMember { role: Some(role), suspended: None },
        };
        let forbidden = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::Refused(Refusal::Forbidden(_)))), "{result:?}");
        };
        forbidden(request(store, admin, None, role(&owner.member, Role::Viewer)).await.map(drop));
        forbidden(request(store, admin, None, role(&coach.member, Role::Owner)).await.map(drop));
        forbidden(request(store, admin, None, Remove(owner.member.id)).await.map(drop));
        let last = request(store, owner, None, role(&owner.member, Role::Admin)).await.map(drop);
        assert!(matches!(last, Err(Error::Refused(Refusal::LastOwner))), "{last:?}");
        let last = job(store, &club, Remove(owner.member.id)).await;
        assert!(matches!(last, Err(Error::Refused(Refusal::LastOwner))), "a job too: {last:?}");

        request(store, admin, None, Remove(coach.member.id)).await.unwrap();
        assert!(!is_valid(store, coach).await, "their session ends with the membership");
        request(store, owner, None, role(&admin.member, Role::Owner)).await.unwrap();
        let demoted = request(store, owner, None, role(&owner.member, Role::Admin)).await.unwrap();
        assert_eq!(demoted.member.role, Role::Admin, "another owner stays");
    }
}
