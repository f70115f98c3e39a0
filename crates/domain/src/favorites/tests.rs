//! The rules of lists: what is the same program, limits, guests, claims and the order.

use serde_json::json;

use super::*;
use crate::effects::AnyRecord;
use crate::record::read_json;
use crate::sports::Sport;

fn moment(seed: u128) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), seed << 20)
}

fn user() -> ListOwner {
    ListOwner::User(UserId::from_uuid(Uuid::from_u128(1)))
}

fn guest() -> ListOwner {
    ListOwner::Guest(GuestId::from_uuid(Uuid::from_u128(2)))
}

fn custom(college: &str, state: Option<&str>) -> SavedProgram {
    SavedProgram::Custom(CustomProgram {
        college_name: Name::parse(college).expect("a name"),
        state: state.map(|state| State::parse(state).expect("a state")),
        sport: Sport::stored("rowing".to_owned()),
        gender: WrittenGender(ProgramGender::Women),
    })
}

fn details(json: &serde_json::Value) -> ChangeFavorite {
    read_json(json, Vec::new()).expect("details")
}

/// A list of custom programs.
fn list(owner: ListOwner, colleges: &[&str]) -> Vec<Favorite> {
    let mut list = Vec::new();
    for (place, college) in colleges.iter().enumerate() {
        let moment = moment(place as u128 + 10);
        let saved = save(&moment, owner, &list, custom(college, None), ChangeFavorite::default());
        list.push(saved.expect("it is saved").0);
    }
    list
}

fn after(effect: &Effect) -> &Favorite {
    match &effect.after {
        Some(AnyRecord::Favorite(favorite)) => favorite,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_is_saved_once_in_any_spelling_and_its_details_stay() {
    let present = list(user(), &["Saint Mary's"]);
    let again =
        save(&moment(1), user(), &present, custom("SAINT MARYS", None), details(&json!({ "interest": 5 })));
    assert_eq!(again, Ok((present[0].clone(), None)));
    let elsewhere =
        save(&moment(1), user(), &present, custom("Saint Mary's", Some("OH")), ChangeFavorite::default());
    let (saved, effect) = elsewhere.expect("it is saved");
    assert!(effect.is_some(), "a college of the same name in another state");
    assert_eq!((saved.rank, saved.stage, saved.fit, saved.version), (2, Stage::Saved, Fit::Unset, 1));
}

#[test]
fn a_program_of_the_catalogue_is_not_a_custom_one_of_the_same_name() {
    let id = ProgramId::from_uuid(Uuid::from_u128(5));
    let saved = save(&moment(1), user(), &[], SavedProgram::Catalogue(id), ChangeFavorite::default());
    let saved = saved.expect("it is saved").0;
    assert_eq!(saved.program(), Some(SavedProgram::Catalogue(id)));
    let again = save(
        &moment(2),
        user(),
        std::slice::from_ref(&saved),
        SavedProgram::Catalogue(id),
        ChangeFavorite::default(),
    );
    assert_eq!(again, Ok((saved, None)));
}

#[test]
fn a_list_holds_200_programs_and_a_saved_one_can_be_saved_again() {
    let full: Vec<Favorite> = (0..MAX_SAVED)
        .map(|place| Favorite {
            custom: match custom(&format!("College {place}"), None) {
                SavedProgram::Custom(custom) => Some(custom),
                SavedProgram::Catalogue(_) => None,
            },
            ..list(user(), &["College"]).remove(0)
        })
        .collect();
    let one_more = save(&moment(1), user(), &full, custom("Another", None), ChangeFavorite::default());
    assert!(matches!(one_more, Err(Refusal::LimitReached(_))), "{one_more:?}");
    assert!(save(&moment(1), user(), &full[1..], custom("Another", None), ChangeFavorite::default()).is_ok());
    assert!(save(&moment(1), user(), &full, custom("college 7", None), ChangeFavorite::default()).is_ok());
}

#[test]
fn a_guest_has_no_notes() {
    let notes = details(&json!({ "notes": "Call on Monday" }));
    let saved = save(&moment(1), guest(), &[], custom("Ohio", None), notes.clone());
    let Err(Refusal::Invalid(errors)) = saved else { panic!("{saved:?}") };
    assert_eq!((errors[0].pointer.as_str(), errors[0].code), ("/notes", "not_for_guests"));
    let of_guest = list(guest(), &["Ohio"]).remove(0);
    assert!(change(&moment(1), guest(), of_guest.clone(), notes.clone()).is_err());
    let cleared = change(&moment(1), guest(), of_guest, details(&json!({ "notes": null })));
    assert_eq!(cleared, Ok(None), "there are none to clear");
    let of_user = list(user(), &["Ohio"]).remove(0);
    let effect = change(&moment(1), user(), of_user, notes).expect("a change").expect("it differs");
    assert_eq!((effect.fields(), after(&effect).version), (vec!["notes"], 2));
}

#[test]
fn tags_occur_once_regardless_of_case_in_the_first_spelling() {
    let details = details(&json!({ "tags": ["Coach", "coach", "STEM", "Stem", "far"] }));
    let saved = save(&moment(1), user(), &[], custom("Ohio", None), details).expect("it is saved").0;
    assert_eq!(saved.tags.iter().map(Tag::as_str).collect::<Vec<_>>(), ["Coach", "STEM", "far"]);
}

#[test]
fn a_claim_appends_the_guests_programs_and_leaves_the_users_as_they_are() {
    let users = list(user(), &["Ohio", "Iowa"]);
    let mut guests = list(guest(), &["Utah", "IOWA", "Yale"]);
    guests[0] = guests[0].with(details(&json!({ "interest": 4, "tags": ["far"] }))).expect("details");
    guests[1] = guests[1].with(details(&json!({ "interest": 1 }))).expect("details");
    let ListOwner::User(id) = user() else { panic!("a user") };
    let claimed = claim(&moment(1), id, guests.clone(), &users).expect("a claim");
    let copied: Vec<_> = claimed
        .copied
        .iter()
        .map(after)
        .map(|saved| (saved.rank, saved.interest, saved.tags.iter().count(), saved.owner_id))
        .collect();
    assert_eq!(copied, [(3, Some(4), 1, user().into()), (4, None, 0, user().into())]);
    assert_eq!(claimed.merged, 1, "Iowa was on both lists");
    assert!(claimed.copied.iter().all(|effect| effect.before.is_none()), "nothing of the user's changes");
    let removed: Vec<_> = claimed.removed.iter().map(|effect| effect.before.clone()).collect();
    assert_eq!(removed, guests.into_iter().map(|saved| Some(saved.into())).collect::<Vec<_>>());
}

#[test]
fn a_new_order_names_every_program_once_and_changes_only_those_that_move() {
    let list = list(user(), &["Ohio", "Iowa", "Utah"]);
    let [ohio, iowa, utah] = [0, 1, 2].map(|place| list[place].id);
    for wrong in [vec![], vec![ohio, iowa], vec![ohio, iowa, iowa], vec![ohio, iowa, utah, utah]] {
        let refused = reorder(&moment(1), list.clone(), &wrong);
        let Err(Refusal::Invalid(errors)) = refused else { panic!("{refused:?}") };
        assert_eq!((errors[0].pointer.as_str(), errors[0].code), ("/ids", "not_a_permutation"));
    }
    let effects = reorder(&moment(1), list.clone(), &[iowa, ohio, utah]).expect("an order");
    let moved: Vec<_> =
        effects.iter().map(after).map(|saved| (saved.id, saved.rank, saved.version)).collect();
    assert_eq!(moved, [(ohio, 2, 2), (iowa, 1, 2)]);
    assert_eq!(reorder(&moment(1), list, &[ohio, iowa, utah]), Ok(Vec::new()), "as it was");
}

#[test]
fn a_childs_entries_follow_the_rules_of_lists_and_keep_who_saved_them() {
    let child = ChildId::from_uuid(Uuid::from_u128(3));
    let [mother, father] = [1, 2].map(|number| UserId::from_uuid(Uuid::from_u128(number)));
    let notes = details(&json!({ "notes": "Ask about the coach", "tags": ["far"] }));
    let saved = save(&moment(1), ListOwner::Child(child), &[], custom("Ohio", None), notes);
    let (entry, effect) = saved.expect("it is saved");
    let created = ChildFavorite::effect(child, effect.expect("it is new"), |_| mother);
    let stored = ChildFavorite::of(child, mother, entry.clone());
    assert_eq!(created, Effect::create(stored.clone()));
    assert_eq!(stored.clone().entry(), entry);
    let shown = format!("{stored:?} {entry:?}");
    assert!(!shown.contains("coach") && !shown.contains("far") && !shown.contains("Ohio"), "{shown}");

    let stage = details(&json!({ "stage": "visited" }));
    let effect = change(&moment(2), ListOwner::Child(child), entry, stage).expect("a change");
    let by = |id| if id == stored.id { mother } else { father };
    let effect = ChildFavorite::effect(child, effect.expect("it differs"), by);
    let Some(AnyRecord::ChildFavorite(after)) = effect.after else { panic!("an entry of a child") };
    assert_eq!((after.stage, after.saved_by, after.version), (Stage::Visited, mother, 2));
    assert_eq!(effect.before, Some(stored.into()));
}
