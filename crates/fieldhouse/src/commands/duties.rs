//! `fieldhouse duties`: duties of members, which open children's data.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::duties::{Duty, DutyKind, DutyListQuery, DutyState, NewDuty};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::{DutyId, SeasonId, TeamId, UserId};
use fieldhouse_domain::text::{Email, Reason};

use super::audit::{self, HistoryOptions};
use crate::arguments::{Target, When, instants, one_of, value};
use crate::context::Context;
use crate::listing::Paging;
use crate::member::{self, UserRef};
use crate::output::{Column, Width, note, or_dash};

/// Duties of members.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List duties, newest first
    List(ListOptions),
    /// Show a duty
    Show(Target<DutyId>),
    /// Propose a duty of a member; another admin has to confirm it, and the member to accept it
    Add(AddOptions),
    /// Confirm a proposed duty, as a second person
    Confirm(Target<DutyId>),
    /// Accept your own duty, after it was confirmed
    Accept(Target<DutyId>),
    /// Revoke a duty, as an admin or its holder
    Revoke(Target<DutyId>),
    /// List the changes of a duty, newest first
    History(HistoryOptions<DutyId>),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only duties of the member with this e-mail address
    #[arg(long, value_parser = value::<Email>, conflicts_with = "user_id")]
    email: Option<Email>,
    /// Only duties of this user
    #[arg(long, value_name = "ID")]
    user_id: Option<UserId>,
    /// Only duties of this kind
    #[arg(long, value_parser = one_of!(DutyKind))]
    kind: Option<DutyKind>,
    /// Only duties in this state
    #[arg(long, value_parser = one_of!(DutyState))]
    state: Option<DutyState>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct AddOptions {
    #[command(flatten)]
    who: UserRef,
    /// What it is
    #[arg(long, value_parser = one_of!(DutyKind))]
    kind: DutyKind,
    /// The season that it is limited to; a registrar needs one
    #[arg(long, value_name = "ID")]
    season: Option<SeasonId>,
    /// A team that it is limited to; can be repeated
    #[arg(long, value_name = "ID")]
    team: Vec<TeamId>,
    /// When it starts [default: now]
    #[arg(long, value_name = "TIME")]
    starts_at: Option<When>,
    /// When it ends: at most 24 hours after its start for support, else 400 days; a date means midnight in the organization's time zone
    #[arg(long, value_name = "TIME")]
    ends_at: When,
    /// Why the member needs it; do not name a child
    #[arg(long, value_parser = value::<Reason>)]
    reason: Reason,
}

const COLUMNS: &[Column<Duty>] = &[
    ("NAME", Width::Least(14), |it| it.user.name.clone()),
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("STATE", Width::Whole, |it| it.state.to_string()),
    ("STARTS", Width::Whole, |it| it.starts_at.to_string()),
    ("ENDS", Width::Whole, |it| it.ends_at.to_string()),
    ("CONFIRMED", Width::Whole, |it| confirmed(it).to_owned()),
    ("REASON", Width::Least(14), |it| it.reason.clone()),
    ("SEASON", Width::Whole, |it| or_dash(it.season_id)),
    ("TEAMS", Width::Whole, teams),
    ("USER", Width::Whole, |it| it.user.id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn confirmed(duty: &Duty) -> &'static str {
    match (duty.confirmed_at, duty.confirmed_alone) {
        (None, _) => "-",
        (Some(_), false) => "by a second person",
        (Some(_), true) => "alone",
    }
}

fn teams(duty: &Duty) -> String {
    let teams: Vec<_> = duty.team_ids.iter().map(ToString::to_string).collect();
    if teams.is_empty() { "all".to_owned() } else { teams.join(" ") }
}

/// Lists, shows, proposes, confirms, accepts or revokes duties.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let duties = client.duties();
    let next = match &options {
        Options::Add(_) => Some(
            "Another admin has to confirm it with `fieldhouse duties confirm`. The owners are told by mail.",
        ),
        Options::Confirm(_) => Some("The member has to accept it with `fieldhouse duties accept`."),
        _ => None,
    };
    let duty = match options {
        Options::List(ListOptions { email, user_id, kind, state, paging }) => {
            let user_id = member::user(&client, email.as_ref(), user_id).await?;
            let page = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            let query = DutyListQuery { user_id, kind, state, page };
            return paging.show(context, duties.list(&query), COLUMNS).await.map(drop);
        }
        Options::History(HistoryOptions { id, paging }) => {
            return audit::history(context, &paging, |query| duties.history(id, query)).await;
        }
        Options::Show(Target { id }) => duties.read(id).await?,
        Options::Add(options) => duties.add(&proposed(&client, options).await?).await?,
        Options::Confirm(Target { id }) => duties.confirm(id).await?,
        Options::Accept(Target { id }) => duties.accept(id).await?,
        Options::Revoke(Target { id }) => duties.revoke(id).await?,
    };
    context.output.one(&duty, COLUMNS)?;
    next.into_iter().for_each(note);
    Ok(())
}

async fn proposed(client: &Client, options: AddOptions) -> anyhow::Result<NewDuty> {
    let AddOptions { who, kind, season, team, starts_at, ends_at, reason } = options;
    let [starts_at, ends_at] = instants(client, [starts_at, Some(ends_at)]).await?;
    let user_id = who.id(client).await?;
    Ok(NewDuty { user_id, kind, team_ids: team, season_id: season, starts_at, ends_at, reason })
}
