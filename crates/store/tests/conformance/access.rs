//! Access: identifying callers, permitting and denying.

use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::favorites::{ChangeFavorite, Favorite, ListOwner};
use fieldhouse_domain::ids::{Id, OrganizationId, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::policy::{Credential, Denial, KeyUse, Reach, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::sessions::{Client, Session};
use fieldhouse_domain::text::Name;
use fieldhouse_domain::users::User;
use fieldhouse_store::{Change, Error, OrgScope, Principal, RawCredential, Store, access};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, PEPPER, Person};
use jiff::{SignedDuration, Timestamp};

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

fn needs(role: Role) -> Requirement {
    Requirement { credential: Credential::Required(role), ..ANY_MEMBER }
}

async fn enter(
    store: &Store,
    sent: &RawCredential,
    needed: Requirement,
    now: Timestamp,
) -> Result<OrgScope, Denial> {
    // As callers are kept in memory: a transaction may trust them while their generation proves them current.
    let caller = store.identify(sent, None, now).await.unwrap()?;
    caller.permit(needed, now, None)
}

/// The result of writing with a permission to read that was obtained before.
async fn write(store: &Store, scope: OrgScope, needed: Requirement, now: Timestamp) -> Result<Role, Denial> {
    let written = store.write("testing.permit", async move |tx| {
        Ok::<_, Error>(tx.permit(Principal::Caller(&scope), needed, None, now).await?.map(|proof| {
            assert_eq!((proof.organization(), proof.actor().key), (scope.organization(), scope.key()));
            assert_eq!(proof.actor().user, Some(scope.user()));
            proof.role()
        }))
    });
    written.await.unwrap()
}

pub(crate) async fn valid_credentials_permit_access_to_their_organization(store: &Store) {
    let club = Club::found(store, "Access One").await;
    for role in Role::ALL {
        let person = club.person(role);
        for sent in [person.by_session(), person.by_key()] {
            let caller =
                access::identify(&mut &*store, &sent, NOW).await.unwrap().expect("a valid credential");
            assert_eq!((caller.organization(), caller.user()), (club.id(), person.user.id));
            let is_key = matches!(sent, RawCredential::ApiKey { .. });
            assert_eq!(caller.key(), is_key.then_some((person.key.id, None)));
            let scope = caller.permit(needs(role), NOW, None).expect("the role is enough");
            assert_eq!((scope.role(), scope.organization(), scope.user()), (role, club.id(), person.user.id));
            assert_eq!(scope.key(), is_key.then_some(person.key.id));
            assert_eq!(scope.session(), (!is_key).then_some(person.session.id));
            let ends = if is_key { person.key.expires_at } else { person.session.expires_at };
            assert_eq!(scope.expires_at(), ends);
            assert_eq!(write(store, scope, needs(role), NOW).await, Ok(role));
            let above = enter(store, &sent, needs(Role::Owner), NOW).await.map(|scope| scope.role());
            let denied = Err(Denial::RoleInsufficient(Role::Owner));
            assert_eq!(above, if role == Role::Owner { Ok(role) } else { denied });
        }
    }
}

pub(crate) async fn invalid_credentials_permit_nothing(store: &Store) {
    let (club, other) = (Club::found(store, "Access Two").await, Club::found(store, "Access Three").await);
    let owner = club.owner();
    let identify = async |sent: &RawCredential, now| {
        let identified = access::identify(&mut &*store, sent, now).await.unwrap();
        identified.map(|caller| caller.user()).unwrap_err()
    };
    let key = |public_id: &str, pepper: &str, digest| RawCredential::ApiKey {
        public_id: public_id.to_owned(),
        digests: vec![(pepper.to_owned(), digest)],
    };
    let (public_id, digest) = (owner.key.public_id.as_str(), owner.key.digest);
    assert_eq!(identify(&key("without_organization...", PEPPER, digest), NOW).await, Denial::Unknown);
    let mut wrong = digest;
    wrong[31] ^= 1;
    assert_eq!(identify(&key(public_id, PEPPER, wrong), NOW).await, Denial::Unknown);
    assert_eq!(identify(&key(public_id, "pepper-2", digest), NOW).await, Denial::Unknown, "another pepper's");
    assert_eq!(identify(&owner.by_key(), owner.key.expires_at).await, Denial::KeyExpired);
    assert_eq!(identify(&owner.by_session(), owner.session.expires_at).await, Denial::SessionEnded);
    let (id, expires_at) = (owner.session.id, owner.session.expires_at);
    let elsewhere = RawCredential::Session { organization: other.id(), id, expires_at };
    assert_eq!(identify(&elsewhere, NOW).await, Denial::Unknown, "a session is valid in one organization");
    let token = RawCredential::Session { organization: club.id(), id, expires_at: after(10) };
    assert_eq!(
        identify(&token, after(10)).await,
        Denial::SessionEnded,
        "the token expires before the session"
    );

    let rotated = RawCredential::ApiKey {
        public_id: public_id.to_owned(),
        digests: vec![("pepper-2".to_owned(), wrong), (PEPPER.to_owned(), digest)],
    };
    assert!(enter(store, &rotated, ANY_MEMBER, NOW).await.is_ok(), "under any pepper of the key ring");
    let session_only = Requirement { keys: KeyUse::SessionOnly, ..ANY_MEMBER };
    assert_eq!(enter(store, &rotated, session_only, NOW).await.err(), Some(Denial::SessionRequired));
    let fresh = Requirement { keys: KeyUse::FreshSessionOnly, ..ANY_MEMBER };
    assert_eq!(enter(store, &owner.by_session(), fresh, after(15)).await.err(), Some(Denial::SessionTooOld));
    assert!(enter(store, &owner.by_session(), fresh, after(14)).await.is_ok());
    limited_keys_stay_limited(store, &club).await;
}

async fn limited_keys_stay_limited(store: &Store, club: &Club) {
    let mut person = Person::new(club.id(), "access-two", "narrow", Role::Owner);
    person.key.scopes = vec![Scope::parse("games:read").unwrap()];
    person.key.allowed_ips = vec!["192.0.2.7".parse().unwrap()];
    person.key.role = Role::Coach;
    clubs::apply(store, club.id(), person.effects()).await.unwrap();
    let games = Requirement { scope: person.key.scopes[0], ..ANY_MEMBER };
    let from = async |needed, address: Option<&str>| {
        let caller =
            access::identify(&mut &*store, &person.by_key(), NOW).await.unwrap().expect("a valid key");
        caller.permit(needed, NOW, address.map(|address| address.parse().unwrap())).map(|scope| scope.role())
    };
    assert_eq!(
        from(games, Some("192.0.2.7")).await,
        Ok(Role::Coach),
        "no more than the role it was issued with"
    );
    assert_eq!(from(games, Some("192.0.2.8")).await, Err(Denial::AddressNotAllowed));
    assert_eq!(from(games, None).await, Err(Denial::AddressNotAllowed));
    let seasons = Denial::ScopeInsufficient(ANY_MEMBER.scope);
    assert_eq!(from(ANY_MEMBER, Some("192.0.2.7")).await, Err(seasons));
}

type Loss = fn(&Person) -> Effect;

pub(crate) async fn a_suspended_organization_permits_nothing_until_it_is_resumed(store: &Store) {
    let club = Club::found(store, "Suspended").await;
    let admin = club.person(Role::Admin);
    let mut organization = club.organization.clone();
    for suspended in [true, false] {
        let after = organization.suspended(&clubs::moment(), suspended);
        let change = Effect::update(&clubs::moment(), organization, after).expect("a change");
        let Some(Ok(now)) =
            change.after.clone().map(fieldhouse_domain::organizations::Organization::try_from)
        else {
            panic!("an organization")
        };
        organization = now;
        clubs::apply(store, club.id(), vec![change]).await.unwrap();
        for sent in [admin.by_session(), admin.by_key()] {
            let entered = enter(store, &sent, needs(Role::Admin), NOW).await.map(|_| ());
            let expected = if suspended { Err(Denial::OrganizationSuspended) } else { Ok(()) };
            assert_eq!(entered, expected);
        }
    }
}

pub(crate) async fn losses_take_effect_at_once(store: &Store) {
    let losses: [(&str, Loss, Denial, Denial); 6] = [
        ("session revoked", |person| ended(&person.session), Denial::SessionEnded, Denial::KeyRevoked),
        ("key revoked", revoked, Denial::SessionEnded, Denial::KeyRevoked),
        (
            "removed",
            |person| Effect::delete(AnyRecord::from(person.member.clone())),
            Denial::SessionEnded,
            Denial::KeyRevoked,
        ),
        ("member suspended", |person| suspended(&person.member), Denial::SessionEnded, Denial::Unknown),
        ("user suspended", |person| shut_out(&person.user), Denial::Unknown, Denial::Unknown),
        ("demoted", demoted, Denial::SessionEnded, Denial::RoleInsufficient(Role::Admin)),
    ];
    for (loss, effect, by_session, by_key) in losses {
        let club = Club::found(store, loss).await;
        let admin = club.person(Role::Admin);
        let needed = needs(Role::Admin);
        let had_session = enter(store, &admin.by_session(), needed, NOW).await.expect("a valid session");
        let had_key = enter(store, &admin.by_key(), needed, NOW).await.expect("a valid key");
        clubs::apply(store, club.id(), vec![effect(admin)]).await.unwrap();
        for (sent, had, denial) in
            [(admin.by_session(), had_session, by_session), (admin.by_key(), had_key, by_key)]
        {
            let expected = if is_untouched(loss, &sent) { Ok(Role::Admin) } else { Err(denial) };
            let entered = enter(store, &sent, needed, NOW).await.map(|scope| scope.role());
            assert_eq!(entered, expected, "{loss}, {sent:?}");
            assert_eq!(
                write(store, had, needed, NOW).await,
                expected,
                "{loss}, with permission obtained before, {sent:?}"
            );
        }
        for (is_key, denial) in [(false, by_session), (true, by_key)] {
            let club = Club::found(store, &format!("{loss} inside {is_key}")).await;
            let admin = club.person(Role::Admin);
            let sent = if is_key { admin.by_key() } else { admin.by_session() };
            let had = enter(store, &sent, needed, NOW).await.expect("a valid credential");
            let expected = if is_untouched(loss, &sent) { Ok(Role::Admin) } else { Err(denial) };
            let seen = lose_inside(store, had, effect(admin)).await;
            assert_eq!(seen, (Ok(Role::Admin), expected), "{loss} in the same transaction, {sent:?}");
        }
    }
}

fn is_untouched(loss: &str, sent: &RawCredential) -> bool {
    match sent {
        RawCredential::Session { .. } => loss == "key revoked",
        RawCredential::ApiKey { .. } => loss == "session revoked",
    }
}

/// The results of asking for permission before and after a loss in one transaction.
async fn lose_inside(
    store: &Store,
    scope: OrgScope,
    loss: Effect,
) -> (Result<Role, Denial>, Result<Role, Denial>) {
    let written = clubs::write(store, scope.organization(), async move |tx, proof| {
        let needed = needs(Role::Admin);
        let before = tx.permit(Principal::Caller(&scope), needed, None, NOW).await?.map(|own| own.role());
        let moment = clubs::moment();
        let change = Change { moment: &moment, operation: "testing.lose", request_id: "test", reason: None };
        tx.apply(proof, change, std::slice::from_ref(&loss)).await?;
        let after = tx.permit(Principal::Caller(&scope), needed, None, NOW).await?.map(|own| own.role());
        Ok((before, after))
    });
    written.await.unwrap()
}

fn updated(before: AnyRecord, after: AnyRecord) -> Effect {
    Effect::update(&clubs::moment(), before, after).expect("something differs")
}

fn ended(session: &Session) -> Effect {
    let after = Session { revoked_at: Some(NOW), ..session.clone() };
    updated(AnyRecord::from(session.clone()), AnyRecord::from(after))
}

fn revoked(person: &Person) -> Effect {
    fieldhouse_domain::api_keys::revoke(&clubs::moment(), person.key.clone()).expect("not revoked yet")
}

fn suspended(member: &Member) -> Effect {
    let after = Member { suspended_at: Some(NOW), ..member.clone() };
    updated(AnyRecord::from(member.clone()), AnyRecord::from(after))
}

fn shut_out(user: &User) -> Effect {
    let after = User { suspended_at: Some(NOW), ..user.clone() };
    updated(AnyRecord::from(user.clone()), AnyRecord::from(after))
}

fn demoted(person: &Person) -> Effect {
    let after = Member { role: Role::Coach, ..person.member.clone() };
    updated(AnyRecord::from(person.member.clone()), AnyRecord::from(after))
}

pub(crate) async fn signing_in_can_write_only_the_users_own_sessions(store: &Store) {
    let club = Club::found(store, "Access Four").await;
    let (coach, owner) = (club.person(Role::Coach).clone(), club.owner().clone());
    let sign_in = async |user, organization, record: AnyRecord| {
        let moment = clubs::moment();
        let effects = vec![Effect::create(record)];
        let written = store.write("testing.sign_in", async move |tx| {
            let moment = moment.again();
            let proven = Principal::Proven(user, organization);
            let Ok(proof) = tx.permit(proven, clubs::SIGN_IN, None, NOW).await? else { return Ok(None) };
            let change =
                Change { moment: &moment, operation: "auth.login", request_id: "test", reason: None };
            tx.apply(&proof, change, &effects).await?;
            Ok::<_, Error>(Some(proof.role()))
        });
        written.await
    };
    let session = |user| {
        let client = Client { user_agent: None, ip: None };
        AnyRecord::from(Session::open(&clubs::moment(), user, "password", client).with_token([3; 32]))
    };
    let (coach_id, owner_id) = (coach.user.id, owner.user.id);
    let opened = sign_in(coach_id, club.id(), session(coach_id)).await.unwrap();
    assert_eq!(opened, Some(Role::Coach));
    let anothers = sign_in(coach_id, club.id(), session(owner_id)).await;
    assert!(matches!(anothers, Err(Error::Internal(_))), "another user's session: {anothers:?}");
    let season = AnyRecord::from(fieldhouse_testing::leagues::season("Winter"));
    assert!(sign_in(coach_id, club.id(), season).await.is_err(), "no session at all");

    let other = Club::found(store, "Access Five").await;
    let elsewhere = sign_in(coach_id, other.id(), session(coach_id)).await.unwrap();
    assert_eq!(elsewhere, None, "not a member of the other organization");
    clubs::apply(store, club.id(), vec![suspended(&coach.member)]).await.unwrap();
    assert_eq!(sign_in(coach_id, club.id(), session(coach_id)).await.unwrap(), None, "suspended");
}

pub(crate) async fn an_effect_stays_within_its_organization(store: &Store) {
    let (club, other) = (Club::found(store, "Access Six").await, Club::found(store, "Access Seven").await);
    let scope = other.owner().scope(store).await;
    let renamed = {
        let before = other.organization.clone();
        let after = fieldhouse_domain::organizations::Organization { country: None, ..before.clone() };
        updated(AnyRecord::from(before), AnyRecord::from(after))
    };
    let season = fieldhouse_testing::leagues::season("Winter");
    other.create(store, vec![AnyRecord::from(season.clone())]).await;
    let deleted = Effect::delete(AnyRecord::from(season.clone()));
    let division = fieldhouse_testing::leagues::division(&season, "U12");
    let referring = Effect::create(AnyRecord::from(division));
    let removed = Effect::delete(AnyRecord::from(other.owner().member.clone()));
    for foreign in [renamed, deleted, removed, ended(&other.owner().session), revoked(other.owner())] {
        let applied = clubs::apply(store, club.id(), vec![foreign]).await;
        assert!(matches!(applied, Err(Error::Internal(_))), "{applied:?}");
    }
    let applied = clubs::apply(store, club.id(), vec![referring]).await;
    assert!(matches!(applied, Err(Error::Reference(_))), "another club's season does not exist: {applied:?}");
    let stored = fieldhouse_store::organizations::read(&mut &*store, &scope).await.unwrap();
    assert_eq!(stored, Some(other.organization.clone()));
    assert!(enter(store, &other.owner().by_key(), ANY_MEMBER, NOW).await.is_ok());
}

/// The result of asking for a permission, and of writing with it.
async fn writes(
    store: &Store,
    user: UserId,
    organization: OrganizationId,
    requirement: Requirement,
    target: Option<uuid::Uuid>,
    effect: Effect,
) -> fieldhouse_store::Result<Result<(), Denial>> {
    store
        .write("testing.writes", async move |tx| {
            let absent = Principal::Absent { organization, user, key: None };
            let proof = match tx.permit(absent, requirement, target, NOW).await? {
                Ok(proof) => proof,
                Err(denial) => return Ok(Err(denial)),
            };
            let moment = clubs::moment();
            let change =
                Change { moment: &moment, operation: "testing.writes", request_id: "test", reason: None };
            tx.apply(&proof, change, std::slice::from_ref(&effect)).await?;
            Ok(Ok(()))
        })
        .await
}

pub(crate) async fn a_permission_can_write_only_what_its_operation_declares(store: &Store) {
    let club = Club::found(store, "Access Eight").await;
    let (viewer, admin) = (club.person(Role::Viewer).clone(), club.person(Role::Admin).clone());
    let may = async |writing: &'static [(Kind, Reach)], target, effect: Effect| {
        let requirement = Requirement { writes: writing, ..needs(Role::Viewer) };
        writes(store, viewer.user.id, club.id(), requirement, target, effect).await
    };
    let refused = |written: fieldhouse_store::Result<Result<(), Denial>>, what: &str| {
        assert!(
            matches!(&written, Err(Error::Internal(why)) if why.contains("no permission")),
            "{what}: {written:?}"
        );
    };
    let renamed = |user: &User| {
        let after = User { name: Name::parse("Another").unwrap(), ..user.clone() };
        updated(AnyRecord::from(user.clone()), AnyRecord::from(after))
    };
    // Saving a college program may write only the user's own list.
    let favorites: &[_] = &[(Kind::Favorite, Reach::Own)];
    refused(may(favorites, None, suspended(&admin.member)).await, "a member");
    refused(may(favorites, None, suspended(&viewer.member)).await, "oneself");
    let owner = ListOwner::User(admin.user.id);
    let anothers =
        crate::favorites::saved(owner, &[], crate::favorites::custom("Isla"), ChangeFavorite::default());
    refused(may(favorites, None, Effect::create(anothers.clone())).await, "another user's list");
    // Changing a password may write only the user.
    let password: &[_] = &[(Kind::User, Reach::Own), (Kind::Session, Reach::Own)];
    refused(may(password, None, renamed(&admin.user)).await, "another user");
    refused(may(password, None, ended(&admin.session)).await, "another user's session");
    // An operation on one record may write only that record.
    let one: &[_] = &[(Kind::Member, Reach::Target)];
    let target = Some(viewer.member.id.uuid());
    refused(may(one, target, suspended(&admin.member)).await, "another member");
    refused(may(one, None, suspended(&viewer.member)).await, "no target");
    refused(may(&[], target, suspended(&viewer.member)).await, "nothing");

    assert_eq!(may(password, None, renamed(&viewer.user)).await.unwrap(), Ok(()));
    let own = Favorite { owner_id: ListOwner::User(viewer.user.id).into(), ..anothers };
    assert_eq!(may(favorites, None, Effect::create(own)).await.unwrap(), Ok(()));
    // The change of the user touched the membership.
    let touched = Member { version: 2, ..viewer.member.clone() };
    assert_eq!(may(one, target, suspended(&touched)).await.unwrap(), Ok(()));
    let denied = may(password, None, renamed(&viewer.user)).await.unwrap();
    assert_eq!(denied, Err(Denial::Unknown), "a suspended user is denied");
    let above = Requirement { writes: one, ..needs(Role::Owner) };
    let demoted =
        writes(store, admin.user.id, club.id(), above, None, suspended(&admin.member)).await.unwrap();
    assert_eq!(demoted, Err(Denial::RoleInsufficient(Role::Owner)), "an absent user needs the role too");
}
