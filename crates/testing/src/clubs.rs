//! A club for tests: an organization with a member of every role, each with a session and an API key.
//!
//! Clubs are founded at the constant time [`NOW`], so that tests do not depend on the day on which they run.

use std::sync::atomic::{AtomicU64, Ordering};

use fieldhouse_domain::Moment;
use fieldhouse_domain::api_keys::{ApiKey, ApiKeyKind};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{Id, OrganizationId, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{self, Organization};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Reach, Relation, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_domain::sessions::{Client, Session};
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::User;
use fieldhouse_store::access::Operator;
use fieldhouse_store::ledger::{self, Entry, Shown};
use fieldhouse_store::{Change, OrgScope, OrgWrite, Principal, RawCredential, Result, Store, Tx, access};
use jiff::{SignedDuration, Timestamp};

/// When clubs are founded: noon of 1 March 2026 in UTC.
pub const NOW: Timestamp = Timestamp::constant(1_772_366_400, 0);
/// When records were last changed: a second later, so that a test notices if the two times are swapped.
pub const TOUCHED: Timestamp = Timestamp::constant(1_772_366_401, 0);
/// The pepper of all keys.
pub const PEPPER: &str = "pepper-1";
/// The permissions of any member.
pub const ANY_MEMBER: Requirement = Requirement {
    credential: Credential::Required(Role::Viewer),
    keys: KeyUse::Allowed,
    scope: Scope { resource: Resource::Seasons, verb: Verb::Read },
    relation: Relation::Unrelated,
    child: ChildTouch::Untouched,
    writes: &[],
};

/// The permissions of any member, and images of children's records.
pub const ANY_IMAGES: Requirement = Requirement { child: ChildTouch::Images, ..ANY_MEMBER };

/// A moment at [`NOW`], with ids that are unique in this process.
pub fn moment() -> Moment {
    moment_at(NOW)
}

/// A moment at another time, with ids that are unique in this process.
pub fn moment_at(now: Timestamp) -> Moment {
    static MOMENTS: AtomicU64 = AtomicU64::new(1);
    Moment::new(now, u128::from(MOMENTS.fetch_add(1, Ordering::Relaxed)) << 20)
}

/// The requirement for a user who has just proved their identity to open a session.
pub const SIGN_IN: Requirement = Requirement {
    credential: Credential::Public,
    keys: KeyUse::SessionOnly,
    scope: Scope { resource: Resource::Auth, verb: Verb::Write },
    relation: Relation::Unrelated,
    child: ChildTouch::Untouched,
    writes: &[(Kind::Session, Reach::Own)],
};
/// The permission to write records of every kind.
pub const ANYTHING: Requirement = Requirement {
    writes: &[
        (Kind::Organization, Reach::Any),
        (Kind::User, Reach::Any),
        (Kind::Member, Reach::Any),
        (Kind::Invitation, Reach::Any),
        (Kind::Session, Reach::Any),
        (Kind::ApiKey, Reach::Any),
        (Kind::Season, Reach::Any),
        (Kind::Division, Reach::Any),
        (Kind::Team, Reach::Any),
        (Kind::Venue, Reach::Any),
        (Kind::Game, Reach::Any),
        (Kind::Changeset, Reach::Any),
        (Kind::Staff, Reach::Any),
        (Kind::Duty, Reach::Any),
        (Kind::Export, Reach::Any),
        (Kind::Child, Reach::Any),
        (Kind::ChildIdentity, Reach::Any),
        (Kind::ChildContact, Reach::Any),
        (Kind::ChildEmergency, Reach::Any),
        (Kind::ChildMedical, Reach::Any),
        (Kind::ChildPerformance, Reach::Any),
        (Kind::Relation, Reach::Any),
        (Kind::GuardianInvitation, Reach::Any),
        (Kind::Restriction, Reach::Any),
        (Kind::SafeguardingCase, Reach::Any),
        (Kind::BreakGlassGrant, Reach::Any),
        (Kind::Consent, Reach::Any),
        (Kind::Registration, Reach::Any),
        (Kind::RosterEntry, Reach::Any),
        (Kind::PrivacyRequest, Reach::Any),
        (Kind::Favorite, Reach::Any),
        (Kind::ChildFavorite, Reach::Any),
    ],
    ..SIGN_IN
};

/// The operator's permission to write anything to an organization.
///
/// # Panics
/// If the policy denies it, which it never does.
pub async fn permitted<'tx>(
    tx: &mut Tx<'tx>,
    operator: &Operator,
    organization: OrganizationId,
) -> Result<OrgWrite<'tx>> {
    let permitted = tx.permit(Principal::Operator(operator, organization), ANYTHING, None, NOW).await?;
    Ok(permitted.expect("the operator is permitted"))
}

/// Runs a transaction with the operator's permission to write to an organization.
#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
pub async fn write<T, F>(store: &Store, organization: OrganizationId, body: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'a, 'tx> AsyncFn(&'a mut Tx<'tx>, &'a OrgWrite<'tx>) -> Result<T> + Send + Sync + 'static,
{
    let operator = store.operator();
    store
        .write("testing.write", async move |tx| {
            let proof = permitted(tx, &operator, organization).await?;
            body(tx, &proof).await
        })
        .await
}

/// Runs a transaction with the permission of a member to open sessions of their own.
///
/// # Panics
/// If the user is not a member of the organization.
pub async fn write_as<T, F>(store: &Store, organization: OrganizationId, user: UserId, body: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'a, 'tx> AsyncFn(&'a mut Tx<'tx>, &'a OrgWrite<'tx>) -> Result<T> + Send + Sync + 'static,
{
    store
        .write("testing.write_as", async move |tx| {
            let permitted = tx.permit(Principal::Proven(user, organization), SIGN_IN, None, NOW).await?;
            body(tx, &permitted.expect("the user is a member")).await
        })
        .await
}

/// Applies effects with the operator's permission.
pub async fn apply(store: &Store, organization: OrganizationId, effects: Vec<Effect>) -> Result<()> {
    let moment = moment();
    write(store, organization, async move |tx, proof| {
        let moment = moment.again();
        let change = Change { moment: &moment, operation: "testing.apply", request_id: "test", reason: None };
        tx.apply(proof, change, &effects).await.map(drop)
    })
    .await
}

/// A member of a club.
#[derive(Clone, Debug)]
pub struct Person {
    /// The club.
    pub organization: OrganizationId,
    /// The user.
    pub user: User,
    /// The membership.
    pub member: Member,
    /// A session that was opened at [`NOW`].
    pub session: Session,
    /// A key without scopes that was issued at [`NOW`].
    pub key: ApiKey,
}

impl Person {
    /// Creates a member who is not stored yet.
    ///
    /// # Panics
    /// If `name` and `club` do not form a valid address.
    pub fn new(organization: OrganizationId, club: &str, name: &str, role: Role) -> Self {
        let moment = moment();
        let email = Email::parse(&format!("{name}@{club}.example")).expect("an address");
        let called = Name::parse(name).expect("a name");
        let user = User { updated_at: TOUCHED, ..User::new(&moment, email, called, None) };
        let client = Client { user_agent: Some("test".to_owned()), ip: None };
        let session = Session::open(&moment, user.id, "password", client).with_token([1; 32]);
        let session = Session { updated_at: TOUCHED, ..session };
        let member = Member { updated_at: TOUCHED, ..Member::new(&moment, user.id, role) };
        let key = key(&moment, &user, role);
        Self { organization, user, member, session, key }
    }

    /// The effects that create this member: user, membership, session and key.
    pub fn effects(&self) -> Vec<Effect> {
        [
            AnyRecord::from(self.user.clone()),
            AnyRecord::from(self.member.clone()),
            AnyRecord::from(self.session.clone()),
            AnyRecord::from(self.key.clone()),
        ]
        .map(Effect::create)
        .into()
    }

    /// The session, as the credential of a request.
    pub fn by_session(&self) -> RawCredential {
        RawCredential::Session {
            organization: self.organization,
            id: self.session.id,
            expires_at: self.session.expires_at,
        }
    }

    /// The key, as the credential of a request.
    pub fn by_key(&self) -> RawCredential {
        let digests = vec![(PEPPER.to_owned(), self.key.digest)];
        RawCredential::ApiKey { public_id: self.key.public_id.clone(), digests }
    }

    /// The permission to read, with the session.
    ///
    /// # Panics
    /// If the policy denies it.
    pub async fn scope(&self, store: &Store) -> OrgScope {
        permitted_scope(store, &self.by_session()).await
    }

    /// The permission of an operation with these requirements, with the session.
    ///
    /// # Panics
    /// If the policy denies it.
    pub async fn scope_for(&self, store: &Store, requirement: Requirement) -> OrgScope {
        let caller =
            access::identify(&mut &*store, &self.by_session(), NOW).await.expect("the store answers");
        caller.expect("the session is valid").permit(requirement, NOW, None).expect("it is permitted")
    }

    /// Entries of the ledger with the images of children's records that a relation opens to the person, and what was opened.
    ///
    /// # Errors
    /// If the store has no sealer, or an image is damaged.
    pub async fn open_images(&self, store: &Store, entries: &[Entry]) -> Result<(Vec<Entry>, Shown)> {
        let scope = self.scope_for(store, ANY_IMAGES).await;
        let images = scope.images(NOW)?;
        let open = store.read("tests.images", async move |tx| {
            let mut opened = entries.to_vec();
            let shown = ledger::open_images(tx, &images, &mut opened).await?;
            Ok((opened, shown))
        });
        open.await
    }

    /// The permission to read, with the API key.
    ///
    /// # Panics
    /// If the policy denies it.
    pub async fn key_scope(&self, store: &Store) -> OrgScope {
        permitted_scope(store, &self.by_key()).await
    }
}

/// The permission of any member to read, with a credential.
///
/// # Panics
/// If the policy denies it.
pub async fn permitted_scope(store: &Store, sent: &RawCredential) -> OrgScope {
    let caller = access::identify(&mut &*store, sent, NOW).await.expect("the store answers");
    let caller = caller.expect("the credential is valid");
    caller.permit(ANY_MEMBER, NOW, None).expect("a member may read")
}

fn key(moment: &Moment, user: &User, role: Role) -> ApiKey {
    let id: fieldhouse_domain::ids::ApiKeyId = moment.id();
    let digest: [u8; 32] = std::array::from_fn(|at| id.uuid().as_bytes()[at % 16]);
    ApiKey {
        id,
        user_id: user.id,
        name: Name::stored(format!("{}'s key", user.name)),
        kind: ApiKeyKind::Personal,
        public_id: format!("{:010x}", id.uuid().as_u128() & 0xff_ffff_ffff),
        last4: "last".to_owned(),
        digest,
        pepper_id: PEPPER.to_owned(),
        role,
        scopes: Vec::new(),
        allowed_ips: Vec::new(),
        created_at: NOW,
        expires_at: NOW.saturating_add(SignedDuration::from_hours(90 * 24)).unwrap_or(Timestamp::MAX),
        last_used_at: None,
        revoked_at: None,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// A club with a member of every role.
#[derive(Clone, Debug)]
pub struct Club {
    /// The organization.
    pub organization: Organization,
    people: Vec<Person>,
}

impl Club {
    /// Founds a club, as the operator.
    ///
    /// # Panics
    /// If the store returns an error.
    pub async fn found(store: &Store, name: &str) -> Self {
        let name = Name::parse(name).expect("a name");
        let organization = Organization {
            id: moment().id(),
            slug: organizations::Slug::of(&name).expect("a short name"),
            name,
            country: organizations::Country::parse("AU").ok(),
            time_zone: TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
            suspended_at: None,
            created_at: NOW,
            updated_at: TOUCHED,
            version: 1,
        };
        let person = |role: Role| Person::new(organization.id, organization.slug.as_str(), role.name(), role);
        let people: Vec<Person> = Role::ALL.into_iter().map(person).collect();
        let mut effects = vec![Effect::create(AnyRecord::from(organization.clone()))];
        effects.extend(people.iter().flat_map(Person::effects));
        apply(store, organization.id, effects).await.expect("the club is founded");
        Self { organization, people }
    }

    /// Its id.
    pub fn id(&self) -> OrganizationId {
        self.organization.id
    }

    /// The member with a role.
    ///
    /// # Panics
    /// Never: there is a member of every role.
    pub fn person(&self, role: Role) -> &Person {
        self.people.iter().find(|person| person.member.role == role).expect("a person of every role")
    }

    /// The owner.
    pub fn owner(&self) -> &Person {
        self.person(Role::Owner)
    }

    /// Creates records, as the operator.
    ///
    /// # Panics
    /// If the store returns an error.
    pub async fn create(&self, store: &Store, records: Vec<AnyRecord>) {
        let effects = records.into_iter().map(Effect::create).collect();
        apply(store, self.id(), effects).await.expect("the records are created");
    }
}
