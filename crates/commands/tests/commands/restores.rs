//! Deleted records that come back, for an undo.

mod children;

use fieldhouse_commands::{
    Error, divisions, games, members, seasons, staff, teams, venues as venue_commands,
};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::{Store, access};
use fieldhouse_testing::clubs::{Club, NOW};
use fieldhouse_testing::{databases, leagues};

use crate::{job, new_venue, request};

/// Checks that a record is as it was, two versions later.
fn is_back(back: impl Into<AnyRecord>, was: impl Into<AnyRecord>) {
    let (back, was) = (back.into(), was.into());
    let mut image = back.image();
    assert_eq!(back.version(), was.version() + 2, "{}", was.kind());
    assert!(back.updated_at() >= NOW);
    for field in ["version", "updated_at"] {
        image.insert(field.to_owned(), was.get(field).unwrap());
    }
    assert_eq!(image, was.image());
}

/// The places of the errors of a refusal.
fn pointers<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<(String, &'static str)> {
    match result {
        Err(Error::Refused(Refusal::Invalid(errors))) => {
            errors.into_iter().map(|error| (error.pointer, error.code)).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn missing(pointer: &str) -> [(String, &'static str); 1] {
    [(pointer.to_owned(), "not_found")]
}

fn duplicate<T: std::fmt::Debug>(result: Result<T, Error>) -> Option<String> {
    match result {
        Err(Error::Store(fieldhouse_store::Error::Duplicate(taken))) => taken.field,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_league_comes_back_from_parents_to_children() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Restores").await;
        let season = leagues::season("Winter");
        let division = leagues::division(&season, "U12");
        let [home, away] = ["Eagles", "Hawks"].map(|name| leagues::team(&division, name));
        let venue = Venue { fields: vec![Name::stored("1".to_owned())], ..leagues::venue("Oval") };
        let game = Game {
            venue_id: Some(venue.id),
            ends_at: NOW.saturating_add(jiff::SignedDuration::from_hours(1)).ok(),
            ..leagues::game(&division, home.id, away.id, NOW)
        };
        let entry = leagues::staff(&home, club.person(Role::Coach).user.id);
        let entry = Staff {
            state: StaffState::Confirmed,
            confirmed_by: Some(club.owner().user.id),
            confirmed_at: Some(NOW),
            ..entry
        };
        let all: Vec<AnyRecord> = vec![
            season.clone().into(),
            division.clone().into(),
            home.clone().into(),
            away.clone().into(),
            venue.clone().into(),
            game.clone().into(),
            entry.clone().into(),
        ];
        club.create(store, all).await;

        request(store, club.owner(), Some("\"1\""), games::Delete(game.id)).await.unwrap();
        job(store, &club, staff::Remove(home.id, entry.id)).await.unwrap();
        for team in [home.id, away.id] {
            job(store, &club, teams::Delete(team)).await.unwrap();
        }
        job(store, &club, divisions::Delete(division.id)).await.unwrap();
        let now = season_of(store, &club, season.id).await;
        job(store, &club, seasons::Delete(season.id)).await.unwrap();
        job(store, &club, venue_commands::Delete(venue.id)).await.unwrap();

        // Nothing comes back before what it belongs to.
        let refused = job(store, &club, divisions::Restore(division.clone())).await;
        assert_eq!(pointers(refused), missing("/season_id"));
        let back = job(store, &club, seasons::Restore(now.clone())).await.unwrap();
        is_back(back.season, now);
        let refused = job(store, &club, teams::Restore(home.clone())).await;
        assert_eq!(pointers(refused), missing("/division_id"));
        let back = job(store, &club, divisions::Restore(division.clone())).await.unwrap();
        is_back(back, division.clone());
        let refused = job(store, &club, staff::Restore(entry.clone())).await;
        assert_eq!(pointers(refused), missing("/team_id"));
        let back = job(store, &club, teams::Restore(home.clone())).await.unwrap();
        is_back(back, home.clone());
        let refused = pointers(job(store, &club, games::Restore(game.clone())).await);
        assert_eq!(refused, ["/away_team_id", "/venue_id"].map(|place| (place.to_owned(), "not_found")));
        is_back(job(store, &club, teams::Restore(away.clone())).await.unwrap(), away.clone());
        is_back(job(store, &club, venue_commands::Restore(venue.clone())).await.unwrap(), venue.clone());
        let back = job(store, &club, games::Restore(game.clone())).await.unwrap();
        is_back(back.game, game.clone());
        confirmed_again(store, &club, &entry).await;

        // The id exists again, or another record has the name.
        for again in [
            job(store, &club, seasons::Restore(season)).await.map(drop),
            job(store, &club, divisions::Restore(division)).await.map(drop),
            job(store, &club, teams::Restore(home)).await.map(drop),
            job(store, &club, venue_commands::Restore(venue.clone())).await.map(drop),
            job(store, &club, games::Restore(game)).await.map(drop),
        ] {
            duplicate(again);
        }
        let other = Venue { name: Name::stored("OVAL".to_owned()), ..leagues::venue("Other") };
        let taken = job(store, &club, venue_commands::Restore(other)).await;
        assert_eq!(duplicate(taken).as_deref(), Some("name"));
    }
}

async fn season_of(
    store: &Store,
    club: &Club,
    id: fieldhouse_domain::ids::SeasonId,
) -> fieldhouse_domain::seasons::Season {
    let scope = club.owner().scope(store).await;
    fieldhouse_store::seasons::read(&mut &*store, &scope, id).await.unwrap().unwrap().season
}

/// A staff entry comes back as someone proposes it, and no one proposes themselves.
async fn confirmed_again(store: &Store, club: &Club, entry: &Staff) {
    let restore = || staff::Restore(entry.clone());
    let (owner, manager) = (club.owner(), club.person(Role::Manager));
    let own = Staff { user_id: owner.user.id, ..entry.clone() };
    let refused = request(store, owner, None, staff::Restore(own)).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::SelfGrant))), "{refused:?}");
    let stranger = Staff { user_id: fieldhouse_domain::ids::Id::from_uuid(uuid_of(7)), ..entry.clone() };
    assert_eq!(pointers(request(store, owner, None, staff::Restore(stranger)).await), missing("/user_id"));
    let low = request(store, club.person(Role::Coach), None, restore()).await;
    assert!(matches!(low, Err(Error::Denied(Denial::RoleInsufficient(Role::Manager)))), "{low:?}");
    let back = request(store, manager, None, restore()).await.unwrap().staff;
    let expected = Staff {
        state: StaffState::Proposed,
        proposed_by: Some(manager.user.id),
        proposed_at: back.proposed_at,
        confirmed_by: None,
        confirmed_at: None,
        ..entry.clone()
    };
    assert!(back.proposed_at >= NOW, "now");
    is_back(back, expected);
    duplicate(request(store, manager, None, restore()).await);
    // What has ended opens nothing.
    request(store, manager, None, staff::Remove(entry.team_id, entry.id)).await.unwrap();
    let ended = Staff { state: StaffState::Ended, version: 5, ..entry.clone() };
    let back = request(store, manager, None, staff::Restore(ended.clone())).await.unwrap();
    is_back(back.staff, ended);
}

fn uuid_of(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}

#[tokio::test]
async fn a_game_stays_with_a_team_that_moved_to_another_division_before_it_was_deleted() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Moved").await;
        let season = leagues::season("Winter");
        let [first, second] = ["U12", "U14"].map(|name| leagues::division(&season, name));
        let home = Team { division_id: second.id, ..leagues::team(&first, "Eagles") };
        let away = leagues::team(&first, "Hawks");
        let game = leagues::game(&first, home.id, away.id, NOW);
        let game = Game { time_zone: TimeZoneName::utc(), local_start: None, ..game };
        let records: Vec<AnyRecord> =
            vec![season.into(), first.into(), second.into(), home.into(), away.into(), game.clone().into()];
        club.create(store, records).await;
        request(store, club.owner(), Some("\"1\""), games::Delete(game.id)).await.unwrap();
        let back = job(store, &club, games::Restore(game.clone())).await.unwrap();
        let local = back.game.local_start;
        is_back(back.game, Game { local_start: local, ..game });
    }
}

#[tokio::test]
async fn a_membership_comes_back_without_what_ended_with_it() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Members").await;
        let (admin, coach) = (club.person(Role::Admin), club.person(Role::Coach));
        request(store, admin, None, members::Remove(coach.member.id)).await.unwrap();
        let was = Member { suspended_at: Some(NOW), version: 4, ..coach.member.clone() };
        let low = request(store, club.person(Role::Manager), None, members::Restore(was.clone())).await;
        assert!(matches!(low, Err(Error::Denied(Denial::RoleInsufficient(Role::Admin)))), "{low:?}");
        let higher = Member { role: Role::Owner, ..was.clone() };
        let refused = request(store, admin, None, members::Restore(higher)).await;
        assert!(matches!(refused, Err(Error::Refused(Refusal::Forbidden(_)))), "{refused:?}");
        let back = request(store, admin, None, members::Restore(was.clone())).await.unwrap();
        is_back(back.member, was.clone());
        duplicate(request(store, admin, None, members::Restore(was.clone())).await);
        let twin = Member { id: fieldhouse_domain::ids::Id::from_uuid(uuid_of(9)), ..was };
        duplicate(request(store, admin, None, members::Restore(twin)).await);
        let ended = access::identify(&mut &*store, &coach.by_session(), NOW).await.unwrap();
        assert!(ended.is_err(), "the session stays ended");
    }
}

#[tokio::test]
async fn who_may_create_a_record_may_restore_it() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Roles").await;
        let manager = club.person(Role::Manager);
        let made = request(store, manager, None, venue_commands::Create(new_venue("Oval"))).await.unwrap();
        request(store, manager, None, venue_commands::Delete(made.id)).await.unwrap();
        for role in Role::ALL.into_iter().filter(|role| *role < Role::Manager) {
            let restored =
                request(store, club.person(role), None, venue_commands::Restore(made.clone())).await;
            let denied = matches!(restored, Err(Error::Denied(Denial::RoleInsufficient(Role::Manager))));
            assert!(denied, "{role}: {restored:?}");
        }
        let other = Club::found(store, "Elsewhere").await;
        let back = request(store, manager, None, venue_commands::Restore(made.clone())).await.unwrap();
        is_back(back, made);
        assert_eq!(crate::venues(store, &other).await, [""; 0]);
    }
}
