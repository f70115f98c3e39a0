//! Saved programs of users.

use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{
    self as rules, ChangeFavorite, CustomProgram, Favorite, Fit, ListOwner, Notes, SavedProgram, Stage,
    WrittenGender,
};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{Name, State, Tag};
use fieldhouse_store::{Error, Store, favorites};
use fieldhouse_testing::catalogue;
use fieldhouse_testing::clubs::{self, Club, NOW};
use jiff::SignedDuration;

/// A program that is not in the catalogue.
pub(crate) fn custom(college: &str) -> SavedProgram {
    SavedProgram::Custom(CustomProgram {
        college_name: Name::parse(college).unwrap(),
        state: Some(State::parse("VI").unwrap()),
        sport: Sport::stored("surfing".to_owned()),
        gender: WrittenGender(ProgramGender::Women),
    })
}

/// Saves a program on a list.
pub(crate) fn saved(
    owner: ListOwner,
    list: &[Favorite],
    program: SavedProgram,
    details: ChangeFavorite,
) -> Favorite {
    let (favorite, effect) = rules::save(&clubs::moment(), owner, list, program, details).unwrap();
    assert!(effect.is_some(), "it is not on the list yet");
    Favorite { updated_at: clubs::TOUCHED, ..favorite }
}

pub(crate) async fn a_list_is_read_in_order_and_changed(store: &Store) {
    let (club, other) =
        (Club::found(store, "Favorites One").await, Club::found(store, "Favorites Two").await);
    let college = catalogue::college(500_001, "Favorite College", "FV");
    let program = catalogue::program(&college, "rowing", ProgramGender::Women);
    catalogue::write(store, true, vec![college], vec![program.clone()]).await.unwrap();
    let coach = club.person(Role::Coach);
    let (owner, scope) = (ListOwner::User(coach.user.id), coach.scope(store).await);
    let details = ChangeFavorite {
        stage: Some(Stage::InConversation),
        fit: Some(Fit::Reach),
        interest: Some(Some(5)),
        notes: Some(Some(Notes::parse("called twice\n\"nice\"").unwrap())),
        tags: Some([Tag::parse("near \"home\"").unwrap(), Tag::parse("été").unwrap()].into_iter().collect()),
    };
    let first = saved(owner, &[], SavedProgram::Catalogue(program.id), details);
    let second =
        saved(owner, std::slice::from_ref(&first), custom("Isla Universidad"), ChangeFavorite::default());
    club.create(store, vec![AnyRecord::Favorite(second.clone()), AnyRecord::Favorite(first.clone())]).await;

    let list = async || favorites::list(&mut &*store, &scope).await.unwrap();
    let stored = list().await;
    assert_eq!([&stored[0].favorite, &stored[1].favorite], [&first, &second], "in order, with all fields");
    let shown = stored[0].program.as_ref().expect("the program in the catalogue");
    assert_eq!((&shown.program, shown.unitid, &*shown.college_name), (&program, 500_001, "Favorite College"));
    assert_eq!(stored[1].program, None);
    for stranger in [club.owner(), other.owner()] {
        let scope = stranger.scope(store).await;
        assert_eq!(
            favorites::list(&mut &*store, &scope).await.unwrap(),
            [],
            "a list belongs to one user in one club"
        );
    }
    for twice in [SavedProgram::Catalogue(program.id), custom("ISLA  Universidad")] {
        let again = saved(owner, &[], twice, ChangeFavorite::default());
        let taken = clubs::apply(store, club.id(), vec![Effect::create(AnyRecord::Favorite(again))]).await;
        assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
    }

    let moment = clubs::moment();
    let order = rules::reorder(&moment, vec![first.clone(), second.clone()], &[second.id, first.id]).unwrap();
    clubs::apply(store, club.id(), order).await.unwrap();
    let user = coach.user.id;
    let stored =
        clubs::write_as(store, club.id(), user, async move |tx, proof| favorites::list(tx, proof).await);
    let stored: Vec<Favorite> = stored.await.unwrap().into_iter().map(|listed| listed.favorite).collect();
    let shown: Vec<_> =
        stored.iter().map(|favorite| (favorite.id, favorite.rank, favorite.version)).collect();
    assert_eq!(shown, [(second.id, 1, 2), (first.id, 2, 2)]);
    clubs::apply(store, club.id(), vec![Effect::delete(AnyRecord::Favorite(stored[0].clone()))])
        .await
        .unwrap();
    assert_eq!(list().await.len(), 1);
}

pub(crate) async fn the_list_of_a_former_member_is_purged_later(store: &Store) {
    let (club, other) =
        (Club::found(store, "Departures One").await, Club::found(store, "Departures Two").await);
    let (former, coach) = (club.person(Role::Member).clone(), club.person(Role::Coach).clone());
    for (place, user) in [(&club, &former.user), (&club, &coach.user), (&other, &other.owner().user)] {
        let favorite = saved(ListOwner::User(user.id), &[], custom("Isla"), ChangeFavorite::default());
        place.create(store, vec![favorite.into()]).await;
    }
    let remove = async |member: &Member| {
        clubs::apply(store, club.id(), vec![Effect::delete(member.clone())]).await.unwrap();
    };
    remove(&former.member).await;
    let earlier = NOW.saturating_sub(SignedDuration::from_secs(1)).unwrap();
    assert_eq!(store.purge_departures(earlier).await.unwrap(), 0);
    // A member who returns keeps the list.
    let again = Member::new(&clubs::moment(), former.user.id, Role::Viewer);
    club.create(store, vec![again.clone().into()]).await;
    assert_eq!(store.purge_departures(NOW).await.unwrap(), 0);
    remove(&again).await;
    assert_eq!(store.purge_departures(NOW).await.unwrap(), 1);
    assert_eq!(store.purge_departures(NOW).await.unwrap(), 0);
    let scope = club.person(Role::Coach).scope(store).await;
    assert_eq!(favorites::list(&mut &*store, &scope).await.unwrap().len(), 1, "others keep theirs");
}
