//! Resource groups: the client's methods, as tables.
//!
//! A group is one `resource!` table in the file of its noun, with one row for each method: arguments and the operation. The operation table
//! says how the operation is called. A new group gets a file and a line in `groups!` below. [`covered`] comes from the same tables, and a
//! test compares it with the operation table, so that no operation is forgotten.

pub mod api_keys;
pub mod audit;
pub mod auth;
pub mod break_glass;
pub mod cases;
pub mod changesets;
pub mod children;
pub mod colleges;
pub mod consents;
pub mod divisions;
pub mod duties;
pub mod exports;
pub mod favorites;
pub mod games;
pub mod guardian_invitations;
pub mod imports;
pub mod invitations;
pub mod members;
pub mod operator;
pub mod organization;
pub mod pages;
pub mod privacy_requests;
pub mod profile;
pub mod registrations;
pub mod relations;
pub mod restrictions;
pub mod rosters;
pub mod seasons;
pub mod service;
pub mod staff;
pub mod teams;
pub mod venues;

use fieldhouse_api::Operation;

use self::colleges::Colleges;
use crate::client::Client;

/// Defines a resource group: a struct with a method for each row. A row's arguments are the path parameters in order, `query` and `body`.
macro_rules! resource {
    ($(#[$doc:meta])* $group:ident { $(
        $(#[$about:meta])* $method:ident($($argument:ident: $type:ty),*) => $operation:ident;
    )+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $group(pub(crate) $crate::client::Client);

        impl $group {
            pub(crate) const OPERATIONS: &'static [fieldhouse_api::Operation] =
                &[$(fieldhouse_api::Operation::$operation),+];

            $(
                $(#[$about])*
                #[doc = concat!("\n\nCalls [`", stringify!($operation), "`](fieldhouse_api::op::", stringify!($operation), ").")]
                pub fn $method(
                    &self $(, $argument: $crate::resources::argument!($argument: $type))*
                ) -> $crate::Call<fieldhouse_api::op::$operation> {
                    $crate::resources::call!(self.0, $($argument = $argument)*)
                }
            )+
        }
    };
}

/// The type of a method's argument: ids by value, the rest by reference.
macro_rules! argument {
    (name: $type:ty) => {
        &$type
    };
    (query: $type:ty) => {
        &$type
    };
    (body: $type:ty) => {
        &$type
    };
    ($other:ident: $type:ty) => {
        $type
    };
}

/// Builds the call with these arguments. Each argument is passed with its role, because a macro sees no names but its own.
macro_rules! call {
    (@ $client:expr, [$($path:ident)*] [$query:expr] [$body:expr]) => {
        $client.call($crate::resources::path_of!($($path)*), $query, $body)
    };
    (@ $client:expr, [$($path:ident)*] [$query:expr] [$body:expr] query = $it:ident $($rest:tt)*) => {
        $crate::resources::call!(@ $client, [$($path)*] [$it] [$body] $($rest)*)
    };
    (@ $client:expr, [$($path:ident)*] [$query:expr] [$body:expr] body = $it:ident $($rest:tt)*) => {
        $crate::resources::call!(@ $client, [$($path)*] [$query] [$it] $($rest)*)
    };
    (@ $client:expr, [$($path:ident)*] [$query:expr] [$body:expr] $other:ident = $it:ident $($rest:tt)*) => {
        $crate::resources::call!(@ $client, [$($path)* $it] [$query] [$body] $($rest)*)
    };
    ($client:expr, $($argument:ident = $it:ident)*) => {
        $crate::resources::call!(@ $client, [] [&Default::default()] [&Default::default()] $($argument = $it)*)
    };
}

/// The parameters of a path: none, one, or several as a tuple.
macro_rules! path_of {
    () => {
        fieldhouse_api::request::NoParameter
    };
    ($one:ident) => {
        $one
    };
    ($($one:ident)+) => {
        fieldhouse_api::request::Parameters(($($one),+))
    };
}

pub(crate) use {argument, call, path_of, resource};

macro_rules! groups {
    ($($owner:ident: $($(#[$doc:meta])* $name:ident $module:ident::$group:ident,)+;)+) => {
        $(impl $owner {
            $($(#[$doc])* pub fn $name(&self) -> $module::$group { $module::$group(self.client()) })+
        })+

        /// Every operation with a method, one entry for each method.
        pub fn covered() -> Vec<Operation> {
            [$($($module::$group::OPERATIONS),+),+].concat()
        }
    };
}

groups! {
    Client:
        /// Keys for scripts, servers and agents.
        api_keys api_keys::ApiKeys,
        /// The audit log.
        audit audit::Audit,
        /// Sign-in and sessions.
        auth auth::Auth,
        /// Break-glass grants.
        break_glass_grants break_glass::BreakGlassGrants,
        /// Changesets.
        changesets changesets::Changesets,
        /// Children, and the classes of their data.
        children children::Children,
        /// The college catalogue and saved programs.

        colleges colleges::Colleges,
        /// Consents about children.
        consents consents::Consents,
        /// Divisions of seasons.
        divisions divisions::Divisions,
        /// Duties of members.
        duties duties::Duties,
        /// Exports of the organization.
        exports exports::Exports,
        /// Games.
        games games::Games,
        /// Invitations to be a child's guardian.
        guardian_invitations guardian_invitations::GuardianInvitations,
        /// Imports of leagues.
        imports imports::Imports,
        /// Invitations to join the organization.
        invitations invitations::Invitations,
        /// The organization's members.
        members members::Members,
        /// What the operator does on the server's own machine.
        operator operator::Operator,
        /// The caller's organization.
        organization organization::Organization,
        /// The pages that links of messages open.
        pages pages::Pages,
        /// Requests about children's data.
        privacy_requests privacy_requests::PrivacyRequests,
        /// The caller's own profile.
        profile profile::Profile,
        /// Relations of people to children.
        relations relations::Relations,
        /// Registrations of children for seasons.
        registrations registrations::Registrations,
        /// Restrictions on children's data.
        restrictions restrictions::Restrictions,
        /// Rosters of teams.
        roster rosters::Rosters,
        /// Safeguarding cases.
        safeguarding_cases cases::SafeguardingCases,
        /// Seasons.
        seasons seasons::Seasons,
        /// The service itself: health, documents, public keys.
        service service::Service,
        /// Staff of teams.
        staff staff::Staff,
        /// Teams of seasons.
        teams teams::Teams,
        /// Venues.
        venues venues::Venues,
    ;
    Colleges:
        /// The colleges' programs.
        programs colleges::Programs,
        /// The caller's saved programs.
        favorites favorites::Favorites,
    ;
}

impl Client {
    fn client(&self) -> Self {
        self.clone()
    }
}

impl Colleges {
    fn client(&self) -> Client {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_one_method() {
        let mut covered = covered();
        covered.sort_unstable();
        assert_eq!(covered, Operation::ROUTES);
    }

    #[tokio::test]
    async fn a_method_takes_path_parameters_a_query_and_a_body_in_any_order() {
        use fieldhouse_api::op::MemberChange;
        use fieldhouse_api::request::{Parameters, ValidateOnly};
        let client = Client::builder("http://a.test").build().expect("a client");
        let id: fieldhouse_domain::ids::MemberId = "mem_01h2xcejqtf2nbrexx3vqjhp41".parse().expect("an id");
        let query = &ValidateOnly { validate_only: Some(true), ..Default::default() };
        let body = &fieldhouse_api::members::ChangeMember::default();
        let call: crate::Call<MemberChange> = call!(client, query = query id = id body = body);
        assert_eq!(format!("{call:?}"), format!("Call(PATCH /api/v1/members/{id})"));
        assert_eq!(path_of!(id body), Parameters((id, body)));
    }
}
