//! The caller's own user: name, locale, time zone and e-mail address.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::duties::Duty;
use fieldhouse_domain::ids::{TeamId, UserId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::{self as rules, ChangeProfile, EmailSide, User};
use fieldhouse_store::children::{self, Own};
use fieldhouse_store::users::Membership;
use fieldhouse_store::{Tx, duties, records, staff, users};
use jiff::Timestamp;

use crate::repeated::again;
use crate::{Command, Error, WriteContext};

async fn own<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<User, Error> {
    let found: Option<User> = records::read(tx, cx.organization()?, cx.user()?).await?;
    found.ok_or_else(Error::not_found)
}

/// The caller's user, with what they belong to now.
#[derive(Debug)]
pub struct Profile {
    /// The user.
    pub user: User,
    /// Their memberships.
    pub memberships: Vec<Membership>,
    /// Their own children in the organization of the request.
    pub children: Vec<Own>,
    /// The teams on whose staff they are, in the organization of the request.
    pub teams: Vec<TeamId>,
    /// Their duties in it that are not over.
    pub duties: Vec<Duty>,
}

async fn profile<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, user: User) -> Result<Profile, Error> {
    let (proof, now) = (cx.organization()?, cx.moment.now());
    let memberships = users::memberships(tx, user.id).await?;
    let children = children::family_of(tx, proof).await?;
    let teams = staff::teams(tx, proof, now).await?;
    let duties = duties::own(tx, proof, now).await?;
    Ok(Profile { user, memberships, children, teams, duties })
}

/// Changes the caller's name, locale or time zone.
#[derive(Debug)]
pub struct Change(pub ChangeProfile);

impl Command for Change {
    const OPERATION: Operation = Operation::ProfileChange;
    type Output = Profile;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Profile, Error> {
        let before = cx.check(own(tx, cx).await?)?;
        let after = rules::changed(&before, self.0.clone());
        let user = cx.update(tx, before, after).await?;
        profile(tx, cx, user).await
    }

    again! { |self, tx, cx| current(tx, cx) }
}

/// The caller's profile as it is now.
async fn current<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<Profile, Error> {
    let user = own(tx, cx).await?;
    profile(tx, cx, user).await
}

/// Requests a change of the caller's e-mail address. Both addresses get a link, and the change takes effect when both have confirmed it.
#[derive(Debug)]
pub struct RequestEmail {
    /// The new address.
    pub email: Email,
    /// The hash of the password that was verified.
    pub verified: Option<String>,
}

impl Command for RequestEmail {
    const OPERATION: Operation = Operation::ProfileEmail;
    type Output = Timestamp;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Timestamp, Error> {
        let before = own(tx, cx).await?;
        if before.password_hash != self.verified {
            return Err(Denial::Unknown.into());
        }
        let after = rules::email_requested(cx.moment, &before, self.email.clone())?;
        let user = cx.update(tx, before, after).await?;
        Ok(rules::email_change_ends(user.pending_email_at.unwrap_or(cx.moment.now())))
    }
}

/// Confirms a change of the e-mail address from one of the two addresses.
#[derive(Debug)]
pub struct ConfirmEmail {
    /// The user.
    pub user: UserId,
    /// The address from which it is confirmed.
    pub side: EmailSide,
    /// When the change was requested, as the link says.
    pub requested_at: Timestamp,
}

impl Command for ConfirmEmail {
    const OPERATION: Operation = Operation::ProfileEmailConfirm;
    /// The user, and whether the address has changed.
    type Output = (User, bool);

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<(User, bool), Error> {
        let before = users::read(tx, self.user).await?.ok_or(Denial::LinkExpired)?;
        if !rules::can_confirm(&before, self.side, self.requested_at, cx.moment.now()) {
            return Err(Denial::LinkExpired.into());
        }
        let after = rules::email_confirmed(&before, self.side);
        let is_changed = after.email != before.email;
        if is_changed && users::by_email(tx, &after.email).await?.is_some_and(|other| other.id != after.id) {
            return Err(Refusal::Duplicate("another user has this address".to_owned()).into());
        }
        Ok((cx.update(tx, before, after).await?, is_changed))
    }
}
