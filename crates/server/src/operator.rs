//! What the operator of the server does on the store itself, without a request: found an organization, add its people, load the college
//! catalogue. Commands of the server's own machine come here; no route does.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{Organization, slug};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::{User, check_password};
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_imports::colleges::{self, Catalogue, Existing};
use fieldhouse_imports::league;
use fieldhouse_store::{Change, Store, organizations, users};
use secrecy::{ExposeSecret, SecretString};

use crate::auth::passwords::Passwords;
use crate::clock::Clock;
use crate::failure::Failure;

/// An organization to be founded.
#[derive(Clone, Debug)]
pub struct Founding {
    /// Its name.
    pub name: Name,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<String>,
    /// The zone in which it plays.
    pub time_zone: TimeZoneName,
}

/// A person to be added to an organization.
#[derive(Clone)]
pub struct Person {
    /// The address that signs in.
    pub email: Email,
    /// The name.
    pub name: Name,
    /// The role.
    pub role: Role,
    /// The password.
    pub password: SecretString,
}

/// Why the operator's work was not done.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] fieldhouse_store::Error),
    /// A rule refused it.
    #[error("{}", explain(.0))]
    Refused(#[from] Refusal),
    /// A password could not be hashed.
    #[error("the password could not be hashed")]
    Password,
}

fn explain(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Invalid(fields) => {
            let lines = fields.iter().map(|field| {
                let fix = field.fix.as_ref().map(|fix| format!(" ({fix})")).unwrap_or_default();
                format!("{} {}{fix}", field.pointer.trim_start_matches('/'), field.message)
            });
            lines.collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

impl From<Failure> for OperatorError {
    fn from(_: Failure) -> Self {
        Self::Password
    }
}

/// Founds an organization with its first people, all in one transaction.
pub async fn found(
    store: &Store,
    passwords: &Passwords,
    clock: &Clock,
    founding: Founding,
    people: Vec<Person>,
) -> Result<OrganizationId, OperatorError> {
    let moment = clock.moment();
    let now = moment.now();
    let organization = Organization {
        id: moment.id(),
        slug: slug(&founding.name),
        name: founding.name,
        country: founding.country,
        time_zone: founding.time_zone,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    let mut effects = vec![Effect::create(AnyRecord::Organization(organization.clone()))];
    for person in people {
        let user = new_user(passwords, clock, &moment, &person).await?;
        let member = Member::new(&moment, user.id, person.role);
        effects.push(Effect::create(AnyRecord::User(user)));
        effects.push(Effect::create(AnyRecord::Member(member)));
    }
    let id = organization.id;
    let operator = store.operator();
    store
        .write("operator.found", async move |tx| {
            if organizations::by_slug(tx, &organization.slug).await?.is_some() {
                return Err(Refusal::Duplicate(format!(
                    "there is an organization {} already",
                    organization.slug
                ))
                .into());
            }
            for effect in &effects {
                refuse_known_address(tx, effect).await?;
            }
            let proof = tx.permit_operator(&operator, id);
            tx.apply(&proof, change(&moment, "operator.found"), &effects).await?;
            Ok(id)
        })
        .await
}

async fn refuse_known_address(
    tx: &mut fieldhouse_store::Tx<'_>,
    effect: &Effect,
) -> Result<(), OperatorError> {
    if let Some(AnyRecord::User(user)) = &effect.after
        && users::by_email(tx, &user.email).await?.is_some()
    {
        return Err(Refusal::Duplicate(format!("there is a user {} already", user.email.as_str())).into());
    }
    Ok(())
}

async fn new_user(
    passwords: &Passwords,
    clock: &Clock,
    moment: &Moment,
    person: &Person,
) -> Result<User, OperatorError> {
    check_password(person.password.expose_secret(), &person.email)
        .map_err(|wrong| Refusal::field("/password", wrong))?;
    let now = moment.now();
    Ok(User {
        id: moment.id(),
        email: person.email.clone(),
        name: person.name.clone(),
        locale: None,
        time_zone: None,
        password_hash: Some(passwords.turn()?.hash(person.password.clone(), clock.random()).await?),
        password_changed_at: Some(now),
        suspended_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

fn change<'a>(moment: &'a Moment, operation: &'static str) -> Change<'a> {
    Change { moment, operation, request_id: "operator", reason: None }
}

/// Applies the plan of a league import to an organization that holds none of it yet.
pub async fn load_league(
    store: &Store,
    clock: &Clock,
    organization: OrganizationId,
    options: league::Options,
    schedule: league::Schedule,
) -> Result<league::Counts, OperatorError> {
    let moment = clock.moment();
    let operator = store.operator();
    store
        .write("operator.load_league", async move |tx| {
            let moment = moment.again();
            let plan = league::plan(&moment, &options, schedule.clone(), league::Existing::default());
            let proof = tx.permit_operator(&operator, organization);
            tx.apply(&proof, change(&moment, "operator.load_league"), &plan.effects).await?;
            Ok(plan.counts)
        })
        .await
}

/// Brings the college catalogue up to a file: how much of it was new, changed and unchanged. `progress` hears how many records are
/// written of how many. All or nothing.
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
        .write("operator.load_colleges", async move |tx| {
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
