//! A relation that ends opens nothing to requests that start after the end was acknowledged, while others are on their way.

use fieldhouse_domain::children::relations::Relation;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_testing::clubs;
use fieldhouse_testing::families::{child, guardian, with_classes};
use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::json;

use crate::support::families::{CHILDREN, signed_in};
use crate::support::fixtures::Fixture;
use crate::support::{Answer, Club, Person, on_both};

/// How many requests start before the acknowledgement: a third.
const EARLY: usize = 2;
/// Those that start after it: two thirds.
const LATE: usize = 4;
/// How often a relation ends while its child is read: with six reads each, more than 1,000 times.
const ROUNDS: usize = 170;

struct Race {
    child: ChildId,
    /// Whose relation ends in each round.
    leaver: Person,
    user: UserId,
}

impl Race {
    async fn of(club: &Club) -> Self {
        let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
        let user = fixture.member(Role::Member).user;
        fixture.write().await;
        let child = child("Zzyzxgrove of the race");
        let effects = with_classes(&child).into_iter().map(Effect::create).collect();
        clubs::apply(&club.app.store, club.organization, effects).await.expect("a child");
        Self { child: child.id, leaver: signed_in(club, user).await, user }
    }

    /// Relates a user to the child again.
    async fn relate(&self, club: &Club, user: UserId) -> Relation {
        let known = fieldhouse_domain::children::Child { id: self.child, ..child("Zzyzxgrove of the race") };
        let relation = guardian(&known, user);
        let effects = vec![Effect::create(relation.clone())];
        clubs::apply(&club.app.store, club.organization, effects).await.expect("a relation");
        relation
    }

    /// Reads the child in one of four ways. Returns whether any of it was in the response.
    async fn is_served(&self, reader: &Person, way: usize) -> bool {
        let child = self.child;
        let path = match way % 4 {
            0 => CHILDREN.to_owned(),
            1 => format!("{CHILDREN}/{child}"),
            2 => format!("{CHILDREN}/{child}/contact"),
            _ => format!("{CHILDREN}/{child}/history"),
        };
        let Answer { status, text, .. } = reader.get(&path).await;
        assert!(matches!(status, 200 | 404), "{status}: {text}");
        status == 200 && text.contains(&child.to_string())
    }

    /// Ends the relation while a reader reads the child. Returns how many reads that started after the acknowledgement were served.
    async fn round(&self, club: &Club, reader: &Person) -> usize {
        let relation = self.relate(club, self.user).await;

        let before = join_all((0..EARLY).map(|way| self.is_served(reader, way)));
        let after = async {
            let path = format!("/api/v1/relations/{}/revoke", relation.id);
            let ended = self.leaver.post(&path, &json!({})).await;
            assert_eq!(ended.status, 200, "{}", ended.text);
            join_all((0..LATE).map(|way| self.is_served(reader, way))).await
        };
        let (_, after) = tokio::join!(before, after);
        after.into_iter().filter(|is_served| *is_served).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_is_not_served_to_requests_that_start_after_the_end_of_the_relation() {
    on_both(async |club| {
        let race = Race::of(&club).await;
        let reader = signed_in(&club, race.user).await;
        for round in 0..ROUNDS {
            assert_eq!(race.round(&club, &reader).await, 0, "round {round}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_race_notices_a_reader_whom_the_end_does_not_bind() {
    on_both(async |club| {
        let race = Race::of(&club).await;
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let other = fixture.member(Role::Member).user;
        fixture.write().await;
        race.relate(&club, other).await;
        let reader = signed_in(&club, other).await;

        assert_eq!(race.round(&club, &reader).await, LATE);
    })
    .await;
}
