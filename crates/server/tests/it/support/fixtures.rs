//! Fixtures: users and records written to the store directly, not through the API. For what the API cannot create, such as records of the
//! past, and for many new records.

use fieldhouse_domain::Moment;
use fieldhouse_domain::api_keys::{self, KeyText, Minted, NewApiKey};
use fieldhouse_domain::changesets::impact::{Impact, Surroundings};
use fieldhouse_domain::changesets::risk::Risk;
use fieldhouse_domain::changesets::{Author, Changeset, ChangesetKind, ChangesetState, UndoOf};
use fieldhouse_domain::children::break_glass::{BreakGlassGrant, GRANT_LIFE};
use fieldhouse_domain::children::cases::{CaseState, SafeguardingCase};
use fieldhouse_domain::children::relations::{
    self, Facts, NewRelation, Relation, RelationKind, RelationState,
};
use fieldhouse_domain::divisions::{Division, NewDivision};
use fieldhouse_domain::duties::{self, Duty, DutyKind, DutyState, Named, NewDuty};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{
    self, ChangeFavorite, CustomProgram, ListOwner, SavedProgram, WrittenGender,
};
use fieldhouse_domain::games::{Game, NewGame};
use fieldhouse_domain::ids::{
    ApiKeyId, BreakGlassGrantId, ChangesetId, ChildId, FavoriteId, InvitationId, MemberId, OrganizationId,
    RestrictionId, SeasonId, SessionId, TeamId, UserId, VenueId,
};
use fieldhouse_domain::invitations::{self, Invitation, NewInvitation};
use fieldhouse_domain::mail::RESET_LIFE;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{Organization, Slug};
use fieldhouse_domain::privacy_requests::{self, NewPrivacyRequest, PrivacyRequest, PrivacyRequestKind};
use fieldhouse_domain::record::Shared;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::{NewSeason, Season};
use fieldhouse_domain::second_person::Actor;
use fieldhouse_domain::sessions::{Client, Session};
use fieldhouse_domain::staff::{self, NewStaff, Staff, StaffKind, StaffState};
use fieldhouse_domain::teams::{NewTeam, Team};
use fieldhouse_domain::text::{Email, Name, Reason};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::{self, User};
use fieldhouse_domain::venues::{NewVenue, Venue};
use fieldhouse_server::App;
use fieldhouse_server::auth::links;
use fieldhouse_server::auth::tokens::{self, RefreshToken, Subject};
use fieldhouse_server::key_ring::Purpose;
use fieldhouse_store::changesets::{Origin, Simulation};
use fieldhouse_store::{Change, Tx, mail};
use fieldhouse_testing::{clubs, families};
use jiff::SignedDuration;
use std::collections::BTreeSet;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::{Club, PASSWORD, Person, address};

/// Records to write to one organization, all created at the same time.
pub(crate) struct Fixture {
    app: App,
    organization: OrganizationId,
    password_hash: String,
    moment: Moment,
    effects: Vec<Effect>,
    changesets: Vec<(Changeset, Option<UndoOf>)>,
}

/// The hash of the simulation of a changeset in a fixture.
pub(crate) const HASH: &str = "0123456789abcdef";

/// The e-mail address of a member in a fixture.
pub(crate) fn member_address(user: UserId) -> String {
    format!("{user}@people.example")
}

fn invitation(moment: &Moment, from: UserId, email: &str) -> Invitation {
    let wanted = NewInvitation { email: Email::parse(email).expect("an address"), role: Role::Viewer };
    invitations::invite(moment, Role::Owner, from, wanted, 0).expect("an invitation")
}

/// Invites an address to an organization, and returns the token of the link.
pub(crate) async fn invited(club: &Club, organization: OrganizationId, email: &str) -> String {
    let from = club.member(Role::Owner).user.expect("a user");
    let moment = club.app.clock.moment();
    let effect = Effect::create(invitation(&moment, from, email));
    let written = clubs::write(&club.app.store, organization, async move |tx, proof| {
        let moment = moment.again();
        let of = Change { moment: &moment, operation: "testing.invite", request_id: "", reason: None };
        tx.apply(proof, of, std::slice::from_ref(&effect)).await.map(drop)
    });
    written.await.expect("an invitation");
    newest_token(club, email).await
}

/// An export of the club's data, with the token of its link.
pub(crate) async fn exported(club: &Club) -> (String, String) {
    let owner = club.another_session(Role::Owner).await;
    let created = owner.post("/api/v1/exports", &serde_json::json!({"kind": "organization"})).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let token = created.body["data"]["token"].as_str().expect("a token");
    (created.id().to_owned(), token.to_owned())
}

/// An export of a new child of a member: the child, the export and the token of its link.
pub(crate) async fn child_exported(club: &Club) -> (String, String, String) {
    let parent = club.another_session(Role::Member).await;
    let wanted = serde_json::json!({"display_name": "Zzyzxgrove of the exports", "birth_date": "2012-05-06"});
    let child = parent.post("/api/v1/children", &wanted).await;
    let child = child.body["data"]["child_id"].as_str().expect("an id").to_owned();
    let created = parent.post(&format!("/api/v1/children/{child}/exports"), &serde_json::json!({})).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let token = created.body["data"]["token"].as_str().expect("a token").to_owned();
    (child, created.id().to_owned(), token)
}

/// The token of a link that sets the password of the user with an address.
#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
pub(crate) async fn reset(club: &Club, email: &str) -> String {
    let (store, email) = (&club.app.store, Email::parse(email).expect("an address"));
    let (operator, moment) = (store.operator(), club.app.clock.moment());
    let created = store.write("testing.reset", async move |tx: &mut Tx<'_>| {
        tx.create_reset(&operator, &email, &moment.again(), RESET_LIFE).await
    });
    links::token(&created.await.expect("a reset"), &club.app.key_ring)
}

/// The token of a link that confirms a new e-mail address of a new user.
pub(crate) async fn changing_address(club: &Club) -> String {
    let moment = club.app.clock.moment();
    let email = format!("{}@changing.example", moment.id::<UserId>());
    let user = User::new(&moment, Email::parse(&email).expect("an address"), name("Robin"), None);
    let wanted = Email::parse(&format!("new-{email}")).expect("an address");
    let pending = users::email_requested(&moment, &user, wanted).expect("a request");
    let change = Effect::update(&moment, user.clone(), pending).expect("a change");
    // The message has the time of the request, as the user has.
    let written = clubs::write(&club.app.store, club.organization, async move |tx, proof| {
        let moment = moment.again();
        let of = Change { moment: &moment, operation: "testing.change", request_id: "", reason: None };
        tx.apply(proof, of, &[Effect::create(user.clone())]).await?;
        tx.apply(proof, of, std::slice::from_ref(&change)).await.map(drop)
    });
    written.await.expect("a change");
    newest_token(club, &email).await
}

/// The token of the latest message to an address, which was queued just now.
#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
async fn newest_token(club: &Club, email: &str) -> String {
    let store = &club.app.store;
    let all = mail::list(&mut &**store, &store.operator(), None, None, 1_000).await.expect("messages");
    let mail = all.iter().find(|mail| mail.recipient.as_str() == email).expect("a message");
    links::token(mail, &club.app.key_ring)
}

/// A member in a fixture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixtureMember {
    pub(crate) user: UserId,
    pub(crate) member: MemberId,
}

/// A session in a fixture, with its tokens.
#[derive(Clone, Debug)]
pub(crate) struct FixtureSession {
    pub(crate) id: SessionId,
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
}

/// The hash of every user's password. It is slow, so that all tests of a process share one.
async fn password_hash(app: &App) -> &'static str {
    static HASH: OnceCell<String> = OnceCell::const_new();
    let hash = async || {
        let turn = app.passwords.turn().expect("a turn");
        // The salt does not come from the app's clock: the first test would advance its random sequence.
        turn.hash(PASSWORD.into(), [7; 16]).await.expect("a hash")
    };
    HASH.get_or_init(hash).await
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

impl Fixture {
    /// For records of the club, created that long ago.
    pub(crate) async fn new(club: &Club, ago: SignedDuration) -> Self {
        Self::in_organization(club, club.organization, ago).await
    }

    /// For records of any organization on the club's server, created that long ago.
    pub(crate) async fn in_organization(
        club: &Club,
        organization: OrganizationId,
        ago: SignedDuration,
    ) -> Self {
        Self::of(&club.app, organization, ago).await
    }

    async fn of(app: &App, organization: OrganizationId, ago: SignedDuration) -> Self {
        let app = app.clone();
        let password_hash = password_hash(&app).await.to_owned();
        let moment = app.clock.moment_at(app.clock.now().checked_sub(ago).expect("a time"));
        Self { app, organization, password_hash, moment, effects: Vec::new(), changesets: Vec::new() }
    }

    /// Creates an organization with a member of every role, each with a session.
    pub(crate) async fn found(
        app: &App,
        organization: &str,
    ) -> (OrganizationId, Vec<(FixtureMember, FixtureSession)>) {
        let organization = name(organization);
        let mut fixture = Self::of(app, app.clock.moment().id(), SignedDuration::ZERO).await;
        let (id, now) = (fixture.organization, fixture.moment.now());
        let slug = Slug::of(&organization).expect("a short name");
        fixture.effects.push(Effect::create(AnyRecord::from(Organization {
            id,
            slug: slug.clone(),
            name: organization.clone(),
            country: None,
            time_zone: TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
            suspended_at: None,
            created_at: now,
            updated_at: now,
            version: 1,
        })));
        let people = Role::ALL.map(|role| {
            let user = fixture.user(&address(slug.as_str(), role), &format!("{role} of {organization}"));
            let member = FixtureMember { user, member: fixture.membership(user, role) };
            (member, fixture.session(user))
        });
        fixture.write().await;
        (id, people.into())
    }

    /// The organization.
    pub(crate) fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// Adds a member with the common password.
    pub(crate) fn member(&mut self, role: Role) -> FixtureMember {
        let email = "someone@people.example";
        let user = self.user(email, &format!("Member with the role {role}"));
        if let Some(Effect { after: Some(AnyRecord::User(user)), .. }) = self.effects.last_mut() {
            let user = Shared::make_mut(user);
            user.email = Email::parse(&member_address(user.id)).expect("an address");
        }
        FixtureMember { user, member: self.membership(user, role) }
    }

    /// Adds an invitation to the role viewer from a member.
    pub(crate) fn invitation(&mut self, from: UserId) -> InvitationId {
        let email = format!("{}@invited.example", self.moment.id::<UserId>());
        let invitation = invitation(&self.moment, from, &email);
        let id = invitation.id;
        self.effects.push(Effect::create(AnyRecord::from(invitation)));
        id
    }

    fn user(&mut self, email: &str, called: &str) -> UserId {
        let (email, hash) = (Email::parse(email).expect("an address"), self.password_hash.clone());
        let user = User::new(&self.moment, email, name(called), Some(hash));
        let id = user.id;
        self.effects.push(Effect::create(AnyRecord::from(user)));
        id
    }

    /// Adds a membership of an existing user.
    pub(crate) fn membership(&mut self, user: UserId, role: Role) -> MemberId {
        let member = Member::new(&self.moment, user, role);
        let id = member.id;
        self.effects.push(Effect::create(AnyRecord::from(member)));
        id
    }

    /// Adds a session, signed in at the time of the fixture. Its access token is issued now.
    pub(crate) fn session(&mut self, user: UserId) -> FixtureSession {
        let client = Client { user_agent: None, ip: None };
        let session = Session::open(&self.moment, user, "password", client);
        let nonce = self.app.clock.random();
        let refresh_token = RefreshToken::new(self.organization, session.id, session.generation, nonce)
            .write(&self.app.key_ring);
        let subject = Subject {
            user,
            organization: self.organization,
            session: session.id,
            authenticated_at: self.moment.now(),
        };
        let jti = Uuid::from_bytes(self.app.clock.random());
        let issued = self.app.tokens.issue(&subject, self.app.clock.now(), jti);
        let access_token = issued.expect("a signing key").0;
        let id = session.id;
        let session = session.with_token(tokens::digest(&refresh_token));
        self.effects.push(Effect::create(AnyRecord::from(session)));
        FixtureSession { id, access_token, refresh_token }
    }

    /// Adds an API key, issued at the time of the fixture to a user with this role.
    pub(crate) fn key(&mut self, user: UserId, role: Role) -> (ApiKeyId, String) {
        self.wanted_key(user, role, NewApiKey::new(name("Scoreboard")))
    }

    /// Adds an API key with these fields.
    pub(crate) fn wanted_key(&mut self, user: UserId, role: Role, wanted: NewApiKey) -> (ApiKeyId, String) {
        let clock = &self.app.clock;
        let text = KeyText::new(u64::from_be_bytes(clock.random()), clock.random());
        let (pepper_id, digest) = {
            let mut macs = self.app.key_ring.macs(Purpose::ApiKeyPepper, text.reveal().as_bytes());
            let (id, digest) = macs.next().expect("a pepper");
            (id.to_owned(), digest)
        };
        let minted = Minted { text, digest, pepper_id };
        let wanted = api_keys::IssueApiKey { key: wanted, expires_at: None };
        let key = api_keys::issue(&self.moment, user, role, wanted, &minted, 0).expect("a key is issued");
        self.effects.push(Effect::create(key.clone()));
        (key.id, minted.text.reveal().to_owned())
    }

    /// Adds a season with a new name.
    pub(crate) fn season(&mut self) -> SeasonId {
        self.empty_season().id
    }

    /// Adds a season, and returns all of it.
    pub(crate) fn empty_season(&mut self) -> Season {
        let wanted = NewSeason::new(
            name(&format!("Season {}", Uuid::from_bytes(self.app.clock.random()))),
            fieldhouse_domain::sports::Sport::parse("basketball").expect("a sport"),
            TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
        );
        let season = Season::create(&self.moment, wanted);
        self.effects.push(Effect::create(season.clone()));
        season
    }

    /// Adds a division to a new season.
    pub(crate) fn division(&mut self) -> Division {
        let wanted = NewDivision::new(self.season(), name("U12"));
        let division = Division::create(&self.moment, wanted);
        self.effects.push(Effect::create(division.clone()));
        division
    }

    /// Adds a team to a new division.
    pub(crate) fn team(&mut self) -> Team {
        let division = self.division();
        let team = Team::create(&self.moment, NewTeam::new(division.season_id, division.id, name("Eagles")));
        self.effects.push(Effect::create(team.clone()));
        team
    }

    /// Adds a game between two teams of a new division, which starts at the time of the fixture.
    pub(crate) fn game(&mut self) -> Game {
        let home = self.team();
        let away = Team::create(&self.moment, NewTeam::new(home.season_id, home.division_id, name("Hawks")));
        let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let mut wanted = NewGame::new(home.season_id, home.division_id, self.moment.now(), zone);
        (wanted.home_team_id, wanted.away_team_id) = (Some(home.id), Some(away.id));
        let game = Game::create(&self.moment, wanted);
        self.effects.extend([Effect::create(away), Effect::create(game.clone())]);
        game
    }

    /// Adds a proposed staff entry of a new team, about a new member.
    pub(crate) fn staff(&mut self) -> Staff {
        let (team, coach) = (self.team(), self.member(Role::Coach));
        let operator = Actor { user: None, role: Role::Owner, role_given_by: None };
        let new = NewStaff::new(coach.user, StaffKind::Coach);
        let staff = staff::propose(&self.moment, operator, team.id, &new).expect("a proposal");
        self.effects.push(Effect::create(staff.clone()));
        staff
    }

    /// Adds a proposed duty of a new member.
    pub(crate) fn duty(&mut self) -> Duty {
        let holder = self.member(Role::Coach).user;
        let duty = self.proposed_duty(holder);
        self.effects.push(Effect::create(duty.clone()));
        duty
    }

    /// Adds a confirmed duty of a user.
    pub(crate) fn confirmed_duty(&mut self, holder: UserId) -> Duty {
        let duty = Duty { state: DutyState::Confirmed, ..self.proposed_duty(holder) };
        self.effects.push(Effect::create(duty.clone()));
        duty
    }

    /// Makes a user the registrar of a season, for all its teams or for some.
    pub(crate) fn registrar(&mut self, season: SeasonId, team_ids: Vec<TeamId>, user: UserId) {
        let (kind, state, season_id) = (DutyKind::Registrar, DutyState::Accepted, Some(season));
        let duty = Duty { kind, state, season_id, team_ids, ..self.proposed_duty(user) };
        self.effects.push(Effect::create(duty));
    }

    /// Gives a user a duty of the whole organization, which is open now.
    pub(crate) fn on_duty(&mut self, kind: DutyKind, user: UserId) {
        let duty = Duty { kind, state: DutyState::Accepted, ..self.proposed_duty(user) };
        self.effects.push(Effect::create(duty));
    }

    /// Adds a restriction of a new child for everyone.
    pub(crate) fn restriction(&mut self) -> RestrictionId {
        let child = families::child("Zzyzxgrove of the restrictions");
        let restriction = families::restriction(&child);
        let id = restriction.id;
        self.effects.extend(families::with_classes(&child).into_iter().map(Effect::create));
        self.effects.push(Effect::create(restriction));
        id
    }

    /// Adds a safeguarding case about a new child, on which a user works. It is proposed, or open for a day.
    pub(crate) fn case(&mut self, lead: UserId, state: CaseState) -> SafeguardingCase {
        let child = families::child("Zzyzxgrove of the cases");
        let now = self.moment.now();
        let ends_at = now.checked_add(SignedDuration::from_hours(24)).ok();
        let case = SafeguardingCase { state, opened_at: now, ends_at, ..families::case(&child, lead) };
        self.effects.extend(families::with_classes(&child).into_iter().map(Effect::create));
        self.effects.push(Effect::create(case.clone()));
        case
    }

    /// Adds a break-glass grant of a user for a new child.
    pub(crate) fn break_glass(&mut self, user: UserId) -> BreakGlassGrantId {
        let child = families::child("Zzyzxgrove of the emergencies");
        let starts_at = self.moment.now();
        let ends_at = starts_at.checked_add(GRANT_LIFE).expect("a time");
        let grant = BreakGlassGrant { starts_at, ends_at, ..families::break_glass(&child, user) };
        let id = grant.id;
        self.effects.extend(families::with_classes(&child).into_iter().map(Effect::create));
        self.effects.push(Effect::create(grant));
        id
    }

    fn proposed_duty(&self, user_id: UserId) -> Duty {
        let operator = Actor { user: None, role: Role::Owner, role_given_by: None };
        let new = NewDuty {
            user_id,
            kind: DutyKind::MedicalStaff,
            team_ids: Vec::new(),
            season_id: None,
            starts_at: None,
            ends_at: self.moment.now().checked_add(SignedDuration::from_hours(24 * 99)).ok(),
            reason: Reason::parse("The season starts").expect("a reason"),
        };
        let named = Named { is_member: true, has_season: true, teams: Vec::new() };
        duties::propose(&self.moment, operator, &new, &named).expect("a proposal")
    }

    /// Adds a child to whom no one has a relation.
    pub(crate) fn child(&mut self) -> ChildId {
        let child = families::child("Zzyzxgrove of the fixtures");
        self.effects.extend(families::with_classes(&child).into_iter().map(Effect::create));
        child.id
    }

    /// Adds a request of a new member to erase a new child, whose guardian they are.
    pub(crate) fn privacy_request(&mut self) -> PrivacyRequest {
        let (child_id, person) = (self.child(), self.member(Role::Coach).user);
        let new = NewPrivacyRequest { child_id, kind: PrivacyRequestKind::Erasure, details: None };
        let request = privacy_requests::request(&self.moment, person, &new).expect("a request");
        let relation = Relation::of_creator(&self.moment, child_id, person, RelationKind::Guardian);
        self.effects.extend([Effect::create(relation), Effect::create(request.clone())]);
        request
    }

    /// Adds a proposed relation of a new member to a new child.
    pub(crate) fn relation(&mut self) -> Relation {
        let person = self.member(Role::Coach).user;
        let relation = self.proposed_relation(person);
        self.effects.push(Effect::create(relation.clone()));
        relation
    }

    /// Adds a confirmed relation of a user to a new child.
    pub(crate) fn confirmed_relation(&mut self, person: UserId) -> Relation {
        let relation = Relation { state: RelationState::Confirmed, ..self.proposed_relation(person) };
        self.effects.push(Effect::create(relation.clone()));
        relation
    }

    fn proposed_relation(&mut self, user_id: UserId) -> Relation {
        let child = self.child();
        let operator = Actor { user: None, role: Role::Owner, role_given_by: None };
        let new = NewRelation { user_id, kind: RelationKind::Guardian, expires_at: None, reason: None };
        let facts = Facts { is_member: true, ..Facts::default() };
        relations::propose(&self.moment, operator, child, &new, &facts).expect("a proposal")
    }

    /// Adds a confirmed staff entry of a user.
    pub(crate) fn confirmed_staff(&mut self, team: TeamId, user: UserId) {
        let operator = Actor { user: None, role: Role::Owner, role_given_by: None };
        let new = NewStaff::new(user, StaffKind::Coach);
        let staff = staff::propose(&self.moment, operator, team, &new).expect("a proposal");
        self.effects.push(Effect::create(Staff { state: StaffState::Confirmed, ..staff }));
    }

    /// Adds a venue with a new name.
    pub(crate) fn venue(&mut self) -> VenueId {
        let wanted = NewVenue::new(
            name(&format!("Hall {}", Uuid::from_bytes(self.app.clock.random()))),
            TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
        );
        let venue = Venue::create(&self.moment, wanted);
        self.effects.push(Effect::create(venue.clone()));
        venue.id
    }

    /// Adds a saved program to a user's empty list.
    pub(crate) fn favorite(&mut self, user: UserId) -> FavoriteId {
        let program = SavedProgram::Custom(CustomProgram {
            college_name: name("Winding Creek College"),
            state: None,
            sport: fieldhouse_domain::sports::Sport::parse("softball").expect("a sport"),
            gender: WrittenGender(fieldhouse_domain::colleges::ProgramGender::Women),
        });
        let owner = ListOwner::User(user);
        let saved = favorites::save(&self.moment, owner, &[], program, ChangeFavorite::default());
        let (favorite, effect) = saved.expect("a favorite");
        self.effects.extend(effect);
        favorite.id
    }

    /// Adds a changeset that creates a venue, in a state, with a simulation of which nothing is known but its hash.
    pub(crate) fn changeset(
        &mut self,
        author: UserId,
        state: ChangesetState,
        set: impl FnOnce(&mut Changeset),
    ) -> ChangesetId {
        let author = Author { user: author, key: None, is_agent: false };
        let title = name("A new hall");
        let mut changeset = Changeset::new(&self.moment, ChangesetKind::Change, author, title, None);
        changeset.state = state;
        changeset.simulation_id = Some(self.moment.id());
        changeset.simulation_hash = Some(HASH.to_owned());
        changeset.simulated_at = Some(self.moment.now());
        (changeset.required_approvals, changeset.approver_role) = (Some(1), Some(Role::Manager));
        changeset.risk = Some(Risk::R1);
        set(&mut changeset);
        let id = changeset.id;
        self.effects.push(Effect::create(changeset.clone()));
        self.changesets.push((changeset, None));
        id
    }

    /// Adds the draft of an undo.
    pub(crate) fn undo(&mut self, author: UserId, of: UndoOf) -> ChangesetId {
        let id = self.changeset(author, ChangesetState::Draft, |changeset| {
            changeset.kind = ChangesetKind::Undo;
        });
        if let Some((_, undo_of)) = self.changesets.last_mut() {
            *undo_of = Some(of);
        }
        id
    }

    /// Writes the records.
    #[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
    pub(crate) async fn write(self) {
        let Self { app, organization, moment, effects, changesets, .. } = self;
        let operator = app.store.operator();
        let written = app.store.write("test.fixture", async move |tx| {
            let proof = fieldhouse_testing::clubs::permitted(tx, &operator, organization).await?;
            let change =
                Change { moment: &moment, operation: "test.fixture", request_id: "test", reason: None };
            tx.apply(&proof, change, &effects).await?;
            for (changeset, undo_of) in &changesets {
                let origin = Origin {
                    salt: [7; 16],
                    undo_of: undo_of.map(|of| serde_json::json!(of).to_string()),
                    resolutions: "[]".to_owned(),
                    file_options: None,
                };
                tx.create_origin(&proof, changeset.id, &origin, None).await?;
                let hall = serde_json::json!({"name": format!("Hall {}", changeset.id), "time_zone": "UTC"});
                let create = serde_json::json!({"op": "create", "resource": "venues", "data": hall});
                tx.replace_operations(&proof, changeset.id, &[(create, None)]).await?;
                let simulation = Simulation {
                    id: changeset.simulation_id.expect("a simulation"),
                    changeset: changeset.id,
                    hash: changeset.simulation_hash.clone(),
                    effect_digest: HASH.to_owned(),
                    at: moment.now(),
                    impact: serde_json::json!(Impact::of(&[], moment.now(), &Surroundings::default())),
                    facts: serde_json::json!({}),
                    pins: BTreeSet::new(),
                    conflicts: Vec::new(),
                    warnings: Vec::new(),
                    problems: Vec::new(),
                };
                tx.store_simulation(&proof, &simulation, &[]).await?;
            }
            Ok::<_, fieldhouse_store::Error>(())
        });
        written.await.expect("the fixture is written");
    }
}

impl Club {
    /// A caller with an access token.
    pub(crate) fn with_token(&self, token: &str) -> Person {
        let mut person = self.anonymous();
        person.credential = super::Credential::Session(token.to_owned());
        person
    }
}
