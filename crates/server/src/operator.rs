//! What the operator does directly on the store, without a request: found an organization, add users, load the college catalogue. Only
//! commands on the server's own machine use it; no route does.

use std::sync::Arc;

use fieldhouse_api::Operation;
use fieldhouse_commands::imports::{Imported, League, LeagueFile};
use fieldhouse_commands::organizations::Found;
use fieldhouse_commands::{Acting, changesets, families};
use fieldhouse_domain::changesets::DriftPolicy;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{ChangesetId, OrganizationId, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{Country, NewOrganization, Organization, Slug};
use fieldhouse_domain::passwords::check_password;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, Name, Reason};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::User;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_imports::colleges::{self, Catalogue, Existing};
use fieldhouse_imports::league;
use fieldhouse_store::Store;
use fieldhouse_store::ledger::{self, Verdict};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::auth::passwords::Passwords;
use crate::clock::Clock;
use crate::failure::Failure;

/// An organization to found.
#[derive(Clone, Debug)]
pub struct Founding {
    /// Its name.
    pub name: Name,
    /// Its short name.
    pub slug: Slug,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<Country>,
    /// The time zone in which it plays.
    pub time_zone: TimeZoneName,
}

/// A user to add to an organization.
#[derive(Clone)]
pub struct Person {
    /// The e-mail address that the owner signs in with.
    pub email: Email,
    /// The name.
    pub name: Name,
    /// The role.
    pub role: Role,
    /// The password.
    pub password: SecretString,
}

/// Why an operator's command failed.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] fieldhouse_store::Error),
    /// A rule refused it.
    #[error("{}", explain(.0))]
    Refused(#[from] Refusal),
    /// The operator may not do it.
    #[error("the operator is not permitted to do this")]
    Denied,
    /// A password could not be hashed.
    #[error("the password could not be hashed")]
    Password,
}

fn explain(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Invalid(fields) => {
            let lines = fields.iter().map(|field| {
                let fix = field.fix.as_ref().map(|fix| format!(". {fix}")).unwrap_or_default();
                format!("{} {}{fix}", field.pointer.trim_start_matches('/'), field.message)
            });
            lines.collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

impl From<fieldhouse_commands::Error> for OperatorError {
    fn from(error: fieldhouse_commands::Error) -> Self {
        match error {
            fieldhouse_commands::Error::Store(error) => Self::Store(error),
            fieldhouse_commands::Error::Refused(refusal) => Self::Refused(refusal),
            // The operator's commands are not planned before their transaction.
            fieldhouse_commands::Error::Denied(_) | fieldhouse_commands::Error::Stale => Self::Denied,
        }
    }
}

impl From<Failure> for OperatorError {
    fn from(_: Failure) -> Self {
        Self::Password
    }
}

/// Founds an organization with its first users, in one transaction.
#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub async fn found(
    store: &Store,
    passwords: &Passwords,
    clock: &Clock,
    founding: Founding,
    people: Vec<Person>,
) -> Result<OrganizationId, OperatorError> {
    let moment = clock.moment();
    let Founding { name, slug, country, time_zone } = founding;
    let organization = Organization::create(&moment, NewOrganization { name, slug, country, time_zone });
    let mut members = Vec::new();
    for person in people {
        let user = new_user(passwords, clock, &moment, &person).await?;
        let member = Member::new(&moment, user.id, person.role);
        members.push((user, member));
    }
    let acting = Acting::Operator(store.operator(), organization.id);
    let taken = format!("the organization {} already exists", organization.slug);
    let command = Found { organization, people: members };
    fieldhouse_commands::run(store, acting, moment, command).await.map_err(|error| match error {
        fieldhouse_commands::Error::Store(fieldhouse_store::Error::Duplicate(key)) => {
            let is_user = key.table == "users";
            let why =
                if is_user { "a user with one of these addresses already exists".to_owned() } else { taken };
            Refusal::Duplicate(why).into()
        }
        other => other.into(),
    })
}

async fn new_user(
    passwords: &Passwords,
    clock: &Clock,
    moment: &Moment,
    person: &Person,
) -> Result<User, OperatorError> {
    check_password(person.password.expose_secret(), &person.email, &[person.name.as_str()])
        .map_err(|wrong| Refusal::field("/password", wrong))?;
    let hash = passwords.turn()?.hash(person.password.clone(), clock.random()).await?;
    Ok(User::new(moment, person.email.clone(), person.name.clone(), Some(hash)))
}

/// Applies the plan of a league import to an organization that contains none of its records yet. Returns the created records.
#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub async fn load_league(
    store: &Store,
    clock: &Clock,
    organization: OrganizationId,
    options: league::Options,
    schedule: league::Schedule,
) -> Result<Vec<AnyRecord>, OperatorError> {
    let file = Arc::new(LeagueFile { options, schedule, skip_bad: true });
    let command = League { file, planned: None, dry_run: false };
    let acting = Acting::Operator(store.operator(), organization);
    match fieldhouse_commands::run(store, acting, clock.moment(), command).await? {
        Imported::Done(plan) => Ok(plan.effects.iter().filter_map(|effect| effect.after.clone()).collect()),
        Imported::Refused(_) | Imported::Checked { .. } => Err(OperatorError::Denied),
    }
}

/// Creates the invented families of a demo.
#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub async fn load_families(
    store: &Store,
    clock: &Clock,
    organization: OrganizationId,
    records: Vec<AnyRecord>,
) -> Result<(), OperatorError> {
    let acting = Acting::Operator(store.operator(), organization);
    Ok(fieldhouse_commands::run(store, acting, clock.moment(), families::Load(records)).await?)
}

/// Proposes a changeset as a member, simulates it and submits it for review.
pub async fn propose(
    store: &Store,
    clock: &Clock,
    (organization, author): (OrganizationId, UserId),
    (title, reason): (Name, Reason),
    operations: Vec<Value>,
) -> Result<ChangesetId, OperatorError> {
    let acting = || Acting::Member(organization, author);
    let new = changesets::Create {
        title: Some(title),
        reason: Some(reason),
        operations,
        undo: None,
        drift_policy: DriftPolicy::Strict,
        salt: clock.random(),
    };
    let id = fieldhouse_commands::run(store, acting(), clock.moment(), new).await?.changeset.id;
    fieldhouse_commands::run(store, acting(), clock.moment(), changesets::Simulate(id)).await?;
    fieldhouse_commands::run(store, acting(), clock.moment(), changesets::Submit(id)).await?;
    Ok(id)
}

/// Verifies the audit log of an organization, after posting the waiting entries.
#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub async fn verify_audit_log(
    store: &Store,
    organization: OrganizationId,
) -> Result<Verdict, fieldhouse_store::Error> {
    store.post(organization).await?;
    ledger::verify_for_operator(store, &store.operator(), organization).await
}

/// Updates the college catalogue to a file, all or nothing. Returns the numbers of new, changed and unchanged records; `progress` receives
/// the number of written records and their total.
#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub async fn load_colleges(
    store: &Store,
    clock: &Clock,
    catalogue: Catalogue,
    dry_run: bool,
    progress: impl Fn(u64, u64) + Send + Sync + 'static,
) -> Result<colleges::Plan, OperatorError> {
    let moment = clock.moment();
    let operator = store.operator();
    store
        .write(Operation::OperatorLoadColleges.id(), async move |tx| {
            let moment = moment.again();
            let existing = fieldhouse_store::colleges::everything(tx).await?;
            let existing = Existing { colleges: existing.0, programs: existing.1 };
            let plan = colleges::plan(&moment, catalogue.clone(), &existing);
            if dry_run {
                return Ok(plan);
            }
            let (colleges, programs) = (&plan.colleges, &plan.programs);
            let all = [
                colleges.created.len(),
                colleges.updated.len(),
                programs.created.len(),
                programs.updated.len(),
            ];
            let all = all.iter().map(|count| *count as u64).sum();
            let mut done = 0;
            for (new, college) in of(&colleges.created, &colleges.updated) {
                fieldhouse_store::colleges::write(tx, &operator, new, college).await?;
                done += 1;
                progress(done, all);
            }
            for (new, program) in of(&programs.created, &programs.updated) {
                fieldhouse_store::colleges::write_program(tx, &operator, new, program).await?;
                done += 1;
                progress(done, all);
            }
            Ok(plan)
        })
        .await
}

/// New records, then changed ones.
fn of<'a, T>(created: &'a [T], updated: &'a [T]) -> impl Iterator<Item = (bool, &'a T)> {
    created.iter().map(|record| (true, record)).chain(updated.iter().map(|record| (false, record)))
}
