//! What commands refuse: missing targets, other versions, records in use and keys that another record has.

use fieldhouse_commands::{Error, seasons, venues as commands};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::seasons::{ChangeSeason, NewSeason, Season};
use fieldhouse_domain::text::ExternalId;
use fieldhouse_domain::venues::ChangeVenue;
use fieldhouse_testing::clubs::Club;
use fieldhouse_testing::{databases, leagues};

use crate::{body, job, new_venue, request, venues};

fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Refusal {
    match result {
        Err(Error::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_target_must_exist_in_the_organization_and_have_the_expected_version() {
    for database in databases::both() {
        let store = &database.open().await;
        let (club, other) = (Club::found(store, "Targets").await, Club::found(store, "Others").await);
        let (venue, foreign) = (leagues::venue("Oval"), leagues::venue("Foreign"));
        club.create(store, vec![venue.clone().into()]).await;
        other.create(store, vec![foreign.clone().into()]).await;
        let change = async |id, if_match, name| {
            let change: ChangeVenue = body(&[("name", name)]);
            request(store, club.owner(), if_match, commands::Change { id, change }).await
        };
        // A record that does not exist has no version to compare.
        for if_match in [None, Some("\"1\""), Some("\"7\"")] {
            for missing in [leagues::venue("Missing").id, foreign.id] {
                assert_eq!(refusal(change(missing, if_match, "New").await), Refusal::NotFound);
            }
        }
        assert_eq!(change(venue.id, Some("\"1\""), "Second").await.unwrap().version, 2);
        let stale = refusal(change(venue.id, Some("\"1\""), "Third").await);
        assert_eq!(stale, Refusal::VersionMismatch { current: 2 });
        assert_eq!(venues(store, &club).await, ["Second"]);
        // Even if it would change nothing.
        let stale = refusal(change(venue.id, Some("\"1\""), "Second").await);
        assert_eq!(stale, Refusal::VersionMismatch { current: 2 });
        assert_eq!(change(venue.id, Some("\"2\""), "Second").await.unwrap().version, 2, "nothing differs");
        assert_eq!(change(venue.id, None, "Third").await.unwrap().version, 3);
        let deleted = request(store, club.owner(), Some("\"2\""), commands::Delete(venue.id)).await;
        assert_eq!(refusal(deleted), Refusal::VersionMismatch { current: 3 });
        assert_eq!(
            job(store, &club, commands::Delete(venue.id)).await.unwrap(),
            venue.id,
            "without a header"
        );
        assert_eq!(refusal(job(store, &club, commands::Delete(venue.id)).await), Refusal::NotFound);
        assert_eq!(venues(store, &other).await, ["Foreign"]);
    }
}

#[tokio::test]
async fn a_key_that_another_record_has_is_refused_by_the_name_of_its_field() {
    for database in databases::both() {
        let store = &database.open().await;
        let (club, other) = (Club::found(store, "Keys").await, Club::found(store, "Copies").await);
        let taken = |result: Result<(), Error>| match result {
            Err(Error::Store(fieldhouse_store::Error::Duplicate(taken))) => {
                (taken.table, taken.field.unwrap_or_default())
            }
            other => panic!("{other:?}"),
        };
        let key = |table: &str, field: &str| (table.to_owned(), field.to_owned());
        let create =
            async |club: &Club, name| job(store, club, commands::Create(new_venue(name))).await.map(drop);
        create(&club, "Óval").await.unwrap();
        assert_eq!(taken(create(&club, "OVAL").await), key("venues", "name"));
        create(&other, "Oval").await.unwrap();

        let new = |name, external_id| -> NewSeason {
            let zone = ("time_zone", "Australia/Melbourne");
            body(&[("name", name), ("sport", "netball"), zone, ("external_id", external_id)])
        };
        let create = async |season| job(store, &club, seasons::Create(season)).await;
        let winter = create(new("Winter", "w")).await.unwrap();
        let summer = create(new("Summer", "s")).await.unwrap();
        assert_eq!(taken(create(new("winter", "x")).await.map(drop)), key("seasons", "name"));
        assert_eq!(taken(create(new("Spring", "w")).await.map(drop)), key("seasons", "external_id"));
        let change = ChangeSeason { name: Some(winter.name.clone()), ..ChangeSeason::default() };
        let renamed = job(store, &club, seasons::Change { id: summer.id, change }).await;
        assert_eq!(taken(renamed.map(drop)), key("seasons", "name"));
    }
}

#[tokio::test]
async fn a_record_in_use_is_not_deleted() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Uses").await;
        let external_id = ExternalId::parse("w").ok();
        let season = Season { external_id, ..leagues::season("Winter") };
        let division = leagues::division(&season, "U12");
        let venue = leagues::venue("Oval");
        club.create(store, vec![season.clone().into(), division.clone().into(), venue.clone().into()]).await;
        let teams = ["Eagles", "Hawks"].map(|name| leagues::team(&division, name));
        let starts_at = fieldhouse_testing::clubs::NOW;
        let mut game = leagues::game(&division, teams[0].id, teams[1].id, starts_at);
        game.venue_id = Some(venue.id);
        let mut records: Vec<AnyRecord> = teams.map(AnyRecord::from).into();
        records.push(game.into());
        club.create(store, records).await;
        let in_use = |refusal: Refusal, counted: &str| {
            let is_in_use = matches!(&refusal, Refusal::InUse(_) | Refusal::HasContents(_));
            assert!(is_in_use && refusal.to_string().contains(counted), "{refusal:?}");
        };
        in_use(
            refusal(job(store, &club, seasons::Delete(season.id)).await),
            "the season has 1 division, 2 teams and 1 game",
        );
        in_use(refusal(job(store, &club, commands::Delete(venue.id)).await), "1 game refers to it");
        assert_eq!(venues(store, &club).await, ["Oval"]);
        let lonely = leagues::season("Lonely");
        club.create(store, vec![lonely.clone().into()]).await;
        assert_eq!(job(store, &club, seasons::Delete(lonely.id)).await.unwrap(), lonely.id);
    }
}
