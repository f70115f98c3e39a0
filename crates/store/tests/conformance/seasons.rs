//! Seasons with their divisions.

use fieldhouse_domain::divisions::{Division, DivisionGender};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::seasons::shown::{self, SeasonDivision};
use fieldhouse_domain::seasons::{ChangeSeason, Scoring, Season, SeasonStatus, Tiebreaker};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_store::ledger::{self, Point};
use fieldhouse_store::seasons::{Filter, Line, Listed};
use fieldhouse_store::{Error, OrgScope, Store, seasons};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::databases::Database;
use fieldhouse_testing::leagues::{division, parsed, season, team};
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};

use crate::paging::{PAGE, pages};

fn names(page: &[Line]) -> Vec<String> {
    parsed(page).into_iter().map(|season| season.name).collect()
}

fn played(name: &str, first: jiff::civil::Date, last: Option<jiff::civil::Date>) -> Season {
    Season { starts_on: Some(first), ends_on: last, ..season(name) }
}

async fn all(store: &Store, scope: &OrgScope, filter: &Filter) -> Vec<String> {
    names(&seasons::list(&mut &*store, scope, filter, None, 100).await.unwrap().records)
}

pub(crate) async fn are_listed_latest_first_in_pages_with_their_divisions(store: &Store) {
    let (club, other) = (Club::found(store, "Seasons One").await, Club::found(store, "Seasons Two").await);
    let scope = club.owner().scope(store).await;
    let old = played("Old", date(2024, 4, 1), None);
    // Of seasons with the same first day, the one created later is first, also across pages.
    let spring = |name| played(name, date(2025, 4, 1), None);
    let (first_twin, twin, other_twin) = (spring("First twin"), spring("Twin"), spring("Other twin"));
    let undated = season("Undated");
    let far = played("Far", date(9999, 12, 31), None);
    let seasons_of_club = [&old, &first_twin, &twin, &other_twin, &undated, &far];
    let mut records: Vec<AnyRecord> = seasons_of_club.map(|season| AnyRecord::from(season.clone())).into();
    let girls = Division {
        age_group: Some(Name::stored("U12".to_owned())),
        gender: Some(DivisionGender::Girls),
        ..division(&twin, "Girls")
    };
    let divisions = [division(&twin, "zebra"), girls.clone(), division(&twin, "Ápple"), division(&old, "A")];
    records.extend(divisions.map(AnyRecord::from));
    club.create(store, records).await;
    other.create(store, vec![AnyRecord::from(season("Foreign"))]).await;

    let filter = Filter::default();
    let read = async |after| seasons::list(&mut &*store, &scope, &filter, after, PAGE).await.unwrap().records;
    let pages = pages(|line: &Line| (line.listed_on, line.id.uuid()), read).await;
    let listed: Vec<_> = pages.iter().map(|page| names(page)).collect();
    assert_eq!(listed, [["Far", "Undated"], ["Other twin", "Twin"], ["First twin", "Old"]]);
    let divisions = |page: usize, at: usize| parsed(&pages[page]).swap_remove(at).divisions;
    let of_twin = divisions(1, 1);
    assert_eq!(parsed(&pages[1])[1], shown::Season::new(twin, of_twin.clone()));
    let called: Vec<_> = of_twin.iter().map(|division| division.name.as_str()).collect();
    assert_eq!(called, ["Ápple", "Girls", "zebra"], "by folded name");
    let Division { id, name, age_group, gender, .. } = girls;
    let (name, age_group) = (name.into(), age_group.map(String::from));
    assert_eq!(of_twin[1], SeasonDivision { id, name, age_group, gender });
    assert_eq!((divisions(1, 0).len(), divisions(2, 1).len()), (0, 1), "each has its own");
}

pub(crate) async fn are_filtered_and_searched_by_prefixes_of_words(store: &Store) {
    let club = Club::found(store, "Seasons Three").await;
    let scope = club.owner().scope(store).await;
    let long = played("Été long 2024/25", date(2024, 11, 1), Some(date(2025, 2, 1)));
    let short = Season {
        status: SeasonStatus::Draft,
        ..played("Winter 2025", date(2025, 6, 1), Some(date(2025, 8, 1)))
    };
    let hockey = Season {
        sport: Sport::stored("ice_hockey".to_owned()),
        ..played("Interwinter", date(2023, 1, 1), None)
    };
    club.create(store, [long, short, hockey].map(AnyRecord::from).into()).await;
    let find = async |filter: Filter| all(store, &scope, &filter).await;
    let none = Filter::default;
    assert_eq!(
        find(Filter { year: Some(2025), ..none() }).await,
        ["Winter 2025", "Été long 2024/25"],
        "over new year"
    );
    assert_eq!(find(Filter { year: Some(2024), ..none() }).await, ["Été long 2024/25"]);
    let days = [
        played("New year", date(2019, 6, 1), Some(date(2020, 1, 1))),
        played("Old year", date(2020, 12, 31), None),
    ];
    club.create(store, days.map(AnyRecord::from).into()).await;
    assert_eq!(
        find(Filter { year: Some(2020), ..none() }).await,
        ["Old year", "New year"],
        "its first and last day"
    );
    assert_eq!(find(Filter { status: Some(SeasonStatus::Draft), ..none() }).await, ["Winter 2025"]);
    let on_ice = Filter { sport: Some(Sport::stored("ice_hockey".to_owned())), ..none() };
    assert_eq!(find(on_ice).await, ["Interwinter"]);
    let words =
        |words: &[&str]| Filter { words: words.iter().map(|word| (*word).to_owned()).collect(), ..none() };
    assert_eq!(find(words(&["win"])).await, ["Winter 2025"], "a prefix of a word, not its middle");
    assert_eq!(find(words(&["ete", "2024", "lo"])).await, ["Été long 2024/25"], "all of them, in any order");
    assert_eq!(find(words(&["ete", "winter"])).await, Vec::<String>::new());
    let both = Filter { status: Some(SeasonStatus::Active), ..words(&["20"]) };
    assert_eq!(find(both).await, ["Été long 2024/25"], "filter and words together");
}

pub(crate) async fn changed_seasons_are_listed_once_in_the_order_of_their_latest_entries(store: &Store) {
    let (club, other) = (Club::found(store, "Seasons Four").await, Club::found(store, "Seasons Seven").await);
    let scope = club.owner().scope(store).await;
    let [first, second, third] = ["First", "Second", "Third"].map(season);
    for season in [&first, &second, &third] {
        let divisions = ["B", "A"].map(|name| AnyRecord::from(division(season, name)));
        // In one transaction: a division that is added later touches its season.
        club.create(store, [AnyRecord::from(season.clone())].into_iter().chain(divisions).collect()).await;
    }
    other.create(store, vec![AnyRecord::from(season("Foreign"))]).await;
    // Long before the others, by a node whose clock is slow.
    let slow = clubs::moment_at(NOW.saturating_sub(SignedDuration::from_hours(1)).unwrap());
    let renamed = Season { name: Name::parse("Renamed").unwrap(), ..first.clone() };
    let renamed = Effect::update(&slow, first.clone(), renamed).expect("it differs");
    clubs::apply(store, club.id(), vec![renamed]).await.unwrap();
    clubs::apply(store, club.id(), vec![Effect::delete(season_to_delete(store, &club).await)]).await.unwrap();

    let changed = async |after, limit| {
        let mut following = ledger::following(store, &scope).await.unwrap();
        let changes = seasons::changed(&mut following, &scope, after, limit).await.unwrap();
        following.finish().await.unwrap();
        changes
    };
    let all = changed(Point::behind(0), 10).await;
    let shown: Vec<_> = all.iter().map(|change| change.record.as_ref().map(name_and_divisions)).collect();
    let expected = [("Second", 2), ("Third", 2), ("Renamed", 2)];
    let expected = expected.map(|(name, divisions)| Some((name.to_owned(), divisions)));
    assert_eq!(shown, [&expected[..], &[None]].concat(), "the last one was deleted");
    let page = changed(Point::behind(0), 2).await;
    assert_eq!(page, all[..2], "with all divisions on a page of two seasons");
    assert_eq!(changed(page[1].point, 10).await, all[2..]);
    assert_eq!(changed(all[3].point, 10).await, []);

    let head = ledger::head(&mut &*store, &scope).await.unwrap();
    assert_eq!(changed(Point::behind(head.seq), 10).await, []);
    let posted = async |time| ledger::posted_until(&mut &*store, &scope, time).await.unwrap();
    assert_eq!(posted(Timestamp::UNIX_EPOCH).await, 0);
    assert_eq!(posted(Timestamp::MAX).await, head.seq);
    assert_eq!(posted(head.posted_at).await, head.seq, "at that time");
    let just_before = head.posted_at.saturating_sub(SignedDuration::from_micros(1)).unwrap();
    assert_eq!(posted(just_before).await, head.seq - 1);
    for change in &all {
        assert!(change.at < head.posted_at, "posted later than any change that waited");
    }
}

fn name_and_divisions(listed: &Listed) -> (String, usize) {
    (listed.season.name.to_string(), listed.divisions.len())
}

/// A season that is created and deleted.
async fn season_to_delete(store: &Store, club: &Club) -> AnyRecord {
    let season = AnyRecord::from(season("Short"));
    club.create(store, vec![season.clone()]).await;
    season
}

pub(crate) async fn are_read_found_changed_and_deleted(store: &Store) {
    let (club, other) = (Club::found(store, "Seasons Five").await, Club::found(store, "Seasons Six").await);
    let scope = club.owner().scope(store).await;
    let made = Season {
        scoring: Scoring { win: 2, draw: 1, loss: -1 },
        tiebreakers: vec![Tiebreaker::Scored, Tiebreaker::Name],
        external_id: Some(ExternalId::parse("ext \u{1F3C0} 1").unwrap()),
        ..played("Winter", date(2026, 4, 1), Some(date(2026, 9, 1)))
    };
    club.create(store, vec![AnyRecord::from(made.clone())]).await;
    let read = async |id| seasons::read(&mut &*store, &scope, id).await.unwrap();
    assert_eq!(read(made.id).await, Some(Listed { season: made.clone(), divisions: Vec::new() }));

    let found = async |club: &Club, folded: &'static str, external: &str| {
        let external = ExternalId::parse(external).unwrap();
        let found = clubs::write(store, club.id(), async move |tx, proof| {
            let by_name = seasons::by_name(tx, proof, folded).await?;
            Ok((by_name, seasons::by_external_id(tx, proof, &external).await?))
        });
        found.await.unwrap()
    };
    assert_eq!(found(&club, "winter", "ext \u{1F3C0} 1").await, (Some(made.id), Some(made.id)));
    assert_eq!(found(&club, "summer", "ext 2").await, (None, None));
    assert_eq!(found(&other, "winter", "ext \u{1F3C0} 1").await, (None, None), "only in its own club");
    let refused = async |season: Season| {
        let refused = clubs::apply(store, club.id(), vec![Effect::create(AnyRecord::from(season))]).await;
        assert!(matches!(refused, Err(Error::Duplicate(_))), "{refused:?}");
    };
    refused(season("WINTER")).await;
    refused(Season { external_id: made.external_id.clone(), ..season("Summer") }).await;

    let wanted = ChangeSeason {
        name: Some(Name::parse("Hiver").unwrap()),
        starts_on: Some(None),
        ends_on: Some(None),
        external_id: Some(None),
        ..ChangeSeason::default()
    };
    let after = fieldhouse_domain::seasons::changed(&made, wanted).unwrap();
    let change = Effect::update(&clubs::moment(), made.clone(), after);
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    let changed = read(made.id).await.expect("the season").season;
    assert_eq!((changed.name.as_str(), changed.starts_on, changed.version), ("Hiver", None, 2));
    assert_eq!(changed.external_id, None);

    let hanging = division(&changed, "U12");
    let records = vec![AnyRecord::from(team(&hanging, "Eagles"))];
    club.create(store, vec![AnyRecord::from(hanging)]).await;
    club.create(store, records).await;
    let id = made.id;
    let contents = async |club: &Club| {
        let read =
            clubs::write(store, club.id(), async move |tx, proof| seasons::contents(tx, proof, id).await);
        read.await.unwrap().iter().map(AnyRecord::kind).collect::<Vec<_>>()
    };
    assert_eq!(contents(&club).await, [Kind::Division, Kind::Team]);
    assert_eq!(contents(&other).await, [], "another club's season");
    let touched = read(made.id).await.expect("the season").season;
    assert_eq!(touched.version, 3, "a season changes when a division is added");
    let deleted = clubs::apply(store, club.id(), vec![Effect::delete(AnyRecord::from(touched))]).await;
    assert!(matches!(deleted, Err(Error::Reference(_))), "a division refers to it: {deleted:?}");
    let lonely = season("Lonely");
    club.create(store, vec![AnyRecord::from(lonely.clone())]).await;
    clubs::apply(store, club.id(), vec![Effect::delete(AnyRecord::from(lonely.clone()))]).await.unwrap();
    assert_eq!(read(lonely.id).await, None);
}

pub(crate) async fn of_another_version_are_rendered_again(store: &Store, database: &Database) {
    let club = Club::found(store, "Seasons Eight").await;
    let scope = club.owner().scope(store).await;
    let (winter, summer) = (season("Winter"), season("Summer"));
    let records = [winter.clone().into(), summer.into(), division(&winter, "Open").into()];
    club.create(store, records.into()).await;
    let list = async || {
        let listing = seasons::list(&mut &*store, &scope, &Filter::default(), None, 10).await;
        listing.unwrap().records
    };
    let line = async || seasons::line(&mut &*store, &scope, winter.id).await.unwrap();
    let (listed, read) = (list().await, line().await);
    assert_eq!(parsed(&listed).iter().map(|season| season.divisions.len()).sum::<usize>(), 1);
    assert_eq!(store.render_seasons(club.id()).await.unwrap(), 0);
    let changed = async || {
        let found = seasons::changed(&mut &*store, &scope, Point::behind(0), 10).await;
        found.unwrap().into_iter().map(|change| change.record).collect::<Vec<_>>()
    };
    let all = changed().await;
    let outdated_divisions = "divisions = CASE name WHEN 'Winter' THEN '0[' ELSE divisions END";
    for other in ["shown = ''", "shown = '0{'", &format!("shown = '0{{', {outdated_divisions}")] {
        database.execute(&format!("UPDATE seasons SET {other} WHERE name IN ('Winter', 'Summer')"));
        assert_eq!(changed().await, all);
        assert_eq!(
            (list().await, line().await),
            (listed.clone(), read.clone()),
            "rendered when they are read"
        );
        assert_eq!(store.render_seasons(club.id()).await.unwrap(), 2);
        assert_eq!((list().await, line().await), (listed.clone(), read.clone()));
        assert_eq!(store.render_seasons(club.id()).await.unwrap(), 0);
    }
}
