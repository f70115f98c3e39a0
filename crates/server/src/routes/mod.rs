//! Handlers, one file for each noun, and the list of all handlers. A handler runs a command or reads the store, and responds; it never
//! compares roles.

mod api_keys;
mod audit;
pub(crate) mod auth;
mod break_glass;
mod cases;
mod catalogue;
mod changesets;
mod child_exports;
mod children;
mod colleges;
mod consents;
mod divisions;
mod duties;
mod exports;
mod favorites;
mod games;
mod guardian_invitations;
mod imports;
pub(crate) mod invitations;
mod mail;
mod members;
mod operator;
mod organization;
mod privacy_requests;
pub(crate) mod profile;
mod registrations;
mod relations;
mod restrictions;
mod rosters;
mod seasons;
mod service;
mod staff;
mod standings;
mod teams;
mod venues;

use crate::pages::people;
use crate::router::Routes;

/// All operations with their handlers.
pub(crate) fn all(routes: Routes) -> Routes {
    let groups = [people_and_credentials, league, proposals, families, programs, pages_and_service];
    groups.into_iter().fold(routes, |routes, group| group(routes))
}

fn people_and_credentials(routes: Routes) -> Routes {
    routes
        .op(auth::login)
        .op(auth::refresh)
        .op(auth::logout)
        .op(auth::password)
        .op(auth::request_reset)
        .op(auth::complete_reset)
        .op(auth::sessions)
        .op(auth::revoke_session)
        .op(api_keys::create)
        .op(api_keys::list)
        .op(api_keys::current)
        .op(api_keys::read)
        .op(api_keys::revoke)
        .op(profile::me)
        .op(profile::change)
        .op(profile::request_email)
        .op(profile::confirm_email)
        .op(organization::read)
        .op(organization::change)
        .op(audit::of_organization)
        .op(members::list)
        .op(members::read)
        .op(members::change)
        .op(members::remove)
        .op(members::history)
        .op(invitations::list)
        .op(invitations::create)
        .op(invitations::preview)
        .op(invitations::accept)
        .op(invitations::read)
        .op(invitations::resend)
        .op(invitations::revoke)
        .op(audit::list)
}

fn proposals(routes: Routes) -> Routes {
    routes
        .op(changesets::list)
        .op(changesets::create)
        .op(changesets::read)
        .op(changesets::change)
        .op(changesets::simulate)
        .op(changesets::simulation)
        .op(changesets::diff)
        .op(changesets::impact)
        .op(changesets::submit)
        .op(changesets::approve)
        .op(changesets::unapprove)
        .op(changesets::reject)
        .op(changesets::withdraw)
        .op(changesets::schedule)
        .op(changesets::execute)
        .op(changesets::undo)
        .op(changesets::resolve)
        .op(changesets::events)
}

fn league(routes: Routes) -> Routes {
    routes
        .op(seasons::list)
        .op(seasons::create)
        .op(seasons::read)
        .op(seasons::change)
        .op(seasons::delete)
        .op(seasons::purge)
        .op(standings::read)
        .op(seasons::history)
        .op(divisions::list)
        .op(divisions::create)
        .op(divisions::read)
        .op(divisions::change)
        .op(divisions::delete)
        .op(divisions::history)
        .op(teams::list)
        .op(teams::create)
        .op(teams::read)
        .op(teams::change)
        .op(teams::delete)
        .op(teams::schedule)
        .op(teams::history)
        .op(staff::list)
        .op(staff::add)
        .op(staff::change)
        .op(staff::remove)
        .op(staff::confirm)
        .op(venues::list)
        .op(venues::create)
        .op(venues::read)
        .op(venues::change)
        .op(venues::delete)
        .op(venues::history)
        .op(games::list)
        .op(games::create)
        .op(games::upcoming)
        .op(games::read)
        .op(games::change)
        .op(games::enter_result)
        .op(games::delete)
        .op(games::history)
        .op(imports::league)
        .op(imports::formats)
        .op(exports::create)
        .op(exports::read)
        .op(exports::content)
}

fn families(routes: Routes) -> Routes {
    routes
        .op(children::list)
        .op(children::create)
        .op(children::read)
        .op(children::profile)
        .op(children::change_profile)
        .op(children::identity)
        .op(children::change_identity)
        .op(children::contact)
        .op(children::change_contact)
        .op(children::emergency)
        .op(children::change_emergency)
        .op(children::medical)
        .op(children::change_medical)
        .op(children::performance)
        .op(children::change_performance)
        .op(children::access_log)
        .op(audit::of_child)
        .op(child_exports::create)
        .op(child_exports::read)
        .op(child_exports::content)
        .op(consents::list)
        .op(consents::grant)
        .op(consents::withdraw)
        .op(relations::of_child)
        .op(relations::add)
        .op(guardian_invitations::list)
        .op(guardian_invitations::create)
        .op(guardian_invitations::resend)
        .op(guardian_invitations::revoke)
        .op(relations::list)
        .op(relations::confirm)
        .op(relations::accept)
        .op(relations::revoke)
        .op(restrictions::list)
        .op(restrictions::enter)
        .op(restrictions::lift)
        .op(cases::list)
        .op(cases::open)
        .op(cases::read)
        .op(cases::confirm)
        .op(cases::close)
        .op(break_glass::list)
        .op(break_glass::create)
        .op(break_glass::end)
        .op(break_glass::review)
        .op(registrations::list)
        .op(registrations::add)
        .op(registrations::change)
        .op(registrations::withdraw)
        .op(rosters::list)
        .op(rosters::add)
        .op(rosters::change)
        .op(rosters::remove)
        .op(privacy_requests::list)
        .op(privacy_requests::create)
        .op(privacy_requests::decide)
        .op(duties::list)
        .op(duties::add)
        .op(duties::read)
        .op(duties::confirm)
        .op(duties::accept)
        .op(duties::revoke)
        .op(duties::history)
}

fn programs(routes: Routes) -> Routes {
    routes
        .op(colleges::search)
        .op(colleges::programs)
        .op(colleges::read_program)
        .op(favorites::list)
        .op(favorites::save)
        .op(favorites::change)
        .op(favorites::remove)
        .op(favorites::order)
        .op(favorites::export)
        .op(favorites::claim)
        .op(colleges::read)
}

fn pages_and_service(routes: Routes) -> Routes {
    routes
        .op(people::invitation)
        .op(people::accept)
        .op(people::password_reset)
        .op(people::reset)
        .op(people::forgot_password)
        .op(people::request_reset)
        .op(people::email)
        .op(people::confirm_email)
        .op(operator::organizations)
        .op(operator::create_organization)
        .op(operator::change_organization)
        .op(operator::import_organization)
        .op(catalogue::import)
        .op(mail::reset_password)
        .op(mail::list)
        .op(mail::read)
        .op(service::home)
        .op(service::retention_policy)
        .op(service::retention_page)
        .op(service::json_web_keys)
        .op(service::openid_configuration)
        .op(service::protected_resource)
        .op(service::openapi)
        .op(service::docs)
        .op(service::docs_asset)
        .op(service::problem_page)
        .op(service::health)
        .op(service::ready)
}
