//! Applying effects: the one function through which a record changes.
//!
//! With the records it writes, in the same transaction, one audit event for the whole change, an outbox row for each effect, and a
//! tombstone for each record that goes. Guests belong to no organization, so their lists leave neither: an audit log has an owner.

use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::ListOwner;

use crate::access::{GuestWrite, OrgWrite, Reach};
use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::{audit, records};

/// By whose leave effects are applied.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a, 'tx> {
    /// An organization's.
    Organization(&'a OrgWrite<'tx>),
    /// A guest's, on his own list.
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
}

impl<'tx> Tx<'tx> {
    /// Applies the effects of a command, in their order. Effects of no command leave nothing behind.
    pub async fn apply<'a>(
        &mut self,
        authority: impl Into<Authority<'a, 'tx>>,
        change: Change<'_>,
        effects: &[Effect],
    ) -> Result<()>
    where
        'tx: 'a,
    {
        let authority = authority.into();
        for effect in effects {
            refuse_out_of_reach(authority, effect)?;
            match authority {
                Authority::Organization(proof) => records::write(self, proof.organization(), effect).await?,
                Authority::Guest(_) => records::write_of_guest(self, effect).await?,
            }
        }
        if let Authority::Organization(proof) = authority {
            for effect in effects {
                audit::leave_trace(self, proof.organization(), change, effect).await?;
            }
            audit::append(self, proof, change, effects).await?;
        }
        Ok(())
    }
}

fn refuse_out_of_reach(authority: Authority<'_, '_>, effect: &Effect) -> Result<()> {
    let within = match (authority, effect.record()) {
        (Authority::Organization(proof), Some(record)) => match (proof.reach(), record) {
            (Reach::Operation, AnyRecord::Organization(organization)) => {
                organization.id == proof.organization()
            }
            (Reach::Operation, _) => true,
            (Reach::SignIn, AnyRecord::Session(session)) => Some(session.user_id) == proof.actor().user,
            (Reach::SignIn, _) => false,
        },
        (Authority::Guest(proof), Some(AnyRecord::Favorite(favorite))) => {
            favorite.owner_id == ListOwner::Guest(proof.guest()).into()
        }
        _ => false,
    };
    if within { Ok(()) } else { Err(Error::Internal("an effect reaches beyond its authority".to_owned())) }
}
