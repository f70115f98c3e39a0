//! What is to be undone, as the ledger has it.

use fieldhouse_domain::Moment;
use fieldhouse_domain::changesets::undo::{self, Images, Lost, Resolutions, Step};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{EntryId, Id as _};
use fieldhouse_domain::policy::Requirement;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::sessions::Session;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::users::User;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::ledger::{self, Content, Filter, Reading, Undone, UndoneEntry};
use fieldhouse_store::{Change, Error, OrgScope, Principal, Store};
use fieldhouse_testing::clubs::{self, ANY_IMAGES, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::families::{child, guardian, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, season, team, venue};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

/// Reads what is to be undone as a request of a person does.
async fn read(
    store: &Store,
    scope: OrgScope,
    requirement: Requirement,
    what: Undone,
) -> Result<Reading, Error> {
    store.post_everything().await.unwrap();
    let read = store.write("testing.undo", async move |tx| {
        let permitted = tx.permit(Principal::Caller(&scope), requirement, None, NOW).await?;
        ledger::entries_of(tx, &permitted.expect("a member"), what).await
    });
    read.await
}

async fn undone(store: &Store, person: &Person, what: Undone) -> Vec<UndoneEntry> {
    let scope = person.scope_for(store, ANY_IMAGES).await;
    match read(store, scope, ANY_IMAGES, what).await.unwrap() {
        Reading::Entries(entries, _) => entries,
        Reading::TooMany => panic!("too many"),
    }
}

fn change(moment: &Moment) -> Change<'_> {
    Change { moment, operation: "venues.change", request_id: "request", reason: None }
}

/// Applies effects at a time, with the owner's key or as the operator, and returns the entry.
async fn apply(store: &Store, club: &Club, minutes: i64, by_key: bool, effects: Vec<Effect>) -> EntryId {
    let made = clubs::moment_at(after(minutes));
    let key = club.owner().key_scope(store).await;
    if by_key {
        let written = store.write("testing.by_key", async move |tx| {
            let moment = made.again();
            let permitted = tx.permit(Principal::Caller(&key), clubs::ANYTHING, None, NOW).await?;
            let proof = permitted.expect("the key may write");
            tx.apply(&proof, change(&moment), &effects).await.map(drop)
        });
        written.await.unwrap();
    } else {
        let written = clubs::write(store, club.id(), async move |tx, proof| {
            let moment = made.again();
            tx.apply(proof, change(&moment), &effects).await.map(drop)
        });
        written.await.unwrap();
    }
    newest(store, club).await
}

async fn newest(store: &Store, club: &Club) -> EntryId {
    store.post_everything().await.unwrap();
    let scope = club.owner().scope(store).await;
    ledger::entries(&mut &*store, &scope, &Filter::default(), None, 1).await.unwrap()[0].id
}

fn renamed(before: &Venue, name: &str, minutes: i64) -> (Effect, Venue) {
    let after = Venue { name: Name::parse(name).unwrap(), ..before.clone() };
    let effect = Effect::update(&clubs::moment_at(self::after(minutes)), before.clone(), after).unwrap();
    let Some(Ok(after)) = effect.after.clone().map(Venue::try_from) else { panic!("a venue") };
    (effect, after)
}

pub(crate) async fn entries_are_read_oldest_first_as_they_are_undone(store: &Store) {
    let club = Club::found(store, "Undo One").await;
    let (owner, oval, park) = (club.owner(), venue("Oval"), venue("Park"));
    let made = apply(store, &club, 1, false, vec![Effect::create(oval.clone())]).await;
    let (first, second_oval) = renamed(&oval, "Arena", 2);
    let by_key = apply(store, &club, 2, true, vec![first.clone(), Effect::create(park.clone())]).await;
    let (second, third_oval) = renamed(&second_oval, "Stadium", 3);
    let again = apply(store, &club, 3, true, vec![second.clone()]).await;
    let other = apply(store, &club, 4, false, vec![Effect::create(venue("Theirs"))]).await;

    let of_entry = undone(store, owner, Undone::Entry(made)).await;
    let [entry] = &of_entry[..] else { panic!("{of_entry:?}") };
    assert_eq!((entry.id, entry.at, entry.operation.as_str()), (made, after(1), "venues.change"));
    assert_eq!((entry.kinds(), entry.is_closed()), (vec![Kind::Venue], false));
    let known = |effect: &Effect| Images::Known {
        before: effect.before.clone().map(Box::new),
        after: effect.after.clone().map(Box::new),
    };
    assert_eq!(entry.effects[0].content, Content::Open(known(&Effect::create(oval.clone()))));

    let key = owner.key.id;
    let since = |minutes| Undone::Key { key, since: after(minutes) };
    let found = undone(store, owner, since(2)).await;
    assert_eq!(found.iter().map(|entry| entry.id).collect::<Vec<_>>(), [by_key, again]);
    assert_eq!(undone(store, owner, since(3)).await, found[1..]);
    assert_eq!(undone(store, owner, since(4)).await, []);
    let unknown = Undone::Key { key: clubs::moment().id(), since: after(0) };
    assert_eq!(undone(store, owner, unknown).await, []);
    assert_eq!(undone(store, owner, Undone::Changeset(Uuid::from_u128(1))).await, []);
    for unknown in [clubs::moment().id(), EntryId::from_uuid(Uuid::from_u128(1))] {
        assert_eq!(undone(store, owner, Undone::Entry(unknown)).await, []);
    }
    assert_ne!(other, again);

    let done = undo::gather(found.iter().flat_map(UndoneEntry::touches));
    let now = [AnyRecord::from(third_oval.clone()), park.clone().into()];
    let find = |_, id| now.iter().find(|record| record.uuid() == id).cloned();
    let planned = undo::plan(&done, find, &Resolutions::default());
    let mut set = serde_json::Map::new();
    set.insert("name".to_owned(), "Oval".into());
    let wanted = [Step::Delete(park.into()), Step::Update { record: third_oval.into(), set }];
    let mut steps = planned.steps;
    steps.sort_by_key(|step| matches!(step, Step::Update { .. }));
    assert_eq!((&steps[..], planned.conflicts.len()), (&wanted[..], 0));

    let elsewhere = Club::found(store, "Undo Two").await;
    assert_eq!(undone(store, elsewhere.owner(), Undone::Entry(made)).await, [], "of another club");
    let undeclared = read(store, owner.scope(store).await, ANY_MEMBER, Undone::Entry(made)).await;
    assert!(matches!(undeclared, Err(Error::Internal(_))), "{undeclared:?}");
}

pub(crate) async fn images_open_to_whom_a_relation_opens_them(store: &Store) {
    let club = Club::found(store, "Undo Three").await;
    let (owner, parent) = (club.owner(), club.person(Role::Member));
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    let (kim, lee) = (child("Kim K."), child("Lee L."));
    let entries =
        [&kim, &lee].map(|child| RosterEntry { jersey_number: Some(7), ..roster_entry(&eagles, child) });
    let [of_kim, of_lee] = entries.clone();
    let league = [AnyRecord::from(winter), open.into(), eagles.into(), guardian(&kim, parent.user.id).into()];
    club.create(store, league.into_iter().chain(with_classes(&kim)).chain(with_classes(&lee)).collect())
        .await;
    let made = apply(store, &club, 1, false, entries.into_iter().map(Effect::create).collect()).await;
    let seen = async |person: &Person| {
        let found = undone(store, person, Undone::Entry(made)).await;
        let mut seen: Vec<_> =
            found[0].effects.iter().map(|effect| (effect.id, effect.content.clone())).collect();
        seen.sort_by_key(|(id, _)| *id != of_kim.id.uuid());
        (seen, found[0].is_closed(), found[0].touches().count())
    };
    let closed = |entry: &RosterEntry| (entry.id.uuid(), Content::Closed);
    let created = |entry: &RosterEntry| {
        let after = Some(Box::new(AnyRecord::from(entry.clone())));
        (entry.id.uuid(), Content::Open(Images::Known { before: None, after }))
    };
    assert_eq!(seen(owner).await, (vec![closed(&of_kim), closed(&of_lee)], true, 0));
    assert_eq!(seen(parent).await, (vec![created(&of_kim), closed(&of_lee)], true, 1));
    let scope = parent.scope_for(store, ANY_IMAGES).await;
    let reading = read(store, scope, ANY_IMAGES, Undone::Entry(made)).await.unwrap();
    let Reading::Entries(_, shown) = reading else { panic!("{reading:?}") };
    let [(class, children)] = &shown.0[..] else { panic!("{shown:?}") };
    assert_eq!((class.name(), children.len(), children[0].0), ("roster", 1, kim.id), "for the access log");

    let erased = clubs::write(store, club.id(), {
        let of_kim = of_kim.clone();
        async move |tx, proof| {
            let moment = clubs::moment_at(after(2));
            let change = change(&moment);
            tx.apply(proof, change, &[Effect::delete(of_kim.clone())]).await?;
            tx.erase(proof, change, (Kind::RosterEntry, of_kim.id.uuid()), Some(of_kim.child_id));
            Ok(())
        }
    });
    erased.await.unwrap();
    let lost = (of_kim.id.uuid(), Content::Open(Images::Lost(Lost::Erased)));
    assert_eq!(seen(owner).await, (vec![lost, closed(&of_lee)], true, 1));
}

pub(crate) async fn what_no_undo_writes_is_named_by_its_kind(store: &Store) {
    let club = Club::found(store, "Undo Four").await;
    let owner = club.owner();
    let ended = Session { revoked_at: Some(NOW), ..club.person(Role::Coach).session.clone() };
    let ended = Effect::update(&clubs::moment(), club.person(Role::Coach).session.clone(), ended).unwrap();
    let user = club.person(Role::Coach).user.clone();
    let renamed = User { name: Name::parse("New Name").unwrap(), ..user.clone() };
    let renamed = Effect::update(&clubs::moment(), user, renamed).unwrap();
    let made = apply(store, &club, 1, false, vec![ended, renamed]).await;
    let found = undone(store, owner, Undone::Entry(made)).await;
    let mut kinds = found[0].kinds();
    kinds.sort_unstable();
    assert_eq!(undo::foreign(&kinds), [Kind::User, Kind::Session], "the membership counts as the user");
    assert!(found[0].effects.iter().all(|effect| effect.content == Content::Unstored));

    let many = (0..=ledger::MOST_UNDONE).map(|number| Effect::create(venue(&format!("Venue {number}"))));
    let made = apply(store, &club, 2, false, many.collect()).await;
    let scope = owner.scope_for(store, ANY_IMAGES).await;
    let reading = read(store, scope, ANY_IMAGES, Undone::Entry(made)).await.unwrap();
    assert!(matches!(reading, Reading::TooMany), "{reading:?}");
}
