//! A valid request for each operation, so that its status shows only the caller's permissions.

use fieldhouse_api::Operation;
use fieldhouse_api::request::BodyKind;
use fieldhouse_domain::changesets::{Approval, Changeset, ChangesetState, UndoOf};
use fieldhouse_domain::children::cases::CaseState;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::{
    ChangesetId, ChildId, ConsentId, ExportId, GuardianInvitationId, Id, OrganizationId, RegistrationId,
    RosterEntryId, SimulationId, UserId, VenueId,
};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::contents::Contents;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_imports::{colleges, playhq};
use fieldhouse_server::operator;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use super::callers::{Caller, Fixtures};
use super::relations::{Places, body, request};
use crate::exports::archives;
use crate::support::changesets::{Proposal, a_venue};
use crate::support::fixtures::{
    Fixture, HASH, changing_address, child_exported, exported, invited, member_address, reset,
};
use crate::support::{Answer, Club, PASSWORD, address, row, send};

/// Records that no request changes.
pub(crate) struct Stage {
    /// An executed changeset of the manager.
    executed: ChangesetId,
    league: String,
    game: String,
    college: String,
    program: String,
}

fn first_lines(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

/// Reads a file of the data folder.
macro_rules! data {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/", $path))
    };
}

impl Stage {
    /// Imports a game, and a college with a program.
    pub(crate) async fn set(club: &Club) -> Self {
        let (app, organization) = (&club.app, club.organization);
        let league = first_lines(data!("leagues/playhq/coburg-basketball-winter-2022.csv"), 2);
        let options = fieldhouse_imports::league::Options {
            sport: Sport::parse("basketball").expect("a sport"),
            time_zone: TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
        };
        let schedule = playhq::read(league.as_bytes()).expect("an export");
        let loaded = operator::load_league(&app.store, &app.clock, organization, options, schedule);
        loaded.await.expect("a game is loaded");
        for table in [data!("college/colleges.csv"), data!("college/programs-softball.csv")] {
            let catalogue = colleges::read(first_lines(table, 2).as_bytes(), None).expect("a table");
            let loaded = operator::load_colleges(&app.store, &app.clock, catalogue, false, |_, _| {});
            loaded.await.expect("a college is loaded");
        }
        let viewer = club.member(Role::Viewer);
        let id = async |path: &str| {
            let answer = viewer.get(path).await;
            answer.body["data"][0]["id"].as_str().expect("a record").to_owned()
        };
        let manager = club.member(Role::Manager);
        let executed = Proposal::new(manager, &json!([a_venue("The executed hall")])).await;
        let executed = executed.submitted().await.executed_by(manager).await;
        Self {
            executed: executed.id.parse().expect("an id"),
            league,
            game: id("/api/v1/games/upcoming?from=2022-04-01T00:00:00Z&to=2022-06-01T00:00:00Z").await,
            college: id("/api/v1/colleges").await,
            program: id("/api/v1/colleges/programs").await,
        }
    }
}

/// A request.
pub(crate) struct Sample {
    operation: Operation,
    path: String,
    body: Option<Value>,
    guest_token: Option<String>,
    if_match: Option<&'static str>,
}

impl Sample {
    fn of(operation: Operation) -> Self {
        Self {
            operation,
            path: row(operation).path.to_owned(),
            body: None,
            guest_token: None,
            if_match: None,
        }
    }

    fn at(mut self, parameter: impl std::fmt::Display) -> Self {
        let (before, after) = self.path.split_once('{').expect("a parameter in the path");
        let (_, after) = after.split_once('}').expect("the end of the parameter");
        self.path = format!("{before}{parameter}{after}");
        self
    }

    fn with(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    fn with_token_of(mut self, guest: Option<&Guest>) -> Self {
        self.guest_token = guest.map(|guest| guest.token.clone());
        self
    }

    pub(crate) fn if_match(mut self, tag: &'static str) -> Self {
        self.if_match = Some(tag);
        self
    }

    pub(crate) fn without_if_match(mut self) -> Self {
        self.if_match = None;
        self
    }

    pub(crate) fn query(mut self, query: &str) -> Self {
        let sign = if self.path.contains('?') { '&' } else { '?' };
        self.path = format!("{}{sign}{query}", self.path);
        self
    }

    /// Sends the request.
    pub(crate) async fn send(self, caller: &Caller) -> Answer {
        let method: Method = row(self.operation).method.name().parse().expect("a method");
        let request = caller.person.request(method, &self.path);
        let request = match &self.body {
            Some(body) if row(self.operation).body_kind == BodyKind::Form => request.form(body),
            Some(body) => request.json(body),
            None => request,
        };
        let request = match self.if_match {
            Some(tag) => request.header("if-match", tag),
            None => request,
        };
        send(match &self.guest_token {
            Some(token) => request.header("x-guest-token", token),
            None => request,
        })
        .await
    }
}

struct Guest {
    token: String,
    favorite: String,
}

fn custom() -> Value {
    json!({"custom": {"college_name": "Winding Creek College", "sport": "softball"}})
}

/// A guest with one saved program.
async fn guest(club: &Club) -> Guest {
    let answer = club.anonymous().post("/api/v1/colleges/favorites", &custom()).await;
    let token = answer.body["meta"]["guest_token"].as_str().expect("a guest's token").to_owned();
    Guest { token, favorite: answer.id().to_owned() }
}

/// The request for an operation on a child, with the places that it names.
pub(super) fn about_child(operation: Operation, places: &Places) -> Sample {
    let (path, body) = request(operation, places);
    Sample { path, body, ..Sample::of(operation) }
}

/// An id that no record has.
fn unknown<I: Id>() -> I {
    I::from_uuid(uuid::Uuid::from_u128(7))
}

/// The request of an author, or of someone else for decisions, about a new changeset in the state that the operation needs.
fn of_changeset(sample: Sample, club: &Club, stage: &Stage, user: UserId, fixture: &mut Fixture) -> Sample {
    let now = club.app.clock.now();
    let soon = now.saturating_add(SignedDuration::from_hours(2)).expect("a time");
    let hash = json!({"simulation_hash": HASH});
    let by = Approval { user_id: user, at: now, hash: HASH.to_owned() };
    match sample.operation {
        Operation::ChangesetChange => {
            let id = fixture.changeset(user, ChangesetState::Simulated, |_| ());
            sample.at(id).with(json!({"title": "A newer hall"})).if_match("*")
        }
        Operation::ChangesetSimulation => {
            let simulation = SimulationId::from_uuid(uuid::Uuid::now_v7());
            let simulated = |it: &mut Changeset| it.simulation_id = Some(simulation);
            sample.at(fixture.changeset(user, ChangesetState::Simulated, simulated)).at(simulation)
        }
        Operation::ChangesetApprove | Operation::ChangesetReject => {
            let author = fixture.member(Role::Manager).user;
            let sample = sample.at(fixture.changeset(author, ChangesetState::InReview, |_| ()));
            let is_approval = sample.operation == Operation::ChangesetApprove;
            sample.with(if is_approval { hash } else { json!({}) })
        }
        Operation::ChangesetUnapprove => {
            let author = fixture.member(Role::Manager).user;
            let approved = |it: &mut Changeset| it.approvals.0.push(by);
            sample.at(fixture.changeset(author, ChangesetState::Approved, approved))
        }
        Operation::ChangesetWithdraw => {
            sample.at(fixture.changeset(user, ChangesetState::Draft, |_| ())).with(json!({}))
        }
        Operation::ChangesetSchedule => {
            let none = |it: &mut Changeset| it.required_approvals = Some(0);
            let id = fixture.changeset(user, ChangesetState::Approved, none);
            sample.at(id).with(json!({"simulation_hash": HASH, "at": soon}))
        }
        // The result of an earlier execution.
        Operation::ChangesetExecute => {
            let done = |it: &mut Changeset| it.executed_at = Some(now);
            sample.at(fixture.changeset(user, ChangesetState::Executed, done)).with(hash)
        }
        Operation::ChangesetResolve => {
            let id = fixture.undo(user, UndoOf::Changeset { changeset_id: stage.executed });
            let skip = json!({"record": unknown::<VenueId>(), "resolution": "skip"});
            sample.at(id).with(json!({"resolutions": [skip]}))
        }
        _ => sample.at(fixture.changeset(user, ChangesetState::Simulated, |_| ())),
    }
}

/// The request of a caller for an operation, with new records if it changes them.
#[expect(clippy::too_many_lines, reason = "an arm for each operation")]
pub(crate) async fn sample(
    operation: Operation,
    club: &Club,
    stage: &Stage,
    (kind, caller): (&str, &Caller),
    fixtures: &mut Fixtures,
) -> Sample {
    let sample = Sample::of(operation);
    let elsewhere = fixtures.elsewhere();
    let (fixture, user) = (&mut fixtures.club, caller.user);
    let guest = match operation {
        Operation::FavoritesClaim => Some(guest(club).await),
        Operation::FavoriteList
        | Operation::FavoriteExport
        | Operation::FavoriteChange
        | Operation::FavoriteRemove
        | Operation::FavoriteOrder
            if kind == "anonymous" =>
        {
            Some(guest(club).await)
        }
        _ => None,
    };
    let mut favorite = || match &guest {
        Some(guest) => guest.favorite.clone(),
        None => fixture.favorite(user).to_string(),
    };
    match operation {
        Operation::ChildCreate => {
            sample.with(json!({"display_name": "Zzyzxgrove of the matrix", "birth_date": "2014-05-06"}))
        }
        // No caller of this matrix has a relation to a child; those who have are in relations.txt.
        Operation::ChildRead
        | Operation::ChildAccessLog
        | Operation::ChildHistory
        | Operation::ChildRelationList
        | Operation::ChildProfileRead
        | Operation::ChildIdentityRead
        | Operation::ChildContactRead
        | Operation::ChildEmergencyRead
        | Operation::ChildMedicalRead
        | Operation::ChildPerformanceRead
        | Operation::ChildProfileChange
        | Operation::ChildIdentityChange
        | Operation::ChildContactChange
        | Operation::ChildEmergencyChange
        | Operation::ChildMedicalChange
        | Operation::ChildPerformanceChange
        | Operation::ChildExportCreate
        | Operation::ConsentList
        | Operation::ConsentGrant
        | Operation::GuardianInvitationList
        | Operation::GuardianInvitationCreate => {
            let sample = sample.at(unknown::<ChildId>());
            match body(operation) {
                Some(body) => sample.with(body),
                None => sample,
            }
        }
        Operation::ConsentWithdraw => sample.at(unknown::<ChildId>()).at(unknown::<ConsentId>()),
        Operation::GuardianInvitationResend | Operation::GuardianInvitationRevoke => {
            sample.at(unknown::<ChildId>()).at(unknown::<GuardianInvitationId>())
        }
        Operation::RegistrationAdd => {
            sample.at(unknown::<ChildId>()).with(json!({"season_id": fixture.season()}))
        }
        Operation::RegistrationChange => {
            sample.at(unknown::<RegistrationId>()).with(json!({"status": "accepted"}))
        }
        Operation::RegistrationWithdraw => sample.at(unknown::<RegistrationId>()),
        Operation::RosterAdd => sample.at(fixture.team().id).with(json!({"child_id": unknown::<ChildId>()})),
        Operation::RosterChange => {
            let team = fixture.team().id;
            sample.at(team).at(unknown::<RosterEntryId>()).with(json!({"jersey_number": 7}))
        }
        Operation::RosterRemove => sample.at(fixture.team().id).at(unknown::<RosterEntryId>()),
        Operation::AuthLogin => {
            sample.with(json!({"email": address("riverside-club", Role::Coach), "password": PASSWORD}))
        }
        Operation::AuthRefresh => sample.with(json!({"refresh_token": fixture.session(user).refresh_token})),
        Operation::AuthPassword => {
            sample.with(json!({"current_password": PASSWORD, "new_password": "four words in a row"}))
        }
        Operation::PasswordResetRequest
        | Operation::PasswordResetComplete
        | Operation::ProfileChange
        | Operation::ProfileEmail
        | Operation::ProfileEmailConfirm
        | Operation::InvitationCreate
        | Operation::InvitationPreview
        | Operation::InvitationAccept
        | Operation::InvitationRead
        | Operation::InvitationResend
        | Operation::InvitationRevoke
        | Operation::InvitationPage
        | Operation::InvitationPageSubmit
        | Operation::PasswordResetPage
        | Operation::PasswordResetPageSubmit
        | Operation::ForgotPasswordPageSubmit
        | Operation::EmailPage
        | Operation::EmailPageSubmit => of_people(sample, club, elsewhere, (kind, user), fixture).await,
        Operation::SessionRevoke => sample.at(fixture.session(user).id),
        Operation::ApiKeyCreate => sample.with(json!({"name": "Scoreboard"})),
        Operation::ApiKeyRead | Operation::ApiKeyRevoke => {
            sample.at(caller.key.unwrap_or_else(|| fixture.key(user, Role::Viewer).0))
        }
        Operation::MemberRead | Operation::MemberRemove | Operation::MemberHistory => sample.at(fixture.member(Role::Viewer).member),
        Operation::MemberChange => {
            sample.at(fixture.member(Role::Viewer).member).with(json!({"role": "member"}))
        }
        Operation::SeasonCreate => {
            let name = format!("Winter of {kind}");
            sample.with(json!({"name": name, "sport": "basketball", "time_zone": "Australia/Melbourne"}))
        }
        Operation::SeasonRead | Operation::SeasonDelete | Operation::SeasonHistory => {
            sample.at(fixture.season())
        }
        Operation::SeasonPurge => {
            let season = fixture.empty_season();
            let (id, contents) = (season.id, Contents { season, records: Vec::new() });
            sample.at(id).with(json!({"confirm": contents.digest()}))
        }
        Operation::SeasonChange => sample.at(fixture.season()).with(json!({"status": "active"})),
        Operation::DivisionCreate => {
            sample.with(json!({"season_id": fixture.season(), "name": format!("Division of {kind}")}))
        }
        Operation::DivisionRead | Operation::DivisionDelete | Operation::DivisionHistory => {
            sample.at(fixture.division().id)
        }
        Operation::DivisionChange => sample.at(fixture.division().id).with(json!({"age_group": "U12"})),
        Operation::TeamCreate => {
            let division = fixture.division();
            let (season, division) = (division.season_id, division.id);
            sample.with(json!({"season_id": season, "division_id": division, "name": "Owls"}))
        }
        Operation::TeamRead | Operation::TeamSchedule | Operation::TeamDelete | Operation::TeamHistory => {
            sample.at(fixture.team().id)
        }
        Operation::TeamChange => sample.at(fixture.team().id).with(json!({"short_name": "EAG"})),
        Operation::VenueCreate => {
            sample.with(json!({"name": format!("Hall of {kind}"), "time_zone": "Australia/Melbourne"}))
        }
        Operation::VenueRead | Operation::VenueDelete | Operation::VenueHistory => sample.at(fixture.venue()),
        Operation::VenueChange => sample.at(fixture.venue()).with(json!({"address": "1 Hall St"})),
        Operation::GameCreate => {
            let division = fixture.division();
            let (season, division) = (division.season_id, division.id);
            sample.with(json!({
                "season_id": season, "division_id": division, "starts_at": "2026-05-01T23:00:00Z",
                "time_zone": "Australia/Melbourne",
            }))
        }
        Operation::GameRead => sample.at(&stage.game),
        Operation::GameChange => sample.at(fixture.game().id).with(json!({"round": "Final"})).if_match("*"),
        Operation::GameResult => {
            let game = fixture.game();
            if kind.ends_with("coach") {
                fixture.confirmed_staff(game.home_team_id.expect("a team"), user);
            }
            let result = json!({"home_score": 3, "away_score": 1, "status": "final"});
            sample.at(game.id).with(result).if_match("*")
        }
        Operation::StaffList | Operation::RosterList => sample.at(fixture.team().id),
        Operation::StaffAdd => {
            let (team, coach) = (fixture.team(), fixture.member(Role::Coach));
            sample.at(team.id).with(json!({"user_id": coach.user, "kind": "coach"}))
        }
        Operation::StaffChange => {
            let staff = fixture.staff();
            sample.at(staff.team_id).at(staff.id).with(json!({"kind": "assistant"}))
        }
        Operation::StaffRemove | Operation::StaffConfirm => {
            let staff = fixture.staff();
            sample.at(staff.team_id).at(staff.id)
        }
        Operation::DutyAdd => {
            let holder = fixture.member(Role::Coach).user;
            let ends_at = club.app.clock.now().saturating_add(SignedDuration::from_hours(5)).expect("a time");
            let reason = "The season starts";
            sample.with(json!({"user_id": holder, "kind": "support", "ends_at": ends_at, "reason": reason}))
        }
        // The coach is the holder.
        Operation::DutyAccept | Operation::DutyRevoke if kind == "coach" => {
            sample.at(fixture.confirmed_duty(user).id)
        }
        // A message about each goes to all owners of the matrix, so that only those who may confirm one get one.
        Operation::DutyConfirm if matches!(kind, "admin" | "owner" | "s.old") => sample.at(fixture.duty().id),
        Operation::DutyRead
        | Operation::DutyConfirm
        | Operation::DutyAccept
        | Operation::DutyRevoke
        | Operation::DutyHistory => {
            let holder = fixture.member(Role::Coach).user;
            sample.at(fixture.confirmed_duty(holder).id)
        }
        Operation::PrivacyRequestCreate => {
            sample.with(json!({"child_id": unknown::<ChildId>(), "kind": "erasure"}))
        }
        Operation::PrivacyRequestDecide => {
            sample.at(fixture.privacy_request().id).with(json!({"decision": "granted"}))
        }
        Operation::ChildRelationAdd => {
            let person = fixture.member(Role::Coach).user;
            sample.at(fixture.child()).with(json!({"user_id": person, "kind": "guardian"}))
        }
        // The coach is the person.
        Operation::RelationAccept | Operation::RelationRevoke if kind == "coach" => {
            sample.at(fixture.confirmed_relation(user).id)
        }
        Operation::RelationConfirm if matches!(kind, "manager" | "admin" | "owner" | "s.old") => {
            sample.at(fixture.relation().id)
        }
        Operation::RelationConfirm | Operation::RelationAccept | Operation::RelationRevoke => {
            let person = fixture.member(Role::Coach).user;
            sample.at(fixture.confirmed_relation(person).id)
        }
        Operation::RestrictionList | Operation::RestrictionEnter | Operation::RestrictionLift => {
            // The coach is the safeguarding lead.
            if kind == "coach" {
                fixture.on_duty(DutyKind::SafeguardingLead, user);
            }
            match operation {
                Operation::RestrictionList => sample.at(fixture.child()),
                Operation::RestrictionLift => sample.at(fixture.restriction()),
                _ => {
                    let order = json!({"kind": "custody_order", "reason": "Family court"});
                    sample.at(fixture.child()).with(order)
                }
            }
        }
        Operation::SafeguardingCaseList
        | Operation::SafeguardingCaseOpen
        | Operation::SafeguardingCaseRead
        | Operation::SafeguardingCaseConfirm
        | Operation::SafeguardingCaseClose => {
            // The coach is the safeguarding lead, and does not work on the case.
            if kind == "coach" {
                fixture.on_duty(DutyKind::SafeguardingLead, user);
            }
            match operation {
                Operation::SafeguardingCaseList => sample,
                Operation::SafeguardingCaseOpen => {
                    sample.with(json!({"title": "A report", "child_ids": [fixture.child()]}))
                }
                _ => {
                    let lead = fixture.member(Role::Coach).user;
                    let sample = sample.at(fixture.case(lead, CaseState::Open).id);
                    if operation == Operation::SafeguardingCaseClose { sample.with(json!({})) } else { sample }
                }
            }
        }
        Operation::BreakGlassGrantCreate => {
            let child = if kind == "neighbour" { unknown() } else { fixture.child() };
            sample.with(json!({"child_id": child, "reason_code": "medical", "reason": "A fall"}))
        }
        // The coach is the holder of the grant that is ended, and the safeguarding lead who reviews one.
        Operation::BreakGlassGrantEnd if kind == "coach" => sample.at(fixture.break_glass(user)),
        Operation::BreakGlassGrantEnd => {
            let holder = fixture.member(Role::Coach).user;
            sample.at(fixture.break_glass(holder))
        }
        Operation::BreakGlassGrantReview => {
            if kind == "coach" {
                fixture.on_duty(DutyKind::SafeguardingLead, user);
            }
            let holder = fixture.member(Role::Coach).user;
            sample.at(fixture.break_glass(holder)).with(json!({"outcome": "justified"}))
        }
        Operation::ChangesetCreate => {
            let name = format!("Proposed hall of {kind}");
            sample.with(json!({"title": "A new hall", "operations": [a_venue(&name)]}))
        }
        Operation::ChangesetRead
        | Operation::ChangesetChange
        | Operation::ChangesetSimulate
        | Operation::ChangesetSimulation
        | Operation::ChangesetDiff
        | Operation::ChangesetImpact
        | Operation::ChangesetSubmit
        | Operation::ChangesetApprove
        | Operation::ChangesetUnapprove
        | Operation::ChangesetReject
        | Operation::ChangesetWithdraw
        | Operation::ChangesetSchedule
        | Operation::ChangesetExecute
        | Operation::ChangesetResolve
        | Operation::ChangesetEvents => of_changeset(sample, club, stage, user, fixture),
        Operation::ChangesetUndo => sample.at(stage.executed).with(json!({})),
        Operation::StandingsRead | Operation::RegistrationList => sample.at(fixture.season()),
        Operation::GameDelete => sample.at(fixture.game().id).if_match("*"),
        Operation::GameHistory => sample.at(fixture.game().id),
        Operation::LeagueImport => sample.with(json!({
            "format": "playhq", "sport": "basketball", "time_zone": "Australia/Melbourne",
            "content": stage.league,
        })),
        Operation::ExportCreate => sample.with(json!({"kind": "organization"})),
        Operation::ExportRead => sample.at(exported(club).await.0),
        Operation::ExportContent => {
            let (id, token) = exported(club).await;
            sample.at(id).query(&format!("token={token}"))
        }
        Operation::ChildExportRead => sample.at(unknown::<ChildId>()).at(unknown::<ExportId>()),
        Operation::ChildExportContent => {
            let (child, id, token) = child_exported(club).await;
            sample.at(child).at(id).query(&format!("token={token}"))
        }
        Operation::ProgramRead => sample.at(&stage.program),
        Operation::CollegeRead => sample.at(&stage.college),
        Operation::FavoriteSave => sample.with(custom()),
        Operation::FavoriteList | Operation::FavoriteExport | Operation::FavoritesClaim => {
            sample.with_token_of(guest.as_ref())
        }
        Operation::FavoriteChange => {
            sample.at(favorite()).with(json!({"interest": 5})).with_token_of(guest.as_ref())
        }
        Operation::FavoriteRemove => sample.at(favorite()).with_token_of(guest.as_ref()),
        Operation::FavoriteOrder => sample.with(json!({"ids": [favorite()]})).with_token_of(guest.as_ref()),
        Operation::OperatorOrganizationCreate => sample.with(json!({
            "name": format!("Club of {kind}"), "time_zone": "UTC", "owner": format!("{kind}@founders.example"),
        })),
        Operation::OperatorOrganizationChange => {
            sample.at(club.organization).with(json!({"suspended": false}))
        }
        // It changes nothing, so that the version stays the same.
        Operation::OrganizationChange => sample.with(json!({"time_zone": "Australia/Melbourne"})),
        Operation::OperatorCatalogue => {
            sample.with(json!({"content": first_lines(data!("college/colleges.csv"), 2)}))
        }
        Operation::OperatorImportOrganization => {
            let wanted = json!({"name": format!("Copy for {kind}"), "time_zone": "UTC", "owner": "kim@hoops.example"});
            let founded = club.operator().post("/operator/organizations", &wanted).await;
            let id = &founded.body["data"]["organization"]["id"];
            sample.with(json!({"organization_id": id, "archive": archives::empty()}))
        }
        Operation::OperatorPasswordReset => {
            sample.with(json!({"email": member_address(fixture.member(Role::Viewer).user)}))
        }
        Operation::OperatorMailRead => {
            invited(club, club.organization, &format!("{kind}@mailed.example")).await;
            let mail = club.operator().get("/operator/mail?limit=1").await;
            sample.at(mail.body["data"][0]["id"].as_str().expect("a message"))
        }
        Operation::DocsAsset => sample.at("swagger-ui.css"),
        Operation::ProblemPage => sample.at("not_found"),
        Operation::AuthLogout
        | Operation::SessionList
        | Operation::ApiKeyList
        | Operation::ApiKeyCurrent
        | Operation::ProfileMe
        | Operation::OperatorOrganizationList
        | Operation::OperatorMailList
        | Operation::OrganizationRead
        | Operation::OrganizationHistory
        | Operation::MemberList
        | Operation::InvitationList
        | Operation::ChildList
        | Operation::DutyList
        | Operation::RelationList
        | Operation::BreakGlassGrantList
        | Operation::PrivacyRequestList
        | Operation::SeasonList
        | Operation::DivisionList
        | Operation::TeamList
        | Operation::VenueList
        | Operation::AuditLog
        | Operation::GameList
        | Operation::GamesUpcoming
        | Operation::CollegeSearch
        | Operation::ProgramSearch
        | Operation::ForgotPasswordPage
        | Operation::Home
        | Operation::RetentionPolicy
        | Operation::RetentionPage
        | Operation::JsonWebKeys
        | Operation::OpenIdConfiguration
        | Operation::ProtectedResource
        | Operation::OpenApi
        | Operation::Docs
        | Operation::Health
        | Operation::ImportFormats
        | Operation::ChangesetList
        | Operation::Ready => sample,
        Operation::OperatorFound
        | Operation::OperatorLoadColleges
        | Operation::DemoFamilies
        | Operation::InvitationMailFailed
        | Operation::GuardianInvitationMailFailed
        | Operation::ChangesetRunScheduled
        | Operation::ChangesetExpire
        | Operation::GamesKeepLocalTimes
        | Operation::ChildEraseAgain
        | Operation::LedgerRetention => {
            unreachable!("{} has no HTTP", operation.id())
        }
    }
}

/// The request for an operation on an account or an invitation. The links of messages are new ones.
async fn of_people(
    sample: Sample,
    club: &Club,
    elsewhere: OrganizationId,
    (kind, user): (&str, UserId),
    fixture: &mut Fixture,
) -> Sample {
    match sample.operation {
        Operation::PasswordResetRequest => sample.with(json!({"email": format!("{kind}@forgetful.example")})),
        Operation::PasswordResetComplete | Operation::PasswordResetPageSubmit => {
            let token = reset(club, &member_address(fixture.member(Role::Viewer).user)).await;
            sample.with(json!({"token": token, "new_password": "four words in a row"}))
        }
        Operation::ProfileChange => sample.with(json!({"name": format!("The {kind}")})),
        Operation::ProfileEmail => {
            sample.with(json!({"email": format!("{kind}@moving.example"), "current_password": PASSWORD}))
        }
        Operation::ProfileEmailConfirm | Operation::EmailPageSubmit => {
            sample.with(json!({"token": changing_address(club).await}))
        }
        Operation::InvitationCreate => {
            sample.with(json!({"email": format!("{kind}@invited.example"), "role": "viewer"}))
        }
        Operation::InvitationPreview => {
            let token = invited(club, club.organization, &format!("{kind}@previews.example")).await;
            sample.with(json!({"token": token}))
        }
        Operation::InvitationAccept if kind == "anonymous" => {
            let token = invited(club, elsewhere, "robin@parents.example").await;
            sample.with(json!({"token": token, "name": "Robin", "password": "four words in a row"}))
        }
        Operation::InvitationAccept => {
            let email = if kind == "neighbour" {
                "robin@neighbours.example".to_owned()
            } else {
                member_address(user)
            };
            sample.with(json!({"token": invited(club, elsewhere, &email).await}))
        }
        Operation::InvitationRead | Operation::InvitationResend | Operation::InvitationRevoke => {
            let inviter = fixture.member(Role::Viewer).user;
            sample.at(fixture.invitation(inviter))
        }
        Operation::InvitationPage => {
            let token = invited(club, club.organization, &format!("{kind}@pages.example")).await;
            sample.query(&format!("token={token}"))
        }
        Operation::InvitationPageSubmit => {
            let token = invited(club, elsewhere, &format!("{kind}@forms.example")).await;
            sample.with(json!({"token": token, "name": "Robin", "password": "four words in a row"}))
        }
        Operation::PasswordResetPage => {
            let token = reset(club, &member_address(fixture.member(Role::Viewer).user)).await;
            sample.query(&format!("token={token}"))
        }
        Operation::ForgotPasswordPageSubmit => {
            sample.with(json!({"email": format!("{kind}@forgot.example")}))
        }
        Operation::EmailPage => {
            let token = changing_address(club).await;
            sample.query(&format!("token={token}"))
        }
        operation => unreachable!("{} is not about people", operation.id()),
    }
}
