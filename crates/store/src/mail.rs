//! Messages in the store. What follows from a change of records is queued by `apply`, in the same transaction; a worker claims, sends and
//! finishes messages. This is bookkeeping of the server, not a record of an organization.

use constcat::concat;
use fieldhouse_domain::Moment;
use fieldhouse_domain::ids::{MailId, OrganizationId};
use fieldhouse_domain::mail::{MailKind, MailStatus, Message, RESET_PAUSE, RESETS_A_DAY};
use fieldhouse_domain::text::Email;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::access::Operator;
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// The columns of a message.
const COLUMNS: &str = "id, org_id, kind, recipient, record_id, version, created_at, expires_at, due_at, status, attempts, ended_at, error, used_at";

queries! {
    INSERT "mail.insert" "INSERT INTO mail (id, org_id, kind, recipient, recipient_folded, record_id, version, created_at, expires_at, due_at, status, attempts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)";
    READ "mail.read" concat!("SELECT ", COLUMNS, " FROM mail WHERE id = $1");
    DUE "mail.due" concat!("SELECT ", COLUMNS, " FROM mail WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2");
    CLAIM "mail.claim" "UPDATE mail SET due_at = $3, attempts = attempts + 1 WHERE id = $1 AND due_at = $2";
    RETRY "mail.retry" "UPDATE mail SET due_at = $2, error = $3 WHERE id = $1 AND status = 'waiting'";
    FINISH "mail.finish" "UPDATE mail SET due_at = NULL, status = $2, ended_at = $3, error = $4 WHERE id = $1 AND status = 'waiting'";
    RECENT "mail.recent_resets" "SELECT COUNT(*), MAX(created_at) FROM mail
        WHERE recipient_folded = $1 AND kind = 'password_reset' AND created_at > $2";
    NEWEST "mail.newest_reset" "SELECT id FROM mail WHERE recipient_folded = $1 AND kind = 'password_reset'
        ORDER BY created_at DESC, id DESC LIMIT 1";
    USE "mail.use" "UPDATE mail SET used_at = $2 WHERE id = $1 AND used_at IS NULL";
    LIST "mail.list" concat!("SELECT ", COLUMNS, " FROM mail WHERE (created_at, id) < ($1, $2)
        AND (CAST($3 AS TEXT) IS NULL OR status = $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    PURGE "mail.purge" "DELETE FROM mail WHERE created_at < $1";
}

/// A stored message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The id.
    pub id: MailId,
    /// The organization that it is about.
    pub organization: Option<OrganizationId>,
    /// Its kind.
    pub kind: MailKind,
    /// The address.
    pub recipient: Email,
    /// The record that it is about. `None` for a password reset, which is about the address.
    pub record: Option<Uuid>,
    /// The version of that record.
    pub version: i64,
    /// When it was caused.
    pub created_at: Timestamp,
    /// When its link expires, unless the record says so.
    pub expires_at: Option<Timestamp>,
    /// When it is sent next.
    pub due_at: Option<Timestamp>,
    /// Its status.
    pub status: MailStatus,
    /// The number of attempts to send it.
    pub attempts: i64,
    /// When it was sent or given up.
    pub ended_at: Option<Timestamp>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When its link was used.
    pub used_at: Option<Timestamp>,
}

fn mail(row: &mut Row<'_>) -> Result<Mail> {
    Ok(Mail {
        id: row.next()?,
        organization: row.next()?,
        kind: row.next()?,
        recipient: row.next()?,
        record: row.next()?,
        version: row.next()?,
        created_at: row.next()?,
        expires_at: row.next()?,
        due_at: row.next()?,
        status: row.next()?,
        attempts: row.next()?,
        ended_at: row.next()?,
        error: row.next()?,
        used_at: row.next()?,
    })
}

/// A message by its id.
pub async fn read(reader: &mut impl Reader, mail_id: MailId) -> Result<Option<Mail>> {
    first(reader, READ, values![id(mail_id)], mail).await
}

/// The latest password reset of an address. It replaces all earlier ones.
pub async fn newest_reset(reader: &mut impl Reader, recipient: &Email) -> Result<Option<MailId>> {
    first(reader, NEWEST, values![recipient.folded()], |row| row.next()).await
}

/// All messages, newest first, from a position; only those with a status, if one is given.
pub async fn list(
    reader: &mut impl Reader,
    _operator: &Operator,
    status: Option<MailStatus>,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Mail>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    reader.rows(LIST, values![at, last, status.map(MailStatus::name), limit], mail).await
}

impl Tx<'_> {
    /// Queues a message that follows from a change.
    pub(crate) async fn queue_mail(
        &mut self,
        organization: Option<OrganizationId>,
        moment: &Moment,
        message: &Message,
    ) -> Result<()> {
        self.queue_mail_at(organization, moment, message, moment.now()).await.map(drop)
    }

    /// Queues a message that is sent at `due` at the earliest.
    pub(crate) async fn queue_mail_at(
        &mut self,
        organization: Option<OrganizationId>,
        moment: &Moment,
        message: &Message,
        due: Timestamp,
    ) -> Result<MailId> {
        let mail_id: MailId = moment.id();
        self.run(
            INSERT,
            values![
                id(mail_id),
                organization.map(id),
                message.kind.name(),
                message.recipient.as_str(),
                message.recipient.folded(),
                Some(message.record),
                message.version,
                moment.now(),
                None::<Timestamp>,
                Some(due),
                MailStatus::Waiting.name(),
            ],
        )
        .await?;
        Ok(mail_id)
    }

    /// Creates a password reset whose link the operator passes on. It is not mailed.
    pub async fn create_reset(
        &mut self,
        _operator: &Operator,
        recipient: &Email,
        moment: &Moment,
        life: SignedDuration,
    ) -> Result<Mail> {
        insert_reset(self, recipient, moment, life, MailStatus::Sent).await
    }

    /// Marks the link of a message as used. Returns whether this is its first use.
    pub async fn use_link(&mut self, mail_id: MailId, now: Timestamp) -> Result<bool> {
        Ok(self.run(USE, values![id(mail_id), now]).await? == 1)
    }
}

impl Store {
    /// Queues a password reset for an address, known or not, unless too many were requested. The work is the same for every address, so that
    /// its duration reveals nothing.
    pub async fn request_reset(
        &self,
        recipient: &Email,
        moment: &Moment,
        life: SignedDuration,
    ) -> Result<()> {
        let (recipient, moment) = (recipient.clone(), moment.again());
        self.write("mail.request_reset", async move |tx| {
            let now = moment.now();
            let yesterday = now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
            let folded = recipient.folded();
            let recent = first(tx, RECENT, values![&folded, yesterday], |row| {
                Ok((row.next::<i64>()?, row.next::<Option<Timestamp>>()?))
            })
            .await?;
            let (count, last) = recent.unwrap_or_default();
            if count < RESETS_A_DAY && last.is_none_or(|last| now.duration_since(last) >= RESET_PAUSE) {
                insert_reset(tx, &recipient, &moment.again(), life, MailStatus::Waiting).await?;
            }
            Ok(())
        })
        .await
    }

    /// Messages that are due.
    pub async fn due_mail(&self, now: Timestamp, limit: u32) -> Result<Vec<Mail>> {
        (&*self).rows(DUE, values![now, limit], mail).await
    }

    /// Claims a message until a time, so that no other node sends it meanwhile. Returns whether it was still unclaimed.
    pub async fn claim_mail(&self, message: &Mail, until: Timestamp) -> Result<bool> {
        let (mail_id, due_at) = (message.id, message.due_at);
        let claim = async move |tx: &mut Tx<'_>| tx.run(CLAIM, values![id(mail_id), due_at, until]).await;
        Ok(self.write("mail.claim", claim).await? == 1)
    }

    /// Records that a message could not be sent, and when to try again.
    pub async fn retry_mail(&self, mail_id: MailId, due_at: Timestamp, error: String) -> Result<()> {
        let retry = async move |tx: &mut Tx<'_>| tx.run(RETRY, values![id(mail_id), due_at, &error]).await;
        self.write("mail.retry", retry).await.map(drop)
    }

    /// Records the end of a message: sent, void or failed.
    pub async fn finish_mail(
        &self,
        mail_id: MailId,
        status: MailStatus,
        now: Timestamp,
        error: Option<String>,
    ) -> Result<()> {
        let finish = async move |tx: &mut Tx<'_>| {
            tx.run(FINISH, values![id(mail_id), status.name(), now, error.as_ref()]).await
        };
        self.write("mail.finish", finish).await.map(drop)
    }

    /// Deletes the messages caused before a time, and returns their number.
    pub async fn purge_mail(&self, before: Timestamp) -> Result<u64> {
        self.write("mail.purge", async move |tx| tx.run(PURGE, values![before]).await).await
    }
}

async fn insert_reset(
    tx: &mut Tx<'_>,
    recipient: &Email,
    moment: &Moment,
    life: SignedDuration,
    status: MailStatus,
) -> Result<Mail> {
    let now = moment.now();
    let reset = Mail {
        id: moment.id(),
        organization: None,
        kind: MailKind::PasswordReset,
        recipient: recipient.clone(),
        record: None,
        version: 0,
        created_at: now,
        expires_at: now.saturating_add(life).ok(),
        due_at: (status == MailStatus::Waiting).then_some(now),
        status,
        attempts: 0,
        ended_at: None,
        error: None,
        used_at: None,
    };
    tx.run(
        INSERT,
        values![
            id(reset.id),
            None::<Uuid>,
            reset.kind.name(),
            recipient.as_str(),
            recipient.folded(),
            reset.record,
            reset.version,
            reset.created_at,
            reset.expires_at,
            reset.due_at,
            status.name(),
        ],
    )
    .await?;
    Ok(reset)
}
