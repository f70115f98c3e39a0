//! What changes leave behind.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id;
use fieldhouse_store::{Change, Error, Store, audit};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::leagues::{division, season};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

async fn events(store: &Store, club: &Club, since: Timestamp) -> i64 {
    audit::count(&mut &*store, club.id(), since).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
async fn apply(store: &Store, club: &Club, minutes: i64, effects: Vec<Effect>) -> Result<(), Error> {
    let (operator, organization, moment) = (store.operator(), club.id(), clubs::moment_at(after(minutes)));
    let applied = store.write("testing.audit", async move |tx| {
        let moment = moment.again();
        let proof = clubs::permitted(tx, &operator, organization).await?;
        let change =
            Change { moment: &moment, operation: "seasons.create", request_id: "test", reason: None };
        tx.apply(&proof, change, &effects).await.map(drop)
    });
    applied.await
}

pub(crate) async fn a_change_leaves_one_event_and_an_outbox_row_for_each_effect(store: &Store) {
    let club = Club::found(store, "Audit One").await;
    assert_eq!(
        (events(store, &club, NOW).await, events(store, &club, after(1)).await),
        (1, 0),
        "its founding"
    );
    let winter = season("Winter");
    let made = [AnyRecord::Season(winter.clone()), AnyRecord::Division(division(&winter, "U12"))]
        .map(Effect::create);
    apply(store, &club, 1, made.into()).await.unwrap();
    assert_eq!(events(store, &club, after(1)).await, 1);
    apply(store, &club, 2, Vec::new()).await.unwrap();
    assert_eq!(events(store, &club, after(2)).await, 0, "of no effects nothing is left");
    let refused = apply(store, &club, 3, vec![Effect::create(AnyRecord::Season(winter))]).await;
    assert!(refused.is_err());
    assert_eq!(events(store, &club, after(3)).await, 0, "nor of a change that was refused");
}

pub(crate) async fn what_went_is_told_in_the_order_of_time(store: &Store) {
    let (club, other) = (Club::found(store, "Audit Two").await, Club::found(store, "Audit Three").await);
    let scope = club.owner().scope(store).await;
    let gone = ["Late", "Early", "Early twin"].map(season);
    club.create(store, gone.clone().map(AnyRecord::Season).into()).await;
    let [late, early, twin] = gone;
    let ids = [early.id.uuid(), twin.id.uuid(), late.id.uuid()];
    let gone = |season| Effect::delete(AnyRecord::Season(season));
    apply(store, &club, 2, vec![gone(late)]).await.unwrap();
    apply(store, &club, 1, vec![gone(early), gone(twin)]).await.unwrap();
    let told =
        async |kind, from, limit| audit::tombstones(&mut &*store, &scope, kind, from, limit).await.unwrap();
    let begin = (Timestamp::UNIX_EPOCH, Uuid::nil());
    let all = [(ids[0], after(1)), (ids[1], after(1)), (ids[2], after(2))];
    assert_eq!(told("season", begin, 10).await, all);
    assert_eq!(told("season", (after(1), ids[0]), 1).await, all[1..2], "goes on among those of one instant");
    assert_eq!(told("member", begin, 10).await, []);
    let scope = other.owner().scope(store).await;
    assert_eq!(audit::tombstones(&mut &*store, &scope, "season", begin, 10).await.unwrap(), []);
}
