//! Every field of every kind of record is written on creation and on change, and read.

pub(crate) mod children;

use fieldhouse_domain::api_keys::{ApiKey, ApiKeyKind};
use fieldhouse_domain::changesets::risk::Risk;
use fieldhouse_domain::changesets::{
    Approval, Approvals, Changeset, ChangesetKind, ChangesetState, DriftPolicy,
};
use fieldhouse_domain::divisions::{Division, DivisionGender};
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::exports::{Export, ExportKind};
use fieldhouse_domain::favorites::{self as lists, ChangeFavorite, Favorite, Fit, ListOwner, Notes, Stage};
use fieldhouse_domain::games::{Game, GameKind, GameStatus, LastChange};
use fieldhouse_domain::ids::{ChildId, Id as _};
use fieldhouse_domain::invitations::Invitation;
use fieldhouse_domain::kinds::Visibility;
use fieldhouse_domain::ledger::Trace;
use fieldhouse_domain::members::{Member, MemberSource};
use fieldhouse_domain::organizations::{Country, Organization, Slug};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::seasons::{Scoring, Season, SeasonStatus, Tiebreaker};
use fieldhouse_domain::sessions::Session;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::staff::{Staff, StaffKind, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{Address, Email, ExternalId, Name, Reason, Tag};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::User;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::ledger::Point;
use fieldhouse_store::records::{self, Stored};
use fieldhouse_store::{OrgScope, Store};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::leagues::{division, duty, game, season, staff, team, venue};
use jiff::SignedDuration;
use jiff::civil::date;

use crate::exports::export;
use crate::favorites::custom;
use crate::invitations::invitation;

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

fn zone() -> TimeZoneName {
    TimeZoneName::parse("Europe/Vienna").unwrap()
}

fn later() -> jiff::Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(2)).unwrap()
}

/// Writes and reads records.
struct Place<'a> {
    store: &'a Store,
    club: &'a Club,
    scope: &'a OrgScope,
}

impl Place<'_> {
    async fn read<S: Stored>(&self, record: &S) -> S {
        let read = records::read::<S, _>(&mut &*self.store, self.scope, record.id()).await.unwrap();
        if S::KIND.visibility() != Visibility::Relations {
            return read.expect("the record exists");
        }
        assert_eq!(read, None, "not even an owner reads it without a relation");
        let id = record.id();
        let read = clubs::write(self.store, self.club.id(), async move |tx, proof| {
            records::read::<S, _>(tx, proof, id).await
        });
        read.await.unwrap().expect("the record exists")
    }

    /// Changes an existing record into one in which every field differs, except those that identify it.
    async fn changes<S: Stored>(&self, before: S, after: S, identity: &[&str]) {
        let expected: Vec<&str> = S::FIELDS
            .iter()
            .copied()
            .filter(|field| !identity.contains(field) && !["version", "updated_at"].contains(field))
            .collect();
        let differing: Vec<&str> = expected
            .iter()
            .copied()
            .filter(|field| before.get(field) != after.get(field) || S::SECRETS.contains(field))
            .collect();
        assert_eq!(differing, expected, "every field of a {} differs", S::KIND);
        assert_eq!(self.read(&before).await, before, "read as it was created");
        let effect =
            Effect::update(&clubs::moment_at(later()), before, after.clone()).expect("fields differ");
        clubs::apply(self.store, self.club.id(), vec![effect]).await.unwrap();
        let mut written = after;
        written.set_version(2, later());
        assert_eq!(self.read(&written).await, written, "read as it was changed");
        if S::TABLE.tenant && S::KIND.trace() == Trace::Images {
            self.store.post_everything().await.unwrap();
            let changed =
                records::changed::<S, _>(&mut &*self.store, self.scope, Point::behind(0), 100).await;
            if S::KIND.visibility() == Visibility::Relations {
                assert!(changed.is_err(), "losing a relation would look like a deletion");
                return;
            }
            let mut changed = changed.unwrap().into_iter().filter_map(|change| change.record);
            assert_eq!(
                changed.find(|record| record.id().uuid() == written.id().uuid()),
                Some(written),
                "is in the feed"
            );
        }
    }

    async fn creates_and_changes<S: Stored>(&self, before: S, after: S, identity: &[&str]) {
        self.club.create(self.store, vec![before.clone().into()]).await;
        self.changes(before, after, identity).await;
    }
}

/// The membership with another value in each field.
fn demoted(member: &Member, user: &User) -> Member {
    Member {
        role: Role::Admin,
        source: MemberSource::Invited,
        role_given_by: Some(user.id),
        role_given_at: Some(later()),
        joined_at: later(),
        suspended_at: Some(later()),
        ..member.clone()
    }
}

pub(crate) async fn of_people_are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields One").await;
    let Person { user, member, session, key, .. } = club.owner().clone();
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let organization = club.organization.clone();
    let changed = Organization {
        name: name("Fields Renamed"),
        slug: Slug::parse("fields-renamed").unwrap(),
        country: Country::parse("AT").ok(),
        time_zone: zone(),
        suspended_at: Some(later()),
        created_at: later(),
        ..organization.clone()
    };
    place.changes(organization, changed, &["id"]).await;
    let digests = ([41; 32], Some([42; 32]));
    let refreshed = Session {
        method: "invitation".to_owned(),
        generation: 7,
        token_digest: digests.0,
        previous_digest: digests.1,
        rotated_at: later(),
        retried: true,
        user_agent: Some("Firefox".to_owned()),
        ip: "192.0.2.9".parse().ok(),
        created_at: later(),
        last_used_at: later(),
        expires_at: later(),
        revoked_at: Some(later()),
        ..session.clone()
    };
    place.changes(session, refreshed, &["id", "user_id"]).await;
    let reissued = ApiKey {
        name: name("Another key"),
        kind: ApiKeyKind::Agent,
        public_id: "fieldstest".to_owned(),
        last4: "abcd".to_owned(),
        digest: [43; 32],
        pepper_id: "pepper-2".to_owned(),
        role: Role::Viewer,
        scopes: vec![Scope::parse("games:read").unwrap()],
        allowed_ips: vec!["192.0.2.9".parse().unwrap()],
        created_at: later(),
        expires_at: later(),
        last_used_at: Some(later()),
        revoked_at: Some(later()),
        ..key.clone()
    };
    place.changes(key, reissued, &["id", "user_id"]).await;
    // Before the user, whose change touches the membership.
    let demoted = demoted(&member, &user);
    let invitation = invitation(&user, "zoe@fields-one.example");
    let accepted = Invitation {
        email: Email::parse("zoe@elsewhere.example").unwrap(),
        role: Role::Admin,
        sent_at: later(),
        expires_at: later(),
        accepted_at: Some(later()),
        member_id: Some(member.id),
        revoked_at: Some(later()),
        mail_failed_at: Some(later()),
        created_at: later(),
        ..invitation.clone()
    };
    place.creates_and_changes(invitation, accepted, &["id", "kind", "invited_by"]).await;
    let export = export(&user);
    let opened = Export {
        kind: ExportKind::Child,
        child_id: Some(ChildId::from_uuid(uuid::Uuid::from_u128(9))),
        expires_at: later(),
        opened_at: Some(later()),
        created_at: later(),
        ..export.clone()
    };
    place.creates_and_changes(export, opened, &["id", "requested_by"]).await;
    place.changes(member, demoted, &["id", "user_id"]).await;
    let renamed = User {
        email: Email::parse("zoe@fields.example").unwrap(),
        name: name("Zoë"),
        locale: Some("de-AT".to_owned()),
        time_zone: Some(zone()),
        password_hash: Some("$argon2id$other".to_owned()),
        password_changed_at: Some(later()),
        pending_email: Email::parse("zoe@elsewhere.example").ok(),
        pending_email_at: Some(later()),
        current_email_confirmed: true,
        pending_email_confirmed: true,
        suspended_at: Some(later()),
        created_at: later(),
        ..user.clone()
    };
    place.changes(user, renamed, &["id"]).await;
}

pub(crate) async fn of_leagues_are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields Two").await;
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let (winter, summer) = (season("Winter"), season("Summer"));
    let (open, other) = (division(&winter, "Open"), division(&summer, "Other"));
    let (eagles, owls) = (team(&open, "Eagles"), team(&other, "Owls"));
    let (hall, park) = (venue("Hall"), venue("Park"));
    let played = Season {
        name: name("Hiver"),
        sport: Sport::parse("ice hockey").unwrap(),
        status: SeasonStatus::Completed,
        starts_on: Some(date(2026, 1, 2)),
        ends_on: Some(date(2026, 5, 6)),
        time_zone: zone(),
        scoring: Scoring { win: 2, draw: 0, loss: -1 },
        tiebreakers: vec![Tiebreaker::Name],
        external_id: Some(ExternalId::parse("s-1").unwrap()),
        created_at: later(),
        ..winter.clone()
    };
    place.creates_and_changes(winter, played, &["id"]).await;
    let surveyed = Venue {
        name: name("Grande salle"),
        address: Some(Address::parse("1 Hall St").unwrap()),
        latitude: Some(-37.743_212_345_678_9),
        longitude: Some(144.966),
        time_zone: zone(),
        fields: vec![name("Court 1")],
        created_at: later(),
        ..hall.clone()
    };
    place.creates_and_changes(hall, surveyed, &["id"]).await;
    club.create(
        store,
        vec![summer.clone().into(), other.clone().into(), owls.clone().into(), park.clone().into()],
    )
    .await;
    let mixed = Division {
        season_id: summer.id,
        name: name("Mixte"),
        age_group: Some(name("U14")),
        gender: Some(DivisionGender::Mixed),
        external_id: Some(ExternalId::parse("d-1").unwrap()),
        created_at: later(),
        ..open.clone()
    };
    place.creates_and_changes(open.clone(), mixed, &["id"]).await;
    let moved = Team {
        season_id: summer.id,
        division_id: other.id,
        name: name("Aigles"),
        short_name: Some(name("AIG")),
        external_id: Some(ExternalId::parse("t-1").unwrap()),
        created_at: later(),
        ..eagles.clone()
    };
    place.creates_and_changes(eagles.clone(), moved, &["id"]).await;
    let mut before = game(&open, eagles.id, owls.id, NOW);
    before.time_tbd = true;
    let fields =
        ["starts_at", "time_tbd", "venue_id", "field", "status", "home", "away"].map(str::to_owned).into();
    let after = Game {
        season_id: summer.id,
        division_id: other.id,
        round: Some(name("Round 1")),
        kind: GameKind::Bye,
        status: GameStatus::Final,
        starts_at: later(),
        time_tbd: false,
        ends_at: Some(later()),
        local_start: Some(zone().local(later())),
        time_zone: zone(),
        venue_id: Some(park.id),
        field: Some(name("Oval")),
        home_team_id: Some(owls.id),
        home_score: Some(3),
        away_team_id: Some(eagles.id),
        away_score: Some(4),
        // `apply` sets this itself.
        last_change: Some(LastChange { at: NOW, fields, reason: None }),
        external_id: Some(ExternalId::parse("g-1").unwrap()),
        created_at: later(),
        ..before.clone()
    };
    place.creates_and_changes(before, after, &["id"]).await;
}

pub(crate) async fn of_lists_are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields Three").await;
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let college = fieldhouse_testing::catalogue::college(700_001, "Fields College", "FI");
    let gender = fieldhouse_domain::colleges::ProgramGender::Women;
    let program = fieldhouse_testing::catalogue::program(&college, "rowing", gender);
    fieldhouse_testing::catalogue::write(store, true, vec![college], vec![program.clone()]).await.unwrap();
    let owner = ListOwner::User(club.owner().user.id);
    let saved = lists::save(&clubs::moment(), owner, &[], custom("Isla"), ChangeFavorite::default());
    let before = saved.unwrap().0;
    let after = Favorite {
        program_id: Some(program.id),
        custom: None,
        stage: Stage::Visited,
        fit: Fit::Reach,
        interest: Some(4),
        rank: 9,
        notes: Some(Notes::parse("called\ntwice").unwrap()),
        tags: [Tag::parse("near").unwrap()].into_iter().collect(),
        created_at: later(),
        ..before.clone()
    };
    place.creates_and_changes(before, after, &["id", "owner_id"]).await;
}

pub(crate) async fn of_changesets_are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields Seven").await;
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let (owner, coach) = (club.owner().user.id, club.person(Role::Coach).user.id);
    let before = crate::changesets::changeset(owner);
    let after = Changeset {
        kind: ChangesetKind::Undo,
        title: name("Another"),
        reason: Some(Reason::stored("The hall is closed".to_owned())),
        state: ChangesetState::Executed,
        author_id: coach,
        author_key_id: Some(club.owner().key.id),
        by_agent: true,
        operation_count: 7,
        drift_policy: DriftPolicy::TolerateUnrelated,
        simulation_id: Some(clubs::moment().id()),
        simulation_hash: Some("hash".to_owned()),
        simulated_at: Some(later()),
        risk: Some(Risk::R2),
        approvals: Approvals(vec![Approval { user_id: coach, at: later(), hash: "hash".to_owned() }]),
        required_approvals: Some(2),
        approver_role: Some(Role::Admin),
        reduced_approval: true,
        not_before: Some(later()),
        submitted_at: Some(later()),
        schedule_at: Some(later()),
        expires_at: Some(later()),
        executed_at: Some(later()),
        executed_by: Some(coach),
        entry_id: Some(clubs::moment().id()),
        undo_of: Some(clubs::moment().id()),
        undone_by: Some(clubs::moment().id()),
        created_at: later(),
        ..before.clone()
    };
    place.creates_and_changes(before, after, &["id"]).await;
}

pub(crate) async fn of_staff_are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields Four").await;
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let (eagles, owls) = (team(&open, "Eagles"), team(&open, "Owls"));
    let records = vec![winter.into(), open.into(), eagles.clone().into(), owls.clone().into()];
    club.create(store, records).await;
    let (person, coach) = (club.owner().user.id, club.person(Role::Coach).user.id);
    let proposed = staff(&eagles, person);
    let confirmed = Staff {
        team_id: owls.id,
        user_id: coach,
        kind: StaffKind::TeamManager,
        state: StaffState::Confirmed,
        starts_on: Some(date(2026, 1, 2)),
        ends_on: Some(date(2026, 5, 6)),
        proposed_by: Some(person),
        proposed_at: later(),
        confirmed_by: Some(coach),
        confirmed_at: Some(later()),
        confirmed_alone: true,
        created_at: later(),
        ..proposed.clone()
    };
    place.creates_and_changes(proposed, confirmed, &["id"]).await;
}

pub(crate) async fn of_duties_are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields Five").await;
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    club.create(store, vec![winter.clone().into(), open.into(), eagles.clone().into()]).await;
    let (person, coach) = (club.owner().user.id, club.person(Role::Coach).user.id);
    let proposed = duty(person);
    let revoked = Duty {
        user_id: coach,
        kind: DutyKind::Registrar,
        team_ids: vec![eagles.id],
        season_id: Some(winter.id),
        state: DutyState::Revoked,
        starts_at: later(),
        ends_at: later(),
        reason: Reason::parse("Another").unwrap(),
        proposed_by: Some(person),
        proposed_at: later(),
        confirmed_by: Some(coach),
        confirmed_at: Some(later()),
        confirmed_alone: true,
        accepted_at: Some(later()),
        revoked_by: Some(person),
        revoked_at: Some(later()),
        created_at: later(),
        ..proposed.clone()
    };
    place.creates_and_changes(proposed, revoked, &["id"]).await;
}
