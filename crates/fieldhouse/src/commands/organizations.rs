//! `fieldhouse organizations`: the organizations of a server, on the server's machine, whether it runs or not.

use clap::{Args, Subcommand};
use fieldhouse_client::api::operator::{
    FoundOrganization, FoundedOrganization, OrganizationListQuery, SuspendOrganization,
};
use fieldhouse_client::api::organization::Organization;
use fieldhouse_domain::organizations::Slug;

use crate::arguments::value;
use crate::context::Context;
use crate::database::{Database, PublicUrl};
use crate::fields::Flags;
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// The organizations of the server.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the organizations of the server, earliest first
    List(ListOptions),
    /// Found an organization, and print the link with which its owner sets a password
    Create(CreateOptions),
    /// Refuse every request of an organization's members and keys, from now on
    Suspend(Named),
    /// Permit requests of a suspended organization again
    Resume(Named),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    database: Database,
}

#[derive(Args)]
pub(crate) struct CreateOptions {
    #[command(flatten)]
    fields: Flags<FoundOrganization, false>,
    #[command(flatten)]
    public_url: PublicUrl,
    #[command(flatten)]
    database: Database,
}

#[derive(Args)]
pub(crate) struct Named {
    /// The organization's short name
    #[arg(value_parser = value::<Slug>)]
    slug: Slug,
    #[command(flatten)]
    database: Database,
}

const COLUMNS: &[Column<Organization>] = &[
    ("NAME", Width::Least(14), |it| it.name.to_string()),
    ("SHORT NAME", Width::Whole, |it| it.slug.to_string()),
    ("STATUS", Width::Whole, |it| status(it).to_owned()),
    ("COUNTRY", Width::Whole, |it| or_dash(it.country.as_ref())),
    ("TIME ZONE", Width::Least(10), |it| it.time_zone.to_string()),
    ("CREATED", Width::Whole, |it| it.created_at.to_string().chars().take(10).collect()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn status(organization: &Organization) -> &'static str {
    if organization.suspended_at.is_some() { "suspended" } else { "active" }
}

/// Lists, founds, suspends or resumes organizations.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::List(ListOptions { paging, database }) => {
            let operating = database.operate(None).await?;
            let query = OrganizationListQuery { limit: paging.limit(), ..OrganizationListQuery::default() };
            let listed = operating.client.operator().organizations(&query);
            paging.show(context, listed, COLUMNS).await?;
            operating.end().await
        }
        Options::Create(options) => create(context, options).await,
        Options::Suspend(named) => suspend(context, named, true).await,
        Options::Resume(named) => suspend(context, named, false).await,
    }
}

async fn create(context: &Context, options: CreateOptions) -> anyhow::Result<()> {
    let CreateOptions { fields, public_url, database } = options;
    let operating = database.operate(public_url.get()).await?;
    let founded = operating.client.operator().create_organization(&fields.body).await?;
    operating.end().await?;
    show(context, &founded)
}

fn show(context: &Context, founded: &FoundedOrganization) -> anyhow::Result<()> {
    let organization = &founded.organization;
    let rows = [
        ("organization", organization.name.to_string()),
        ("short name", organization.slug.to_string()),
        ("id", organization.id.to_string()),
        ("owner", founded.owner.clone()),
        ("link", or_dash(founded.link.as_ref())),
        ("valid until", or_dash(founded.link_expires_at)),
    ];
    context.output.record(founded, &rows)?;
    if founded.link.is_some() {
        note("Send the link to the owner only: it sets their password, once.");
    } else {
        note(&format!("{} has an account already, and signs in with its password.", founded.owner));
    }
    Ok(())
}

async fn suspend(context: &Context, named: Named, suspended: bool) -> anyhow::Result<()> {
    let Named { slug, database } = named;
    let operating = database.operate(None).await?;
    let id = operating.organization(&slug).await?.id;
    let body = SuspendOrganization { suspended: Some(suspended) };
    let changed = operating.client.operator().suspend_organization(id, &body).await?;
    operating.end().await?;
    let now = if suspended { "suspended" } else { "active" };
    Ok(context.output.sentence(&changed, &format!("{slug} is {now}."))?)
}
