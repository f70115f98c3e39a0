//! Properties of changesets over random histories: a simulation leaves nothing but itself, an execution does what was simulated, an undo takes
//! back exactly that, and what others did meanwhile is kept.

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_domain::effects::Kind;
use fieldhouse_testing::databases::{self, Database, Dump};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use uuid::Uuid;

use super::*;

/// How many histories are run on each engine.
fn cases() -> u32 {
    if std::env::var_os("FIELDHOUSE_LONG_TESTS").is_some() { 5_000 } else { 250 }
}
/// How many histories one database holds: the dump of its tables must stay small.
const PER_DATABASE: u32 = 50;

/// An operation, before it is known which records exist.
#[derive(Clone, Copy, Debug)]
struct Pick {
    kind: usize,
    verb: u8,
    at: usize,
    value: u8,
}

const TABLES: [(&str, &str, Kind); 7] = [
    ("seasons", "seasons", Kind::Season),
    ("divisions", "divisions", Kind::Division),
    ("teams", "teams", Kind::Team),
    ("venues", "venues", Kind::Venue),
    ("games", "games", Kind::Game),
    ("staff", "staff", Kind::Staff),
    ("members", "members", Kind::Member),
];
/// What a simulation may write.
const OF_CHANGESETS: [&str; 4] =
    ["changesets", "changeset_simulations", "changeset_effects", "changeset_events"];

fn picks(most: usize) -> impl Strategy<Value = Vec<Pick>> {
    let pick = (0..TABLES.len(), 0..4_u8, any::<usize>(), any::<u8>());
    proptest::collection::vec(
        pick.prop_map(|(kind, verb, at, value)| Pick { kind, verb, at, value }),
        1..=most,
    )
}

type Row = BTreeMap<String, String>;
/// The fields that last of each record of the seven kinds.
type Records = BTreeMap<Uuid, (Kind, Row)>;

fn records(dump: &Dump) -> Records {
    let mut records = Records::new();
    for (_, table, kind) in TABLES {
        for row in &dump[table] {
            let mut row = row.clone();
            row.retain(|name, _| {
                let by_server = ["version", "updated_at", "role_given_by", "role_given_at"];
                !by_server.contains(&name.as_str()) && !name.starts_with("last_change")
            });
            records.insert(Uuid::parse_str(&row["id"]).expect("an id"), (kind, row));
        }
    }
    records
}

struct Place {
    database: Database,
    store: Store,
    club: Club,
    second: Person,
}

impl Place {
    async fn new(database: Database) -> Self {
        let store = database.open().await;
        let League { club, .. } = League::found(&store, "Histories").await;
        let second = Person::new(club.id(), club.organization.slug.as_str(), "second", Role::Admin);
        clubs::apply(&store, club.id(), second.effects()).await.unwrap();
        Self { database, store, club, second }
    }

    fn author(&self) -> &Person {
        self.club.person(Role::Admin)
    }

    /// Operations that are likely to be possible.
    fn operations(&self, picks: &[Pick], now: &Records) -> Json {
        let operations = picks.iter().filter_map(|pick| self.operation(*pick, now));
        Json::from(operations.collect::<Vec<_>>())
    }

    fn operation(&self, Pick { kind, verb, at, value }: Pick, now: &Records) -> Option<Json> {
        let (resource, _, kind) = TABLES[kind];
        let of = |kind: Kind| -> Vec<(Uuid, &Row)> {
            now.iter().filter(|(_, (of, _))| *of == kind).map(|(id, (_, row))| (*id, row)).collect()
        };
        let pick = |kind: Kind, at: usize| {
            let all = of(kind);
            all.get(at % all.len().max(1)).map(|(id, row)| (kind.written_id(*id), *row))
        };
        let (name, value) = (format!("N{}", value % 16), i64::from(value));
        let season = |row: &Row| Kind::Season.written_id(Uuid::parse_str(&row["season_id"]).unwrap());
        if kind == Kind::Member {
            let role = ["viewer", "member", "coach"][at % 3];
            let people =
                [Role::Viewer, Role::Member, Role::Coach].map(|role| self.club.person(role).member.id);
            let set = json!({"role": role});
            return Some(
                json!({"op": "update", "resource": resource, "id": people[usize::from(verb) % 3], "set": set}),
            );
        }
        if verb == 0 {
            let data = match kind {
                Kind::Season => json!({"name": name, "sport": "netball", "time_zone": "UTC"}),
                Kind::Division => json!({"name": name, "season_id": pick(Kind::Season, at)?.0}),
                Kind::Team => {
                    let (division, row) = pick(Kind::Division, at)?;
                    json!({"name": name, "division_id": division, "season_id": season(row)})
                }
                Kind::Venue => json!({"name": name, "time_zone": "UTC"}),
                Kind::Game => {
                    let (home, row) = pick(Kind::Team, at)?;
                    let away = of(Kind::Team).into_iter().find(|(id, other)| {
                        other["division_id"] == row["division_id"] && Kind::Team.written_id(*id) != home
                    });
                    let division = Kind::Division.written_id(Uuid::parse_str(&row["division_id"]).unwrap());
                    json!({"season_id": season(row), "division_id": division, "home_team_id": home,
                        "away_team_id": Kind::Team.written_id(away?.0), "time_zone": "UTC", "starts_at": after(200 + value)})
                }
                _ => {
                    let user = self.club.person([Role::Coach, Role::Member, Role::Viewer][at % 3]).user.id;
                    json!({"team_id": pick(Kind::Team, at)?.0, "user_id": user, "kind": "coach"})
                }
            };
            let mut create = json!({"op": "create", "resource": resource, "data": data});
            if kind == Kind::Game {
                create["allow_overlap"] = json!(true);
            }
            return Some(create);
        }
        let (id, _) = pick(kind, at)?;
        if verb == 1 {
            return Some(json!({"op": "delete", "resource": resource, "id": id}));
        }
        let set = match (kind, verb) {
            (Kind::Season, 2) => json!({"starts_on": format!("2026-05-{:02}", value % 28 + 1)}),
            (Kind::Division, 2) => json!({"age_group": name}),
            (Kind::Team, 2) => json!({"short_name": name}),
            (Kind::Venue, 2) => json!({"address": name, "latitude": value % 90}),
            (Kind::Game, 2) => json!({"starts_at": after(200 + value)}),
            (Kind::Game, _) => json!({"round": name}),
            (Kind::Staff, 2) => json!({"starts_on": format!("2026-05-{:02}", value % 28 + 1)}),
            (Kind::Staff, _) => json!({"kind": if at % 2 == 0 { "coach" } else { "assistant" }}),
            _ => json!({"name": name}),
        };
        let mut update = json!({"op": "update", "resource": resource, "id": id, "set": set});
        if kind == Kind::Game {
            update["allow_overlap"] = json!(true);
        }
        Some(update)
    }

    /// Simulates a changeset, and checks that nothing else is written. Withdraws it if it has problems.
    async fn simulated(&self, draft: &Shown) -> Option<Shown> {
        let before = self.database.dump();
        let simulated = simulate(&self.store, self.author(), draft.changeset.id).await;
        let after = self.database.dump();
        for (table, rows) in &after {
            let sorted = |rows: &[Row]| rows.iter().cloned().collect::<BTreeSet<Row>>();
            if !OF_CHANGESETS.contains(&table.as_str()) {
                assert_eq!(sorted(rows), sorted(&before[table]), "a simulation wrote to {table}");
            }
        }
        if simulated.changeset.simulation_hash.is_none() {
            withdraw(&self.store, self.author(), draft.changeset.id).await;
            return None;
        }
        Some(simulated)
    }

    /// Decides and executes a simulated changeset, and checks that it does what was simulated. Returns the records afterwards.
    async fn executed(&self, simulated: &Shown) -> Records {
        let before = records(&self.database.dump());
        let id = simulated.changeset.id;
        let mut shown = at(&self.store, self.author(), NOW, Submit(id)).await.unwrap();
        for approver in [self.club.owner(), &self.second] {
            if shown.changeset.state != ChangesetState::Approved {
                shown = at(&self.store, approver, NOW, Approve { id, hash: hash(&shown) }).await.unwrap();
            }
        }
        done(execute(&self.store, self.author(), &shown).await);
        let now = records(&self.database.dump());
        let changed: BTreeSet<Uuid> =
            before.keys().chain(now.keys()).copied().filter(|id| before.get(id) != now.get(id)).collect();
        let simulation = simulated.changeset.simulation_id.unwrap();
        let promised = clubs::write(&self.store, self.club.id(), async move |tx, proof| {
            tx.simulated_records(proof, simulation).await
        });
        let promised: BTreeSet<Uuid> = promised.await.unwrap().into_iter().map(|(_, id, ..)| id).collect();
        let unseen: Vec<_> = changed.difference(&promised).map(|id| (before.get(id), now.get(id))).collect();
        assert!(unseen.is_empty(), "changed and not simulated: {unseen:?}");
        now
    }

    async fn change(&self, picks: &[Pick]) -> Option<(ChangesetId, Records, Records)> {
        let before = records(&self.database.dump());
        let operations = self.operations(picks, &before);
        if operations.as_array().is_some_and(Vec::is_empty) {
            return None;
        }
        let draft = propose(&self.store, self.author(), &operations).await;
        let simulated = self.simulated(&draft).await?;
        let now = self.executed(&simulated).await;
        Some((draft.changeset.id, before, now))
    }

    async fn undone(&self, id: ChangesetId) -> Option<(ChangesetId, Records)> {
        fieldhouse_store::ledger::latest(&self.store, &self.author().scope(&self.store).await).await.unwrap();
        let of = UndoOf::Changeset { changeset_id: id };
        let draft = at(&self.store, self.author(), NOW, undo_of(of)).await.unwrap();
        let simulated = self.simulated(&draft).await?;
        Some((draft.changeset.id, self.executed(&simulated).await))
    }

    /// Runs one history. Returns how far it came, for the count of what was proven.
    async fn run(&self, picks: &[Pick], later: &[Pick]) -> &'static str {
        let Some((id, before, done)) = self.change(picks).await else { return "refused" };
        let Some((_, _, now)) = (if later.is_empty() { None } else { self.change(later).await }) else {
            let Some((undo, back)) = self.undone(id).await else {
                panic!("nothing happened since, and it cannot be undone");
            };
            let differs = different(&before, &back);
            assert!(differs.is_empty(), "an undo is not exact: {differs:?}");
            let Some((_, again)) = self.undone(undo).await else { panic!("it cannot be redone") };
            let differs = different(&done, &again);
            assert!(differs.is_empty(), "a redo is not exact: {differs:?}");
            return "undone and redone";
        };
        let Some((_, back)) = self.undone(id).await else { return "in conflict" };
        for (record, (kind, row)) in &now {
            let Some((_, was)) = done.get(record) else {
                assert_eq!(back.get(record), now.get(record), "a later {kind} is lost");
                continue;
            };
            for (field, value) in row.iter().filter(|(field, value)| was.get(*field) != Some(*value)) {
                let kept = back.get(record).and_then(|(_, row)| row.get(field));
                assert_eq!(kept, Some(value), "a later {field} of a {kind} is lost");
            }
        }
        for record in done.keys().filter(|record| !now.contains_key(*record)) {
            assert!(!back.contains_key(record), "what was deleted later comes back");
        }
        "undone below later changes"
    }
}

/// The records that differ, one before the other.
fn different<'a>(one: &'a Records, other: &'a Records) -> Vec<[Option<&'a (Kind, Row)>; 2]> {
    let all: BTreeSet<&Uuid> = one.keys().chain(other.keys()).collect();
    let pairs = all.into_iter().map(|id| [one.get(id), other.get(id)]);
    pairs.filter(|[one, other]| one != other).collect()
}

fn histories_on(database: fn() -> Database) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut counted: BTreeMap<&str, u32> = BTreeMap::new();
    let mut left = cases();
    while left > 0 {
        let place = runtime.block_on(Place::new(database()));
        let count = left.min(PER_DATABASE);
        left -= count;
        let config =
            Config { cases: count, max_shrink_iters: 0, failure_persistence: None, ..Config::default() };
        let histories = (picks(6), prop_oneof![Just(Vec::new()), picks(3)]);
        let counts = std::cell::RefCell::new(&mut counted);
        let ran = TestRunner::new(config).run(&histories, |(picks, later)| {
            *counts.borrow_mut().entry(runtime.block_on(place.run(&picks, &later))).or_default() += 1;
            Ok(())
        });
        ran.unwrap();
    }
    for kind in ["refused", "undone and redone", "in conflict", "undone below later changes"] {
        assert!(counted.get(kind).is_some_and(|count| *count >= cases() / 50), "{kind}: {counted:?}");
    }
}

#[test]
fn histories_on_sqlite() {
    histories_on(databases::sqlite);
}

#[test]
fn histories_on_postgresql() {
    histories_on(databases::postgres);
}
