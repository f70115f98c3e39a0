//! A change is applied to the version that it was made of, and to no other: of every kind of record.

use fieldhouse_domain::effects::{Effect, Record};
use fieldhouse_domain::favorites::{Details, Favorite, ListOwner};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::text::Name;
use fieldhouse_store::{Error, Store};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::leagues::{division, game, season, team, venue};

use crate::favorites::{custom, saved};

/// A record of every kind that is in the club, with something changed.
fn changes(club: &Club, league: &[Record], favorite: &Favorite) -> Vec<(Record, Record)> {
    let Person { user, member, session, key, .. } = club.owner().clone();
    let mut people = vec![
        Record::Organization(club.organization.clone()),
        Record::User(user),
        Record::Member(member),
        Record::Session(session),
        Record::ApiKey(key),
        Record::Favorite(favorite.clone()),
    ];
    people.extend(league.iter().cloned());
    people.into_iter().map(|before| (before.clone(), changed(before))).collect()
}

fn changed(mut record: Record) -> Record {
    let name = Name::stored("Another".to_owned());
    match &mut record {
        Record::Organization(organization) => organization.name = name,
        Record::User(user) => user.name = name,
        Record::Member(member) => member.suspended_at = Some(NOW),
        Record::Session(session) => session.generation += 1,
        Record::ApiKey(key) => key.name = name,
        Record::Season(season) => season.name = name,
        Record::Division(division) => division.name = name,
        Record::Team(team) => team.name = name,
        Record::Venue(venue) => venue.name = name,
        Record::Game(game) => game.round = Some(name),
        Record::Favorite(favorite) => favorite.notes = Some("Another".to_owned()),
    }
    record
}

async fn moved(store: &Store, club: &Club, effect: Effect) {
    let what = format!("{} {}", effect.verb(), effect.record().map(Record::id).unwrap_or_default());
    let applied = clubs::apply(store, club.id(), vec![effect]).await;
    assert!(matches!(&applied, Err(Error::Internal(why)) if why.contains("version")), "{what}: {applied:?}");
}

pub(crate) async fn a_change_of_another_version_is_refused(store: &Store) {
    let club = Club::found(store, "Versions").await;
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    let first = game(&open, eagles.id, eagles.id, NOW);
    let league = [
        Record::Season(winter),
        Record::Division(open),
        Record::Team(eagles),
        Record::Venue(venue("Hall")),
        Record::Game(first),
    ];
    let owner = ListOwner::User(club.owner().user.id);
    let favorite = saved(owner, &[], custom("Isla"), Details::default());
    club.create(store, league.iter().cloned().chain([Record::Favorite(favorite.clone())]).collect()).await;

    let changes = changes(&club, &league, &favorite);
    assert_eq!(changes.len(), 11, "every kind");
    for (before, after) in changes {
        let change = Effect::update(&clubs::moment(), before.clone(), after).expect("something differs");
        clubs::apply(store, club.id(), vec![change.clone()]).await.unwrap();
        moved(store, &club, change).await;
        if matches!(before, Record::Member(_) | Record::Season(_) | Record::Favorite(_)) {
            moved(store, &club, Effect::delete(before)).await;
        } else {
            let never = clubs::apply(store, club.id(), vec![Effect::delete(before)]).await;
            assert!(
                matches!(&never, Err(Error::Internal(why)) if why.contains("never deleted")),
                "{never:?}"
            );
        }
    }
    let nobody = Member::new(&clubs::moment(), club.owner().user.id, fieldhouse_domain::roles::Role::Viewer);
    moved(store, &club, Effect::delete(Record::Member(nobody))).await;
}
