//! The ledger: what changes leave behind, and who can read it how.

pub(crate) mod children;
pub(crate) mod undoing;

use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::sessions::Session;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::users::User;
use fieldhouse_store::ledger::{self, Entry, EntryEffect, Filter};
use fieldhouse_store::{Change, Error, OrgScope, Principal, Store};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::leagues::{division, game, season, team, venue};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

fn renamed(season: &Season, name: &str) -> Season {
    Season { name: Name::parse(name).unwrap(), ..season.clone() }
}

async fn apply(
    store: &Store,
    club: &Club,
    minutes: i64,
    steps: Vec<Vec<Effect>>,
    reason: Option<&'static str>,
) -> Result<(), Error> {
    let moment = clubs::moment_at(after(minutes));
    clubs::write(store, club.id(), async move |tx, proof| {
        let moment = moment.again();
        let change = Change { moment: &moment, operation: "seasons.create", request_id: "request", reason };
        for effects in &steps {
            tx.apply(proof, change, effects).await?;
        }
        Ok(())
    })
    .await
}

async fn entries(store: &Store, scope: &OrgScope, filter: &Filter) -> Vec<Entry> {
    store.post(scope.organization()).await.unwrap();
    ledger::entries(&mut &*store, scope, filter, None, 100).await.unwrap()
}

async fn all(store: &Store, scope: &OrgScope) -> Vec<Entry> {
    entries(store, scope, &Filter::default()).await
}

fn image(image: Option<&String>) -> Json {
    image.map_or(Json::Null, |image| serde_json::from_str(image).unwrap())
}

fn told(effect: &EntryEffect) -> (Kind, &str, i64, &[String]) {
    (effect.kind, effect.verb.as_str(), effect.version, &effect.changed)
}

pub(crate) async fn a_transaction_is_one_entry_with_every_record_before_and_after(store: &Store) {
    let club = Club::found(store, "Ledger One").await;
    let scope = club.owner().scope(store).await;
    let founding = all(store, &scope).await;
    assert_eq!((founding.len(), founding[0].seq), (1, 1), "its founding");

    let (winter, short) = (season("Winter"), season("Short"));
    let update = |minutes, before: &Season, after: Season| {
        Effect::update(&clubs::moment_at(self::after(minutes)), before.clone(), after).expect("it differs")
    };
    let first = update(1, &winter, renamed(&winter, "Hiver"));
    let Some(AnyRecord::Season(hiver)) = first.after.clone() else { panic!("a season") };
    let steps = vec![
        vec![Effect::create(winter.clone()), Effect::create(division(&winter, "U12"))],
        vec![first, Effect::create(short.clone())],
        vec![Effect::delete(short)],
    ];
    apply(store, &club, 1, steps, Some("a new year")).await.unwrap();
    apply(store, &club, 2, vec![Vec::new()], None).await.unwrap();
    let refused = apply(store, &club, 3, vec![vec![Effect::create(winter.clone())]], None).await;
    assert!(refused.is_err());

    let found = all(store, &scope).await;
    assert_eq!(found.len(), 2, "nothing of no effects, nor of a change that was refused");
    let entry = &found[0];
    assert_eq!((entry.seq, entry.at, entry.user_id, entry.key_id), (2, after(1), None, None));
    assert_eq!((entry.operation.as_str(), entry.request_id.as_str()), ("seasons.create", "request"));
    assert_eq!(entry.reason.as_deref(), Some("a new year"));
    assert!(entry.posted_at > entry.at && entry.posted_at > founding[0].posted_at);
    let [made, divided] = &entry.effects[..] else { panic!("what was created and deleted is no effect") };
    assert_eq!(told(made), (Kind::Season, "created", 2, &[][..]), "two effects on a record are one");
    assert_eq!(told(divided), (Kind::Division, "created", 1, &[][..]));
    assert_eq!(
        (image(made.before.as_ref()), image(made.after.as_ref())),
        (Json::Null, json!(AnyRecord::Season(hiver.clone()).image()))
    );

    let summer = update(4, &hiver, renamed(&hiver, "Summer"));
    let Some(Ok(after_summer)) = summer.after.clone().map(Season::try_from) else { panic!("a season") };
    let swapped = update(
        4,
        &after_summer,
        Season { starts_on: Some(jiff::civil::date(2026, 9, 1)), ..after_summer.clone() },
    );
    let last = swapped.after.clone().expect("a season");
    apply(store, &club, 4, vec![vec![summer], vec![swapped]], None).await.unwrap();
    let found = all(store, &scope).await;
    let [changed] = &found[0].effects[..] else { panic!("one record") };
    assert_eq!(told(changed), (Kind::Season, "updated", 4, &["name".to_owned(), "starts_on".to_owned()][..]));
    assert_eq!(image(changed.before.as_ref()), json!(AnyRecord::Season(hiver).image()), "before the first");
    assert_eq!(image(changed.after.as_ref()), json!(last.image()), "after the last");
}

pub(crate) async fn each_kind_leaves_what_the_table_says(store: &Store) {
    let club = Club::found(store, "Ledger Two").await;
    let owner = club.owner().clone();
    let scope = owner.scope(store).await;
    let founding = all(store, &scope).await;
    let mut seen: Vec<(&str, bool)> =
        founding[0].effects.iter().map(|effect| (effect.kind.name(), effect.after.is_some())).collect();
    seen.sort_unstable();
    seen.dedup();
    let expected = [("api_key", false), ("member", true), ("organization", true), ("session", false)];
    assert_eq!(seen, expected, "no credential is in an image, and a user is in no entry");

    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    let first = game(&open, eagles.id, eagles.id, NOW);
    let league = vec![
        AnyRecord::from(winter),
        AnyRecord::from(venue("Hall")),
        AnyRecord::from(open),
        AnyRecord::from(eagles),
        AnyRecord::from(first),
    ];
    club.create(store, league.clone()).await;
    let entry = &all(store, &scope).await[0];
    let images: Vec<_> = entry.effects.iter().map(|effect| image(effect.after.as_ref())).collect();
    assert_eq!(images, league.iter().map(|record| json!(record.image())).collect::<Vec<_>>());

    let before = all(store, &scope).await.len();
    let favorite = crate::favorites::saved(
        fieldhouse_domain::favorites::ListOwner::User(owner.user.id),
        &[],
        crate::favorites::custom("Isla"),
        fieldhouse_domain::favorites::ChangeFavorite::default(),
    );
    club.create(store, vec![AnyRecord::from(favorite)]).await;
    let rotated = Session { generation: 2, ..owner.session.clone() };
    let rotated = Effect::update(&clubs::moment(), owner.session.clone(), rotated).expect("it differs");
    clubs::apply(store, club.id(), vec![rotated.clone()]).await.unwrap();
    assert_eq!(all(store, &scope).await.len(), before, "neither a favorite nor a rotated token");
    let Some(Ok(session)) = rotated.after.map(Session::try_from) else { panic!("a session") };
    let ended = Session { revoked_at: Some(NOW), ..session.clone() };
    let ended = Effect::update(&clubs::moment(), session, ended).expect("it differs");
    clubs::apply(store, club.id(), vec![ended]).await.unwrap();
    let found = all(store, &scope).await;
    assert_eq!(found.len(), before + 1);
    let [ended] = &found[0].effects[..] else { panic!("one session") };
    assert_eq!(told(ended), (Kind::Session, "updated", 3, &["revoked_at".to_owned()][..]));
    assert_eq!((&ended.before, &ended.after, ended.cleared), (&None, &None, false));
}

pub(crate) async fn a_user_is_recorded_in_each_of_their_organizations(store: &Store) {
    let clubs = [Club::found(store, "Ledger Three").await, Club::found(store, "Ledger Four").await];
    let [one, two] = &clubs;
    let user = one.owner().user.clone();
    let elsewhere = Member::new(&clubs::moment(), user.id, Role::Coach);
    two.create(store, vec![AnyRecord::from(elsewhere.clone())]).await;
    let scopes = [one.owner().scope(store).await, two.owner().scope(store).await];

    let renamed = User {
        name: Name::parse("Olga O").unwrap(),
        password_hash: Some("$argon2id$secret".to_owned()),
        ..user.clone()
    };
    let renamed = Effect::update(&clubs::moment(), user, renamed).expect("it differs");
    clubs::apply(store, one.id(), vec![renamed]).await.unwrap();
    let own = one.owner().member.id.uuid();
    for (scope, member) in scopes.iter().zip([own, elsewhere.id.uuid()]) {
        let entry = &all(store, scope).await[0];
        let [touched] = &entry.effects[..] else { panic!("one membership") };
        let fields = ["name".to_owned(), "password_hash".to_owned()];
        assert_eq!(told(touched), (Kind::Member, "updated", 2, &fields[..]));
        assert_eq!((touched.record_id, &touched.before, &touched.after), (member, &None, &None));
        assert_eq!((entry.user_id, entry.key_id), (None, None));
    }
}

pub(crate) async fn entries_are_filtered_and_come_newest_first(store: &Store) {
    let (club, other) = (Club::found(store, "Ledger Five").await, Club::found(store, "Ledger Six").await);
    let scope = club.owner().scope(store).await;
    let key = club.owner().key_scope(store).await;
    let [first, second] = ["First", "Second"].map(season);
    let by_key = (first.clone(), clubs::moment_at(after(1)));
    let written = store.write("testing.by_key", async move |tx| {
        let moment = by_key.1.again();
        let caller = Principal::Caller(&key);
        let permitted = tx.permit(caller, clubs::ANYTHING, None, NOW).await?;
        let proof = permitted.expect("the key may write");
        let change = Change { moment: &moment, operation: "seasons.by_key", request_id: "key", reason: None };
        tx.apply(&proof, change, &[Effect::create(by_key.0.clone())]).await
    });
    written.await.unwrap();
    apply(store, &club, 2, vec![vec![Effect::create(second.clone())]], None).await.unwrap();
    let change = Effect::touch(&clubs::moment_at(after(3)), first.clone());
    apply(store, &club, 3, vec![vec![change]], None).await.unwrap();
    other.create(store, vec![AnyRecord::from(season("Foreign"))]).await;

    let seqs = async |filter: Filter| {
        let found = entries(store, &scope, &filter).await;
        found.iter().map(|entry| entry.seq).collect::<Vec<_>>()
    };
    let any = Filter::default;
    let (user, key) = (club.owner().user.id, club.owner().key.id);
    assert_eq!(seqs(any()).await, [4, 3, 2, 1]);
    assert_eq!(seqs(Filter { user: Some(user), ..any() }).await, [2]);
    assert_eq!(seqs(Filter { key: Some(key), ..any() }).await, [2]);
    assert_eq!(seqs(Filter { operation: Some("seasons.create".to_owned()), ..any() }).await, [4, 3]);
    assert_eq!(seqs(Filter { from: Some(after(1)), to: Some(after(3)), ..any() }).await, [3, 2]);
    let record = Some((Kind::Season, first.id.uuid()));
    assert_eq!(seqs(Filter { record, ..any() }).await, [4, 2]);
    assert_eq!(seqs(Filter { record, operation: Some("seasons.create".to_owned()), ..any() }).await, [4]);
    assert_eq!(
        seqs(Filter { record: Some((Kind::Team, first.id.uuid())), ..any() }).await,
        Vec::<i64>::new()
    );
    let page = ledger::entries(&mut &*store, &scope, &any(), Some(4), 2).await.unwrap();
    assert_eq!(page.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [3, 2]);
    let by_key = &page[1];
    assert_eq!((by_key.user_id, by_key.key_id), (Some(user), Some(key)));
    assert_eq!(by_key.user_name.as_deref(), Some(club.owner().user.name.as_str()));

    let record = (Kind::Season, first.id.uuid());
    let history = ledger::history(&mut &*store, &scope, record, None, 10).await.unwrap();
    assert_eq!(history.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [4, 2]);
    let older = ledger::history(&mut &*store, &scope, record, Some(4), 10).await.unwrap();
    assert_eq!(older, history[1..]);
    let foreign = other.owner().scope(store).await;
    assert!(ledger::history(&mut &*store, &foreign, record, None, 10).await.unwrap().is_empty());
}

pub(crate) async fn the_generation_rises_with_every_commit(store: &Store) {
    let (club, other) = (Club::found(store, "Ledger Seven").await, Club::found(store, "Ledger Eight").await);
    let generation = async |club: &Club| store.generation(club.id()).await.unwrap();
    let (before, others) = (generation(&club).await, generation(&other).await);
    club.create(store, vec![AnyRecord::from(season("One"))]).await;
    let risen = generation(&club).await;
    assert_eq!((risen.commits, risen.epoch), (before.commits + 1, before.epoch));
    let scope = club.owner().scope(store).await;
    assert!(ledger::latest(store, &scope).await.unwrap());
    let head = ledger::head(&mut &*store, &scope).await.unwrap();
    assert_eq!(head.seq, risen.commits, "after posting what waits");
    store.post_everything().await.unwrap();
    assert_eq!(generation(&club).await, risen, "posting changes nothing");
    assert_eq!(generation(&other).await, others, "each organization has its own");
}

async fn intact(store: &Store, scope: &OrgScope) -> u64 {
    match ledger::verify(store, scope).await.unwrap() {
        ledger::Verdict::Intact { cleared, .. } => cleared,
        altered @ ledger::Verdict::Altered { .. } => panic!("{altered:?}"),
    }
}

pub(crate) async fn erasing_clears_every_image_of_a_record_also_one_that_waits(store: &Store) {
    let club = Club::found(store, "Ledger Nine").await;
    let scope = club.owner().scope(store).await;
    let (secret, other) = (season("Secret"), season("Other"));
    apply(store, &club, 1, vec![vec![Effect::create(secret.clone())]], Some("about Secret")).await.unwrap();
    store.post_everything().await.unwrap();
    // On PostgreSQL these wait in the journal while the record is erased.
    let change = Effect::update(&clubs::moment_at(after(2)), secret.clone(), renamed(&secret, "Secret too"));
    let change = change.expect("it differs");
    let last = change.after.clone().expect("a season");
    apply(store, &club, 2, vec![vec![change, Effect::create(other.clone())]], Some("Secret again"))
        .await
        .unwrap();
    let (moment, record) = (clubs::moment_at(after(3)), (Kind::Season, secret.id.uuid()));
    let erased = clubs::write(store, club.id(), async move |tx, proof| {
        let moment = moment.again();
        let reason = Some("on request");
        let change = Change { moment: &moment, operation: "seasons.erase", request_id: "erase", reason };
        tx.apply(proof, change, &[Effect::delete(last.clone())]).await?;
        tx.erase(proof, change, record, None);
        Ok(())
    });
    erased.await.unwrap();

    let found = all(store, &scope).await;
    let text = format!("{found:?}");
    assert!(!text.contains("Secret"), "{text}");
    let kept = entries(
        store,
        &scope,
        &Filter { record: Some((Kind::Season, other.id.uuid())), ..Filter::default() },
    )
    .await;
    let images: Vec<_> =
        kept[0].effects.iter().map(|effect| (effect.cleared, effect.after.is_some())).collect();
    assert_eq!(images, [(true, false), (false, true)], "another record of the same entry keeps its image");
    assert_eq!(kept[0].effects[0].changed, ["name"], "the names of fields stay");
    let verbs: Vec<_> = found[0].effects.iter().map(|effect| effect.verb.as_str()).collect();
    assert_eq!((verbs, found[0].reason.as_deref()), (vec!["deleted", "erased"], Some("on request")));
    assert_eq!(intact(store, &scope).await, 3);
}

pub(crate) async fn the_retention_clears_old_images_and_says_so(store: &Store) {
    let club = Club::found(store, "Ledger Ten").await;
    let scope = club.owner().scope(store).await;
    apply(store, &club, 1, vec![vec![Effect::create(season("Old"))]], Some("why")).await.unwrap();
    store.post_everything().await.unwrap();
    let head = ledger::head(&mut &*store, &scope).await.unwrap();
    let later = head.posted_at.saturating_add(SignedDuration::from_secs(1)).unwrap();
    let moment = clubs::moment_at(later);
    assert_eq!(
        store
            .clear_images(NOW.saturating_sub(SignedDuration::from_hours(1)).unwrap(), &moment)
            .await
            .unwrap(),
        0
    );
    assert!(store.clear_images(later, &moment).await.unwrap() > 1);
    apply(store, &club, 1, vec![vec![Effect::create(season("New"))]], None).await.unwrap();

    let found = all(store, &scope).await;
    let [new, retention, old, ..] = &found[..] else { panic!("three entries and the founding") };
    assert_eq!(retention.operation, "ledger.retention");
    assert_eq!(
        (old.effects[0].cleared, old.effects[0].after.is_some(), old.reason.as_deref()),
        (true, false, Some("why"))
    );
    assert!(new.effects[0].after.is_some() && !new.effects[0].cleared);
    assert!(intact(store, &scope).await > 1);
    let before = store.generation(club.id()).await.unwrap();
    store.clear_images(later, &clubs::moment_at(later)).await.unwrap();
    assert_eq!(store.generation(club.id()).await.unwrap(), before, "nothing is left to clear");
}
