//! The second matrix: every operation that uses children's data with every state of a relation, on both engines. `relations.txt` contains
//! what is expected, written by hand.
//!
//! Each child has a name that occurs nowhere else. It must be in the responses that show it, and in no other.

use fieldhouse_api::Operation;
use fieldhouse_api::request::BodyKind;
use fieldhouse_domain::api_keys::{ApiKeyKind, NewApiKey};
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::{BreakGlassGrant, GRANT_LIFE};
use fieldhouse_domain::children::cases::SafeguardingCase;
use fieldhouse_domain::children::consents::{Consent, Purpose};
use fieldhouse_domain::children::relations::{Relation, RelationKind, RelationState};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::exports;
use fieldhouse_domain::favorites::{ChildFavorite, CustomProgram, Notes, WrittenGender};
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::{
    ChildId, ConsentId, ExportId, FavoriteId, GameId, GuardianInvitationId, RegistrationId, RelationId,
    RosterEntryId, SeasonId, TeamId, UserId,
};
use fieldhouse_domain::policy::{ChildTouch, Credential};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::Name;
use fieldhouse_testing::clubs;
use fieldhouse_testing::families::{
    break_glass, case, child, consent, favorite, guardian, guardian_invitation, registration, restriction,
    roster_entry, with_classes,
};
use fieldhouse_testing::leagues::{division, duty, game, season, staff};
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reqwest::Method;
use serde_json::{Value, json};

use super::expectation::Expectation;
use crate::support::changesets::Proposal;
use crate::support::fixtures::Fixture;
use crate::support::marker::MARKER;
use crate::support::{Answer, Club, Person, on_both, row, send};

/// A child, and the person who asks for it.
struct Case {
    who: Person,
    child: ChildId,
    name: String,
    places: Places,
}

/// How the child and the person are related, besides their age.
struct Setting {
    team: Team,
    user: UserId,
    child: Child,
}

/// The records that relate a person to a child.
fn related(club: &Club, column: &str, Setting { team, user, child }: &Setting) -> Vec<AnyRecord> {
    let user = *user;
    let yesterday = team_day(club).yesterday().expect("a day");
    let kin = |kind| Relation { kind, ..guardian(child, user) };
    let on_roster = || AnyRecord::from(roster_entry(team, child));
    let coach = || Staff { state: StaffState::Confirmed, ..staff(team, user) };
    let duty = |kind| on_duty(club, kind, user, team.season_id);
    match column {
        "self" | "self.young" => vec![kin(RelationKind::Itself).into()],
        "guardian" | "key" | "agent" | "narrow" => vec![kin(RelationKind::Guardian).into()],
        "proposed" => vec![Relation { state: RelationState::Proposed, ..kin(RelationKind::Guardian) }.into()],
        "revoked" => vec![Relation { state: RelationState::Revoked, ..kin(RelationKind::Guardian) }.into()],
        "restricted" => {
            let order = Restriction { user_id: Some(user), classes: Vec::new(), ..restriction(child) };
            vec![kin(RelationKind::Guardian).into(), order.into()]
        }
        "coach" | "coach.10" => vec![coach().into(), on_roster()],
        "coach.ok" => {
            let consents = [Purpose::Participation, Purpose::MedicalCare];
            let consents = consents.map(|purpose| Consent { purpose, ..consent(child) }.into());
            [vec![coach().into(), on_roster()], consents.into()].concat()
        }
        "excoach" => vec![Staff { ends_on: Some(yesterday), ..coach() }.into(), on_roster()],
        "left" => {
            let left = RosterEntry { ends_on: Some(yesterday), ..roster_entry(team, child) };
            vec![coach().into(), left.into()]
        }
        "registrar" => vec![duty(DutyKind::Registrar).into()],
        "medic" => vec![duty(DutyKind::MedicalStaff).into(), on_roster()],
        "support" => vec![duty(DutyKind::Support).into(), on_roster()],
        "case" => {
            let ends_at = club.app.clock.now().saturating_add(SignedDuration::from_hours(24)).ok();
            let open = SafeguardingCase { ends_at, ..case(child, user) };
            let lead = Duty { season_id: None, ..duty(DutyKind::SafeguardingLead) };
            vec![lead.into(), open.into(), on_roster()]
        }
        "emergency" => {
            let starts_at = club.app.clock.now();
            let ends_at = starts_at.saturating_add(GRANT_LIFE).expect("a time");
            vec![BreakGlassGrant { starts_at, ends_at, ..break_glass(child, user) }.into()]
        }
        "stranger" | "owner" | "other" => vec![on_roster()],
        other => panic!("relations.txt has the column {other}, and no one is set up for it"),
    }
}

/// A duty of a user that is open for a day.
fn on_duty(club: &Club, kind: DutyKind, user: UserId, season: SeasonId) -> Duty {
    let ends_at = club.app.clock.now().saturating_add(SignedDuration::from_hours(24)).expect("a time");
    Duty { kind, state: DutyState::Accepted, season_id: Some(season), ends_at, ..duty(user) }
}

/// What requests name besides the child: where it is registered and will play, a consent, and another member with a relation. None of it
/// opens anything to people without a duty.
pub(super) struct Places {
    child: ChildId,
    /// A consent to photos.
    consent: ConsentId,
    /// A member who is medical staff of the child by a relation.
    medic: UserId,
    relation: RelationId,
    /// An invitation to be its guardian, which the medic sent.
    invitation: GuardianInvitationId,
    /// An export of the child that the medic requested.
    export: ExportId,
    season: SeasonId,
    /// The team that the child is in tomorrow.
    team: TeamId,
    entry: RosterEntryId,
    tomorrow: Date,
    /// A game of that team on that day.
    game: GameId,
    /// Registrations that are changed and withdrawn.
    registrations: [RegistrationId; 2],
    /// A season for which the child is not registered.
    next_season: SeasonId,
    /// Saved programs of the child: one that is changed, and one that is removed.
    favorites: [FavoriteId; 2],
    /// Changesets that change its entry of that team.
    changesets: Option<Changed>,
}

/// Two changesets about a child.
struct Changed {
    /// One that was executed.
    done: String,
    /// One that waits for an approval, and its simulation.
    open: String,
    simulation: Value,
}

/// Creates the places of a child, in its season and three others.
fn places(club: &Club, setting: &Setting, medic: UserId, others: [SeasonId; 3]) -> (Places, Vec<AnyRecord>) {
    let Setting { team, child, .. } = setting;
    let [changed, withdrawn, next_season] = others;
    let in_season = |season_id| Registration { season_id, ..registration(child, &season("Any")) };
    let accepted = Registration { status: RegistrationStatus::Accepted, ..in_season(team.season_id) };
    let open = [in_season(changed), in_season(withdrawn)];
    let id = clubs::moment().id();
    let hawks = Team { id, name: Name::stored("Hawks".to_owned()), ..team.clone() };
    let today = team_day(club);
    let tomorrow = today.tomorrow().expect("a day");
    let entry = RosterEntry { starts_on: tomorrow, ends_on: Some(tomorrow), ..roster_entry(&hawks, child) };
    let noon = tomorrow.at(12, 0, 0, 0).to_zoned(zone()).expect("a time").timestamp();
    let played = Game {
        season_id: team.season_id,
        division_id: team.division_id,
        ..game(&division(&season("Any"), "Any"), hawks.id, team.id, noon)
    };
    let photos = Consent { purpose: Purpose::Photos, ..consent(child) };
    let relation = Relation { kind: RelationKind::MedicalStaff, ..guardian(child, medic) };
    let invitation = guardian_invitation(child, medic);
    let export = exports::request_of_child(&clubs::moment(), medic, child.id);
    let notes = Notes::parse(&format!("{MARKER} wrote to them")).ok();
    let saved = ChildFavorite { notes, ..favorite(child, medic) };
    let removed =
        ChildFavorite { custom: Some(program("Removed College")), rank: 2, ..favorite(child, medic) };
    let places = Places {
        child: child.id,
        consent: photos.id,
        medic,
        relation: relation.id,
        invitation: invitation.id,
        export: export.id,
        season: team.season_id,
        team: hawks.id,
        entry: entry.id,
        tomorrow,
        game: played.id,
        registrations: open.each_ref().map(|it| it.id),
        next_season,
        favorites: [saved.id, removed.id],
        changesets: None,
    };
    let open = open.map(AnyRecord::from);
    let around = [
        accepted.into(),
        hawks.into(),
        entry.into(),
        played.into(),
        photos.into(),
        relation.into(),
        invitation.into(),
        export.into(),
        saved.into(),
        removed.into(),
    ];
    (places, around.into_iter().chain(open).collect())
}

/// A program that is not in the catalogue.
fn program(college: &str) -> CustomProgram {
    CustomProgram {
        college_name: Name::stored(college.to_owned()),
        state: None,
        sport: Sport::stored("rowing".to_owned()),
        gender: WrittenGender(ProgramGender::Men),
    }
}

/// The duties of the registrar of all seasons of a child.
fn registrar(club: &Club, user: UserId, seasons: &[SeasonId]) -> Vec<AnyRecord> {
    seasons.iter().map(|season| on_duty(club, DutyKind::Registrar, user, *season).into()).collect()
}

fn team_day(club: &Club) -> Date {
    club.app.clock.now().to_zoned(zone()).date()
}

/// The time zone of the club.
fn zone() -> TimeZone {
    TimeZone::get("Australia/Melbourne").expect("a zone")
}

/// The address and the body of the request for an operation.
pub(super) fn request(operation: Operation, places: &Places) -> (String, Option<Value>) {
    let path = row(operation).path.to_owned();
    let at = |id: String| path.replace("{id}", &id);
    let entry = || at(places.team.to_string()).replace("{entry_id}", &places.entry.to_string());
    match operation {
        Operation::RegistrationList => (at(places.season.to_string()), None),
        Operation::RegistrationAdd => {
            (at(places.child.to_string()), Some(json!({"season_id": places.next_season})))
        }
        Operation::RegistrationChange => {
            (at(places.registrations[0].to_string()), Some(json!({"status": "applied"})))
        }
        Operation::RegistrationWithdraw => (at(places.registrations[1].to_string()), None),
        Operation::RosterList => (format!("{}?on={}", at(places.team.to_string()), places.tomorrow), None),
        Operation::GameList | Operation::GamesUpcoming => (format!("{path}?team_id={}", places.team), None),
        Operation::TeamSchedule => (at(places.team.to_string()), None),
        Operation::GameRead => (at(places.game.to_string()), None),
        Operation::AuditLog => (format!("{path}?record_id={}", places.child), None),
        Operation::RosterAdd => {
            let later = places.tomorrow.tomorrow().expect("a day");
            let body = json!({"child_id": places.child, "starts_on": later, "ends_on": later});
            (at(places.team.to_string()), Some(body))
        }
        Operation::ChildExportRead | Operation::ChildExportContent => {
            let path = at(places.child.to_string()).replace("{export_id}", &places.export.to_string());
            let is_link = operation == Operation::ChildExportContent;
            (if is_link { format!("{path}?token=fhx_none") } else { path }, None)
        }
        Operation::PrivacyRequestCreate => (path, Some(json!({"child_id": places.child, "kind": "export"}))),
        Operation::FavoriteList | Operation::FavoriteExport => {
            (format!("{path}?child_id={}", places.child), None)
        }
        // The program is saved already, so that the list stays as it is.
        Operation::FavoriteSave => {
            let custom = json!({"college_name": "Isla College", "sport": "rowing", "gender": "women"});
            (path, Some(json!({"child_id": places.child, "custom": custom})))
        }
        Operation::FavoriteChange => {
            (at(places.favorites[0].to_string()), Some(json!({"notes": "Zzyzxgrove called"})))
        }
        Operation::FavoriteRemove => (at(places.favorites[1].to_string()), None),
        Operation::FavoriteOrder => {
            (path, Some(json!({"child_id": places.child, "ids": [places.favorites[0]]})))
        }
        Operation::RosterChange => (entry(), Some(json!({"jersey_number": 7}))),
        Operation::RosterRemove => (entry(), None),
        Operation::ChildRelationAdd => {
            (at(places.child.to_string()), Some(json!({"user_id": places.medic, "kind": "guardian"})))
        }
        Operation::RelationRevoke => (at(places.relation.to_string()), None),
        Operation::GuardianInvitationResend | Operation::GuardianInvitationRevoke => {
            let path = at(places.child.to_string());
            (path.replace("{invitation_id}", &places.invitation.to_string()), None)
        }
        Operation::ConsentWithdraw => {
            let path = at(places.child.to_string());
            (path.replace("{consent_id}", &places.consent.to_string()), None)
        }
        Operation::ChangesetDiff | Operation::ChangesetSimulation | Operation::ChangesetApprove => {
            let Changed { open, simulation, .. } = places.changesets.as_ref().expect("changesets");
            let simulated = simulation["id"].as_str().expect("a simulation");
            let body = json!({"simulation_hash": simulation["hash"]});
            let body = (operation == Operation::ChangesetApprove).then_some(body);
            (at(open.clone()).replace("{simulation_id}", simulated), body)
        }
        Operation::ChangesetUndo => {
            (at(places.changesets.as_ref().expect("changesets").done.clone()), Some(json!({})))
        }
        _ => (at(places.child.to_string()), body(operation)),
    }
}

/// Sets up a child and a person for each column, with a role unless the column names one.
async fn cases(club: &Club, neighbour: &Person, columns: &[String], role: Role) -> Vec<Case> {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let year = i64::from(club.app.clock.now().to_zoned(TimeZone::UTC).year());
    let (mut cases, mut records) = (Vec::new(), Vec::new());
    let medic = fixture.member(Role::Member).user;
    for column in columns {
        let role = if column == "owner" { Role::Owner } else { role };
        let user = fixture.member(role).user;
        let token = fixture.session(user).access_token;
        let name = format!("{MARKER} {} with the role {role}", column.replace('.', " "));
        let age = if matches!(column.as_str(), "self.young" | "coach.10" | "coach.ok") { 10 } else { 15 };
        let it = Child { birth_year: year - 1 - age, ..child(&name) };
        records.extend(with_classes(&it));
        let setting = Setting { team: fixture.team(), user, child: it.clone() };
        let others = [fixture.season(), fixture.season(), fixture.season()];
        let (places, around) = places(club, &setting, medic, others);
        records.extend(around.into_iter().chain(related(club, column, &setting)));
        if column == "registrar" {
            records.extend(registrar(club, user, &others));
        }
        let wanted = || NewApiKey::new(Name::stored("A script".to_owned()));
        let key = match column.as_str() {
            "key" => Some(wanted()),
            "agent" => Some(NewApiKey { kind: ApiKeyKind::Agent, ..wanted() }),
            "narrow" => {
                let scope = Scope { resource: Resource::Seasons, verb: Verb::Read };
                Some(NewApiKey { scopes: vec![scope], ..wanted() })
            }
            _ => None,
        };
        let who = match (column.as_str(), key) {
            ("other", _) => neighbour.clone(),
            (_, Some(wanted)) => club.with_key(&fixture.wanted_key(user, role, wanted).1),
            (_, None) => club.with_token(&token),
        };
        cases.push(Case { who, child: it.id, name, places });
    }
    fixture.write().await;
    let effects = records.into_iter().map(Effect::create).collect();
    clubs::apply(&club.app.store, club.organization, effects).await.expect("families");
    cases
}

/// Proposes two changesets for each child, as a registrar of its season, and has another registrar approve one of them.
async fn change(club: &Club, cases: &mut [Case]) {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let mut registrars = Vec::new();
    for case in &*cases {
        let pair = [Role::Coach, Role::Manager].map(|role| fixture.member(role).user);
        let tokens = pair.map(|user| fixture.session(user).access_token);
        registrars.push((pair, tokens.map(|token| club.with_token(&token)), case.places.season));
    }
    fixture.write().await;
    let duties = registrars.iter().flat_map(|(pair, _, season)| {
        pair.iter().map(|user| Effect::create(on_duty(club, DutyKind::Registrar, *user, *season)))
    });
    clubs::apply(&club.app.store, club.organization, duties.collect()).await.expect("registrars");
    for (case, (_, [author, approver], _)) in cases.iter_mut().zip(&registrars) {
        let numbered = |number: u8| {
            json!([{"op": "update", "resource": "roster_entries", "id": case.places.entry,
                "set": {"jersey_number": number}}])
        };
        let done = Proposal::new(author, &numbered(9)).await.submitted().await;
        let done = done.approved_by(approver).await.executed_by(author).await.id;
        let open = Proposal::new(author, &numbered(10)).await.submitted().await;
        let simulation = open.answer.body["data"]["simulation"].clone();
        case.places.changesets = Some(Changed { done, open: open.id, simulation });
    }
}

/// A child of whom a user may do everything: as its guardian, as staff of its team, and as the registrar of its seasons.
pub(super) async fn known_child(club: &Club, user: UserId) -> Places {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let child = child("Zzyzxgrove of the columns");
    let setting = Setting { team: fixture.team(), user, child: child.clone() };
    let others = [fixture.season(), fixture.season(), fixture.season()];
    let medic = fixture.member(Role::Member).user;
    fixture.write().await;
    let (places, around) = places(club, &setting, medic, others);
    let seasons = [&others[..], &[setting.team.season_id]].concat();
    let related = [related(club, "coach.ok", &setting), related(club, "guardian", &setting)].concat();
    let related = [around, related, registrar(club, user, &seasons)].concat();
    let effects = with_classes(&child).into_iter().chain(related).map(Effect::create).collect();
    clubs::apply(&club.app.store, club.organization, effects).await.expect("a family");
    places
}

/// Relates a user to a child as the column does, such as `coach`. Its name and year of birth stay.
pub(crate) async fn relate(club: &Club, column: &str, id: ChildId, user: UserId) {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let setting = Setting { team: fixture.team(), user, child: Child { id, ..child("Kim") } };
    fixture.write().await;
    let effects = related(club, column, &setting).into_iter().map(Effect::create).collect();
    clubs::apply(&club.app.store, club.organization, effects).await.expect("a place in a team");
}

/// The body of an operation on a child that names nothing else. `None` if it takes none.
pub(super) fn body(operation: Operation) -> Option<Value> {
    Some(match operation {
        Operation::ChildProfileChange => json!({"pronouns": "zzyzxgrove/they"}),
        Operation::ChildIdentityChange => json!({"legal_last_name": "Zzyzxgrove-Quux"}),
        Operation::ChildContactChange => json!({"phones": ["+61 3 5550 0100"]}),
        Operation::ChildEmergencyChange => json!({"allergies": "Zzyzxgrove nuts"}),
        Operation::ChildMedicalChange => json!({"notes": "Zzyzxgrove notes"}),
        Operation::ChildPerformanceChange => json!({"position": "Zzyzxgrove guard"}),
        Operation::ProfileChange => json!({"locale": "en-AU"}),
        Operation::GuardianInvitationCreate => json!({"email": "kim@invited.example"}),
        Operation::ConsentGrant => {
            json!({"purpose": "third_party_share", "method": "electronic", "notice_version": "2026-03"})
        }
        other => {
            assert_eq!(row(other).body_kind, BodyKind::None, "{} has no sample body", other.id());
            return None;
        }
    })
}

async fn ask(case: &Case, operation: Operation) -> Answer {
    let (path, body) = request(operation, &case.places);
    let method: Method = row(operation).method.name().parse().expect("a method");
    let request = case.who.request(method, &path);
    send(match body {
        Some(body) => request.json(&body),
        None => request,
    })
    .await
}

/// What came, in the words of the expectation.
fn came(case: &Case, operation: Operation, answer: &Answer) -> String {
    let verdict = super::verdict(answer);
    let is_there = answer.text.contains(&case.child.to_string());
    match row(operation).requirement.child {
        _ if answer.status != 200 => verdict,
        ChildTouch::Images => format!("{verdict}{}", image(operation, answer, case)),
        ChildTouch::Listed { .. } if is_there => format!("{verdict} listed"),
        ChildTouch::Listed { .. } => format!("{verdict} absent"),
        _ => verdict,
    }
}

/// Whether an answer has an image of a child's record: that of the child in the audit log, that of its entry in a changeset.
fn image(operation: Operation, answer: &Answer, case: &Case) -> &'static str {
    let data = &answer.body["data"];
    let record = match operation {
        Operation::AuditLog => json!(case.child),
        Operation::ChangesetDiff | Operation::ChangesetSimulation => json!(case.places.entry),
        _ => return "",
    };
    let entries = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let effects = entries.iter().flat_map(|entry| entry["effects"].as_array().into_iter().flatten());
    let mut images = effects.filter(|effect| effect["id"] == record).peekable();
    if images.peek().is_none() {
        " absent"
    } else if images.all(|effect| effect["redacted"] == true && effect["after"].is_null()) {
        " redacted"
    } else {
        " shown"
    }
}

/// The operations whose successful response shows the name of the child.
const SHOW_THE_NAME: [&str; 14] = [
    "audit.list",
    "children.list",
    "children.read",
    "children.profile.read",
    "children.profile.change",
    "children.history",
    "registrations.list",
    "registrations.add",
    "registrations.change",
    "roster.list",
    "roster.add",
    "roster.change",
    "profile.me",
    "profile.change",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_on_children_with_every_relation() {
    let expectation = Expectation::parse(include_str!("relations.txt"));
    let uses = |operation: &&Operation| {
        !matches!(row(*operation).requirement.child, ChildTouch::Untouched | ChildTouch::Created)
    };
    let operations: Vec<Operation> = Operation::ROUTES.iter().filter(uses).copied().collect();
    let mut ids: Vec<&str> = operations.iter().map(|operation| operation.id()).collect();
    ids.sort_unstable();
    let rows: Vec<_> = expectation.rows.keys().map(String::as_str).collect();
    assert_eq!(rows, ids, "relations.txt must have one line for every operation that uses children's data");
    on_both(async |club| {
        let (neighbour, columns) = (club.neighbours().await, &expectation.callers);
        let members = cases(&club, &neighbour, columns, Role::Member).await;
        let mut admins = cases(&club, &neighbour, columns, Role::Admin).await;
        change(&club, &mut admins).await;
        let mut wrong = Vec::new();
        for operation in &operations {
            let expected = &expectation.rows[operation.id()];
            let credential = row(*operation).requirement.credential;
            let is_of_admins = matches!(credential, Credential::Required(role) if role > Role::Member);
            let cases = if is_of_admins { &admins } else { &members };
            for ((column, case), expected) in expectation.callers.iter().zip(cases).zip(expected) {
                let answer = ask(case, *operation).await;
                let came = came(case, *operation, &answer);
                if came != *expected {
                    wrong.push(format!(
                        "{} by {column}: {expected} was expected, {came} came: {}",
                        operation.id(),
                        answer.text
                    ));
                }
                let shows = answer.text.contains(&case.name);
                let should = SHOW_THE_NAME.contains(&operation.id())
                    && answer.status < 300
                    && !expected.ends_with("absent")
                    && !expected.ends_with("redacted");
                if shows != should {
                    wrong.push(format!("{} by {column}: the name is shown: {shows}", operation.id()));
                }
                let others = cases.iter().filter(|other| other.name != case.name);
                for other in others.filter(|other| answer.text.contains(&format!("\"{}\"", other.name))) {
                    wrong.push(format!("{} by {column} shows {}", operation.id(), other.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        club.app.access_log.flush(&club.app.store).await.expect("the access log is written");
        assert_eq!(club.database.tables_with(MARKER), ["children"], "roster and profile; the rest is sealed");
    })
    .await;
}
