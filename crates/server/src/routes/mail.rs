//! The messages of the server, which the operator reads, and links that are not mailed.

use fieldhouse_api::operator::{Mail, MailText, PasswordLink};
use fieldhouse_api::{Code, Data, Page, op};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::mail::OPERATOR_RESET_LIFE;
use fieldhouse_store::{Tx, mail, users};
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;
use crate::mail::{Rendered, link, render};

fn view(mail: mail::Mail) -> Mail {
    Mail {
        id: mail.id,
        organization_id: mail.organization,
        kind: mail.kind,
        recipient: mail.recipient.to_string(),
        status: mail.status,
        attempts: mail.attempts,
        error: mail.error,
        created_at: mail.created_at,
        due_at: mail.due_at,
        ended_at: mail.ended_at,
    }
}

pub(crate) async fn list(
    call: Call<op::OperatorMailList>,
) -> Result<Answered<op::OperatorMailList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let (operator, status) = (call.operator()?, query.status);
    let mut found = mail::list(&mut call.store(), operator, status, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |mail| (mail.created_at, mail.id.uuid()))?;
    call.page(Page { data: found.into_iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn read(
    call: Call<op::OperatorMailRead>,
) -> Result<Answered<op::OperatorMailRead>, Failure> {
    let found = mail::read(&mut call.store(), *call.path()?).await?.ok_or_else(Failure::not_found)?;
    let (from, subject, text) = match render(&call.app, &found).await? {
        Some(Rendered { from, subject, text }) => (Some(from), Some(subject), Some(text)),
        None => (None, None, None),
    };
    Answered::json(&Data { data: MailText { mail: view(found), from, subject, text } })
}

pub(crate) async fn reset_password(
    call: Call<op::OperatorPasswordReset>,
) -> Result<Answered<op::OperatorPasswordReset>, Failure> {
    let (operator, moment) = (*call.operator()?, call.app.clock.moment());
    let wanted = call.body.email.clone();
    let body = async move |tx: &mut Tx<'_>| {
        let Some(user) = users::by_email(tx, &wanted).await? else { return Ok(None) };
        let reset = tx.create_reset(&operator, &user.email, &moment.again(), OPERATOR_RESET_LIFE).await;
        reset.map(Some)
    };
    let created: fieldhouse_store::Result<_> = call.store().write("operator.reset_password", body).await;
    let reset = created?.ok_or_else(|| {
        let detail = format!("No user has the address {}.", call.body.email);
        Failure::new(Code::NotFound, detail)
    })?;
    let (email, link) = (reset.recipient.to_string(), link(&call.app, &reset));
    let data = PasswordLink { email, link, expires_at: reset.expires_at };
    Ok(Answered::json(&Data { data })?.secret())
}
