//! Applying effects: the only function that changes records of organizations and the lists of guests.
//!
//! It refuses effects outside the permission's reach, adds those that follow (`consequences.rs`), writes deletions from children to
//! parents, then updates and creations from parents to children, and collects them all. Before the transaction commits, it records one
//! ledger entry for each changed organization. Not written here: the catalogue, guests and their purge, the lists of former
//! members, the last use of keys, failed sign-in attempts, stored responses and other bookkeeping. Guests belong to no organization, so
//! changes of their lists have no ledger.

use constcat::concat;
use fieldhouse_domain::Moment;
use fieldhouse_domain::changesets::outcome::Applied;
use fieldhouse_domain::children::classes::{self, DataClass};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{ChildId, Id, OrganizationId, UserId};
use fieldhouse_domain::ledger::Trace;
use fieldhouse_domain::mail::{self, MailKind, Message};
use fieldhouse_domain::members::Member;

use crate::access::children::{ChildAccess, Class, Write};
use crate::access::{Actor, GuestWrite, OrgWrite, UserWrite};
use crate::engine::{Reader, Tx};
use crate::error::{Error, Result};
use crate::ledger::heads;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};
use crate::{break_glass, cases, children, consequences, duties, games, members, records, seasons, users};

queries! {
    MEMBERSHIPS "apply.memberships" concat!("SELECT m.org_id, ", Member::COLUMNS, " FROM members m WHERE m.user_id = $1 ORDER BY m.org_id");
}

/// The permission with which effects are applied.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a, 'tx> {
    /// A member's, the operator's or a job's, in one organization.
    Organization(&'a OrgWrite<'tx>),
    /// A guest's, on their own list.
    Guest(&'a GuestWrite<'tx>),
    /// A user's, on their own user, with a link of a message.
    User(&'a UserWrite<'tx>),
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

impl<'a, 'tx> From<&'a UserWrite<'tx>> for Authority<'a, 'tx> {
    fn from(proof: &'a UserWrite<'tx>) -> Self {
        Self::User(proof)
    }
}

/// The operation, time and reason of a change.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The time, and the source of new ids.
    pub moment: &'a Moment,
    /// The operation's id, such as `seasons.create`.
    pub operation: &'static str,
    /// The request's id.
    pub request_id: &'a str,
    /// The reason, in the words of the actor.
    pub reason: Option<&'a str>,
}

/// What a permission has opened of children's data, besides the reach of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// Nothing.
    Nothing,
    /// One class of a child's data.
    Class(ChildId, DataClass),
    /// The deletion of everything about a child.
    Erased(ChildId),
}

impl Opened {
    fn erases(self, effect: &Effect) -> bool {
        let about = effect.before.as_ref().and_then(AnyRecord::child);
        effect.after.is_none() && about.is_some_and(|child| self == Self::Erased(child))
    }
}

impl<'tx> Tx<'tx> {
    /// Applies the effects of a command and those that follow from them. Returns all effects in the order of writing. The first change of
    /// an organization in a transaction determines the operation of its ledger entry.
    pub async fn apply<'a>(
        &mut self,
        authority: impl Into<Authority<'a, 'tx>>,
        change: Change<'_>,
        effects: &[Effect],
    ) -> Result<Vec<Effect>>
    where
        'tx: 'a,
    {
        self.apply_opened(authority.into(), Opened::Nothing, change, effects).await
    }

    /// Applies the effects of a command that change one class of a child's data.
    pub async fn apply_to_child<C: Class>(
        &mut self,
        proof: &OrgWrite<'tx>,
        access: ChildAccess<'tx, C, Write>,
        change: Change<'_>,
        effects: &[Effect],
    ) -> Result<Vec<Effect>> {
        self.apply_opened(proof.into(), Opened::Class(access.child(), C::CLASS), change, effects).await
    }

    pub(crate) async fn apply_opened(
        &mut self,
        authority: Authority<'_, 'tx>,
        opened: Opened,
        change: Change<'_>,
        effects: &[Effect],
    ) -> Result<Vec<Effect>> {
        let is_open = |effect: &&Effect| {
            opened.erases(effect)
                || is_within(authority, effect) && is_opened(authority, opened, effects, effect)
        };
        if let Some(effect) = effects.iter().find(|effect| !is_open(effect)) {
            let kind = effect.record().map(|record| record.kind().name()).unwrap_or_default();
            return Err(Error::Internal(format!(
                "{} has no permission to write this {kind}",
                change.operation
            )));
        }
        let mut effects = effects.to_vec();
        let proof = match authority {
            Authority::Organization(proof) => proof,
            Authority::User(proof) => {
                for effect in &effects {
                    records::write_shared(self, effect).await?;
                    let actor = Actor { user: Some(proof.user()), key: None };
                    Box::pin(self.touch_memberships(None, actor, change, effect)).await?;
                    Box::pin(self.queue_following(None, change, effect)).await?;
                }
                return Ok(effects);
            }
            Authority::Guest(_) => {
                for effect in &effects {
                    records::write_of_guest(self, effect).await?;
                }
                return Ok(effects);
            }
        };
        let ordered = effects.len();
        // In boxes: futures of what rarely happens are large, and each is a part of this one, which is copied with them.
        let actor = proof.actor().user;
        Box::pin(consequences::add(self, proof.organization(), actor, change, &mut effects)).await?;
        if let Some(watched) = &mut self.watched {
            let operation = watched.operation;
            let all = effects.iter().cloned().enumerate();
            watched.applied.extend(all.map(|(at, effect)| Applied {
                effect,
                operation,
                derived: at >= ordered,
            }));
        }
        effects.sort_by_key(Effect::place);
        for effect in &effects {
            Box::pin(self.follow_child(proof.organization(), effect)).await?;
            Box::pin(records::write(self, proof.organization(), effect)).await?;
            duties::write_teams(self, proof.organization(), effect).await?;
            cases::write_named(self, proof.organization(), effect).await?;
            if let (None, Some(AnyRecord::Organization(_))) = (&effect.before, &effect.after) {
                heads::create(self, proof.organization(), change.moment.now()).await?;
            }
            let (org, actor) = (proof.organization(), proof.actor());
            match effect.trace() {
                Trace::Memberships => {
                    Box::pin(self.touch_memberships(Some(org), actor, change, effect)).await?;
                }
                trace => self.unrecorded.collect(org, actor, change, effect, trace),
            }
            Box::pin(self.queue_following(Some(org), change, effect)).await?;
            Box::pin(self.note_departure(org, effect, change.moment.now())).await?;
        }
        Box::pin(seasons::show_divisions(self, proof, &effects)).await?;
        Box::pin(games::show_names(self, proof.organization(), &effects)).await?;
        Box::pin(children::shown::show_places(self, proof.organization(), &effects)).await?;
        Ok(effects)
    }

    /// Queues the messages that follow from an effect.
    async fn queue_following(
        &mut self,
        organization: Option<OrganizationId>,
        change: Change<'_>,
        effect: &Effect,
    ) -> Result<()> {
        for message in mail::following(effect) {
            // What is mailed about a user does not depend on an organization.
            let about = organization.filter(|_| !matches!(effect.record(), Some(AnyRecord::User(_))));
            self.queue_mail(about, change.moment, &message).await?;
        }
        if let (Some(_), Some((kind, user, record, version))) = (organization, mail::to_person(effect))
            && let Some(user) = users::read(self, user).await?
        {
            let message = Message { kind, recipient: user.email, record, version };
            self.queue_mail(organization, change.moment, &message).await?;
        }
        if let (Some(org), None, Some(AnyRecord::BreakGlassGrant(grant))) =
            (organization, &effect.before, &effect.after)
        {
            let (kind, record, version) = (MailKind::BreakGlass, grant.id.uuid(), grant.version);
            for recipient in break_glass::guardians(self, org, grant.child_id, grant.starts_at).await? {
                let message = Message { kind, recipient, record, version };
                self.queue_mail(organization, change.moment, &message).await?;
            }
        }
        if let (Some(org), Some((kind, record, version))) = (organization, mail::to_owners(effect)) {
            // Someone of the family must not learn of a case.
            let recipients = if kind == MailKind::CaseProposed {
                cases::owner_addresses(self, org, record).await?
            } else {
                let child = effect.record().and_then(AnyRecord::child);
                let except = match effect.record() {
                    Some(AnyRecord::Changeset(changeset)) => Some(changeset.author_id),
                    _ => None,
                };
                members::owner_addresses(self, org, child, change.moment.now(), except).await?
            };
            for recipient in recipients {
                let message = Message { kind, recipient, record, version };
                self.queue_mail(organization, change.moment, &message).await?;
            }
        }
        Ok(())
    }

    /// Records a change of a user in each of their organizations, as a change of the membership. Other organizations do not learn in which
    /// one, or with which credential, the change was made.
    async fn touch_memberships(
        &mut self,
        through: Option<OrganizationId>,
        actor: Actor,
        change: Change<'_>,
        effect: &Effect,
    ) -> Result<()> {
        let Some(AnyRecord::User(user)) = effect.record() else { return Ok(()) };
        let membership = |row: &mut Row<'_>| Ok((row.next::<OrganizationId>()?, row.record::<Member>()?));
        let memberships = self.rows(MEMBERSHIPS, values![id(user.id)], membership).await?;
        self.unrecorded.set_aside();
        if memberships.is_empty() && effect.before.is_some() {
            let (operation, fields) = (change.operation, effect.fields().join(" "));
            tracing::info!(user = %user.id, operation, fields, "a user without an organization was changed");
        }
        for (org, member) in memberships {
            let touched = Effect::touch(change.moment, member);
            records::write(self, org, &touched).await?;
            let actor = if Some(org) == through { actor } else { seen_elsewhere(actor, user.id) };
            self.unrecorded.collect_touched(org, actor, change, &touched, &effect.fields());
        }
        Ok(())
    }
}

fn seen_elsewhere(actor: Actor, user: UserId) -> Actor {
    Actor { user: actor.user.filter(|actor| *actor == user), key: None }
}

fn is_within(authority: Authority<'_, '_>, effect: &Effect) -> bool {
    effect.before.iter().chain(&effect.after).all(|record| match authority {
        Authority::Organization(proof) => proof.reaches(record),
        Authority::User(proof) => proof.reaches(record),
        Authority::Guest(proof) => {
            record.kind() == Kind::Favorite && record.owner() == Some(proof.guest().uuid())
        }
    })
}

/// Whether a user may write a child's data: a relation has opened its class, or the same change creates the child. What the operator and jobs
/// write does not depend on relations.
fn is_opened(authority: Authority<'_, '_>, opened: Opened, effects: &[Effect], effect: &Effect) -> bool {
    let Authority::Organization(proof) = authority else { return true };
    let Some(record) = effect.record() else { return true };
    let (Some(class), Some(child)) = (classes::of_kind(record.kind()), record.child()) else { return true };
    let creates = |other: &Effect| {
        other.before.is_none() && matches!(&other.after, Some(AnyRecord::Child(new)) if new.id == child)
    };
    // The year of birth, which the profile shows, follows from the identity.
    let follows = record.kind() == Kind::Child && opened == Opened::Class(child, DataClass::Identity);
    proof.actor().user.is_none()
        || opened == Opened::Class(child, class)
        || follows
        || effects.iter().any(creates)
}
