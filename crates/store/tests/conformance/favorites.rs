//! Saved programs of users and children.

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{
    self as rules, ChangeFavorite, ChildFavorite, CustomProgram, Favorite, Fit, ListOwner, Notes,
    SavedProgram, Stage, WrittenGender,
};
use fieldhouse_domain::ids::{ChildId, Id as _};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{Name, State, Tag};
use fieldhouse_store::access::children::{Read, Records};
use fieldhouse_store::{Error, Principal, Store, favorites};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::{catalogue, families};
use jiff::SignedDuration;

use crate::children::{requirement, scope};

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
    club.create(store, vec![AnyRecord::from(second.clone()), AnyRecord::from(first.clone())]).await;

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
        let taken = clubs::apply(store, club.id(), vec![Effect::create(AnyRecord::from(again))]).await;
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
    clubs::apply(store, club.id(), vec![Effect::delete(AnyRecord::from(stored[0].clone()))]).await.unwrap();
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

pub(crate) async fn a_child_has_one_list_for_its_family(store: &Store) {
    let club = Club::found(store, "Favorites Three").await;
    let (mother, father) = (club.person(Role::Member), club.person(Role::Coach));
    let (zoe, kim) = (families::child("Zoë M."), families::child("Kim K."));
    let college = catalogue::college(500_003, "Family College", "FA");
    let program = catalogue::program(&college, "rowing", ProgramGender::Women);
    catalogue::write(store, true, vec![college], vec![program.clone()]).await.unwrap();
    let custom = families::favorite(&zoe, mother.user.id);
    let second = ChildFavorite {
        program_id: Some(program.id),
        custom: None,
        rank: 2,
        ..families::favorite(&zoe, father.user.id)
    };
    let guardians = [mother, father].map(|parent| AnyRecord::from(families::guardian(&zoe, parent.user.id)));
    let around = [AnyRecord::from(families::guardian(&kim, mother.user.id)), second.clone().into()];
    let records =
        families::with_classes(&zoe).into_iter().chain(families::with_classes(&kim)).chain(guardians);
    club.create(store, records.chain(around).chain([custom.clone().into()]).collect()).await;

    let list = async |parent: &Person, child: ChildId| {
        favorites::list_of_child(&mut &*store, &scope::<Records>(store, parent).await, child).await.unwrap()
    };
    for parent in [mother, father] {
        let listed = list(parent, zoe.id).await.expect("a guardian's");
        let entries: Vec<Favorite> = listed.iter().map(|it| it.favorite.clone()).collect();
        assert_eq!(entries, [custom.clone().entry(), second.clone().entry()], "in order, with all fields");
        let savers: Vec<_> = listed.iter().map(|it| it.child).collect();
        assert_eq!(savers, [mother, father].map(|saver| Some((zoe.id, saver.user.id))));
        let shown = listed[1].program.as_ref().expect("the program in the catalogue");
        assert_eq!((&shown.program, &*shown.college_name), (&program, "Family College"));
    }
    assert_eq!(list(mother, kim.id).await, Some(vec![]), "a child without saved programs");
    assert_eq!(list(father, kim.id).await, None, "of another family");
    assert_eq!(list(club.owner(), zoe.id).await, None);
    for twice in [
        ChildFavorite { id: clubs::moment().id(), ..custom.clone() },
        ChildFavorite { id: clubs::moment().id(), ..second.clone() },
    ] {
        let taken = clubs::apply(store, club.id(), vec![Effect::create(twice)]).await;
        assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
    }

    let (child, id) = (zoe.id, second.id);
    let wanted = requirement(DataClass::Records);
    let requested = std::sync::Arc::new(father.scope_for(store, wanted).await);
    let read = store.write("tests.favorites", async move |tx| {
        let proof = tx.permit(Principal::Caller(&requested), wanted, Some(child.uuid()), NOW).await?;
        let proof = proof.expect("a guardian");
        assert_eq!(favorites::child_of(tx, &proof, id).await?, Some(child));
        assert_eq!(favorites::child_of(tx, &proof, clubs::moment().id()).await?, None);
        let access = tx.open::<Records, Read>(&proof, child).await?.expect("a guardian's");
        favorites::of_child(tx, &access).await
    });
    assert_eq!(Some(read.await.unwrap()), list(mother, zoe.id).await);
}
