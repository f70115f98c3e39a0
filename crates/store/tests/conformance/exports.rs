//! Exports, and the records of a whole organization.

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::exports::{self as rules, Export, ExportKind, NewExport};
use fieldhouse_domain::ids::{ChildId, Id as _};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::users::User;
use fieldhouse_store::access::children::{Read, Records};
use fieldhouse_store::exports::{self, Exported, Exporting};
use fieldhouse_store::{Principal, Store};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::families::{child, guardian, registration, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, game, season, staff, team, venue};
use jiff::SignedDuration;

use crate::children::{requirement, scope};
use crate::invitations::invitation;

/// An export of the whole organization.
pub(crate) fn export(user: &User) -> Export {
    let wanted = NewExport { kind: ExportKind::Organization };
    rules::request(&clubs::moment(), user.id, wanted).expect("an export")
}

pub(crate) async fn a_child_is_read_by_its_family(store: &Store) {
    let club = Club::found(store, "Exports Five").await;
    let parent = club.person(Role::Member);
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    let (zoe, kim) = (child("Zoë M."), child("Kim K."));
    let own = guardian(&zoe, parent.user.id);
    let (applied, placed) = (registration(&zoe, &winter), roster_entry(&eagles, &zoe));
    let of_zoe = Export {
        requested_by: parent.user.id,
        ..rules::request_of_child(&clubs::moment(), parent.user.id, zoe.id)
    };
    let around: Vec<AnyRecord> = vec![winter.into(), open.into(), eagles.into(), kim.clone().into()];
    let records = with_classes(&zoe).into_iter().chain(around).chain([
        own.clone().into(),
        applied.clone().into(),
        placed.clone().into(),
        guardian(&kim, parent.user.id).into(),
        of_zoe.clone().into(),
    ]);
    club.create(store, records.collect()).await;
    let scope_of_parent = scope::<Records>(store, parent).await;
    let read = async |child: ChildId| {
        exports::read_of_child(&mut &*store, &scope_of_parent, (child, of_zoe.id)).await.unwrap()
    };
    assert_eq!(read(zoe.id).await, Some(Some(of_zoe.clone())));
    assert_eq!(read(kim.id).await, Some(None), "the export of another child");
    let closed = scope::<Records>(store, club.owner()).await;
    assert_eq!(exports::read_of_child(&mut &*store, &closed, (zoe.id, of_zoe.id)).await.unwrap(), None);

    let requested = std::sync::Arc::new(parent.scope_for(store, requirement(DataClass::Records)).await);
    let about = zoe.id;
    let all = store.write("tests.export", async move |tx| {
        let wanted = requirement(DataClass::Records);
        let proof = tx.permit(Principal::Caller(&requested), wanted, Some(about.uuid()), NOW).await?;
        let access =
            tx.open::<Records, Read>(&proof.expect("a guardian"), about).await?.expect("a guardian's");
        exports::of_child(tx, &access, NOW).await
    });
    let all = all.await.unwrap();
    assert_eq!(all.relations.iter().map(|it| &it.relation).collect::<Vec<_>>(), [&own]);
    assert_eq!((all.registrations, all.roster), (vec![applied], vec![placed]));
    assert_eq!(all.access_log, []);

    let later = NOW.saturating_add(SignedDuration::from_hours(24 * 365 * 4)).unwrap();
    assert_eq!(store.purge_exports(NOW).await.unwrap(), 0);
    assert!(store.purge_exports(later).await.unwrap() > 0);
    assert_eq!(read(zoe.id).await, Some(None), "it was purged");
}

async fn is_in_use(store: &Store, club: &Club) -> bool {
    let scope = club.owner().scope(store).await;
    exports::is_in_use(&mut &*store, &scope).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "tests read what the operator could")]
async fn everything(store: &Store, club: &Club) -> Vec<Exported> {
    let mut rows = exports::everything(store, Exporting::for_operator(&store.operator(), club.id())).unwrap();
    let mut found = Vec::new();
    while let Some(exported) = rows.next().await.unwrap() {
        found.push(exported);
    }
    found
}

pub(crate) async fn everything_of_one_club_is_read_parents_first(store: &Store) {
    let (club, other) = (Club::found(store, "Exports One").await, Club::found(store, "Exports Two").await);
    assert!(!is_in_use(store, &club).await, "members alone are no use");
    let (winter, theirs) = (season("Winter"), season("Winter"));
    other.create(store, vec![theirs.into(), venue("Hall").into()]).await;
    let open = division(&winter, "Open");
    let (eagles, hall) = (team(&open, "Eagles"), venue("Hall"));
    let bye = game(&open, eagles.id, eagles.id, NOW);
    let coach = staff(&eagles, club.person(Role::Coach).user.id);
    let ended = Staff { state: StaffState::Ended, ..staff(&eagles, other.owner().user.id) };
    let league: Vec<AnyRecord> = vec![
        winter.clone().into(),
        open.clone().into(),
        eagles.clone().into(),
        hall.clone().into(),
        bye.clone().into(),
        coach.clone().into(),
        ended.into(),
    ];
    club.create(store, league).await;
    let found = everything(store, &club).await;
    let (Some(Exported::Organization(first)), rest) = (found.first(), &found[1..]) else {
        panic!("{found:?}")
    };
    assert_eq!(first.id, club.id());
    let members = rest.iter().take_while(|exported| matches!(exported, Exported::Member(_))).count();
    let records = [
        Exported::Season(winter),
        Exported::Division(open),
        Exported::Team(eagles),
        Exported::Venue(hall),
        Exported::Game(Box::new(bye)),
        Exported::Staff(coach),
    ];
    assert!(members > 1, "everyone of the club");
    // Without the staff entry of someone who is not a member.
    assert_eq!(rest[members..], records);
}

pub(crate) async fn seasons_venues_and_invitations_are_in_use(store: &Store) {
    for (name, record) in [("Use One", 0), ("Use Two", 1), ("Use Three", 2)] {
        let club = Club::found(store, name).await;
        let inviter = &club.owner().user;
        let record: AnyRecord = match record {
            0 => season("Winter").into(),
            1 => venue("Hall").into(),
            _ => invitation(inviter, "robin@use.example").into(),
        };
        club.create(store, vec![record]).await;
        assert!(is_in_use(store, &club).await, "{name}");
        let export = export(inviter);
        club.create(store, vec![export.clone().into()]).await;
        let of_link = exports::of_link(&mut &*store, club.id(), export.id).await.unwrap();
        assert_eq!(of_link.map(|found| found.id.uuid()), Some(export.id.uuid()));
    }
}
