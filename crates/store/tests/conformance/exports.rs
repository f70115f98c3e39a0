//! Exports, and the records of a whole organization.

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::exports::{self as rules, Export, ExportKind, NewExport};
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::users::User;
use fieldhouse_store::Store;
use fieldhouse_store::exports::{self, Exported, Exporting};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::leagues::{division, game, season, staff, team, venue};

use crate::invitations::invitation;

/// An export of the whole organization.
pub(crate) fn export(user: &User) -> Export {
    rules::request(&clubs::moment(), user.id, NewExport { kind: ExportKind::Organization })
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
