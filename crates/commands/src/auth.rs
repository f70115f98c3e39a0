//! Sign-in, refresh and passwords. The user has proved their identity before the command runs.

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{SessionId, UserId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::sessions::{self as rules, Client, Refreshed, Session, TokenDigest};
use fieldhouse_domain::users::User;
use fieldhouse_store::mail::{self, Mail};
use fieldhouse_store::{Principal, Tx, records, sessions, users};

use crate::{Command, Error, WriteContext};

/// Creates the refresh token for a session's generation. Returns the token, which is secret, and its digest.
pub type MintToken = Box<dyn Fn(SessionId, i64) -> (String, TokenDigest) + Send + Sync>;

/// A session with its refresh token.
#[derive(Debug)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// The raw token.
    pub refresh_token: String,
    /// The effective role.
    pub role: fieldhouse_domain::roles::Role,
}

/// Opens a session for a user whose password was verified.
pub struct SignIn {
    /// The user as they were when the password was verified.
    pub user: User,
    /// Their client.
    pub client: Client,
    /// Creates the refresh token.
    pub mint: MintToken,
}

impl Command for SignIn {
    const OPERATION: Operation = Operation::AuthLogin;
    type Output = SignedIn;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<SignedIn, Error> {
        // The password was verified before this transaction and may have been changed since.
        let current: Option<User> = records::read(tx, cx.organization()?, self.user.id).await?;
        if current.is_none_or(|current| current.password_hash != self.user.password_hash) {
            return Err(Denial::Unknown.into());
        }
        let session = Session::open(cx.moment, self.user.id, "password", self.client.clone());
        let (refresh_token, digest) = (self.mint)(session.id, session.generation);
        let session = cx.create(tx, session.with_token(digest)).await?;
        Ok(SignedIn { session, refresh_token, role: cx.role()? })
    }
}

/// Continues a session with a refresh token.
pub struct Refresh {
    /// The session that the token names.
    pub session: SessionId,
    /// The digest of the token.
    pub sent: TokenDigest,
    /// Creates the next token.
    pub mint: MintToken,
}

/// The result of a refresh.
#[derive(Debug)]
pub enum Outcome {
    /// The session continues.
    Continued(Box<SignedIn>),
    /// The token was used before: the session has ended, and its end is stored.
    Reused,
    /// The session had ended.
    Ended,
}

impl Command for Refresh {
    const OPERATION: Operation = Operation::AuthRefresh;
    type Output = Outcome;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Outcome, Error> {
        let found: Option<Session> = records::read(tx, cx.organization()?, self.session).await?;
        let session = found.ok_or(Denial::Unknown)?;
        let generation = rules::next_generation(&session, &self.sent);
        let (refresh_token, next) = (self.mint)(session.id, generation);
        match rules::refresh(cx.moment, session, &self.sent, next) {
            Refreshed::Continued(effect) => {
                cx.apply(tx, std::slice::from_ref(&effect)).await?;
                let Some(Ok(session)) = effect.after.map(Session::try_from) else {
                    return Ok(Outcome::Ended);
                };
                Ok(Outcome::Continued(Box::new(SignedIn { session, refresh_token, role: cx.role()? })))
            }
            Refreshed::Reused(effect) => {
                cx.apply(tx, &[*effect]).await?;
                Ok(Outcome::Reused)
            }
            Refreshed::Ended => Ok(Outcome::Ended),
        }
    }
}

/// Sets a new password for a user whose current one was verified, and ends their other sessions. Returns their number.
#[derive(Debug)]
pub struct ChangePassword {
    /// The hash of the password that was verified.
    pub verified: Option<String>,
    /// The hash of the new one.
    pub hash: String,
    /// The session of the request, which continues.
    pub session: Option<SessionId>,
}

impl Command for ChangePassword {
    const OPERATION: Operation = Operation::AuthPassword;
    /// `None` if the password was changed in the meantime.
    type Output = Option<u32>;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Option<u32>, Error> {
        let user = cx.user()?;
        let found: Option<User> = records::read(tx, cx.organization()?, user).await?;
        let before = found.ok_or_else(Error::not_found)?;
        if before.password_hash != self.verified {
            return Ok(None);
        }
        let after = User {
            password_hash: Some(self.hash.clone()),
            password_changed_at: Some(cx.moment.now()),
            ..before.clone()
        };
        cx.update(tx, before, after).await?;
        end_sessions(Self::OPERATION, tx, cx, (user, self.session)).await.map(Some)
    }
}

/// Sets a new password for the user who holds the link of a password reset, and ends all their sessions. Returns their number.
pub struct ResetPassword {
    /// The message with the link.
    pub mail: Mail,
    /// The user with its address.
    pub user: User,
    /// The hash of the new password.
    pub hash: String,
}

impl Command for ResetPassword {
    const OPERATION: Operation = Operation::PasswordResetComplete;
    type Output = u32;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<u32, Error> {
        let now = cx.moment.now();
        let is_newest = mail::newest_reset(tx, &self.mail.recipient).await? == Some(self.mail.id);
        let before = users::read(tx, self.user.id).await?.ok_or(Denial::LinkExpired)?;
        let is_unchanged = before.password_hash == self.user.password_hash && before.email == self.user.email;
        if !is_newest || !is_unchanged || !tx.use_link(self.mail.id, now).await? {
            return Err(Denial::LinkExpired.into());
        }
        let password_hash = Some(self.hash.clone());
        let after = User { password_hash, password_changed_at: Some(now), ..before.clone() };
        cx.update(tx, before, after).await?;
        end_sessions(Self::OPERATION, tx, cx, (self.user.id, None)).await
    }
}

/// Ends the sessions of a user except one. A password is valid in all organizations of its owner, so that a new one ends their sessions in
/// all of them. Returns their number.
async fn end_sessions<'tx>(
    operation: Operation,
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    (user, except): (UserId, Option<SessionId>),
) -> Result<u32, Error> {
    let mut count = 0;
    for here in users::memberships(tx, user).await? {
        let proven = Principal::Proven(user, here.organization);
        let requirement = crate::requirement(operation);
        let Ok(proof) = tx.permit(proven, requirement, None, cx.moment.now()).await? else { continue };
        let open = sessions::open(tx, &proof).await?;
        let others = open.into_iter().filter(|session| Some(session.id) != except);
        let ended: Vec<Effect> = others.filter_map(|session| rules::end(cx.moment, session)).collect();
        cx.apply_by(tx, &proof, &ended).await?;
        count += u32::try_from(ended.len()).unwrap_or(u32::MAX);
    }
    Ok(count)
}
