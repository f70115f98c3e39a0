//! The journal on PostgreSQL: long entries, rows that cannot be read, and the order of the ledger.

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::Id;
use fieldhouse_store::ledger::{self, Filter, Verdict};
use fieldhouse_testing::clubs::Club;
use fieldhouse_testing::databases;
use fieldhouse_testing::leagues::venue;

use crate::raw;

#[tokio::test]
async fn an_entry_of_many_effects_is_written_in_parts_and_posted_as_one() {
    let database = databases::postgres();
    let store = database.open().await;
    let club = Club::found(&store, "Parts").await;
    let scope = club.owner().scope(&store).await;
    store.post_everything().await.unwrap();
    let venues: Vec<_> = (0..1201).map(|number| venue(&format!("Venue {number}"))).collect();
    club.create(&store, venues.iter().cloned().map(AnyRecord::from).collect()).await;
    let rows = "SELECT COUNT(*) FROM journal";
    let client = raw::postgres(&database).await;
    assert_eq!(client.query_one(rows, &[]).await.unwrap().get::<_, i64>(0), 3);
    // Rows of other transactions may come between the parts.
    club.create(&store, vec![AnyRecord::from(venue("Between"))]).await;
    let last_but_one =
        "UPDATE journal SET n = DEFAULT WHERE n = (SELECT n FROM journal ORDER BY n DESC OFFSET 1 LIMIT 1)";
    client.batch_execute(last_but_one).await.unwrap();

    assert_eq!(store.post(club.id()).await.unwrap(), 2);
    let entries = ledger::entries(&mut &store, &scope, &Filter::default(), None, 10).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.effects.len()).collect::<Vec<_>>()[..2], [1201, 1]);
    let recorded = entries[0].effects.iter().map(|effect| effect.record_id);
    assert!(recorded.eq(venues.iter().map(|venue| venue.id.uuid())), "in the order of the effects");
    let verdict = ledger::verify(&store, &scope).await.unwrap();
    assert_eq!(verdict, Verdict::Intact { entries: 3, cleared: 0 });
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_posted_with_its_text_and_blocks_nothing() {
    let database = databases::postgres();
    let store = database.open().await;
    let club = Club::found(&store, "Unreadable").await;
    let scope = club.owner().scope(&store).await;
    let broken =
        "INSERT INTO journal (org_id, at, entry) SELECT id, 5, '9 {\"from\": \"the future\"}' FROM orgs;
        INSERT INTO journal (org_id, at, entry) SELECT id, 6, 'nonsense' FROM orgs";
    raw::execute(&database, broken).await;
    club.create(&store, vec![AnyRecord::from(venue("After"))]).await;

    assert_eq!(store.post(club.id()).await.unwrap(), 4);
    let entries = ledger::entries(&mut &store, &scope, &Filter::default(), None, 10).await.unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.operation.as_str(), entry.reason.as_deref(), entry.effects.is_empty()))
        .collect();
    let expected = [
        ("testing.apply", None, false),
        ("ledger.unreadable", Some("nonsense"), true),
        ("ledger.unreadable", Some("9 {\"from\": \"the future\"}"), true),
    ];
    assert_eq!(told[..3], expected);
    let verdict = ledger::verify(&store, &scope).await.unwrap();
    assert_eq!(verdict, Verdict::Intact { entries: 4, cleared: 0 });
}

/// What a rule is for: with the row written first, as the last statement, with an identity that is dealt out in blocks or one by one.
#[tokio::test]
async fn the_journal_numbers_one_by_one_at_the_place_of_the_last_statement() {
    let database = databases::postgres();
    let client = raw::postgres(&database).await;
    let cache = "SELECT cache_size FROM pg_sequences WHERE sequencename = 'journal_n_seq'";
    assert_eq!(client.query_one(cache, &[]).await.unwrap().get::<_, i64>(0), 1);

    // The failing variant: sessions deal out numbers of their own blocks, and the later commit gets the smaller number.
    client
        .batch_execute("CREATE TABLE blocks (n BIGINT GENERATED ALWAYS AS IDENTITY (CACHE 50))")
        .await
        .unwrap();
    let other = raw::postgres(&database).await;
    let insert = "INSERT INTO blocks DEFAULT VALUES RETURNING n";
    let journal = "INSERT INTO journal (org_id, at, entry) VALUES (gen_random_uuid(), 1, '') RETURNING n";
    let number = async |client: &tokio_postgres::Client, sql: &str| {
        client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0)
    };
    number(&client, insert).await;
    let (before, after) = (number(&other, insert).await, number(&client, insert).await);
    assert!(before > after, "in blocks, what comes later has the smaller number: {before} {after}");
    let (before, after) = (number(&other, journal).await, number(&client, journal).await);
    assert!(before < after, "one by one, it has the greater: {before} {after}");
}
