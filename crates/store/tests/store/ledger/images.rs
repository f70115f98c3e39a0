//! Images: for every kind of record that has them, they contain enough to go from one version to the next and back.

use std::collections::BTreeSet;

use fieldhouse_domain::changesets::{Author, Changeset, ChangesetKind};
use fieldhouse_domain::children::classes::of_image;
use fieldhouse_domain::children::relations::{Relation, RelationKind};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::exports::{self, ExportKind, NewExport};
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::invitations::{self, NewInvitation};
use fieldhouse_domain::ledger::Trace;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::with_record;
use fieldhouse_store::Store;
use fieldhouse_store::ledger;
use fieldhouse_store::records::{self, Stored};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::databases;
use fieldhouse_testing::families::{self, Classes};
use fieldhouse_testing::leagues::{division, duty, game, season, staff, team, venue};
use jiff::SignedDuration;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Map, Value as Json, json};

type Image = Map<String, Json>;

/// A record, and the values to which each of its fields may be set.
struct Subject {
    record: AnyRecord,
    values: Map<String, Json>,
}

/// Fields that no command changes: they identify the record, or are set with the version.
const AUTOMATIC: [&str; 10] = [
    "id",
    "child_id",
    "user_id",
    "invited_by",
    "requested_by",
    "created_at",
    "joined_at",
    "version",
    "updated_at",
    "last_change",
];

/// A step of a record's history, as the ledger shows it.
struct Step {
    before: Image,
    after: Image,
    changed: Vec<String>,
}

fn field(record: &AnyRecord, name: &str) -> Json {
    record.image()[name].clone()
}

fn set(record: &mut AnyRecord, name: &str, value: &Json) {
    record.set(name, value).unwrap_or_else(|error| panic!("{name}: {error:?}"));
}

/// Two records of each kind in a league, but only one game.
fn league() -> [AnyRecord; 9] {
    let (winter, summer) = (season("Winter"), season("Summer"));
    let (open, other) = (division(&winter, "Open"), division(&summer, "Other"));
    let (eagles, owls) = (team(&open, "Eagles"), team(&other, "Owls"));
    let played = game(&open, eagles.id, owls.id, NOW);
    [
        winter.into(),
        summer.into(),
        venue("Hall").into(),
        venue("Park").into(),
        open.into(),
        other.into(),
        eagles.into(),
        owls.into(),
        played.into(),
    ]
}

/// The values to which each field of each kind may be set. References are to records of the league.
fn values(league: &[AnyRecord; 9], staff: &AnyRecord) -> Json {
    let mut values = values_of_clubs(league, staff);
    let (Json::Object(all), Json::Object(of_children)) = (&mut values, values_of_children(league, staff))
    else {
        unreachable!("both are objects")
    };
    all.extend(of_children);
    values
}

fn values_of_children(league: &[AnyRecord; 9], staff: &AnyRecord) -> Json {
    let id = |at: usize| field(&league[at], "id");
    let (names, notes) = (json!(["Ä", "B \"quoted\""]), json!([null, "x-1"]));
    let time = "2026-03-02T01:02:03.456789Z";
    let seasons = json!([id(0), id(1)]);
    json!({
        "child": {
            "display_name": names, "birth_year": [2012, 2013], "photo_url": [null, "https://photos.example/1"],
            "pronouns": [null, "she/her"],
        },
        "child_identity": {
            "legal_first_name": notes, "legal_last_name": notes, "birth_date": [null, "2013-05-06"],
        },
        "child_contact": {
            "emails": [[], ["a@a.example", "b@a.example"]], "phones": [[], ["+61491570006"]], "address": notes,
            "emergency_contacts": [[], [{"name": "Ä", "phone": "+61491570006"}]],
        },
        "child_emergency": {
            "allergies": notes, "conditions": notes, "medications": notes, "instructions": notes,
        },
        "child_medical": {
            "conditions": notes, "medications": notes, "insurance": notes, "physician": notes, "notes": notes,
        },
        "child_performance": {"position": notes, "notes": notes, "metrics": [[], ["20 m: 3.4 s"]]},
        "relation": {
            "kind": ["guardian", "registrar"], "state": ["proposed", "active", "revoked"],
            "starts_at": ["2026-03-01T12:00:00Z", time], "expires_at": [null, time], "reason": notes,
            "proposed_by": [null, field(staff, "user_id")], "proposed_at": ["2026-03-01T12:00:00Z", time],
            "confirmed_by": [null, field(staff, "user_id")], "confirmed_at": [null, time],
            "confirmed_alone": [true, false], "accepted_at": [null, time],
            "revoked_by": [null, field(staff, "user_id")], "revoked_at": [null, time],
        },
        "guardian_invitation": {
            "email": ["a@a.example", "b@a.example"],
            "sent_at": ["2026-03-01T12:00:00Z", time], "expires_at": ["2026-03-08T12:00:00Z", time], "accepted_at": [null, time],
            "relation_id": [null], "revoked_at": [null, time], "mail_failed_at": [null, time],
        },
        "restriction": {
            "classes": [[], ["contact", "medical"]], "kind": ["custody_order", "safeguarding_block"],
            "reason": ["Ä", "B \"quoted\""], "document_ref": notes, "starts_at": ["2026-03-01T12:00:00Z", time],
            "entered_by": [null, field(staff, "user_id")], "lifted_at": [null, time],
            "lifted_by": [null, field(staff, "user_id")],
        },
        "break_glass_grant": {
            "reason_code": ["medical", "missing"], "reason": ["Ä", "B \"quoted\""],
            "starts_at": ["2026-03-01T12:00:00Z", time], "ends_at": ["2026-03-01T12:00:00Z", time],
            "ended_at": [null, time], "told_at": [null, time], "reviewed_by": [null, field(staff, "user_id")],
            "reviewed_at": [null, time], "outcome": [null, "justified"], "note": notes,
        },
        "consent": {
            "purpose": ["participation", "photos"], "method": ["paper", "electronic"],
            "notice_version": ["2026-01", "2026-02"], "granted_by": [null, field(staff, "user_id")],
            "granted_at": ["2026-03-01T12:00:00Z", time], "expires_at": [null, time],
            "withdrawn_by": [null, field(staff, "user_id")], "withdrawn_at": [null, time],
        },
        "registration": {
            "season_id": seasons, "division_id": [null, id(4)], "status": ["applied", "accepted"],
            "applied_by": [null, field(staff, "user_id")], "decided_by": [null, field(staff, "user_id")],
            "decided_at": [null, time],
        },
        "roster_entry": {
            "team_id": [id(6), id(7)], "jersey_number": [null, 7], "position": notes,
            "starts_on": ["2026-01-01", "2026-01-02"], "ends_on": [null, "2026-05-06"],
        },
        "privacy_request": {
            "kind": ["erasure", "correction"], "details": notes, "due_at": ["2026-03-01T12:00:00Z", time],
            "state": ["open", "refused"], "decided_by": [null, field(staff, "user_id")], "decided_at": [null, time],
            "decided_alone": [true, false], "reason": notes,
        },
    })
}

fn values_of_clubs(league: &[AnyRecord; 9], staff: &AnyRecord) -> Json {
    let id = |at: usize| field(&league[at], "id");
    let (names, notes) = (json!(["Ä", "B \"quoted\""]), json!([null, "x-1"]));
    let (time, zones) = ("2026-03-02T01:02:03.456789Z", json!(["UTC", "Europe/Vienna"]));
    let (seasons, divisions) = (json!([id(0), id(1)]), json!([id(4), id(5)]));
    let (teams, venues) = (json!([null, id(6), id(7)]), json!([null, id(2), id(3)]));
    let key = "key_01h2xcejqtf2nbrexx3vqjhp41";
    let simulation = "sim_01h2xcejqtf2nbrexx3vqjhp41";
    let [entry, changeset] = ["aud_01h2xcejqtf2nbrexx3vqjhp41", "chg_01h2xcejqtf2nbrexx3vqjhp41"];
    json!({
        "organization": {
            "name": names, "slug": ["one", "two"], "country": [null, "AT"], "time_zone": zones, "suspended_at": [null, time],
        },
        "member": {
            "role": ["viewer", "admin"], "source": ["founded", "invited"], "suspended_at": [null, time],
            "role_given_by": [null, "usr_01h2xcejqtf2nbrexx3vqjhp41"], "role_given_at": [null, time],
        },
        "invitation": {
            "kind": ["member"], "email": ["a@a.example", "b@a.example"], "role": ["viewer", "admin"],
            "sent_at": ["2026-03-01T12:00:00Z", time], "expires_at": ["2026-03-08T12:00:00Z", time],
            "accepted_at": [null, time], "member_id": [null, "mem_01h2xcejqtf2nbrexx3vqjhp41"], "revoked_at": [null, time],
            "mail_failed_at": [null, time],
        },
        "export": {
            "kind": ["organization"], "expires_at": ["2026-03-02T12:00:00Z", time], "opened_at": [null, time],
        },
        "season": {
            "name": names, "sport": ["netball", "ice hockey"], "status": ["active", "completed"],
            "starts_on": [null, "2026-01-02"], "ends_on": [null, "2026-05-06"], "time_zone": zones,
            "scoring": [{"win": 3, "draw": 1, "loss": 0}, {"win": 2, "draw": 0, "loss": -1}],
            "tiebreakers": [[], ["name"]], "external_id": notes,
        },
        "venue": {
            "name": names, "address": notes, "latitude": [null, -37.743_212_345_678_9], "longitude": [null, 144.966],
            "time_zone": zones, "fields": [[], ["Court 1", "Court 2"]],
        },
        "division": {"name": names, "season_id": seasons, "age_group": notes, "gender": [null, "mixed"], "external_id": notes},
        "staff": {
            "team_id": [id(6), id(7)], "user_id": [field(staff, "user_id")], "kind": ["coach", "assistant"],
            "state": ["proposed", "confirmed", "ended"], "starts_on": [null, "2026-01-02"],
            "ends_on": [null, "2026-05-06"], "proposed_by": [null, "usr_01h2xcejqtf2nbrexx3vqjhp41"],
            "proposed_at": ["2026-03-01T12:00:00Z", time], "confirmed_by": [null, field(staff, "user_id")],
            "confirmed_at": [null, time], "confirmed_alone": [true, false],
        },
        "duty": {
            "user_id": [field(staff, "user_id")], "kind": ["registrar", "support"], "team_ids": [[], [id(6), id(7)]],
            "season_id": [null, id(0)], "state": ["proposed", "accepted", "revoked"],
            "starts_at": ["2026-03-01T12:00:00Z", time], "ends_at": ["2026-03-02T12:00:00Z", time],
            "reason": ["Ä", "B \"quoted\""], "proposed_by": [null, field(staff, "user_id")],
            "proposed_at": ["2026-03-01T12:00:00Z", time], "confirmed_by": [null, field(staff, "user_id")],
            "confirmed_at": [null, time], "confirmed_alone": [true, false], "accepted_at": [null, time],
            "revoked_by": [null, field(staff, "user_id")], "revoked_at": [null, time],
        },
        "changeset": {
            "kind": ["change", "undo"], "title": names, "reason": notes, "state": ["draft", "executed"],
            "author_id": [field(staff, "user_id")], "author_key_id": [null, key], "by_agent": [true, false],
            "operation_count": [0, 7], "drift_policy": ["strict", "tolerate_unrelated"], "simulation_id": [null, simulation],
            "simulation_hash": notes, "simulated_at": [null, time], "risk": [null, "R2"], "required_approvals": [null, 2],
            "approvals": [[], [{"user_id": field(staff, "user_id"), "at": time, "hash": "x"}]],
            "approver_role": [null, "admin"], "reduced_approval": [true, false], "not_before": [null, time],
            "submitted_at": [null, time], "schedule_at": [null, time], "expires_at": [null, time], "executed_at": [null, time],
            "executed_by": [null, field(staff, "user_id")], "entry_id": [null, entry], "undo_of": [null, changeset],
            "undone_by": [null, changeset],
        },
        "team": {
            "name": names, "season_id": seasons, "division_id": divisions, "short_name": notes, "external_id": notes,
        },
        "game": {
            "season_id": seasons, "division_id": divisions, "round": notes, "kind": ["game", "bye"],
            "status": ["scheduled", "final"], "starts_at": ["2026-03-01T12:00:00Z", time], "time_tbd": [true, false],
            "ends_at": [null, time], "local_start": [null, "2026-03-02T09:30:00"], "time_zone": zones, "venue_id": venues, "field": notes, "home_team_id": teams,
            "home_score": [null, 0, 12], "away_team_id": teams, "away_score": [null, 3], "external_id": notes,
        },
    })
}

/// The records of a league, and one subject for each kind that has images.
fn subjects(club: &Club) -> (Vec<AnyRecord>, Vec<Subject>) {
    let league = league();
    let AnyRecord::Team(team) = &league[6] else { panic!("a team") };
    let staff = AnyRecord::from(staff(team, club.person(Role::Coach).user.id));
    let held = AnyRecord::from(duty(club.person(Role::Coach).user.id));
    let values = values(&league, &staff);
    let mut league = league.to_vec();
    let invited = NewInvitation { email: Email::parse("a@a.example").unwrap(), role: Role::Coach };
    let invited =
        invitations::invite(&clubs::moment(), Role::Owner, club.owner().user.id, invited, 0).unwrap();
    let new = NewExport { kind: ExportKind::Organization };
    let export = exports::request(&clubs::moment(), club.owner().user.id, new).unwrap();
    league.extend([invited.clone().into(), export.clone().into()]);
    let author = Author { user: club.person(Role::Coach).user.id, key: None, is_agent: false };
    let title = Name::stored("Rain".to_owned());
    let changeset =
        AnyRecord::from(Changeset::new(&clubs::moment(), ChangesetKind::Change, author, title, None));
    league.push(changeset.clone());
    let people = [
        changeset,
        AnyRecord::from(invited),
        AnyRecord::from(export),
        AnyRecord::from(club.organization.clone()),
        AnyRecord::from(club.person(Role::Coach).member.clone()),
    ];
    let records = people.into_iter().chain([0, 2, 4, 6, 8].map(|at| league[at].clone()));
    let family = family(&league, club.person(Role::Coach).user.id);
    let records = records.chain([staff.clone(), held.clone()]).chain(family.clone());
    let subject = |record: AnyRecord| {
        let values = values[record.kind().name()].as_object().expect("the values of each kind").clone();
        Subject { record, values }
    };
    let subjects = records.map(subject).collect();
    (league.into_iter().chain([staff, held]).chain(family).collect(), subjects)
}

/// A child and a record of each kind about it, parents first.
fn family(league: &[AnyRecord], guardian: UserId) -> Vec<AnyRecord> {
    let (AnyRecord::Season(season), AnyRecord::Team(team)) = (&league[0], &league[6]) else {
        panic!("a season and a team")
    };
    let child = families::child("Zoë M.");
    let Classes { identity, contact, emergency, medical, performance } = families::classes(&child);
    vec![
        child.clone().into(),
        identity.into(),
        contact.into(),
        emergency.into(),
        medical.into(),
        performance.into(),
        families::guardian(&child, guardian).into(),
        families::guardian_invitation(&child, guardian).into(),
        Restriction { lifted_at: Some(NOW), ..families::restriction(&child) }.into(),
        families::break_glass(&child, guardian).into(),
        families::consent(&child).into(),
        families::registration(&child, season).into(),
        families::roster_entry(team, &child).into(),
        families::privacy_request(&child, guardian).into(),
    ]
}

/// The record with some fields set at random.
fn edited(record: &AnyRecord, subject: &Subject, random: &mut StdRng) -> AnyRecord {
    let mut after = record.clone();
    for (name, values) in &subject.values {
        let values = values.as_array().expect("a list");
        if random.random_bool(0.3) {
            set(&mut after, name, &values[random.random_range(0..values.len())]);
        }
    }
    after
}

fn effect(record: &AnyRecord, after: AnyRecord, minutes: i64) -> Option<Effect> {
    let at = NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap();
    Effect::update(&clubs::moment_at(at), record.clone(), after)
}

/// Applies a history from the first step to the last, then undoes it from the last record, with the images alone.
fn check(first: &AnyRecord, steps: &[Step], last: &AnyRecord) {
    let mut image = first.image();
    for step in steps {
        assert_eq!(step.before, image, "a {} before", first.kind());
        let applied = step.changed.iter().map(String::as_str).chain(["version", "updated_at"]);
        for name in applied {
            image.insert(name.to_owned(), step.after[name].clone());
        }
        assert_eq!(step.after, image, "a {}: `before` with the changed fields of `after`", first.kind());
    }
    assert_eq!(image, last.image());
    let mut undone = last.clone();
    for step in steps.iter().rev() {
        for name in step.changed.iter().map(String::as_str).chain(["version", "updated_at"]) {
            set(&mut undone, name, &step.before[name]);
        }
    }
    assert_eq!(&undone, first, "every field has its first value again");
}

#[tokio::test]
async fn these_tests_include_every_field_of_every_kind_with_images() {
    let store = databases::sqlite().open().await;
    let (_, subjects) = subjects(&Club::found(&store, "Fields").await);
    let kinds: BTreeSet<&str> = subjects.iter().map(|subject| subject.record.kind().name()).collect();
    let with_images = Kind::ALL.iter().filter(|kind| kind.trace() == Trace::Images);
    assert_eq!(kinds, with_images.map(|kind| kind.name()).collect());
    for subject in subjects {
        let image = subject.record.image();
        let fields: BTreeSet<&str> = image.keys().map(String::as_str).collect();
        let tested = subject.values.keys().map(String::as_str);
        let known = tested.chain(AUTOMATIC.into_iter().filter(|name| fields.contains(name)));
        assert_eq!(fields, known.collect(), "of a {}", subject.record.kind());
    }
}

#[tokio::test]
async fn images_of_random_effects_lead_from_one_version_to_the_next_and_back() {
    let store = databases::sqlite().open().await;
    let (_, subjects) = subjects(&Club::found(&store, "Pure").await);
    for (subject, seed) in subjects.iter().flat_map(|subject| (0..40).map(move |seed| (subject, seed))) {
        let (mut random, mut record, mut steps) =
            (StdRng::seed_from_u64(seed), subject.record.clone(), Vec::new());
        for minutes in 1..8 {
            let after = edited(&record, subject, &mut random);
            let Some(effect) = effect(&record, after, minutes) else { continue };
            let changed = effect.fields().into_iter().map(str::to_owned).collect();
            let after = effect.after.unwrap();
            steps.push(Step { before: record.image(), after: after.image(), changed });
            record = after;
        }
        check(&subject.record, &steps, &record);
    }
}

/// A record as the operator reads it.
async fn read<S: Stored>(store: &Store, club: &Club, record: &S) -> AnyRecord {
    let id = record.id();
    let read =
        clubs::write(store, club.id(), async move |tx, proof| records::read::<S, _>(tx, proof, id).await);
    read.await.unwrap().map(S::into).expect("the record")
}

/// A record's history, the earliest step first.
async fn history(store: &Store, reader: &Person, record: &AnyRecord) -> Vec<Step> {
    store.post_everything().await.unwrap();
    let (of, scope) = ((record.kind(), record.uuid()), reader.scope(store).await);
    let entries = ledger::history(&mut &*store, &scope, of, None, 100).await.unwrap();
    let (entries, _) = reader.open_images(store, &entries).await.unwrap();
    let image = |image: &Option<String>| serde_json::from_str(image.as_ref().unwrap()).unwrap();
    let steps =
        entries.iter().rev().flat_map(|entry| &entry.effects).filter(|effect| effect.verb == "updated");
    steps
        .map(|effect| Step {
            before: image(&effect.before),
            after: image(&effect.after),
            changed: effect.changed.clone(),
        })
        .collect()
}

#[tokio::test]
async fn a_random_history_can_be_undone_from_the_ledger() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Undone").await;
        let (league, mut subjects) = subjects(&club);
        // A new simulation alone has no entry.
        for subject in &mut subjects {
            subject.values.remove("simulated_at");
        }
        let child = league.iter().find_map(AnyRecord::child).expect("a child");
        let parent =
            Relation::of_creator(&clubs::moment(), child, club.owner().user.id, RelationKind::Guardian);
        club.create(&store, league.into_iter().chain([parent.into()]).collect()).await;
        // No relation opens the images of what closes a child's data.
        let opens = |record: &AnyRecord| record.child().is_none() || of_image(record.kind()).is_some();
        for subject in subjects.iter().filter(|subject| opens(&subject.record)) {
            let mut random = StdRng::seed_from_u64(5);
            let first = with_record!(&subject.record, record => read(&store, &club, &**record).await);
            let before = history(&store, club.owner(), &first).await.len();
            let mut record = first.clone();
            for minutes in 1..25 {
                let after = edited(&record, subject, &mut random);
                let Some(effect) = effect(&record, after, minutes) else { continue };
                // Some combinations of references are invalid and change nothing.
                let _ = clubs::apply(&store, club.id(), vec![effect]).await;
                record = with_record!(&record, record => read(&store, &club, &**record).await);
            }
            let steps = history(&store, club.owner(), &first).await.split_off(before);
            assert!(steps.len() >= 5, "{} changes of a {}", steps.len(), first.kind());
            check(&first, &steps, &record);
        }
    }
}
