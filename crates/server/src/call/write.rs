//! Calls that change something: one transaction, in which leave to write is asked anew, a repeated request is recognised, and
//! `validate_only` is rolled back.

use std::pin::Pin;

use axum::http::{HeaderName, HeaderValue, header};
use fieldhouse_api::operations::{Changeset, Method};
use fieldhouse_api::{Code, Op};
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::idempotency::{self, Kept, Slot};
use fieldhouse_store::{Authority, Change, OrgWrite, Tx};
use sha2::{Digest, Sha256};

use super::Call;
use crate::answer::Answered;
use crate::failure::Failure;
use crate::workers::IDEMPOTENCY_LIFE;

/// Somebody who may write, in the transaction in which he does.
pub struct Acting<'a, 'tx> {
    /// Leave to write to his organization.
    pub proof: OrgWrite<'tx>,
    /// When, and what new ids are.
    pub moment: &'a Moment,
    change: Change<'a>,
}

impl<'tx> Acting<'_, 'tx> {
    /// Applies the effects of a command.
    pub async fn apply(&self, tx: &mut Tx<'tx>, effects: &[Effect]) -> Result<(), Failure> {
        Ok(tx.apply(&self.proof, self.change, effects).await?)
    }
}

/// What comes of a transaction's body. Boxed, and the bodies plain functions, because the compiler cannot see yet that the future of an
/// `AsyncFn` passed through two generic functions may cross threads.
type Outcome<'a, O> = Pin<Box<dyn Future<Output = Result<Answered<O>, Failure>> + Send + 'a>>;
/// The body of a member's change.
pub(crate) type Body<O, I> =
    for<'a, 'tx> fn(&'a mut Tx<'tx>, &'a Acting<'a, 'tx>, &'a Call<O>, &'a I) -> Outcome<'a, O>;
/// The body of anybody's change.
pub(crate) type Transaction<O, I> =
    for<'a, 'tx> fn(&'a mut Tx<'tx>, &'a Moment, &'a Call<O>, &'a I) -> Outcome<'a, O>;

/// How a transaction of a call ends without being kept.
enum Ended<O: Op> {
    /// It failed.
    Failed(Failure),
    /// It was only tried out, and would have given this.
    TriedOut(Box<Answered<O>>),
    /// It waited too long for another transaction.
    Locked,
}

impl<O: Op> From<fieldhouse_store::Error> for Ended<O> {
    fn from(error: fieldhouse_store::Error) -> Self {
        match error {
            fieldhouse_store::Error::LockTimeout => Self::Locked,
            error => Self::Failed(error.into()),
        }
    }
}

impl<O: Op> From<Failure> for Ended<O> {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<O: Op> Call<O> {
    /// Runs a change as a member of the organization. `body` is given `input` and may run several times.
    pub async fn write<I: Send + Sync + 'static>(
        self,
        input: I,
        body: Body<O, I>,
    ) -> Result<Answered<O>, Failure> {
        self.transact((input, body), |tx, moment, call, (input, body)| {
            Box::pin(async move {
                let proof = tx.permit(call.scope()?, call.now()).await??;
                let acting = Acting { proof, moment, change: call.change(moment) };
                body(tx, &acting, call, input).await
            })
        })
        .await
    }

    /// Runs a change for whoever calls; `body` asks for leave itself. It is given `input` and may run several times.
    pub async fn transact<I: Send + Sync + 'static>(
        self,
        input: I,
        body: Transaction<O, I>,
    ) -> Result<Answered<O>, Failure> {
        let slot = self.slot()?;
        let repeatable = slot.is_some();
        // The time of the change, not of the request: a slow body may have taken long to come.
        let first = self.app.clock.moment();
        let store = self.app.store.clone();
        let transaction = async move |tx: &mut Tx<'_>| {
            if let Some(slot) = &slot
                && let Some(kept) = idempotency::find(tx, slot).await?
                && kept.created_at.saturating_add(IDEMPOTENCY_LIFE).is_ok_and(|ends| ends > self.now())
            {
                return Ok(self.replay(kept)?);
            }
            let answered = body(tx, &first.again(), &self, &input).await?;
            if self.tries_out() {
                return Err(Ended::TriedOut(Box::new(answered)));
            }
            if let Some(slot) = &slot {
                idempotency::keep(tx, slot, &self.keep(&answered)).await?;
            }
            Ok(answered)
        };
        match store.write(O::OPERATION.id(), transaction).await {
            Ok(answered) => Ok(answered),
            Err(Ended::TriedOut(answered)) => Ok(*answered),
            // A twin with the same key that is still running holds the lock.
            Err(Ended::Locked) if repeatable => Err(Failure::of(Code::IdempotencyInProgress)),
            Err(Ended::Locked) => Err(fieldhouse_store::Error::LockTimeout.into()),
            Err(Ended::Failed(failure)) => Err(failure),
        }
    }

    /// What a change of this call is called.
    pub fn change<'a>(&'a self, moment: &'a Moment) -> Change<'a> {
        Change { moment, operation: O::OPERATION.id(), request_id: &self.context.id, reason: None }
    }

    /// Applies the effects of a command by any leave to write.
    pub async fn apply<'a, 'tx: 'a>(
        &self,
        tx: &mut Tx<'tx>,
        moment: &Moment,
        authority: impl Into<Authority<'a, 'tx>>,
        effects: &[Effect],
    ) -> Result<(), Failure> {
        Ok(tx.apply(authority, self.change(moment), effects).await?)
    }

    /// Refuses where `If-Match` was sent and does not name the record's version.
    pub fn precondition(&self, current: i64) -> Result<(), Failure> {
        let Some(named) = self.context.headers.get(header::IF_MATCH) else { return Ok(()) };
        let named = named.to_str().unwrap_or_default();
        let fits = |tag: &str| {
            let tag = tag.trim();
            let version =
                tag.trim_start_matches("W/").trim_matches('"').split('-').next().unwrap_or_default();
            tag == "*" || version.parse() == Ok(current)
        };
        if named.split(',').any(fits) { Ok(()) } else { Err(Refusal::VersionMismatch { current }.into()) }
    }

    /// Whether the change is only tried out.
    pub fn tries_out(&self) -> bool {
        O::OPERATION.changeset() == Changeset::Possible
            && form_urlencoded::parse(self.context.query.as_bytes())
                .any(|(name, value)| name == "validate_only" && value == "true")
    }

    fn slot(&self) -> Result<Option<Slot>, Failure> {
        let Some(key) = self.context.headers.get("idempotency-key") else { return Ok(None) };
        if !matches!(O::OPERATION.method(), Method::POST | Method::PATCH) || self.tries_out() {
            return Ok(None);
        }
        let repeated = self.context.headers.get_all("idempotency-key").iter().count() > 1;
        let key = key.to_str().unwrap_or_default().trim();
        let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
        let printable = key.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if repeated || key.is_empty() || key.len() > 255 || !printable {
            let fix = "send one of 1 to 255 printable ASCII characters, such as a UUID";
            return Err(Failure::parameter(
                Code::InvalidParameter,
                "Idempotency-Key",
                "cannot be taken",
                fix,
            ));
        }
        let caller = match self.member() {
            Some(scope) => format!("user {}", scope.user()),
            None => match self.guest()? {
                Some(_) => format!("guest {}", self.context.header("x-guest-token").unwrap_or_default()),
                None => format!("address {:?}", self.context.address),
            },
        };
        Ok(Some(Slot {
            organization: self.member().map(fieldhouse_store::OrgScope::organization),
            caller: Sha256::digest(caller.as_bytes()).into(),
            operation: O::OPERATION.id(),
            key: key.to_owned(),
        }))
    }

    fn keep(&self, answered: &Answered<O>) -> Kept {
        // An answer with a secret may carry it in a header too.
        let kept = if answered.secret { &[][..] } else { &answered.headers };
        let headers = kept.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        Kept {
            request_digest: self.context.digest,
            status: i64::from(answered.status),
            headers: serde_json::to_string(&headers.collect::<Vec<_>>()).unwrap_or_default(),
            body: (!answered.secret).then(|| answered.body.to_vec()),
            made_id: answered.made_id.clone(),
            created_at: self.now(),
        }
    }

    fn replay(&self, kept: Kept) -> Result<Answered<O>, Failure> {
        if kept.request_digest != self.context.digest {
            return Err(Failure::of(Code::IdempotencyMismatch));
        }
        // A repeated request is answered under the caller's access of now: a role that was lost opens no kept answer.
        let Some(body) = kept.body else {
            let failure = Failure::of(Code::AlreadyCreated);
            return Err(failure.with("id", kept.made_id));
        };
        let headers: Vec<(String, String)> = serde_json::from_str(&kept.headers).unwrap_or_default();
        let headers = headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
        });
        let status = u16::try_from(kept.status).unwrap_or(O::OPERATION.status());
        Ok(Answered::replayed(status, body.into(), headers.collect()))
    }
}
