//! Sessions. A session is also a family of refresh tokens (RFC 9700, section 4.14): each refresh replaces the token. If an old token is
//! used again, it may have been stolen, and the session ends.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::Moment;
use crate::effects::Effect;
use crate::ids::{SessionId, UserId};
use crate::record::Record;

/// The lifetime of an access token.
pub const ACCESS_TOKEN_LIFE: SignedDuration = SignedDuration::from_mins(10);
/// The maximum lifetime of a session, however often it is refreshed.
pub const SESSION_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long a client that lost the response to a refresh may retry with the old token.
pub const RETRY_WINDOW: SignedDuration = SignedDuration::from_secs(30);

/// The SHA-256 digest of a refresh token.
pub type TokenDigest = [u8; 32];

/// A signed-in session in one organization.
#[derive(Clone, PartialEq, Record)]
#[record(table = "sessions", alias = "s")]
pub struct Session {
    /// The id.
    #[field(server)]
    pub id: SessionId,
    /// Who signed in.
    #[field(server)]
    pub user_id: UserId,
    /// How the user signed in: `password`.
    #[field(server)]
    pub method: String,
    /// The generation of the current token, from 1.
    #[field(server)]
    pub generation: i64,
    /// The digest of the current refresh token.
    #[field(server, secret)]
    pub token_digest: TokenDigest,
    /// The digest of the previous token.
    #[field(server, secret)]
    pub previous_digest: Option<TokenDigest>,
    /// When the current token replaced the previous one.
    #[field(server)]
    pub rotated_at: Timestamp,
    /// Whether the previous token has been retried.
    #[field(server)]
    pub retried: bool,
    /// The `User-Agent` of the client.
    #[field(server)]
    pub user_agent: Option<String>,
    /// The address that the user signed in from.
    #[field(server)]
    pub ip: Option<IpAddr>,
    /// When the user signed in.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it was last refreshed.
    #[field(server)]
    pub last_used_at: Timestamp,
    /// When it expires, however often it is refreshed.
    #[field(server)]
    pub expires_at: Timestamp,
    /// When it was ended.
    #[field(server)]
    pub revoked_at: Option<Timestamp>,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The client of a sign-in.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its `User-Agent`, cut to 200 characters.
    pub user_agent: Option<String>,
    /// Its address.
    pub ip: Option<IpAddr>,
}

impl Session {
    /// Opens a session. Its first token contains the session's id and is set afterwards, with [`Session::with_token`].
    pub fn open(moment: &Moment, user_id: UserId, method: &str, client: Client) -> Self {
        let now = moment.now();
        Self {
            id: moment.id(),
            user_id,
            method: method.to_owned(),
            generation: 1,
            token_digest: [0; 32],
            previous_digest: None,
            rotated_at: now,
            retried: false,
            user_agent: client.user_agent,
            ip: client.ip,
            created_at: now,
            last_used_at: now,
            expires_at: now.saturating_add(SESSION_LIFE).unwrap_or(Timestamp::MAX),
            revoked_at: None,
            updated_at: now,
            version: 1,
        }
    }

    /// The session with its first token.
    pub fn with_token(self, token_digest: TokenDigest) -> Self {
        Self { token_digest, ..self }
    }
}

/// The result of a refresh.
#[derive(Clone, Debug, PartialEq)]
pub enum Refreshed {
    /// The session continues with the new token.
    Continued(Box<Effect>),
    /// The token was used before, so the session ends.
    Reused(Box<Effect>),
    /// The session has expired or was ended.
    Ended,
}

/// The generation of the next token, if `token` is accepted. The token contains it.
pub fn next_generation(session: &Session, token: &TokenDigest) -> i64 {
    if session.token_digest == *token { session.generation + 1 } else { session.generation }
}

/// Decides the result of a refresh with a token whose signature is valid. `next` is the digest of the next token.
pub fn refresh(moment: &Moment, session: Session, token: &TokenDigest, next: TokenDigest) -> Refreshed {
    let now = moment.now();
    if session.revoked_at.is_some() || session.expires_at <= now {
        return Refreshed::Ended;
    }
    let mut after = session.clone();
    after.token_digest = next;
    after.last_used_at = now;
    let current = session.token_digest == *token;
    let retry = session.previous_digest.as_ref() == Some(token)
        && !session.retried
        && now.duration_since(session.rotated_at) <= RETRY_WINDOW;
    if current {
        after.generation += 1;
        after.previous_digest = Some(*token);
        after.rotated_at = now;
        after.retried = false;
    } else if retry {
        after.retried = true;
    } else {
        return match end(moment, session) {
            Some(effect) => Refreshed::Reused(Box::new(effect)),
            None => Refreshed::Ended,
        };
    }
    match Effect::update(moment, session, after) {
        Some(effect) => Refreshed::Continued(Box::new(effect)),
        None => Refreshed::Ended,
    }
}

/// Ends a session. Returns `None` if it has ended before.
pub fn end(moment: &Moment, session: Session) -> Option<Effect> {
    let after = Session { revoked_at: session.revoked_at.or(Some(moment.now())), ..session.clone() };
    Effect::update(moment, session, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::AnyRecord;
    use crate::ids::Id;
    use crate::record::Shared;

    fn at(second: i64) -> Moment {
        Moment::new(Timestamp::from_second(1_700_000_000 + second).expect("a time"), 7)
    }

    fn session() -> Session {
        let client = Client { user_agent: None, ip: None };
        Session::open(&at(0), UserId::from_uuid(uuid::Uuid::nil()), "password", client).with_token([1; 32])
    }

    fn after(refreshed: Refreshed) -> Session {
        match refreshed {
            Refreshed::Continued(effect) => match effect.after {
                Some(AnyRecord::Session(session)) => Shared::into_record(session),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_token_works_once_and_can_be_retried_once() {
        let second = after(refresh(&at(60), session(), &[1; 32], [2; 32]));
        assert_eq!((second.generation, second.token_digest), (2, [2; 32]));
        let retried = after(refresh(&at(70), second.clone(), &[1; 32], [3; 32]));
        assert_eq!((retried.generation, retried.token_digest), (2, [3; 32]));
        assert!(matches!(refresh(&at(71), retried.clone(), &[1; 32], [4; 32]), Refreshed::Reused(_)));
        assert!(matches!(refresh(&at(71), retried, &[2; 32], [4; 32]), Refreshed::Reused(_)), "the lost one");
        assert!(
            matches!(refresh(&at(91), second.clone(), &[1; 32], [3; 32]), Refreshed::Reused(_)),
            "too late"
        );
        let third = after(refresh(&at(65), second, &[2; 32], [3; 32]));
        assert!(matches!(refresh(&at(66), third, &[1; 32], [4; 32]), Refreshed::Reused(_)), "successor used");
    }

    #[test]
    fn an_ended_session_stays_ended() {
        let ended = Session { revoked_at: Some(at(5).now()), ..session() };
        assert_eq!(refresh(&at(60), ended.clone(), &[1; 32], [2; 32]), Refreshed::Ended);
        assert_eq!(end(&at(60), ended), None);
        let old = Session { expires_at: at(5).now(), ..session() };
        assert_eq!(refresh(&at(60), old, &[1; 32], [2; 32]), Refreshed::Ended);
    }

    #[test]
    fn the_generation_rises_only_with_the_current_token() {
        let second = after(refresh(&at(60), session(), &[1; 32], [2; 32]));
        assert_eq!((next_generation(&second, &[2; 32]), next_generation(&second, &[1; 32])), (3, 2));
    }

    #[test]
    fn a_refresh_does_not_prolong_a_session_and_reuse_ends_it() {
        let opened = session();
        let last = at(SESSION_LIFE.as_secs() - 1);
        let refreshed = after(refresh(&last, opened.clone(), &[1; 32], [2; 32]));
        assert_eq!((refreshed.expires_at, refreshed.last_used_at), (opened.expires_at, last.now()));
        assert_eq!(refreshed.created_at, opened.created_at, "the user did not sign in again");
        let over = at(SESSION_LIFE.as_secs());
        assert_eq!(refresh(&over, refreshed, &[2; 32], [3; 32]), Refreshed::Ended);
        let Refreshed::Reused(effect) = refresh(&at(60), opened, &[9; 32], [2; 32]) else { panic!("reused") };
        assert_eq!(effect.fields(), ["revoked_at"], "the unknown token changes nothing else");
    }
}
