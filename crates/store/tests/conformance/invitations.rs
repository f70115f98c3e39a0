//! Invitations.

use fieldhouse_domain::effects::{Effect, Kind};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::invitations::{
    self as rules, INVITATION_LIFE, Invitation, InvitationStatus, Invited, NewInvitation,
};
use fieldhouse_domain::policy::{Denial, Reach, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;
use fieldhouse_store::invitations::{self, Listed};
use fieldhouse_store::{Principal, Store, Tx};
use fieldhouse_testing::clubs::{self, Club, NOW, SIGN_IN};
use jiff::{SignedDuration, Timestamp};

use crate::paging::{PAGE, pages};

/// An invitation to the role coach.
pub(crate) fn invitation(inviter: &User, email: &str) -> Invitation {
    let wanted = NewInvitation { email: Email::parse(email).unwrap(), role: Role::Coach };
    rules::invite(&clubs::moment(), Role::Owner, inviter.id, wanted, 0).unwrap()
}

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

pub(crate) async fn are_listed_newest_first_and_by_status(store: &Store) {
    let (club, other) = (Club::found(store, "Inviting One").await, Club::found(store, "Inviting Two").await);
    let scope = club.owner().scope(store).await;
    let inviter = &club.owner().user;
    let open = invitation(inviter, "open@a.example");
    let at = |hours, email| Invitation { created_at: after(hours), ..invitation(inviter, email) };
    let accepted = Invitation { accepted_at: Some(NOW), ..at(1, "accepted@a.example") };
    let revoked = Invitation { revoked_at: Some(NOW), ..at(2, "revoked@a.example") };
    let failed = Invitation { mail_failed_at: Some(NOW), ..at(3, "failed@a.example") };
    let expired = Invitation { expires_at: after(-1), ..at(4, "expired@a.example") };
    let all = [&open, &accepted, &revoked, &failed, &expired];
    club.create(store, all.map(|invitation| invitation.clone().into()).to_vec()).await;

    let list = async |status, after| {
        invitations::list(&mut &*store, &scope, status, NOW, after, PAGE).await.unwrap()
    };
    let point = |listed: &Listed| (listed.invitation.created_at, listed.invitation.id.uuid());
    let listed = pages(point, async |after| list(None, after).await).await.concat();
    let emails: Vec<_> = listed.iter().map(|listed| listed.invitation.email.as_str()).collect();
    assert_eq!(emails, all.map(|invitation| invitation.email.as_str()).into_iter().rev().collect::<Vec<_>>());
    assert_eq!(listed[4], Listed { invitation: open.clone(), inviter: "owner".to_owned() });
    for status in InvitationStatus::ALL {
        let found = list(Some(*status), None).await;
        assert_eq!(found.len(), 1, "{status}");
        assert_eq!(found[0].invitation.status(NOW), *status, "the store and the domain agree");
    }
    let theirs = other.owner().scope(store).await;
    let read = async |scope| invitations::read(&mut &*store, scope, open.id).await.unwrap();
    assert_eq!(
        (read(&scope).await.map(|found| found.invitation), read(&theirs).await),
        (Some(open.clone()), None)
    );
    let counts = clubs::write(store, club.id(), async |tx, proof| {
        let member =
            invitations::is_member(tx, proof, &Email::parse("Coach@Inviting-one.example").unwrap()).await?;
        let stranger =
            invitations::is_member(tx, proof, &Email::parse("coach@inviting-two.example").unwrap()).await?;
        Ok((invitations::open(tx, proof).await?, member, stranger))
    });
    assert_eq!(counts.await.unwrap(), (3, true, false), "open, failed and expired ones wait for an answer");
    let twice = invitation(inviter, "OPEN@a.example");
    let refused = clubs::apply(store, club.id(), vec![Effect::create(twice)]).await.unwrap_err();
    assert!(refused.to_string().contains("invitations"), "{refused}");
    club.create(store, vec![invitation(inviter, "revoked@a.example").into()]).await;
}

pub(crate) async fn a_link_is_good_for_one_version(store: &Store) {
    let club = Club::found(store, "Inviting Three").await;
    let invited = invitation(&club.owner().user, "parent@a.example");
    club.create(store, vec![invited.clone().into()]).await;
    let requirement = Requirement { writes: &[(Kind::Invitation, Reach::Target)], ..SIGN_IN };
    let permit = async |version: i64, now: Timestamp| {
        let (organization, invitation, user) = (club.id(), invited.id, club.owner().user.id);
        let body = async move |tx: &mut Tx<'_>| {
            let principal =
                Principal::Invited { organization, invitation: Invited::Member(invitation), version, user };
            let permitted = tx.permit(principal, requirement, Some(invitation.uuid()), now).await?;
            Ok::<_, fieldhouse_store::Error>(permitted.map(|proof| (proof.role(), proof.actor().user)))
        };
        store.write("testing.permit", body).await.unwrap()
    };
    assert_eq!(permit(1, NOW).await, Ok((Role::Coach, Some(club.owner().user.id))));
    assert_eq!(permit(2, NOW).await, Err(Denial::LinkExpired));
    let end = NOW.saturating_add(INVITATION_LIFE).unwrap();
    assert_eq!(permit(1, end).await, Err(Denial::LinkExpired));
    let found = invitations::of_link(&mut &*store, club.id(), invited.id).await.unwrap();
    let (listed, inviting) = found.expect("an invitation");
    assert_eq!((&listed.invitation, &*inviting.slug), (&invited, "inviting-three"));
    let revoked = rules::revoke(&clubs::moment(), Role::Owner, invited.clone()).unwrap();
    clubs::apply(store, club.id(), revoked.into_iter().collect()).await.unwrap();
    for version in [1, 2] {
        assert_eq!(permit(version, NOW).await, Err(Denial::LinkExpired), "revoked");
    }
}
