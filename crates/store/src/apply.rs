//! Applying effects: the one function through which the records of organizations and the lists of guests change.
//!
//! It refuses what the permission does not reach, adds what follows (`consequences.rs`), writes deletions from children to parents,
//! then updates, then creations from parents to children, and leaves the audit event. What does not go through it: the college
//! catalogue, guests themselves, the last use of keys, and bookkeeping (idempotency keys, failed sign-in attempts).

use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{Effect, Kind};
use fieldhouse_domain::ids::Id;

use crate::access::{GuestWrite, OrgWrite};
use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::{audit, consequences, records};

/// By whose permission effects are applied.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a, 'tx> {
    /// A member's, the operator's or a job's, in one organization.
    Organization(&'a OrgWrite<'tx>),
    /// A guest's, on their own list.
    Guest(&'a GuestWrite<'tx>),
}

impl<'a, 'tx> From<&'a OrgWrite<'tx>> for Authority<'a, 'tx> {
    fn from(proof: &'a OrgWrite<'tx>) -> Self {
        Self::Organization(proof)
    }
}

impl<'a, 'tx> From<&'a GuestWrite<'tx>> for Authority<'a, 'tx> {
    fn from(proof: &'a GuestWrite<'tx>) -> Self {
        Self::Guest(proof)
    }
}

/// What a change is called and when it happens.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The time, and the ids of what is written beside the records.
    pub moment: &'a Moment,
    /// The operation's id: `seasons.create`.
    pub operation: &'static str,
    /// The request's id.
    pub request_id: &'a str,
    /// Why, where the one who acts gave a reason.
    pub reason: Option<&'a str>,
}

impl<'tx> Tx<'tx> {
    /// Applies the effects of a command and what follows from them: all effects, in the order in which they were written. Effects of no
    /// command leave nothing behind.
    pub async fn apply<'a>(
        &mut self,
        authority: impl Into<Authority<'a, 'tx>>,
        change: Change<'_>,
        effects: &[Effect],
    ) -> Result<Vec<Effect>>
    where
        'tx: 'a,
    {
        let authority = authority.into();
        if let Some(effect) = effects.iter().find(|effect| !is_within(authority, effect)) {
            let kind = effect.record().map(|record| record.kind().name()).unwrap_or_default();
            return Err(Error::Internal(format!(
                "{} has no permission to write this {kind}",
                change.operation
            )));
        }
        let mut effects = effects.to_vec();
        let Authority::Organization(proof) = authority else {
            for effect in &effects {
                records::write_of_guest(self, effect).await?;
            }
            return Ok(effects);
        };
        consequences::add(self, proof.organization(), change, &mut effects).await?;
        effects.sort_by_key(Effect::place);
        for effect in &effects {
            records::write(self, proof.organization(), effect).await?;
        }
        for effect in &effects {
            audit::leave_trace(self, proof.organization(), change, effect).await?;
        }
        audit::append(self, proof, change, &effects).await?;
        Ok(effects)
    }
}

fn is_within(authority: Authority<'_, '_>, effect: &Effect) -> bool {
    effect.before.iter().chain(&effect.after).all(|record| match authority {
        Authority::Organization(proof) => proof.reaches(record),
        Authority::Guest(proof) => {
            record.kind() == Kind::Favorite && record.owner() == Some(proof.guest().uuid())
        }
    })
}
