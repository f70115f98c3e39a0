//! Messages: which message follows from which change. The transaction that writes the change stores the message too; a worker renders and
//! sends it later.

use jiff::SignedDuration;
use uuid::Uuid;

use crate::changesets::ChangesetState;
use crate::children::cases::CaseState;
use crate::children::guardian_invitations::GuardianInvitation;
use crate::children::relations::RelationState;
use crate::duties::DutyState;
use crate::effects::{AnyRecord, Effect};
use crate::ids::{Id, UserId};
use crate::invitations::Invitation;
use crate::record::enumeration;
use crate::text::Email;
use crate::users::User;

/// How long the link of a requested password reset is valid.
pub const RESET_LIFE: SignedDuration = SignedDuration::from_hours(1);
/// How long the link of a reset that the operator creates is valid.
pub const OPERATOR_RESET_LIFE: SignedDuration = SignedDuration::from_hours(24);
/// How long the links of a change of the e-mail address are valid.
pub const EMAIL_CHANGE_LIFE: SignedDuration = SignedDuration::from_hours(24);
/// How long the server tries to deliver a message.
pub const DELIVERY_LIFE: SignedDuration = SignedDuration::from_hours(24);
/// The maximum number of password resets that an address can request in a day.
pub const RESETS_A_DAY: i64 = 5;
/// The minimum time between two requests for a password reset.
pub const RESET_PAUSE: SignedDuration = SignedDuration::from_mins(1);

/// How long messages about changed games are held by default, so that they are never sent if the change is undone meanwhile.
pub const NOTIFY_HOLD: SignedDuration = SignedDuration::from_mins(10);

enumeration! {
    /// A kind of message.
    MailKind {
        /// The link of an invitation.
        Invitation "invitation",
        /// The link of an invitation to be a child's guardian.
        GuardianInvitation "guardian_invitation",
        /// The link to set a new password.
        PasswordReset "password_reset",
        /// The link with which the owner of the current address confirms a new one.
        EmailChangeCurrent "email_change_current",
        /// The link with which the owner of the new address confirms it.
        EmailChangeNew "email_change_new",
        /// The password was changed.
        PasswordChanged "password_changed",
        /// The e-mail address was changed; sent to the earlier address.
        EmailChanged "email_changed",
        /// A duty was proposed; sent to every owner.
        DutyProposed "duty_proposed",
        /// A relation to a child was proposed; sent to every owner.
        RelationProposed "relation_proposed",
        /// A safeguarding case was proposed; sent to every owner who is not of the family of a child whom it names.
        CaseProposed "case_proposed",
        /// Someone opened data of a child in an emergency; sent to its guardians.
        BreakGlass "break_glass",
        /// The same, and it has to be reviewed; sent to every owner.
        BreakGlassReview "break_glass_review",
        /// A relation to a child waits for the person to accept it; sent to them.
        RelationWaiting "relation_waiting",
        /// A relation is active, because it was confirmed after the person had accepted it; sent to them.
        RelationActive "relation_active",
        /// A request about a child's data was created; sent to every owner.
        PrivacyRequested "privacy_requested",
        /// A request about a child's data was decided; sent to the person who created it.
        PrivacyDecided "privacy_decided",
        /// Games of a child's team changed, by a changeset; sent to its family.
        GamesChanged "games_changed",
        /// Fewer people approve a changeset than its risk asks for; sent to every owner but its author.
        ReducedApproval "reduced_approval",
    }
}

enumeration! {
    /// The status of a message.
    MailStatus {
        /// It waits to be sent.
        Waiting "waiting",
        /// It was sent.
        Sent "sent",
        /// It was not sent, because it no longer applies.
        Void "void",
        /// It could not be delivered.
        Failed "failed",
    }
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its kind.
    pub kind: MailKind,
    /// The address.
    pub recipient: Email,
    /// The record that it is about.
    pub record: Uuid,
    /// The version of the record.
    pub version: i64,
}

/// The messages that follow from a change.
pub fn following(effect: &Effect) -> Vec<Message> {
    match (&effect.before, &effect.after) {
        (before, Some(AnyRecord::Invitation(after))) => {
            let sent_before = match before {
                Some(AnyRecord::Invitation(before)) => Some(before.sent_at),
                _ => None,
            };
            if sent_before == Some(after.sent_at) { Vec::new() } else { vec![of_invitation(after)] }
        }
        (before, Some(AnyRecord::GuardianInvitation(after))) => {
            let sent_before = match before {
                Some(AnyRecord::GuardianInvitation(before)) => Some(before.sent_at),
                _ => None,
            };
            if sent_before == Some(after.sent_at) { Vec::new() } else { vec![of_guardian_invitation(after)] }
        }
        (Some(AnyRecord::User(before)), Some(AnyRecord::User(after))) => of_user(before, after),
        _ => Vec::new(),
    }
}

/// The kind of the message that a change sends to every owner of the organization, with the record that it is about and its version.
/// The rule of the second person counts on it: an owner may confirm a duty or a relation alone only a day after all owners were told.
pub fn to_owners(effect: &Effect) -> Option<(MailKind, Uuid, i64)> {
    match (&effect.before, &effect.after) {
        (None, Some(AnyRecord::Duty(duty))) if duty.state == DutyState::Proposed => {
            Some((MailKind::DutyProposed, duty.id.uuid(), duty.version))
        }
        (None, Some(AnyRecord::Relation(relation))) if relation.state == RelationState::Proposed => {
            Some((MailKind::RelationProposed, relation.id.uuid(), relation.version))
        }
        (None, Some(AnyRecord::SafeguardingCase(case))) if case.state == CaseState::Proposed => {
            Some((MailKind::CaseProposed, case.id.uuid(), case.version))
        }
        (None, Some(AnyRecord::BreakGlassGrant(grant))) => {
            Some((MailKind::BreakGlassReview, grant.id.uuid(), grant.version))
        }
        (None, Some(AnyRecord::PrivacyRequest(request))) => {
            Some((MailKind::PrivacyRequested, request.id.uuid(), request.version))
        }
        // A wait that begins: with the submission, and again with other effects or a higher risk.
        (Some(AnyRecord::Changeset(before)), Some(AnyRecord::Changeset(after)))
            if after.reduced_approval
                && matches!(after.state, ChangesetState::InReview | ChangesetState::Approved)
                && after.not_before.is_some()
                && after.not_before != before.not_before =>
        {
            Some((MailKind::ReducedApproval, after.id.uuid(), after.version))
        }
        _ => None,
    }
}

/// The kind of the message that a change sends to a person, with the record that it is about and its version.
pub fn to_person(effect: &Effect) -> Option<(MailKind, UserId, Uuid, i64)> {
    match (&effect.before, &effect.after) {
        (Some(AnyRecord::Relation(before)), Some(AnyRecord::Relation(after)))
            if before.state == RelationState::Proposed =>
        {
            let kind = match after.state {
                RelationState::Confirmed => MailKind::RelationWaiting,
                RelationState::Active => MailKind::RelationActive,
                _ => return None,
            };
            Some((kind, after.user_id, after.id.uuid(), after.version))
        }
        (Some(AnyRecord::PrivacyRequest(before)), Some(AnyRecord::PrivacyRequest(after)))
            if before.state != after.state =>
        {
            Some((MailKind::PrivacyDecided, after.requested_by, after.id.uuid(), after.version))
        }
        _ => None,
    }
}

fn of_invitation(invitation: &Invitation) -> Message {
    Message {
        kind: MailKind::Invitation,
        recipient: invitation.email.clone(),
        record: invitation.id.uuid(),
        version: invitation.version,
    }
}

fn of_guardian_invitation(invitation: &GuardianInvitation) -> Message {
    Message {
        kind: MailKind::GuardianInvitation,
        recipient: invitation.email.clone(),
        record: invitation.id.uuid(),
        version: invitation.version,
    }
}

fn of_user(before: &User, after: &User) -> Vec<Message> {
    let to = |kind, recipient: &Email| Message {
        kind,
        recipient: recipient.clone(),
        record: after.id.uuid(),
        version: after.version,
    };
    let mut messages = Vec::new();
    if before.password_hash.is_some() && before.password_hash != after.password_hash {
        messages.push(to(MailKind::PasswordChanged, &after.email));
    }
    if let Some(pending) = &after.pending_email
        && before.pending_email_at != after.pending_email_at
    {
        messages.push(to(MailKind::EmailChangeCurrent, &after.email));
        messages.push(to(MailKind::EmailChangeNew, pending));
    }
    if before.email != after.email {
        messages.push(to(MailKind::EmailChanged, &before.email));
    }
    messages
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::Moment;
    use crate::text::Name;

    fn moment() -> Moment {
        Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), 7)
    }

    fn email(text: &str) -> Email {
        Email::parse(text).expect("an address")
    }

    fn user() -> User {
        User::new(
            &moment(),
            email("old@a.example"),
            Name::parse("Alex").expect("a name"),
            Some("1".to_owned()),
        )
    }

    fn sent(before: User, after: User) -> Vec<(MailKind, String)> {
        let effect = Effect { before: Some(before.into()), after: Some(after.into()) };
        following(&effect).into_iter().map(|message| (message.kind, message.recipient.to_string())).collect()
    }

    #[test]
    fn each_change_of_a_user_tells_the_addresses_concerned() {
        let pending = User {
            pending_email: Some(email("new@a.example")),
            pending_email_at: Some(moment().now()),
            ..user()
        };
        let (old, new) = ("old@a.example".to_owned(), "new@a.example".to_owned());
        assert_eq!(
            sent(user(), pending.clone()),
            [(MailKind::EmailChangeCurrent, old.clone()), (MailKind::EmailChangeNew, new)]
        );
        let confirmed = User { pending_email_confirmed: true, ..pending.clone() };
        assert_eq!(sent(pending, confirmed), []);
        let moved = User { email: email("new@a.example"), ..user() };
        assert_eq!(sent(user(), moved), [(MailKind::EmailChanged, old.clone())]);
        let changed = User { password_hash: Some("2".to_owned()), ..user() };
        assert_eq!(sent(user(), changed.clone()), [(MailKind::PasswordChanged, old)]);
        assert_eq!(sent(User { password_hash: None, ..user() }, changed), [], "the first password");
        let renamed = User { name: Name::parse("Sam").expect("a name"), ..user() };
        assert_eq!(sent(user(), renamed), []);
    }
}
