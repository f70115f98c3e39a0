//! Who may do what: the whole policy as pure functions over facts.
//!
//! The operation table (`fieldhouse_api::operations`) says what an operation requires. The store reads the facts about a caller, and only
//! the store can turn a decision into a proof.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::children::classes::DataClass;
use crate::duties::DutyKind;
use crate::effects::Kind;
use crate::ids::{ApiKeyId, OrganizationId, SessionId, UserId};
use crate::roles::Role;
use crate::scopes::{Scope, Verb};

/// Which credential an operation requires, and the minimum role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A credential is required; the caller needs at least this role.
    Required(Role),
    /// A credential is optional; a caller who sends one needs at least this role. An invalid credential is refused, not ignored.
    Optional(Role),
    /// Credentials are ignored.
    Public,
    /// The operator of the server, from its own machine. Every other credential is refused.
    Operator,
}

/// Whether an API key may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// Any key within its scopes; an agent's key only for reading.
    Allowed,
    /// Any key regardless of its scopes, because the operation concerns only the key itself.
    Itself,
    /// Only to propose a changeset.
    ProposeOnly,
    /// Only a session.
    SessionOnly,
    /// Only a session whose user signed in less than [`FRESH_SESSION`] ago.
    FreshSessionOnly,
}

/// How long after sign-in a session counts as fresh.
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
    /// The name on the permissions page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Own => "own",
            Self::Target => "target",
        }
    }
}

/// The relation that an operation requires of its caller, besides the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// None.
    Unrelated,
    /// Staff of a team of the game in the path: confirmed, and today. Callers with a high enough role need no relation.
    StaffOfGame {
        /// The name of the path parameter with the game's id.
        parameter: &'static str,
        /// The minimum role of callers who need no relation.
        unless: Role,
    },
    /// The holder of a duty that is open now. A duty is no role: no role includes it.
    OnDuty {
        /// The kind of duty.
        kind: DutyKind,
        /// The minimum role of callers who need no duty. Every caller needs it, if there is none.
        unless: Option<Role>,
    },
}

/// Whether a caller has the relation that an operation requires. `holds` says whether they are staff of a team of the game, or on duty.
pub fn decide_relation(relation: Relation, role: Role, holds: bool) -> Result<(), Denial> {
    match relation {
        Relation::StaffOfGame { unless, .. } if role < unless && !holds => Err(Denial::NotStaff),
        Relation::OnDuty { kind, unless } if unless.is_none_or(|unless| role < unless) && !holds => {
            Err(Denial::NotOnDuty(kind))
        }
        _ => Ok(()),
    }
}

/// What an operation requires of its caller, and what it may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The credential and the minimum role.
    pub credential: Credential,
    /// Whether an API key may call it.
    pub keys: KeyUse,
    /// The scope that a narrowed key needs.
    pub scope: Scope,
    /// The relation that the caller needs, checked in the transaction of the write.
    pub relation: Relation,
    /// The class of children's data that it uses.
    pub child: ChildTouch,
    /// The records that the operation may write, besides those that follow from them. Every other write is refused.
    pub writes: &'static [(Kind, Reach)],
}

/// A verified credential, with what is specific to its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifiedCredential {
    /// A session's access token.
    Session {
        /// The session.
        id: SessionId,
        /// When the user last proved their identity.
        authenticated_at: Timestamp,
    },
    /// An API key.
    ApiKey {
        /// The key's record.
        id: ApiKeyId,
        /// The role that its owner had when it was issued.
        issued_role: Role,
        /// The scopes that it is limited to. If empty, it may do everything that its role permits.
        scopes: Vec<Scope>,
        /// Whether it belongs to an agent.
        agent: bool,
        /// The addresses it may be used from. If empty, any address.
        allowed_ips: Vec<IpAddr>,
    },
}

/// What is known about a caller now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The organization that the credential is for.
    pub organization: OrganizationId,
    /// The user.
    pub user: UserId,
    /// The verified credential.
    pub credential: VerifiedCredential,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The user's role in the organization now. `None` if they are no longer a member.
    pub role: Option<Role>,
    /// Whether the user or the membership is suspended.
    pub suspended: bool,
    /// Whether the organization is suspended.
    pub organization_suspended: bool,
}

/// Why access was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The operation needs a credential and the request has none.
    Unauthenticated,
    /// The credential matches no user, or its user is suspended or no longer a member.
    Unknown,
    /// The organization is suspended.
    OrganizationSuspended,
    /// The API key has expired.
    KeyExpired,
    /// The API key was revoked.
    KeyRevoked,
    /// The session or its token has ended.
    SessionEnded,
    /// The caller's role is lower than this minimum role.
    RoleInsufficient(Role),
    /// The key's scopes do not include this one.
    ScopeInsufficient(Scope),
    /// The caller is not staff of a team of the game.
    NotStaff,
    /// The caller does not have this duty now, or may not use it here.
    NotOnDuty(DutyKind),
    /// An agent's key may write only through changesets.
    AgentMayOnlyPropose,
    /// The operation requires a session.
    SessionRequired,
    /// The user signed in too long ago.
    SessionTooOld,
    /// The key may not be used from this address.
    AddressNotAllowed,
    /// The link of a message is unknown, expired, used or replaced.
    LinkExpired,
    /// The caller is signed in with another address than the one that was invited.
    WrongAccount,
    /// The child does not exist, belongs to another organization, or no relation of the caller opens any of its data.
    ChildHidden,
    /// A relation opens some data of the child, and not this class.
    RelationshipInsufficient,
}

/// Checks that the credential is valid. Returns the effective role: the lower of the user's role now and the role that the key was issued
/// with.
pub fn authenticate(facts: &Facts, now: Timestamp) -> Result<Role, Denial> {
    let is_key = matches!(facts.credential, VerifiedCredential::ApiKey { .. });
    if facts.revoked_at.is_some() {
        return Err(if is_key { Denial::KeyRevoked } else { Denial::SessionEnded });
    }
    if facts.expires_at <= now {
        return Err(if is_key { Denial::KeyExpired } else { Denial::SessionEnded });
    }
    let role = facts.role.filter(|_| !facts.suspended).ok_or(Denial::Unknown)?;
    // Only its members learn that an organization is suspended.
    if facts.organization_suspended {
        return Err(Denial::OrganizationSuspended);
    }
    Ok(match facts.credential {
        VerifiedCredential::Session { .. } => role,
        VerifiedCredential::ApiKey { issued_role, .. } => role.min(issued_role),
    })
}

/// Decides whether a caller may do what `requirement` describes, and returns the effective role. `address` is the client's.
pub fn decide(
    requirement: &Requirement,
    facts: &Facts,
    now: Timestamp,
    address: Option<IpAddr>,
) -> Result<Role, Denial> {
    let role = authenticate(facts, now)?;
    let least = match requirement.credential {
        Credential::Required(least) | Credential::Optional(least) => least,
        Credential::Public => return Ok(role),
        Credential::Operator => return Err(Denial::Unknown),
    };
    if role < least {
        return Err(Denial::RoleInsufficient(least));
    }
    match &facts.credential {
        VerifiedCredential::Session { authenticated_at, .. } => {
            let fresh = now.duration_since(*authenticated_at) < FRESH_SESSION;
            if requirement.keys == KeyUse::FreshSessionOnly && !fresh {
                Err(Denial::SessionTooOld)
            } else {
                Ok(role)
            }
        }
        VerifiedCredential::ApiKey { scopes, agent, allowed_ips, .. } => {
            decide_key(*requirement, scopes, *agent)?;
            // A lost key can be ended from anywhere by the person who finds it.
            let revokes_itself = requirement.keys == KeyUse::Itself && requirement.scope.verb == Verb::Write;
            let allowed = allowed_ips.is_empty()
                || revokes_itself
                || address.is_some_and(|address| allowed_ips.contains(&address));
            if allowed { Ok(role) } else { Err(Denial::AddressNotAllowed) }
        }
    }
}

/// Decides whether a user of this role may do what `requirement` describes. For users without a credential: they have just proved their
/// identity, or they are not making the request.
pub fn decide_role(requirement: &Requirement, role: Role) -> Result<(), Denial> {
    match requirement.credential {
        Credential::Required(least) | Credential::Optional(least) if role < least => {
            Err(Denial::RoleInsufficient(least))
        }
        Credential::Operator => Err(Denial::Unknown),
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

/// The class of children's data that an operation uses, and where the child's id is. A relation of the caller to each child must open the
/// class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildTouch {
    /// None.
    Untouched,
    /// It creates a child.
    Created,
    /// One class of data of children that the caller may see; others are left out.
    Listed {
        /// The class.
        class: DataClass,
    },
    /// Images of children's records in the ledger: each to callers to whom a relation opens its class. Others see that the record changed.
    Images,
    /// One class of data of the child whose id is in the path. To callers without a relation the child does not exist.
    InPath {
        /// The class.
        class: DataClass,
        /// Whether the operation reads or writes it.
        verb: Verb,
        /// The name of the path parameter.
        parameter: &'static str,
    },
    /// What opens the data of the child whose id is in the path. Callers with a high enough role need no relation, and see none of the
    /// child's data: they know its id.
    InPathUnless {
        /// The class that a relation of other callers must open.
        class: DataClass,
        /// Whether they must be able to read or to write it.
        verb: Verb,
        /// The name of the path parameter.
        parameter: &'static str,
        /// The minimum role of callers who need no relation.
        unless: Role,
    },
    /// One class of data of a child whom the body names. The command opens it.
    InBody {
        /// The class.
        class: DataClass,
        /// Whether the operation reads or writes it.
        verb: Verb,
    },
    /// All classes of data of the child in the path that a relation opens to the person of a link. The command opens them.
    AllOfLink,
    /// One class of data of the child whom the request names, if it names one, or whom the record in the path is about. Without a child it
    /// uses the caller's own records. A key needs a scope for children's data, too.
    IfNamed {
        /// The class.
        class: DataClass,
        /// Whether the operation reads or writes it.
        verb: Verb,
    },
    /// One class of data of the child whom the record in the path is about. The command opens it.
    OfRecord {
        /// The class.
        class: DataClass,
        /// Whether the operation reads or writes it.
        verb: Verb,
    },
}

impl ChildTouch {
    /// The class that a relation of the caller must open of the child in the path, before anything else is done.
    pub const fn required(self, role: Role) -> Option<(DataClass, Verb)> {
        match self {
            Self::InPath { class, verb, .. } => Some((class, verb)),
            Self::InPathUnless { class, verb, unless, .. } if (role as u8) < unless as u8 => {
                Some((class, verb))
            }
            _ => None,
        }
    }

    /// Whether an operation with this column may use a class.
    pub const fn includes(self, class: DataClass, verb: Verb) -> bool {
        match self {
            Self::Untouched | Self::Images => false,
            // A repeated request shows the child that the first one created.
            Self::Created => matches!((class, verb), (DataClass::Profile, Verb::Read)),
            Self::AllOfLink => matches!(verb, Verb::Read),
            Self::Listed { class: of } => of as u8 == class as u8 && matches!(verb, Verb::Read),
            Self::InPath { class: of, verb: most, .. }
            | Self::InPathUnless { class: of, verb: most, .. }
            | Self::InBody { class: of, verb: most }
            | Self::IfNamed { class: of, verb: most }
            | Self::OfRecord { class: of, verb: most } => {
                // The year of birth in the profile follows from the identity, and decides whether a child consents itself.
                let has_age = matches!(of, DataClass::Identity | DataClass::Records);
                let follows = has_age && matches!((class, verb), (DataClass::Profile, Verb::Read));
                follows
                    || of as u8 == class as u8 && (matches!(verb, Verb::Read) || matches!(most, Verb::Write))
            }
        }
    }
}

/// Whether a credential may be used for what a scope names. Only keys are narrowed.
pub fn covers(credential: &VerifiedCredential, needed: Scope) -> bool {
    match credential {
        VerifiedCredential::Session { .. } => true,
        VerifiedCredential::ApiKey { scopes, .. } => {
            scopes.is_empty() || scopes.iter().any(|scope| scope.covers(needed))
        }
    }
}

/// Whether a role lists the relations that wait for a second person.
pub fn sees_waiting_relations(role: Role) -> bool {
    role >= Role::Manager
}

/// Whether a role lists the privacy requests of others.
pub fn sees_privacy_requests(role: Role) -> bool {
    role >= Role::Admin
}

/// Whether a role lists and revokes the API keys of others, except those that [`outranks`] protects.
pub fn sees_others_keys(role: Role) -> bool {
    role >= Role::Admin
}

/// Whether a role sees how many children a team has, also those of whom no relation opens the name.
pub fn counts_children(role: Role) -> bool {
    role >= Role::Manager
}

/// Whether someone's role is higher than the caller's, so that the caller cannot act on them or on what is theirs. `other` is `None` for
/// someone who has left.
pub fn outranks(other: Option<Role>, caller: Role) -> bool {
    other.is_some_and(|other| other > caller)
}

#[cfg(test)]
mod tests;
