//! Sessions: listing, refreshing, reuse.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::sessions::{self as rules, Client, Refreshed, Session};
use fieldhouse_store::{Store, records, sessions};
use fieldhouse_testing::clubs::{self, Club, NOW};
use jiff::{SignedDuration, Timestamp};

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

pub(crate) async fn are_listed_newest_first_while_they_are_open(store: &Store) {
    let club = Club::found(store, "Sessions One").await;
    let (owner, scope) = (club.owner(), club.owner().scope(store).await);
    let client =
        Client { user_agent: Some("Firefox \u{2014} 测试".to_owned()), ip: "2001:db8::7".parse().ok() };
    let open = |minutes| {
        Session::open(&clubs::moment_at(after(minutes)), owner.user.id, "password", client.clone())
            .with_token([9; 32])
    };
    let second = open(1);
    let third = Session {
        rotated_at: after(6),
        last_used_at: after(7),
        updated_at: after(8),
        retried: true,
        previous_digest: Some([8; 32]),
        ..open(2)
    };
    let ended = Session { revoked_at: Some(after(3)), ..open(3) };
    let expired = Session { expires_at: after(5), ..open(4) };
    // Of two that were opened at the same time, the one with the higher id is first. The last one expires as the list is read.
    let twin = open(1);
    let over = Session { expires_at: after(10), ..open(1) };
    let all = [&second, &third, &ended, &expired, &twin, &over];
    let records = all.map(|session| AnyRecord::from(session.clone()));
    club.create(store, records.into()).await;

    let list = async |from, limit| {
        let page = sessions::list(&mut &*store, &scope, after(10), from, limit).await.unwrap();
        page.into_iter().map(|session| session.id).collect::<Vec<_>>()
    };
    assert_eq!(
        list(None, 10).await,
        [third.id, twin.id, second.id, owner.session.id],
        "of the owner alone, the open ones"
    );
    assert_eq!(list(None, 1).await, [third.id]);
    let rest = list(Some((third.created_at, third.id.uuid())), 10).await;
    assert_eq!(rest, [twin.id, second.id, owner.session.id]);

    let user = owner.user.id;
    let open =
        clubs::write_as(store, club.id(), user, async move |tx, proof| sessions::open(tx, proof).await).await;
    let open: Vec<_> = open.unwrap().into_iter().map(|session| session.id).collect();
    assert_eq!(
        open,
        [owner.session.id, second.id, twin.id, over.id, third.id, expired.id],
        "not ended, oldest first"
    );

    let read = async |id| records::read::<Session, _>(&mut &*store, &scope, id).await.unwrap();
    let user_of = async |id| sessions::user_of(&mut &*store, club.id(), id).await.unwrap();
    assert_eq!(user_of(third.id).await, Some(owner.user.id));
    assert_eq!(read(third.id).await, Some(third), "with all fields");
    assert_eq!(read(ended.id).await, Some(ended));
    let other = Club::found(store, "Sessions Two").await;
    assert_eq!(read(other.owner().session.id).await, None, "another club's session does not exist");
    assert_eq!(user_of(other.owner().session.id).await, None);
    let coach = club.person(fieldhouse_domain::roles::Role::Coach);
    assert_eq!(read(coach.session.id).await, None, "another user's session does not exist");
}

pub(crate) async fn a_refresh_token_works_once_and_its_reuse_ends_the_session(store: &Store) {
    let club = Club::found(store, "Sessions Three").await;
    let session = club.owner().session.id;
    let scope = club.owner().scope(store).await;
    let read = async || {
        records::read::<Session, _>(&mut &*store, &scope, session).await.unwrap().expect("the session")
    };
    let show = async |minutes, token: [u8; 32], next: [u8; 32]| {
        let organization = club.id();
        let moment = clubs::moment_at(after(minutes));
        let stored = read().await;
        let (continued, effect) = match rules::refresh(&moment, stored, &token, next) {
            Refreshed::Continued(effect) => (true, effect),
            Refreshed::Reused(effect) => (false, effect),
            Refreshed::Ended => return None,
        };
        clubs::apply(store, organization, vec![*effect]).await.unwrap();
        Some(continued)
    };
    assert_eq!(show(1, [1; 32], [2; 32]).await, Some(true));
    assert_eq!(show(2, [2; 32], [3; 32]).await, Some(true));
    let stored = read().await;
    assert_eq!((stored.generation, stored.token_digest, stored.previous_digest), (3, [3; 32], Some([2; 32])));
    assert_eq!((stored.rotated_at, stored.last_used_at, stored.version), (after(2), after(2), 3));
    assert_eq!(show(3, [1; 32], [4; 32]).await, Some(false), "the token was reused");
    assert_eq!(show(4, [3; 32], [5; 32]).await, None, "the session has ended");

    let ended = read().await;
    let stale =
        Effect::update(&clubs::moment(), AnyRecord::from(stored), AnyRecord::from(ended)).expect("differs");
    assert!(clubs::apply(store, club.id(), vec![stale]).await.is_err(), "the version has changed");
}
