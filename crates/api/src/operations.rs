//! The operation table: the law. One row an operation: who may call it, what it takes, what it answers.
//!
//! Every column is required; leaving one out does not compile. From this table come the router, the guard, security, parameters and
//! error answers in the OpenAPI document, `docs/permissions.md`, metric and span names, the client's paths, and the test matrix.
//! How to add a row: `docs/adding-an-endpoint.md`.

use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{
    ApiKeyId, CollegeId, FavoriteId, GameId, MemberId, ProgramId, SeasonId, SessionId,
};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Reach, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};

use crate::envelope::{Answer, Asset, Data, Deleted, Html, Page};
use crate::request::{
    BodyKind, Json, ListQuery, MergePatch, NoBody, NoParameter, NoQuery, PathParameter, Payload, Query,
    TryOut, Upload,
};
use crate::{
    api_keys, auth, colleges, favorites, games, imports, members, organization, profile, seasons, service,
};

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads.
    GET,
    /// Makes or does.
    POST,
    /// Changes a part.
    PATCH,
    /// Replaces.
    PUT,
    /// Deletes.
    DELETE,
}

impl Method {
    /// The method as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GET => "GET",
            Self::POST => "POST",
            Self::PATCH => "PATCH",
            Self::PUT => "PUT",
            Self::DELETE => "DELETE",
        }
    }
}

/// Whether an operation goes through changesets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changeset {
    /// Never: it reads, or it is about credentials or a person's own things.
    Never,
    /// A changeset may hold it; it also takes `?validate_only=true`.
    Possible,
}

/// One operation as a type: what its path, query, body and answer are.
pub trait Op: Send + Sync + 'static {
    /// The row.
    const OPERATION: Operation;
    /// The parameter in the path.
    type Path: PathParameter;
    /// The query parameters.
    type Query: Query;
    /// The body.
    type Body: Payload;
    /// The answer when it succeeds.
    type Answer: Answer;
}

/// Does something with every operation's type: how the OpenAPI document is built and coverage is checked.
pub trait Visitor {
    /// Is shown one operation.
    fn visit<O: Op>(&mut self);
}

macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $id:literal $method:ident $path:literal
            | $credential:expr, $keys:ident, $resource:ident:$verb:ident, $child:ident, $changeset:ident,
                [$($kind:ident $reach:ident),*]
            | $parameter:ty, $query:ty, $body:ty => $status:literal $answer:ty;
    )*) => {
        /// Every operation of the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation { $($(#[doc = $doc])+ $name,)* }

        impl Operation {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
            /// The name in the OpenAPI document, metrics, spans and the audit log.
            pub const fn id(self) -> &'static str { match self { $(Self::$name => $id),* } }
            /// The HTTP method.
            pub const fn method(self) -> Method { match self { $(Self::$name => Method::$method),* } }
            /// The path, with its parameter in braces.
            pub const fn path(self) -> &'static str { match self { $(Self::$name => $path),* } }
            /// Who may call it.
            pub const fn requirement(self) -> Requirement {
                match self { $(Self::$name => Requirement {
                    credential: $credential,
                    keys: KeyUse::$keys,
                    scope: Scope { resource: Resource::$resource, verb: Verb::$verb },
                    writes: &[$((Kind::$kind, Reach::$reach)),*],
                }),* }
            }
            /// Which data of children it touches.
            pub const fn child(self) -> ChildTouch { match self { $(Self::$name => ChildTouch::$child),* } }
            /// Whether it goes through changesets.
            pub const fn changeset(self) -> Changeset { match self { $(Self::$name => Changeset::$changeset),* } }
            /// The status of its success.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status),* } }
            /// How its body is sent.
            pub const fn body_kind(self) -> BodyKind { match self { $(Self::$name => <$body as Payload>::KIND),* } }
            /// Its documentation.
            pub const fn docs(self) -> &'static str { match self { $(Self::$name => concat!($($doc, "\n"),+)),* } }
        }

        /// Every operation as a type.
        pub mod op {
            use super::*;
            $($(#[doc = $doc])+ #[derive(Clone, Copy, Debug)] pub struct $name;
            impl Op for $name {
                const OPERATION: Operation = Operation::$name;
                type Path = $parameter;
                type Query = $query;
                type Body = $body;
                type Answer = $answer;
            })*
        }

        /// Shows every operation's type to a visitor, in the order of the table.
        pub fn visit(visitor: &mut impl Visitor) { $(visitor.visit::<op::$name>();)* }
    };
}

use Credential::{Optional, Public, Required};
use Role::{Admin, Manager, Viewer};

#[rustfmt::skip]
operations! {
// name, id, method, path | credential, keys, scope, child, changeset, writes | parameter, query, body => status answer

    /// Signs in with e-mail and password. The answer takes as long and reads the same for an unknown address as for a wrong password.
    AuthLogin "auth.login" POST "/api/v1/auth/login"
        | Public, SessionOnly, Auth:Write, Untouched, Never, [Session Own]
        | NoParameter, NoQuery, Json<auth::Login> => 200 Data<auth::Tokens>;
    /// Gets the next tokens of a session. A refresh token is good once: one that was used before ends its session, but for one retry
    /// within 30 seconds by a client that lost the answer.
    AuthRefresh "auth.refresh" POST "/api/v1/auth/refresh"
        | Public, SessionOnly, Auth:Write, Untouched, Never, [Session Own]
        | NoParameter, NoQuery, Json<auth::Refresh> => 200 Data<auth::Tokens>;
    /// Ends the session of this request.
    AuthLogout "auth.logout" POST "/api/v1/auth/logout"
        | Required(Viewer), SessionOnly, Auth:Write, Untouched, Never, [Session Own]
        | NoParameter, NoQuery, NoBody => 200 Data<auth::SignedOut>;
    /// Changes the caller's password and ends all his other sessions.
    AuthPassword "auth.password" POST "/api/v1/auth/password"
        | Required(Viewer), SessionOnly, Auth:Write, Untouched, Never, [User Own, Session Own]
        | NoParameter, NoQuery, Json<auth::PasswordChange> => 200 Data<auth::SignedOut>;
    /// Lists the caller's sessions in this organization, the newest first.
    SessionList "auth.sessions.list" GET "/api/v1/auth/sessions"
        | Required(Viewer), SessionOnly, Auth:Read, Untouched, Never, []
        | NoParameter, ListQuery, NoBody => 200 Page<auth::Session>;
    /// Ends one of the caller's sessions.
    SessionRevoke "auth.sessions.revoke" DELETE "/api/v1/auth/sessions/{id}"
        | Required(Viewer), SessionOnly, Auth:Write, Untouched, Never, [Session Own]
        | SessionId, NoQuery, NoBody => 200 Data<Deleted>;

    /// Issues an API key to the caller. It carries his role and this organization and never reaches beyond either; it is shown once.
    /// Needs a session that was signed in less than 15 minutes ago: a key cannot make a key.
    ApiKeyCreate "api_keys.create" POST "/api/v1/api-keys"
        | Required(Viewer), FreshSessionOnly, ApiKeys:Write, Untouched, Never, [ApiKey Own]
        | NoParameter, NoQuery, Json<api_keys::IssueApiKey> => 201 Data<api_keys::IssuedApiKey>;
    /// Lists the caller's API keys, the newest first; for an admin, those of everybody in the organization.
    ApiKeyList "api_keys.list" GET "/api/v1/api-keys"
        | Required(Viewer), SessionOnly, ApiKeys:Read, Untouched, Never, []
        | NoParameter, ListQuery, NoBody => 200 Page<api_keys::ApiKey>;
    /// Reads the API key of this request.
    ApiKeyCurrent "api_keys.current" GET "/api/v1/api-keys/current"
        | Required(Viewer), Itself, ApiKeys:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 Data<api_keys::ApiKey>;
    /// Reads one of the caller's API keys; for an admin, anybody's in the organization. A key reads itself only.
    ApiKeyRead "api_keys.read" GET "/api/v1/api-keys/{id}"
        | Required(Viewer), Itself, ApiKeys:Read, Untouched, Never, []
        | ApiKeyId, NoQuery, NoBody => 200 Data<api_keys::ApiKey>;
    /// Revokes one of the caller's API keys; for an admin, anybody's in the organization. A key revokes itself only. The next request
    /// with it is refused.
    ApiKeyRevoke "api_keys.revoke" DELETE "/api/v1/api-keys/{id}"
        | Required(Viewer), Itself, ApiKeys:Write, Untouched, Never, [ApiKey Target]
        | ApiKeyId, NoQuery, NoBody => 200 Data<Deleted>;

    /// Reads the caller's profile: who he is, where he belongs, and which credential he came with.
    ProfileMe "profile.me" GET "/api/v1/profile/me"
        | Required(Viewer), Allowed, Profile:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 Data<profile::Profile>;
    /// Reads the caller's organization.
    OrganizationRead "organization.read" GET "/api/v1/organization"
        | Required(Viewer), Allowed, Organization:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 Data<organization::Organization>;

    /// Lists the organization's members, the longest-standing first.
    MemberList "members.list" GET "/api/v1/members"
        | Required(Manager), Allowed, Members:Read, Untouched, Never, []
        | NoParameter, ListQuery, NoBody => 200 Page<members::Member>;
    /// Reads a member.
    MemberRead "members.read" GET "/api/v1/members/{id}"
        | Required(Manager), Allowed, Members:Read, Untouched, Never, []
        | MemberId, NoQuery, NoBody => 200 Data<members::Member>;
    /// Changes a member's role, or suspends him. Binds on his next request. Nobody acts on those above himself; the last owner stays.
    MemberChange "members.change" PATCH "/api/v1/members/{id}"
        | Required(Admin), SessionOnly, Members:Write, Untouched, Possible, [Member Target]
        | MemberId, TryOut, MergePatch<members::ChangeMember> => 200 Data<members::Member>;
    /// Removes a member from the organization, with his keys and sessions in it. Binds on his next request.
    MemberRemove "members.remove" DELETE "/api/v1/members/{id}"
        | Required(Admin), SessionOnly, Members:Write, Untouched, Possible, [Member Target]
        | MemberId, TryOut, NoBody => 200 Data<Deleted>;

    /// Lists the organization's seasons, the latest first.
    SeasonList "seasons.list" GET "/api/v1/seasons"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, Never, []
        | NoParameter, seasons::SeasonListQuery, NoBody => 200 Page<seasons::Season>;
    /// Makes a season.
    SeasonCreate "seasons.create" POST "/api/v1/seasons"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Possible, [Season Any]
        | NoParameter, TryOut, Json<seasons::NewSeason> => 201 Data<seasons::Season>;
    /// Reads a season.
    SeasonRead "seasons.read" GET "/api/v1/seasons/{id}"
        | Required(Viewer), Allowed, Seasons:Read, Untouched, Never, []
        | SeasonId, NoQuery, NoBody => 200 Data<seasons::Season>;
    /// Changes a season.
    SeasonChange "seasons.change" PATCH "/api/v1/seasons/{id}"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Possible, [Season Target]
        | SeasonId, TryOut, MergePatch<seasons::ChangeSeason> => 200 Data<seasons::Season>;
    /// Deletes a season on which no division, team or game stands.
    SeasonDelete "seasons.delete" DELETE "/api/v1/seasons/{id}"
        | Required(Manager), Allowed, Seasons:Write, Untouched, Possible, [Season Target]
        | SeasonId, TryOut, NoBody => 200 Data<Deleted>;

    /// Lists the games to come, soonest first. Cancelled and postponed games stay in, with their status.
    GamesUpcoming "games.upcoming" GET "/api/v1/games/upcoming"
        | Required(Viewer), Allowed, Games:Read, Untouched, Never, []
        | NoParameter, games::GamesUpcomingQuery, NoBody => 200 Page<games::Game>;
    /// Reads a game.
    GameRead "games.read" GET "/api/v1/games/{id}"
        | Required(Viewer), Allowed, Games:Read, Untouched, Never, []
        | GameId, NoQuery, NoBody => 200 Data<games::Game>;
    /// Imports a league file: seasons, divisions, teams, venues, games. All or nothing unless `skip_bad`; the same file twice changes
    /// nothing, a later version of it updates.
    LeagueImport "imports.league" POST "/api/v1/imports/league"
        | Required(Manager), Allowed, Imports:Write, Untouched, Never, [Season Any, Division Any, Team Any, Venue Any, Game Any]
        | NoParameter, NoQuery, Upload<imports::LeagueImport> => 200 Data<imports::LeagueReport>;

    /// Searches the college catalogue, by name.
    CollegeSearch "colleges.search" GET "/api/v1/colleges"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, Never, []
        | NoParameter, colleges::CollegeSearch, NoBody => 200 Page<colleges::College>;
    /// Searches the catalogue's programs, by college and sport.
    ProgramSearch "programs.search" GET "/api/v1/colleges/programs"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, Never, []
        | NoParameter, colleges::ProgramSearch, NoBody => 200 Page<colleges::Program>;
    /// Reads a program.
    ProgramRead "programs.read" GET "/api/v1/colleges/programs/{id}"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, Never, []
        | ProgramId, NoQuery, NoBody => 200 Data<colleges::Program>;
    /// Lists the caller's saved college programs in his order. Without a credential: the guest's of `X-Guest-Token`, else none.
    FavoriteList "favorites.list" GET "/api/v1/colleges/favorites"
        | Optional(Viewer), Allowed, Favorites:Read, Untouched, Never, []
        | NoParameter, favorites::FavoriteListQuery, NoBody => 200 Page<favorites::Favorite>;
    /// Saves a college program. Answers 200 and `meta.created: false` where it was saved already. A guest's first save answers with his
    /// token.
    FavoriteSave "favorites.save" POST "/api/v1/colleges/favorites"
        | Optional(Viewer), Allowed, Favorites:Write, Untouched, Never, [Favorite Own]
        | NoParameter, favorites::FavoriteSaveQuery, Json<favorites::FavoriteSave> => 201 favorites::SavedFavorite;
    /// Changes what is noted of a saved program.
    FavoriteChange "favorites.change" PATCH "/api/v1/colleges/favorites/{id}"
        | Optional(Viewer), Allowed, Favorites:Write, Untouched, Never, [Favorite Own]
        | FavoriteId, NoQuery, MergePatch<favorites::ChangeFavorite> => 200 Data<favorites::Favorite>;
    /// Removes a saved program.
    FavoriteRemove "favorites.remove" DELETE "/api/v1/colleges/favorites/{id}"
        | Optional(Viewer), Allowed, Favorites:Write, Untouched, Never, [Favorite Own]
        | FavoriteId, NoQuery, NoBody => 200 favorites::FavoriteRemoved;
    /// Puts the whole list in a new order.
    FavoriteOrder "favorites.order" PUT "/api/v1/colleges/favorites/order"
        | Optional(Viewer), Allowed, Favorites:Write, Untouched, Never, [Favorite Own]
        | NoParameter, NoQuery, Json<favorites::FavoriteOrder> => 200 Page<favorites::Favorite>;
    /// Copies the list of the guest of `X-Guest-Token` to the caller's and ends the guest. Duplicates merge: what the caller has stays as
    /// it is.
    FavoritesClaim "favorites.claim" POST "/api/v1/colleges/favorites/claim"
        | Required(Viewer), Allowed, Favorites:Write, Untouched, Never, [Favorite Own]
        | NoParameter, NoQuery, NoBody => 200 Data<favorites::FavoritesClaimed>;
    /// Reads a college.
    CollegeRead "colleges.read" GET "/api/v1/colleges/{id}"
        | Optional(Viewer), Allowed, Colleges:Read, Untouched, Never, []
        | CollegeId, NoQuery, NoBody => 200 Data<colleges::College>;

    /// The keys that verify this server's access tokens.
    JsonWebKeys "service.jwks" GET "/.well-known/jwks.json"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 auth::JsonWebKeySet;
    /// What an OpenID Connect client needs to know.
    OpenIdConfiguration "service.openid_configuration" GET "/.well-known/openid-configuration"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 auth::OpenIdConfiguration;
    /// Where a client of this API gets its tokens.
    ProtectedResource "service.protected_resource" GET "/.well-known/oauth-protected-resource"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 auth::ProtectedResource;
    /// The OpenAPI 3.1 document of this API.
    OpenApi "service.openapi" GET "/openapi.json"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 service::OpenApiDocument;
    /// The documentation page, where requests can be tried.
    Docs "service.docs" GET "/docs"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 Html;
    /// A file of the documentation page.
    DocsAsset "service.docs_asset" GET "/docs/{file}"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | String, NoQuery, NoBody => 200 Asset;
    /// The page that explains an error code.
    ProblemPage "service.problem_page" GET "/problems/{code}"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | String, NoQuery, NoBody => 200 Html;
    /// Whether the process lives.
    Health "service.health" GET "/healthz"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 service::Health;
    /// Whether the server can answer: its database can be reached and is of this version.
    Ready "service.ready" GET "/readyz"
        | Public, Allowed, Service:Read, Untouched, Never, []
        | NoParameter, NoQuery, NoBody => 200 service::Readiness;
}
