//! `fieldhouse users`: the accounts of a server, on the server's machine.

use clap::{Args, Subcommand};
use fieldhouse_client::api::operator::PasswordLinkRequest;
use fieldhouse_domain::text::Email;

use crate::arguments::value;
use crate::context::Context;
use crate::database::{Database, PublicUrl};
use crate::output::{note, or_dash};

/// The accounts of the server.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Print a link with which a user sets a new password
    ResetPassword(ResetPassword),
}

#[derive(Args)]
pub(crate) struct ResetPassword {
    /// The user's e-mail address
    #[arg(value_parser = value::<Email>)]
    email: Email,
    #[command(flatten)]
    public_url: PublicUrl,
    #[command(flatten)]
    database: Database,
}

/// Creates a link, and prints it.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let Options::ResetPassword(ResetPassword { email, public_url, database }) = options;
    let operating = database.operate(public_url.get()).await?;
    let created = operating.client.operator().reset_password(&PasswordLinkRequest { email }).await?;
    operating.end().await?;
    let rows = [
        ("e-mail", created.email.clone()),
        ("link", created.link.clone()),
        ("valid until", or_dash(created.expires_at)),
    ];
    context.output.record(&created, &rows)?;
    note("Send the link to this person only: it sets their password, once.");
    Ok(())
}
