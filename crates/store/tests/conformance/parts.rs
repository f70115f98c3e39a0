//! Savepoints: their effect on records and on the ledger.

use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::text::Name;
use fieldhouse_store::ledger::{self, Filter};
use fieldhouse_store::{Change, Error, Store, seasons};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::leagues::{division, parsed, season};

fn renamed(season: &Season, name: &str) -> Effect {
    let after = Season { name: Name::parse(name).unwrap(), ..season.clone() };
    Effect::update(&clubs::moment(), season.clone(), after).expect("it differs")
}

fn season_after(effect: &Effect) -> Season {
    effect.after.clone().and_then(|after| Season::try_from(after).ok()).expect("a season")
}

pub(crate) async fn an_undone_part_is_in_no_record_and_no_entry(store: &Store) {
    let club = Club::found(store, "Parts Undone").await;
    let scope = club.owner().scope(store).await;
    let (winter, spring, summer) = (season("Winter"), season("Spring"), season("Summer"));
    let moment = clubs::moment();
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        let moment = moment.again();
        let named = |operation| Change { moment: &moment, operation, request_id: "parts", reason: None };
        let simulation = tx.savepoint("testing.simulate").await?;
        let would_be = tx.apply(proof, named("seasons.simulate"), &[Effect::create(winter.clone())]).await?;
        let simulated = tx.end(simulation, Err::<(), _>(Simulated(would_be.len()))).await;
        assert!(matches!(simulated, Err(Simulated(1))), "an undone part can return a result");
        tx.apply(proof, named("seasons.create"), &[Effect::create(winter.clone())]).await?;
        let change = renamed(&winter, "Hiver");
        let hiver = season_after(&change);
        let kept = tx.savepoint("testing.kept").await?;
        tx.apply(proof, named("seasons.update"), &[change]).await?;
        tx.apply(proof, named("seasons.update"), &[Effect::create(spring.clone())]).await?;
        let refused = tx.savepoint("testing.refused").await?;
        tx.apply(proof, named("seasons.delete"), &[Effect::delete(spring.clone())]).await?;
        let taken = tx.apply(proof, named("seasons.create"), &[Effect::create(season("HIVER"))]).await;
        let taken = tx.end(refused, taken).await;
        assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
        tx.end(kept, Ok::<_, Error>(())).await?;
        tx.apply(proof, named("seasons.create"), &[Effect::create(division(&hiver, "U12"))]).await?;
        let ended = tx.savepoint("testing.ended").await?;
        tx.apply(proof, named("seasons.create"), &[Effect::create(summer.clone())]).await?;
        let deleted = tx.apply(proof, named("seasons.delete"), &[Effect::delete(summer.clone())]).await;
        tx.end(ended, deleted).await.map(drop)
    });
    written.await.unwrap();

    let listed =
        seasons::list(&mut &*store, &scope, &seasons::Filter::default(), None, 10).await.unwrap().records;
    let mut names: Vec<_> = parsed(&listed).into_iter().map(|season| season.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["Hiver", "Spring"]);
    store.post(club.id()).await.unwrap();
    let entries = ledger::entries(&mut &*store, &scope, &Filter::default(), None, 10).await.unwrap();
    let [entry, _founding] = &entries[..] else { panic!("one entry: {entries:?}") };
    assert_eq!(entry.operation, "seasons.create", "the first change that is not undone names the entry");
    let effects: Vec<_> = entry
        .effects
        .iter()
        .map(|effect| (effect.kind.name(), effect.verb.as_str(), effect.version))
        .collect();
    assert_eq!(effects, [("season", "created", 3), ("season", "created", 1), ("division", "created", 1)]);
    assert!(entry.effects.iter().all(|effect| effect.before.is_none() && effect.after.is_some()));
}

/// How many effects a simulation had.
struct Simulated(usize);

impl From<Error> for Simulated {
    fn from(error: Error) -> Self {
        panic!("{error}")
    }
}
