//! Commands without HTTP, on both engines: who may run them, what they refuse, and what they leave behind.

#![expect(clippy::unwrap_used, reason = "tests may panic, in helper functions too")]

mod accounts;
mod acting;
mod changesets;
mod imports;
mod refusals;
mod restores;

use fieldhouse_commands::{Acting, Authority, Command, Error, WriteContext};
use fieldhouse_domain::policy::Requirement;
use fieldhouse_domain::record::{Body, read_pairs};
use fieldhouse_domain::venues::{NewVenue, Venue};
use fieldhouse_store::{OrgScope, Principal, Store, Tx};
use fieldhouse_testing::clubs::{self, Club, Person};

/// Runs a command as a request of a member does.
async fn request<C: Command>(
    store: &Store,
    person: &Person,
    if_match: Option<&str>,
    command: C,
) -> Result<C::Output, Error> {
    let requirement = C::OPERATION.row().expect("an operation of the API").requirement;
    let scope = person.scope(store).await;
    permitted(store, scope, requirement, if_match, command).await
}

/// Runs a command with the permission for a requirement, which may be that of another operation.
async fn permitted<C: Command>(
    store: &Store,
    scope: OrgScope,
    requirement: Requirement,
    if_match: Option<&str>,
    command: C,
) -> Result<C::Output, Error> {
    let if_match = if_match.map(str::to_owned);
    let moment = clubs::moment();
    store
        .write(C::OPERATION.id(), async move |tx: &mut Tx<'_>| {
            let moment = moment.again();
            let caller = Principal::Caller(&scope);
            let proof = tx.permit(caller, requirement, command.target(), moment.now()).await?;
            let cx = WriteContext::new(Authority::Organization(proof?), C::OPERATION, &moment);
            command.run(tx, &mut cx.of_request("request", if_match.as_deref())).await
        })
        .await
}

/// Runs a command as a job of the server.
async fn job<C: Command>(store: &Store, club: &Club, command: C) -> Result<C::Output, Error> {
    fieldhouse_commands::run(store, Acting::Job(club.id()), clubs::moment(), command).await
}

fn body<B: Body>(fields: &[(&str, &str)]) -> B {
    let fields: Vec<_> = fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    read_pairs(&fields, "/").unwrap()
}

fn new_venue(name: &str) -> NewVenue {
    body(&[("name", name), ("time_zone", "Australia/Melbourne")])
}

/// The names of all venues of a club.
async fn venues(store: &Store, club: &Club) -> Vec<String> {
    let scope = club.owner().scope(store).await;
    let venues: Vec<Venue> =
        fieldhouse_store::venues::list(&mut &*store, &scope, &[], None, 100).await.unwrap().records;
    venues.into_iter().map(|venue| venue.name.into()).collect()
}
