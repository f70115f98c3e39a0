//! Guests and their lists.

use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{self as rules, ChangeFavorite, Favorite, ListOwner, SavedProgram, Stage};
use fieldhouse_domain::ids::{GuestId, Id};
use fieldhouse_domain::retention::Retained;
use fieldhouse_domain::text::Tag;
use fieldhouse_store::{Change, Error, GuestWrite, Result, Store, Tx, favorites, guests};
use fieldhouse_testing::catalogue;
use fieldhouse_testing::clubs::{self, Club, NOW};
use jiff::Timestamp;

use crate::favorites::{custom, saved};

async fn create_guest(store: &Store, token: [u8; 32]) -> GuestId {
    let moment = clubs::moment();
    let created = store.write("testing.create_guest", async move |tx| {
        Ok::<_, Error>(tx.create_guest(&moment.again(), &token).await?.guest())
    });
    created.await.unwrap()
}

async fn apply(store: &Store, token: [u8; 32], effects: Vec<Effect>) -> Result<bool> {
    let moment = clubs::moment();
    let applied = store.write("testing.guest", async move |tx| {
        let moment = moment.again();
        let Some(proof) = tx.permit_guest(&token, moment.now()).await? else { return Ok(false) };
        let change =
            Change { moment: &moment, operation: "favorites.save", request_id: "test", reason: None };
        tx.apply(&proof, change, &effects).await?;
        Ok(true)
    });
    applied.await
}

async fn list(store: &Store, guest: GuestId) -> Vec<Favorite> {
    let listed = guests::list(&mut &*store, guest).await.unwrap();
    listed.into_iter().map(|listed| listed.favorite).collect()
}

fn ends() -> Timestamp {
    NOW.saturating_add(Retained::GuestsPrograms.life()).unwrap()
}

pub(crate) async fn have_a_list_until_they_expire(store: &Store) {
    let (token, other_token) = ([71; 32], [72; 32]);
    let (guest, other) = (create_guest(store, token).await, create_guest(store, other_token).await);
    let find = async |token: [u8; 32], now| guests::find(&mut &*store, &token, now).await.unwrap();
    assert_eq!(find(token, NOW).await, Some(guest));
    assert_eq!((find([0; 32], NOW).await, find(token, ends()).await), (None, None), "unknown, and over");

    let college = catalogue::college(600_001, "Guest College", "GU");
    let program = catalogue::program(&college, "rowing", ProgramGender::Men);
    catalogue::write(store, true, vec![college], vec![program.clone()]).await.unwrap();
    let details = ChangeFavorite {
        tags: Some([Tag::parse("maybe").unwrap()].into_iter().collect()),
        ..ChangeFavorite::default()
    };
    let first = saved(ListOwner::Guest(guest), &[], SavedProgram::Catalogue(program.id), details);
    let second = saved(
        ListOwner::Guest(guest),
        std::slice::from_ref(&first),
        custom("Isla"),
        ChangeFavorite::default(),
    );
    let made = [&second, &first].map(|favorite| Effect::create(AnyRecord::from(favorite.clone())));
    assert!(apply(store, token, made.into()).await.unwrap());
    assert_eq!(list(store, guest).await, [first.clone(), second.clone()], "in order, with all fields");
    let shown = guests::list(&mut &*store, guest).await.unwrap()[0].program.clone().expect("the catalogue's");
    assert_eq!(shown.program, program);

    let foreign = apply(store, other_token, vec![Effect::delete(AnyRecord::from(first.clone()))]).await;
    assert!(matches!(foreign, Err(Error::Internal(_))), "another guest's list: {foreign:?}");
    let wanted = ChangeFavorite { stage: Some(Stage::Visited), ..ChangeFavorite::default() };
    let change = rules::change(&clubs::moment(), ListOwner::Guest(guest), first.clone(), wanted).unwrap();
    assert!(apply(store, token, change.into_iter().collect()).await.unwrap());
    let stored = list(store, guest).await;
    assert_eq!((stored[0].stage, stored[0].version), (Stage::Visited, 2));
    assert!(apply(store, token, vec![Effect::delete(AnyRecord::from(second))]).await.unwrap());
    assert_eq!(list(store, guest).await.len(), 1);
    assert!(!apply(store, [0; 32], Vec::new()).await.unwrap(), "an unknown token permits nothing");

    assert_eq!(store.purge_guests(NOW).await.unwrap(), 0);
    let later = create_guest(store, [73; 32]).await;
    assert_eq!(store.purge_guests(ends()).await.unwrap(), 3, "all three expire at the same time");
    assert_eq!((list(store, guest).await.len(), list(store, other).await.len()), (0, 0));
    assert_eq!(find([73; 32], NOW).await, None, "{later}");
}

async fn end<'tx>(
    tx: &mut Tx<'tx>,
    proof: GuestWrite<'tx>,
    moment: &fieldhouse_domain::Moment,
) -> Result<()> {
    let list = guests::list(tx, proof.guest()).await?;
    let gone: Vec<_> =
        list.into_iter().map(|listed| Effect::delete(AnyRecord::from(listed.favorite))).collect();
    let change = Change { moment, operation: "favorites.claim", request_id: "test", reason: None };
    tx.apply(&proof, change, &gone).await?;
    tx.end_guest(proof).await
}

pub(crate) async fn a_list_can_be_claimed_by_a_user(store: &Store) {
    let club = Club::found(store, "Guests One").await;
    let (owner, token) = (club.owner(), [74; 32]);
    let guest = create_guest(store, token).await;
    let has = saved(ListOwner::User(owner.user.id), &[], custom("Shared"), ChangeFavorite::default());
    club.create(store, vec![AnyRecord::from(has.clone())]).await;
    let shared = saved(ListOwner::Guest(guest), &[], custom("Shared"), ChangeFavorite::default());
    let fresh = saved(
        ListOwner::Guest(guest),
        std::slice::from_ref(&shared),
        custom("Fresh"),
        ChangeFavorite::default(),
    );
    let made = [&shared, &fresh].map(|favorite| Effect::create(AnyRecord::from(favorite.clone())));
    assert!(apply(store, token, made.into()).await.unwrap());

    let claimed = rules::claim(&clubs::moment(), owner.user.id, vec![shared, fresh], &[has]).unwrap();
    assert_eq!(claimed.merged, 1);
    let early = store.write("testing.end", async move |tx| {
        let proof = tx.permit_guest(&token, NOW).await?.expect("the guest");
        tx.end_guest(proof).await
    });
    assert!(matches!(early.await, Err(Error::Reference(_))), "a guest with a list cannot be deleted");
    clubs::apply(store, club.id(), claimed.copied).await.unwrap();
    let moment = clubs::moment();
    let ended = store.write("testing.end", async move |tx| {
        let proof = tx.permit_guest(&token, NOW).await?.expect("the guest");
        end(tx, proof, &moment.again()).await
    });
    ended.await.unwrap();
    let scope = owner.scope(store).await;
    let stored = favorites::list(&mut &*store, &scope).await.unwrap();
    let names = stored.iter().map(|listed| match listed.favorite.program() {
        Some(SavedProgram::Custom(custom)) => custom.college_name.to_string(),
        _ => "of the catalogue".to_owned(),
    });
    assert_eq!(names.collect::<Vec<_>>(), ["Shared", "Fresh"]);
    assert_eq!(guests::find(&mut &*store, &token, NOW).await.unwrap(), None);
    assert_ne!(guest.uuid(), owner.user.id.uuid());
}
