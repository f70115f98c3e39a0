//! Who may do what: the whole policy as pure functions over facts. No input, no output, no clock: a truth table.
//!
//! What an operation requires stands in the operation table (`fieldhouse_api::operations`). What is known of a caller is read by the
//! store, which alone can turn a decision made here into a proof.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::effects::Kind;
use crate::ids::{ApiKeyId, OrganizationId, SessionId, UserId};
use crate::record::enumeration;
use crate::roles::Role;
use crate::scopes::{Scope, Verb};

/// Which credential an operation wants, and the least role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// One must be sent; the caller needs at least this role.
    Required(Role),
    /// One may be sent; if so, the caller needs at least this role. A bad one is refused, never silently anonymous.
    Optional(Role),
    /// None is looked at.
    Public,
}

/// Whether an API key may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// Any key within its scopes; an agent's key only to read.
    Allowed,
    /// Any key, whatever its scopes, for it reaches nothing but itself: whoever holds a key may look at it and kill it.
    Itself,
    /// Only to propose a changeset.
    ProposeOnly,
    /// Only a session may act.
    SessionOnly,
    /// Only a session that was signed in less than [`FRESH_SESSION`] ago.
    FreshSessionOnly,
}

/// How long after sign-in a session may do what needs a fresh one.
pub const FRESH_SESSION: SignedDuration = SignedDuration::from_mins(15);

/// Which records of a kind an operation may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Any record of the organization.
    Any,
    /// Records whose owner is the caller.
    Own,
    /// The record in the path.
    Target,
}

impl Reach {
    /// The reach in one word, for the permissions page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Own => "own",
            Self::Target => "target",
        }
    }
}

/// What an operation requires of its caller, and what it may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The credential and the least role.
    pub credential: Credential,
    /// Whether an API key may call.
    pub keys: KeyUse,
    /// The scope that a narrowed key needs.
    pub scope: Scope,
    /// The records that the operation may write, besides those that follow from them. A write of any other is refused.
    pub writes: &'static [(Kind, Reach)],
}

/// What kind of credential was sent, with what only that kind knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presented {
    /// A session's access token.
    Session {
        /// The session.
        id: SessionId,
        /// When its user last proved who he is.
        authenticated_at: Timestamp,
    },
    /// An API key.
    ApiKey {
        /// The key's record.
        id: ApiKeyId,
        /// The role that its owner had when it was issued.
        issued_role: Role,
        /// What it may touch; empty: whatever its role may.
        scopes: Vec<Scope>,
        /// Whether it belongs to an agent.
        agent: bool,
        /// The addresses it may be used from; empty: any.
        allowed_ips: Vec<IpAddr>,
    },
}

/// All that is known of a caller now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The credential's one organization.
    pub organization: OrganizationId,
    /// Its user.
    pub user: UserId,
    /// The credential itself.
    pub presented: Presented,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The user's role in the organization now; none: no longer a member.
    pub role: Option<Role>,
    /// Whether the user or the membership is suspended.
    pub suspended: bool,
}

/// Why a caller was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The operation needs a credential and none was sent.
    Unauthenticated,
    /// The credential belongs to nobody, or to somebody who is no longer a member, or is suspended.
    Unknown,
    /// The API key has expired.
    KeyExpired,
    /// The API key was revoked.
    KeyRevoked,
    /// The session or its token has ended.
    SessionEnded,
    /// The role is too low; this one is needed.
    RoleInsufficient(Role),
    /// The key's scopes do not hold what is needed.
    ScopeInsufficient(Scope),
    /// An agent's key may write only through changesets.
    AgentMayOnlyPropose,
    /// Only a session may act.
    SessionRequired,
    /// The session was signed in too long ago.
    SessionTooOld,
    /// The key may not be used from this address.
    AddressNotAllowed,
}

/// Whether the credential is good at all: the role in force, which is the lower of what the user is now and what the key was
/// issued with.
pub fn authenticate(facts: &Facts, now: Timestamp) -> Result<Role, Denial> {
    let is_key = matches!(facts.presented, Presented::ApiKey { .. });
    if facts.revoked_at.is_some() {
        return Err(if is_key { Denial::KeyRevoked } else { Denial::SessionEnded });
    }
    if facts.expires_at <= now {
        return Err(if is_key { Denial::KeyExpired } else { Denial::SessionEnded });
    }
    let role = facts.role.filter(|_| !facts.suspended).ok_or(Denial::Unknown)?;
    Ok(match facts.presented {
        Presented::Session { .. } => role,
        Presented::ApiKey { issued_role, .. } => role.min(issued_role),
    })
}

/// Whether a caller in good standing may do what `requirement` describes: the role in force. `address` is where the request came
/// from.
pub fn decide(
    requirement: &Requirement,
    facts: &Facts,
    now: Timestamp,
    address: Option<IpAddr>,
) -> Result<Role, Denial> {
    let role = authenticate(facts, now)?;
    let (Credential::Required(least) | Credential::Optional(least)) = requirement.credential else {
        return Ok(role);
    };
    if role < least {
        return Err(Denial::RoleInsufficient(least));
    }
    match &facts.presented {
        Presented::Session { authenticated_at, .. } => {
            let fresh = now.duration_since(*authenticated_at) < FRESH_SESSION;
            if requirement.keys == KeyUse::FreshSessionOnly && !fresh {
                Err(Denial::SessionTooOld)
            } else {
                Ok(role)
            }
        }
        Presented::ApiKey { scopes, agent, allowed_ips, .. } => {
            decide_key(*requirement, scopes, *agent)?;
            let allowed =
                allowed_ips.is_empty() || address.is_some_and(|address| allowed_ips.contains(&address));
            if allowed { Ok(role) } else { Err(Denial::AddressNotAllowed) }
        }
    }
}

/// Whether a user of this role may do what `requirement` describes, whatever credential they have: who has just proved who they are, or
/// is not making the request.
pub fn decide_role(requirement: &Requirement, role: Role) -> Result<(), Denial> {
    match requirement.credential {
        Credential::Required(least) | Credential::Optional(least) if role < least => {
            Err(Denial::RoleInsufficient(least))
        }
        _ => Ok(()),
    }
}

fn decide_key(requirement: Requirement, scopes: &[Scope], agent: bool) -> Result<(), Denial> {
    let needed = requirement.scope;
    match requirement.keys {
        KeyUse::SessionOnly | KeyUse::FreshSessionOnly => Err(Denial::SessionRequired),
        KeyUse::Itself => Ok(()),
        KeyUse::Allowed if agent && needed.verb == Verb::Write => Err(Denial::AgentMayOnlyPropose),
        _ if !scopes.is_empty() && !scopes.iter().any(|scope| scope.covers(needed)) => {
            Err(Denial::ScopeInsufficient(needed))
        }
        KeyUse::Allowed | KeyUse::ProposeOnly => Ok(()),
    }
}

enumeration! {
    /// A class of a child's data. Each has its own view; no view covers all of them.
    ChildClass {
        /// Display name and number.
        Roster "roster",
        /// Age and picture.
        Profile "profile",
        /// Legal name and birth date.
        Identity "identity",
        /// Addresses and emergency contacts.
        Contact "contact",
        /// Health.
        Medical "medical",
        /// What coaches note.
        Performance "performance",
    }
}

/// Which data of children an operation touches, and where the child's id is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildTouch {
    /// None.
    Untouched,
    /// One class of the child whose id is in the path.
    InPath {
        /// The class.
        class: ChildClass,
        /// What is done with it.
        verb: Verb,
        /// The name of the parameter in the path.
        parameter: &'static str,
    },
}

/// Whether a role lists and revokes every API key of its organization, not only its holder's own.
pub fn sees_all_keys(role: Role) -> bool {
    role >= Role::Admin
}
