//! Applying effects: the one function through which a record changes.
//!
//! With the records it writes, in the same transaction, one audit event for the whole change, an outbox row for each effect, and a
//! tombstone for each record that goes. Guests belong to no organization, so their lists leave neither: an audit log has an owner.

use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{Effect, Record};
use fieldhouse_domain::favorites::ListOwner;
use fieldhouse_domain::ids::OrganizationId;

use crate::access::{GuestWrite, OrgWrite, Reach};
use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::{
    api_keys, audit, favorites, games, guests, leagues, members, organizations, seasons, sessions, users,
};

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
                Authority::Organization(proof) => self.write(proof.organization(), effect).await?,
                Authority::Guest(_) => guests::write(self, effect).await?,
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

    async fn write(&mut self, org: OrganizationId, effect: &Effect) -> Result<()> {
        let changed = match (effect.before.as_ref(), effect.after.as_ref()) {
            (before, Some(Record::Organization(after))) => {
                organizations::write(self, before.is_none(), after).await?
            }
            (before, Some(Record::User(after))) => users::write(self, before.is_none(), after).await?,
            (before, Some(Record::Member(after))) => {
                members::write(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::Session(after))) => {
                sessions::write(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::ApiKey(after))) => {
                api_keys::write(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::Season(after))) => {
                seasons::write(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::Division(after))) => {
                leagues::write_division(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::Team(after))) => {
                leagues::write_team(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::Venue(after))) => {
                leagues::write_venue(self, org, before.is_none(), after).await?
            }
            (before, Some(Record::Game(after))) => games::write(self, org, before.is_none(), after).await?,
            (before, Some(Record::Favorite(after))) => {
                favorites::write(self, org, before.is_none(), after).await?
            }
            (Some(Record::Member(before)), None) => members::delete(self, org, before).await?,
            (Some(Record::Season(before)), None) => seasons::delete(self, org, before).await?,
            (Some(Record::Favorite(before)), None) => favorites::delete(self, org, before).await?,
            (Some(before), None) => {
                return Err(Error::Internal(format!("a {} is never deleted", before.kind())));
            }
            (None, None) => return Err(Error::Internal("an effect of nothing".to_owned())),
        };
        if changed == 1 { Ok(()) } else { Err(moved(effect)) }
    }
}

pub(crate) fn moved(effect: &Effect) -> Error {
    let id = effect.record().map(Record::id).unwrap_or_default();
    Error::Internal(format!("{id} is not at the version that the command read in this transaction"))
}

fn refuse_out_of_reach(authority: Authority<'_, '_>, effect: &Effect) -> Result<()> {
    let within = match (authority, effect.record()) {
        (Authority::Organization(proof), Some(record)) => match (proof.reach(), record) {
            (Reach::Operation, Record::Organization(organization)) => organization.id == proof.organization(),
            (Reach::Operation, _) => true,
            (Reach::SignIn, Record::Session(session)) => Some(session.user_id) == proof.actor().user,
            (Reach::SignIn, _) => false,
        },
        (Authority::Guest(proof), Some(Record::Favorite(favorite))) => {
            favorite.owner == ListOwner::Guest(proof.guest())
        }
        _ => false,
    };
    if within { Ok(()) } else { Err(Error::Internal("an effect reaches beyond its authority".to_owned())) }
}
