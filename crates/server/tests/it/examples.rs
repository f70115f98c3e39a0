//! The examples in the OpenAPI document: real requests and responses, recorded with a held clock and a seed, so that they are reproducible.
//! With `FIELDHOUSE_UPDATE`, which `cargo xtask gen` sets, they are written; otherwise they are compared.

use std::collections::BTreeMap;
use std::path::Path;

use fieldhouse_api::Operation;
use fieldhouse_api::envelope::JSON;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_testing::databases::{Database, both, sqlite};
use jiff::SignedDuration;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::exports::archives;
use crate::games::{HEADER, game};
use crate::support::changesets::{Proposal, a_venue};
use crate::support::fixtures::Fixture;
use crate::support::mail::sent;
use crate::support::{Answer, Club, PASSWORD, Person, row, send};

/// The server's URL in the examples.
const PUBLIC_URL: &str = "https://fieldhouse.example";

/// Whether an operation responds with a page, a file or the document itself.
fn has_no_example(operation: Operation) -> bool {
    operation == Operation::OpenApi || row(operation).answer.media_types[0] != JSON
}

/// The recorded examples: for each operation its request body, and its response bodies by status.
#[derive(Default)]
struct Recorder {
    examples: BTreeMap<&'static str, BTreeMap<String, Value>>,
}

impl Recorder {
    /// Calls an operation and records the request and the response.
    async fn call(&mut self, who: &Person, operation: Operation, id: &str, body: Value) -> Answer {
        let path = row(operation).path.replace("{id}", id);
        self.call_at(who, operation, &path, body).await
    }

    async fn call_at(&mut self, who: &Person, operation: Operation, path: &str, body: Value) -> Answer {
        let method: Method = row(operation).method.name().parse().expect("a method");
        let request = who.request(method, path);
        let request = if body.is_null() { request } else { request.json(&body) };
        self.send(operation, request, body).await
    }

    /// Calls an operation on the version of a record that was responded.
    async fn call_if_match(
        &mut self,
        who: &Person,
        operation: Operation,
        record: &Answer,
        body: Value,
    ) -> Answer {
        let path = row(operation).path.replace("{id}", record.id());
        let method: Method = row(operation).method.name().parse().expect("a method");
        let request = who.request(method, &path).header("if-match", record.header("etag"));
        let request = if body.is_null() { request } else { request.json(&body) };
        self.send(operation, request, body).await
    }

    async fn send(&mut self, operation: Operation, request: RequestBuilder, body: Value) -> Answer {
        let answer = send(request).await;
        let example = self.examples.entry(operation.id()).or_default();
        if !body.is_null() {
            example.entry("request".to_owned()).or_insert(body);
        }
        example.entry(answer.status.to_string()).or_insert(answer.body.clone());
        answer
    }
}

fn text<'a>(answer: &'a Answer, pointer: &str) -> &'a str {
    answer
        .body
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("{pointer}: {}", answer.text))
}

/// Calls every operation, as in a day of a club.
async fn record(database: Database) -> BTreeMap<&'static str, BTreeMap<String, Value>> {
    let start = "2026-03-01T09:00:00Z".parse().expect("a time");
    let clock = Clock::held(start, 1);
    let club = Club::open_as(database, LimitOptions::default(), clock, Some(PUBLIC_URL)).await;
    crate::colleges::load_few(&club).await;
    let mut recorder = Recorder::default();
    exports(&club, &mut recorder).await;
    seasons_and_games(&club, &mut recorder).await;
    children(&club, &mut recorder).await;
    people(&club, &mut recorder).await;
    colleges(&club, &mut recorder).await;
    credentials(&club, &mut recorder).await;
    organizations(&club, &mut recorder).await;
    for operation in [
        Operation::JsonWebKeys,
        Operation::OpenIdConfiguration,
        Operation::ProtectedResource,
        Operation::ImportFormats,
        Operation::RetentionPolicy,
        Operation::Health,
        Operation::Ready,
    ] {
        recorder.call(&club.anonymous(), operation, "", json!(null)).await;
    }
    recorder.examples
}

async fn exports(club: &Club, recorder: &mut Recorder) {
    let owner = club.member(Role::Owner);
    let created = recorder.call(owner, Operation::ExportCreate, "", json!({"kind": "organization"})).await;
    recorder.call(owner, Operation::ExportRead, created.id(), json!(null)).await;
}

async fn seasons_and_games(club: &Club, recorder: &mut Recorder) {
    let (manager, viewer) = (club.member(Role::Manager), club.member(Role::Viewer));
    let file =
        [game("g1", "07/03/2026", "08:30:00", "UPCOMING"), game("g2", "14/03/2026", "09:15:00", "UPCOMING")];
    let import = json!({
        "format": "playhq",
        "sport": "basketball",
        "time_zone": "Australia/Melbourne",
        "content": format!("{HEADER}\n{}", file.concat()),
    });
    recorder.call(manager, Operation::LeagueImport, "", import.clone()).await;
    // The same file with another time, as a changeset.
    let mut other = import;
    other["content"] = json!(format!("{HEADER}\n{}", game("g1", "07/03/2026", "10:30:00", "UPCOMING")));
    let propose = format!("{}?as_changeset=true", row(Operation::LeagueImport).path);
    recorder.call_at(manager, Operation::LeagueImport, &propose, other).await;
    club.pass(SignedDuration::from_mins(1));
    let wanted = json!({
        "name": "Winter 2026",
        "sport": "basketball",
        "time_zone": "Australia/Melbourne",
        "starts_on": "2026-04-18",
        "ends_on": "2026-09-12",
    });
    let created = recorder.call(manager, Operation::SeasonCreate, "", wanted).await;
    club.pass(SignedDuration::from_mins(1));
    recorder.call(manager, Operation::SeasonChange, created.id(), json!({"status": "registration"})).await;
    recorder.call(viewer, Operation::SeasonRead, created.id(), json!(null)).await;
    recorder.call(viewer, Operation::SeasonList, "", json!(null)).await;
    recorder.call(manager, Operation::SeasonHistory, created.id(), json!(null)).await;
    divisions_and_teams(club, recorder, created.id()).await;
    let hall =
        json!({"name": "Town Hall", "time_zone": "Australia/Melbourne", "fields": ["Court 1", "Court 2"]});
    let hall = recorder.call(manager, Operation::VenueCreate, "", hall).await;
    recorder.call(manager, Operation::VenueChange, hall.id(), json!({"address": "1 Hall St, Coburg"})).await;
    recorder.call(viewer, Operation::VenueRead, hall.id(), json!(null)).await;
    recorder.call(viewer, Operation::VenueList, "", json!(null)).await;
    recorder.call(manager, Operation::VenueHistory, hall.id(), json!(null)).await;
    recorder.call(manager, Operation::VenueDelete, hall.id(), json!(null)).await;
    let log = format!("{}?limit=2", row(Operation::AuditLog).path);
    recorder.call_at(club.member(Role::Admin), Operation::AuditLog, &log, json!(null)).await;
    recorder.call(manager, Operation::SeasonDelete, created.id(), json!(null)).await;
    purge(club, recorder).await;
    let games = recorder.call(viewer, Operation::GamesUpcoming, "", json!(null)).await;
    recorder.call(viewer, Operation::GameRead, text(&games, "/data/0/id"), json!(null)).await;
    let game = games.body["data"][0].clone();
    changes_of_games(club, recorder, &game).await;
}

/// Deletes a season that was made by mistake.
async fn purge(club: &Club, recorder: &mut Recorder) {
    let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
    let wanted = json!({"name": "Wintr 2026", "sport": "basketball", "time_zone": "Australia/Melbourne"});
    let mistake = manager.post("/api/v1/seasons", &wanted).await;
    let division = json!({"season_id": mistake.id(), "name": "U12 Girls"});
    assert_eq!(manager.post("/api/v1/divisions", &division).await.status, 201);
    let refused = admin.delete(&format!("/api/v1/seasons/{}", mistake.id())).await;
    let confirm = json!({"confirm": refused.body["digest"]});
    recorder.call(admin, Operation::SeasonPurge, mistake.id(), confirm).await;
}

/// Creates a game like another one, changes and deletes it.
async fn changes_of_games(club: &Club, recorder: &mut Recorder, like: &Value) {
    let (manager, viewer) = (club.member(Role::Manager), club.member(Role::Viewer));
    let wanted = json!({
        "season_id": like["season_id"], "division_id": like["division_id"], "time_zone": like["time_zone"],
        "starts_at": "2026-03-20T22:15:00Z", "ends_at": "2026-03-20T23:00:00Z", "venue_id": like["venue_id"],
        "field": like["field"], "home_team_id": like["home_team_id"], "away_team_id": like["away_team_id"],
    });
    let game = recorder.call(manager, Operation::GameCreate, "", wanted.clone()).await;
    club.pass(SignedDuration::from_mins(1));
    let change = json!({"status": "postponed", "reason": "The court is flooded."});
    let changed = recorder.call_if_match(manager, Operation::GameChange, &game, change).await;
    recorder.call(viewer, Operation::GameList, "", json!(null)).await;
    recorder.call(viewer, Operation::TeamSchedule, text(&game, "/data/home_team_id"), json!(null)).await;
    recorder.call(manager, Operation::GameHistory, game.id(), json!(null)).await;
    let result = json!({"home_score": 21, "away_score": 18, "status": "final"});
    let played = recorder.call_if_match(manager, Operation::GameResult, &changed, result).await;
    recorder.call(viewer, Operation::StandingsRead, text(&game, "/data/season_id"), json!(null)).await;
    recorder.call_if_match(manager, Operation::GameDelete, &played, json!(null)).await;
    let mut later = wanted;
    later["starts_at"] = json!("2026-03-27T22:15:00Z");
    later["ends_at"] = json!("2026-03-27T23:00:00Z");
    changesets(club, recorder, &later).await;
    staff(club, recorder, text(&game, "/data/home_team_id")).await;
    duties(club, recorder, text(&game, "/data/season_id")).await;
}

/// Creates a child, whose guardian fills in its data and whose coach notes how it plays.
async fn children(club: &Club, recorder: &mut Recorder) {
    let parent = club.member(Role::Member);
    let kim = json!({
        "display_name": "Kim K.", "birth_date": "2014-05-06", "legal_first_name": "Kim", "legal_last_name": "Example",
    });
    let created = recorder.call(parent, Operation::ChildCreate, "", kim).await;
    let child = text(&created, "/data/child_id");
    for (operation, change) in [
        (Operation::ChildProfileChange, json!({"pronouns": "they/them"})),
        (Operation::ChildIdentityChange, json!({"legal_first_name": "Kimberly"})),
        (
            Operation::ChildContactChange,
            json!({
                "emails": ["family@example.org"], "phones": ["+61 3 5550 0100"], "address": "1 Elm St, Riverside",
                "emergency_contacts": [{"name": "Robin Example", "phone": "+61 3 5550 0199", "relationship": "aunt"}],
            }),
        ),
        (
            Operation::ChildEmergencyChange,
            json!({"allergies": "Peanuts", "instructions": "Use the pen in the blue bag. Then call."}),
        ),
        (Operation::ChildMedicalChange, json!({"conditions": "Asthma", "physician": "Dr. Example, Elm St"})),
    ] {
        recorder.call(parent, operation, child, change).await;
    }
    let wanted = json!({"purpose": "photos", "method": "electronic", "notice_version": "2026-03"});
    let consent = recorder.call(parent, Operation::ConsentGrant, child, wanted).await;
    recorder.call(parent, Operation::ConsentList, child, json!(null)).await;
    let withdraw =
        row(Operation::ConsentWithdraw).path.replace("{id}", child).replace("{consent_id}", consent.id());
    recorder.call_at(parent, Operation::ConsentWithdraw, &withdraw, json!(null)).await;
    guardian_invitations(club, recorder, child).await;
    // Before a fixture adds records, whose ids depend on other tests.
    child_exports(club, recorder, child).await;
    recorder.call(parent, Operation::ChildHistory, child, json!(null)).await;
    let coach = club.member(Role::Coach);
    let user = coach.user.expect("a user");
    crate::matrix::relations::relate(club, "coach.ok", child.parse().expect("an id"), user).await;
    let notes = json!({"position": "Guard", "notes": "Quick feet.", "metrics": ["20 m: 3.4 s"]});
    recorder.call(coach, Operation::ChildPerformanceChange, child, notes).await;
    recorder.call(coach, Operation::ChildContactRead, child, json!(null)).await;
    for operation in [
        Operation::ChildRead,
        Operation::ChildProfileRead,
        Operation::ChildIdentityRead,
        Operation::ChildContactRead,
        Operation::ChildEmergencyRead,
        Operation::ChildMedicalRead,
        Operation::ChildPerformanceRead,
        Operation::ChildAccessLog,
        Operation::ChildList,
    ] {
        recorder.call(parent, operation, child, json!(null)).await;
    }
    restrictions(club, recorder, child).await;
    second_guardian(club, recorder, child).await;
    rosters(club, recorder, child).await;
    privacy_requests(club, recorder, child).await;
}

/// Invites the other parent by e-mail, again, and takes it back.
async fn guardian_invitations(club: &Club, recorder: &mut Recorder, child: &str) {
    let parent = club.member(Role::Member);
    let wanted = json!({"email": "robin@example.org"});
    let invitation = recorder.call(parent, Operation::GuardianInvitationCreate, child, wanted).await;
    let at = |operation: Operation| {
        row(operation).path.replace("{id}", child).replace("{invitation_id}", invitation.id())
    };
    // Sessions end ten minutes after the start.
    club.pass(SignedDuration::from_secs(1));
    let resend = at(Operation::GuardianInvitationResend);
    recorder.call_at(parent, Operation::GuardianInvitationResend, &resend, json!(null)).await;
    recorder.call(parent, Operation::GuardianInvitationList, child, json!(null)).await;
    let revoke = at(Operation::GuardianInvitationRevoke);
    recorder.call_at(parent, Operation::GuardianInvitationRevoke, &revoke, json!(null)).await;
}

/// Postpones a game because of rain: proposed by the manager's script, approved by an admin, executed and undone.
async fn changesets(club: &Club, recorder: &mut Recorder, like: &Value) {
    let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
    let game = recorder.call(manager, Operation::GameCreate, "", like.clone()).await;
    let postpone =
        json!({"op": "update", "resource": "games", "id": game.id(), "set": {"status": "postponed"}});
    let wanted =
        json!({"title": "Rain on Saturday", "reason": "The courts are flooded", "operations": [postpone]});
    let key = manager.issue_key(&json!({"name": "Scheduler", "kind": "agent"})).await;
    let agent = club.with_key(&key);
    let proposed = recorder.call(&agent, Operation::ChangesetCreate, "", wanted).await;
    let id = proposed.id().to_owned();
    let hash = async || {
        let read = manager.get(&format!("/api/v1/changesets/{id}")).await;
        json!({"simulation_hash": read.body["data"]["simulation"]["hash"]})
    };
    let wanted = json!({"title": "Rain on Saturday, 28 March"});
    recorder.call_if_match(&agent, Operation::ChangesetChange, &proposed, wanted).await;
    let simulated = recorder.call(&agent, Operation::ChangesetSimulate, &id, json!(null)).await;
    let simulation = text(&simulated, "/data/simulation/id");
    recorder.call(&agent, Operation::ChangesetSubmit, &id, json!(null)).await;
    let path = row(Operation::ChangesetSimulation).path.replace("{id}", &id);
    let path = path.replace("{simulation_id}", simulation);
    recorder.call_at(manager, Operation::ChangesetSimulation, &path, json!(null)).await;
    recorder.call(manager, Operation::ChangesetDiff, &id, json!(null)).await;
    recorder.call(manager, Operation::ChangesetImpact, &id, json!(null)).await;
    recorder.call(admin, Operation::ChangesetApprove, &id, hash().await).await;
    recorder.call(admin, Operation::ChangesetUnapprove, &id, json!(null)).await;
    recorder.call(admin, Operation::ChangesetApprove, &id, hash().await).await;
    let at = club.app.clock.now().saturating_add(SignedDuration::from_hours(2)).expect("a time");
    let mut schedule = hash().await;
    schedule["at"] = json!(at);
    recorder.call(admin, Operation::ChangesetSchedule, &id, schedule).await;
    recorder.call(admin, Operation::ChangesetExecute, &id, hash().await).await;
    let undo = json!({"reason": "The sun shines", "quick": true});
    recorder.call(admin, Operation::ChangesetUndo, &id, undo).await;
    recorder.call(manager, Operation::ChangesetEvents, &id, json!(null)).await;
    recorder.call(manager, Operation::ChangesetRead, &id, json!(null)).await;
    recorder.call(manager, Operation::ChangesetList, "", json!(null)).await;

    // Someone changes a new hall before its creation is undone.
    let hall = a_venue("Second hall");
    let other = Proposal::new(admin, &json!([hall])).await.submitted().await;
    let done = other.executed_by(admin).await;
    let halls = manager.get("/api/v1/venues?q=second").await;
    let hall = halls.body["data"][0]["id"].as_str().expect("an id").to_owned();
    manager.patch(&format!("/api/v1/venues/{hall}"), &json!({"address": "1 Main Road"})).await;
    let undo = admin.post(&format!("/api/v1/changesets/{}/undo", done.id), &json!({})).await;
    let resolution = json!({"resolutions": [{"record": hall, "resolution": "skip"}]});
    recorder.call(admin, Operation::ChangesetResolve, undo.id(), resolution).await;
    recorder.call(admin, Operation::ChangesetWithdraw, undo.id(), json!({"reason": "It stays"})).await;
    let halls: Value =
        ["Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth"].into_iter().map(a_venue).collect();
    let rejected = Proposal::new(manager, &halls);
    let rejected = rejected.await.submitted().await;
    let why = json!({"reason": "We have enough halls"});
    recorder.call(admin, Operation::ChangesetReject, &rejected.id, why).await;
}

/// Requests a copy of a child's data, and downloads it.
async fn child_exports(club: &Club, recorder: &mut Recorder, child: &str) {
    let parent = club.member(Role::Member);
    let export = recorder.call(parent, Operation::ChildExportCreate, child, json!(null)).await;
    let at =
        |operation: Operation| row(operation).path.replace("{id}", child).replace("{export_id}", export.id());
    let read = at(Operation::ChildExportRead);
    recorder.call_at(parent, Operation::ChildExportRead, &read, json!(null)).await;
    let content = format!("{}?token={}", at(Operation::ChildExportContent), text(&export, "/data/token"));
    recorder.call_at(&club.anonymous(), Operation::ChildExportContent, &content, json!(null)).await;
}

/// Requests a correction, which an admin grants.
async fn privacy_requests(club: &Club, recorder: &mut Recorder, child: &str) {
    let (parent, admin) = (club.member(Role::Member), club.member(Role::Admin));
    let wanted = json!({"child_id": child, "kind": "correction", "details": "The date of birth is wrong: it is 6 May 2014."});
    let request = recorder.call(parent, Operation::PrivacyRequestCreate, "", wanted).await;
    recorder.call(parent, Operation::PrivacyRequestList, "", json!(null)).await;
    let decision = json!({"decision": "granted", "reason": "The birth certificate shows it."});
    recorder.call(admin, Operation::PrivacyRequestDecide, request.id(), decision).await;
}

/// Enters a custody order, as a safeguarding lead, and lifts it.
async fn restrictions(club: &Club, recorder: &mut Recorder, child: &str) {
    let lead = club.member(Role::Admin);
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    fixture.on_duty(DutyKind::SafeguardingLead, lead.user.expect("a user"));
    fixture.write().await;
    let order = json!({
        "user_id": club.member(Role::Viewer).user, "kind": "custody_order", "reason": "Order of the family court",
        "document_ref": "Safe, folder 7",
    });
    let restriction = recorder.call(lead, Operation::RestrictionEnter, child, order).await;
    recorder.call(lead, Operation::RestrictionList, child, json!(null)).await;
    recorder.call(lead, Operation::RestrictionLift, restriction.id(), json!(null)).await;
    let wanted = json!({"title": "Report of 1 March", "child_ids": [child]});
    let case = recorder.call(lead, Operation::SafeguardingCaseOpen, "", wanted).await;
    recorder.call(club.member(Role::Owner), Operation::SafeguardingCaseConfirm, case.id(), json!(null)).await;
    recorder.call(lead, Operation::SafeguardingCaseRead, case.id(), json!(null)).await;
    recorder.call(lead, Operation::SafeguardingCaseList, "", json!(null)).await;
    let note = json!({"note": "Passed on to the police"});
    recorder.call(lead, Operation::SafeguardingCaseClose, case.id(), note).await;
    let coach = club.member(Role::Coach);
    let fall = json!({"child_id": child, "reason_code": "medical", "reason": "Unconscious after a fall"});
    let grant = recorder.call(coach, Operation::BreakGlassGrantCreate, "", fall).await;
    club.pass(SignedDuration::from_mins(1));
    recorder.call(coach, Operation::BreakGlassGrantEnd, grant.id(), json!(null)).await;
    let review = json!({"outcome": "justified", "note": "The ambulance came"});
    recorder.call(lead, Operation::BreakGlassGrantReview, grant.id(), review).await;
    recorder.call(lead, Operation::BreakGlassGrantList, "", json!(null)).await;
}

/// Makes the coach a second guardian of a child, confirmed by a manager, until they give it up.
async fn second_guardian(club: &Club, recorder: &mut Recorder, child: &str) {
    let (parent, manager, coach) =
        (club.member(Role::Member), club.member(Role::Manager), club.member(Role::Coach));
    let wanted = json!({"user_id": coach.user, "kind": "guardian"});
    let relation = recorder.call(parent, Operation::ChildRelationAdd, child, wanted).await;
    recorder.call(manager, Operation::RelationList, "", json!(null)).await;
    for (who, operation) in [(manager, Operation::RelationConfirm), (coach, Operation::RelationAccept)] {
        recorder.call(who, operation, relation.id(), json!(null)).await;
    }
    recorder.call(parent, Operation::ChildRelationList, child, json!(null)).await;
    recorder.call(coach, Operation::RelationRevoke, relation.id(), json!(null)).await;
}

/// Registers a child for a season, and puts it on the roster of a team.
async fn rosters(club: &Club, recorder: &mut Recorder, child: &str) {
    let (parent, registrar) = (club.member(Role::Member), club.member(Role::Manager));
    let teams = registrar.get("/api/v1/teams?limit=1").await;
    let (team, season) = (text(&teams, "/data/0/id"), text(&teams, "/data/0/season_id"));
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    fixture.registrar(season.parse().expect("an id"), Vec::new(), registrar.user.expect("a user"));
    fixture.write().await;
    let registered =
        recorder.call(parent, Operation::RegistrationAdd, child, json!({"season_id": season})).await;
    recorder.call(registrar, Operation::RegistrationList, season, json!(null)).await;
    club.pass(SignedDuration::from_mins(1));
    let accept = json!({"status": "accepted"});
    recorder.call(registrar, Operation::RegistrationChange, registered.id(), accept).await;
    let wanted =
        json!({"child_id": child, "jersey_number": 7, "position": "Guard", "starts_on": "2026-03-01"});
    let entry = recorder.call(registrar, Operation::RosterAdd, team, wanted).await;
    let at = |operation: Operation, entry: &Answer| {
        row(operation).path.replace("{id}", team).replace("{entry_id}", entry.id())
    };
    recorder.call(registrar, Operation::RosterList, team, json!(null)).await;
    club.pass(SignedDuration::from_mins(1));
    let (change, ends) = (at(Operation::RosterChange, &entry), json!({"ends_on": "2026-03-31"}));
    recorder.call_at(registrar, Operation::RosterChange, &change, ends).await;
    let again = json!({"child_id": child, "starts_on": "2026-05-01"});
    let again = recorder.call(registrar, Operation::RosterAdd, team, again).await;
    let remove = at(Operation::RosterRemove, &again);
    recorder.call_at(registrar, Operation::RosterRemove, &remove, json!(null)).await;
    recorder.call(parent, Operation::RegistrationWithdraw, registered.id(), json!(null)).await;
}

/// Makes the coach the registrar of a season, confirmed by a second person, until the duty is revoked.
async fn duties(club: &Club, recorder: &mut Recorder, season: &str) {
    let (admin, owner, coach) =
        (club.member(Role::Admin), club.member(Role::Owner), club.member(Role::Coach));
    let wanted = json!({
        "user_id": coach.user, "kind": "registrar", "season_id": season, "ends_at": "2026-09-30T00:00:00Z",
        "reason": "Registers the players of the winter season",
    });
    let duty = recorder.call(admin, Operation::DutyAdd, "", wanted).await;
    for (who, operation) in [
        (owner, Operation::DutyConfirm),
        (coach, Operation::DutyAccept),
        (admin, Operation::DutyRead),
        (admin, Operation::DutyList),
        (coach, Operation::DutyRevoke),
        (admin, Operation::DutyHistory),
    ] {
        recorder.call(who, operation, duty.id(), json!(null)).await;
    }
}

/// Adds the coach to a team's staff, confirmed by a second person.
async fn staff(club: &Club, recorder: &mut Recorder, team: &str) {
    let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
    let coach = club.member(Role::Coach).get(row(Operation::ProfileMe).path).await;
    let wanted = json!({"user_id": coach.id(), "kind": "head_coach", "ends_on": "2026-09-30"});
    let entry = recorder.call(manager, Operation::StaffAdd, team, wanted).await;
    let place =
        |operation: Operation| row(operation).path.replace("{id}", team).replace("{staff_id}", entry.id());
    let (confirm, change) = (place(Operation::StaffConfirm), place(Operation::StaffChange));
    recorder.call_at(admin, Operation::StaffConfirm, &confirm, json!(null)).await;
    recorder.call_at(manager, Operation::StaffChange, &change, json!({"kind": "coach"})).await;
    recorder.call(manager, Operation::StaffList, team, json!(null)).await;
    recorder.call_at(manager, Operation::StaffRemove, &place(Operation::StaffRemove), json!(null)).await;
}

/// Creates a division and a team in a season, and deletes them.
async fn divisions_and_teams(club: &Club, recorder: &mut Recorder, season: &str) {
    let (manager, viewer) = (club.member(Role::Manager), club.member(Role::Viewer));
    let wanted = json!({"season_id": season, "name": "U12 Mixed", "age_group": "U12", "gender": "mixed"});
    let division = recorder.call(manager, Operation::DivisionCreate, "", wanted).await;
    let division = division.id();
    recorder.call(manager, Operation::DivisionChange, division, json!({"name": "U12 Mixed A"})).await;
    recorder.call(viewer, Operation::DivisionRead, division, json!(null)).await;
    recorder.call(viewer, Operation::DivisionList, "", json!(null)).await;
    recorder.call(manager, Operation::DivisionHistory, division, json!(null)).await;
    let wanted = json!({"season_id": season, "division_id": division, "name": "Coburg Eagles"});
    let team = recorder.call(manager, Operation::TeamCreate, "", wanted).await;
    recorder.call(manager, Operation::TeamChange, team.id(), json!({"short_name": "EAG"})).await;
    recorder.call(viewer, Operation::TeamRead, team.id(), json!(null)).await;
    recorder.call(viewer, Operation::TeamList, "", json!(null)).await;
    recorder.call(manager, Operation::TeamHistory, team.id(), json!(null)).await;
    recorder.call(manager, Operation::TeamDelete, team.id(), json!(null)).await;
    recorder.call(manager, Operation::DivisionDelete, division, json!(null)).await;
}

async fn people(club: &Club, recorder: &mut Recorder) {
    let admin = club.member(Role::Admin);
    recorder.call(admin, Operation::ProfileMe, "", json!(null)).await;
    recorder.call(admin, Operation::OrganizationRead, "", json!(null)).await;
    recorder.call(admin, Operation::OrganizationChange, "", json!({"country": "AU"})).await;
    recorder.call(admin, Operation::OrganizationHistory, "", json!(null)).await;
    let listed = recorder.call(admin, Operation::MemberList, "", json!(null)).await;
    let members = listed.body["data"].as_array().expect("members");
    let coach = members.iter().find(|member| member["role"] == "member").expect("a member");
    let coach = coach["id"].as_str().expect("an id");
    recorder.call(admin, Operation::MemberRead, coach, json!(null)).await;
    recorder.call(admin, Operation::MemberChange, coach, json!({"role": "coach"})).await;
    recorder.call(admin, Operation::MemberHistory, coach, json!(null)).await;
    recorder.call(admin, Operation::MemberRemove, coach, json!(null)).await;
    invitations(club, recorder).await;
}

async fn invitations(club: &Club, recorder: &mut Recorder) {
    let (admin, anyone) = (club.member(Role::Admin), club.anonymous());
    club.pass(SignedDuration::from_mins(1));
    let wanted = json!({"email": "robin.parent@example.org", "role": "member"});
    let invited = recorder.call(admin, Operation::InvitationCreate, "", wanted).await;
    club.pass(SignedDuration::from_mins(1));
    recorder.call(admin, Operation::InvitationResend, invited.id(), json!(null)).await;
    recorder.call(admin, Operation::InvitationRead, invited.id(), json!(null)).await;
    recorder.call(admin, Operation::InvitationList, "", json!(null)).await;
    let token = sent(club).await.pop().expect("a message").token();
    recorder.call(&anyone, Operation::InvitationPreview, "", json!({"token": token})).await;
    let accept = json!({"token": token, "name": "Robin Parent", "password": "four words in a row"});
    recorder.call(&anyone, Operation::InvitationAccept, "", accept).await;
    let other = json!({"email": "kim.parent@example.org", "role": "member"});
    let other = recorder.call(admin, Operation::InvitationCreate, "", other).await;
    recorder.call(admin, Operation::InvitationRevoke, other.id(), json!(null)).await;
    let reset = json!({"email": "robin.parent@example.org"});
    recorder.call(&anyone, Operation::PasswordResetRequest, "", reset).await;
    let token = sent(club).await.pop().expect("a message").token();
    let complete = json!({"token": token, "new_password": "another four words here"});
    recorder.call(&anyone, Operation::PasswordResetComplete, "", complete).await;
    let profile = json!({"name": "Alex Coach", "locale": "en-AU", "time_zone": "Australia/Melbourne"});
    let coach = club.member(Role::Coach);
    recorder.call(coach, Operation::ProfileChange, "", profile).await;
    sent(club).await;
    let change = json!({"email": "alex.coach@example.org", "current_password": PASSWORD});
    recorder.call(coach, Operation::ProfileEmail, "", change).await;
    let token = sent(club).await.pop().expect("a message").token();
    recorder.call(&anyone, Operation::ProfileEmailConfirm, "", json!({"token": token})).await;
}

async fn colleges(club: &Club, recorder: &mut Recorder) {
    let (coach, anyone) = (club.member(Role::Coach), club.anonymous());
    let search = format!("{}?q=bethel&limit=2", row(Operation::CollegeSearch).path);
    let colleges = recorder.call_at(&anyone, Operation::CollegeSearch, &search, json!(null)).await;
    recorder.call(&anyone, Operation::CollegeRead, text(&colleges, "/data/0/id"), json!(null)).await;
    let search = format!("{}?sport=softball&limit=2", row(Operation::ProgramSearch).path);
    let programs = recorder.call_at(&anyone, Operation::ProgramSearch, &search, json!(null)).await;
    let program = text(&programs, "/data/0/id");
    recorder.call(&anyone, Operation::ProgramRead, program, json!(null)).await;
    let wanted = json!({"program_id": program, "interest": 4, "tags": ["visit"]});
    let saved = recorder.call(coach, Operation::FavoriteSave, "", wanted.clone()).await;
    recorder.call(coach, Operation::FavoriteSave, "", wanted).await;
    club.pass(SignedDuration::from_mins(1));
    let change = json!({"stage": "contacted", "notes": "Wrote to the head coach."});
    recorder.call(coach, Operation::FavoriteChange, saved.id(), change).await;
    recorder.call(coach, Operation::FavoriteList, "", json!(null)).await;
    recorder.call(coach, Operation::FavoriteExport, "", json!(null)).await;
    recorder.call(coach, Operation::FavoriteOrder, "", json!({"ids": [saved.id()]})).await;
    recorder.call(coach, Operation::FavoriteRemove, saved.id(), json!(null)).await;
    let own = json!({"custom": {"college_name": "Winding Creek College", "sport": "softball"}});
    let guest = anyone.post(row(Operation::FavoriteSave).path, &own).await;
    let claim = coach.request(Method::POST, row(Operation::FavoritesClaim).path);
    let claim = claim.header("x-guest-token", text(&guest, "/meta/guest_token"));
    recorder.send(Operation::FavoritesClaim, claim, json!(null)).await;
}

async fn organizations(club: &Club, recorder: &mut Recorder) {
    let operator = club.operator();
    let wanted = json!({
        "name": "Harbour Hoops", "country": "AU", "time_zone": "Australia/Melbourne", "owner": "kim@hoops.example.org",
        "owner_name": "Kim Owner",
    });
    let founded = recorder.call(&operator, Operation::OperatorOrganizationCreate, "", wanted).await;
    let id = text(&founded, "/data/organization/id");
    club.pass(SignedDuration::from_mins(1));
    recorder.call(&operator, Operation::OperatorOrganizationChange, id, json!({"suspended": true})).await;
    recorder.call(&operator, Operation::OperatorOrganizationList, "", json!(null)).await;
    let colleges = include_str!("../../../../data/college/colleges.csv");
    let few: String = colleges.split_inclusive('\n').take(2).collect();
    recorder.call(&operator, Operation::OperatorCatalogue, "", json!({"content": few})).await;
    let archive = json!({"organization_id": id, "archive": archives::empty()});
    recorder.call(&operator, Operation::OperatorImportOrganization, "", archive).await;
    let email = json!({"email": "robin.parent@example.org"});
    recorder.call(&operator, Operation::OperatorPasswordReset, "", email).await;
    let page = format!("{}?limit=2", row(Operation::OperatorMailList).path);
    let mails = recorder.call_at(&operator, Operation::OperatorMailList, &page, json!(null)).await;
    recorder.call(&operator, Operation::OperatorMailRead, text(&mails, "/data/0/id"), json!(null)).await;
}

async fn credentials(club: &Club, recorder: &mut Recorder) {
    let (anyone, coach) = (club.anonymous(), club.member(Role::Coach));
    let login = json!({"email": coach.email, "password": PASSWORD});
    let tokens = recorder.call(&anyone, Operation::AuthLogin, "", login).await;
    club.pass(SignedDuration::from_mins(1));
    let refresh = json!({"refresh_token": text(&tokens, "/data/refresh_token")});
    let tokens = recorder.call(&anyone, Operation::AuthRefresh, "", refresh).await;
    let coach = club.with_token(text(&tokens, "/data/access_token"));
    let wanted = json!({"name": "Scoreboard", "scopes": ["games:read", "seasons:read"]});
    let issued = recorder.call(&coach, Operation::ApiKeyCreate, "", wanted).await;
    let key = club.with_key(text(&issued, "/data/key"));
    recorder.call(&key, Operation::ApiKeyCurrent, "", json!(null)).await;
    recorder.call(&coach, Operation::ApiKeyRead, issued.id(), json!(null)).await;
    recorder.call(&coach, Operation::ApiKeyList, "", json!(null)).await;
    recorder.call(&coach, Operation::ApiKeyRevoke, issued.id(), json!(null)).await;
    let sessions = recorder.call(&coach, Operation::SessionList, "", json!(null)).await;
    let sessions = sessions.body["data"].as_array().expect("sessions").clone();
    let other = sessions.iter().find(|session| session["current"] == false).expect("another session");
    let other = other["id"].as_str().expect("an id");
    recorder.call(&coach, Operation::SessionRevoke, other, json!(null)).await;
    let change = json!({"current_password": PASSWORD, "new_password": "four words in a row"});
    recorder.call(&coach, Operation::AuthPassword, "", change).await;
    recorder.call(&coach, Operation::AuthLogout, "", json!(null)).await;
}

#[tokio::test]
async fn the_examples_of_the_document_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/openapi/examples.json");
    let written = |examples| format!("{}\n", serde_json::to_string_pretty(&examples).expect("JSON"));
    if std::env::var_os("FIELDHOUSE_UPDATE").is_some() {
        std::fs::write(&path, written(record(sqlite()).await)).expect("the examples can be written");
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    for database in both() {
        let engine = database.engine();
        let mut examples = record(database).await;
        for operation in Operation::ROUTES.iter().filter(|operation| !has_no_example(**operation)) {
            let example =
                examples.get(operation.id()).unwrap_or_else(|| panic!("{} has none", operation.id()));
            assert!(
                example.contains_key(&row(operation).status().to_string()),
                "{}: {example:?}",
                operation.id()
            );
        }
        // The examples are recorded on SQLite.
        if let Some(ready) = examples.get_mut("service.ready").and_then(|ready| ready.get_mut("200")) {
            ready["engine"] = json!("sqlite");
        }
        let found = written(examples);
        let differs = found.lines().zip(kept.lines()).position(|(found, kept)| found != kept);
        assert!(
            found == kept,
            "on {engine:?} examples.json differs in line {differs:?}: run `cargo xtask gen`"
        );
    }
}
