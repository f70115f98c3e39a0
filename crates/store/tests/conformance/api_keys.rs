//! API keys: listing, reading, use.

use fieldhouse_domain::api_keys::{self as rules, ApiKey, ApiKeyKind};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_store::{Store, access, api_keys, records};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use jiff::{SignedDuration, Timestamp};

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

fn another(person: &Person, minutes: i64) -> ApiKey {
    let id: fieldhouse_domain::ids::ApiKeyId = clubs::moment().id();
    let public_id = format!("{:010x}", id.uuid().as_u128() & 0xff_ffff_ffff);
    ApiKey { id, public_id, created_at: after(minutes), ..person.key.clone() }
}

pub(crate) async fn are_listed_newest_first_for_owners_and_admins(store: &Store) {
    let club = Club::found(store, "Keys One").await;
    let (owner, scope) = (club.owner(), club.owner().scope(store).await);
    // Of two that were issued at the same time, the one with the higher id is first.
    let (twin, second, third) = (another(owner, 1), another(owner, 1), another(owner, 2));
    club.create(store, [&twin, &second, &third].map(|key| AnyRecord::from(key.clone())).into()).await;
    let coach = club.person(Role::Coach).clone();
    let own = coach.scope(store).await;
    let (coaches, later) = (another(&coach, 3), another(&coach, 4));
    let list = async |scope: &fieldhouse_store::OrgScope, from, limit| {
        let page = api_keys::list(&mut &*store, scope, from, limit).await.unwrap();
        page.into_iter().map(|key| key.id).collect::<Vec<_>>()
    };
    let point = Some((second.created_at, second.id.uuid()));
    let all = list(&scope, None, 20).await;
    assert_eq!(
        (all.len(), &all[..3]),
        (9, &[third.id, second.id, twin.id][..]),
        "six people's and the three"
    );
    let rest = list(&scope, point, 3).await;
    assert_eq!(rest, all[2..5], "continues after the previous page");
    club.create(store, [&coaches, &later].map(|key| AnyRecord::from(key.clone())).into()).await;
    assert_eq!(list(&own, None, 10).await, [later.id, coaches.id, coach.key.id], "a coach sees their own");
    let point = Some((later.created_at, later.id.uuid()));
    assert_eq!(list(&own, point, 1).await, [coaches.id]);
}

pub(crate) async fn are_read_and_revoked(store: &Store) {
    let club = Club::found(store, "Keys Two").await;
    let (owner, scope) = (club.owner(), club.owner().scope(store).await);
    let narrow = ApiKey {
        kind: ApiKeyKind::Agent,
        scopes: vec![Scope::parse("seasons:read").unwrap(), Scope::parse("games:write").unwrap()],
        allowed_ips: vec!["192.0.2.7".parse().unwrap(), "2001:db8::1".parse().unwrap()],
        expires_at: after(60),
        last_used_at: Some(after(5)),
        ..another(owner, 1)
    };
    club.create(store, vec![AnyRecord::from(narrow.clone())]).await;
    let read = async |id| records::read::<ApiKey, _>(&mut &*store, &scope, id).await.unwrap();
    assert_eq!(read(narrow.id).await.as_ref(), Some(&narrow));
    let foreign = Club::found(store, "Keys Three").await.owner().key.id;
    assert_eq!(read(foreign).await, None, "another club's key does not exist");

    let held = async |role, key| {
        let scope = club.person(role).scope(store).await;
        api_keys::read(&mut &*store, &scope, key).await.unwrap().map(|held| held.is_protected)
    };
    let coachs = club.person(Role::Coach).key.id;
    assert_eq!(held(Role::Owner, narrow.id).await, Some(false), "its owner");
    assert_eq!(held(Role::Owner, coachs).await, Some(false), "a higher role");
    assert_eq!(held(Role::Admin, narrow.id).await, Some(true), "an admin");
    assert_eq!(held(Role::Manager, coachs).await, None, "a manager");
    let seen =
        api_keys::list(&mut &*store, &club.person(Role::Admin).scope(store).await, None, 20).await.unwrap();
    assert_eq!(seen.len(), 5, "an admin does not see the owner's keys");

    let user = owner.user.id;
    let active = async |now| {
        let keys = clubs::write_as(store, club.id(), user, async move |tx, proof| {
            api_keys::active(tx, proof, now).await
        });
        keys.await.unwrap().into_iter().map(|key| key.id).collect::<Vec<_>>()
    };
    assert_eq!(active(after(2)).await, [owner.key.id, narrow.id]);
    assert_eq!(active(after(60)).await, [owner.key.id], "it has expired");
    let revoke = rules::revoke(&clubs::moment_at(after(3)), narrow.clone());
    clubs::apply(store, club.id(), revoke.into_iter().collect()).await.unwrap();
    assert_eq!(active(after(4)).await, [owner.key.id]);
    let stored = read(narrow.id).await.expect("a revoked key still exists");
    assert_eq!((stored.revoked_at, stored.version), (Some(after(3)), 2));
    let stale = rules::revoke(&clubs::moment_at(after(4)), narrow);
    assert!(
        clubs::apply(store, club.id(), stale.into_iter().collect()).await.is_err(),
        "the version has changed"
    );
}

pub(crate) async fn use_is_recorded_and_never_goes_back(store: &Store) {
    let club = Club::found(store, "Keys Four").await;
    let scope = club.owner().scope(store).await;
    let (owner, coach) = (club.owner().key.id, club.person(Role::Coach).key.id);
    store.note_key_use(vec![(owner, after(5)), (coach, after(6))]).await.unwrap();
    store.note_key_use(vec![(owner, after(4))]).await.unwrap();
    store.note_key_use(Vec::new()).await.unwrap();
    let read = async |id| api_keys::read(&mut &*store, &scope, id).await.unwrap().expect("the key").key;
    assert_eq!(read(owner).await.last_used_at, Some(after(5)));
    let caller =
        access::identify(&mut &*store, &club.owner().by_key(), after(7)).await.unwrap().expect("a key");
    assert_eq!(caller.key(), Some((owner, Some(after(5)))), "the last use is returned");
    let noted = read(coach).await;
    assert_eq!((noted.last_used_at, noted.version), (Some(after(6)), 1), "bookkeeping is not a change");

    let (first, last) = (owner.min(coach), owner.max(coach));
    let mut many: Vec<_> = (10..260).map(|minute| (first, after(minute))).collect();
    many.push((last, after(300)));
    store.note_key_use(many).await.unwrap();
    assert_eq!(read(first).await.last_used_at, Some(after(259)));
    assert_eq!(read(last).await.last_used_at, Some(after(300)), "more uses than one transaction notes");
}
