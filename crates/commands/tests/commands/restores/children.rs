//! Children who come back to a team, through the registrar of its season.

use fieldhouse_commands::rosters;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_testing::families::{child, guardian, registration, roster_entry, with_classes};
use jiff::SignedDuration;
use jiff::civil::date;

use super::*;

#[tokio::test]
async fn a_child_comes_back_to_a_team_through_the_registrar() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Rosters").await;
        let (registrar, parent) = (club.person(Role::Coach), club.person(Role::Member));
        let season = leagues::season("Winter");
        let division = leagues::division(&season, "U12");
        let [eagles, gone] = ["Eagles", "Gone"].map(|name| leagues::team(&division, name));
        let duty = Duty {
            kind: DutyKind::Registrar,
            state: DutyState::Accepted,
            season_id: Some(season.id),
            ends_at: NOW.saturating_add(SignedDuration::from_hours(1)).unwrap(),
            ..leagues::duty(registrar.user.id)
        };
        let [kim, lee, mia] = ["Kim K.", "Lee L.", "Mia M."].map(child);
        let status = |child, status| Registration {
            division_id: Some(division.id),
            status,
            ..registration(child, &season)
        };
        let applications =
            [status(&kim, RegistrationStatus::Accepted), status(&lee, RegistrationStatus::Applied)];
        let entry = |child: &Child| RosterEntry {
            starts_on: date(2026, 4, 1),
            jersey_number: Some(7),
            version: 3,
            ..roster_entry(&eagles, child)
        };
        let of_kim = entry(&kim);
        let league =
            [season.clone().into(), division.clone().into(), eagles.clone().into(), AnyRecord::from(duty)];
        let of_children = [&kim, &lee, &mia].into_iter().flat_map(|child| {
            with_classes(child).into_iter().chain([guardian(child, parent.user.id).into()])
        });
        let places = applications.into_iter().map(AnyRecord::from).chain([of_kim.clone().into()]);
        club.create(store, league.into_iter().chain(of_children).chain(places).collect()).await;
        request(store, registrar, None, rosters::Remove(eagles.id, of_kim.id)).await.unwrap();

        let restore =
            async |person, entry: RosterEntry| request(store, person, None, rosters::Restore(entry)).await;
        for person in [parent, club.owner()] {
            let refused = restore(person, of_kim.clone()).await;
            assert!(matches!(refused, Err(Error::Refused(Refusal::Forbidden(_)))), "{refused:?}");
        }
        let nowhere = RosterEntry { team_id: gone.id, ..of_kim.clone() };
        assert_eq!(pointers(restore(registrar, nowhere).await), missing("/team_id"));
        let not_accepted = [("/child_id".to_owned(), "not_accepted")];
        assert_eq!(pointers(restore(registrar, entry(&lee)).await), not_accepted);
        // One of whom the registrar knows nothing, and one who does not exist.
        for unknown in [mia, child("Erased E.")] {
            assert_eq!(pointers(restore(registrar, entry(&unknown)).await), missing("/child_id"));
        }
        let back = restore(registrar, of_kim.clone()).await.unwrap();
        assert_eq!(back.display_name, "Kim K.");
        is_back(back.entry, of_kim.clone());
        duplicate(restore(registrar, of_kim.clone()).await);
        let overlapping = RosterEntry { starts_on: date(2026, 5, 1), ..entry(&kim) };
        let refused = restore(registrar, overlapping).await;
        assert!(matches!(refused, Err(Error::Refused(Refusal::Duplicate(_)))), "{refused:?}");
    }
}
