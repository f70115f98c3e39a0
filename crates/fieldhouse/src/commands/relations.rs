//! `fieldhouse relations` and `fieldhouse children relations`: relations of people to children, which open the children's data.

use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::relations::{NewRelation, Relation, RelationKind};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::{ChildId, RelationId};
use fieldhouse_domain::text::Reason;

use super::audit::HistoryOptions;
use crate::arguments::{Target, When, instants, one_of, value};
use crate::context::Context;
use crate::listing::Paging;
use crate::member::UserRef;
use crate::output::{Column, Width, note, or_dash};

/// Your relations to children. Managers also confirm those of others.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List your relations to children, and for managers those that wait for a second person, newest first
    List(ListOptions),
    /// Confirm a proposed relation, as a second person
    Confirm(Target<RelationId>),
    /// Accept your own relation, after it was confirmed
    Accept(Target<RelationId>),
    /// Revoke a relation: your own, one to a child of your family, or one that you decide about as a manager
    Revoke(Target<RelationId>),
}

/// Relations of people to a child.
#[derive(Subcommand)]
pub(crate) enum OfChild {
    /// List all relations to a child of your family, newest first
    List(HistoryOptions<ChildId>),
    /// Propose a relation of a member; a second person has to confirm it, and the member to accept it
    Add(AddOptions),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct AddOptions {
    /// The child's id
    child: ChildId,
    #[command(flatten)]
    who: UserRef,
    /// What they are to the child
    #[arg(long, value_parser = one_of!(RelationKind))]
    kind: RelationKind,
    /// When it ends: within 24 hours for support, within 400 days for a registrar and for medical staff; a date means midnight in the
    /// organization's time zone
    #[arg(long, value_name = "TIME")]
    expires_at: Option<When>,
    /// Why the member needs it, except for the child itself and guardians; do not name the child
    #[arg(long, value_parser = value::<Reason>)]
    reason: Option<Reason>,
}

const COLUMNS: &[Column<Relation>] = &[
    ("NAME", Width::Least(14), |it| it.user.name.clone()),
    ("KIND", Width::Whole, |it| it.kind.to_string()),
    ("STATE", Width::Whole, |it| it.state.to_string()),
    ("CHILD", Width::Whole, |it| it.child_id.to_string()),
    ("ENDS", Width::Whole, |it| or_dash(it.expires_at)),
    ("CONFIRMED", Width::Whole, |it| confirmed(it).to_owned()),
    ("REASON", Width::Least(14), |it| or_dash(it.reason.as_ref())),
    ("USER", Width::Whole, |it| it.user.id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

fn confirmed(relation: &Relation) -> &'static str {
    match (relation.confirmed_at, relation.confirmed_alone) {
        (None, _) => "-",
        (Some(_), false) => "by a second person",
        (Some(_), true) => "alone",
    }
}

/// Lists, confirms, accepts or revokes relations.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let relations = context.signed_in()?.relations();
    let (relation, next) = match options {
        Options::List(ListOptions { paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            return paging.show(context, relations.list(&query), COLUMNS).await.map(drop);
        }
        Options::Confirm(Target { id }) => {
            let next =
                "The member has to accept it with `fieldhouse relations accept`. They are told by mail.";
            (relations.confirm(id).await?, Some(next))
        }
        Options::Accept(Target { id }) => (relations.accept(id).await?, None),
        Options::Revoke(Target { id }) => (relations.revoke(id).await?, None),
    };
    context.output.one(&relation, COLUMNS)?;
    next.into_iter().for_each(note);
    Ok(())
}

/// Lists or proposes relations to a child.
pub(crate) async fn of_child(context: &Context, options: OfChild) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    match options {
        OfChild::List(HistoryOptions { id, paging }) => {
            let query = ListQuery { limit: paging.limit(), ..ListQuery::default() };
            paging.show(context, client.relations().of_child(id, &query), COLUMNS).await?;
        }
        OfChild::Add(options) => {
            let child = options.child;
            let relation = client.relations().add(child, &proposed(&client, options).await?).await?;
            context.output.one(&relation, COLUMNS)?;
            note(
                "A manager has to confirm it with `fieldhouse relations confirm`. The owners are told by mail.",
            );
        }
    }
    Ok(())
}

async fn proposed(client: &Client, options: AddOptions) -> anyhow::Result<NewRelation> {
    let AddOptions { who, kind, expires_at, reason, .. } = options;
    let [expires_at] = instants(client, [expires_at]).await?;
    Ok(NewRelation { user_id: who.id(client).await?, kind, expires_at, reason })
}
