//! Users and the organizations that they belong to.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::User;
use fieldhouse_store::{Error, Store, records, users};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use jiff::SignedDuration;

pub(crate) async fn a_user_is_found_by_any_spelling_of_the_address(store: &Store) {
    let club = Club::found(store, "Users United").await;
    let owner = club.owner();
    let find = async |address: &str| {
        let address = Email::parse(address).unwrap();
        users::by_email(&mut &*store, &address).await.unwrap()
    };
    assert_eq!(find("OWNER@Users-United.Example").await.as_ref(), Some(&owner.user));
    assert_eq!(find("unknown@users-united.example").await, None);
    let scope = owner.scope(store).await;
    assert_eq!(
        records::read::<User, _>(&mut &*store, &scope, owner.user.id).await.unwrap().as_ref(),
        Some(&owner.user)
    );

    let after = User {
        email: Email::parse("Zoë@users-united.example").unwrap(),
        name: Name::parse("Zoë Ünal").unwrap(),
        locale: Some("de-AT".to_owned()),
        time_zone: Some(TimeZoneName::parse("Europe/Vienna").unwrap()),
        password_hash: Some("$argon2id$".to_owned()),
        password_changed_at: Some(NOW),
        suspended_at: Some(NOW.saturating_sub(SignedDuration::from_hours(1)).unwrap()),
        ..owner.user.clone()
    };
    let later = clubs::moment_at(NOW.saturating_add(SignedDuration::from_hours(1)).unwrap());
    let change = Effect::update(&later, AnyRecord::from(owner.user.clone()), AnyRecord::from(after.clone()));
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    let now = users::read(&mut &*store, owner.user.id).await.unwrap();
    assert_eq!(now, Some(User { version: 2, updated_at: later.now(), ..after.clone() }));
    assert_eq!(find("zoë@users-united.example").await, now, "folded beyond ASCII");
    assert_eq!(find("owner@users-united.example").await, None, "the old address is free");

    let twin =
        User { id: clubs::moment().id(), email: Email::parse("ZOË@users-united.example").unwrap(), ..after };
    let taken = clubs::apply(store, club.id(), vec![Effect::create(AnyRecord::from(twin))]).await;
    assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
}

pub(crate) async fn memberships_exclude_suspended_ones(store: &Store) {
    let (first, second) = (Club::found(store, "First Club").await, Club::found(store, "Second Club").await);
    let third = Club::found(store, "Third Club").await;
    let coach = first.person(Role::Coach);
    let join = async |club: &Club, role, hours, suspended_at| {
        let later = clubs::moment_at(NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap());
        let member = Member { suspended_at, ..Member::new(&later, coach.user.id, role) };
        club.create(store, vec![AnyRecord::from(member.clone())]).await;
        member
    };
    let later = join(&second, Role::Viewer, 2, None).await;
    join(&third, Role::Owner, 1, Some(NOW)).await;
    let found = users::memberships(&mut &*store, coach.user.id).await.unwrap();
    let shown: Vec<_> =
        found.iter().map(|m| (m.id, m.role, m.organization, m.name.as_str(), m.slug.as_str())).collect();
    let expected = [
        (coach.member.id, Role::Coach, first.id(), "First Club", "first-club"),
        (later.id, Role::Viewer, second.id(), "Second Club", "second-club"),
    ];
    assert_eq!(shown, expected);
    assert_eq!(users::suspended_in(&mut &*store, coach.user.id).await.unwrap(), ["Third Club"]);
    let stranger = Person::new(first.id(), "nowhere", "stranger", Role::Viewer);
    assert_eq!(users::memberships(&mut &*store, stranger.user.id).await.unwrap(), []);
}
