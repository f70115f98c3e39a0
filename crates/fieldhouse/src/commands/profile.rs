//! `fieldhouse profile`: the caller's own profile.

use clap::Subcommand;

use super::whoami::{credential, until};
use crate::context::Context;
use crate::output::or_dash;

/// The caller's own profile.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Show your profile
    Me,
}

/// Reads the caller's profile.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let Options::Me = options;
    let profile = context.signed_in()?.profile().me().await?;
    let memberships = profile.memberships.iter().map(|it| format!("{} ({})", it.organization.slug, it.role));
    let children =
        profile.children.iter().map(|it| format!("{} ({}, {})", it.display_name, it.relation, it.child_id));
    let duties = profile.duties.iter().map(|it| format!("{} ({}, {})", it.kind, it.state, it.id));
    let mut rows = vec![
        ("id", profile.id.to_string()),
        ("e-mail", profile.email.clone()),
        ("name", profile.name.clone()),
        ("locale", or_dash(profile.locale.as_ref())),
        ("time zone", or_dash(profile.time_zone.as_ref())),
        ("organization", format!("{} ({})", profile.organization.name, profile.organization.slug)),
        ("role", profile.role.to_string()),
        ("memberships", joined(memberships)),
        ("children", joined(children)),
        ("teams", joined(profile.teams.iter().map(ToString::to_string))),
        ("duties", joined(duties)),
        ("signed in with", credential(&profile.auth)),
    ];
    rows.extend(until(context, &profile.auth)?.map(|end| ("until", end.to_string())));
    Ok(context.output.record(&profile, &rows)?)
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<_> = texts.collect();
    or_dash((!texts.is_empty()).then(|| texts.join(", ")))
}
