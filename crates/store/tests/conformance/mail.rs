//! Messages.

use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{Effect, Kind};
use fieldhouse_domain::ids::{Id, MailId};
use fieldhouse_domain::invitations;
use fieldhouse_domain::mail::{MailKind, MailStatus, RESET_LIFE};
use fieldhouse_domain::policy::{Reach, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;
use fieldhouse_store::mail::{self, Mail};
use fieldhouse_store::{Change, Store, Tx};
use fieldhouse_testing::clubs::{self, Club, NOW, SIGN_IN};
use jiff::{SignedDuration, Timestamp};

use crate::invitations::invitation;

fn after(minutes: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_mins(minutes)).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
async fn to(store: &Store, address: &str) -> Vec<Mail> {
    let operator = store.operator();
    let all = mail::list(&mut &*store, &operator, None, None, 1_000).await.unwrap();
    all.into_iter().filter(|mail| mail.recipient.as_str() == address).collect()
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub(crate) async fn follows_from_changes_and_is_claimed_once(store: &Store) {
    let club = Club::found(store, "Mailing").await;
    let invited = invitation(&club.owner().user, "mailed@a.example");
    club.create(store, vec![invited.clone().into()]).await;
    let sent = to(store, "mailed@a.example").await;
    let first = &sent[0];
    assert_eq!(
        (first.kind, first.organization, first.record, first.version, first.due_at),
        (MailKind::Invitation, Some(club.id()), Some(invited.id.uuid()), 1, Some(NOW))
    );
    let again =
        invitations::sent_again(&clubs::moment_at(after(1)), Role::Owner, club.owner().user.id, &invited);
    let change = Effect::update(&clubs::moment_at(after(1)), invited, again.unwrap());
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    let sent = to(store, "mailed@a.example").await;
    assert_eq!(sent.iter().map(|mail| mail.version).collect::<Vec<_>>(), [2, 1], "newest first");

    let due = store.due_mail(after(0), 1_000).await.unwrap();
    assert!(due.iter().any(|mail| mail.id == first.id), "{due:?}");
    assert!(store.due_mail(after(-1), 1_000).await.unwrap().is_empty(), "not yet");
    assert!(store.claim_mail(first, after(5)).await.unwrap());
    assert!(!store.claim_mail(first, after(5)).await.unwrap(), "another node has it");
    store.retry_mail(first.id, after(2), "busy".to_owned()).await.unwrap();
    let read = async || mail::read(&mut &*store, first.id).await.unwrap().expect("the message");
    let waiting = read().await;
    assert_eq!(
        (waiting.attempts, waiting.due_at, waiting.error.as_deref()),
        (1, Some(after(2)), Some("busy"))
    );
    store.finish_mail(first.id, MailStatus::Sent, after(3), None).await.unwrap();
    let done = read().await;
    assert_eq!(
        (done.status, done.due_at, done.ended_at, done.error),
        (MailStatus::Sent, None, Some(after(3)), None)
    );
    store.finish_mail(first.id, MailStatus::Failed, after(4), None).await.unwrap();
    store.retry_mail(first.id, after(4), "late".to_owned()).await.unwrap();
    assert_eq!(read().await.status, MailStatus::Sent, "the end is final");
    let operator = store.operator();
    let failed = mail::list(&mut &*store, &operator, Some(MailStatus::Failed), None, 10).await.unwrap();
    assert_eq!(failed, []);
    assert_eq!(mail::read(&mut &*store, MailId::from_uuid(uuid::Uuid::nil())).await.unwrap(), None);
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub(crate) async fn resets_are_limited_and_the_newest_counts(store: &Store) {
    let address = Email::parse("Forgetful@a.example").unwrap();
    let request = async |minutes| {
        let moment = clubs::moment_at(after(minutes));
        store.request_reset(&address, &moment, RESET_LIFE).await.unwrap();
    };
    for minutes in [0, 0, 1, 2, 3, 4, 5, 6] {
        request(minutes).await;
    }
    let sent = to(store, "Forgetful@a.example").await;
    let times: Vec<_> = sent.iter().rev().map(|mail| mail.created_at).collect();
    assert_eq!(times, [0, 1, 2, 3, 4].map(after), "one a minute, five a day");
    assert_eq!((sent[0].record, sent[0].expires_at), (None, Some(after(64))));
    request(24 * 60 + 1).await;
    let sent = to(store, "Forgetful@a.example").await;
    assert_eq!(sent.len(), 6, "a day later");
    let folded = Email::parse("forgetful@A.example").unwrap();
    let newest = async || mail::newest_reset(&mut &*store, &folded).await.unwrap();
    assert_eq!(newest().await, Some(sent[0].id));
    let (operator, later) = (store.operator(), clubs::moment_at(after(24 * 60 + 2)));
    let to_reset = folded.clone();
    let created = store.write("testing.reset", async move |tx: &mut Tx<'_>| {
        tx.create_reset(&operator, &to_reset, &later.again(), RESET_LIFE).await
    });
    let created = created.await.unwrap().id;
    assert_eq!(newest().await, Some(created));
    let uses = async || {
        let body = async move |tx: &mut Tx<'_>| tx.use_link(created, NOW).await;
        store.write("testing.use", body).await.unwrap()
    };
    assert_eq!((uses().await, uses().await), (true, false), "once");
    assert!(
        store.due_mail(after(3_000), 1_000).await.unwrap().iter().all(|mail| mail.id != created),
        "not mailed"
    );
    a_link_permits_writing_its_user(store).await;
    assert!(store.purge_mail(after(4)).await.unwrap() >= 4);
    assert_eq!(to(store, "Forgetful@a.example").await.len(), 2);
}

async fn a_link_permits_writing_its_user(store: &Store) {
    let club = Club::found(store, "Resetting").await;
    let (owner, coach) = (club.owner().user.clone(), club.person(Role::Coach).user.clone());
    let requirement = Requirement { writes: &[(Kind::User, Reach::Own)], ..SIGN_IN };
    let moment: Moment = clubs::moment_at(after(1));
    let write = async |user: &User, by: &User, requirement: Requirement| {
        let after = User { password_hash: Some("new".to_owned()), ..user.clone() };
        let effect = Effect::update(&moment, user.clone(), after).unwrap();
        let (by, moment) = (by.id, moment.again());
        let body = async move |tx: &mut Tx<'_>| {
            let moment = moment.again();
            let proof = tx.permit_user(by, requirement).await?.expect("an active user");
            let change = Change { moment: &moment, operation: "testing.reset", request_id: "", reason: None };
            tx.apply(&proof, change, std::slice::from_ref(&effect)).await.map(drop)
        };
        store.write("testing.reset", body).await
    };
    assert!(write(&coach, &owner, requirement).await.is_err(), "another user");
    assert!(write(&owner, &owner, SIGN_IN).await.is_err(), "an operation that writes no user");
    write(&owner, &owner, requirement).await.unwrap();
    let now = fieldhouse_store::users::read(&mut &*store, owner.id).await.unwrap().expect("the owner");
    assert_eq!(now.password_hash.as_deref(), Some("new"));
    let body = async |tx: &mut Tx<'_>| {
        let no_one = fieldhouse_domain::ids::UserId::from_uuid(uuid::Uuid::nil());
        Ok::<_, fieldhouse_store::Error>(tx.permit_user(no_one, SIGN_IN).await?.is_none())
    };
    assert!(store.write("testing.permit", body).await.unwrap());
}
