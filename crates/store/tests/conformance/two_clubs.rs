//! A user who belongs to two clubs: their role and records in one have no effect in the other.

use fieldhouse_domain::api_keys::ApiKey;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{ChangeFavorite, ListOwner};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sessions::Session;
use fieldhouse_store::{Store, access, api_keys, favorites, sessions};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};

use crate::favorites::{custom, saved};

/// Creates a coach of the first club who owns the second one, with a session, a key and a saved program in each. Returns the user in the
/// first and in the second club.
async fn found(store: &Store, names: [&str; 2]) -> ([Club; 2], [Person; 2]) {
    let clubs = [Club::found(store, names[0]).await, Club::found(store, names[1]).await];
    let coach = clubs[0].person(Role::Coach).clone();
    // Created again for the ids of the second membership, session and key of the same user.
    let new = Person::new(clubs[1].id(), "two", "new", Role::Owner);
    let user = coach.user.clone();
    let owner = Person {
        organization: clubs[1].id(),
        member: fieldhouse_domain::members::Member { user_id: user.id, ..new.member },
        session: Session { user_id: user.id, ..new.session },
        key: ApiKey { user_id: user.id, ..new.key },
        user,
    };
    let effects = [
        AnyRecord::from(owner.member.clone()),
        AnyRecord::from(owner.session.clone()),
        AnyRecord::from(owner.key.clone()),
    ];
    clubs[1].create(store, effects.into()).await;
    (clubs, [coach, owner])
}

pub(crate) async fn a_user_has_in_each_club_the_role_there(store: &Store) {
    let (clubs, [coach, owner]) = found(store, ["Two Clubs One", "Two Clubs Two"]).await;
    let role = async |person: &Person| {
        let mut roles = Vec::new();
        for sent in [person.by_session(), person.by_key()] {
            let caller = access::identify(&mut &*store, &sent, NOW).await.unwrap();
            let scope = caller.and_then(|caller| caller.permit(ANY_MEMBER, NOW, None));
            roles.push(scope.map(|scope| (scope.organization(), scope.role())));
        }
        roles
    };
    let (as_coach, as_owner) = (Ok((clubs[0].id(), Role::Coach)), Ok((clubs[1].id(), Role::Owner)));
    assert_eq!(role(&coach).await, [as_coach, as_coach]);
    assert_eq!(role(&owner).await, [as_owner, as_owner]);
    let leaves = Effect::delete(AnyRecord::from(coach.member.clone()));
    clubs::apply(store, clubs[0].id(), vec![leaves]).await.unwrap();
    assert_eq!(role(&coach).await, [Err(Denial::SessionEnded), Err(Denial::KeyRevoked)]);
    assert_eq!(role(&owner).await, [as_owner, as_owner]);
}

pub(crate) async fn a_user_has_in_each_club_the_records_there(store: &Store) {
    let (clubs, people) = found(store, ["Two Clubs Three", "Two Clubs Four"]).await;
    let user = people[0].user.id;
    for (club, person) in clubs.iter().zip(&people) {
        let program = saved(
            ListOwner::User(user),
            &[],
            custom(club.organization.name.as_str()),
            ChangeFavorite::default(),
        );
        club.create(store, vec![AnyRecord::from(program.clone())]).await;
        let scope = person.scope(store).await;
        let keys = api_keys::list(&mut &*store, &scope, None, 10).await.unwrap();
        let own: Vec<_> = keys.into_iter().filter(|key| key.user_id == user).collect();
        assert_eq!(own, std::slice::from_ref(&person.key));
        let open = sessions::list(&mut &*store, &scope, NOW, None, 10).await.unwrap();
        assert_eq!(open, std::slice::from_ref(&person.session));
        let (active, open, list) = clubs::write_as(store, club.id(), user, async move |tx, proof| {
            let active = api_keys::active(tx, proof, NOW).await?;
            let open = sessions::open(tx, proof).await?;
            Ok((active, open, favorites::list(tx, proof).await?))
        })
        .await
        .unwrap();
        assert_eq!((active, open), (vec![person.key.clone()], vec![person.session.clone()]));
        assert_eq!(list.into_iter().map(|listed| listed.favorite).collect::<Vec<_>>(), [program]);
        assert_eq!(favorites::list(&mut &*store, &scope).await.unwrap().len(), 1);
    }
}
