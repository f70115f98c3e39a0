//! Tests of who is invited, by whom, and what happens to an invitation.

use uuid::Uuid;

use super::*;
use crate::effects::AnyRecord;
use crate::ids::Id as _;
use crate::invitations::INVITATION_LIFE;
use crate::record::Shared;

const CHILD: u128 = 1;

fn at(hours: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
}

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn email(text: &str) -> Email {
    Email::parse(text).expect("an address")
}

fn by(number: u128, capacity: Capacity) -> Inviting {
    Inviting { user: user(number), email: email("inviter@a.example"), capacity, sent: 0 }
}

fn invited(by: &Inviting, to: &str, all: &[GuardianInvitation]) -> Result<GuardianInvitation, Refusal> {
    let child = ChildId::from_uuid(Uuid::from_u128(CHILD));
    invite(&at(0), by, child, NewGuardianInvitation { email: email(to) }, all, false)
}

fn open(to: &str) -> GuardianInvitation {
    invited(&by(7, Capacity::Guardian), to, &[]).expect("an invitation")
}

fn after(effect: Option<Effect>) -> GuardianInvitation {
    match effect.and_then(|effect| effect.after) {
        Some(AnyRecord::GuardianInvitation(invitation)) => Shared::into_record(invitation),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_one_invites_themselves_or_an_address_twice() {
    let guardian = by(7, Capacity::Guardian);
    assert_eq!(invited(&guardian, "Inviter@a.example", &[]), Err(Refusal::SelfGrant));
    let first = open("robin@a.example");
    let own = Inviting { email: first.email.clone(), ..by(8, Capacity::Guardian) };
    assert_eq!(sent_again(&at(1), &own, &first, &[]), Err(Refusal::SelfGrant));
    let twice = invited(&guardian, "Robin@a.example", std::slice::from_ref(&first));
    assert!(matches!(twice, Err(Refusal::Duplicate(_))), "{twice:?}");
    let revoked = after(revoke(&at(1), first).expect("it is revoked"));
    assert!(invited(&guardian, "robin@a.example", &[revoked]).is_ok());
}

#[test]
fn a_registrar_does_not_learn_whom_the_family_has_invited() {
    let registrar = by(8, Capacity::Registrar);
    let of_family: Vec<_> = (0..9).map(|number| open(&format!("robin{number}@a.example"))).collect();
    assert!(invited(&registrar, "robin1@a.example", &of_family).is_ok());
    assert!(!is_seen(user(8), Capacity::Registrar, &of_family[0]));
    assert!(is_seen(user(8), Capacity::Child, &of_family[0]));
    let wanted = || NewGuardianInvitation { email: email("kim@a.example") };
    let child = ChildId::from_uuid(Uuid::from_u128(CHILD));
    assert!(invite(&at(0), &registrar, child, wanted(), &[], true).is_ok(), "nor who is a guardian");
    let refused = invite(&at(0), &by(7, Capacity::Guardian), child, wanted(), &[], true);
    assert!(matches!(refused, Err(Refusal::Duplicate(_))), "{refused:?}");
}

#[test]
fn the_number_of_open_invitations_is_limited() {
    let numbered = |number: usize, invitation: GuardianInvitation| GuardianInvitation {
        id: GuardianInvitationId::from_uuid(Uuid::from_u128(number as u128)),
        ..invitation
    };
    let all: Vec<_> =
        (0..MAX_OPEN).map(|number| numbered(number, open(&format!("robin{number}@a.example")))).collect();
    let refused = invited(&by(7, Capacity::Guardian), "kim@a.example", &all);
    assert!(matches!(refused, Err(Refusal::LimitReached(_))), "{refused:?}");
    let busy = Inviting { sent: MAX_SENT, ..by(7, Capacity::Guardian) };
    let refused = invited(&busy, "kim@a.example", &[]);
    assert!(matches!(refused, Err(Refusal::LimitReached(_))), "in a day: {refused:?}");
    let mut ended = all.clone();
    ended[0].mail_failed_at = Some(at(0).now());
    let sixth = invited(&by(7, Capacity::Guardian), "kim@a.example", &ended).expect("another");
    let all: Vec<_> = ended.into_iter().chain([numbered(MAX_OPEN, sixth)]).collect();
    let again = sent_again(&at(1), &by(7, Capacity::Guardian), &all[0], &all);
    assert!(matches!(again, Err(Refusal::LimitReached(_))), "{again:?}");
    let again = sent_again(&at(1), &by(7, Capacity::Guardian), &all[1], &all[1..]);
    assert!(again.is_ok(), "it does not count itself: {again:?}");
}

#[test]
fn the_status_follows_from_what_happened() {
    let first = open("robin@a.example");
    let end = at(INVITATION_LIFE.as_hours()).now();
    assert_eq!(
        (first.status(at(0).now()), first.status(end)),
        (InvitationStatus::Open, InvitationStatus::Expired)
    );
    let failed = after(mail_failed(&at(1), first.clone(), 1));
    assert_eq!(failed.status(end), InvitationStatus::MailFailed);
    let again = sent_again(&at(2), &by(8, Capacity::Guardian), &failed, &[]).expect("it is sent again");
    assert_eq!(
        (again.status(end), again.invited_by),
        (InvitationStatus::Open, user(7)),
        "another person sent it again"
    );
    assert_eq!(mail_failed(&at(2), again.clone(), 7), None, "the message of an earlier version");
    let accepted = again.accepted(at(3).now(), RelationId::from_uuid(Uuid::from_u128(5)));
    let revoked = after(revoke(&at(3), again).expect("it is revoked"));
    for (closed, status) in [(&accepted, InvitationStatus::Accepted), (&revoked, InvitationStatus::Revoked)] {
        assert_eq!(closed.status(end), status);
        let again = sent_again(&at(4), &by(7, Capacity::Guardian), closed, &[]);
        assert!(matches!(again, Err(Refusal::State(_))), "{again:?}");
        assert_eq!(mail_failed(&at(4), closed.clone(), closed.version), None);
    }
    assert_eq!(revoke(&at(4), revoked), Ok(None));
    assert!(matches!(revoke(&at(4), accepted), Err(Refusal::State(_))));
}
