//! Commands: one file for each noun, one type for each command. A command reads facts, asks the domain and applies effects in one
//! transaction. Routes, the operator, importers and jobs run the same commands; they differ in who acts and how the transaction ends.
//!
//! A command awaits only its transaction: slow work (a password hash, parsing a file) happens before and is passed in. A new command
//! implements [`Command`] in the file of its noun; its operation has a row in the operation table.

mod context;
mod error;

pub mod api_keys;
pub mod auth;
pub mod break_glass;
pub mod cases;
pub mod changesets;
pub mod children;
pub mod consents;
pub mod divisions;
pub mod duties;
pub mod exports;
pub mod families;
pub mod favorites;
pub mod games;
pub mod guardian_invitations;
mod hold;
pub mod imports;
pub mod invitations;
pub mod members;
pub mod organizations;
pub mod privacy_requests;
pub mod profile;
pub mod registrations;
pub mod relations;
mod repeated;
mod restored;
pub mod restrictions;
pub mod rosters;
pub mod seasons;
mod second_person;
pub mod sessions;
pub mod staff;
pub mod teams;
pub mod venues;

use fieldhouse_api::Operation;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{OrganizationId, UserId};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Relation, Requirement};
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_store::access::Operator;
use fieldhouse_store::{Principal, Store, Tx};
use uuid::Uuid;

pub use context::{Authority, WriteContext};
pub use error::Error;

/// One change of records.
pub trait Command: Send + Sync + 'static {
    /// The operation: its requirements, and its name in the ledger.
    const OPERATION: Operation;
    /// The result.
    type Output: Send + 'static;

    /// The record that the command is about, to which a permission may be limited. `None` if it creates one or is about several.
    fn target(&self) -> Option<Uuid> {
        None
    }

    /// The record that the command creates, if it depends on the moment alone. It is then made before the transaction, for which others wait,
    /// and `run` creates it with [`WriteContext::create_new`].
    fn creates(&self, moment: &Moment) -> Option<AnyRecord> {
        let _ = moment;
        None
    }

    /// The output for a repeated request, if the response was not stored because it shows data of a child: what the caller may see now of the
    /// record that the first request left. `created` is its id, if it was created.
    fn again<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
        created: Option<&str>,
    ) -> impl Future<Output = Result<Option<Self::Output>, Error>> + Send {
        let _ = (tx, cx, created);
        async { Ok(None) }
    }

    /// Runs the command. It may run several times, until its transaction commits without a conflict.
    fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// Who acts if there is no request.
#[derive(Debug)]
pub enum Acting {
    /// The operator of the server, in an organization.
    Operator(Operator, OrganizationId),
    /// A job of the server, in an organization.
    Job(OrganizationId),
    /// A member of an organization, who is absent.
    Member(OrganizationId, UserId),
}

impl Acting {
    fn principal(&self) -> Principal<'_> {
        match self {
            Self::Operator(operator, organization) => Principal::Operator(operator, *organization),
            Self::Job(organization) => Principal::Job(*organization),
            Self::Member(organization, user) => {
                Principal::Absent { organization: *organization, user: *user, key: None }
            }
        }
    }
}

/// Makes the record that a command creates, before its transaction. `moment` must be the transaction's.
pub fn make_ahead(command: &impl Command, moment: &Moment) -> Option<AnyRecord> {
    let record = command.creates(moment)?;
    record.make_stored();
    Some(record)
}

/// Runs a command in its own transaction, without a request.
pub async fn run<C: Command>(
    store: &Store,
    acting: Acting,
    moment: Moment,
    command: C,
) -> Result<C::Output, Error> {
    let made = make_ahead(&command, &moment);
    store
        .write(C::OPERATION.id(), async move |tx: &mut Tx<'_>| {
            let moment = moment.again();
            let requirement = requirement(C::OPERATION);
            let permitted =
                tx.permit(acting.principal(), requirement, command.target(), moment.now()).await?;
            let cx = WriteContext::new(Authority::Organization(permitted?), C::OPERATION, &moment);
            let mut cx = cx.with_made(made.clone());
            command.run(tx, &mut cx).await
        })
        .await
}

/// The requirement of an operation without a request.
fn requirement(operation: Operation) -> Requirement {
    operation.row().map_or(
        Requirement {
            credential: Credential::Public,
            keys: KeyUse::SessionOnly,
            scope: Scope { resource: Resource::Service, verb: Verb::Write },
            relation: Relation::Unrelated,
            child: ChildTouch::Untouched,
            writes: operation.writes(),
        },
        |row| row.requirement,
    )
}
