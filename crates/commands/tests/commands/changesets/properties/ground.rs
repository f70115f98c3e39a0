//! A database in which histories happen, which tells what is written to it.

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_domain::children::shown as of_child;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::games::shown as of_game;
use fieldhouse_domain::ids::TeamId;
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::seasons::shown::{self, SeasonDivision};
use fieldhouse_store::Engine;
use fieldhouse_testing::databases::TextRow;
use fieldhouse_testing::families::{child, guardian, registration, with_classes};

use super::*;

/// Id, name, age group and gender.
type Division = (Uuid, String, Option<String>, Option<String>);

/// Checks what a season shows of itself, which is no field of it, and leaves what it shows of its divisions.
fn check_season(row: &mut Row) {
    let shown = row.remove("shown").expect("a column");
    let json = shown::whole(&shown, &row["divisions"]).expect("the shape of today");
    let season: shown::Season = serde_json::from_str(&json).expect("a season");
    let text = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string()).unwrap_or_default();
    let seen = [
        ("name", season.name),
        ("sport", season.sport),
        ("status", season.status.to_string()),
        ("starts_on", text(season.starts_on)),
        ("ends_on", text(season.ends_on)),
        ("time_zone", season.time_zone),
        ("external_id", season.external_id.unwrap_or_default()),
        ("version", season.version.to_string()),
    ];
    for (name, seen) in seen {
        assert_eq!(seen, row[name], "what a season shows of its {name}");
    }
    row.insert("divisions".to_owned(), serde_json::to_string(&season.divisions).expect("divisions"));
}

/// Checks what a game shows of itself, which is no field of it.
fn check_game(row: &mut Row) {
    let stored = row.remove("shown").expect("a column");
    let version = row["version"].parse().expect("a version");
    let names = of_game::Names::<String>::default();
    let json = of_game::Json::new(&stored, version, &names).expect("the shape of today");
    let game: of_game::Game = serde_json::from_str(json.as_str()).expect("a game");
    let optional = |text: Option<String>| text.unwrap_or_default();
    let seen = [
        ("status", game.status.to_string()),
        ("starts_at", game.starts_at.as_microsecond().to_string()),
        ("local_start", game.local_start.to_string()),
        ("round", optional(game.round)),
        ("home_score", optional(game.home_score.map(|score| score.to_string()))),
    ];
    for (name, seen) in seen {
        assert_eq!(seen, row[name], "what a game shows of its {name}");
    }
    let places = [
        ("home_team_id", game.home_team_id.map(|id| id.uuid())),
        ("away_team_id", game.away_team_id.map(|id| id.uuid())),
        ("venue_id", game.venue_id.map(|id| id.uuid())),
    ];
    for (name, seen) in places {
        assert_eq!(seen, Uuid::parse_str(&row[name]).ok(), "what a game shows of its {name}");
    }
}

/// What seasons show of their divisions, which is no field of theirs.
fn shown_divisions(records: &mut Records) -> Vec<(Uuid, Vec<Division>)> {
    let seasons = records.iter_mut().filter(|(_, (kind, _))| *kind == Kind::Season);
    let shown = seasons.map(|(id, (_, row))| {
        let shown: Vec<SeasonDivision> =
            serde_json::from_str(&row.remove("divisions").expect("a column")).expect("divisions");
        let gender = |division: &SeasonDivision| division.gender.map(|gender| gender.to_string());
        let division =
            |one: SeasonDivision| (one.id.uuid(), one.name.clone(), one.age_group.clone(), gender(&one));
        (*id, shown.into_iter().map(division).collect())
    });
    shown.collect()
}

/// The divisions of a season, by name.
fn divisions(records: &Records, season: Uuid) -> Vec<Division> {
    let of_season = |(kind, row): &&(Kind, Row)| {
        *kind == Kind::Division && Uuid::parse_str(&row["season_id"]) == Ok(season)
    };
    let mut divisions: Vec<&Row> = records.values().filter(of_season).map(|(_, row)| row).collect();
    divisions.sort_by_key(|row| &row["name_folded"]);
    let optional = |text: &String| (!text.is_empty()).then(|| text.clone());
    let division = |row: &&Row| {
        let id = Uuid::parse_str(&row["id"]).expect("an id");
        (id, row["name"].clone(), optional(&row["age_group"]), optional(&row["gender"]))
    };
    divisions.iter().map(division).collect()
}

/// What a game shows of a team or a venue, beside the column with its id.
const NAMES: [(&str, &str); 3] =
    [("home_team_id", "home_name"), ("away_team_id", "away_name"), ("venue_id", "venue_name")];

/// Checks what games show of their teams and venues, which are no fields of theirs, and removes it.
fn check_names(records: &mut Records) {
    let games: Vec<Uuid> =
        records.iter().filter(|(_, (kind, _))| *kind == Kind::Game).map(|(id, _)| *id).collect();
    for game in games {
        for (reference, shown) in NAMES {
            let (_, row) = records.get_mut(&game).expect("a game");
            let shown = row.remove(shown).expect("a column");
            let named = Uuid::parse_str(&row[reference]).ok();
            let name = named.map_or_else(String::new, |named| records[&named].1["name"].clone());
            assert_eq!(shown, name, "what a game shows of its {reference}");
        }
    }
}

/// Checks what children show of their places in teams, which is in no record.
fn check_places(children: &[Row], records: &Records) {
    let optional = |text: &String| (!text.is_empty()).then(|| text.clone());
    let day = |text: &String| text.parse().expect("a date");
    for child in children {
        let is_of_child =
            |(kind, row): &&(Kind, Row)| *kind == Kind::RosterEntry && row["child_id"] == child["id"];
        let place = |(_, row): &(Kind, Row)| {
            let id = Uuid::parse_str(&row["team_id"]).expect("an id");
            let team = of_child::ChildTeam {
                id: TeamId::from_uuid(id),
                name: records[&id].1["name"].clone(),
                jersey_number: optional(&row["jersey_number"])
                    .map(|number| number.parse().expect("a number")),
                position: optional(&row["position"]),
            };
            let (starts_on, ends_on) = (day(&row["starts_on"]), optional(&row["ends_on"]).as_ref().map(day));
            (
                (team.name.clone(), id, starts_on, row["id"].clone()),
                of_child::Place { starts_on, ends_on, team },
            )
        };
        let mut places: Vec<_> = records.values().filter(is_of_child).map(place).collect();
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        let places: Vec<_> = places.into_iter().map(|(_, place)| place).collect();
        assert_eq!(child["places"], of_child::stored(&places), "what a child shows of its places");
    }
}

/// The tables of the records that a changeset can change.
pub(super) const TABLES: [(&str, Kind); 8] = [
    ("seasons", Kind::Season),
    ("divisions", Kind::Division),
    ("teams", Kind::Team),
    ("venues", Kind::Venue),
    ("games", Kind::Game),
    ("staff", Kind::Staff),
    ("members", Kind::Member),
    ("roster_entries", Kind::RosterEntry),
];

pub(super) type Row = TextRow;
/// The fields that last of each record.
pub(super) type Records = BTreeMap<Uuid, (Kind, Row)>;

/// A database whose triggers note which tables are written to.
pub(super) struct Ground {
    database: Database,
    pub(super) store: Store,
}

impl Ground {
    pub(super) async fn new(database: Database) -> Self {
        note_writes(&database);
        let store = database.open().await;
        Self { database, store }
    }

    /// Founds a club with a league, a second admin, and two children. All who decide are registrars of the season.
    pub(super) async fn club(&self, number: u32) -> Place<'_> {
        let league = League::found(&self.store, &format!("Histories {number}")).await;
        let club = &league.club;
        let second = Person::new(club.id(), club.organization.slug.as_str(), "second", Role::Admin);
        clubs::apply(&self.store, club.id(), second.effects()).await.unwrap();
        let duty = |person: &Person| Duty {
            kind: DutyKind::Registrar,
            state: DutyState::Accepted,
            season_id: Some(league.season.id),
            ends_at: after(1_000),
            ..leagues::duty(person.user.id)
        };
        let duties = [club.person(Role::Admin), club.owner(), &second].map(duty).map(AnyRecord::from);
        let children = ["Kim K.", "Lee L."].map(child);
        let families = children.iter().flat_map(|child| {
            let accepted = Registration {
                division_id: Some(league.division.id),
                status: RegistrationStatus::Accepted,
                ..registration(child, &league.season)
            };
            let parent = guardian(child, club.person(Role::Member).user.id);
            with_classes(child).into_iter().chain([parent.into(), accepted.into()])
        });
        club.create(&self.store, duties.into_iter().chain(families).collect()).await;
        let children = children.map(|child| child.id).to_vec();
        Place { ground: self, league, second, children, now: NOW }
    }

    /// An id as it is written in SQL.
    fn id(&self, id: Uuid) -> String {
        match self.database.engine() {
            Engine::Sqlite => format!("x'{}'", id.simple()),
            Engine::Postgres => format!("'{id}'"),
        }
    }

    pub(super) fn records(&self, organization: Uuid) -> Records {
        let organization = self.id(organization);
        let all = TABLES.map(|(table, _)| format!("SELECT * FROM {table} WHERE org_id = {organization}"));
        let children = format!("SELECT id, places FROM children WHERE org_id = {organization}");
        let mut read = self.database.queries(&[&all[..], &[children]].concat());
        let children = read.pop().expect("the children");
        let read = read.into_iter().zip(TABLES);
        let rows = read.flat_map(|(rows, (_, kind))| rows.into_iter().map(move |row| (kind, row)));
        let lasting = |name: &str| {
            // Staff come back as proposed now.
            let by_server = ["version", "updated_at", "role_given_by", "role_given_at", "proposed_at"];
            !by_server.contains(&name) && !name.starts_with("last_change")
        };
        let mut records: Records = rows
            .map(|(kind, mut row)| {
                match kind {
                    Kind::Season => check_season(&mut row),
                    Kind::Game => check_game(&mut row),
                    _ => {}
                }
                row.retain(|name, _| lasting(name));
                (Uuid::parse_str(&row["id"]).expect("an id"), (kind, row))
            })
            .collect();
        for (season, shown) in shown_divisions(&mut records) {
            assert_eq!(shown, divisions(&records, season), "what a season shows of its divisions");
        }
        check_names(&mut records);
        check_places(&children, &records);
        records
    }

    /// The records that a simulation changes.
    pub(super) fn simulated(&self, simulation: Uuid) -> BTreeSet<Uuid> {
        let simulation = self.id(simulation);
        let query = format!("SELECT record_id FROM changeset_effects WHERE simulation_id = {simulation}");
        let [rows] = self.database.queries(&[query]).try_into().expect("one answer");
        rows.iter().map(|row| Uuid::parse_str(&row["record_id"]).expect("an id")).collect()
    }

    /// The number of the latest write.
    pub(super) fn mark(&self) -> i64 {
        let query = "SELECT COALESCE(MAX(n), 0) AS n FROM test_writes".to_owned();
        self.database.queries(&[query])[0][0]["n"].parse().expect("a number")
    }

    /// The tables that were written to after a number.
    pub(super) fn written_since(&self, mark: i64) -> BTreeSet<String> {
        let query = format!("SELECT DISTINCT name FROM test_writes WHERE n > {mark}");
        self.database.queries(&[query]).remove(0).into_iter().map(|row| row["name"].clone()).collect()
    }
}

/// Creates triggers that note each written row of a transaction that is committed.
fn note_writes(database: &Database) {
    let names = match database.engine() {
        Engine::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        Engine::Postgres => "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
    };
    let names: Vec<String> =
        database.queries(&[names.to_owned()]).remove(0).into_iter().map(|row| row["name"].clone()).collect();
    let table = match database.engine() {
        Engine::Sqlite => "CREATE TABLE test_writes (n INTEGER PRIMARY KEY, name TEXT);",
        Engine::Postgres => {
            "CREATE TABLE test_writes (n BIGSERIAL PRIMARY KEY, name TEXT);
            CREATE FUNCTION test_note() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO test_writes (name) VALUES (TG_TABLE_NAME); RETURN NULL; END';"
        }
    };
    let of_each = names.iter().flat_map(|name| match database.engine() {
        Engine::Sqlite => ["INSERT", "UPDATE", "DELETE"]
            .map(|verb| {
                format!(
                    "CREATE TRIGGER test_{name}_{verb} AFTER {verb} ON {name}
                    BEGIN INSERT INTO test_writes (name) VALUES ('{name}'); END;"
                )
            })
            .to_vec(),
        Engine::Postgres => vec![format!(
            "CREATE TRIGGER test_note AFTER INSERT OR UPDATE OR DELETE ON {name} FOR EACH ROW EXECUTE FUNCTION test_note();"
        )],
    });
    let sql = [table.to_owned()].into_iter().chain(of_each).collect::<Vec<_>>().concat();
    database.execute(&sql);
}

/// The records that differ, one before the other.
pub(super) fn different<'a>(one: &'a Records, other: &'a Records) -> Vec<[Option<&'a (Kind, Row)>; 2]> {
    let all: BTreeSet<&Uuid> = one.keys().chain(other.keys()).collect();
    let pairs = all.into_iter().map(|id| [one.get(id), other.get(id)]);
    pairs.filter(|[one, other]| one != other).collect()
}
