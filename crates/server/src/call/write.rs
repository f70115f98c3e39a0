//! Calls that change something, in one transaction: check the permission again, replay a repeated request, run the command, and roll back
//! for `validate_only`.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use fieldhouse_api::rows::{Changeset, Method};
use fieldhouse_api::{Code, Op};
use fieldhouse_commands::{Authority, Command, WriteContext};
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{OrganizationId, UserId};
use fieldhouse_domain::invitations;
use fieldhouse_domain::kinds::Visibility;
use fieldhouse_domain::policy::{ChildTouch, Denial, Requirement};
use fieldhouse_domain::retention::Retained;
use fieldhouse_store::idempotency::{self, Slot, StoredResponse};
use fieldhouse_store::{Principal, Tx};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::context::IDEMPOTENCY_KEY;
use super::work::{Boxed, View, Viewed, Viewing};
use super::{Call, Request};
use crate::answer::{Answered, Reply};
use crate::auth::tokens::GuestDigest;
use crate::failure::Failure;
use crate::key_ring::Purpose;

/// How often a command is planned before other changes make it fail.
const PLANS: u32 = 4;

/// Why the transaction of a call is rolled back.
enum Ended {
    /// It failed.
    Failed(Failure),
    /// It was only validated; this is the response.
    ValidatedOnly(Box<Viewed>),
}

impl From<fieldhouse_store::Error> for Ended {
    fn from(error: fieldhouse_store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<fieldhouse_commands::Error> for Ended {
    fn from(error: fieldhouse_commands::Error) -> Self {
        match error {
            fieldhouse_commands::Error::Store(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}

/// Who acts in a call.
enum Acting {
    /// The caller: a member, or a guest if the operation allows it.
    Caller,
    /// A user who has just proved their identity.
    Proven(UserId, OrganizationId),
    /// The holder of an invitation's link.
    Invited(Invited),
    /// A user who has proved their identity with the link of a message.
    Link(UserId),
    /// The operator, in an organization.
    Operator(OrganizationId),
}

/// The holder of an invitation's link, as the user that they are or become.
#[derive(Clone, Copy, Debug)]
pub struct Invited {
    /// The organization.
    pub organization: OrganizationId,
    /// The invitation.
    pub invitation: invitations::Invited,
    /// Its version when the link was sent.
    pub version: i64,
    /// The user.
    pub user: UserId,
}

impl<O: Op> Call<O> {
    /// Runs a command for the caller and responds with its output, converted by `view`. A problem that `view` returns does not roll back:
    /// the command has run.
    pub async fn run<C: Command>(
        self,
        command: C,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        let first = self.app.clock.moment();
        Arc::new(self).transact(first, Acting::Caller, command, view).await
    }

    /// Runs a command that `plan` prepares on a snapshot before the transaction. If records that the plan rests on change in between, it is
    /// planned again, a few times.
    pub async fn run_planned<C: Command, F: Future<Output = Result<C, Failure>> + Send>(
        self: Arc<Self>,
        plan: impl Fn(Arc<Self>, Moment) -> F,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Clone + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        let mut left = PLANS;
        loop {
            let moment = self.app.clock.moment();
            // The plan has created ids with its moment, so the transaction takes others, at the same time.
            let first = self.app.clock.moment().at(moment.now());
            let command = plan(self.clone(), moment).await?;
            left -= 1;
            match self.clone().transact(first, Acting::Caller, command, view.clone()).await {
                Err(failure) if failure.code() == Code::Conflict && left > 0 => {}
                answered => return answered,
            }
        }
    }

    /// Runs a command for a user who has just proved their identity.
    pub async fn run_as<C: Command>(
        self,
        user: UserId,
        organization: OrganizationId,
        command: C,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        let first = self.app.clock.moment();
        Arc::new(self).transact(first, Acting::Proven(user, organization), command, view).await
    }

    /// Runs a command for the holder of an invitation's link. If they are signed in, their session is checked again too.
    pub async fn run_invited<C: Command>(
        self,
        invited: Invited,
        command: C,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        let first = self.app.clock.moment();
        Arc::new(self).transact(first, Acting::Invited(invited), command, view).await
    }

    /// Runs a command for a user who has proved their identity with the link of a message.
    pub async fn run_by_link<C: Command>(
        self,
        user: UserId,
        command: C,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        let first = self.app.clock.moment();
        Arc::new(self).transact(first, Acting::Link(user), command, view).await
    }

    /// Runs a command for the operator in an organization.
    pub async fn run_as_operator<C: Command>(
        self,
        organization: OrganizationId,
        command: C,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        let first = self.app.clock.moment();
        Arc::new(self).transact(first, Acting::Operator(organization), command, view).await
    }

    async fn transact<C: Command>(
        self: Arc<Self>,
        first: Moment,
        acting: Acting,
        command: C,
        view: impl Fn(&Self, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
    ) -> Result<Answered<O>, Failure> {
        const {
            assert!(
                C::OPERATION as u32 == O::OPERATION as u32,
                "a route must run the command of its operation"
            );
        };
        let validates_only = self.validates_only();
        let made = fieldhouse_commands::make_ahead(&command, &first);
        let once = Once { first, made, acting, new_guest: self.new_guest, validates_only };
        let request = self.request.clone();
        let work = Boxed(Arc::new(Viewing { call: self, command, view }));
        // In a box: a large future is copied several times on its way.
        Ok(Box::pin(transact(request, work, once)).await?.into())
    }

    /// Creates a guest with the digest of its token if the caller has no credential and is not a guest yet.
    pub fn creating_guest(mut self, digest: GuestDigest) -> Self {
        self.new_guest = self.member().is_none().then_some(digest);
        self
    }

    /// Checks and responds as usual, and stores nothing.
    pub fn validated_only(mut self, only: bool) -> Self {
        self.validates = only;
        self
    }

    /// Whether to store nothing.
    fn validates_only(&self) -> bool {
        let row = &O::ROW;
        self.validates || row.changeset == Changeset::Possible && self.context.asks_for("validate_only")
    }
}

/// How a command runs.
struct Once {
    /// The time of the change, not of the request: it may take long to receive a body.
    first: Moment,
    /// The record that the command creates, if it was made already.
    made: Option<AnyRecord>,
    acting: Acting,
    /// The digest of the token of the guest that is created if the caller is none.
    new_guest: Option<GuestDigest>,
    validates_only: bool,
}

async fn transact(request: Arc<Request>, work: Boxed, once: Once) -> Viewed {
    let operation = request.row.operation;
    let slot = if once.validates_only { None } else { request.slot()? };
    let store = request.app.store.clone();
    let condition = request.context.list("if-match");
    let transaction = async move |tx: &mut Tx<'_>| {
        let moment = once.first.again();
        let known = request.authority(tx, &once.acting, work.target()).await?;
        if let Some(slot) = &slot
            && let Some(stored) = request.stored(tx, slot).await?
        {
            return Ok(at_once(request.again(tx, &work, (known, &moment), stored).await?));
        }
        let authority = match (known, &once.new_guest) {
            (Some(authority), _) => authority,
            (None, Some(digest)) => Authority::NewGuest(tx.create_guest(&moment, digest).await?),
            (None, None) => return Err(Failure::not_found().into()),
        };
        let cx = WriteContext::new(authority, operation, &moment);
        let mut cx = cx.of_request(&request.context.id, condition.as_deref()).with_made(once.made.clone());
        let view = work.run(tx, &mut cx).await?;
        if slot.is_none() && !once.validates_only {
            return Ok(view);
        }
        let viewed = view();
        if once.validates_only {
            return Err(Ended::ValidatedOnly(Box::new(viewed)));
        }
        match (&slot, &viewed) {
            (Some(slot), Ok(reply)) => idempotency::insert(tx, slot, &request.to_store(reply)).await?,
            (Some(slot), Err(_)) => idempotency::release(tx, slot).await?,
            (None, _) => {}
        }
        Ok(at_once(viewed))
    };
    match store.write(operation.id(), transaction).await {
        Ok(view) => view(),
        Err(Ended::ValidatedOnly(viewed)) => *viewed,
        Err(Ended::Failed(failure)) => Err(failure),
    }
}

/// A view of what is known already.
fn at_once(viewed: Viewed) -> View {
    Box::new(|| viewed)
}

impl Request {
    /// The permission to write. `None` for an unknown or expired guest.
    async fn authority<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        acting: &Acting,
        target: Option<Uuid>,
    ) -> Result<Option<Authority<'tx>>, Ended> {
        let requirement = self.context.requirement(self.row);
        let principal = match (acting, self.member()) {
            (Acting::Operator(organization), _) => Principal::Operator(self.operator()?, *organization),
            (Acting::Link(user), _) => {
                let proof = tx.permit_user(*user, requirement).await?;
                let proof = proof.ok_or_else(|| Failure::from(Denial::LinkExpired))?;
                return Ok(Some(Authority::User(proof)));
            }
            (Acting::Invited(Invited { organization, invitation, version, user }), member) => {
                if let Some(scope) = member {
                    let session = tx.permit(Principal::Caller(scope), requirement, None, self.now()).await?;
                    session.map_err(Failure::from)?;
                }
                let (organization, invitation) = (*organization, *invitation);
                Principal::Invited { organization, invitation, version: *version, user: *user }
            }
            (Acting::Proven(user, organization), _) => Principal::Proven(*user, *organization),
            (Acting::Caller, Some(scope)) => Principal::Caller(scope),
            (Acting::Caller, None) => {
                let Some(token) = self.guest()? else { return Ok(None) };
                return Ok(tx.permit_guest(&token, self.now()).await?.map(Authority::Guest));
            }
        };
        let proof = match tx.permit(principal, requirement, target, self.now()).await? {
            Ok(proof) => proof,
            Err(denial) => return Err(Failure::from(denial).into()),
        };
        Ok(Some(Authority::Organization(proof)))
    }

    fn slot(&self) -> Result<Option<Slot>, Failure> {
        let Some(key) = self.context.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
        if !matches!(self.row.method, Method::POST | Method::PATCH) {
            return Ok(None);
        }
        let repeated = self.context.headers.get_all(IDEMPOTENCY_KEY).iter().count() > 1;
        let key = key.to_str().unwrap_or_default().trim();
        let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
        let printable = key.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if repeated || key.is_empty() || key.len() > 255 || !printable {
            let fix = "Send one key of 1 to 255 printable ASCII characters, such as a UUID.";
            return Err(Failure::parameter(Code::InvalidParameter, "Idempotency-Key", "is invalid", fix));
        }
        let caller = match self.member() {
            Some(scope) => format!("user {}", scope.user()),
            None if self.operator().is_ok() => "operator".to_owned(),
            None => match self.guest()? {
                Some(_) => format!("guest {}", self.context.header("x-guest-token").unwrap_or_default()),
                None => format!("address {:?}", self.context.address),
            },
        };
        Ok(Some(Slot {
            organization: self.member().map(fieldhouse_store::OrgScope::organization),
            caller: Sha256::digest(caller.as_bytes()).into(),
            operation: self.row.operation.id(),
            key: key.to_owned(),
        }))
    }

    /// The stored response to an earlier run of the same request, if it has not expired.
    async fn stored(&self, tx: &mut Tx<'_>, slot: &Slot) -> Result<Option<StoredResponse>, Failure> {
        let stored = idempotency::find(tx, slot, self.now()).await.map_err(|error| match error {
            // Another request with the same key is still running.
            fieldhouse_store::Error::LockTimeout => Failure::of(Code::IdempotencyInProgress),
            error => error.into(),
        })?;
        let life = Retained::RepeatedResponses.life();
        Ok(stored.filter(|stored| stored.created_at.saturating_add(life).is_ok_and(|ends| ends > self.now())))
    }

    /// Responds to a repeated request: with what is stored, or with what the caller may see now of a child.
    async fn again<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        work: &Boxed,
        (known, moment): (Option<Authority<'tx>>, &Moment),
        stored: StoredResponse,
    ) -> Result<Viewed, Ended> {
        let Some(authority) = known.filter(|_| stored.body.is_none() && self.may_be_about_children()) else {
            return Ok(self.replay(stored));
        };
        if let Err(failure) = self.matches(&stored) {
            return Ok(Err(failure));
        }
        let mut cx = WriteContext::new(authority, self.row.operation, moment);
        Ok(match work.again(tx, &mut cx, stored.created_id.as_deref()).await? {
            Some(viewed) => viewed.map(Reply::repeated),
            None => self.replay(stored),
        })
    }

    /// The request, as what is stored for its idempotency key depends on it. It is stored under a secret of the key ring, because a plain
    /// digest of a sign-in would allow guessing the password.
    fn content(&self) -> Vec<u8> {
        [b"request\n".as_slice(), &self.context.digest].concat()
    }

    fn to_store(&self, reply: &Reply) -> StoredResponse {
        // A response with a secret may contain it in a header too.
        let stored = if reply.secret { &[][..] } else { &reply.headers };
        let headers = stored.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        StoredResponse {
            request_digest: self.app.key_ring.mac(Purpose::Token, &self.content()),
            status: i64::from(reply.status),
            headers: serde_json::to_string(&headers.collect::<Vec<_>>()).unwrap_or_default(),
            body: (!reply.secret && !self.is_about_children(reply)).then(|| reply.body.to_vec()),
            created_id: reply.created_id.clone(),
            created_at: self.now(),
        }
    }

    /// Whether a response is about a child. It is not stored then: a repeated request gets what the caller may see now.
    fn is_about_children(&self, reply: &Reply) -> bool {
        match self.row.requirement.child {
            ChildTouch::IfNamed { .. } => reply.about_children,
            _ => self.may_be_about_children(),
        }
    }

    /// Whether a response of the operation may be about a child.
    fn may_be_about_children(&self) -> bool {
        let Requirement { child, writes, .. } = self.row.requirement;
        child != ChildTouch::Untouched
            || writes.iter().any(|(kind, _)| kind.visibility() == Visibility::Relations)
    }

    /// Checks that a repeated request is the same.
    fn matches(&self, stored: &StoredResponse) -> Result<(), Failure> {
        let content = self.content();
        let mut known = self.app.key_ring.macs(Purpose::Token, &content);
        let is_same = known.any(|(_, digest)| digest == stored.request_digest);
        if is_same { Ok(()) } else { Err(Failure::of(Code::IdempotencyMismatch)) }
    }

    fn replay(&self, stored: StoredResponse) -> Viewed {
        self.matches(&stored)?;
        // A repeated request is checked with the caller's current permissions: the loss of a role also hides stored responses.
        let Some(body) = stored.body else {
            let failure = Failure::of(Code::AlreadyCreated);
            return Err(failure.with("id", stored.created_id));
        };
        let headers: Vec<(String, String)> = serde_json::from_str(&stored.headers).unwrap_or_default();
        let headers = headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
        });
        let status = u16::try_from(stored.status).unwrap_or(self.row.status());
        Ok(Reply::replayed(status, body.into(), headers.collect()))
    }
}
