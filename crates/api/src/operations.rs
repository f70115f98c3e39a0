//! The operation table: one row for each operation, with who may call it, what it takes and what it returns.
//!
//! Every column is required, and a row whose columns contradict each other does not compile. From this table come the router, the guard,
//! the OpenAPI document, `docs/permissions.md`, metric and span names, the client's paths, and the test matrix. What the operator, jobs
//! and importers do has rows in a second table without HTTP, so that commands and the ledger name their operation by one enum.
//! How to add a row: `docs/adding-an-endpoint.md`.

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::divisions::{ChangeDivision, Division, NewDivision};
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{
    ApiKeyId, BreakGlassGrantId, ChangesetId, ChildId, CollegeId, ConsentId, DivisionId, DutyId, ExportId,
    FavoriteId, GameId, GuardianInvitationId, InvitationId, MailId, MemberId, OrganizationId,
    PrivacyRequestId, ProgramId, RegistrationId, RelationId, RestrictionId, RosterEntryId,
    SafeguardingCaseId, SeasonId, SessionId, SimulationId, StaffId, TeamId, VenueId,
};
use fieldhouse_domain::organizations::{ChangeOrganization, Organization};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Reach, Relation, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_domain::teams::{ChangeTeam, NewTeam, Team};
use fieldhouse_domain::venues::{ChangeVenue, NewVenue, Venue};

use crate::envelope::{Answer, ArchiveFile, Asset, Data, Deleted, Form, Html, Page};
use crate::problems::Code;
use crate::request::{
    Archive, EmptyBody, FormFields, Json, ListQuery, MergePatch, NoParameter, NoQuery, Parameters,
    PathParameter, Payload, Query, RecordListQuery, Upload, ValidateOnly,
};
use crate::rows::{Changeset, IfMatch, Kept, Method, Row, check};
use crate::table::{kept, operations, query, relation, sheet};
use crate::{
    api_keys, audit, auth, break_glass, cases, changesets, children, colleges, consents, divisions, duties,
    exports, favorites, games, guardian_invitations, imports, invitations, members, operator,
    privacy_requests, profile, registrations, relations, restrictions, rosters, seasons, service, staff,
    standings, teams, venues,
};

/// One operation as a type: what its path, query, body and response are.
pub trait Op: Send + Sync + 'static {
    /// The operation.
    const OPERATION: Operation;
    /// The row.
    const ROW: Row;
    /// The parameters in the path.
    type Path: PathParameter;
    /// The query parameters.
    type Query: Query;
    /// The body.
    type Body: Payload;
    /// The response when it succeeds.
    type Answer: Answer;
}

/// A list of one class of data of the children that the caller may see.
const fn listed(class: DataClass) -> ChildTouch {
    ChildTouch::Listed { class }
}

/// One class of data of the child in the path.
const fn of_child(class: DataClass, verb: Verb) -> ChildTouch {
    ChildTouch::InPath { class, verb, parameter: "id" }
}

/// What opens the data of the child in the path. Managers need no relation.
const fn of_child_unless_manager(class: DataClass, verb: Verb) -> ChildTouch {
    ChildTouch::InPathUnless { class, verb, parameter: "id", unless: Role::Manager }
}

/// One class of data of the child whom the record in the path is about.
const fn of_record(class: DataClass, verb: Verb) -> ChildTouch {
    ChildTouch::OfRecord { class, verb }
}

/// One class of data of the child whom the body names.
const fn in_body(class: DataClass, verb: Verb) -> ChildTouch {
    ChildTouch::InBody { class, verb }
}

/// One class of data of the child whom the request names, if it names one.
const fn if_named(class: DataClass, verb: Verb) -> ChildTouch {
    ChildTouch::IfNamed { class, verb }
}

/// A safeguarding lead, whatever their role.
const LEAD: Relation = Relation::OnDuty { kind: DutyKind::SafeguardingLead, unless: None };

/// A safeguarding lead, or an admin as a second person.
const LEAD_OR_ADMIN: Relation =
    Relation::OnDuty { kind: DutyKind::SafeguardingLead, unless: Some(Role::Admin) };

use ChildTouch::{Created, Images, Untouched};
use Credential::{Operator, Optional, Public, Required};
use Relation::StaffOfGame;
use Role::{Admin, Coach, Manager, Member, Owner, Viewer};

#[rustfmt::skip]
operations! {
// name, id, method, path
//     | credential, keys, scope, child, If-Match, changeset, writes, `by` the relation that the caller needs
//     | path parameters, query, body => statuses of success, response, `as` the columns of its CSV, codes that its handler alone returns

    /// Signs in with e-mail address and password. The response and the time it takes are the same for an unknown address as for a
    /// wrong password.
    AuthLogin "auth.login" POST "/api/v1/auth/login"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, [Session Own]
        | NoParameter, NoQuery, Json<auth::Login> => [200] Data<auth::Tokens>, [InvalidCredentials, AlreadyCreated, OrganizationSuspended, OperationForbidden];
    /// Gets the next tokens of a session. A refresh token can be used once: using it again ends the session, except for one retry
    /// within 30 seconds by a client that lost the response.
    AuthRefresh "auth.refresh" POST "/api/v1/auth/refresh"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, [Session Own]
        | NoParameter, NoQuery, Json<auth::Refresh> => [200] Data<auth::Tokens>, [InvalidCredentials, TokenExpired, AlreadyCreated, OrganizationSuspended];
    /// Ends the session of this request.
    AuthLogout "auth.logout" POST "/api/v1/auth/logout"
        | Required(Viewer), SessionOnly, Auth:Write, Untouched, None, Never, [Session Own]
        | NoParameter, NoQuery, EmptyBody => [200] Data<auth::SignedOut>, [];
    /// Changes the caller's password and ends all their other sessions.
    AuthPassword "auth.password" POST "/api/v1/auth/password"
        | Required(Viewer), SessionOnly, Auth:Write, Untouched, None, Never, [User Own, Session Own]
        | NoParameter, NoQuery, Json<auth::PasswordChange> => [200] Data<auth::SignedOut>, [];
    /// Requests a link to set a new password. It is mailed if an account has the address; the response and the time it takes are the same for
    /// every address.
    PasswordResetRequest "auth.password_resets.request" POST "/api/v1/auth/password-resets"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, []
        | NoParameter, NoQuery, Json<auth::PasswordResetRequest> => [202] Data<auth::PasswordResetRequested>, [];
    /// Sets a new password with the link of a password reset, and ends all sessions of the user.
    PasswordResetComplete "auth.password_resets.complete" POST "/api/v1/auth/password-resets/complete"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, [User Own, Session Own]
        | NoParameter, NoQuery, Json<auth::PasswordResetCompletion> => [200] Data<auth::SignedOut>, [LinkExpired];
    /// Lists the caller's sessions in this organization, newest first.
    SessionList "auth.sessions.list" GET "/api/v1/auth/sessions"
        | Required(Viewer), SessionOnly, Auth:Read, Untouched, None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<auth::Session>, [];
    /// Ends one of the caller's sessions.
    SessionRevoke "auth.sessions.revoke" DELETE "/api/v1/auth/sessions/{id}"
        | Required(Viewer), SessionOnly, Auth:Write, Untouched, Honoured, Never, [Session Own]
        | SessionId, NoQuery, EmptyBody => [200] Data<Deleted>, [];

    /// Creates an API key for the caller. The key has the caller's role, is valid in this organization only, and is shown once. Requires a
    /// session whose user signed in less than 15 minutes ago; a key cannot create another key.
    ApiKeyCreate "api_keys.create" POST "/api/v1/api-keys"
        | Required(Viewer), FreshSessionOnly, ApiKeys:Write, Untouched, None, Never, [ApiKey Own]
        | NoParameter, NoQuery, Json<api_keys::IssueApiKey> => [201] Data<api_keys::IssuedApiKey>, [AlreadyCreated, LimitReached];
    /// Lists the caller's API keys, newest first. For an admin: all keys of the organization, except those of people with a higher role.
    ApiKeyList "api_keys.list" GET "/api/v1/api-keys"
        | Required(Viewer), SessionOnly, ApiKeys:Read, Untouched, None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<api_keys::ApiKey>, [];
    /// Reads the API key of this request.
    ApiKeyCurrent "api_keys.current" GET "/api/v1/api-keys/current"
        | Required(Viewer), Itself, ApiKeys:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Data<api_keys::ApiKey>, [NotFound];
    /// Reads one of the caller's API keys. For an admin: any key of the organization, except those of people with a higher role. A key can
    /// read only itself.
    ApiKeyRead "api_keys.read" GET "/api/v1/api-keys/{id}"
        | Required(Viewer), Itself, ApiKeys:Read, Untouched, None, Never, []
        | ApiKeyId, NoQuery, EmptyBody => [200] Data<api_keys::ApiKey>, [];
    /// Revokes one of the caller's API keys. For an admin: any key of the organization, except those of people with a higher role. A key
    /// can revoke only itself, from any address. The next request with the key is refused.
    ApiKeyRevoke "api_keys.revoke" DELETE "/api/v1/api-keys/{id}"
        | Required(Viewer), Itself, ApiKeys:Write, Untouched, Honoured, Never, [ApiKey Target]
        | ApiKeyId, NoQuery, EmptyBody => [200] Data<Deleted>, [OperationForbidden];

    /// Reads the caller's profile: the user, their organizations, and the credential of the request.
    ProfileMe "profile.me" GET "/api/v1/profile/me"
        | Required(Viewer), Allowed, Profile:Read, listed(DataClass::Roster), None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Data<profile::Profile>, [];
    /// Changes the caller's name, locale or time zone.
    ProfileChange "profile.change" PATCH "/api/v1/profile/me"
        | Required(Viewer), Allowed, Profile:Write, listed(DataClass::Roster), Honoured, Never, [User Own]
        | NoParameter, NoQuery, MergePatch<profile::ChangeProfile> => [200] Data<profile::Profile>, [];
    /// Requests a change of the caller's e-mail address. A link is mailed to the current and to the new address, and the address changes
    /// when both are confirmed.
    ProfileEmail "profile.email" POST "/api/v1/profile/me/email"
        | Required(Viewer), FreshSessionOnly, Profile:Write, Untouched, None, Never, [User Own]
        | NoParameter, NoQuery, Json<profile::EmailChange> => [202] Data<profile::EmailChangeRequested>, [];
    /// Confirms a change of the e-mail address with one of the two links.
    ProfileEmailConfirm "profile.email.confirm" POST "/api/v1/profile/me/email/confirm"
        | Public, SessionOnly, Profile:Write, Untouched, None, Never, [User Own]
        | NoParameter, NoQuery, Json<profile::EmailConfirmation> => [200] Data<profile::EmailConfirmed>, [LinkExpired, Duplicate];
    /// Reads the caller's organization.
    OrganizationRead "organization.read" GET "/api/v1/organization"
        | Required(Viewer), Allowed, Organization:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Data<Organization>, [];
    /// Changes the caller's organization. A new time zone applies to what is created later and to dates in requests; games keep their own
    /// zones and times.
    OrganizationChange "organization.change" PATCH "/api/v1/organization"
        | Required(Admin), SessionOnly, Organization:Write, Untouched, Honoured, Never, [Organization Any]
        | NoParameter, NoQuery, MergePatch<ChangeOrganization> => [200] Data<Organization>, [Duplicate];
    /// Lists the changes of the organization's own record, newest first. The audit log has those of its records.
    OrganizationHistory "organization.history" GET "/api/v1/organization/history"
        | Required(Admin), Allowed, Organization:Read, Untouched, None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists the organization's members, by default earliest first.
    MemberList "members.list" GET "/api/v1/members"
        | Required(Manager), Allowed, Members:Read, Untouched, None, Never, []
        | NoParameter, members::MemberListQuery, EmptyBody => [200] Page<members::Member> as members::SHEET, [];
    /// Reads a member.
    MemberRead "members.read" GET "/api/v1/members/{id}"
        | Required(Manager), Allowed, Members:Read, Untouched, None, Never, []
        | MemberId, NoQuery, EmptyBody => [200] Data<members::Member>, [];
    /// Changes a member's role, or suspends a member. Takes effect with the member's next request. A caller cannot change a member
    /// with a higher role, and the last owner cannot be demoted or suspended.
    MemberChange "members.change" PATCH "/api/v1/members/{id}"
        | Required(Admin), SessionOnly, Members:Write, Untouched, Honoured, Possible, [Member Target]
        | MemberId, NoQuery, MergePatch<members::ChangeMember> => [200] Data<members::Member>, [LastOwner, OperationForbidden, ChangesetRequired];
    /// Removes a member from the organization, with their keys and sessions in it. Takes effect with the member's next request.
    MemberRemove "members.remove" DELETE "/api/v1/members/{id}"
        | Required(Admin), SessionOnly, Members:Write, Untouched, Honoured, Possible, [Member Target]
        | MemberId, NoQuery, EmptyBody => [200] Data<Deleted>, [LastOwner, OperationForbidden];
    /// Lists the changes of a membership, newest first. The history of a former member can still be read.
    MemberHistory "members.history" GET "/api/v1/members/{id}/history"
        | Required(Admin), Allowed, Members:Read, Untouched, None, Never, []
        | MemberId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists the organization's invitations, newest first.
    InvitationList "invitations.list" GET "/api/v1/invitations"
        | Required(Admin), Allowed, Members:Read, Untouched, None, Never, []
        | NoParameter, invitations::InvitationListQuery, EmptyBody => [200] Page<invitations::Invitation>, [];
    /// Invites a person to the organization. The link is mailed to them and never shown to anyone else, because its holder joins as that
    /// person. A caller cannot invite to a role higher than their own.
    InvitationCreate "invitations.create" POST "/api/v1/invitations"
        | Required(Admin), SessionOnly, Members:Write, Untouched, None, Never, [Invitation Any]
        | NoParameter, NoQuery, Json<invitations::NewInvitation> => [201] Data<invitations::Invitation>, [Duplicate, LimitReached, OperationForbidden];
    /// Shows an invitation to the holder of its link.
    InvitationPreview "invitations.preview" POST "/api/v1/invitations/preview"
        | Public, SessionOnly, Members:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, Json<invitations::InvitationToken> => [200] Data<invitations::InvitationPreview>, [LinkExpired];
    /// Accepts an invitation with its link. Without a session, it takes a password: that of the invited address's account, or of the account
    /// that it creates, which also needs a name. Then the response includes the tokens of a session. With a session, the invited address must
    /// be that of its user. An invitation to be a child's guardian proposes the relation, which a second person then confirms. An existing member
    /// keeps their role.
    InvitationAccept "invitations.accept" POST "/api/v1/invitations/accept"
        | Optional(Viewer), SessionOnly, Members:Write, Untouched, None, Never, [Invitation Target, GuardianInvitation Target, Relation Any, User Own, Member Own, Session Own]
        | NoParameter, NoQuery, Json<invitations::InvitationAcceptance> => [200] Data<invitations::AcceptedInvitation>, [LinkExpired, WrongAccount, InvalidCredentials, SelfGrant, Duplicate, AlreadyCreated];
    /// Reads an invitation.
    InvitationRead "invitations.read" GET "/api/v1/invitations/{id}"
        | Required(Admin), Allowed, Members:Read, Untouched, None, Never, []
        | InvitationId, NoQuery, EmptyBody => [200] Data<invitations::Invitation>, [];
    /// Sends an invitation again, with a new link and a new expiry. The earlier link is no longer valid.
    InvitationResend "invitations.resend" POST "/api/v1/invitations/{id}/resend"
        | Required(Admin), SessionOnly, Members:Write, Untouched, None, Never, [Invitation Target]
        | InvitationId, NoQuery, EmptyBody => [200] Data<invitations::Invitation>, [State, OperationForbidden];
    /// Revokes an invitation that was not accepted. Its link is no longer valid.
    InvitationRevoke "invitations.revoke" DELETE "/api/v1/invitations/{id}"
        | Required(Admin), SessionOnly, Members:Write, Untouched, Honoured, Never, [Invitation Target]
        | InvitationId, NoQuery, EmptyBody => [200] Data<Deleted>, [State, OperationForbidden];

    /// Lists the organization's seasons, latest first.
    SeasonList "seasons.list" GET "/api/v1/seasons"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, None, Never, []
        | NoParameter, seasons::SeasonListQuery, EmptyBody => [200] Page<seasons::Season> as seasons::SHEET | keeps All, [];
    /// Creates a season.
    SeasonCreate "seasons.create" POST "/api/v1/seasons"
        | Required(Manager), Allowed, Seasons:Write, Untouched, None, Possible, [Season Any]
        | NoParameter, NoQuery, Json<seasons::NewSeason> => [201] Data<seasons::Season>, [Duplicate];
    /// Reads a season.
    SeasonRead "seasons.read" GET "/api/v1/seasons/{id}"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, None, Never, []
        | SeasonId, NoQuery, EmptyBody => [200] Data<seasons::Season> | keeps All, [];
    /// Changes a season.
    SeasonChange "seasons.change" PATCH "/api/v1/seasons/{id}"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Honoured, Possible, [Season Target]
        | SeasonId, NoQuery, MergePatch<seasons::ChangeSeason> => [200] Data<seasons::Season>, [Duplicate, State];
    /// Deletes a season that has no division, team, game, duty, registration or roster entry. For one that has, the problem says how many of each there are in
    /// `counts`, and `digest` confirms a purge.
    SeasonDelete "seasons.delete" DELETE "/api/v1/seasons/{id}"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Honoured, Possible, [Season Target]
        | SeasonId, NoQuery, EmptyBody => [200] Data<Deleted>, [InUse];
    /// Deletes a season with its divisions, teams, games, staff, duties, registrations and rosters, in one change. `confirm` is the `digest` in the problem with the
    /// code `in_use` of `DELETE /seasons/{id}`, which `validate_only=true` returns too. If something of the season has changed since, the
    /// problem is the same with a new digest, and nothing is deleted.
    SeasonPurge "seasons.purge" POST "/api/v1/seasons/{id}/purge"
        | Required(Admin), Allowed, Seasons:Write, Untouched, None, Never, [Season Target, Division Any, Team Any, Game Any, Staff Any, Duty Any]
        | SeasonId, NoQuery, Json<seasons::PurgeSeason> => [200] Data<seasons::PurgedSeason>, [InUse, LimitReached];
    /// Reads the standings of a season or of one of its divisions. Final games and forfeits count.
    StandingsRead "seasons.standings" GET "/api/v1/seasons/{id}/standings"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, None, Never, []
        | SeasonId, standings::StandingsQuery, EmptyBody => [200] Data<standings::Standings> as standings::SHEET | keeps All, [];
    /// Lists the changes of a season, newest first. The history of a deleted season can still be read.
    SeasonHistory "seasons.history" GET "/api/v1/seasons/{id}/history"
        | Required(Manager), Allowed, Seasons:Read, Untouched, None, Never, []
        | SeasonId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists divisions by name.
    DivisionList "divisions.list" GET "/api/v1/divisions"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, None, Never, []
        | NoParameter, divisions::DivisionListQuery, EmptyBody => [200] Page<Division> as divisions::SHEET | keeps All, [];
    /// Creates a division of a season.
    DivisionCreate "divisions.create" POST "/api/v1/divisions"
        | Required(Manager), Allowed, Seasons:Write, Untouched, None, Possible, [Division Any]
        | NoParameter, NoQuery, Json<NewDivision> => [201] Data<Division>, [Duplicate];
    /// Reads a division.
    DivisionRead "divisions.read" GET "/api/v1/divisions/{id}"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, None, Never, []
        | DivisionId, NoQuery, EmptyBody => [200] Data<Division> | keeps All, [];
    /// Changes a division.
    DivisionChange "divisions.change" PATCH "/api/v1/divisions/{id}"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Honoured, Possible, [Division Target]
        | DivisionId, NoQuery, MergePatch<ChangeDivision> => [200] Data<Division>, [Duplicate];
    /// Deletes a division without teams, games and registrations. Withdrawn registrations are deleted with it.
    DivisionDelete "divisions.delete" DELETE "/api/v1/divisions/{id}"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Honoured, Possible, [Division Target]
        | DivisionId, NoQuery, EmptyBody => [200] Data<Deleted>, [InUse];
    /// Lists the changes of a division, newest first. The history of a deleted division can still be read.
    DivisionHistory "divisions.history" GET "/api/v1/divisions/{id}/history"
        | Required(Manager), Allowed, Seasons:Read, Untouched, None, Never, []
        | DivisionId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists teams by name.
    TeamList "teams.list" GET "/api/v1/teams"
        | Required(Viewer), Allowed, Teams:Read, Untouched, None, Never, []
        | NoParameter, teams::TeamListQuery, EmptyBody => [200] Page<Team> as teams::SHEET | keeps All, [];
    /// Creates a team in a division of its season.
    TeamCreate "teams.create" POST "/api/v1/teams"
        | Required(Manager), Allowed, Teams:Write, Untouched, None, Possible, [Team Any]
        | NoParameter, NoQuery, Json<NewTeam> => [201] Data<Team>, [Duplicate];
    /// Reads a team.
    TeamRead "teams.read" GET "/api/v1/teams/{id}"
        | Required(Viewer), Allowed, Teams:Read, Untouched, None, Never, []
        | TeamId, NoQuery, EmptyBody => [200] Data<Team> | keeps All, [];
    /// Changes a team.
    TeamChange "teams.change" PATCH "/api/v1/teams/{id}"
        | Required(Manager), Allowed, Teams:Write, Untouched, Honoured, Possible, [Team Target]
        | TeamId, NoQuery, MergePatch<ChangeTeam> => [200] Data<Team>, [Duplicate];
    /// Deletes a team without games, staff, duties and children. Duties that are over do not count, and roster entries that are over are
    /// deleted with it.
    TeamDelete "teams.delete" DELETE "/api/v1/teams/{id}"
        | Required(Manager), Allowed, Teams:Write, Untouched, Honoured, Possible, [Team Target]
        | TeamId, NoQuery, EmptyBody => [200] Data<Deleted>, [InUse];
    /// Lists the games of a team by start, past and future.
    TeamSchedule "teams.schedule" GET "/api/v1/teams/{id}/schedule"
        | Required(Viewer), Allowed, Teams:Read, listed(DataClass::Roster), None, Never, []
        | TeamId, teams::ScheduleQuery, EmptyBody => [200] Page<games::Game> as games::SHEET, [];
    /// Lists the changes of a team, newest first. The history of a deleted team can still be read.
    TeamHistory "teams.history" GET "/api/v1/teams/{id}/history"
        | Required(Manager), Allowed, Teams:Read, Untouched, None, Never, []
        | TeamId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists the staff of a team, earliest entry first.
    StaffList "staff.list" GET "/api/v1/teams/{id}/staff"
        | Required(Viewer), Allowed, Teams:Read, Untouched, None, Never, []
        | TeamId, ListQuery, EmptyBody => [200] Page<staff::Staff>, [];
    /// Proposes a member as staff of a team. The entry opens nothing until a second person has confirmed it, and no one adds
    /// themselves.
    StaffAdd "staff.add" POST "/api/v1/teams/{id}/staff"
        | Required(Manager), Allowed, Teams:Write, Untouched, None, Possible, [Staff Any]
        | TeamId, NoQuery, Json<staff::NewStaff> => [201] Data<staff::Staff>, [Duplicate, SelfGrant];
    /// Changes a staff entry. A confirmed entry whose period grows has to be confirmed again.
    StaffChange "staff.change" PATCH "/api/v1/teams/{id}/staff/{staff_id}"
        | Required(Manager), Allowed, Teams:Write, Untouched, Honoured, Possible, [Staff Target]
        | Parameters<(TeamId, StaffId)>, NoQuery, MergePatch<staff::ChangeStaff> => [200] Data<staff::Staff>, [SelfGrant, State];
    /// Removes a staff entry.
    StaffRemove "staff.remove" DELETE "/api/v1/teams/{id}/staff/{staff_id}"
        | Required(Manager), Allowed, Teams:Write, Untouched, Honoured, Possible, [Staff Target]
        | Parameters<(TeamId, StaffId)>, NoQuery, EmptyBody => [200] Data<Deleted>, [];
    /// Confirms a proposed staff entry. The proposer cannot, nor someone whose role the proposer gave them; if no other member can, an
    /// owner may a day after it was proposed, and the entry is marked.
    StaffConfirm "staff.confirm" POST "/api/v1/teams/{id}/staff/{staff_id}/confirm"
        | Required(Manager), SessionOnly, Teams:Write, Untouched, None, Never, [Staff Target]
        | Parameters<(TeamId, StaffId)>, NoQuery, EmptyBody => [200] Data<staff::Staff>, [SelfGrant, SamePerson, State];

    /// Lists the children of whom a relation of the caller opens the roster, by name: their own children, and those of their teams and
    /// duties.
    ChildList "children.list" GET "/api/v1/children"
        | Required(Member), Allowed, Children:Read, listed(DataClass::Roster), None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<children::Child>, [];
    /// Creates a child, with the caller as its first guardian. The registrar of a season creates children who are not their own: with
    /// `season_id`, the child is registered for the season and gets no guardian.
    ChildCreate "children.create" POST "/api/v1/children"
        | Required(Member), SessionOnly, Children:Write, Created, None, Never, [Child Any, ChildIdentity Any, ChildContact Any, ChildEmergency Any, ChildMedical Any, ChildPerformance Any, Relation Any, Registration Any]
        | NoParameter, NoQuery, Json<children::NewPerson> => [201] Data<children::ChildProfile>, [OperationForbidden, State];
    /// Reads a child as a roster shows it.
    ChildRead "children.read" GET "/api/v1/children/{id}"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Roster, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::Child>, [];
    /// Reads the profile of a child.
    ChildProfileRead "children.profile.read" GET "/api/v1/children/{id}/profile"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Profile, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::ChildProfile>, [];
    /// Changes the profile of a child.
    ChildProfileChange "children.profile.change" PATCH "/api/v1/children/{id}/profile"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Profile, Verb::Write), Honoured, Never, [Child Target]
        | ChildId, NoQuery, MergePatch<children::ChangeChild> => [200] Data<children::ChildProfile>, [];
    /// Reads the legal names and the date of birth of a child.
    ChildIdentityRead "children.identity.read" GET "/api/v1/children/{id}/identity"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Identity, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::ChildIdentity>, [];
    /// Changes the legal names and the date of birth of a child.
    ChildIdentityChange "children.identity.change" PATCH "/api/v1/children/{id}/identity"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Identity, Verb::Write), Honoured, Never, [ChildIdentity Any, Child Target]
        | ChildId, NoQuery, MergePatch<children::ChangeChildIdentity> => [200] Data<children::ChildIdentity>, [];
    /// Reads how to reach a child's family.
    ChildContactRead "children.contact.read" GET "/api/v1/children/{id}/contact"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Contact, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::ChildContact>, [];
    /// Changes how to reach a child's family.
    ChildContactChange "children.contact.change" PATCH "/api/v1/children/{id}/contact"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Contact, Verb::Write), Honoured, Never, [ChildContact Any]
        | ChildId, NoQuery, MergePatch<children::ChangeChildContact> => [200] Data<children::ChildContact>, [];
    /// Reads what someone must know about a child in an emergency. Staff of its teams need consent to medical care.
    ChildEmergencyRead "children.emergency.read" GET "/api/v1/children/{id}/emergency"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Emergency, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::ChildEmergency>, [];
    /// Changes what someone must know about a child in an emergency.
    ChildEmergencyChange "children.emergency.change" PATCH "/api/v1/children/{id}/emergency"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Emergency, Verb::Write), Honoured, Never, [ChildEmergency Any]
        | ChildId, NoQuery, MergePatch<children::ChangeChildEmergency> => [200] Data<children::ChildEmergency>, [];
    /// Reads what is known about a child's health. Each read by others than the family is recorded with it.
    ChildMedicalRead "children.medical.read" GET "/api/v1/children/{id}/medical"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Medical, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::ChildMedical>, [];
    /// Changes what is known about a child's health.
    ChildMedicalChange "children.medical.change" PATCH "/api/v1/children/{id}/medical"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Medical, Verb::Write), Honoured, Never, [ChildMedical Any]
        | ChildId, NoQuery, MergePatch<children::ChangeChildMedical> => [200] Data<children::ChildMedical>, [];
    /// Reads notes and measurements of coaches.
    ChildPerformanceRead "children.performance.read" GET "/api/v1/children/{id}/performance"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Performance, Verb::Read), None, Never, []
        | ChildId, NoQuery, EmptyBody => [200] Data<children::ChildPerformance>, [];
    /// Changes notes and measurements of coaches.
    ChildPerformanceChange "children.performance.change" PATCH "/api/v1/children/{id}/performance"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Performance, Verb::Write), Honoured, Never, [ChildPerformance Any]
        | ChildId, NoQuery, MergePatch<children::ChangeChildPerformance> => [200] Data<children::ChildPerformance>, [];
    /// Lists who saw data of a child, latest first. What the child and its guardians see is not recorded. Kept for 400 days.
    ChildAccessLog "children.access_log" GET "/api/v1/children/{id}/access-log"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Records, Verb::Read), None, Never, []
        | ChildId, ListQuery, EmptyBody => [200] Page<children::AccessEvent>, [];
    /// Lists the changes of what is recorded about a child, newest first. The child and its guardians can. Values that are not open to the
    /// caller are left out. Restrictions are not listed.
    ChildHistory "children.history" GET "/api/v1/children/{id}/history"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Records, Verb::Read), None, Never, []
        | ChildId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists the consents about a child, newest first. The child and its guardians can.
    ConsentList "children.consents.list" GET "/api/v1/children/{id}/consents"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Records, Verb::Read), None, Never, []
        | ChildId, ListQuery, EmptyBody => [200] Page<consents::Consent>, [];
    /// Gives consent to a purpose, as a guardian, or as the child itself from 16 years on. A purpose has one valid consent at a time.
    ConsentGrant "children.consents.grant" POST "/api/v1/children/{id}/consents"
        | Required(Member), SessionOnly, Children:Write, of_child(DataClass::Records, Verb::Write), None, Never, [Consent Any]
        | ChildId, NoQuery, Json<consents::NewConsent> => [201] Data<consents::Consent>, [Duplicate, OperationForbidden];
    /// Withdraws a consent, from the next request on. Any guardian can, also one who did not give it, and the child itself from 16 years
    /// on.
    ConsentWithdraw "children.consents.withdraw" POST "/api/v1/children/{id}/consents/{consent_id}/withdraw"
        | Required(Member), SessionOnly, Children:Write, of_child(DataClass::Records, Verb::Write), None, Never, [Consent Any]
        | Parameters<(ChildId, ConsentId)>, NoQuery, EmptyBody => [200] Data<consents::Consent>, [State, OperationForbidden];
    /// Requests a copy of what the club stores about a child, as its guardian or as the child. The response has a link that opens it once,
    /// within 24 hours, as long as the caller may see the child's records.
    ChildExportCreate "children.exports.create" POST "/api/v1/children/{id}/exports"
        | Required(Member), SessionOnly, Children:Read, of_child(DataClass::Records, Verb::Read), None, Never, [Export Any]
        | ChildId, NoQuery, EmptyBody => [201] Data<exports::RequestedExport>, [AlreadyCreated];
    /// Reads an export of a child.
    ChildExportRead "children.exports.read" GET "/api/v1/children/{id}/exports/{export_id}"
        | Required(Member), SessionOnly, Children:Read, of_child(DataClass::Records, Verb::Read), None, Never, []
        | Parameters<(ChildId, ExportId)>, NoQuery, EmptyBody => [200] Data<exports::Export>, [];
    /// Downloads the copy of a child's data with its link: every class, the consents, relations, invitations of guardians, registrations, places
    /// on rosters and saved college programs, and the access log, as far as the person who requested it may see them now. A class that they
    /// may not see is null.
    ChildExportContent "children.exports.content" GET "/api/v1/children/{id}/exports/{export_id}/content"
        | Public, SessionOnly, Children:Read, ChildTouch::AllOfLink, None, Never, [Export Target]
        | Parameters<(ChildId, ExportId)>, exports::ExportLink, EmptyBody => [200] Data<exports::ChildCopy>, [LinkExpired];
    /// Lists all relations of people to a child, newest first. The child and its guardians see them.
    ChildRelationList "children.relations.list" GET "/api/v1/children/{id}/relations"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Records, Verb::Read), None, Never, []
        | ChildId, ListQuery, EmptyBody => [200] Page<relations::Relation>, [];
    /// Proposes a relation of a member to a child. The child, its guardians and managers can, and no one for themselves. The relation opens
    /// nothing until a second person has confirmed it and the person has accepted it. All owners are told by mail.
    ChildRelationAdd "children.relations.add" POST "/api/v1/children/{id}/relations"
        | Required(Member), SessionOnly, Children:Write, of_child_unless_manager(DataClass::Records, Verb::Write), None, Never, [Relation Any]
        | ChildId, NoQuery, Json<relations::NewRelation> => [201] Data<relations::Relation>, [SelfGrant, ExpiryRequired, Duplicate];
    /// Lists the invitations to be a guardian of a child, newest first. Guardians see all of them; a registrar sees those that they sent. A
    /// caller whom a restriction names sees none.
    GuardianInvitationList "children.guardian_invitations.list" GET "/api/v1/children/{id}/guardian-invitations"
        | Required(Member), Allowed, Children:Read, of_child(DataClass::Contact, Verb::Read), None, Never, []
        | ChildId, ListQuery, EmptyBody => [200] Page<guardian_invitations::GuardianInvitation>, [];
    /// Invites a person to be a guardian of a child. The caller must be one of its guardians or registrars. The link is mailed to the invited
    /// address and shown to no one else. Accepting it proposes the relation, and makes the person a member if they are not one; someone whom
    /// the club removed cannot accept it. The relation opens nothing until a second person confirms it. Before that, nothing that the person
    /// receives identifies the child. A person sends at most 10 of these invitations within 24 hours.
    GuardianInvitationCreate "children.guardian_invitations.create" POST "/api/v1/children/{id}/guardian-invitations"
        | Required(Member), SessionOnly, Children:Write, of_child(DataClass::Contact, Verb::Write), None, Never, [GuardianInvitation Any]
        | ChildId, NoQuery, Json<guardian_invitations::NewGuardianInvitation> => [201] Data<guardian_invitations::GuardianInvitation>, [SelfGrant, Duplicate, LimitReached];
    /// Sends an invitation to be a guardian again, with a new link and a new expiry. The earlier link is no longer valid. The person who invited
    /// stays the same.
    GuardianInvitationResend "children.guardian_invitations.resend" POST "/api/v1/children/{id}/guardian-invitations/{invitation_id}/resend"
        | Required(Member), SessionOnly, Children:Write, of_child(DataClass::Contact, Verb::Write), None, Never, [GuardianInvitation Any]
        | Parameters<(ChildId, GuardianInvitationId)>, NoQuery, EmptyBody => [200] Data<guardian_invitations::GuardianInvitation>, [SelfGrant, State, LimitReached];
    /// Revokes an invitation to be a guardian that was not accepted. Its link is no longer valid.
    GuardianInvitationRevoke "children.guardian_invitations.revoke" DELETE "/api/v1/children/{id}/guardian-invitations/{invitation_id}"
        | Required(Member), SessionOnly, Children:Write, of_child(DataClass::Contact, Verb::Write), Honoured, Never, [GuardianInvitation Any]
        | Parameters<(ChildId, GuardianInvitationId)>, NoQuery, EmptyBody => [200] Data<Deleted>, [State];
    /// Lists the caller's relations to children, newest first. A manager also sees those of others that wait for a second person: with the
    /// id of the child, and without its name.
    RelationList "relations.list" GET "/api/v1/relations"
        | Required(Viewer), SessionOnly, Children:Read, Untouched, None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<relations::Relation>, [];
    /// Confirms a proposed relation. If the person has already accepted it through an invitation, it becomes active at once. The proposer cannot
    /// confirm it, nor can someone whose role the proposer gave them, nor the person themselves; if no other manager can, an owner may a day
    /// after it was proposed and all owners were told, and the relation is marked. The person is told by mail.
    RelationConfirm "relations.confirm" POST "/api/v1/relations/{id}/confirm"
        | Required(Manager), SessionOnly, Children:Write, Untouched, None, Never, [Relation Target]
        | RelationId, NoQuery, EmptyBody => [200] Data<relations::Relation>, [SelfGrant, SamePerson, State];
    /// Accepts a confirmed relation, which then opens the child's data. Only the person can; to others below the role manager it does not
    /// exist.
    RelationAccept "relations.accept" POST "/api/v1/relations/{id}/accept"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [Relation Target]
        | RelationId, NoQuery, EmptyBody => [200] Data<relations::Relation>, [OperationForbidden, State];
    /// Revokes a relation, from the next request on. The person gives it up at any time. The child, its guardians and managers revoke those
    /// of others; but a guardian is revoked by a manager who is not of the family. To everyone else it does not exist.
    RelationRevoke "relations.revoke" POST "/api/v1/relations/{id}/revoke"
        | Required(Viewer), SessionOnly, Children:Write, of_record(DataClass::Records, Verb::Write), None, Never, [Relation Target]
        | RelationId, NoQuery, EmptyBody => [200] Data<relations::Relation>, [OperationForbidden, State];
    /// Lists the restrictions on a child's data, newest first, also lifted ones. Requires a safeguarding lead who is
    /// not, and never was, of the child's family. They need no relation to the child, and see none of its data.
    RestrictionList "children.restrictions.list" GET "/api/v1/children/{id}/restrictions"
        | Required(Member), SessionOnly, Children:Read, Untouched, None, Never, [] by LEAD
        | ChildId, ListQuery, EmptyBody => [200] Page<restrictions::Restriction>, [OperationForbidden];
    /// Enters a restriction, such as a custody order. From the next request on, it closes classes of the child's data to a person or to
    /// everyone, whatever else opens them. The person cannot propose or confirm relations of others to the child either.
    RestrictionEnter "children.restrictions.enter" POST "/api/v1/children/{id}/restrictions"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [Restriction Any] by LEAD
        | ChildId, NoQuery, Json<restrictions::NewRestriction> => [201] Data<restrictions::Restriction>, [OperationForbidden];
    /// Lifts a restriction, from the next request on. No one lifts a restriction of their own access.
    RestrictionLift "restrictions.lift" POST "/api/v1/restrictions/{id}/lift"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [Restriction Target] by LEAD
        | RestrictionId, NoQuery, EmptyBody => [200] Data<restrictions::Restriction>, [OperationForbidden, SelfGrant, State];
    /// Lists safeguarding cases, newest first. Leads see all cases, and admins those that are not closed, except cases that name a
    /// child of their own family.
    SafeguardingCaseList "safeguarding_cases.list" GET "/api/v1/safeguarding-cases"
        | Required(Member), SessionOnly, Children:Read, Untouched, None, Never, [] by LEAD_OR_ADMIN
        | NoParameter, ListQuery, EmptyBody => [200] Page<cases::SafeguardingCase>, [OperationForbidden];
    /// Proposes a safeguarding case. It opens nothing until a second person has confirmed it. All owners are told by mail, except those of
    /// the children's families.
    SafeguardingCaseOpen "safeguarding_cases.open" POST "/api/v1/safeguarding-cases"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [SafeguardingCase Any] by LEAD
        | NoParameter, NoQuery, Json<cases::NewSafeguardingCase> => [201] Data<cases::SafeguardingCase>, [OperationForbidden];
    /// Reads a safeguarding case.
    SafeguardingCaseRead "safeguarding_cases.read" GET "/api/v1/safeguarding-cases/{id}"
        | Required(Member), SessionOnly, Children:Read, Untouched, None, Never, [] by LEAD_OR_ADMIN
        | SafeguardingCaseId, NoQuery, EmptyBody => [200] Data<cases::SafeguardingCase>, [OperationForbidden];
    /// Confirms a safeguarding case, as a second person: an admin, or a lead who does not work on it. It opens the children's roster line,
    /// profile, identity and contact to its leads for 90 days. Confirming it again opens it for another 90 days from then.
    SafeguardingCaseConfirm "safeguarding_cases.confirm" POST "/api/v1/safeguarding-cases/{id}/confirm"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [SafeguardingCase Target] by LEAD_OR_ADMIN
        | SafeguardingCaseId, NoQuery, EmptyBody => [200] Data<cases::SafeguardingCase>, [OperationForbidden, SelfGrant, SamePerson, State];
    /// Closes a safeguarding case, from the next request on. Then the families see in the access log what was read for it.
    SafeguardingCaseClose "safeguarding_cases.close" POST "/api/v1/safeguarding-cases/{id}/close"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [SafeguardingCase Target] by LEAD
        | SafeguardingCaseId, NoQuery, Json<cases::CloseSafeguardingCase> => [200] Data<cases::SafeguardingCase>, [OperationForbidden, State];
    /// Lists break-glass grants, newest first: the caller's own, and for safeguarding leads and admins all.
    BreakGlassGrantList "break_glass_grants.list" GET "/api/v1/break-glass-grants"
        | Required(Member), SessionOnly, Children:Read, Untouched, None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<break_glass::BreakGlassGrant>, [];
    /// Opens the roster line of a child, how to reach the family and what is known about its health, to the caller for 60 minutes, in an
    /// emergency. The guardians are told at once, and another person reviews it within 72 hours. Three are permitted in 24 hours, and none
    /// while an earlier one was not reviewed in time. A restriction stays closed.
    BreakGlassGrantCreate "break_glass_grants.create" POST "/api/v1/break-glass-grants"
        | Required(Coach), SessionOnly, Children:Write, Untouched, None, Never, [BreakGlassGrant Any]
        | NoParameter, NoQuery, Json<break_glass::NewBreakGlassGrant> => [201] Data<break_glass::BreakGlassGrant>, [NotFound, State, BreakglassLimit];
    /// Ends a break-glass grant before its time, as its holder, a safeguarding lead or an admin.
    BreakGlassGrantEnd "break_glass_grants.end" POST "/api/v1/break-glass-grants/{id}/end"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [BreakGlassGrant Target]
        | BreakGlassGrantId, NoQuery, EmptyBody => [200] Data<break_glass::BreakGlassGrant>, [State];
    /// Reviews a break-glass grant of someone else, as a safeguarding lead or an admin.
    BreakGlassGrantReview "break_glass_grants.review" POST "/api/v1/break-glass-grants/{id}/review"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [BreakGlassGrant Target] by LEAD_OR_ADMIN
        | BreakGlassGrantId, NoQuery, Json<break_glass::NewReview> => [200] Data<break_glass::BreakGlassGrant>, [OperationForbidden, SelfGrant, State];
    /// Lists the registrations for a season, earliest first: those of the caller's own children, and for the registrar of the season those of
    /// all children who have applied. A withdrawn registration opens nothing to the registrar.
    RegistrationList "registrations.list" GET "/api/v1/seasons/{id}/registrations"
        | Required(Member), Allowed, Children:Read, listed(DataClass::Roster), None, Never, []
        | SeasonId, registrations::RegistrationListQuery, EmptyBody => [200] Page<registrations::Registration>, [];
    /// Registers a child for a season, as its guardian or as the registrar of the season. From now on, the child is open to that registrar.
    RegistrationAdd "registrations.add" POST "/api/v1/children/{id}/registrations"
        | Required(Member), Allowed, Children:Write, of_child(DataClass::Identity, Verb::Write), None, Never, [Registration Any]
        | ChildId, NoQuery, Json<registrations::NewRegistration> => [201] Data<registrations::Registration>, [OperationForbidden, Duplicate, State];
    /// Accepts or withdraws a registration, or changes its division. Only the registrar of the season accepts it, and changes the division of
    /// an accepted one. A withdrawn registration takes the child out of the teams of the season at once.
    RegistrationChange "registrations.change" PATCH "/api/v1/registrations/{id}"
        | Required(Member), Allowed, Children:Write, of_record(DataClass::Identity, Verb::Write), Honoured, Never, [Registration Target]
        | RegistrationId, NoQuery, MergePatch<registrations::ChangeRegistration> => [200] Data<registrations::Registration>, [OperationForbidden, State];
    /// Withdraws a registration, as a guardian or as the registrar of the season. The child leaves the teams of the season at once.
    RegistrationWithdraw "registrations.withdraw" DELETE "/api/v1/registrations/{id}"
        | Required(Member), Allowed, Children:Write, of_record(DataClass::Identity, Verb::Write), Honoured, Never, [Registration Target]
        | RegistrationId, NoQuery, EmptyBody => [200] Data<Deleted>, [OperationForbidden, State];

    /// Lists the children of a team on a day, by name: those of whom a relation of the caller opens the roster now. Managers also see in
    /// `meta.count` how many children the team has.
    RosterList "roster.list" GET "/api/v1/teams/{id}/roster"
        | Required(Member), Allowed, Teams:Read, listed(DataClass::Roster), None, Never, []
        | TeamId, rosters::RosterQuery, EmptyBody => [200] rosters::Roster, [];
    /// Adds a child to the roster of a team, as the registrar of its season. The child must be accepted for the season. From its first to its last
    /// day, the entry opens the child's data to the staff of the team.
    RosterAdd "roster.add" POST "/api/v1/teams/{id}/roster"
        | Required(Member), Allowed, Teams:Write, in_body(DataClass::Roster, Verb::Write), None, Possible, [RosterEntry Any]
        | TeamId, NoQuery, Json<rosters::NewRosterEntry> => [201] Data<rosters::RosterEntry>, [OperationForbidden, Duplicate];
    /// Changes the number, the position or the days of a roster entry. Days that are over stay: to end an entry at once, set `ends_on` to
    /// yesterday.
    RosterChange "roster.change" PATCH "/api/v1/teams/{id}/roster/{entry_id}"
        | Required(Member), Allowed, Teams:Write, of_record(DataClass::Roster, Verb::Write), Honoured, Possible, [RosterEntry Target]
        | Parameters<(TeamId, RosterEntryId)>, NoQuery, MergePatch<rosters::ChangeRosterEntry> => [200] Data<rosters::RosterEntry>, [OperationForbidden, Duplicate, State];
    /// Removes a roster entry that has not begun. One that has begun stays in the history: end it by changing it.
    RosterRemove "roster.remove" DELETE "/api/v1/teams/{id}/roster/{entry_id}"
        | Required(Member), Allowed, Teams:Write, of_record(DataClass::Roster, Verb::Write), Honoured, Possible, [RosterEntry Target]
        | Parameters<(TeamId, RosterEntryId)>, NoQuery, EmptyBody => [200] Data<Deleted>, [OperationForbidden, State];

    /// Lists the caller's requests about the data of their children, newest first; for an admin, all of the organization. They have the ids
    /// of children, and no name.
    PrivacyRequestList "privacy_requests.list" GET "/api/v1/privacy-requests"
        | Required(Member), SessionOnly, Children:Read, Untouched, None, Never, []
        | NoParameter, ListQuery, EmptyBody => [200] Page<privacy_requests::PrivacyRequest>, [];
    /// Requests a copy of a child's data, its correction or its erasure, as a guardian or as the child itself. The club has 30 days to
    /// decide. All owners are told by mail.
    PrivacyRequestCreate "privacy_requests.create" POST "/api/v1/privacy-requests"
        | Required(Member), SessionOnly, Children:Write, in_body(DataClass::Records, Verb::Write), None, Never, [PrivacyRequest Any]
        | NoParameter, NoQuery, Json<privacy_requests::NewPrivacyRequest> => [201] Data<privacy_requests::PrivacyRequest>, [NotFound, RelationshipInsufficient, Duplicate];
    /// Decides a request about a child's data. The requester cannot, and neither can the child's family or someone whose role the requester
    /// gave them. If no other admin can, an owner may a day later, and the request is marked. A granted erasure erases the child at once and for
    /// good. It is refused while a restriction is effective or a safeguarding case about the child is not closed, and if the requester is no
    /// longer of the family. The requester is told by mail.
    PrivacyRequestDecide "privacy_requests.decide" POST "/api/v1/privacy-requests/{id}/decide"
        | Required(Admin), SessionOnly, Children:Write, Untouched, None, Never, [PrivacyRequest Any, Child Any]
        | PrivacyRequestId, NoQuery, Json<privacy_requests::NewPrivacyDecision> => [200] Data<privacy_requests::PrivacyRequest>, [OperationForbidden, SamePerson, State];

    /// Lists the duties of the organization's members, newest first.
    DutyList "duties.list" GET "/api/v1/duties"
        | Required(Admin), SessionOnly, Children:Read, Untouched, None, Never, []
        | NoParameter, duties::DutyListQuery, EmptyBody => [200] Page<duties::Duty>, [];
    /// Proposes a duty of a member. No one proposes themselves. The duty opens nothing until a second person has confirmed it and its holder
    /// has accepted it. Its teams and season never change: revoke it and propose another. All owners are told by mail.
    DutyAdd "duties.add" POST "/api/v1/duties"
        | Required(Admin), SessionOnly, Children:Write, Untouched, None, Never, [Duty Any]
        | NoParameter, NoQuery, Json<duties::NewDuty> => [201] Data<duties::Duty>, [SelfGrant, ExpiryRequired];
    /// Reads a duty. Its holder sees it in `GET /profile/me`.
    DutyRead "duties.read" GET "/api/v1/duties/{id}"
        | Required(Admin), SessionOnly, Children:Read, Untouched, None, Never, []
        | DutyId, NoQuery, EmptyBody => [200] Data<duties::Duty>, [];
    /// Confirms a proposed duty. The proposer cannot, nor someone whose role the proposer gave them, nor its holder; if no other admin can,
    /// an owner may a day after it was proposed and all owners were told, and the duty is marked.
    DutyConfirm "duties.confirm" POST "/api/v1/duties/{id}/confirm"
        | Required(Admin), SessionOnly, Children:Write, Untouched, None, Never, [Duty Target]
        | DutyId, NoQuery, EmptyBody => [200] Data<duties::Duty>, [SelfGrant, SamePerson, State];
    /// Accepts a confirmed duty. Only its holder can; to others below the role admin it does not exist.
    DutyAccept "duties.accept" POST "/api/v1/duties/{id}/accept"
        | Required(Member), SessionOnly, Children:Write, Untouched, None, Never, [Duty Target]
        | DutyId, NoQuery, EmptyBody => [200] Data<duties::Duty>, [OperationForbidden, State];
    /// Revokes a duty, from the next request on. Admins and its holder can; to others it does not exist.
    DutyRevoke "duties.revoke" POST "/api/v1/duties/{id}/revoke"
        | Required(Viewer), SessionOnly, Children:Write, Untouched, None, Never, [Duty Target]
        | DutyId, NoQuery, EmptyBody => [200] Data<duties::Duty>, [State];
    /// Lists the changes of a duty, newest first.
    DutyHistory "duties.history" GET "/api/v1/duties/{id}/history"
        | Required(Admin), SessionOnly, Children:Read, Untouched, None, Never, []
        | DutyId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists the organization's venues by name.
    VenueList "venues.list" GET "/api/v1/venues"
        | Required(Viewer), Allowed, Venues:Read, Untouched, None, Never, []
        | NoParameter, RecordListQuery, EmptyBody => [200] Page<Venue> as venues::SHEET | keeps All, [];
    /// Creates a venue.
    VenueCreate "venues.create" POST "/api/v1/venues"
        | Required(Manager), Allowed, Venues:Write, Untouched, None, Possible, [Venue Any]
        | NoParameter, NoQuery, Json<NewVenue> => [201] Data<Venue>, [Duplicate];
    /// Reads a venue.
    VenueRead "venues.read" GET "/api/v1/venues/{id}"
        | Required(Viewer), Allowed, Venues:Read, Untouched, None, Never, []
        | VenueId, NoQuery, EmptyBody => [200] Data<Venue> | keeps All, [];
    /// Changes a venue.
    VenueChange "venues.change" PATCH "/api/v1/venues/{id}"
        | Required(Manager), Allowed, Venues:Write, Untouched, Honoured, Possible, [Venue Target]
        | VenueId, NoQuery, MergePatch<ChangeVenue> => [200] Data<Venue>, [Duplicate];
    /// Deletes a venue that no game refers to.
    VenueDelete "venues.delete" DELETE "/api/v1/venues/{id}"
        | Required(Manager), Allowed, Venues:Write, Untouched, Honoured, Possible, [Venue Target]
        | VenueId, NoQuery, EmptyBody => [200] Data<Deleted>, [InUse];
    /// Lists the changes of a venue, newest first. The history of a deleted venue can still be read.
    VenueHistory "venues.history" GET "/api/v1/venues/{id}/history"
        | Required(Manager), Allowed, Venues:Read, Untouched, None, Never, []
        | VenueId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists what changed in the organization, newest first: who, when, through which operation, why, and every record before and
    /// after. Of a child's records, others than those related to the child see which fields changed, and not their values.
    AuditLog "audit.list" GET "/api/v1/audit-log"
        | Required(Admin), Allowed, Audit:Read, Images, None, Never, []
        | NoParameter, audit::AuditLogQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists games by start, past and future.
    GameList "games.list" GET "/api/v1/games"
        | Required(Viewer), Allowed, Games:Read, listed(DataClass::Roster), None, Never, []
        | NoParameter, games::GameListQuery, EmptyBody => [200] Page<games::Game> as games::SHEET | keeps Unrelated, [];
    /// Creates a game or a bye. Refused if it overlaps with another game of one of its teams, or at the same field of its venue, unless
    /// `allow_overlap` is set. Games without a known end never overlap.
    GameCreate "games.create" POST "/api/v1/games"
        | Required(Manager), Allowed, Games:Write, Untouched, None, Possible, [Game Any]
        | NoParameter, games::GameMoveQuery, Json<games::NewGame> => [201] Data<games::Game>, [Duplicate, Overlap];
    /// Lists the upcoming games, soonest first. Cancelled and postponed games are included, with their status. `mine` and
    /// `child_id` list the games of a family, of a child, or of the teams that the caller is staff of.
    GamesUpcoming "games.upcoming" GET "/api/v1/games/upcoming"
        | Required(Viewer), Allowed, Games:Read, listed(DataClass::Roster), None, Never, []
        | NoParameter, games::GamesUpcomingQuery, EmptyBody => [200] Page<games::Game> as games::SHEET | keeps Unrelated, [NotFound];
    /// Reads a game.
    GameRead "games.read" GET "/api/v1/games/{id}"
        | Required(Viewer), Allowed, Games:Read, listed(DataClass::Roster), None, Never, []
        | GameId, NoQuery, EmptyBody => [200] Data<games::Game> | keeps Unrelated, [];
    /// Changes a game. Families see changes of its time, place, status and sides in `last_change`, with the reason.
    GameChange "games.change" PATCH "/api/v1/games/{id}"
        | Required(Manager), Allowed, Games:Write, Untouched, Required, Possible, [Game Target]
        | GameId, games::GameMoveQuery, MergePatch<games::GamePatch> => [200] Data<games::Game>, [Duplicate, Overlap];
    /// Enters the result of a game. Coaches need to be confirmed staff of one of its teams today.
    GameResult "games.result" POST "/api/v1/games/{id}/result"
        | Required(Coach), Allowed, Games:Write, Untouched, Required, Possible, [Game Target]
            by (StaffOfGame { parameter: "id", unless: Manager })
        | GameId, NoQuery, Json<games::GameResult> => [200] Data<games::Game>, [OperationForbidden, State];
    /// Deletes a game.
    GameDelete "games.delete" DELETE "/api/v1/games/{id}"
        | Required(Manager), Allowed, Games:Write, Untouched, Required, Possible, [Game Target]
        | GameId, NoQuery, EmptyBody => [200] Data<Deleted>, [];
    /// Lists the changes of a game, newest first. The history of a deleted game can still be read.
    GameHistory "games.history" GET "/api/v1/games/{id}/history"
        | Required(Manager), Allowed, Games:Read, Untouched, None, Never, []
        | GameId, ListQuery, EmptyBody => [200] Page<audit::Entry>, [];

    /// Lists changesets, newest first. Coaches see their own, managers all.
    ChangesetList "changesets.list" GET "/api/v1/changesets"
        | Required(Coach), Allowed, Changesets:Read, Untouched, None, Never, []
        | NoParameter, changesets::ChangesetListQuery, EmptyBody => [200] Page<changesets::Changeset>, [];
    /// Proposes a changeset: a draft that does nothing until it is simulated, submitted, approved and executed. A key needs the scope
    /// `changesets:propose`.
    ChangesetCreate "changesets.create" POST "/api/v1/changesets"
        | Required(Coach), ProposeOnly, Changesets:Propose, Untouched, None, Never, [Changeset Own]
        | NoParameter, NoQuery, Json<changesets::NewChangeset> => [201] Data<changesets::Changeset>, [InvalidOperation, OperationNotChangeable, SimulationTooLarge, TooManyOpen, UndoExpired, ContentNotVisible, OperationForbidden, NotFound, State];
    /// Reads a changeset with its operations and its latest simulation.
    ChangesetRead "changesets.read" GET "/api/v1/changesets/{id}"
        | Required(Coach), Allowed, Changesets:Read, Untouched, None, Never, []
        | ChangesetId, NoQuery, EmptyBody => [200] Data<changesets::Changeset>, [];
    /// Changes a changeset, as its author. Approvals become void, and it has to be simulated again.
    ChangesetChange "changesets.change" PATCH "/api/v1/changesets/{id}"
        | Required(Coach), ProposeOnly, Changesets:Propose, Untouched, Required, Never, [Changeset Own]
        | ChangesetId, NoQuery, MergePatch<changesets::ChangeChangeset> => [200] Data<changesets::Changeset>, [InvalidOperation, OperationNotChangeable, OperationForbidden, State];
    /// Simulates a changeset: runs its operations with its author's permissions, stores what they would do, and rolls them back. The
    /// response lists problems. Approvals remain valid if the hash is the same.
    ChangesetSimulate "changesets.simulate" POST "/api/v1/changesets/{id}/simulate"
        | Required(Coach), ProposeOnly, Changesets:Propose, Untouched, None, Never, [Changeset Target]
        | ChangesetId, NoQuery, EmptyBody => [200] Data<changesets::Changeset>, [SimulationTooLarge, State];
    /// Reads a simulation with its effects.
    ChangesetSimulation "changesets.simulation" GET "/api/v1/changesets/{id}/simulations/{simulation_id}"
        | Required(Coach), Allowed, Changesets:Read, Images, None, Never, []
        | Parameters<(ChangesetId, SimulationId)>, NoQuery, EmptyBody => [200] Data<changesets::SimulationRead>, [];
    /// Reads what the latest simulation would do to each record. `Accept: text/plain` returns it as text.
    ChangesetDiff "changesets.diff" GET "/api/v1/changesets/{id}/diff"
        | Required(Coach), Allowed, Changesets:Read, Images, None, Never, []
        | ChangesetId, NoQuery, EmptyBody => [200] changesets::DiffAnswer, [NotSimulated];
    /// Reads the impact of the latest simulation, in terms of people.
    ChangesetImpact "changesets.impact" GET "/api/v1/changesets/{id}/impact"
        | Required(Coach), Allowed, Changesets:Read, Untouched, None, Never, []
        | ChangesetId, NoQuery, EmptyBody => [200] Data<changesets::Simulation>, [NotSimulated];
    /// Submits a simulated changeset for review. At risk R0 it is approved at once.
    ChangesetSubmit "changesets.submit" POST "/api/v1/changesets/{id}/submit"
        | Required(Coach), ProposeOnly, Changesets:Propose, Untouched, None, Never, [Changeset Own]
        | ChangesetId, NoQuery, EmptyBody => [200] Data<changesets::Changeset>, [NotSimulated, SimulationExpired, OperationForbidden, State];
    /// Approves a simulation, in a session. Its author cannot; other approvers must be permitted to see and do all of it.
    ChangesetApprove "changesets.approve" POST "/api/v1/changesets/{id}/approve"
        | Required(Manager), SessionOnly, Changesets:Write, Images, None, Never, [Changeset Target]
        | ChangesetId, NoQuery, Json<changesets::SimulationHash> => [200] Data<changesets::Changeset>, [OwnChangeset, ApproverTooNew, ContentNotVisible, SimulationChanged, SimulationExpired, OperationForbidden, State];
    /// Withdraws the caller's approval.
    ChangesetUnapprove "changesets.unapprove" POST "/api/v1/changesets/{id}/unapprove"
        | Required(Manager), SessionOnly, Changesets:Write, Untouched, None, Never, [Changeset Target]
        | ChangesetId, NoQuery, EmptyBody => [200] Data<changesets::Changeset>, [State];
    /// Rejects a submitted changeset for good.
    ChangesetReject "changesets.reject" POST "/api/v1/changesets/{id}/reject"
        | Required(Manager), SessionOnly, Changesets:Write, Untouched, None, Never, [Changeset Target]
        | ChangesetId, NoQuery, Json<changesets::Rejection> => [200] Data<changesets::Changeset>, [OwnChangeset, State];
    /// Withdraws a changeset for good, as its author or as an admin.
    ChangesetWithdraw "changesets.withdraw" POST "/api/v1/changesets/{id}/withdraw"
        | Required(Coach), ProposeOnly, Changesets:Propose, Untouched, None, Never, [Changeset Target]
        | ChangesetId, NoQuery, Json<changesets::Rejection> => [200] Data<changesets::Changeset>, [OperationForbidden, State];
    /// Schedules an approved changeset, which the server executes at the given time.
    ChangesetSchedule "changesets.schedule" POST "/api/v1/changesets/{id}/schedule"
        | Required(Coach), SessionOnly, Changesets:Write, Untouched, None, Never, [Changeset Target]
        | ChangesetId, NoQuery, Json<changesets::Schedule> => [200] Data<changesets::Changeset>, [SimulationChanged, ContentNotVisible, OperationForbidden, State];
    /// Executes an approved changeset, exactly once: does what was approved, or nothing. Repeating the request returns the same result.
    ChangesetExecute "changesets.execute" POST "/api/v1/changesets/{id}/execute"
        | Required(Coach), SessionOnly, Changesets:Write, Untouched, None, Never, [Changeset Any]
        | ChangesetId, NoQuery, Json<changesets::SimulationHash> => [200] Data<changesets::Executed>, [ChangesetStale, AuthorityLost, SimulationChanged, UndoConflict, OperationForbidden, State];
    /// Undoes an executed changeset: proposes a changeset that undoes it, and executes that at once if `quick` is set and possible.
    ChangesetUndo "changesets.undo" POST "/api/v1/changesets/{id}/undo"
        | Required(Coach), ProposeOnly, Changesets:Propose, Images, None, Never, [Changeset Any]
        | ChangesetId, NoQuery, Json<changesets::NewUndo> => [201] Data<changesets::Changeset>, [UndoConflict, UndoExpired, OperationNotChangeable, SimulationTooLarge, ContentNotVisible, OperationForbidden, TooManyOpen, State];
    /// Resolves conflicts of an undo with later changes, as its author, and simulates it again.
    ChangesetResolve "changesets.resolve" POST "/api/v1/changesets/{id}/resolutions"
        | Required(Coach), ProposeOnly, Changesets:Propose, Untouched, None, Never, [Changeset Own]
        | ChangesetId, NoQuery, Json<changesets::Resolve> => [200] Data<changesets::Changeset>, [OperationForbidden, SimulationTooLarge, State];
    /// Lists what happened to a changeset, earliest first.
    ChangesetEvents "changesets.events" GET "/api/v1/changesets/{id}/events"
        | Required(Coach), Allowed, Changesets:Read, Untouched, None, Never, []
        | ChangesetId, ListQuery, EmptyBody => [200] Page<changesets::Event>, [];

    /// Imports a league file: seasons, divisions, teams, venues and games. All or nothing, unless `skip_bad` is set. Importing the
    /// same file again changes nothing; a later version of it updates the records. Try it with `dry_run` first: the response shows how the
    /// file is read and which record each name becomes. With `as_changeset=true` it is not imported: it becomes a changeset, which is
    /// simulated at once, and the response is that changeset, with status 201. A file that changes more than 50 existing records
    /// has to be proposed in this way if enough other people can approve it.
    LeagueImport "imports.league" POST "/api/v1/imports/league"
        | Required(Manager), Allowed, Imports:Write, Untouched, None, AsOne, [Season Any, Division Any, Team Any, Venue Any, Game Any]
        | NoParameter, imports::LeagueImportQuery, Upload<imports::LeagueImport> => [200, 201] imports::LeagueAnswer, [LimitReached, ChangesetRequired, SimulationTooLarge, TooManyOpen];
    /// Lists the formats of league files that can be imported, with their columns and rules.
    ImportFormats "imports.formats" GET "/api/v1/imports/formats"
        | Public, Allowed, Imports:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Data<imports::ImportFormats>, [];

    /// Requests an archive of the organization. The response has a link that opens it once, within 24 hours, as long as the caller is an
    /// owner. The archive can be imported into an empty organization on any server.
    ExportCreate "exports.create" POST "/api/v1/exports"
        | Required(Owner), FreshSessionOnly, Exports:Write, Untouched, None, Never, [Export Any]
        | NoParameter, NoQuery, Json<exports::NewExport> => [201] Data<exports::RequestedExport>, [AlreadyCreated];
    /// Reads an export.
    ExportRead "exports.read" GET "/api/v1/exports/{id}"
        | Required(Owner), Allowed, Exports:Read, Untouched, None, Never, []
        | ExportId, NoQuery, EmptyBody => [200] Data<exports::Export>, [];
    /// Downloads the archive of an export with its link. The archive is gzipped lines of JSON: a heading, a line for each record, and an end
    /// with the digest of all other lines. Without the end, the download is incomplete.
    ExportContent "exports.content" GET "/api/v1/exports/{id}/content"
        | Public, SessionOnly, Exports:Read, Untouched, None, Never, [Export Target]
        | ExportId, exports::ExportLink, EmptyBody => [200] ArchiveFile, [LinkExpired];

    /// Searches the college catalogue by name.
    CollegeSearch "colleges.search" GET "/api/v1/colleges"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, None, Never, []
        | NoParameter, colleges::CollegeSearch, EmptyBody => [200] Page<colleges::College>, [];
    /// Searches the catalogue's programs by college and sport.
    ProgramSearch "programs.search" GET "/api/v1/colleges/programs"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, None, Never, []
        | NoParameter, colleges::ProgramSearch, EmptyBody => [200] Page<colleges::Program>, [];
    /// Reads a program.
    ProgramRead "programs.read" GET "/api/v1/colleges/programs/{id}"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, None, Never, []
        | ProgramId, NoQuery, EmptyBody => [200] Data<colleges::Program>, [];
    /// Lists the caller's saved college programs in their order, or with `child_id` those of a child, whose list its family shares. Without a
    /// credential, it returns the list of the guest whose token is in `X-Guest-Token`, or an empty list.
    FavoriteList "favorites.list" GET "/api/v1/colleges/favorites"
        | Optional(Viewer), Allowed, Favorites:Read, if_named(DataClass::Records, Verb::Read), None, Never, []
        | NoParameter, favorites::FavoriteListQuery, EmptyBody => [200] Page<favorites::Favorite>, [NotFound, Unauthenticated];
    /// Saves a college program, on the caller's own list or on that of a child. Responds with 200 and `meta.created: false` if it was already
    /// saved. The response to a guest's first save includes the guest's token.
    FavoriteSave "favorites.save" POST "/api/v1/colleges/favorites"
        | Optional(Viewer), Allowed, Favorites:Write, if_named(DataClass::Records, Verb::Write), None, Never, [Favorite Own, ChildFavorite Any]
        | NoParameter, favorites::FavoriteSaveQuery, Json<favorites::FavoriteSave> => [201, 200] favorites::SavedFavorite, [AlreadyCreated, LimitReached, NotFound, Unauthenticated];
    /// Changes the stage, fit, interest, notes or tags of a saved program.
    FavoriteChange "favorites.change" PATCH "/api/v1/colleges/favorites/{id}"
        | Optional(Viewer), Allowed, Favorites:Write, if_named(DataClass::Records, Verb::Write), Honoured, Never, [Favorite Own, ChildFavorite Any]
        | FavoriteId, NoQuery, MergePatch<favorites::ChangeFavorite> => [200] Data<favorites::Favorite>, [];
    /// Removes a saved program.
    FavoriteRemove "favorites.remove" DELETE "/api/v1/colleges/favorites/{id}"
        | Optional(Viewer), Allowed, Favorites:Write, if_named(DataClass::Records, Verb::Write), Honoured, Never, [Favorite Own, ChildFavorite Any]
        | FavoriteId, NoQuery, EmptyBody => [200] favorites::FavoriteRemoved, [];
    /// Changes the order of the whole list.
    FavoriteOrder "favorites.order" PUT "/api/v1/colleges/favorites/order"
        | Optional(Viewer), Allowed, Favorites:Write, if_named(DataClass::Records, Verb::Write), None, Never, [Favorite Own, ChildFavorite Any]
        | NoParameter, NoQuery, Json<favorites::FavoriteOrder> => [200] Page<favorites::Favorite>, [NotFound, Unauthenticated];
    /// Exports the whole list of the caller or of a child, as CSV or JSON.
    FavoriteExport "favorites.export" GET "/api/v1/colleges/favorites/export"
        | Optional(Viewer), Allowed, Favorites:Read, if_named(DataClass::Records, Verb::Read), None, Never, []
        | NoParameter, favorites::FavoriteExportQuery, EmptyBody => [200] Page<favorites::Favorite> as favorites::SHEET, [NotFound, Unauthenticated];
    /// Moves a guest's list to the caller's list. The guest, whose token is in `X-Guest-Token`, is deleted. Programs that are already on
    /// the caller's list stay unchanged.
    FavoritesClaim "favorites.claim" POST "/api/v1/colleges/favorites/claim"
        | Required(Viewer), Allowed, Favorites:Write, Untouched, None, Never, [Favorite Own]
        | NoParameter, NoQuery, EmptyBody => [200] Data<favorites::FavoritesClaimed>, [NotFound, LimitReached];
    /// Reads a college.
    CollegeRead "colleges.read" GET "/api/v1/colleges/{id}"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, None, Never, []
        | CollegeId, NoQuery, EmptyBody => [200] Data<colleges::College>, [];

    /// Shows the page that the link of an invitation opens.
    InvitationPage "pages.invitation" GET "/accept-invitation"
        | Public, Allowed, Auth:Read, Untouched, None, Never, []
        | NoParameter, auth::LinkQuery, EmptyBody => [200] Form, [LinkExpired];
    /// Accepts an invitation with the form of that page.
    InvitationPageSubmit "pages.invitation.submit" POST "/accept-invitation"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, []
        | NoParameter, NoQuery, FormFields<invitations::InvitationAcceptance> => [200] Form, [LinkExpired, InvalidCredentials, SelfGrant, Duplicate, OrganizationSuspended];
    /// Shows the page that the link of a password reset opens.
    PasswordResetPage "pages.password_reset" GET "/reset-password"
        | Public, Allowed, Auth:Read, Untouched, None, Never, []
        | NoParameter, auth::LinkQuery, EmptyBody => [200] Form, [LinkExpired];
    /// Sets a new password with the form of that page.
    PasswordResetPageSubmit "pages.password_reset.submit" POST "/reset-password"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, []
        | NoParameter, NoQuery, FormFields<auth::PasswordResetCompletion> => [200] Form, [LinkExpired];
    /// Shows the page on which a forgotten password is reported.
    ForgotPasswordPage "pages.forgot_password" GET "/forgot-password"
        | Public, Allowed, Auth:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Form, [];
    /// Requests the link of a password reset with the form of that page.
    ForgotPasswordPageSubmit "pages.forgot_password.submit" POST "/forgot-password"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, []
        | NoParameter, NoQuery, FormFields<auth::PasswordResetRequest> => [202] Form, [];
    /// Shows the page that the links of a change of the e-mail address open.
    EmailPage "pages.email" GET "/confirm-email"
        | Public, Allowed, Auth:Read, Untouched, None, Never, []
        | NoParameter, auth::LinkQuery, EmptyBody => [200] Form, [LinkExpired];
    /// Confirms a change of the e-mail address with the form of that page.
    EmailPageSubmit "pages.email.submit" POST "/confirm-email"
        | Public, SessionOnly, Auth:Write, Untouched, None, Never, []
        | NoParameter, NoQuery, FormFields<crate::profile::EmailConfirmation> => [200] Form, [LinkExpired, Duplicate];

    /// Lists the organizations of the server, earliest first.
    OperatorOrganizationList "operator.organizations.list" GET "/operator/organizations"
        | Operator, SessionOnly, Operator:Read, Untouched, None, Never, []
        | NoParameter, operator::OrganizationListQuery, EmptyBody => [200] Page<Organization>, [];
    /// Founds an organization with its owner, who gets a link to set a password unless they have one.
    OperatorOrganizationCreate "operator.organizations.create" POST "/operator/organizations"
        | Operator, SessionOnly, Operator:Write, Untouched, None, Never, [Organization Any, User Any, Member Any]
        | NoParameter, NoQuery, Json<operator::FoundOrganization> => [201] Data<operator::FoundedOrganization>, [AlreadyCreated, Duplicate];
    /// Suspends or resumes an organization. Suspension takes effect with the next request of its members and keys, and ends no session.
    OperatorOrganizationChange "operator.organizations.change" PATCH "/operator/organizations/{id}"
        | Operator, SessionOnly, Operator:Write, Untouched, Honoured, Never, [Organization Target]
        | OrganizationId, NoQuery, MergePatch<operator::SuspendOrganization> => [200] Data<Organization>, [];
    /// Updates the college catalogue from a file, all or nothing. Importing the same file again changes nothing.
    OperatorCatalogue "operator.catalogue" POST "/operator/catalogue"
        | Operator, SessionOnly, Operator:Write, Untouched, None, Never, [College Any, Program Any]
        | NoParameter, NoQuery, Upload<operator::CatalogueImport> => [200] Data<operator::CatalogueReport>, [];
    /// Imports the archive of an organization into one that has only members: all of it or nothing. The organization takes the archive's
    /// name, country and time zone, and keeps its short name and its members.
    OperatorImportOrganization "operator.import_organization" POST "/operator/imports/organization"
        | Operator, SessionOnly, Operator:Write, Untouched, None, Never, [Organization Any, User Any, Member Any, Season Any, Division Any, Team Any, Venue Any, Game Any, Staff Any]
        | NoParameter, NoQuery, Archive<operator::ArchiveImport> => [200] Data<operator::ArchiveReport>, [NotFound, State, Duplicate];
    /// Creates a link with which a user sets a new password. It is not mailed.
    OperatorPasswordReset "operator.users.password_reset" POST "/operator/users/password-reset"
        | Operator, SessionOnly, Operator:Write, Untouched, None, Never, []
        | NoParameter, NoQuery, Json<operator::PasswordLinkRequest> => [201] Data<operator::PasswordLink>, [NotFound];
    /// Lists the messages of the server, newest first.
    OperatorMailList "operator.mail.list" GET "/operator/mail"
        | Operator, SessionOnly, Operator:Read, Untouched, None, Never, []
        | NoParameter, operator::MailListQuery, EmptyBody => [200] Page<operator::Mail>, [];
    /// Reads a message with its text, as it would be sent now.
    OperatorMailRead "operator.mail.read" GET "/operator/mail/{id}"
        | Operator, SessionOnly, Operator:Read, Untouched, None, Never, []
        | MailId, NoQuery, EmptyBody => [200] Data<operator::MailText>, [];

    /// Shows what this server is, with links to its documentation.
    Home "service.home" GET "/"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Html, [];
    /// Reads how long the server keeps data that it removes by itself.
    RetentionPolicy "service.retention_policy" GET "/api/v1/privacy/retention-policy"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Data<service::RetentionPolicy>, [];
    /// Shows the same as a page.
    RetentionPage "service.retention_page" GET "/privacy"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Html, [];
    /// Reads the keys that verify this server's access tokens.
    JsonWebKeys "service.jwks" GET "/.well-known/jwks.json"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] auth::JsonWebKeySet, [];
    /// Reads the configuration for OpenID Connect clients.
    OpenIdConfiguration "service.openid_configuration" GET "/.well-known/openid-configuration"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] auth::OpenIdConfiguration, [];
    /// Reads which authorization server issues tokens for this API.
    ProtectedResource "service.protected_resource" GET "/.well-known/oauth-protected-resource"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] auth::ProtectedResource, [];
    /// Reads the OpenAPI 3.1 document of this API.
    OpenApi "service.openapi" GET "/openapi.json"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] service::OpenApiDocument, [];
    /// Shows the documentation page, where requests can be sent.
    Docs "service.docs" GET "/docs"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] Html, [];
    /// Reads a file of the documentation page.
    DocsAsset "service.docs_asset" GET "/docs/{file}"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | String, NoQuery, EmptyBody => [200] Asset, [];
    /// Shows the page that explains an error code.
    ProblemPage "service.problem_page" GET "/problems/{code}"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | String, NoQuery, EmptyBody => [200] Html, [];
    /// Reports that the process is running.
    Health "service.health" GET "/healthz"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] service::Health, [];
    /// Reports whether the server can serve requests: its database is reachable and has the right schema version.
    Ready "service.ready" GET "/readyz"
        | Public, Allowed, Service:Read, Untouched, None, Never, []
        | NoParameter, NoQuery, EmptyBody => [200] service::Readiness, [];

without HTTP:

    /// Founds the first organization, directly on the store, with members who have passwords.
    OperatorFound "operator.found" [Organization Any, User Any, Member Any];
    /// Creates the invented families of the demo.
    DemoFamilies "demo.families" [
        Child Any, ChildIdentity Any, ChildContact Any, ChildEmergency Any, ChildMedical Any, ChildPerformance Any, Relation Any,
        Restriction Any, Consent Any, Registration Any, RosterEntry Any, Staff Any, Duty Any
    ];
    /// Updates the college catalogue from a file.
    OperatorLoadColleges "operator.load_colleges" [College Any, Program Any];
    /// Marks an invitation whose message could not be delivered.
    InvitationMailFailed "invitations.mail_failed" [Invitation Target];
    /// Marks an invitation to be a guardian whose message could not be delivered.
    GuardianInvitationMailFailed "guardian_invitations.mail_failed" [GuardianInvitation Target];
    /// Moves the UTC times of games to come to what their local start means by the rules of its time zone now.
    GamesKeepLocalTimes "games.keep_local_times" [Game Any];
    /// Executes a changeset at the time for which it is scheduled.
    ChangesetRunScheduled "changesets.run_scheduled" [Changeset Any];
    /// Notes that the time of a changeset is over.
    ChangesetExpire "changesets.expire" [Changeset Any];
    /// Erases a child again, because a restored database still had it.
    ChildEraseAgain "children.erase_again" [PrivacyRequest Any, Child Any];
    /// Clears images of records that are older than their retention.
    LedgerRetention "ledger.retention" [];
}
