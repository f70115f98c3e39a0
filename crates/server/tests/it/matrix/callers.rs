//! The kinds of caller. Most are created for each request, so that requests do not affect each other. Callers that were demoted, removed,
//! revoked or suspended are created once, through the API.

use fieldhouse_domain::api_keys::{ApiKeyKind, NewApiKey};
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::text::Name;
use jiff::SignedDuration;
use serde_json::json;

use crate::support::fixtures::Fixture;
use crate::support::{Club, Person};

/// A kind of caller, by the name of its column.
pub(crate) const CALLERS: [&str; 24] = [
    "anonymous",
    "viewer",
    "member",
    "coach",
    "manager",
    "admin",
    "owner",
    "s.old",
    "s.demoted",
    "s.removed",
    "neighbour",
    "k.viewer",
    "k.member",
    "k.coach",
    "k.manager",
    "k.admin",
    "k.owner",
    "k.demoted",
    "k.revoked",
    "k.expired",
    "k.removed",
    "k.suspended",
    "k.agent",
    "k.seasons",
];

/// A caller of one request.
pub(crate) struct Caller {
    pub(crate) person: Person,
    /// The user whose records the request names: the caller, or another member if the caller has no records in the club.
    pub(crate) user: UserId,
    /// The caller's own key, if the request can name it.
    pub(crate) key: Option<ApiKeyId>,
}

/// Callers that were demoted, removed, revoked, suspended or whose key expired.
pub(crate) struct ChangedCallers {
    demoted: Person,
    removed: Person,
    removed_key: Person,
    revoked_key: Person,
    suspended_key: Person,
    expired_key: Person,
}

impl ChangedCallers {
    /// Creates the callers and changes them.
    pub(crate) async fn of(club: &Club) -> Self {
        let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
        let [demoted, removed, revoked, suspended] = [Role::Coach; 4].map(|role| fixture.member(role));
        let [demoted_session, removed_session] =
            [demoted, removed].map(|member| fixture.session(member.user));
        let (_, removed_key) = fixture.key(removed.user, Role::Coach);
        let (revoked_id, revoked_key) = fixture.key(revoked.user, Role::Coach);
        let (_, suspended_key) = fixture.key(suspended.user, Role::Coach);
        fixture.write().await;
        // Keys last at most 366 days.
        let mut past = Fixture::new(club, SignedDuration::from_hours(400 * 24)).await;
        let expired = past.member(Role::Coach);
        let (_, expired_key) = past.key(expired.user, Role::Coach);
        past.write().await;
        let owner = club.member(Role::Owner);
        for answer in [
            owner.patch(&format!("/api/v1/members/{}", demoted.member), &json!({"role": "viewer"})).await,
            owner.delete(&format!("/api/v1/members/{}", removed.member)).await,
            owner.delete(&format!("/api/v1/api-keys/{revoked_id}")).await,
            owner.patch(&format!("/api/v1/members/{}", suspended.member), &json!({"suspended": true})).await,
        ] {
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
        Self {
            demoted: club.with_token(&demoted_session.access_token),
            removed: club.with_token(&removed_session.access_token),
            removed_key: club.with_key(&removed_key),
            revoked_key: club.with_key(&revoked_key),
            suspended_key: club.with_key(&suspended_key),
            expired_key: club.with_key(&expired_key),
        }
    }
}

/// The fixtures with the callers of one operation.
pub(crate) struct Fixtures {
    pub(crate) club: Fixture,
    /// Records of the club, created 20 minutes ago.
    past: Fixture,
    neighbours: Fixture,
}

impl Fixtures {
    pub(crate) async fn new(club: &Club, neighbours: OrganizationId) -> Self {
        Self {
            club: Fixture::new(club, SignedDuration::ZERO).await,
            past: Fixture::new(club, SignedDuration::from_mins(20)).await,
            neighbours: Fixture::in_organization(club, neighbours, SignedDuration::ZERO).await,
        }
    }

    /// The organization to which no caller of the club belongs.
    pub(crate) fn elsewhere(&self) -> OrganizationId {
        self.neighbours.organization()
    }

    pub(crate) async fn write(self) {
        self.past.write().await;
        self.club.write().await;
        self.neighbours.write().await;
    }

    /// Creates a caller.
    pub(crate) fn add(&mut self, club: &Club, changed: &ChangedCallers, kind: &str) -> Caller {
        let role = |name: &str| name.parse::<Role>();
        let existing = match kind {
            "anonymous" => Some(club.anonymous()),
            // Not a column: `operator.rs` tests with every operation.
            "operator" => Some(club.operator()),
            "s.demoted" => Some(changed.demoted.clone()),
            "s.removed" => Some(changed.removed.clone()),
            "k.revoked" => Some(changed.revoked_key.clone()),
            "k.expired" => Some(changed.expired_key.clone()),
            "k.removed" => Some(changed.removed_key.clone()),
            "k.suspended" => Some(changed.suspended_key.clone()),
            "neighbour" => {
                let neighbour = self.neighbours.member(Role::Owner);
                Some(club.with_token(&self.neighbours.session(neighbour.user).access_token))
            }
            _ => None,
        };
        if let Some(person) = existing {
            return Caller { person, user: self.club.member(Role::Owner).user, key: None };
        }
        if kind == "s.old" {
            let user = self.past.member(Role::Owner).user;
            let person = club.with_token(&self.past.session(user).access_token);
            return Caller { person, user, key: None };
        }
        if let Ok(role) = role(kind) {
            let user = self.club.member(role).user;
            let person = club.with_token(&self.club.session(user).access_token);
            return Caller { person, user, key: None };
        }
        let (now, issued, wanted) = match kind {
            "k.demoted" => (Role::Viewer, Role::Manager, wanted(ApiKeyKind::Personal, None)),
            "k.agent" => (Role::Owner, Role::Owner, wanted(ApiKeyKind::Agent, None)),
            "k.seasons" => (Role::Owner, Role::Owner, wanted(ApiKeyKind::Personal, Some("seasons:read"))),
            key => {
                let role = role(key.trim_start_matches("k.")).expect("a kind of caller");
                (role, role, wanted(ApiKeyKind::Personal, None))
            }
        };
        let user = self.club.member(now).user;
        let (key, text) = self.club.wanted_key(user, issued, wanted);
        Caller { person: club.with_key(&text), user, key: Some(key) }
    }
}

fn wanted(kind: ApiKeyKind, scope: Option<&str>) -> NewApiKey {
    NewApiKey {
        name: Name::parse("Scoreboard").expect("a name"),
        kind,
        scopes: scope.map(|scope| Scope::parse(scope).expect("a scope")).into_iter().collect(),
        allowed_ips: Vec::new(),
    }
}
