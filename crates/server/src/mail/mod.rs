//! Mail: a worker renders and sends the messages that transactions have queued, at least once each. A message that cannot be delivered is
//! tried again for a day and then given up.

mod render;
mod transport;

use std::time::Duration;

use fieldhouse_commands::{Acting, guardian_invitations, invitations};
use fieldhouse_domain::ids::{GuardianInvitationId, Id, InvitationId};
use fieldhouse_domain::mail::{DELIVERY_LIFE, MailKind, MailStatus};
use fieldhouse_store::mail::Mail;
use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};

pub use render::{Rendered, link, render};
pub use transport::{Mailer, MailerError, Smtp};

use crate::app::App;

/// How often the worker looks for messages.
const ROUND: Duration = Duration::from_secs(1);
/// How many messages are claimed in a round.
const BATCH: u32 = 100;
/// How many messages are sent at a time.
const AT_A_TIME: usize = 4;
/// How long a node may take to send a message before another one takes over.
const LEASE: SignedDuration = SignedDuration::from_mins(5);
/// The maximum pause between two attempts.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Sends messages until the task is aborted.
pub(crate) async fn run(app: &App, mailer: &Mailer) {
    loop {
        if let Err(error) = deliver(app, mailer).await {
            tracing::warn!(%error, "waiting messages could not be read");
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// Sends the messages that are due. Returns the number of those that were sent.
pub async fn deliver(app: &App, mailer: &Mailer) -> fieldhouse_store::Result<usize> {
    let due = app.store.due_mail(app.clock.now(), BATCH).await?;
    let sent = futures_util::stream::iter(due)
        .map(async |mail| {
            let id = mail.id;
            let sent = deliver_one(app, mailer, mail).await;
            sent.unwrap_or_else(|error| {
                tracing::warn!(%error, mail = %id, "a message could not be handled");
                false
            })
        })
        .buffer_unordered(AT_A_TIME)
        .filter(|sent| std::future::ready(*sent))
        .count()
        .await;
    Ok(sent)
}

/// Sends a message, unless another node does. Returns whether it was sent.
async fn deliver_one(app: &App, mailer: &Mailer, mail: Mail) -> fieldhouse_store::Result<bool> {
    let (store, now) = (&app.store, app.clock.now());
    if !store.claim_mail(&mail, now.saturating_add(LEASE).unwrap_or(Timestamp::MAX)).await? {
        return Ok(false);
    }
    let Some(rendered) = render(app, &mail).await? else {
        store.finish_mail(mail.id, MailStatus::Void, now, None).await?;
        return Ok(false);
    };
    let Err(error) = mailer.send(&mail, &rendered, &app.base_url).await else {
        store.finish_mail(mail.id, MailStatus::Sent, app.clock.now(), None).await?;
        return Ok(true);
    };
    let next = now.saturating_add(pause(mail.attempts)).unwrap_or(Timestamp::MAX);
    let ends = mail.created_at.saturating_add(DELIVERY_LIFE).unwrap_or(Timestamp::MAX);
    let (id, kind, attempts) = (mail.id, mail.kind.name(), mail.attempts + 1);
    if error.permanent || next > ends {
        tracing::warn!(mail = %id, kind, attempts, error = error.reason, "a message could not be delivered");
        store.finish_mail(id, MailStatus::Failed, now, Some(error.reason)).await?;
        give_up(app, &mail).await;
    } else {
        tracing::info!(mail = %id, kind, attempts, error = error.reason, "a message will be sent again");
        store.retry_mail(id, next, error.reason).await?;
    }
    Ok(false)
}

/// The pause after some attempts: 1 minute, then twice as long each time.
fn pause(attempts: i64) -> SignedDuration {
    let doubled = u32::try_from(attempts).map_or(i64::MAX, |attempts| 2_i64.saturating_pow(attempts));
    SignedDuration::from_mins(doubled.min(60)).min(LONGEST_PAUSE)
}

/// Marks the invitation whose message was given up.
async fn give_up(app: &App, mail: &Mail) {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return };
    let (acting, moment, version) = (Acting::Job(organization), app.clock.moment(), mail.version);
    let marked = match mail.kind {
        MailKind::Invitation => {
            let command = invitations::MailFailed { id: InvitationId::from_uuid(record), version };
            fieldhouse_commands::run(&app.store, acting, moment, command).await
        }
        MailKind::GuardianInvitation => {
            let id = GuardianInvitationId::from_uuid(record);
            let command = guardian_invitations::MailFailed { id, version };
            fieldhouse_commands::run(&app.store, acting, moment, command).await
        }
        _ => return,
    };
    if let Err(error) = marked {
        tracing::warn!(%error, mail = %mail.id, "the invitation of a message could not be marked");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_double_up_to_an_hour() {
        let minutes = [0, 1, 2, 5, 6, 99].map(|attempts| pause(attempts).as_mins());
        assert_eq!(minutes, [1, 2, 4, 32, 60, 60]);
    }
}
