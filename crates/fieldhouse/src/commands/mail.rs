//! `fieldhouse admin mail`: the messages of a server, on the server's machine.

use clap::{Args, Subcommand};
use fieldhouse_client::api::operator::{Mail, MailListQuery, MailText};
use fieldhouse_domain::ids::MailId;
use fieldhouse_domain::mail::MailStatus;

use crate::arguments::one_of;
use crate::context::Context;
use crate::database::{Database, PublicUrl};
use crate::listing::Paging;
use crate::output::{Column, Width, line, or_dash};

/// The messages of the server.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List messages, newest first (on the server's machine)
    List(ListOptions),
    /// Show a message with its text and its link (on the server's machine)
    Show(ShowOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only messages with this status
    #[arg(long, value_parser = one_of!(MailStatus))]
    status: Option<MailStatus>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    database: Database,
}

#[derive(Args)]
pub(crate) struct ShowOptions {
    /// The message's id
    id: MailId,
    #[command(flatten)]
    public_url: PublicUrl,
    #[command(flatten)]
    database: Database,
}

const COLUMNS: &[Column<Mail>] = &[
    ("CREATED", Width::Whole, |it| it.created_at.to_string()),
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("RECIPIENT", Width::Least(16), |it| it.recipient.clone()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("ATTEMPTS", Width::Whole, |it| it.attempts.to_string()),
    ("NEXT", Width::Whole, |it| or_dash(it.due_at)),
    ("ENDED", Width::Whole, |it| or_dash(it.ended_at)),
    ("ERROR", Width::Least(12), |it| or_dash(it.error.as_ref())),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists or shows messages.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::List(ListOptions { status, paging, database }) => {
            let operating = database.operate(None).await?;
            let query = MailListQuery { status, limit: paging.limit(), cursor: None };
            paging.show(context, operating.client.operator().mail(&query), COLUMNS).await?;
            operating.end().await
        }
        Options::Show(ShowOptions { id, public_url, database }) => {
            let operating = database.operate(public_url.get()).await?;
            let shown = operating.client.operator().read_mail(id).await?;
            operating.end().await?;
            show(context, &shown)
        }
    }
}

fn show(context: &Context, shown: &MailText) -> anyhow::Result<()> {
    let mut rows: Vec<_> = COLUMNS.iter().map(|(heading, _, cell)| (*heading, cell(&shown.mail))).collect();
    rows.push(("FROM", or_dash(shown.from.as_ref())));
    rows.push(("SUBJECT", or_dash(shown.subject.as_ref())));
    if context.output.is_json() || context.output.is_csv() {
        rows.push(("TEXT", or_dash(shown.text.as_ref())));
        return Ok(context.output.record(shown, &rows)?);
    }
    context.output.record(shown, &rows)?;
    line("")?;
    match &shown.text {
        Some(text) => text.lines().try_for_each(|text| line(&crate::output::clean(text)))?,
        None => line("The message no longer applies, so it has no text.")?,
    }
    Ok(())
}
