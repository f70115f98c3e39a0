//! `fieldhouse children`: children, and the classes of their data that a relation opens.

use clap::{Args, Subcommand};
use fieldhouse_client::api::children::{
    AccessEvent, ChangeChild, ChangeChildContact, ChangeChildEmergency, ChangeChildIdentity,
    ChangeChildMedical, ChangeChildPerformance, Child, ChildContact, ChildEmergency, ChildIdentity,
    ChildMedical, ChildPerformance, ChildProfile, NewPerson,
};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::children::contacts::EmergencyContact;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::record::Body;

use super::audit::{self, HistoryOptions};
use super::relations::{self, OfChild};
use super::{child_exports, consents, guardian_invitations, restrictions};
use crate::arguments::Target;
use crate::context::Context;
use crate::fields::{ChangeOptions, Created};
use crate::listing::Paging;
use crate::output::{Column, Width, or_dash};

/// Children. What you see of each depends on your relation to the child.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List the children that you have a relation to, by name
    List(ListOptions),
    /// Show a child as a roster does
    Show(Target<ChildId>),
    /// Create a child, as its guardian
    Create(Created<NewPerson>),
    /// Name, year of birth, photo and pronouns
    #[command(subcommand)]
    Profile(Class<ChangeChild>),
    /// Legal names and date of birth
    #[command(subcommand)]
    Identity(Class<ChangeChildIdentity>),
    /// How to reach the family
    #[command(subcommand)]
    Contact(Class<ChangeChildContact>),
    /// What someone must know in an emergency
    #[command(subcommand)]
    Emergency(Class<ChangeChildEmergency>),
    /// What is known about the child's health
    #[command(subcommand)]
    Medical(Class<ChangeChildMedical>),
    /// Notes and measurements of coaches
    #[command(subcommand)]
    Performance(Class<ChangeChildPerformance>),
    /// What the child or its guardians consent to
    #[command(subcommand)]
    Consents(consents::Options),
    /// List who saw data of a child, latest first
    AccessLog(HistoryOptions<ChildId>),
    /// List the changes of what is recorded about a child
    History(HistoryOptions<ChildId>),
    /// Write a copy of what the club stores about a child to a file, as its guardian or as the child
    Export(child_exports::Options),
    /// Relations of people to a child
    #[command(subcommand)]
    Relations(OfChild),
    /// Invitations to be a child's guardian
    #[command(subcommand)]
    GuardianInvitations(guardian_invitations::Options),
    /// What closes a child's data, such as a custody order
    #[command(subcommand)]
    Restrictions(restrictions::Options),
}

/// A class of a child's data.
#[derive(Subcommand)]
pub(crate) enum Class<C: Body> {
    /// Show it
    Show(Target<ChildId>),
    /// Change it; options that you leave out change nothing
    Change(ChangeOptions<ChildId, C>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: &[Column<Child>] = &[
    ("NAME", Width::Least(16), |it| it.display_name.clone()),
    ("TEAMS", Width::Least(16), teams),
    ("YOU SEE IT AS", Width::Whole, |it| it.capacity.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn teams(child: &Child) -> String {
    let teams = child.teams.iter().map(|team| match team.jersey_number {
        Some(number) => format!("{} #{number}", team.name),
        None => team.name.clone(),
    });
    or_dash(Some(teams.collect::<Vec<_>>().join(", ")).filter(|teams| !teams.is_empty()))
}

const PROFILE: &[Column<ChildProfile>] = &[
    ("NAME", Width::Whole, |it| it.display_name.clone()),
    ("BIRTH YEAR", Width::Whole, |it| it.birth_year.to_string()),
    ("AGE", Width::Whole, |it| it.age_band.to_string()),
    ("PRONOUNS", Width::Whole, |it| or_dash(it.pronouns.as_ref())),
    ("PHOTO", Width::Whole, |it| or_dash(it.photo_url.as_ref())),
    ("ID", Width::Whole, |it| it.child_id.to_string()),
];

const IDENTITY: &[Column<ChildIdentity>] = &[
    ("FIRST NAME", Width::Whole, |it| or_dash(it.legal_first_name.as_ref())),
    ("LAST NAME", Width::Whole, |it| or_dash(it.legal_last_name.as_ref())),
    ("BORN", Width::Whole, |it| or_dash(it.birth_date)),
];

const CONTACT: &[Column<ChildContact>] = &[
    ("E-MAIL", Width::Whole, |it| listed(&it.emails)),
    ("PHONE", Width::Whole, |it| listed(&it.phones)),
    ("ADDRESS", Width::Whole, |it| or_dash(it.address.as_ref())),
    ("IN AN EMERGENCY", Width::Whole, |it| {
        listed(&it.emergency_contacts.iter().map(called).collect::<Vec<_>>())
    }),
];

fn called(contact: &EmergencyContact) -> String {
    match &contact.relationship {
        Some(relationship) => format!("{} ({relationship}) {}", contact.name, contact.phone),
        None => format!("{} {}", contact.name, contact.phone),
    }
}

fn listed(items: &[String]) -> String {
    or_dash((!items.is_empty()).then(|| items.join(", ")))
}

const EMERGENCY: &[Column<ChildEmergency>] = &[
    ("ALLERGIES", Width::Whole, |it| or_dash(it.allergies.as_ref())),
    ("CONDITIONS", Width::Whole, |it| or_dash(it.conditions.as_ref())),
    ("MEDICATIONS", Width::Whole, |it| or_dash(it.medications.as_ref())),
    ("INSTRUCTIONS", Width::Whole, |it| or_dash(it.instructions.as_ref())),
];

const MEDICAL: &[Column<ChildMedical>] = &[
    ("CONDITIONS", Width::Whole, |it| or_dash(it.conditions.as_ref())),
    ("MEDICATIONS", Width::Whole, |it| or_dash(it.medications.as_ref())),
    ("INSURANCE", Width::Whole, |it| or_dash(it.insurance.as_ref())),
    ("PHYSICIAN", Width::Whole, |it| or_dash(it.physician.as_ref())),
    ("NOTES", Width::Whole, |it| or_dash(it.notes.as_ref())),
];

const PERFORMANCE: &[Column<ChildPerformance>] = &[
    ("POSITION", Width::Whole, |it| or_dash(it.position.as_ref())),
    ("NOTES", Width::Whole, |it| or_dash(it.notes.as_ref())),
    ("METRICS", Width::Whole, |it| listed(&it.metrics)),
];

const SEEN: &[Column<AccessEvent>] = &[
    ("AT", Width::Whole, |it| it.at.to_string()),
    ("WHO", Width::Least(14), |it| it.user.name.clone()),
    ("AS", Width::Whole, |it| it.capacity.to_string()),
    ("SAW", Width::Whole, |it| it.class.to_string()),
    ("OPERATION", Width::Whole, |it| it.operation.clone()),
    ("KEY", Width::Whole, |it| or_dash(it.key_id)),
];

/// Shows or changes a class of a child's data.
macro_rules! class {
    ($context:expr, $class:expr, $columns:expr, $children:expr, $read:ident, $change:ident) => {{
        let found = match $class {
            Class::Show(Target { id }) => $children.$read(id).await?,
            Class::Change(ChangeOptions { id, fields }) => $children.$change(id, &fields.body).await?,
        };
        $context.output.one(&found, $columns)?
    }};
}

/// Lists, shows, creates or changes children.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let children = client.children();
    match options {
        Options::List(ListOptions { paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            paging.show(context, children.list(&query), COLUMNS).await?;
        }
        Options::Show(Target { id }) => context.output.one(&children.read(id).await?, COLUMNS)?,
        Options::Create(fields) => context.output.one(&children.create(&fields.body).await?, PROFILE)?,
        Options::Profile(class) => class!(context, class, PROFILE, children, profile, change_profile),
        Options::Identity(class) => class!(context, class, IDENTITY, children, identity, change_identity),
        Options::Contact(class) => class!(context, class, CONTACT, children, contact, change_contact),
        Options::Emergency(class) => class!(context, class, EMERGENCY, children, emergency, change_emergency),
        Options::Medical(class) => class!(context, class, MEDICAL, children, medical, change_medical),
        Options::Performance(class) => {
            class!(context, class, PERFORMANCE, children, performance, change_performance);
        }
        Options::Export(options) => child_exports::run(context, options).await?,
        Options::Consents(options) => consents::run(context, options).await?,
        Options::AccessLog(HistoryOptions { id, paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            paging.show(context, children.access_log(id, &query), SEEN).await?;
        }
        Options::History(HistoryOptions { id, paging }) => {
            audit::history(context, &paging, |query| children.history(id, query)).await?;
        }
        Options::Relations(options) => relations::of_child(context, options).await?,
        Options::GuardianInvitations(options) => guardian_invitations::run(context, options).await?,
        Options::Restrictions(options) => restrictions::run(context, options).await?,
    }
    Ok(())
}
