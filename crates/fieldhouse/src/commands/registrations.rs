//! `fieldhouse registrations`: registrations of children for seasons.

use clap::{Args, Subcommand};
use fieldhouse_client::api::registrations::{
    ChangeRegistration, NewRegistration, Registration, RegistrationListQuery, RegistrationStatus,
};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, RegistrationId, SeasonId};

use crate::arguments::one_of;
use crate::confirm;
use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// Registrations of children for seasons.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the registrations of your children for a season, or all of them as its registrar
    List(ListOptions),
    /// Register a child for a season, as its guardian or as the registrar
    Add(AddOptions),
    /// Accept a registration, or change its division; options that you leave out change nothing
    Change(ChangeOptions<RegistrationId, ChangeRegistration>),
    /// Withdraw a registration; the child leaves the teams of the season at once
    Withdraw(WithdrawOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// The season's id
    season: SeasonId,
    /// Only registrations with this status
    #[arg(long, value_parser = one_of!(RegistrationStatus))]
    status: Option<RegistrationStatus>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct AddOptions {
    /// The child's id
    child: ChildId,
    #[command(flatten)]
    fields: Created<NewRegistration>,
}

#[derive(Args)]
pub(crate) struct WithdrawOptions {
    /// The registration's id
    id: RegistrationId,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

const COLUMNS: &[Column<Registration>] = &[
    ("NAME", Width::Least(16), |it| it.display_name.clone()),
    ("STATUS", Width::Whole, |it| it.status.to_string()),
    ("APPLIED", Width::Whole, |it| it.created_at.to_string()),
    ("DIVISION", Width::Whole, |it| or_dash(it.division_id)),
    ("CHILD", Width::Whole, |it| it.child_id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

/// Lists, adds, changes or withdraws registrations.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let registrations = client.registrations();
    let registration = match options {
        Options::List(ListOptions { season, status, paging }) => {
            let page = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            let query = RegistrationListQuery { status, page };
            return paging.show(context, registrations.list(season, &query), COLUMNS).await.map(drop);
        }
        Options::Withdraw(WithdrawOptions { id, yes }) => {
            if !yes {
                confirm::agree(&format!("Withdraw {id}? The child leaves the teams of the season at once."))?;
            }
            let withdrawn = registrations.withdraw(id).await?;
            return Ok(context.output.sentence(&withdrawn, &format!("Withdrew {id}."))?);
        }
        Options::Add(AddOptions { child, fields }) => registrations.add(child, &fields.body).await?,
        Options::Change(ChangeOptions { id, fields }) => registrations.change(id, &fields.body).await?,
    };
    context.output.one(&registration, COLUMNS)?;
    if registration.status == RegistrationStatus::Applied {
        note("The registrar of the season has to accept it with `fieldhouse registrations change`.");
    }
    Ok(())
}
